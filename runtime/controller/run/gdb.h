/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb.h - the program in a debugger, for heddle replay --gdb */
#ifndef HEDDLE_CONTROLLER_GDB_H
#define HEDDLE_CONTROLLER_GDB_H

struct launch;
struct run;

/* The command: $GDB, or gdb. */
const char *gdb_command(void);

/*
 * Becomes the debugger, which starts the program. environment: what the program gets beside what launch says
 * (NAME=VALUE, up to a NULL). Returns, with errno, if there is no debugger.
 */
void gdb_exec(const struct launch *l, const char *const *environment, const struct run *run);

#endif

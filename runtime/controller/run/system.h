/* SPDX-License-Identifier: BSD-2-Clause */
/* system.h - what heddle needs of the system that it runs on */
#ifndef HEDDLE_CONTROLLER_SYSTEM_H
#define HEDDLE_CONTROLLER_SYSTEM_H

/* Can a program be started here? 0, or an exit status after a message that says what is missing. */
int system_check(void);

/*
 * Calls fn(argc, argv) on a stack that is large enough, whatever the limit of ours is, and returns
 * what it returns.
 */
int system_with_stack(int (*fn)(int argc, char **argv), int argc, char **argv);

#endif

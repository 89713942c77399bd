/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal.h - what text is printed on */
#ifndef HEDDLE_CONTROLLER_TERMINAL_H
#define HEDDLE_CONTROLLER_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns: $COLUMNS, or the terminal's if fd is one; else 80. fd -1: none. */
size_t terminal_columns(int fd);

/* From now on terminal_columns() tells those of fd: of a process whose text another one will print there. */
void terminal_keep(int fd);

/* Has the locale more than ASCII? As setlocale() would find it. */
bool terminal_utf8(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* file_order.h - in which order threads use a file (file_order.c) */
#ifndef HEDDLE_PRELOAD_FILE_ORDER_H
#define HEDDLE_PRELOAD_FILE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum file_use {
	FILE_MOVES =
		1, /* reads from where the last read or write ended, or asks where that is, or goes elsewhere */
	FILE_LOOKS = 2, /* reads elsewhere */
	FILE_WRITES = 4 /* writes, or sets the size; makes or removes a name */
};

/* The calling thread is about to use what the descriptor leads to; where that is no file nothing is done. */
void file_used(int fd, enum file_use use, uint64_t pc);

/*
 * The calling thread is about to make or remove the name, or looks: finds out whether it is there, and (follows) what
 * the file says of itself.
 */
void path_used(const char *path, bool looks, bool follows, uint64_t pc);
/* It has made it, removed it, or emptied the file. */
void path_changed(const char *path);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * said.h - what a program says of its execution, for those who read about its bugs (include/heddle.h)
 *
 * Only in a replay, since every bug is replayed before it is reported. Of more texts than there is room for, the last ones
 * are kept, since the bug comes behind them; of names the first ones.
 *
 * Also here, for the same readers: what the pointers are that it reads and writes, and where its own code called the library
 * that creates a thread.
 */
#ifndef HEDDLE_WIRE_SAID_H
#define HEDDLE_WIRE_SAID_H

#include <stdatomic.h>
#include <stdint.h>

#include "wire/place.h"

enum {
	SAID_TEXTS = 1024,
	SAID_NAMES = 1024,
	SAID_POINTERS = 1024,
	SAID_CALLS = 1024,
	SAID_FRAMES = 16, /* the innermost ones: calls of the library for threads are not deep */
	SAID_TEXT = 192,  /* bytes, with the final 0; what is longer is cut */
	SAID_NAME = 64
};

/* heddle_trace() */
struct said_text {
	uint32_t tid;
	uint64_t after;    /* behind how many steps of the execution */
	uint64_t pc;       /* return address of the call */
	struct place code; /* likewise; where it was collected */
	char text[SAID_TEXT];
};

/* heddle_name_thread(): of a place that is a thread; heddle_name(): of memory */
struct said_name {
	struct place place;
	uint64_t addr, size; /* of the object, in one run */
	char name[SAID_NAME];
};

/* A value that is an address in an object of the program, the same one in all of the execution. */
struct said_pointer {
	uint64_t value; /* in one run */
	struct place place;
};

/* An operation that a library may have done: its call stack. */
struct said_call {
	uint64_t step; /* of the execution, from 0 */
	uint32_t tid, frames;
	uint64_t frame[SAID_FRAMES]; /* of one run */
	struct place
		code; /* in own code, where that was found out; PLACE_UNKNOWN: where the operation itself is */
};

struct said {
	_Atomic uint64_t
		texts; /* all that there were; the last of them stand at their number % SAID_TEXTS */
	_Atomic uint64_t names;
	_Atomic uint64_t pointers;
	_Atomic uint64_t calls;
	struct said_text text[SAID_TEXTS];
	struct said_name name[SAID_NAMES];
	struct said_pointer pointer[SAID_POINTERS];
	struct said_call call[SAID_CALLS];
};

#endif

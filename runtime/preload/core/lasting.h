/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lasting.h - what outlives an execution that runs in a child (fork back end)
 *
 * At the top level of a file, LASTING(type, name) makes `name` a pointer to a type in memory that
 * all processes of the exploration share. It is zero at first, and there before AT_WAKING().
 */
#ifndef HEDDLE_PRELOAD_LASTING_H
#define HEDDLE_PRELOAD_LASTING_H

#include "preload/core/context.h"

struct lasting {
	void **at;
	size_t size;
};

#define LASTING(type, name)                                                          \
	type *name;                                                                  \
	static const struct lasting lasting_##name                                   \
		__attribute__((section("heddle_lasting"), used)) = { (void **)&name, \
								     sizeof(type) }

#pragma GCC visibility push(hidden)

/* How far this process is. */
struct progress {
	uint64_t begun;  /* executions */
	uint64_t number; /* of the one that runs, among those of all workers */
	uint64_t restarts, reruns;
	uint32_t over;      /* nothing follows, and the verdict is written */
	uint32_t ending;    /* children.c: as waitpid() would tell it */
	uint32_t borrows;   /* this is a child with the memory of its parent (backend_split.c) */
	uint32_t op_thread; /* last operation: for a child that dies without a word */
	uint64_t op_pc;
};
extern struct progress *progress;

void lasting_map(void);
/* In a process that goes on by itself (siblings.c): from now on it has a copy of its own, for it and its children. */
void lasting_part(void);

#pragma GCC visibility pop

#endif

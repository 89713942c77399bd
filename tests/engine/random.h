/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random.h - seeded random scripts, small enough for brute force
 *
 * The same seed and style give the same program on every machine.
 */
#ifndef HEDDLE_TESTS_RANDOM_H
#define HEDDLE_TESTS_RANDOM_H

#include "engine/script.h"

enum random_style {
	STYLE_MIXED, /* a bit of everything, locks too */
	STYLE_PLAIN, /* reads and writes, few fences */
	STYLE_RMW,   /* many read-modify-writes on few locations */
	STYLE_SC,    /* sc accesses and fences */
	STYLE_LOCKS, /* mutexes, also nested and tried */
	STYLE_SYNC,  /* semaphores and condition variables */
	STYLE_LOOPS, /* awaits: spin, exchange and compare-and-swap loops */
	STYLE_NA,    /* plain accesses, some protected and some not */
	STYLE_MUTEX, /* mutexes that are always waited for, also nested, and accesses beside */
	STYLE_AWAIT, /* awaits of one or two locations among other accesses, and locks made of them */
	STYLE_RETRY,   /* compare-and-swap loops and locks, and values that come back */
	STYLE_OBJECTS, /* read-write locks, barriers, timed waits */
	STYLE_FUTEX,   /* threads that sleep on words, are woken and moved, and accesses beside */
	STYLE_COUNTS,  /* pipes and the like */
	STYLE_SETS,    /* epoll descriptors */
	STYLE_FENCES,  /* relaxed accesses: what synchronises are fences */
	STYLE_COUNT
};

extern const char *const style_names[STYLE_COUNT];

/* Linked and ready to run. */
void random_script(struct script *s, uint64_t seed, enum random_style style);

#endif

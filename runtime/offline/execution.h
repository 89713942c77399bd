/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execution.h - a recorded execution: events, po and rf, in flat arrays
 *
 * Events are numbered thread by thread, in program order; those of thread t are
 * first[t]..first[t + 1] - 1, and the i-th of them is written t.i. A read-modify-write that
 * succeeded is one event. Every location has an initial write that is not an event: reads
 * name it with EX_INIT. There is no modification order; that one exists is what the checkers
 * of check.h decide.
 *
 *	struct execution x;
 *	struct execution_error e;
 *
 *	execution_init(&x);
 *	loc = execution_location(&x, "x", 1);
 *	execution_add(&x, &(struct execution_event){ .tid = 0, .kind = EX_WRITE, .loc = loc });
 *	if (!execution_finish(&x, &e))
 *		puts(e.text);
 *	execution_release(&x);
 *
 * Memory: about 24 bytes an event. One thread at a time may use an execution.
 */
#ifndef HEDDLE_OFFLINE_EXECUTION_H
#define HEDDLE_OFFLINE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/op.h"

enum {
	EX_READ = 1,
	EX_WRITE = 2,
	EX_RMW = EX_READ | EX_WRITE,
	EX_FENCE = 4,
	EX_SYNC = 8, /* with EX_READ: its rf edge is happens-before in every model */
};

#define EX_NONE UINT32_MAX       /* reads nothing; of no location */
#define EX_INIT (UINT32_MAX - 1) /* reads the initial write */

enum {
	EX_MAX_THREADS = 65536,
	EX_MAX_EVENTS = 1 << 30,
	EX_MAX_NAME = 255
};

struct execution_table;

struct execution {
	uint32_t n, k, nlocs; /* events, threads, locations */
	uint32_t *first;      /* k + 1 */
	uint32_t *tid, *loc, *rf;
	uint8_t *kind, *order; /* order: enum mem_order */
	char **name;           /* of each location */
	uint32_t *recorded; /* the events as they were added if that extends po and rf, or NULL */
	/* While it is being built. */
	uint32_t room, *rf_tid, *line;
	struct execution_table *table;
};

struct execution_event {
	uint32_t tid, kind, order, loc;
	uint32_t rf_tid, rf_index; /* rf_tid may be EX_INIT */
	uint32_t line;             /* for messages */
};

struct execution_error {
	uint32_t line; /* 0: of no line */
	char text[512];
};

void execution_init(struct execution *x);
void execution_release(struct execution *x);

/* The number of a location of that name (not terminated), a new one if need be. */
uint32_t execution_location(struct execution *x, const char *name, size_t len);

/* Adds an event at the end of its thread. */
void execution_add(struct execution *x, const struct execution_event *ev);

/*
 * Numbers the events and checks that every read reads from a write of its location. False:
 * e says which line names what is not there. Nothing may be added afterwards.
 */
bool execution_finish(struct execution *x, struct execution_error *e);

/*
 * Reads the compact line format (heddle-formats(5)). text[size] must be readable and 0. False:
 * e names the line and what was expected there. The caller releases x in any case.
 */
bool execution_parse(struct execution *x, const char *text, size_t size, struct execution_error *e);

static inline uint32_t execution_index(const struct execution *x, uint32_t e)
{
	return e - x->first[x->tid[e]];
}

/*
 * Events in an order that extends po and rf, into order[n], the recorded one if it does; how
 * many: fewer than n if po u rf has a cycle.
 */
uint32_t execution_sort(const struct execution *x, uint32_t *order);

/*
 * Of the n events in order that execution_sort() could order, not all: threads each of which waits,
 * before its event at[t], for the one before it, to be freed; *length: how many. at[k] is filled.
 */
uint32_t *execution_circle(const struct execution *x, const uint32_t *order, uint32_t n,
			   uint32_t *at, uint32_t *length);

/*
 * Memory for n things. If there is none, offline_exhausted() ends the process, or (NULL) a failed
 * must() does.
 */
extern void (*offline_exhausted)(void);
_Noreturn void offline_too_large(void);
void *offline_room(size_t n, size_t size);
void *offline_zeroed(size_t n, size_t size);
void *offline_grow(void *p, size_t n, size_t size);

#endif

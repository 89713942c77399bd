/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - what the search asks of a machine
 */
#ifndef TESTS_RANDOM_MACHINE_H
#define TESTS_RANDOM_MACHINE_H

#include "random/code.h"
#include "random/oracle.h"

enum {
	MAX_MESSAGES = 20, /* of one location */
	MAX_BUFFER = 16,
	MAX_PAST = MAX_CELLS + 14, /* messages of all locations */
	GRAPH_EVENTS = 64,
	GRAPH_WRITES = 16, /* of one location */
	GRAPH_READ = 1,
	GRAPH_WRITE = 2,
	GRAPH_FENCE = 4
};

/* Accesses that happened before something, as races.c numbers them. */
typedef uint64_t marks_t;

/* One memory, and what is still on its way to it. */
struct tso_memory {
	marks_t known[MAX_THREADS], cell_marks[MAX_CELLS], buffer_marks[MAX_THREADS][MAX_BUFFER];
	int8_t cell[MAX_CELLS];
	uint8_t n[MAX_THREADS];
	uint8_t to[MAX_THREADS][MAX_BUFFER];
	int8_t value[MAX_THREADS][MAX_BUFFER];
};

/* Of each location the position in modification order from which on one may read. */
struct view {
	uint8_t at[MAX_CELLS];
	marks_t marks;
};

struct message {
	int8_t value;
	bool glued; /* by a read-modify-write to the one before it */
	struct view view;
};

struct view_memory {
	uint8_t n[MAX_CELLS];
	struct message m[MAX_CELLS][MAX_MESSAGES];
	struct {
		struct view current, acquire, fence, release[MAX_CELLS];
	} t[MAX_THREADS];
	struct view sc;
};

struct past_memory {
	uint8_t n;
	uint8_t cell[MAX_PAST], writer[MAX_PAST];
	int8_t value[MAX_PAST];
	uint8_t taken_by[MAX_PAST]; /* the read-modify-write that read it, plus 1 */
	uint64_t past[MAX_PAST];    /* itself included */
	uint64_t known[MAX_THREADS];
	marks_t marks[MAX_PAST], known_marks[MAX_THREADS];
};

struct graph_event {
	uint8_t kind, cell, order, rf; /* rf: the event it reads */
	int8_t value;                  /* of a write */
};

struct graph_memory {
	uint8_t n[MAX_THREADS]; /* events of a thread */
	uint8_t nmo[MAX_CELLS], mo[MAX_CELLS][GRAPH_WRITES];
	struct graph_event event[GRAPH_EVENTS]; /* the initial writes first */
};

struct state {
	struct thread_state t[MAX_THREADS];
	int8_t plain[MAX_PLAIN];
	marks_t happened;
	union {
		int8_t cell[MAX_CELLS];
		struct tso_memory tso;
		struct view_memory views;
		struct past_memory past;
		struct graph_memory graph;
	};
};

struct search {
	const struct program *p;
	const struct machine *machine;
	enum model model;
	struct code code[MAX_THREADS];
	bool acquire_fences, too_large;
	unsigned tried; /* set of mutexes */
	bool cut;       /* a step was left out, since there was no room for what it adds */
	struct outcomes *out;
	struct visited *visited;
};

/* Thread t of s did its instruction (or its buffer drained a store: moved is false). */
void search_emit(struct search *search, struct state *s, int t, bool moved);

typedef void (*tell_fn)(struct search *, const struct state *, const int8_t *last);

struct machine {
	void (*start)(const struct search *, struct state *);
	/* Emits all states that follow when thread t goes on. */
	void (*step)(struct search *, const struct state *, int t);
	/* Puts what does not matter any more in one form. */
	void (*tidy)(const struct search *, struct state *);
	/* Appends the memory to a state's key, and takes it from there. */
	uint8_t *(*pack)(const struct search *, const struct state *, uint8_t *to);
	const uint8_t *(*unpack)(const struct search *, struct state *, const uint8_t *from);
	/* Last values of each location, in as many ways as there are. */
	void (*finish)(struct search *, const struct state *, tell_fn);
	/*
	 * For races: the accesses that happened before what thread t does now; and this one takes the place of
	 * the last one like it, which now only t knows of. Or without marks: thread t does a plain access.
	 */
	marks_t (*known)(const struct state *, int t);
	void (*note)(struct state *, int t, marks_t mark);
	void (*plain)(struct search *, struct state *, int t, int variable, bool write);
};

extern const struct machine machine_memory, machine_views, machine_past, machine_graph;

/* ---- races.c ---- */

/* Thread t is about to access a plain variable. */
void race_plain(struct search *search, struct state *s, int t, int variable, bool write);

/* Thread t is about to do its instruction, which may be an access to location 0. */
void race_atomic(struct search *search, struct state *s, int t, const struct insn *i);

uint8_t *pack_marks(const struct search *search, marks_t marks, uint8_t *to);
const uint8_t *unpack_marks(const struct search *search, marks_t *marks, const uint8_t *from);

bool anybody_waits(const struct state *s);

/* How an instruction with condition variables changes threads; emits what follows. */
void machine_cond(struct search *search, const struct state *s, int t);

/* The first instruction that thread t has to do. */
const struct insn *next_insn(const struct search *search, const struct state *s, int t);

#endif

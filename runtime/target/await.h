/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.h - the redundant-round rule, between its two halves
 *
 * await.c follows what each thread reads and decides; probe.c runs a thread once more from
 * an earlier read, compares, and undoes it. Internal to runtime/target.
 */
#ifndef HEDDLE_TARGET_AWAIT_H
#define HEDDLE_TARGET_AWAIT_H

#include "target/fiber.h"

#pragma GCC visibility push(hidden)

enum {
	AWAIT_READS = 64,   /* silent reads looked back at */
	AWAIT_WRITES = 64,  /* plain writes between them */
	AWAIT_BYTES = 2048, /* and the bytes these overwrite */
};

/* Plain writes, with what they overwrote, so that they can be undone. */
struct write_log {
	uint32_t n, used;
	struct {
		uint64_t addr;
		uint32_t size, at; /* at: into the bytes */
	} write[AWAIT_WRITES];
	char old[AWAIT_BYTES];
};

/* A silent read, and the fiber as it was inside perform() when the read had its value. */
struct await_read {
	struct op op;
	struct value value;
	uint32_t rank;   /* among the operations since the list was empty */
	uint32_t writes; /* length of the log then */
	bool saved;
	uint64_t sp, size;
	char *stack; /* copy of [sp, sp + size) */
};

/* Per fiber: everything since its last operation that was not silent. */
struct await {
	/* What every execution sets comes first, on one page: a fork() copies what is written. */
	uint32_t rank;
	bool pending;       /* the last read may be redundant: look at the next operation */
	struct value value; /* that it returned */
	char *arena;
	uint64_t arena_used;
	struct write_log log;
	struct op stuck;
	struct await_read read[AWAIT_READS]; /* as many as self.silent_reads */
};

/* Undoes (in reverse) the writes of a log from entry `from` on. */
void log_undo(const struct write_log *log, uint32_t from);
/* Appends a write about to happen; false when there is no room. */
bool log_add(struct write_log *log, uint64_t addr, uint64_t size);

/* Fills read->stack and so on; the caller goes on from here a second time, with
 * current->probing set, when the read is probed. */
void probe_save(struct await *a, struct await_read *read);

/*
 * The calling fiber is about to perform op after its last silent read returned a->value.
 * Would it be here in the same state if read r1 had returned that?
 */
bool probe_equal(struct await *a, struct await_read *r1, const struct op *op);

/* In a probe: the fiber came to its next operation, or did what ends a probe. */
heddle_noreturn void probe_arrive(const struct op *op);
heddle_noreturn void probe_differs(void);
/* In a probe: a plain write. */
void probe_write(uint64_t addr, uint64_t size);
/* In a probe: what the read at its start returns. */
struct value probe_value(void);

#pragma GCC visibility pop

#endif

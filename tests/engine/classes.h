/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * classes.h - sets of executions, each as a short string of bytes
 *
 * The key of an execution lists, thread by thread, what each of its reading operations read
 * from and each choice, and how the thread ended:
 *
 *	(source thread + 1, source index)	0, 0: the initial write
 *	(0x80 | choice, 0xfe)			a choice, or 0xfd: of whom a futex wakes
 *	(0xff, status)				end of the thread: a letter, see key_ending()
 *
 * Indices count the operations of a thread on locations and its choices, from 0; fences and
 * what belongs to thread management have none. OP_COND_WOKEN and OP_BARRIER_PASS are left out as well: what the
 * other operations on its condition variable read determines it.
 */
#ifndef HEDDLE_TESTS_CLASSES_H
#define HEDDLE_TESTS_CLASSES_H

#include "engine/interp.h"
#include "wire/search.h"

struct class_key {
	uint8_t len;
	uint8_t b[159];
};

enum class_kind {
	CLASS_COMPLETE,
	CLASS_BLOCKED,  /* a thread failed an assume or was stopped by the redundant-round rule */
	CLASS_DEADLOCK, /* a thread waits for ever, and none failed an assume */
	CLASS_ERROR,    /* an assertion failed */
	CLASS_CUT,      /* a bound on reads was reached */
	CLASS_KINDS
};

struct class
{
	struct class_key key;
	unsigned models; /* mask of models in which it exists */
	unsigned visits;
	uint64_t state; /* how its threads ended: interp_state(), summed up */
	unsigned stuck; /* models in which its awaits can never end; from the runner: 0 or 1 */
	unsigned orders[MODEL_COUNT]; /* how many modification orders it has (count_mo) */
};

struct class_set {
	struct class *v;
	int n, room;
	int32_t *table; /* open addressing: index + 1 */
	uint32_t table_size;
};

void class_set_init(struct class_set *cs);
void class_set_release(struct class_set *cs);
void class_set_clear(struct class_set *cs);
/* The member with this key, made (with models and visits 0) when it is not there. */
struct class *class_set_add(struct class_set *cs, const struct class_key *key);
/* NULL when it is not there. */
struct class *class_set_find(const struct class_set *cs, const struct class_key *key);

void key_push(struct class_key *key, unsigned a, unsigned b);

/* A value in a key of values: small ones, and what locks that writers have, or ask for, hold (OP_RW_WRITER), stay apart. */
static inline unsigned class_value(int64_t value)
{
	return (uint8_t)(value + 16 * (value >> 16));
}
void key_end_thread(struct class_key *key, char status);
/* Letter of how a thread stands: E ended, B assume, F assertion, S stuck, W waiting, C cut. */
char key_letter(enum interp_status status);
enum class_kind key_kind(const struct class_key *key);

/* Readable form: every operation with the value and the source it read. */
void key_print(const struct class_key *key, const struct script *s, FILE *f);

#endif

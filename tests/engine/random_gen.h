/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_gen.h - what the parts of random programs are made with; internal to random*.c
 *
 * No two arguments of a call draw: which of them draws first, a compiler chooses.
 */
#ifndef HEDDLE_TESTS_RANDOM_GEN_H
#define HEDDLE_TESTS_RANDOM_GEN_H

#include "engine/random.h"

enum orders {
	ORD_RLX,
	ORD_RA,
	ORD_SC,
	ORD_MIX
};

struct gen {
	struct script *s;
	uint64_t state;
	enum random_style style;
	enum orders orders;
	int nlocs, regs;
	int budget;    /* operations left, over all threads */
	uint32_t held; /* mutexes that the thread holds here */
};

/* random_gen.c: the next number; one below n; a new register of thread t; an order that an access of that
 * kind may have; a place in memory, or that with a number; one of n objects; and a small constant, or a register. */
uint64_t gen_next(struct gen *g);

/* A script that is named after its kind and seed begins; g->state has been set. */
void gen_begin(struct gen *g, const char *kind, uint64_t seed);
/* It is whole. */
void gen_end(struct gen *g);

int gen_below(struct gen *g, int n);
int gen_reg(struct gen *g, int t, char prefix);
enum mem_order gen_order(struct gen *g, bool reads, bool writes);
int gen_mem(struct gen *g);
int gen_mem_at(struct gen *g, int which);
int gen_lib(struct gen *g, enum loc_kind kind, int n);
struct expr gen_small(struct gen *g, int t);

/* random.c: some instructions of thread t, at this depth of branches and locks. */
void gen_add_some(struct gen *g, int t, int depth, int most, bool locked);
void gen_add_fence(struct gen *g, int t);

/* random_objects.c */
void gen_add_lock(struct gen *g, int t, int depth);
void gen_add_trylock(struct gen *g, int t, int depth);
void gen_add_sem(struct gen *g, int t);
void gen_add_cond(struct gen *g, int t);
void gen_add_rwlock(struct gen *g, int t, int depth);
void gen_add_timedwait(struct gen *g, int t);
void gen_add_futex(struct gen *g, int t);
void gen_add_count(struct gen *g, int t);
void gen_add_set(struct gen *g, int t);

/* random_loops.c */
void gen_add_spin(struct gen *g, int t);
void gen_add_cas_loop(struct gen *g, int t);
void gen_add_xchg_lock(struct gen *g, int t);
void gen_add_await(struct gen *g, int t);
void gen_add_test_and_set(struct gen *g, int t);
void gen_add_retry(struct gen *g, int t);
/* A plain access of p. */
void gen_add_plain(struct gen *g, int t);

#endif

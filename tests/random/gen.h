/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gen.h - what the parts of the generator share
 */
#ifndef TESTS_RANDOM_GEN_H
#define TESTS_RANDOM_GEN_H

#include "random/program.h"

/* Probabilities in percent. */
struct style {
	const char *name;
	uint8_t threads, length; /* at most, of statements in a thread */
	uint8_t await;           /* a statement is a loop that waits */
	uint8_t silent;          /* a read in it is a read-modify-write */
	uint8_t reads;           /* more reads in a round */
	uint8_t count, place;    /* it counts; registers are kept in odd places */
	uint8_t first;           /* it is left in a later round only */
	uint8_t toggle;          /* rounds that net to nothing */
	uint8_t bounded;         /* loops with a bound, that raise flags */
	uint8_t retry;           /* loops around a compare-and-swap */
	uint8_t mutex, trylock, cond;
	uint8_t polls;   /* loops that look under a lock */
	uint8_t locks;   /* which is no mutex, that is tried, and under which they write */
	uint8_t cancels; /* loops that take back what they added; the rest mostly adds */
	uint8_t glances; /* and look at it in between */
	uint8_t form;    /* odd forms of loops, functions */
	uint8_t branch;
	uint8_t vain;    /* nobody is sure to store what a loop waits for; 0: seldom */
	uint8_t swaps;   /* such a read-modify-write is a compare-and-swap */
	uint8_t success; /* whose success ends the loop, and not the value that it read */
	uint8_t untold;  /* what rounds set is kept where heddle cannot compare it */
	bool stack;      /* a location stands on a thread's stack */
	bool races;      /* plain variables are used as they come */
	bool looks;      /* a race is in looks in vain only, if anywhere */
	bool pairs; /* loops look twice at one location, and the other threads at what is around */
	bool crowd; /* thread 0 looks at something at many places, then uses a futex */
	bool strength; /* likewise, and all depends on how strong the looks are */
};

extern const struct style styles[];

/* Which orders accesses have. */
enum orders {
	ALL_RELAXED,
	SYNCHRONISING,
	ALL_ORDERS,
	DEFAULT_ORDERS,
	ORDERS
};

/* What the strength of the looks of add_pair() shows in. */
enum pair_shape {
	PAIR_ANY,
	PAIR_READS, /* what is read behind the loop */
	PAIR_WRITES /* what others see of a write before it */
};

/* Where the only race may be. */
enum race_shape {
	RACE_ANY,
	RACE_ROUNDS, /* in rounds in vain of a loop; who comes behind the loop knows nothing of them */
	RACE_LOOKS /* such rounds look while the location is written plainly */
};

struct gen {
	struct program *p;
	const struct style *style;
	uint64_t rng;
	uint8_t *tail; /* where the next statement is named */
	int thread, depth, writes, orders, shape;
	bool locked; /* mutex 0 is held */
	/* Values that somebody waits for. */
	int nwanted;
	struct {
		uint8_t loc, by;
		int8_t value;
	} wanted[16];
};

uint64_t draw(struct gen *g);
int upto(struct gen *g, int n);
bool chance(struct gen *g, int percent);
struct stmt *append(struct gen *g, enum stmt_kind kind);
uint8_t some_reg(struct gen *g);
uint8_t new_reg(struct gen *g);
uint8_t some_loc(struct gen *g);
struct operand constant(int v);
struct operand in_reg(int reg);
uint8_t read_order(struct gen *g);
uint8_t write_order(struct gen *g);
uint8_t rmw_order(struct gen *g);
struct cond test(int reg, enum compare cmp, int value);
void add_fence(struct gen *g);
void add_load(struct gen *g, int loc, int reg);
void add_store(struct gen *g, int loc, int value);
void add_rmw(struct gen *g, int loc, int reg, enum rmw_fn fn, int arg);
void add_cas(struct gen *g, int loc, struct operand expected, struct operand desired);
void add_set(struct gen *g, int reg, enum set_fn fn, struct operand a, struct operand b);
void add_access(struct gen *g);
int add_read(struct gen *g, int loc, int value, int silent);
struct cond left_when(struct gen *g, int reg, int value, int later);
void want(struct gen *g, int loc, int value);
struct stmt *begin_loop(struct gen *g, uint8_t **behind);
void end_loop(struct gen *g, uint8_t *behind);
void add_break(struct gen *g, struct cond c);
void add_await(struct gen *g);
void add_pair(struct gen *g);
void add_strength(struct gen *g);
void add_message(struct gen *g);
void add_around(struct gen *g);
void add_bounded(struct gen *g);
void add_retry(struct gen *g);
void add_plain(struct gen *g);
void add_poll(struct gen *g);
void add_cancels(struct gen *g);
void add_count(struct gen *g);
void add_try(struct gen *g);
void add_told(struct gen *g, int plain, int value);
void add_race(struct gen *g);
void add_racing(struct gen *g);
void make_plain(struct gen *g);
void add_list(struct gen *g, uint8_t *tail, int length);
void share_stack(struct gen *g);
void add_crowd(struct gen *g);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script.h - small concurrent programs as data
 *
 * A script is 1-6 threads of instructions over registers of their own and shared locations.
 * The same script is run through the engine (runner.h) and through brute force (oracle.h).
 *
 *	struct script s;
 *	script_init(&s, "sb");
 *	int x = script_loc(&s, LOC_MEM, "x", 0), y = script_loc(&s, LOC_MEM, "y", 0);
 *	for (int t = 0; t < 2; t++) {
 *		script_thread(&s);
 *		script_write(&s, t, t ? y : x, expr_const(1), ORDER_RLX);
 *		script_read(&s, t, script_reg(&s, t, "r0"), t ? x : y, ORDER_RLX);
 *	}
 *	script_link(&s);
 *
 * Code is flat with structural markers (IF ELSE ENDIF, LOOP ENDLOOP), so that it is easy to
 * run, to print and to shrink; script_link() finds the jumps and the live registers.
 */
#ifndef HEDDLE_TESTS_SCRIPT_H
#define HEDDLE_TESTS_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wire/op.h"

enum {
	SCRIPT_THREADS = 6,
	SCRIPT_INSNS = 40,
	SCRIPT_LOCS = 8,
	SCRIPT_REGS = 12,
	SCRIPT_NAME = 48,
	SCRIPT_SHORT = 8,
};

enum loc_kind {
	LOC_MEM,
	LOC_MUTEX,
	LOC_SEM,
	LOC_COND,
	LOC_RWLOCK,
	LOC_BARRIER,
	LOC_FUTEX,
	LOC_COUNT,
	LOC_SET
};

enum insn_kind {
	I_READ,  /* reg, loc, order */
	I_WRITE, /* loc, a, order */
	I_FAI,   /* reg, loc, a, order: adds */
	I_XCHG,  /* reg, loc, a, order */
	I_CAS,   /* reg, loc, a expected, b desired, order, order_fail */
	I_FENCE, /* order */
	I_SET,   /* reg, a */
	I_IF,    /* a cmp b */
	I_ELSE,
	I_ENDIF,
	I_LOOP,
	I_ENDLOOP,
	I_BREAK_IF,    /* a cmp b: leaves the innermost loop */
	I_ASSUME,      /* a cmp b */
	I_ASSERT,      /* a cmp b */
	I_LOCK,        /* loc */
	I_UNLOCK,      /* loc */
	I_TRYLOCK,     /* reg (1: taken), loc */
	I_SEM_WAIT,    /* loc */
	I_SEM_TRYWAIT, /* reg (1: taken), loc */
	I_SEM_POST,    /* loc */
	I_COND_WAIT,   /* loc, loc2 the mutex: BEGIN, UNLOCK, WOKEN, LOCK */
	I_SIGNAL,      /* loc */
	I_BROADCAST,   /* loc */
	I_TIMEDWAIT,   /* reg (1: timed out), loc, loc2 the mutex: BEGIN, UNLOCK, LEAVE, LOCK */
	I_RDLOCK,      /* loc */
	I_WRLOCK,      /* loc */
	I_TRYRDLOCK,   /* reg (1: taken), loc */
	I_TRYWRLOCK,   /* reg (1: taken), loc */
	I_RWUNLOCK,    /* loc */
	I_WRASK,       /* loc: before WRASKED */
	I_WRASKED,     /* loc */
	I_BARRIER,     /* loc, a.k threads of a round: ARRIVE, PASS */
	I_FUTEX_LOOK,  /* loc: before WAIT and MOVE */
	I_FUTEX_WAIT,  /* loc, a.k word (0 to 2), b.k bits (1 to 3): goes to sleep */
	I_FUTEX_WOKEN, /* loc, a.k 1: in a timed wait; goes on when taken out */
	I_FUTEX_WAKE,  /* loc, a.k word, b.k bits, order: how many */
	I_FUTEX_MOVE,  /* loc, a.k from, b.k to (not from), order: wakes, order_fail: moves */
	I_TAKE,        /* reg, loc, a how many */
	I_TRYTAKE,
	I_ADD, /* reg, loc, a how many, b at most */
	I_TRYADD,
	I_CLOSE, /* loc, order: COUNT_NO_WRITER (1), COUNT_NO_READER (2) */
	I_OPEN,  /* loc */
	I_LOOK,  /* reg, loc */
	I_READY, /* reg, loc, order: COUNT_READABLE, COUNT_WRITABLE, b at most */
	/* Sets of epoll, of two places; SET_* below. TAKE and TRYTAKE: reg, loc, a what they wait for, b 1: in
	 * a timed wait; MARK: which, order: enum ready_key; RELEASE: a clears, b sets */
	I_SET_TAKE,
	I_SET_TRYTAKE,
	I_SET_LOCK,
	I_SET_MARK,
	I_SET_RELEASE,
	I_CHOOSE, /* reg, a.k how many */
	I_KINDS
};

enum cmp {
	CMP_EQ,
	CMP_NE,
	CMP_LT,
	CMP_LE
};

/* The state of a set, in one number: two bits each of what is listed, enabled, and asks for either key. */
enum {
	SET_LISTED = 3,
	SET_ANY = 3 << 2,
	SET_IN = 3 << 4,
	SET_OUT = 3 << 6,
	SET_BUSY = 1 << 8,
	SET_FOREIGN = 1 << 9
};

/* k plus up to two registers (-1: none). */
struct expr {
	int8_t reg[2];
	int32_t k;
};

struct insn {
	uint8_t kind, order, order_fail, cmp;
	int8_t reg, loc, loc2;
	int16_t jump; /* IF: its ELSE or ENDIF; ELSE: ENDIF; LOOP, BREAK_IF: ENDLOOP; ENDLOOP: LOOP */
	struct expr a, b;
};

struct script_thread {
	int n, nregs;
	struct insn code[SCRIPT_INSNS];
	uint32_t live[SCRIPT_INSNS + 1]; /* registers that code from here on may use */
	char reg_name[SCRIPT_REGS][SCRIPT_SHORT];
};

struct script_loc {
	uint8_t kind;
	bool plain; /* some access is not atomic */
	int32_t init;
	char name[SCRIPT_SHORT];
};

struct script {
	char name[SCRIPT_NAME];
	int nthreads, nlocs;
	bool loops, asserts, plain; /* set by script_link() */
	bool gives_any;             /* threads may give mutexes back that they do not hold */
	struct script_loc loc[SCRIPT_LOCS];
	struct script_thread thread[SCRIPT_THREADS];
};

static inline struct expr expr_const(int32_t k)
{
	return (struct expr){ .reg = { -1, -1 }, .k = k };
}

static inline struct expr expr_reg(int reg, int32_t k)
{
	return (struct expr){ .reg = { (int8_t)reg, -1 }, .k = k };
}

void script_init(struct script *s, const char *name);
/* Index of the location, register or thread; new ones are made, a full table aborts. */
int script_loc(struct script *s, enum loc_kind kind, const char *name, int32_t init);
int script_reg(struct script *s, int t, const char *name);
int script_thread(struct script *s);
/* Appends an instruction and returns it, zeroed but for its kind, locations and registers. */
struct insn *script_add(struct script *s, int t, enum insn_kind kind);

void script_read(struct script *s, int t, int reg, int loc, enum mem_order order);
void script_write(struct script *s, int t, int loc, struct expr a, enum mem_order order);
void script_rmw(struct script *s, int t, enum insn_kind kind, int reg, int loc, struct expr a,
		enum mem_order order);
void script_cas(struct script *s, int t, int reg, int loc, struct expr expected,
		struct expr desired, enum mem_order order, enum mem_order order_fail);
void script_fence(struct script *s, int t, enum mem_order order);
void script_set(struct script *s, int t, int reg, struct expr a);
void script_cond(struct script *s, int t, enum insn_kind kind, enum cmp cmp, struct expr a,
		 struct expr b);
/* LOCK UNLOCK SEM_WAIT SEM_POST SIGNAL BROADCAST RDLOCK WRLOCK RWUNLOCK (reg -1), TRYLOCK
 * SEM_TRYWAIT TRYRDLOCK TRYWRLOCK */
void script_lib(struct script *s, int t, enum insn_kind kind, int reg, int loc);
void script_cond_wait(struct script *s, int t, int cond, int mutex);
/* TIMEDWAIT; BARRIER (n threads a round) */
void script_timedwait(struct script *s, int t, int reg, int cond, int mutex);
void script_barrier(struct script *s, int t, int barrier, int n);
void script_choose(struct script *s, int t, int reg, int n);
/* FUTEX_LOOK, _WAIT, _WOKEN, _WAKE, _MOVE; what a, b, wakes and moves mean: above. */
void script_futex(struct script *s, int t, enum insn_kind kind, int loc, const int arg[4]);

/* TAKE to READY: order stands for flags. */
void script_count(struct script *s, int t, enum insn_kind kind, int reg, int loc, const int arg[3]);

/*
 * Finds jumps, live registers and the flags of the script. False when the structure is
 * broken or a mutex is unlocked that this thread does not hold for certain.
 */
bool script_link(struct script *s);

/* Registers read by an instruction, as a set. */
uint32_t insn_uses(const struct insn *in);

void script_print(const struct script *s, FILE *f);
const char *order_name(enum mem_order order);

/*
 * Makes the smallest program it can find for which differs() still holds, by dropping
 * threads and instructions and weakening orders. s must be linked and differ.
 */
void script_shrink(struct script *s, bool (*differs)(const struct script *s, void *ctx), void *ctx);

#endif

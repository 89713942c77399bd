/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.h - a random program: what the C printer and the oracle both work from
 *
 * Threads work on a few atomic locations, mutexes, a condition variable, plain variables that a
 * mutex protects (but see races), and registers of their own. A register is a variable of one thread; where it
 * is kept (on the stack, in a bit-field, behind pthread_setspecific(), ...) concerns only the
 * printed program. The main thread creates all others, joins them, and reads every location.
 *
 * Statements stand in one array and name each other by number (0: none), so that a program is
 * copied by assignment. All values stay within 0 ... 127.
 */
#ifndef TESTS_RANDOM_PROGRAM_H
#define TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	MAX_THREADS = 4,
	MAX_REGS = 8,
	MAX_LOCS = 4,
	MAX_MUTEXES = 2,
	MAX_PLAIN = 2,
	MAX_STMTS = 120
};

enum order {
	RLX,
	ACQ,
	REL,
	ACQ_REL,
	SC,
	PLAIN /* no atomic access at all */
};

/* Where a register is kept. */
enum place {
	IN_LOCAL,
	IN_VOLATILE,
	IN_ARRAY,     /* of the stack */
	IN_ADDRESSED, /* its address is out */
	IN_BITS,      /* a bit-field */
	IN_STATIC,
	IN_TLS,
	IN_HEAP,
	IN_KEY,    /* pthread_setspecific() */
	IN_TSS,    /* tss_set() */
	IN_UNSEEN, /* written by a function that is not instrumented */
	IN_ASM,    /* written by inline assembly */
	IN_WIDE,   /* text made by swprintf() */
	IN_MBS,    /* text made by mbstowcs() */
	IN_SEEK,   /* the position of a file */
	IN_STREAM, /* the position of a stream */
	IN_QUEUE,  /* which node insque() put there */
	IN_FREXP,  /* stored by frexp() */
	IN_SWAB,   /* stored by swab() */
	PLACES
};

struct operand {
	bool is_reg;
	int8_t v; /* a constant, or a register */
};

enum compare {
	IS_EQ,
	IS_NE,
	IS_GE,
	IS_LT
};

struct term {
	uint8_t reg, cmp;
	struct operand with;
};

enum join {
	ALONE,
	AND,
	OR
};

struct cond {
	struct term a, b;
	uint8_t join;
};

enum stmt_kind {
	ST_NONE,
	ST_LOAD,  /* reg = loc */
	ST_STORE, /* loc = arg */
	ST_RMW,   /* reg = loc, loc = fn(loc, arg) */
	ST_CAS,   /* reg2 = loc, reg = (loc == expected), loc = arg if so */
	ST_FENCE,
	ST_SET,     /* reg = fn(arg, expected) */
	ST_IF,      /* cond, body, other */
	ST_LOOP,    /* body; bound: so many rounds at most, counted in reg; 0: no bound */
	ST_BREAK,   /* leaves the loop around it if cond */
	ST_LOCKED,  /* body, with the mutex loc; fn: enum share */
	ST_TRYLOCK, /* reg = taken?; then body with the mutex loc, else other; fn likewise */
	ST_WAIT,    /* for the condition variable, within ST_LOCKED of mutex 0 */
	ST_SIGNAL,
	ST_BROADCAST,
	ST_PLOAD, /* reg = plain variable loc, which mutex 0 protects */
	ST_PSTORE,
	ST_CALL,    /* body, in a function of its own */
	ST_PUBLISH, /* stores the address of loc, which is on the stack of this thread */
	ST_YIELD,
	/* What does nothing, and has heddle learn about the program: */
	ST_CROWD,  /* looks at what nobody writes, at more than 2,048 places in the code */
	ST_REQUEUE /* moves all who sleep at a futex, none, to another one */
};

enum rmw_fn {
	FN_XCHG,
	FN_ADD,
	FN_OR,
	FN_AND,
	FN_XOR
};

enum set_fn {
	SET_MOVE, /* arg */
	SET_ADD,  /* (arg + expected) & 7 */
	SET_XOR,
	SET_UP,  /* arg + 1, but not beyond expected */
	SET_SAME /* arg == expected */
};

/* What stands for a mutex. */
enum lock {
	LOCK_MUTEX,
	LOCK_SPIN,
	LOCK_RW,
	LOCK_RW_WRITERS, /* prefers them */
	LOCK_SEM,
	LOCK_SEM_TWO, /* lets two in */
	LOCKS
};

/* Of a read-write lock. */
enum share {
	SHARE_NONE,
	SHARE_READ
};

/* How a loop is written down. */
enum loop_form {
	LOOP_FOR,
	LOOP_WHILE,
	LOOP_DO,
	LOOP_GOTO,
	LOOP_SWITCH,
	LOOP_RECURSION, /* with a bound only */
	LOOP_HELPER,    /* the loop stands in a function of its own */
	LOOP_FORMS
};

struct stmt {
	uint8_t kind, loc, reg, reg2, order, order_fail, fn, form, bound;
	uint8_t body, other, next;
	bool fixed; /* without it the program would not be right */
	struct operand arg, expected;
	struct cond cond;
};

/* Where a location is. */
enum home {
	HOME_STATIC,
	HOME_MAIN, /* on the main thread's stack */
	HOME_HEAP,
	HOME_THREAD /* + t: on the stack of thread t, which tells the others, and waits for them */
};

struct thread {
	uint8_t body, nregs, outs; /* outs: bit r for register r */
	uint8_t place[MAX_REGS];
};

struct program {
	uint64_t seed;
	const char *style;
	bool sc_accesses; /* some access (not only fences) is sc */
	bool as_graph;    /* rc11: take the oracle for sc accesses in any case */
	bool races; /* plain variables need no mutex, and location 0 has plain accesses, too */
	uint8_t nthreads, nlocs, nmutexes, nplain, nstmts;
	bool cond, crowd;
	int8_t init[MAX_LOCS];
	uint8_t lock[MAX_MUTEXES]; /* enum lock */
	uint8_t type[MAX_LOCS], home[MAX_LOCS];
	struct thread t[MAX_THREADS];
	struct stmt s[MAX_STMTS];
};

/* ---- generate.c ---- */

const char *style_name(int style);
int style_count(void);

/* The program of a style and a seed: always the same. */
void program_generate(struct program *p, int style, uint64_t seed);

/*
 * Does a loop without a bound set a register where heddle cannot compare it? Such a loop is followed
 * for many rounds, and what is said of it then is "inconclusive".
 */
bool has_untold_loop(const struct program *p);

/* Looks once more at what holds of the whole program (sc_accesses). */
void program_update(struct program *p);

/* ---- print.c: as C; the names of everything begin with p<number>_ ---- */

void print_head(FILE *f);
void print_program(FILE *f, const struct program *p, int number);
void print_main(FILE *f, int nprograms);

#endif

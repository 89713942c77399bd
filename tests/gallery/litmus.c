/* SPDX-License-Identifier: BSD-2-Clause */
/* litmus.c - what does a memory model allow? ./litmus NAME fails where threads that take turns could not end so */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#ifdef SC
#define LOAD  memory_order_seq_cst
#define STORE memory_order_seq_cst
#elif defined(RA)
#define LOAD  memory_order_acquire
#define STORE memory_order_release
#else
#define LOAD  memory_order_relaxed
#define STORE memory_order_relaxed
#endif
#define R(object)        atomic_load_explicit(&object, LOAD)
#define W(object, value) atomic_store_explicit(&object, value, STORE)

static atomic_int x, y; /* 0 in the beginning */
static int a, b, c, d;  /* what threads have read */

/* clang-format off */
/* sb, store buffering: both look before the other's store is there */
static void sb0(void) { W(x, 1); a = R(y); }
static void sb1(void) { W(y, 1); b = R(x); }
static int sb(void) { return a == 0 && b == 0; }

/* mp, message passing: the flag is there, the message is not */
static void mp0(void) { W(x, 1); W(y, 1); }
static void mp1(void) { a = R(y); b = R(x); }
static int mp(void) { return a == 1 && b == 0; }

/* lb, load buffering: each reads what the other stores later */
static void lb0(void) { a = R(y); W(x, 1); }
static void lb1(void) { b = R(x); W(y, 1); }
static int lb(void) { return a == 1 && b == 1; }

/* wrc, write to read causality: a message is passed on, and what it is about is not there */
static void wrc0(void) { W(x, 1); }
static void wrc1(void) { a = R(x); W(y, 1); }
static void wrc2(void) { b = R(y); c = R(x); }
static int wrc(void) { return a == 1 && b == 1 && c == 0; }

/* iriw, independent reads of independent writes: two readers disagree which of two stores came first */
static void iriw0(void) { W(x, 1); }
static void iriw1(void) { W(y, 1); }
static void iriw2(void) { a = R(x); b = R(y); }
static void iriw3(void) { c = R(y); d = R(x); }
static int iriw(void) { return a == 1 && b == 0 && c == 1 && d == 0; }

/* 2+2w, two writes each: the first store of each thread is what remains */
static void ww0(void) { W(x, 1); W(y, 2); }
static void ww1(void) { W(y, 1); W(x, 2); }
static int ww(void) { return x == 1 && y == 1; }

/* corr, coherence: two reads of one object, the second of which finds an older value */
static void corr0(void) { W(x, 1); }
static void corr1(void) { a = R(x); b = R(x); }
static int corr(void) { return a == 1 && b == 0; }

/* corr2: two readers disagree on the order of the stores to one object */
static void corr20(void) { W(x, 1); }
static void corr21(void) { W(x, 2); }
static void corr22(void) { a = R(x); b = R(x); }
static void corr23(void) { c = R(x); d = R(x); }
static int corr2(void) { return a == 1 && b == 2 && c == 2 && d == 1; }

/* rseq, release sequence: message passing, where the flag is stored again before it is seen */
static void rseq0(void) { W(x, 1); W(y, 1); atomic_store_explicit(&y, 2, memory_order_relaxed); }
static void rseq1(void) { a = R(y); b = R(x); }
static int rseq(void) { return a == 2 && b == 0; }
/* clang-format on */

static const struct {
	const char *name;
	void (*thread[4])(void);
	int (*weak)(void);
} tests[] = {
	{ "sb", { sb0, sb1 }, sb },
	{ "mp", { mp0, mp1 }, mp },
	{ "lb", { lb0, lb1 }, lb },
	{ "wrc", { wrc0, wrc1, wrc2 }, wrc },
	{ "iriw", { iriw0, iriw1, iriw2, iriw3 }, iriw },
	{ "2+2w", { ww0, ww1 }, ww },
	{ "corr", { corr0, corr1 }, corr },
	{ "corr2", { corr20, corr21, corr22, corr23 }, corr2 },
	{ "rseq", { rseq0, rseq1 }, rseq },
};

static void *run(void *function)
{
	(*(void (*const *)(void))function)();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[4];
	unsigned t = 0, n = 0;

	while (t < sizeof(tests) / sizeof(tests[0]) && (argc < 2 || strcmp(tests[t].name, argv[1])))
		t++;
	assert(t < sizeof(tests) / sizeof(tests[0]));
	for (; n < 4 && tests[t].thread[n]; n++)
		pthread_create(&thread[n], NULL, run, (void *)&tests[t].thread[n]);
	while (n--)
		pthread_join(thread[n], NULL);
	assert(!tests[t].weak());
	return 0;
}

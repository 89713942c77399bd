/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * incremental.c - times consistency checks while an execution grows
 *
 *	incremental time PATTERN THREADS EVENTS [RUNS]
 *	incremental check SEQUENCES [SEED]
 *
 * Patterns are those of Figure 11 of "Optimal Reads-From Consistency Checking for C11-Style
 * Memory Models" (PLDI 2023, Section B.2), under ra. t and u are single threads, t1..tk many;
 * what grows with EVENTS is the part with dots:
 *
 *	a	t: w(x). ti: r(x) from it, w(x). t: rmw(x) ...
 *	b	t: w(x) rmw(x) ... ti: w(x), r(x) from t's first
 *	c	u: w(x) w(y). t: r(y), w(x) ... ti: w(x), r(x) from u
 *	d	t: w(x) w(y) w(x) ... u: r(y), w(x) ...
 *	e	ti: w(x). t: r(x) from each, w(x), rmw(x) ...
 *
 * and one of our own, in which a clock that is not closed has to be carried on all the same:
 *
 *	s	t: w(x) ... ti: w(x), r(x) from t's first; w(x), r(x) from the second; ...
 *
 * `time` prints the least CPU seconds of some runs: of hbmo (heddle's incremental checker, without
 * its log, as random testing has it), and of the order kept closed. The events and their
 * hb clocks, which both need, are there before; each read is asked about its write as soon as
 * the events before it are in.
 *
 * `check` compares both on random sequences with the axioms themselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/prng.h"
#include "incremental_check.h"
#include "incremental_closed.h"

enum {
	X,
	Y
};

static size_t bytes_for(uint32_t capacity)
{
	return graph_bytes(capacity, HEDDLE_EXPLORED_THREADS) + (1 << 20);
}

void graph_done(struct graph *g)
{
	munmap(g->pool, bytes_for(g->capacity));
}

void graph_begin(struct graph *g, uint32_t capacity, uint32_t threads, uint32_t locations)
{
	size_t size = bytes_for(capacity);
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct arena a = { mem, mem + size };

	must(mem != MAP_FAILED);
	memset(g, 0, sizeof(*g));
	graph_init(g, &a, SYNC_PORF, capacity, HEDDLE_EXPLORED_THREADS);
	graph_widen(g, threads);
	for (uint32_t l = 0; l < locations; l++)
		graph_location(g, 0x1000 + 8 * (uint64_t)l, 8);
}

uint32_t add_write(struct graph *g, uint32_t tid, uint32_t loc)
{
	struct event ev = { .kind = OP_STORE,
			    .flags = EV_WRITE,
			    .order = ORDER_REL,
			    .size = 8,
			    .tid = (uint8_t)tid,
			    .loc = loc,
			    .rf = RF_NONE };

	return graph_add(g, &ev);
}

uint32_t add_read(struct graph *g, uint32_t tid, uint32_t loc, uint32_t rf)
{
	struct event ev = { .kind = OP_LOAD,
			    .flags = EV_READ,
			    .order = ORDER_ACQ,
			    .size = 8,
			    .tid = (uint8_t)tid,
			    .loc = loc,
			    .rf = rf };

	return graph_add(g, &ev);
}

uint32_t add_rmw_write(struct graph *g, uint32_t read)
{
	struct event ev = g->ev[read];

	graph_label(g, read, EV_READ | EV_EXCLUSIVE, ORDER_ACQ_REL);
	ev.flags = EV_WRITE | EV_EXCLUSIVE;
	ev.order = ORDER_ACQ_REL;
	ev.rf = RF_NONE;
	return graph_add(g, &ev);
}

/* ---- Patterns ---------------------------------------------------------------------------- */

enum {
	T,
	U,
	FIRST /* t1 */
};

static void chain(struct graph *g, uint32_t from, uint32_t n)
{
	while (g->n < n)
		from = add_rmw_write(g, add_read(g, T, X, from));
}

static void chain_read_write(struct graph *g, uint32_t k, uint32_t n)
{
	uint32_t first = add_write(g, T, X);

	for (uint32_t t = FIRST; t < k; t++) {
		add_read(g, t, X, first);
		add_write(g, t, X);
	}
	chain(g, first, n);
}

static void chain_write_read(struct graph *g, uint32_t k, uint32_t n)
{
	uint32_t first = add_write(g, T, X);

	chain(g, first, n - 2 * (k - FIRST));
	for (uint32_t t = FIRST; t < k; t++) {
		add_write(g, t, X);
		add_read(g, t, X, first);
	}
}

static void new_reads(struct graph *g, uint32_t k, uint32_t n)
{
	uint32_t first = add_write(g, U, X);

	add_read(g, T, Y, add_write(g, U, Y));
	while (g->n < n - 2 * (k - FIRST))
		add_write(g, T, X);
	for (uint32_t t = FIRST; t < k; t++) {
		add_write(g, t, X);
		add_read(g, t, X, first);
	}
}

static void new_writes(struct graph *g, uint32_t k, uint32_t n)
{
	uint32_t y;

	(void)k;
	add_write(g, T, X);
	y = add_write(g, T, Y);
	while (g->n < n / 2)
		add_write(g, T, X);
	add_read(g, U, Y, y);
	while (g->n < n)
		add_write(g, U, X);
}

static void hb_aware(struct graph *g, uint32_t k, uint32_t n)
{
	uint32_t write[HEDDLE_MAX_THREADS];

	for (uint32_t t = FIRST; t < k; t++)
		write[t] = add_write(g, t, X);
	for (uint32_t t = FIRST; t < k; t++)
		add_read(g, T, X, write[t]);
	chain(g, add_write(g, T, X), n);
}

static void stairs(struct graph *g, uint32_t k, uint32_t n)
{
	uint32_t steps = n / (2 * (k - FIRST) + 1);

	for (uint32_t i = 0; i < steps; i++)
		add_write(g, T, X);
	for (uint32_t i = 0; i < steps; i++)
		for (uint32_t t = FIRST; t < k; t++) {
			add_write(g, t, X);
			add_read(g, t, X, i);
		}
}

static const struct pattern {
	char letter;
	void (*build)(struct graph *g, uint32_t k, uint32_t n);
} patterns[] = { { 'a', chain_read_write }, { 'b', chain_write_read }, { 'c', new_reads },
		 { 'd', new_writes },       { 'e', hb_aware },         { 's', stairs } };

/* ---- Timing ------------------------------------------------------------------------------ */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The graph is cut to what was there when each read was asked about; hbmo sees the rest later. */
static double time_hbmo(struct graph *g)
{
	uint32_t n = g->n, last = NO_POS;
	struct hbmo_view view;
	double start;

	hbmo_retract(g, 0);
	g->hbmo.logging = false;
	start = now();
	for (uint32_t pos = 0; pos < n; pos++) {
		if (!(g->ev[pos].flags & EV_READ))
			continue;
		g->n = pos + 1;
		hbmo_ask(&view, g, pos);
		must(hbmo_admits(&view, g, g->ev[pos].rf));
		last = pos;
	}
	g->n = n;
	hbmo_ask_within(&view, g, last);
	return now() - start;
}

static double time_closed(struct graph *g)
{
	struct closed c;
	double start, end;

	closed_init(&c, g, false);
	start = now();
	for (uint32_t pos = 0; pos < g->n; pos++) {
		if (g->ev[pos].flags & EV_READ) {
			must(closed_admits(&c, pos, g->ev[pos].rf));
			closed_observe(&c, pos);
		}
		closed_add(&c, pos);
	}
	end = now();
	closed_release(&c);
	return end - start;
}

static double least(double (*measure)(struct graph *g), struct graph *g, int runs)
{
	double best = measure(g);

	while (--runs > 0) {
		double t = measure(g);

		best = t < best ? t : best;
	}
	return best;
}

static int measure(int argc, char **argv)
{
	uint32_t k = (uint32_t)atol(argv[3]), n = (uint32_t)atol(argv[4]);
	int runs = argc > 5 ? atoi(argv[5]) : 1;
	struct graph g;

	if (k <= FIRST || k > HEDDLE_EXPLORED_THREADS || n < 4 * k)
		return 2;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		if (patterns[i].letter != argv[2][0])
			continue;
		graph_begin(&g, n + 16, k, 2);
		patterns[i].build(&g, k, n);
		printf("%u %.9f %.9f\n", g.n, least(time_hbmo, &g, runs),
		       least(time_closed, &g, runs));
		graph_done(&g);
		return 0;
	}
	return 2;
}

int main(int argc, char **argv)
{
	int status = 2;

	if (argc >= 5 && !strcmp(argv[1], "time"))
		status = measure(argc, argv);
	else if (argc >= 3 && !strcmp(argv[1], "check"))
		status = check_sequences((uint32_t)atol(argv[2]),
					 argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	if (status == 2)
		fputs("usage: incremental time PATTERN THREADS EVENTS [RUNS]\n"
		      "       incremental check SEQUENCES [SEED]\n",
		      stderr);
	return status;
}

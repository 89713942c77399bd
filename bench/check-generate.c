/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check-generate.c - times the offline checkers on executions of any size
 *
 *	check-generate MODEL ALGORITHM EVENTS THREADS SEED [RUNS [grouped|buffered]]
 *
 * prints the least CPU time of some runs, in seconds; each run is another execution, since a
 * processor learns the branches of a short one by heart. Without ALGORITHM ("-") it prints the
 * execution in the line format instead.
 *
 * An execution is a run of sequential consistency, in the order in which it ran, on 8 locations
 * that all threads share: 6 of 10 operations read, 4 write (for algorithms that take them: half
 * of those read-modify-writes), acquire and release alternating with relaxed, and for psc with
 * sc. A run of sc is consistent with every model, so that every check goes to its end.
 *
 * `grouped`: one thread after the other, as from a log per thread, so that no order of threads is
 * known and the checkers have to find one. `buffered`: a run of tso instead, recorded when each
 * write enters its thread's store buffer: not consistent with sc, and the order of the writes is
 * none that is recorded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/prng.h"
#include "offline/check.h"

static const char *const models[] = { "sc", "tso", "sra", "ra", "wra", "relaxed", "rc20", "rc11" };

enum {
	LOCATIONS = 8
};

struct shape {
	uint32_t events, threads;
	bool rmws, sc, grouped, buffered;
};

enum {
	BUFFER = 4
};

/* A write, as reads name it. */
struct written {
	uint32_t loc, tid, index;
};

/* Of a thread: writes that the others do not see yet, the oldest first. */
struct buffer {
	struct written write[BUFFER];
	uint32_t n;
};

struct machine {
	struct written memory[LOCATIONS];
	struct buffer *buffers;
	uint32_t *next; /* index of each thread's next event */
};

static void flush(struct machine *m, uint32_t tid, uint32_t keep)
{
	struct buffer *b = &m->buffers[tid];

	while (b->n > keep) {
		m->memory[b->write[0].loc] = b->write[0];
		memmove(b->write, b->write + 1, --b->n * sizeof(*b->write));
	}
}

static struct written look_up(const struct machine *m, uint32_t tid, uint32_t loc)
{
	const struct buffer *b = &m->buffers[tid];

	for (uint32_t i = b->n; i-- > 0;)
		if (b->write[i].loc == loc)
			return b->write[i];
	return m->memory[loc];
}

/* The event happens; without buffers every write goes to memory at once. */
static void perform(struct machine *m, struct execution_event *ev, bool buffered)
{
	struct buffer *b = &m->buffers[ev->tid];
	struct written source;

	if (ev->kind == EX_RMW)
		flush(m, ev->tid, 0);
	source = look_up(m, ev->tid, ev->loc);
	ev->rf_tid = source.tid;
	ev->rf_index = source.index;
	if (ev->kind & EX_WRITE) {
		flush(m, ev->tid, BUFFER - 1);
		b->write[b->n++] = (struct written){ ev->loc, ev->tid, m->next[ev->tid] };
		if (!buffered || ev->kind == EX_RMW || ev->order == ORDER_SC)
			flush(m, ev->tid, 0);
	}
	m->next[ev->tid]++;
}

/* Thread by thread. */
static void add_grouped(struct execution *x, const struct execution_event *ev,
			const struct shape *s)
{
	for (uint32_t t = 0; t < s->threads; t++)
		for (uint32_t i = 0; i < s->events; i++)
			if (ev[i].tid == t)
				execution_add(x, &ev[i]);
}

static void generate(struct execution *x, const struct shape *s, uint64_t seed)
{
	static const uint8_t reads[] = { ORDER_ACQ, ORDER_RLX, ORDER_SC };
	static const uint8_t writes[] = { ORDER_REL, ORDER_RLX, ORDER_SC };
	static const uint8_t both[] = { ORDER_ACQ_REL, ORDER_RLX, ORDER_SC };
	uint32_t n = s->events, k = s->threads;
	struct machine m = { .buffers = calloc(k, sizeof(*m.buffers)),
			     .next = calloc(k, sizeof(*m.next)) };
	struct execution_event *all = s->grouped ? malloc(n * sizeof(*all)) : NULL;
	struct execution_error e;

	execution_init(x);
	for (uint32_t l = 0; l < LOCATIONS; l++) {
		char name[16];
		int len = snprintf(name, sizeof(name), "x%u", l);

		execution_location(x, name, (size_t)len);
		m.memory[l].tid = EX_INIT;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t dice = prng_below(&seed, 10), flip = prng_below(&seed, s->sc ? 3 : 2);
		struct execution_event ev = { .tid = prng_below(&seed, k),
					      .loc = prng_below(&seed, LOCATIONS) };

		ev.kind = dice < 6 ? EX_READ : s->rmws && dice < 8 ? EX_RMW : EX_WRITE;
		ev.order = (ev.kind == EX_READ ? reads : ev.kind == EX_RMW ? both : writes)[flip];
		perform(&m, &ev, s->buffered);
		if (all)
			all[i] = ev;
		else
			execution_add(x, &ev);
	}
	if (all)
		add_grouped(x, all, s);
	if (!execution_finish(x, &e))
		abort();
	free(all);
	free(m.buffers);
	free(m.next);
}

static void print(const struct execution *x)
{
	static const char *const orders[] = { "na", "rlx", "acq", "rel", "acq_rel", "sc" };

	puts("heddle-execution 1");
	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t rf = x->rf[e];

		if (!e || x->tid[e] != x->tid[e - 1])
			printf("thread %u\n", x->tid[e]);
		printf("%c %s %s", " rwu"[x->kind[e]], x -> name[x->loc[e]], orders[x->order[e]]);
		if (rf == EX_INIT)
			fputs(" init", stdout);
		else if (rf != EX_NONE)
			printf(" %u.%u", x->tid[rf], execution_index(x, rf));
		putchar('\n');
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const struct checker *c;
	struct execution x;
	struct shape shape;
	double best = 1e9;
	int m = 0, runs;

	if (argc < 6) {
		fputs("usage: check-generate MODEL ALGORITHM EVENTS THREADS SEED "
		      "[RUNS [grouped|buffered]]\n",
		      stderr);
		return 2;
	}
	while (m < MODEL_COUNT && strcmp(argv[1], models[m]))
		m++;
	c = checker_find(argv[2]);
	if (m == MODEL_COUNT || (!c && strcmp(argv[2], "-")))
		return 2;
	shape.events = (uint32_t)atol(argv[3]);
	shape.threads = (uint32_t)atol(argv[4]);
	shape.rmws = !c || !c->rmw_free;
	shape.sc = c && c->check == check_psc;
	shape.buffered = argc > 7 && !strcmp(argv[7], "buffered");
	shape.grouped = argc > 7 && !strcmp(argv[7], "grouped");
	if (!c) {
		generate(&x, &shape, strtoull(argv[5], NULL, 0));
		print(&x);
		return 0;
	}
	runs = argc > 6 ? atoi(argv[6]) : 1;
	for (int i = 0; i < runs; i++) {
		struct verdict v;
		double start, end;
		bool ok;

		generate(&x, &shape, strtoull(argv[5], NULL, 0) + (uint64_t)i);
		start = now();
		ok = c->check(&x, (enum engine_model)m, false, &v);
		end = now() - start;
		if (!ok || !v.consistent) {
			puts(ok ? "inconsistent" : "too large");
			return 1;
		}
		verdict_release(&v);
		execution_release(&x);
		best = end < best ? end : best;
	}
	printf("%.9f\n", best);
	return 0;
}

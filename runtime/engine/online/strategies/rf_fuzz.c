/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rf_fuzz.c - strategy `rf-fuzz`: greybox fuzzing of who reads from whom (Wolff et al., ASPLOS 2024)
 *
 * An execution shows pairs of places in the code: one reads what the other has written. What has shown a new pair is worth to be tried
 * again, in variations. So each execution is given an abstract schedule (wire/corpus.h): one of the corpus, the less often
 * chosen the likelier, with one or two changes. A thread that is about to do a read that the schedule speaks of goes ahead
 * when the last write is one that it wants, and waits otherwise; the read observes a write that it wants, if it may. All else
 * is drawn as by `random`, and in one of FREE times these, too; one in four executions has no schedule. So each
 * execution is possible.
 *
 * If it shows a new pair, its schedule goes into the corpus, with that pair.
 */
#include "engine/online/strategies/chooser.h"

#include <string.h>

#include "engine/run/run.h"
#include "engine/run/sets.h"

enum {
	FREE = 16,
	NO_SCHEDULE = 4, /* one in so many executions */
	FULL = FUZZ_SLOTS / 4 * 3
};

/* ---- Names, and pairs ------------------------------------------------------------------------------- */

static uint64_t name_of(struct choices *c, uint64_t pc)
{
	const struct engine_config *config = &c->e->config;
	struct fuzz_name *slot = &c->fuzz->name[(pc ^ pc >> 10) % FUZZ_NAMES];

	if (!config->code)
		return pc;
	if (slot->pc != pc)
		*slot = (struct fuzz_name){ .pc = pc, .name = config->code(config->ctx, pc) };
	return slot->name;
}

/* The place of the write; RF_INIT: 0. */
static uint64_t writer(struct choices *c, uint32_t write)
{
	return write == RF_INIT ? 0 : name_of(c, c->e->graph.ev[write].pc);
}

static struct fuzz_seen *slot_of(struct fuzz *f, uint64_t write, uint64_t read)
{
	uint64_t mix = write * 0x9e3779b97f4a7c15u ^ read;
	uint32_t i = (uint32_t)(prng_next(&mix) % FUZZ_SLOTS);

	while (f->seen[i].used && (f->seen[i].write != write || f->seen[i].read != read))
		i = (i + 1) % FUZZ_SLOTS;
	return &f->seen[i];
}

/* Is the pair seen for the first time? */
static bool see(struct fuzz *f, uint64_t write, uint64_t read)
{
	struct fuzz_seen *s = slot_of(f, write, read);

	if (s->used || f->nseen == FULL)
		return false;
	*s = (struct fuzz_seen){ .write = write, .read = read, .used = true };
	f->order[f->nseen++] = (uint32_t)(s - f->seen);
	return true;
}

/* ---- The schedule of an execution -------------------------------------------------------------------- */

static void drop(struct corpus_entry *s, uint64_t i)
{
	s->pair[i] = s->pair[--s->n];
}

static void mutate(struct choices *c, struct corpus_entry *s)
{
	const struct fuzz *f = c->fuzz;
	uint32_t what = prng_below(c->random, 4);
	uint64_t i = s->n ? prng_below(c->random, (uint32_t)s->n) : 0;
	const struct fuzz_seen *seen;

	if (s->n && what == 0) {
		drop(s, i);
	} else if (s->n && what == 1) {
		s->pair[i].never ^= 1;
	} else if (f->nseen) {
		seen = &f->seen[f->order[prng_below(c->random, f->nseen)]];
		i = s->n == CORPUS_PAIRS ? i : s->n++;
		s->pair[i] = (struct corpus_pair){ .write = seen->write,
						   .read = seen->read,
						   .never = prng_below(c->random, 2) };
	}
}

static void rf_fuzz_begin(struct choices *c)
{
	struct fuzz *f = c->fuzz;
	uint32_t n = (uint32_t)f->corpus.n, a, b;

	f->wants.n = f->fresh = 0;
	f->picked = NO_POS;
	if (!prng_below(c->random, NO_SCHEDULE))
		return;
	if (n) {
		a = prng_below(c->random, n);
		b = prng_below(c->random, n);
		a = f->chosen[b] < f->chosen[a] ? b : a;
		f->chosen[a]++;
		f->picked = a;
		f->wants = f->corpus.entry[a];
	}
	for (uint32_t times = 1 + prng_below(c->random, 2); times--;)
		mutate(c, &f->wants);
}

/* ---- What it wants ------------------------------------------------------------------------------------- */

enum wish {
	WISH_NONE,
	WISH_YES,
	WISH_NO
};

/* Is that place to read what this one writes? */
static enum wish wish(const struct corpus_entry *s, uint64_t read, uint64_t write)
{
	enum wish found = WISH_NONE;

	for (uint64_t i = 0; i < s->n; i++) {
		const struct corpus_pair *p = &s->pair[i];

		if (p->read != read)
			continue;
		if ((p->write == write) != p->never) {
			found = p->never ? found : WISH_YES;
			continue;
		}
		if (found != WISH_YES)
			found = WISH_NO;
	}
	return found;
}

/* Of a thread that waits: is what it would read, the last write, wanted there? */
static enum wish wish_of(struct choices *c, uint32_t tid)
{
	const struct graph *g = &c->e->graph;
	const struct op *op = &c->e->thread[tid].pending;
	uint32_t loc;

	if (!op->size || !op_reads(op))
		return WISH_NONE;
	loc = graph_find_location(g, op->addr, op->size);
	return wish(&c->fuzz->wants, name_of(c, op->pc),
		    loc == NO_LOC ? 0 : writer(c, g->locs[loc].mo_last));
}

static uint32_t rf_fuzz_thread(struct choices *c, const struct thread_set *set, bool first)
{
	struct thread_set go = { 0 }, rest;

	if (!first || !c->fuzz->wants.n || !prng_below(c->random, FREE))
		return set_draw(set, c->random);
	thread_set_copy(&rest, set);
	THREAD_SET_EACH(tid, set) {
		enum wish w = wish_of(c, tid);

		if (w == WISH_YES)
			thread_set_add(&go, tid);
		else if (w == WISH_NO)
			thread_set_remove(&rest, tid);
	}
	if (thread_set_any(&go))
		return set_draw(&go, c->random);
	return set_draw(thread_set_any(&rest) ? &rest : set, c->random);
}

/* Does the schedule speak of the read that the thread does? */
static bool is_spoken_of(struct choices *c, uint32_t tid)
{
	const struct corpus_entry *s = &c->fuzz->wants;
	uint64_t read = s->n ? name_of(c, c->e->thread[tid].pending.pc) : 0, i = 0;

	while (i < s->n && s->pair[i].read != read)
		i++;
	return i < s->n;
}

static enum sees rf_fuzz_sees(struct choices *c, uint32_t tid)
{
	return is_spoken_of(c, tid) && prng_below(c->random, FREE) ? SEES_WANTED : SEES_ANY;
}

static bool rf_fuzz_wants(struct choices *c, const struct event *read, uint32_t write)
{
	return wish(&c->fuzz->wants, name_of(c, read->pc), writer(c, write)) != WISH_NO;
}

/* ---- What it learns ------------------------------------------------------------------------------------ */

void fuzz_sees(struct choices *c, const struct happening *h)
{
	const struct event *ev = h->ev;
	struct fuzz *f = c->fuzz;
	struct corpus_pair pair;

	if (!ev->size || !(ev->flags & EV_READ) || ev->rf == RF_NONE || h->spins)
		return;
	pair = (struct corpus_pair){ .write = writer(c, ev->rf), .read = name_of(c, ev->pc) };
	if (see(f, pair.write, pair.read) && !f->fresh++)
		f->first = pair;
}

/* The one that was chosen most often makes room. */
static uint32_t room(const struct fuzz *f)
{
	uint32_t most = 0;

	if (f->corpus.n < CORPUS_MOST)
		return (uint32_t)f->corpus.n;
	for (uint32_t i = 0; i < CORPUS_MOST; i++)
		if (f->chosen[i] > f->chosen[most])
			most = i;
	return most;
}

void fuzz_again(struct fuzz *f)
{
	/* In the order of their being put there, the last first: so nothing is behind a gap. */
	while (f->nseen > f->seen_before)
		f->seen[f->order[--f->nseen]].used = false;
	if (f->picked != NO_POS)
		f->chosen[f->picked]--;
	f->picked = NO_POS;
}

void fuzz_learns(struct choices *c)
{
	struct fuzz *f = c->fuzz;
	uint32_t i;

	if (!f->fresh)
		return;
	if (f->wants.n < CORPUS_PAIRS)
		f->wants.pair[f->wants.n++] = f->first;
	i = room(f);
	f->corpus.n += i == f->corpus.n;
	f->corpus.entry[i] = f->wants;
	f->chosen[i] = 0;
}

void fuzz_give(struct fuzz *f, const struct corpus *given)
{
	f->given = 0;
	for (uint64_t i = 0; i < given->n && i < CORPUS_MOST; i++)
		if (given->entry[i].n <= CORPUS_PAIRS)
			f->corpus.entry[f->given++] = given->entry[i];
}

void fuzz_begin(struct fuzz *f)
{
	memset(f->seen, 0, sizeof(f->seen));
	memset(f->chosen, 0, sizeof(f->chosen));
	f->nseen = 0;
	f->corpus.n = f->given;
	for (uint64_t i = 0; i < f->corpus.n; i++)
		for (uint64_t k = 0; k < f->corpus.entry[i].n; k++)
			see(f, f->corpus.entry[i].pair[k].write, f->corpus.entry[i].pair[k].read);
}

const struct chooser chooser_rf_fuzz = {
	.memory = MEMORY_ANY,
	.begin = rf_fuzz_begin,
	.thread = rf_fuzz_thread,
	.sees = rf_fuzz_sees,
	.wants = rf_fuzz_wants,
	.happened = fuzz_sees,
	.over = fuzz_learns,
};

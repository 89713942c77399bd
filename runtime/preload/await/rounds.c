/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds.c - races that only rounds of loops are in which the redundant-round rule leaves out
 *
 * What the rule leaves out has the same final states (await.txt), but it may have races that nothing else
 * has. Steps of the proof in await.txt:
 *
 *	L1	A thread that waits does not look in vain (engine/run/await.c). Its look might race with a plain
 *		write, or free(), of the location, which what it reads when it goes on is ordered behind.
 *		So when it arrives, and when others write plainly where it waits, that is asked; and if it
 *		might be, the threads that wait at that location are followed from then on (FACT_LOOKED_AT),
 *		and look in vain as often as the program does.
 *	L2	An access of a round may race with one that comes behind the loop in po u rf, but not in hb:
 *		under relaxed, rc20 and rc11. It cannot if the thread has done the same access before the
 *		round, and has released nothing since, or does it again with the operation that stays.
 *		Other accesses of rounds that are left out are noted (FACT_TOUCHED). Does another thread
 *		access such memory, so that they conflict, when it comes behind the first one in po u rf
 *		and not in hb, then rounds with such accesses are kept, once (FACT_KEPT_ROUNDS): the next
 *		round has done the same before. What sends the first one round may be written last, so that is
 *		asked again in the end of an execution. Of atomic accesses it is not asked whether they come behind: rounds
 *		are kept that read plainly what another thread writes atomically, or write what it accesses so. (Where
 *		races are no bugs, plain accesses of such a location become operations instead: what a round writes may be read.)
 *
 * Most accesses of such rounds are to memory that nobody else touches, or only reads: constants of the
 * program, parameters, nodes of its own. These cost nothing but the notes. To keep all rounds costs executions.
 *
 * What was accessed before somebody noted it is known by filters: by a hash of the address, the threads behind which it was, in
 * po u rf and not in hb. If one tells of a conflict, the search starts again. Each worker asks its own filter of what others noted, also what was
 * accessed in children that are gone.
 */
#include "preload/await/rounds.h"

#include <string.h>

#include "base/table.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/await/rounds_left_out.h"
#include "preload/code/modules.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"
#include "preload/race/beside.h"
#include "preload/race/memo_shared.h"
#include "preload/race/shadow.h"

enum {
	NOTED_BITS = 16, /* of the table of granules and threads */
	CAUSES = 6,      /* of one granule and thread, that are told apart */
	LATER = 1024,    /* accesses of an execution that are asked about in its end */
	LOCATIONS = 256  /* locations, likewise */
};

LASTING(struct round_filters, rounds_filters);
bool rounds_counted, rounds_watched, rounds_weak;
KEPT(rounds_watched);
KEPT(rounds_weak);

/*
 * What a note says besides the granule, as the argument of a fact: whether it is written, which bytes, the thread, and, as a
 * hash, the loop (the place in the code of the operation that stays) and the value that sent the thread round.
 */
enum {
	BYTES_AT = 1,
	THREAD_AT = 9,
	PLAIN_AT = 15,
	CAUSE_AT = 16,
	THREAD_MASK = HEDDLE_EXPLORED_THREADS - 1,
	NO_CAUSE = 0
};
_Static_assert(HEDDLE_EXPLORED_THREADS == 1 << (PLAIN_AT - THREAD_AT), "a thread is six bits");

/* What rounds of a thread do to a granule. */
static struct noted {
	uint64_t key;           /* of granule and thread; 0: free */
	uint8_t reads, writes;  /* its bytes */
	uint8_t plain;          /* those of them that no operation accesses */
	bool any_cause;         /* more than there is room for */
	uint32_t cause[CAUSES]; /* the rest is NO_CAUSE */
} noted[1 << NOTED_BITS];
KEPT(noted);
static uint32_t nnoted, taken; /* facts that were looked at, by this process */
KEPT(nnoted);
KEPT(taken);

/*
 * Accesses of this execution that conflict with rounds of threads that they come behind, where no value was there that sends those round. One may be
 * written that does not know of them: that is asked in the end.
 */
static struct later {
	uint64_t granule;
	uint32_t tid, behind; /* when the thread had so many events */
	uint8_t bytes;
	bool write;
} later[LATER];
FRESH(later);
static uint32_t nlater;

/* Locations of this execution that rounds access plainly. */
static struct {
	uint64_t addr, size;
} located[LOCATIONS];
FRESH(located);
static uint32_t nlocated;

/* Never 0. */
static uint64_t key_of(uint64_t granule, uint32_t tid)
{
	return granule | (uint64_t)tid << 56 | 1;
}

static struct noted *noted_at(uint64_t granule, uint32_t tid)
{
	uint64_t key = key_of(granule, tid);
	struct noted *n;

	TABLE_FIND(n, noted, NOTED_BITS, table_hash(key), !n->key || n->key == key);
	return n;
}

/* The same in all processes, where addresses of modules may differ. */
static uint64_t name_of(uint64_t v)
{
	int module = module_of(v);

	return module < 0 ? v : v - shared->modules[module].base + (uint64_t)module;
}

static uint32_t cause_of(uint64_t pc, struct value v)
{
	uint64_t hash = name_of(pc) * 0x9e3779b97f4a7c15ul + name_of(v.lo) + v.hi;
	uint32_t cause = (uint32_t)(hash * 0x9e3779b97f4a7c15ul >> (32 + CAUSE_AT));

	return cause != NO_CAUSE ? cause : 1;
}

static bool has_cause(const struct noted *n, uint32_t cause)
{
	bool has = n->any_cause;

	for (uint32_t i = 0; !has && i < CAUSES && n->cause[i] != NO_CAUSE; i++)
		has = n->cause[i] == cause;
	return has;
}

static void add_cause(struct noted *n, uint32_t cause)
{
	uint32_t i = 0;

	if (has_cause(n, cause))
		return;
	while (i < CAUSES && n->cause[i] != NO_CAUSE)
		i++;
	if (i < CAUSES)
		n->cause[i] = cause;
	else
		n->any_cause = true;
}

static uint64_t all_but(uint32_t tid)
{
	return ~((uint64_t)1 << tid);
}

/* Another thread, or this process before, has such an access. */
static void keep(uint64_t granule)
{
	fact_learn_at(FACT_KEPT_ROUNDS, granule);
}

/* A note of this worker, or of another one. */
static void take_note(const struct fact *f)
{
	uint32_t tid = f->arg >> THREAD_AT & THREAD_MASK;
	uint32_t cause = f->arg >> CAUSE_AT;
	uint8_t bytes = (uint8_t)(f->arg >> BYTES_AT);
	bool write = f->arg & 1;
	struct noted *n = noted_at(f->addr, tid);

	rounds_watched = true;
	if (!n->key && table_full(nnoted, NOTED_BITS)) {
		keep(f->addr); /* no room to watch it */
		return;
	}
	if (!n->key) {
		nnoted++;
		*n = (struct noted){ .key = key_of(f->addr, tid) };
	}
	add_cause(n, cause);
	beside_round(f->addr, bytes, write, f->arg >> PLAIN_AT & 1, tid);
	if (memo_leaves_out(f->addr, tid, write))
		facts->before_end = 1;
	if (write)
		n->writes |= bytes;
	else
		n->reads |= bytes;
	if (f->arg >> PLAIN_AT & 1)
		n->plain |= bytes;
}

/* Has anybody accessed atomically what was noted? Who, and how, is asked when the search has started again. */
static bool is_located(const struct fact *f)
{
	const uint32_t slot = rounds_slot(f->addr);
	const uint64_t there = rounds_filters->located[slot];

	return there == ROUND_SEVERAL ||
	       (there == f->addr && rounds_filters->located_bytes[slot] & f->arg >> BYTES_AT);
}

/* One that is new: in executions that are over nobody watched it. */
static void take_new_note(const struct fact *f)
{
	const struct round_filters *r = rounds_filters;
	uint32_t tid = f->arg >> THREAD_AT & THREAD_MASK, slot = rounds_slot(f->addr);

	take_note(f);
	if ((r->written[slot] | (f->arg & 1 ? r->read[slot] : 0)) >> tid & 1 ||
	    (f->arg >> PLAIN_AT & 1 && is_located(f)))
		facts->before_end = 1;
}

void rounds_begin(void)
{
	uint32_t model = shared->config.model;
	struct round_filters *r = rounds_filters;

	if (r->starts != progress->restarts) {
		r->starts = progress->restarts;
		memset(r->read, 0, sizeof(r->read));
		memset(r->written, 0, sizeof(r->written));
		memset(r->located, 0, sizeof(r->located));
		memset(r->located_bytes, 0, sizeof(r->located_bytes));
	}
	rounds_counted = shared->config.mode == ENGINE_EXPLORE && !unseen &&
			 (model == MODEL_RELAXED || model == MODEL_RC20 || model == MODEL_RC11);
	rounds_new_event();
	nlater = nlocated = 0;
	rounds_look_back();
}

void rounds_look_back(void)
{
	struct round_filters *r = rounds_filters;

	if (!rounds_counted)
		return;
	/* Each child begins with what its parent knows, which may be nothing (backend_fork.c). */
	taken = facts_each_known(FACT_TOUCHED, taken, r->taken, take_note);
	taken = r->taken = facts_each_known(FACT_TOUCHED, taken, UINT32_MAX, take_new_note);
}

/* ---- L2: accesses of rounds ------------------------------------------------------------------------ */

static uint32_t left_out_for; /* the cause of the round that is being noted */
FRESH(left_out_for);

static bool is_free_to_go(const struct round_part *p)
{
	return !fact_used_at(FACT_KEPT_ROUNDS, p->granule);
}

static bool note(const struct round_part *p)
{
	const struct noted *n = noted_at(p->granule, current->tid);
	struct fact f = { .addr = p->granule,
			  .arg = (uint32_t)p->write | (uint32_t)p->bytes << BYTES_AT |
				 current->tid << THREAD_AT | (uint32_t)p->plain << PLAIN_AT |
				 left_out_for << CAUSE_AT };

	if (n->key && has_cause(n, left_out_for) &&
	    !(p->bytes & ~(p->write ? n->writes : n->writes | n->reads)) &&
	    !(p->plain && p->bytes & ~n->plain))
		return true;
	fact_learn_touched(p->granule, f.arg);
	take_new_note(&f);
	return true;
}

bool rounds_may_go(const struct await *a, uint32_t from, uint32_t to, uint32_t end)
{
	if (!rounds_counted || (a->kept && (from >= a->kept || a->passed.behind_kept)))
		return true;
	if (fact_in_use(FACT_KEPT_ROUNDS) && !rounds_each_left_out(a, from, to, end, is_free_to_go))
		return false;
	left_out_for = cause_of(a->ops[from].op.pc, a->ops[from].value);
	rounds_each_left_out(a, from, to, end, note);
	return true;
}

uint64_t rounds_hash(const struct await *a)
{
	const struct self *me = current;
	uint64_t hash = a->kept | (uint64_t)a->passed.behind_kept << 32;

	for (uint32_t i = 0; fact_in_use(FACT_KEPT_ROUNDS) && i < a->passed.nplaces; i++)
		hash = (hash ^ a->passed.place[i].addr) * 0x9e3779b97f4a7c15ul;
	for (uint32_t i = 0; fact_in_use(FACT_KEPT_ROUNDS) && i < me->ntouch; i++)
		hash = (hash ^ me->touch[i].addr ^ (uint64_t)me->touch[i].behind << 48 ^
			(uint64_t)me->touch[i].size << 32) *
			       0x9e3779b97f4a7c15ul +
		       me->touch[i].write;
	return hash;
}

struct suspect {
	const struct noted *noted;
	uint64_t pc;
};

static bool is_cause(struct value v, void *ctx)
{
	const struct suspect *s = ctx;

	return has_cause(s->noted, cause_of(s->pc, v));
}

/* An access to a granule: what it does there, by which thread, and what that knew of. */
struct accessed {
	uint64_t granule;
	uint8_t bytes;
	bool write;
	uint32_t tid;
	const uint32_t *clock, *porf;
};

/*
 * Does the running thread come behind such a loop of that one in po u rf, and not behind the operation in hb that stays of
 * it? The value that sends the thread round must have been there before. (By values: in any execution in which the reads return the same. Who read from whom
 * here, and what was written before, says nothing of the others.)
 */
static bool is_beyond_hb(uint32_t tid, const struct noted *n, const struct accessed *a)
{
	if (values_explored())
		return engine_may_follow(engine, a->tid, a->clock, tid);
	for (uint32_t i = a->clock[tid]; i < a->porf[tid]; i++) {
		struct suspect s = { n, engine_event_pc(engine, tid, i) };

		if (engine_any_value(engine, tid, i, is_cause, &s))
			return true;
	}
	return false;
}

void rounds_new_event(void)
{
	rounds_weak = rounds_counted && (engine_beyond_hb(engine, true) ||
					 (values_explored() && engine_threads(engine) > 1));
}

/* The threads of which some loop may be such, as far as that is known without its operations. */
static uint64_t all_beyond_hb(uint32_t tid)
{
	const uint32_t *clock = current->clock, *porf = engine_porf(engine, tid);
	uint64_t set = 0;

	if (values_explored())
		return all_but(tid);
	for (uint32_t t = 0; t < engine_threads(engine); t++)
		set |= (uint64_t)(porf[t] > clock[t]) << t;
	return set;
}

static bool comes_behind(uint32_t tid, const struct noted *n, const struct accessed *a)
{
	(void)n;
	return a->porf[tid] > a->clock[tid];
}

/* Does it conflict with a round of a thread of which that is so? */
static bool conflicts(const struct accessed *a,
		      bool (*is_so)(uint32_t tid, const struct noted *n, const struct accessed *a))
{
	for (uint32_t t = 0; t < engine_threads(engine); t++) {
		const struct noted *n = noted_at(a->granule, t);

		if (n->key && t != a->tid &&
		    (a->bytes & (a->write ? n->writes | n->reads : n->writes)) && is_so(t, n, a))
			return true;
	}
	return false;
}

bool rounds_are_before(void *ctx, const struct memo_touch *touch, uint32_t tid,
		       const uint32_t *clock, const uint32_t *porf)
{
	const struct accessed a = {
		.granule = memo_granule_at(touch->granule),
		.bytes = touch->mask,
		.write = touch->how != TOUCH_READS,
		.tid = tid,
		.clock = clock,
		.porf = porf,
	};

	(void)ctx;
	return !fact_used_at(FACT_KEPT_ROUNDS, a.granule) && conflicts(&a, is_beyond_hb);
}

static void ask_later(const struct accessed *a)
{
	const struct later l = {
		.granule = a->granule,
		.tid = a->tid,
		.behind = engine_done(engine, a->tid),
		.bytes = a->bytes,
		.write = a->write,
	};

	if (nlater == LATER)
		keep(a->granule); /* no room to ask */
	else
		later[nlater++] = l;
}

/* Does a round of a thread access bytes of the location plainly, so that it conflicts with what another thread does there? */
static bool is_met_plainly(uint64_t granule, uint64_t addr, uint64_t size)
{
	for (uint32_t t = 0; t < engine_threads(engine); t++) {
		const struct noted *n = noted_at(granule, t);
		const uint8_t bytes = n->plain & race_bytes(granule, addr, addr + size);

		if (bytes &&
		    engine_others_access(engine, addr, (unsigned)size, t, !(bytes & n->writes)))
			return true;
	}
	return false;
}

/* Are plain accesses there operations of their own, whether or not a round has them? */
static bool are_operations(uint64_t granule, uint64_t addr, uint64_t size)
{
	const uint8_t bytes = race_bytes(granule, addr, addr + size);

	return !(bytes & ~(explored_any ? explored_bytes(granule) : 0));
}

/* Atomic accesses of others are kept from rounds, wherever they come. Where races are no bugs, such accesses of rounds become operations. */
static void ask_of_location(uint64_t addr, uint64_t size)
{
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8) {
		if (fact_used_at(FACT_KEPT_ROUNDS, g) || are_operations(g, addr, size) ||
		    !is_met_plainly(g, addr, size))
			continue;
		if (shared->config.setting[SETTING_PLAIN] && explored_note(addr, size))
			return;
		keep(g);
	}
}

static void ask_in_the_end(void)
{
	for (uint32_t i = 0; i < nlocated; i++)
		ask_of_location(located[i].addr, located[i].size);
	for (uint32_t i = 0; i < nlater; i++) {
		struct accessed a = {
			.granule = later[i].granule,
			.bytes = later[i].bytes,
			.write = later[i].write,
			.tid = later[i].tid,
		};

		engine_knew(engine, a.tid, later[i].behind, &a.clock, &a.porf);
		if (!fact_used_at(FACT_KEPT_ROUNDS, a.granule) && conflicts(&a, is_beyond_hb))
			keep(a.granule);
	}
}

AT_END(ask_in_the_end);

static void rounds_conflict(uint64_t addr, uint64_t size, bool write)
{
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8) {
		const struct accessed a = {
			.granule = g,
			.bytes = race_bytes(g, addr, addr + size),
			.write = write,
			.tid = current->tid,
			.clock = current->clock,
			.porf = engine_porf(engine, current->tid),
		};

		if (fact_used_at(FACT_KEPT_ROUNDS, g))
			continue;
		if (conflicts(&a, is_beyond_hb))
			keep(g);
		else if (!values_explored() && conflicts(&a, comes_behind))
			ask_later(&a);
	}
}

void rounds_access(uint64_t addr, uint64_t size, bool write)
{
	const uint64_t behind = all_beyond_hb(current->tid);
	uint64_t *filter = write ? rounds_filters->written : rounds_filters->read;

	for (uint64_t g = addr & ~7ul; behind && g < addr + size; g += 8)
		filter[rounds_slot(g)] |= behind;
	if (behind && rounds_watched)
		rounds_conflict(addr, size, write);
}

static void locate(uint64_t granule, uint8_t bytes)
{
	const uint32_t slot = rounds_slot(granule);
	uint64_t *there = &rounds_filters->located[slot];

	*there = *there && *there != granule ? ROUND_SEVERAL : granule;
	rounds_filters->located_bytes[slot] |= bytes;
}

/* Is it noted that rounds access these bytes plainly? */
static bool is_noted_plain(uint64_t granule, uint8_t bytes)
{
	for (uint32_t t = 0; t < engine_threads(engine); t++)
		if (noted_at(granule, t)->plain & bytes)
			return true;
	return false;
}

static bool is_located_here(uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < nlocated; i++)
		if (located[i].addr == addr && located[i].size == size)
			return true;
	return false;
}

void rounds_location(uint64_t addr, uint64_t size)
{
	bool noted_here = false;

	if (!rounds_counted)
		return;
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8) {
		const uint8_t bytes = race_bytes(g, addr, addr + size);

		locate(g, bytes);
		if (!rounds_watched || !is_noted_plain(g, bytes))
			continue;
		noted_here = true;
		if (nlocated == LOCATIONS)
			keep(g); /* no room to ask */
	}
	if (noted_here && !is_located_here(addr, size) && nlocated < LOCATIONS) {
		located[nlocated].addr = addr;
		located[nlocated++].size = size;
	}
}

/* ---- L1: looks in vain ------------------------------------------------------------------------------- */

bool rounds_look(const struct op *op)
{
	uint64_t granule = op->addr & ~7ul;

	if (fact_used_at(FACT_LOOKED_AT, granule))
		return true;
	if (op->size && shadow_look_races(op))
		fact_found_at(FACT_LOOKED_AT, granule);
	return false;
}

void rounds_write_atomic(uint64_t addr, uint64_t size)
{
	struct op op;

	if (shared->config.mode != ENGINE_EXPLORE)
		return;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (t != current->tid && fibers[t].alive && engine_waiting(engine, t, &op) &&
		    op.await && op.addr < addr + size && addr < op.addr + op.size)
			fact_found_at(FACT_LOOKED_AT, op.addr & ~7ul);
}

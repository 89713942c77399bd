/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * facts.c - what is found out about the program on the way
 *
 * The table (wire/facts.h) is the order in which facts were found, and all that others get to
 * see. Beside it each process has an index of them by address (base/table.h), which hooks look
 * things up in. It doubles into memory right behind: 2^n slots begin at slot 2^n.
 *
 * Others' facts are noted between executions only (facts_look()). If a place became one where
 * states are saved in the middle of an execution, operations that were done there before would
 * have none, and await.c would not know why.
 *
 * An execution that is run again since one state was missing saves all of them, and notes each
 * place that turns out to need it. So it is run again once, and not for each place. What it
 * decides is what it decides when only those states are saved. That would not be so if there were
 * no room for one state because of others that nobody needs; then it is run once more, without
 * them.
 *
 * Names: facts come back from other processes, so what the index has is the address of the place
 * in this one. Where addresses may be others in the next processes, and a place has no name (code
 * or data that the program mapped or loaded since the root point), nothing can be handed on: what
 * is needed is refused then, what only saves time is left out.
 *
 * Invariant: what stands in the table and is in force is so in the index, and nothing else is.
 */
#include "preload/facts/facts.h"

#include "base/must.h"
#include "base/table.h"
#include "preload/core/context.h"
#include "preload/core/lasting.h"
#include "preload/core/refuse.h"
#include "preload/core/text.h"
#include "preload/facts/granule_marks.h"
#include "preload/fiber/leave.h"
#include "preload/memory/heap.h"
#include "preload/memory/place.h"

enum {
	AT_ONCE = 100, /* executions: until then starting again costs nothing */
	LATER = 8      /* then when there are so many times as many */
};

/* What starts again. */
enum effect {
	EXECUTION,
	SEARCH,
	SEARCH_SOME_TIME
};

static const struct {
	enum effect effect;
	const char *what; /* there are too many of, in a message */
} kinds[FACT_KINDS] = {
	[FACT_REPEATS] = { EXECUTION, "places where it reads a location again" },
	[FACT_WAITS] = { SEARCH_SOME_TIME, "places where it waits" },
	[FACT_QUEUE] = { SEARCH, "futexes that it requeues" },
	[FACT_EXPLORED] = { SEARCH, "locations with races" },
	[FACT_SPLIT] = { SEARCH, "locations that it takes in several sizes" },
	[FACT_INTERRUPTED] = { SEARCH, "signals that interrupt its threads" },
	[FACT_FENCES] = { SEARCH, "threads that ask for fences" },
	[FACT_LOOKED_AT] = { SEARCH, "locations where it waits and that race" },
	[FACT_TOUCHED] = { EXECUTION, "locations that rounds of its loops touch" },
	[FACT_KEPT_ROUNDS] = { SEARCH, "locations that rounds of its loops share" },
	[FACT_STACKS_SHARED] = { SEARCH, NULL },
	[FACT_MEMORY_UNSEEN] = { SEARCH, NULL },
	[FACT_CODE_UNTOLD] = { SEARCH, NULL },
	[FACT_ROUNDS_HIDE] = { SEARCH, NULL },
	[FACT_MAIN_LEAVES] = { SEARCH, NULL },
	[FACT_FUTEX_TABLE] = { SEARCH, NULL },
	[FACT_FUTEX_OWNERS] = { SEARCH, NULL },
	[FACT_LOCKS_WAIT] = { SEARCH, NULL },
	[FACT_AWAITS_PLAIN] = { SEARCH, NULL },
	[FACT_NEEDS_CHILD] = { EXECUTION, NULL },
	[FACT_NEEDS_COPY] = { EXECUTION, NULL },
	[FACT_POLLS] = { SEARCH, "places where it polls under a lock" },
	[FACT_POLLS_KEPT] = { SEARCH, NULL },
	[FACT_LOCKS_MINDED] = { SEARCH, "locks that are tried while it polls" },
	[FACT_SHARES_MINDED] = { SEARCH, "locks that are tried while it reads" },
	[FACT_STACK_SEEN] = { SEARCH, "threads on whose stacks others look" },
	[FACT_CANCELS] = { SEARCH, "locations where rounds cancel out" },
	[FACT_CANCELS_LOOKS] = { SEARCH, "locations where rounds are looked at" },
	[FACT_CANCELS_KEPT] = { SEARCH, "locations whose rounds count" },
	[FACT_BY_READS] = { SEARCH, NULL },
	[FACT_PARTS_IN_ORDER] = { SEARCH, NULL },
	[FACT_FILES_SHARED] = { SEARCH, NULL },
	[FACT_STREAM_HELD] = { SEARCH, "streams that it locks" },
	[FACT_RUNS_ALWAYS] = { SEARCH, NULL },
	[FACT_ACTIONS] = { SEARCH, "signals whose actions change" },
	[FACT_ANYBODY] = { SEARCH, "signals that anybody may take" },
	[FACT_OVERTIME] = { SEARCH, "places from where it runs for long" },
};

LASTING(struct facts_state, facts);

static struct fact_table *table;
static struct fact_slot *index_area;

/* ---- The index ----------------------------------------------------------------------------- */

static struct fact_slot *slots(void)
{
	return index_area + table_slots(facts->bits);
}

/* Never 0; no fact is about the last byte of memory. */
static uint64_t key_of(uint64_t addr)
{
	return ~addr;
}

/* The slot of the key, or the free one where it belongs. */
static struct fact_slot *slot_of(uint64_t key)
{
	struct fact_slot *all = slots(), *s;

	TABLE_FIND(s, all, facts->bits, table_hash(key), !s->key || s->key == key);
	return s;
}

static const struct fact_slot *find(uint64_t addr)
{
	const struct fact_slot *s = slot_of(key_of(addr));

	return s->key ? s : NULL;
}

static void grow(void)
{
	const struct fact_slot *old = slots();
	uint64_t n = table_slots(facts->bits);

	must(facts->bits < FACT_INDEX_MOST);
	facts->bits++;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].key)
			*slot_of(old[i].key) = old[i];
}

static struct fact_slot *find_or_add(uint64_t addr)
{
	struct fact_slot *s = slot_of(key_of(addr));

	if (s->key)
		return s;
	if (table_full(facts->taken, facts->bits)) {
		grow();
		s = slot_of(key_of(addr));
	}
	facts->taken++;
	s->key = key_of(addr);
	return s;
}

/* Accesses of several sizes may meet in a granule. */
static uint64_t indexed_by(enum fact_kind kind, uint64_t addr)
{
	return kind == FACT_EXPLORED || kind == FACT_SPLIT ? addr & ~7ul : addr;
}

bool fact_known_at(enum fact_kind kind, uint64_t addr)
{
	const struct fact_slot *s = find(addr);

	return s && s->known >> kind & 1;
}

bool fact_used_at(enum fact_kind kind, uint64_t addr)
{
	const struct fact_slot *s = find(addr);

	return s && s->used >> kind & 1;
}

static bool needs_state(uint64_t pc)
{
	const struct fact_slot *s = find(pc);

	return s && s->known & (1ul << FACT_REPEATS | 1ul << FACT_WAITS);
}

bool fact_saves_at(uint64_t pc)
{
	return facts->eager || needs_state(pc);
}

uint32_t fact_marks(uint64_t granule)
{
	const struct fact_slot *s = find(granule);

	return s ? s->marks : 0;
}

uint32_t fact_split_marks(uint64_t granule)
{
	const struct fact_slot *s = find(granule);

	return s ? s->split : 0;
}

uint32_t fact_split_known(uint64_t granule)
{
	const struct fact_slot *s = find(granule);

	return s ? s->split_known : 0;
}

/* ---- Facts --------------------------------------------------------------------------------- */

/*
 * It may be 0: that of operations which no code of the program asks for, such as what the end of
 * a thread does.
 */
static bool has_address(const struct fact *f)
{
	return f->kind == FACT_REPEATS || f->kind == FACT_WAITS || f->kind == FACT_QUEUE ||
	       f->kind == FACT_EXPLORED || f->kind == FACT_SPLIT || f->kind == FACT_LOOKED_AT ||
	       f->kind == FACT_TOUCHED || f->kind == FACT_KEPT_ROUNDS || f->kind == FACT_POLLS ||
	       f->kind == FACT_LOCKS_MINDED || f->kind == FACT_SHARES_MINDED ||
	       f->kind == FACT_STACK_SEEN || f->kind == FACT_CANCELS ||
	       f->kind == FACT_CANCELS_LOOKS || f->kind == FACT_CANCELS_KEPT ||
	       f->kind == FACT_STREAM_HELD || f->kind == FACT_OVERTIME;
}

static uint64_t address_of(const struct fact *f)
{
	return address_of_place(&f->place, f->addr);
}

/* The process knows of it. */
static void know(const struct fact *f)
{
	uint64_t bit = 1ul << f->kind;
	struct fact_slot *s;

	facts->known |= bit;
	if (!has_address(f))
		return;
	s = find_or_add(indexed_by(f->kind, address_of(f)));
	s->known |= bit;
	if (f->kind == FACT_SPLIT)
		s->split_known = marks_with(s->split_known, address_of(f), f->arg);
}

static void put_in_force(const struct fact *f)
{
	uint64_t bit = 1ul << f->kind;
	struct fact_slot *s;

	facts->used |= bit;
	if (has_address(f)) {
		s = find_or_add(indexed_by(f->kind, address_of(f)));
		s->used |= bit;
		if (f->kind == FACT_EXPLORED)
			s->marks = marks_with(s->marks, address_of(f), f->arg);
		if (f->kind == FACT_SPLIT)
			s->split = marks_with(s->split, address_of(f), f->arg);
	} else if (f->kind == FACT_INTERRUPTED && f->place.thread < HEDDLE_MAX_THREADS &&
		   f->place.count - 1 < 64) {
		facts->interrupts[f->place.thread] |= 1ul << (f->place.count - 1);
	} else if (f->kind == FACT_FENCES && f->place.thread < HEDDLE_MAX_THREADS) {
		thread_set_add(&facts->fences, f->place.thread);
	} else if (f->kind == FACT_ACTIONS && f->place.count - 1 < 64) {
		facts->actions |= 1ul << (f->place.count - 1);
	} else if (f->kind == FACT_ANYBODY && f->place.count - 1 < 64) {
		facts->anybody |= 1ul << (f->place.count - 1);
	}
}

void fact_starts_again(enum fact_kind kind)
{
	facts->must |= kinds[kind].effect == SEARCH;
	facts->waiting |= kinds[kind].effect == SEARCH_SOME_TIME;
}

static heddle_noreturn void no_room(enum fact_kind kind)
{
	char number[24];
	struct text t = text_in(number, sizeof(number));

	text_int(&t, table->limit);
	refuse("heddle can learn ", number, " facts about a program, and this one has more",
	       kinds[kind].what ? " (the next one of them is of the " : "",
	       kinds[kind].what ? kinds[kind].what : "", kinds[kind].what ? ")" : "",
	       ": explore a smaller part of it, or use heddle test", NULL);
}

/* Could the next processes be told of it? */
static bool can_be_named(const struct fact *f)
{
	return !table->by_name || f->place.kind != PLACE_UNKNOWN || !f->addr ||
	       kinds[f->kind].effect == EXECUTION;
}

static void learn(const struct fact *f)
{
	if (!can_be_named(f)) {
		if (kinds[f->kind].effect == SEARCH_SOME_TIME)
			return;
		refuse("the next processes cannot be told of one of the ", kinds[f->kind].what,
		       ", which lies in memory that was mapped behind the first thread, since "
		       "addresses differ there (randomisation cannot be turned off here): use -j 1",
		       NULL);
	}
	know(f);
	if (!facts_add(table, f->kind, &f->place, f->addr, f->arg))
		no_room(f->kind);
	if (kinds[f->kind].effect == EXECUTION)
		put_in_force(f);
	fact_starts_again(f->kind);
}

/*
 * What another worker has found, too, may be known: it may have died before it could start the
 * search again.
 */
void fact_learn(enum fact_kind kind)
{
	if (fact_in_use(kind))
		return;
	if (facts->known >> kind & 1)
		fact_starts_again(kind);
	else
		learn(&(struct fact){ .kind = kind });
}

void fact_learn_at(enum fact_kind kind, uint64_t addr)
{
	const struct fact_slot *s = find(addr);

	if (s && s->used >> kind & 1)
		return;
	if (s && s->known >> kind & 1)
		fact_starts_again(kind);
	else
		learn(&(struct fact){ .kind = kind, .place = place_of(addr), .addr = addr });
}

void fact_learn_explored(uint64_t addr, uint32_t size)
{
	learn(&(struct fact){
		.kind = FACT_EXPLORED, .place = place_of(addr), .addr = addr, .arg = size });
}

void fact_learn_split(uint64_t addr, uint32_t size)
{
	learn(&(struct fact){
		.kind = FACT_SPLIT, .place = place_of(addr), .addr = addr, .arg = size });
}

void fact_learn_touched(uint64_t granule, uint32_t arg)
{
	learn(&(struct fact){
		.kind = FACT_TOUCHED, .place = place_of(granule), .addr = granule, .arg = arg });
}

void fact_learn_interrupted(uint32_t tid, int sig)
{
	learn(&(struct fact){
		.kind = FACT_INTERRUPTED,
		.place = { .kind = PLACE_THREAD, .thread = tid, .count = (uint32_t)sig } });
}

void fact_learn_fences(uint32_t tid)
{
	learn(&(struct fact){ .kind = FACT_FENCES,
			      .place = { .kind = PLACE_THREAD, .thread = tid } });
}

void fact_learn_of_signal(enum fact_kind kind, int sig)
{
	learn(&(struct fact){ .kind = kind,
			      .place = { .kind = PLACE_THREAD, .count = (uint32_t)sig } });
}

void fact_found(enum fact_kind kind)
{
	fact_learn(kind);
	repeat_execution();
}

void fact_found_at(enum fact_kind kind, uint64_t addr)
{
	if (fact_known_at(kind, addr))
		return;
	fact_learn_at(kind, addr);
	facts->next_eager = kind == FACT_REPEATS;
	repeat_execution();
}

void fact_repeats(uint64_t pc, bool saved)
{
	if (facts->eager) /* if it was not saved then, there is no room */
		fact_learn_at(FACT_REPEATS, pc);
	else if (!saved)
		fact_found_at(FACT_REPEATS, pc);
}

void fact_takes_room(uint64_t pc)
{
	if (facts->eager && !needs_state(pc))
		repeat_execution();
}

/* ---- The table ----------------------------------------------------------------------------- */

void facts_at(struct fact_table *t, struct fact_slot *area)
{
	table = t;
	index_area = area;
	if (!facts->bits)
		facts->bits = FACT_INDEX_LEAST;
}

uint32_t facts_in_force(void)
{
	/* relaxed: what it counts was there when this process began, or is its own */
	return atomic_load_explicit(&table->used, memory_order_relaxed);
}

void facts_begin(void)
{
	uint32_t n = facts_in_force();
	struct fact f;

	for (uint32_t i = 0; i < n; i++)
		if (facts_get(table, i, &f)) {
			know(&f);
			put_in_force(&f);
		}
	facts->seen = n;
	facts_look();
}

void facts_look(void)
{
	uint32_t n = facts_count(table);
	struct fact f;

	facts->eager = facts->next_eager;
	facts->next_eager = 0;
	/* One that is not there yet is for the next time. */
	for (; facts->seen < n && facts_get(table, facts->seen, &f); facts->seen++) {
		know(&f);
		if (kinds[f.kind].effect == EXECUTION)
			put_in_force(&f);
	}
}

bool facts_due(uint64_t executions, bool more)
{
	/* relaxed: a limit, which nothing depends on */
	uint64_t look = atomic_load_explicit(&table->look, memory_order_relaxed);
	bool good_time = executions <= AT_ONCE || executions >= look;
	bool due = facts->must;

	if (facts->before_end)
		due |= good_time || !more;
	if (facts->waiting)
		due |= good_time && more;
	if (due && (facts->waiting || facts->before_end))
		atomic_store_explicit(&table->look, LATER * executions, memory_order_relaxed);
	return due;
}

void facts_use(void)
{
	uint32_t n = facts_count(table);
	struct fact f;

	for (uint32_t i = facts_in_force(); i < n; i++)
		if (facts_get(table, i, &f))
			put_in_force(&f);
	facts->waiting = facts->must = facts->before_end = 0;
	atomic_store_explicit(&table->used, n, memory_order_relaxed);
}

uint32_t facts_each_known(enum fact_kind kind, uint32_t from, uint32_t to,
			  void (*fn)(const struct fact *f))
{
	struct fact f;

	for (; from < to && from < facts->seen; from++)
		if (facts_get(table, from, &f) && f.kind == kind) {
			f.addr = address_of(&f);
			fn(&f);
		}
	return from;
}

bool fact_is_by_address(const struct fact *f)
{
	return f->place.kind == PLACE_HEAP && heap_owner(f->addr) != HEAP_NOBODY;
}

void facts_each(enum fact_kind kind, void (*fn)(const struct fact *f, void *ctx), void *ctx)
{
	uint32_t n = facts_in_force();
	struct fact f;

	for (uint32_t i = 0; i < n; i++)
		if (facts_get(table, i, &f) && f.kind == kind)
			fn(&f, ctx);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_shared.c - see memo_shared.h
 *
 * Cost: a probe of a table for each plain access that is the first of its kind since its thread's last operation, while it is watched.
 */
#include "preload/race/memo_shared.h"

#include <string.h>

#include "base/table.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/touch.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/facts.h"
#include "preload/facts/memo.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/access.h"
#include "preload/memory/heap.h"
#include "preload/memory/limit.h"
#include "preload/memory/place.h"
#include "preload/race/beside.h"
#include "preload/race/handed.h"
#include "preload/race/memo_seen.h"
#include "preload/race/race.h"
#include "preload/race/shadow.h"

enum {
	BITS = 16,
	LARGEST = 1 << 16, /* access */
	MEMO_SHARED = 1 << 10,
	TOUCHED = 256, /* parts of granules, between two operations */
	HEADER =
		2, /* instead of a granule's address: the one in front of a block, which stands for what is known of that */
};

#define OF_ANOTHER "threads access stacks of others, or memory that libraries allocate"

/* Who has accessed a granule, in any execution. */
static struct memo_granule {
	uint64_t key;              /* the granule, and 1; 0: free */
	uint64_t readers, writers; /* plainly; who allocates or frees it writes */
	uint64_t operators;        /* by atomic operations */
	uint64_t tried;            /* by whom in probes */
	uint32_t shared;           /* 1 + its number for the engine; 0: it is not */
	bool sizes_meet;           /* atomic accesses of several sizes */
	uint32_t sizes;            /* of these, by bytes */
	bool rounds;               /* some that are left out access it */
	uint8_t plain, atomic;     /* bytes that were accessed so */
	uint8_t of_main; /* bytes of the main thread's stack of which others may know (is_of_main()) */
	uint8_t object; /* bytes of objects of libraries (memo_uses()); */
	uint8_t once;   /* of them, of what is done once */
	uint8_t read;   /* bytes that the program has read plainly */
} * granules;
KEPT(granules);
static uint32_t ngranules, nshared, ntold; /* of ntold the engine knows what they hold at first */
static uint64_t *shared_at;                /* which granules these are */
KEPT(shared_at);
KEPT(ngranules);
KEPT(nshared);
KEPT(ntold);

/* Not all is looked at any more. By values that may be an object of the library, which is watched without the memo, too (value.txt, M5). */
static void loses_sight(const char *why)
{
	memo_give_up(why);
	values_give_up(why);
}

static struct memo_granule *granule_at(uint64_t granule)
{
	const uint64_t key = granule | 1;
	struct memo_granule *g;

	if (!granules)
		granules = map_own(sizeof(*granules) << BITS);
	TABLE_FIND(g, granules, BITS, table_hash(key), !g->key || g->key == key);
	if (g->key)
		return g;
	if (table_full(ngranules, BITS)) {
		loses_sight("it accesses too much memory plainly");
		return NULL;
	}
	ngranules++;
	*g = (struct memo_granule){ .key = key };
	if (heap_owner(granule) < HEDDLE_EXPLORED_THREADS)
		g->writers = (uint64_t)1 << heap_owner(granule);
	return g;
}

/* Of a block from before the root point that is what it always was, also where it has been freed. */
static uint64_t size_behind(uint64_t header)
{
	struct heap_block b;

	return heap_block_of((header & ~(uint64_t)HEADER) + 16, &b) ? b.size : 0;
}

/* What it holds now; what cannot be read may be there in other executions only, or the program's access is about to fault. */
static uint64_t held(uint64_t granule)
{
	uint64_t value = 0;

	if (granule & HEADER)
		return size_behind(granule);

	if (copy_safely(&value, (const void *)granule, sizeof(value)))
		engine_forget(engine, "it accesses memory that is not there");
	return value;
}

/* An execution begins, with what the granules hold now. */
static void tell_initial(void)
{
	for (; memo_is_in_use() && ntold < nshared; ntold++) {
		const uint64_t granule = shared_at[ntold];
		const bool born = heap_owner(granule) != HEAP_NOBODY;

		engine_holds(engine, ntold, born ? 0 : held(granule), born);
	}
}

/* ---- What the running thread has done since its latest operation ---------------------------------- */

static struct memo_touch touched[TOUCHED];
static uint64_t touched_at[TOUCHED]; /* the granules */
static uint32_t ntouched, touched_by,
	touched_behind; /* by which thread, when it had so many events */
KEPT(touched);
KEPT(touched_at);

static void memo_shared_begin(void)
{
	ntouched = touched_by = touched_behind = 0;
	tell_initial();
}

AT_BEGIN(memo_shared_begin);

static bool is_of_stretch(void)
{
	return touched_by == current->tid && touched_behind == engine_done(engine, current->tid);
}

/* A part of a granule, in the list; what it holds is asked in the end. */
static void add(const struct memo_granule *g, uint64_t granule, uint8_t mask, enum memo_how how)
{
	if (!is_of_stretch())
		ntouched = 0;
	touched_by = current->tid;
	touched_behind = engine_done(engine, current->tid);
	if (ntouched == TOUCHED) {
		memo_give_up("a thread accesses too much memory that is shared");
		return;
	}
	touched_at[ntouched] = granule;
	touched[ntouched++] = (struct memo_touch){
		.granule = g->shared - 1,
		.mask = mask,
		.how = (uint8_t)how,
		.value = how == TOUCH_READS ? held(granule) & memo_bytes_in(mask) : 0,
	};
}

static void note_read(const struct memo_granule *g, uint64_t granule, uint8_t mask)
{
	for (uint32_t i = 0; is_of_stretch() && i < ntouched; i++)
		if (touched_at[i] == granule)
			mask &= (uint8_t)~touched[i]
					.mask; /* of these bytes it is known what it finds */
	if (mask)
		add(g, granule, mask, TOUCH_READS);
}

static void note_write(const struct memo_granule *g, uint64_t granule, uint8_t mask)
{
	for (uint32_t i = 0; is_of_stretch() && i < ntouched; i++)
		if (touched_at[i] == granule && touched[i].how == TOUCH_WRITES) {
			touched[i].mask |= mask;
			return;
		}
	add(g, granule, mask, TOUCH_WRITES);
}

/* The operation, too, where atomic locations are in memory that is followed. */
static void note_operation(const struct op *op, const struct memo_granule *g)
{
	const uint64_t granule = op->addr & ~7ul;

	if (!g || !g->shared)
		return;
	if (op->size > 8) {
		memo_give_up(
			"atomic locations of 16 bytes are accessed plainly, or in memory that threads allocate");
		return;
	}
	add(g, granule, race_bytes(granule, op->addr, op->addr + op->size),
	    op->kind == OP_LOAD ? TOUCH_LOADS : TOUCH_OPERATES);
	touched[ntouched - 1].value = op->size;
}

static void note_values(void)
{
	for (uint32_t i = 0; i < ntouched; i++)
		if (touched[i].how == TOUCH_WRITES || touched[i].how == TOUCH_BEARS)
			touched[i].value = held(touched_at[i]) & memo_bytes_in(touched[i].mask);
}

void memo_arrives(const struct op *op, uint64_t sp)
{
	const struct memo_granule *g = op->addr && op->size ? granule_at(op->addr & ~7ul) : NULL;

	memo_note_depth(op, sp);
	if (values_explored()) {
		handed_tell();
		return;
	}
	if (is_of_stretch())
		note_values();
	note_operation(op, g);
	engine_touches(engine, touched, is_of_stretch() ? ntouched : 0, g && g->writers);
	if (memo_watched && engine_known(engine, current->tid))
		engine_learns(engine, current->tid, op);
}

bool memo_shares(uint64_t addr)
{
	const uint64_t at[] = { addr & ~7ul, heap_covers(addr) ? heap_header(addr) | HEADER : 0 };

	for (unsigned i = 0; i < 2; i++) {
		const struct memo_granule *g = memo_watched && at[i] ? granule_at(at[i]) : NULL;

		if (g && g->shared)
			return true;
	}
	return false;
}

void memo_has_bug(bool by_itself, uint64_t pc)
{
	const struct op op = { .kind = OP_BLOCK,
			       .fn = by_itself ? BLOCK_HAS_BUG : BLOCK_IN_BUG,
			       .pc = pc };

	memo_arrives(&op, 0);
	if (!engine_known(engine, current->tid))
		engine_learns(engine, current->tid, &op);
}

/* ---- Who shares memory ------------------------------------------------------------------------------ */

/*
 * Is it memory of another thread, of which not all is told that is written there: its stack, where a caller puts arguments, or a block that a library
 * has allocated, and fills?
 */
static bool is_of_another(uint64_t granule)
{
	const uint32_t owner = heap_owner(granule);
	struct heap_block block;
	struct heap_birth birth;
	struct place p;

	if (!heap_covers(granule))
		return !on_own_stack(granule) && place_on_stack(granule, &p) &&
		       p.thread != current->tid;
	if (owner >= HEDDLE_EXPLORED_THREADS)
		return !heap_early(granule);
	return owner != current->tid && heap_block_of(granule, &block) && !block.freed &&
	       !heap_birth(granule, &birth);
}

bool (*memo_is_first)(const struct fiber *owner, const struct access *access);
KEPT(memo_is_first);

/* Is what the calling thread reads there a variable of main's first function, all accesses to which are told? (K13) */
static bool is_of_main(struct memo_granule *g, uint64_t granule, uint8_t mask,
		       const struct access *access)
{
	struct access part = { .addr = granule + (unsigned)__builtin_ctz(mask) };
	struct place p;

	if (access->is_write || heap_covers(granule) || !place_on_stack(granule, &p) || p.thread)
		return false;
	if (!(mask & ~g->of_main))
		return true;
	part.size = granule + 32 - (unsigned)__builtin_clz(mask) - part.addr;
	if (!fibers[0].alive || !memo_is_first(&fibers[0], &part))
		return false;
	g->of_main |= mask;
	memo_is_read_at(part.addr);
	return true;
}

/* Its accesses are told from the next execution on. */
static void share(struct memo_granule *g, uint64_t granule)
{
	if (nshared == MEMO_SHARED || !engine_shares(engine, nshared)) {
		memo_give_up("threads share too much memory that they write plainly");
		return;
	}
	if (!shared_at)
		shared_at = map_own(MEMO_SHARED * sizeof(*shared_at));
	shared_at[nshared] = granule;
	g->shared = ++nshared;
	if (g->rounds)
		engine_minds_rounds(engine, g->shared - 1);
}

/*
 * By values: who reads an object finds what no operation of its own says (M5). Calls that make one, or destroy it, announce writes; who writes to what is
 * done once does it anew.
 */
static bool is_looked_into(const struct memo_granule *g)
{
	return ((g->read | g->atomic) & g->object) || (g->plain & g->once);
}

/* Objects of libraries change in ways that nobody announces, and whoever writes one anew does no operation. */
static void look_at_object(const struct memo_granule *g)
{
	if (!((g->plain | g->atomic) & g->object))
		return;
	if (is_looked_into(g))
		values_give_up("mutexes, or the like, are accessed as memory");
	memo_give_up("mutexes, or the like, are accessed as memory");
}

static void note_plain(struct memo_granule *g, uint8_t mask, bool is_write)
{
	g->plain |= mask;
	if (!is_write)
		g->read |= mask;
	look_at_object(g);
}

void memo_looks_at(const struct op *op)
{
	for (uint64_t a = op->addr & ~7ul; op->size && a < op->addr + op->size; a += 8) {
		struct memo_granule *g = granule_at(a);

		if (!g)
			return;
		g->atomic |= race_bytes(a, op->addr, op->addr + op->size);
		look_at_object(g);
	}
}

void memo_does_once(uint64_t addr, uint64_t size)
{
	struct memo_granule *g = granule_at(addr & ~7ul);

	if (g)
		g->once |= race_bytes(addr & ~7ul, addr, addr + size);
	memo_uses(addr, size);
}

void memo_uses(uint64_t addr, uint64_t size)
{
	for (uint64_t a = addr & ~7ul; objects_watched && a < addr + size; a += 8) {
		struct memo_granule *g = granule_at(a);

		if (!g)
			return;
		g->object |= race_bytes(a, addr, addr + size);
		look_at_object(g);
	}
}

/* What one thread reads when it is run again is no part of what it has read, so nobody else is to write there. */
static void keep_apart(const struct memo_granule *g)
{
	const uint64_t all = g->tried | g->writers;

	if (g->tried && g->writers && ((all - 1) & all))
		memo_give_up("rounds of loops may read what others write");
}

/* By values what a location holds at first is to be the same in each execution; and which accesses are operations, and of which size. (value.txt, V14) */
static void look_at_kinds(const struct memo_granule *g, uint64_t granule)
{
	if (g->sizes_meet)
		memo_give_up("atomic operations of several sizes meet");
	if (g->plain & g->atomic & ~explored_bytes(granule))
		memo_give_up("memory is accessed both plainly and by atomic operations");
}

/* The calling thread has done something there. Whose accesses count for others is asked only where one of them writes. */
static void meet(struct memo_granule *g, uint64_t granule)
{
	const uint64_t all = g->readers | g->writers | g->operators;

	if (!g->shared && (g->writers || (g->plain & g->atomic) || g->sizes_meet) &&
	    ((all - 1) & all))
		share(g, granule);
}

static void plain_granule(uint64_t granule, uint8_t mask, const struct access *access)
{
	const bool is_write = access->is_write;
	struct memo_granule *g = granule_at(granule);

	if (!g)
		return;
	note_plain(g, mask, is_write);
	if (memo_watched && is_of_another(granule) && !is_of_main(g, granule, mask, access))
		memo_give_up(OF_ANOTHER);
	if (!memo_watched)
		return;
	*(is_write ? &g->writers : &g->readers) |= (uint64_t)1 << current->tid;
	if (values_explored()) {
		beside_note(granule, mask,
			    access->is_free ? BESIDE_HOLDS
			    : is_write      ? BESIDE_WRITES
					    : BESIDE_READS);
		look_at_kinds(g, granule);
		if (!access->is_free)
			handed_access(granule, mask, is_write);
		return;
	}
	keep_apart(g);
	meet(g, granule);
	if (!access->is_free && !is_write && current->window)
		memo_note_seen(granule, mask, held(granule) & memo_bytes_in(mask));
	if (!g->shared || !memo_watched)
		return;
	if (access->is_free) {
		add(g, granule, mask, TOUCH_FREES);
		return;
	}
	/* Compilers announce no read that a write of the same follows. */
	note_read(g, granule, mask);
	if (is_write)
		note_write(g, granule, mask);
}

void memo_plain(const struct access *access)
{
	const uint64_t end = access->addr + access->size;

	if ((memo_watched && current->tid >= HEDDLE_EXPLORED_THREADS) || access->size > LARGEST) {
		loses_sight("a plain access is large");
		return;
	}
	if (access->object) {
		if (is_of_another(access->addr & ~7ul))
			memo_give_up(OF_ANOTHER);
		memo_uses(access->addr, access->object);
		return;
	}
	for (uint64_t a = access->addr & ~7ul; objects_watched && a < end; a += 8)
		plain_granule(a, race_bytes(a, access->addr, end), access);
}

/* As if it were done. */
static void tries_by_values(uint64_t granule, uint8_t mask, bool is_write)
{
	beside_note(granule, mask, is_write ? BESIDE_WRITES : BESIDE_READS);
	handed_tries(granule, mask);
}

void memo_tries(const struct access *access, uint32_t behind)
{
	const uint64_t end = access->addr + access->size;

	for (uint64_t a = access->addr & ~7ul; memo_watched && a < end; a += 8) {
		struct memo_granule *g;

		if (!access->is_write &&
		    memo_has_seen(a, race_bytes(a, access->addr, end), behind, held(a)))
			continue;
		if (is_of_another(a))
			memo_give_up("rounds of loops may read what others write");
		if (values_explored()) {
			tries_by_values(a, race_bytes(a, access->addr, end), access->is_write);
			continue;
		}
		g = granule_at(a);
		if (!g)
			return;
		g->tried |= (uint64_t)1 << current->tid;
		keep_apart(g);
	}
}

bool memo_leaves_out(uint64_t granule, uint32_t tid, bool is_write)
{
	const uint64_t me = (uint64_t)1 << tid;
	struct memo_granule *g = memo_is_in_use() ? granule_at(granule) : NULL;
	uint64_t others;

	if (!g || values_explored())
		return false;
	others = (is_write ? g->readers | g->writers : g->writers) & ~me;
	*(is_write ? &g->writers : &g->readers) |= me;
	g->rounds = true;
	meet(g, granule);
	if (g->shared)
		engine_minds_rounds(engine, g->shared - 1);
	if (!others)
		return false;
	return g->shared ? engine_made_behind(engine, g->shared - 1, tid, is_write)
			 : engine_made_beyond_hb(engine);
}

uint64_t memo_granule_at(uint32_t number)
{
	return shared_at[number];
}

/* ---- Blocks of the heap ------------------------------------------------------------------------------- */

/* What is known of a block is read by who asks for its size, or frees it. */
static void asks_block(uint64_t addr, bool frees)
{
	const uint64_t header = heap_header(addr) | HEADER, me = (uint64_t)1 << current->tid;
	struct memo_granule *g = granule_at(header);

	if (!g)
		return;
	*(frees ? &g->writers : &g->readers) |= me;
	if (values_explored()) {
		beside_note(header, RACE_ALL, frees ? BESIDE_HOLDS : BESIDE_READS);
		if (frees)
			handed_frees(header);
		return;
	}
	meet(g, header);
	if (!g->shared || !memo_watched)
		return;
	note_read(g, header, RACE_ALL);
	if (frees)
		add(g, header, RACE_ALL, TOUCH_FREES);
}

void memo_frees(uint64_t addr)
{
	if (current->tid < HEDDLE_EXPLORED_THREADS)
		asks_block(addr, true);
}

/* To ask for the size of a block is no access of it, so nobody else asks whether the block is there by then for certain, or still. */
static bool is_there(uint64_t addr)
{
	const uint32_t owner = heap_owner(addr);
	struct heap_birth birth;
	struct heap_block b;

	if (heap_block_of(addr, &b) && b.freed)
		return false;

	return owner == HEAP_NOBODY || owner == current->tid ||
	       (heap_birth(addr & ~7ul, &birth) && current->clock[birth.tid] > birth.clock);
}

void memo_asks_size(uint64_t addr)
{
	if (!is_there(addr))
		memo_give_up("a thread asks for the size of a block that it need not know of");
	else if (current->tid < HEDDLE_EXPLORED_THREADS)
		asks_block(addr, false);
}

/* What is followed of it is there from now on. */
static void allocates(uint64_t addr, uint64_t size)
{
	const uint64_t first = heap_header(addr) | HEADER;

	if (!memo_watched || current->probing)
		return;
	if (limit_is_set)
		memo_give_up("the program limits its memory");
	if (values_explored()) {
		beside_note(first, RACE_ALL, BESIDE_HOLDS);
		beside_holds(addr, size);
		handed_allocates(addr, size);
		return;
	}
	for (uint32_t i = 0; memo_watched && i < nshared; i++) {
		const uint64_t at = shared_at[i];

		if (at == first)
			add(granule_at(at), at, RACE_ALL, TOUCH_BEARS);
		else if (!(at & HEADER) && at >= (addr & ~7ul) && at < addr + size)
			add(granule_at(at), at, race_bytes(at, addr, addr + size), TOUCH_BEARS);
	}
}

static void memo_heap_root(void)
{
	heap_allocates = allocates;
}

AT_ROOT(memo_heap_root);

/* ---- Operations --------------------------------------------------------------------------------------- */

/* In a block that a thread has allocated only atomic locations are followed. */
static bool is_in_heap_otherwise(const struct op *op)
{
	return heap_covers(op->addr) && !heap_early(op->addr) && !op->size && op->kind != OP_STUCK;
}

/* Where accesses of another size are met in one execution, they are several locations; they need not have met when each was learned. */
static void note_size(struct memo_granule *g, uint8_t mask, uint32_t size)
{
	const uint32_t bytes = shadow_nibbles(mask), each = SHADOW_EACH(1) & bytes;

	if ((g->sizes ^ each * (uint32_t)(1 + __builtin_ctz(size))) &
	    shadow_nibbles(g->atomic & mask))
		g->sizes_meet = true;
	g->sizes |= each * (uint32_t)(1 + __builtin_ctz(size));
	g->atomic |= mask;
}

void memo_place(const struct op *op)
{
	struct place p;

	if (place_on_stack(op->addr, &p) || is_in_heap_otherwise(op)) {
		memo_give_up(
			"atomic locations are on stacks, or mutexes in memory that threads allocate");
		return;
	}
	for (uint64_t a = op->addr & ~7ul; memo_watched && a < op->addr + op->size; a += 8) {
		struct memo_granule *g = granule_at(a);
		const uint8_t mask = race_bytes(a, op->addr, op->addr + op->size);

		if (!g || is_of_another(a)) {
			memo_give_up("atomic locations are in memory that libraries allocate");
			return;
		}
		note_size(g, mask, op->size);
		look_at_object(g);
		g->operators |= (uint64_t)1 << current->tid;
		if (!values_explored()) {
			meet(g, a);
			continue;
		}
		look_at_kinds(g, a);
		beside_note(a, mask, op->kind == OP_LOAD ? BESIDE_LOOKS : BESIDE_OPERATES);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * yield.c - threads that yield, sleep, or only access memory, in a loop
 *
 * A yield lets others go first (engine/aside.c). In a program that is not instrumented every yield
 * counts, since what the loop around it looks at is not seen. In others a thread has to yield very
 * often without another operation, which it does where it looks at plain variables. At random, yields
 * only let another thread be drawn, as long as anything happens (quiet.h).
 *
 * When all threads that can go on only yield, they may do so for ever. They do if everything is as
 * it was a round ago: memory (unseen.h), and stacks and registers of all threads. That is
 * looked at after 4, 8, 16 ... rounds without another operation, so a loop that counts to a
 * thousand and gives up costs little. A call with hidden state (the time, a random number) is as
 * good as an operation. A loop that always changes memory ends at --max-events: yields count there.
 *
 * A thread that accesses memory plainly, and does nothing else a million times, yields as well. If it waits for
 * another one, that one is to come, and the race is found; at random it counts as very many looks in vain (quiet.h). The
 * accesses between two looks at memory need not be a number of whole rounds. So what there was at the looks 1, 2, 4, 8 ... is
 * compared at each one behind it: a round of n accesses is found after some n looks at most.
 *
 * Cost: two passes over memory each time (unseen.c).
 */

#include <string.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "engine/engine.h"
#include "preload/access/promote.h"
#include "preload/access/yield.h"
#include "preload/await/await.h"
#include "preload/await/quiet.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"
#include "preload/step/perform.h"

enum {
	PATIENCE = 100,   /* yields in a row, of instrumented code */
	ENOUGH = 1 << 12, /* behind all that is repeated of the thread */
	ENOUGH_LOOPS = 2, /* the same where a yield stands for very many accesses */
	FIRST_LOOK = 4,
	/*
	 * In a loop without operations memory is looked at so rarely. With the 55,440 accesses between two yields that is a
	 * multiple of all numbers to 16: a loop with so many accesses in a round is where it was.
	 */
	YIELDS_A_LOOK = 26,
};

/* Of each thread: since when nothing happened but yields, and what it was like then. */
static struct {
	uint64_t progress, hidden, yields, picture;
	bool looked;
} idle[HEDDLE_MAX_THREADS];
FRESH(idle);

static uint64_t sp_of(const struct fiber *f)
{
	return f->self.entry.sp ? f->self.entry.sp : f->context.sp;
}

/* Adds the stack of a thread, and what its registers hold that is not there. */
static uint64_t hash_thread(const struct fiber *f, uint64_t hash)
{
	uint64_t sp = sp_of(f);

	if (f->self.entry.sp)
		hash = XXH3_64bits_withSeed(f->self.entry.reg, sizeof(f->self.entry.reg), hash);
	return XXH3_64bits_withSeed((const void *)sp, f->stack_high - sp, hash + sp);
}

/* Everything that decides about what follows; false if it cannot be told. */
static bool take_picture(uint64_t *hash)
{
	if (!current->entry.sp || !unseen_hash(hash))
		return false;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].alive) {
			if (sp_of(&fibers[t]) - fibers[t].stack_low >=
			    fibers[t].stack_high - fibers[t].stack_low)
				return false; /* on a stack of the program's own */
			*hash = hash_thread(&fibers[t], *hash);
		}
	return true;
}

/* The calling thread goes on after a yield; loops: one in a loop without operations, where a picture costs least. */
static void look_round(bool loops)
{
	uint32_t t = current->tid;
	uint64_t progress = engine_progress(engine), n, now;

	if (idle[t].progress != progress || idle[t].hidden != hidden_calls) {
		idle[t].progress = progress;
		idle[t].hidden = hidden_calls;
		idle[t].yields = 0;
		idle[t].looked = false;
	}
	n = ++idle[t].yields;
	if (loops) {
		if (n % YIELDS_A_LOOK != 1)
			return;
		n = n / YIELDS_A_LOOK + 1;
	}
	if (idle[t].looked && take_picture(&now) && now == idle[t].picture)
		engine_idle(engine);
	if (!(n & (n - 1)) && (loops || n >= FIRST_LOOK))
		idle[t].looked = take_picture(&idle[t].picture);
	else
		idle[t].looked &= loops;
}

/* How often in a row a thread has yielded and done nothing else; which, and when. */
static uint32_t yields, last_tid, last_clock;

/* Of the calling thread, with this one. */
static uint32_t in_a_row(void)
{
	uint32_t tid = current->tid, clock = current->clock[tid];

	if (tid != last_tid || clock != last_clock)
		yields = 0;
	last_tid = tid;
	last_clock = clock;
	return ++yields;
}

/* Has the thread done nothing else for long? */
static bool is_alone(void)
{
	return in_a_row() > PATIENCE;
}

/* How many yields each thread has come to in this execution. */
static uint32_t met[HEDDLE_MAX_THREADS];

static void yields_begin(void)
{
	memset(met, 0, sizeof(met));
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		idle[t].progress = UINT64_MAX;
	yields = last_tid = last_clock = 0;
}

AT_BEGIN(yields_begin);

/*
 * At random: is the thread where it was at an earlier yield of this spell, and memory, too? The state to
 * come back to is kept ever longer.
 */
static bool is_back(const struct op *op)
{
	static struct {
		uint64_t spell, yields, hash[2], memory;
		bool kept, back;
	} of[HEDDLE_MAX_THREADS], *y;
	uint64_t hash[2], memory;

	if (shared->config.mode != ENGINE_ONLINE || !probe_place(op, hash))
		return false;
	y = &of[current->tid];
	if (y->spell != quiet_spell()) {
		y->spell = quiet_spell();
		y->yields = 0;
		y->kept = y->back = false;
	}
	if (!y->back && y->kept && y->hash[0] == hash[0] && y->hash[1] == hash[1])
		y->back = unseen_hash(&memory) && memory == y->memory;
	y->yields++;
	if (!y->back && !(y->yields & (y->yields - 1))) {
		memcpy(y->hash, hash, sizeof(hash));
		y->kept = unseen_hash(&y->memory);
	}
	return y->back;
}

/* In a replay: the thread is stopped in its yield exactly if it was (engine/stops.c). False: nothing is recorded. */
static bool stops_as_recorded(struct op *op, uint32_t enough)
{
	struct op_result res;

	if (!engine_is_recorded(engine))
		return false;
	if (engine_stops_here(engine, current->tid, op->peer)) {
		operate(op, &res);
	} else if (engine_has_repeated(engine, current->tid, op->peer) && in_a_row() > enough) {
		op->fn = YIELD_ASIDE;
		operate(op, &res);
	}
	return true;
}

void yield_in_loop(uint64_t pc, bool for_good)
{
	struct op op = { .kind = OP_YIELD, .pc = pc };
	struct op_result res;
	bool random = shared->config.mode == ENGINE_ONLINE && !is_quiet();

	if (!under_engine())
		return;
	settle();
	op.peer = ++met[current->tid];
	if (stops_as_recorded(&op, ENOUGH_LOOPS))
		return;
	if (random)
		quiet_loops();
	else if (!current->probing)
		op.fn = is_back(&op) ? YIELD_BACK : YIELD_ASIDE;
	operate(&op, &res);
	if (!random && for_good)
		look_round(true);
}

void thread_yield(uint64_t pc)
{
	struct op op = { .kind = OP_YIELD, .pc = pc };
	struct op_result res;
	bool random;

	if (!under_engine() || current->probing)
		return;
	settle(); /* in each of them, as in a replay it is not known which are an operation */
	op.peer = ++met[current->tid];
	if (stops_as_recorded(&op, ENOUGH))
		return;
	random = shared->config.mode == ENGINE_ONLINE && !is_quiet();
	if (!random && !unseen && !is_alone() && shared->config.mode != ENGINE_ONLINE)
		return;
	if (!random)
		op.fn = is_back(&op) ? YIELD_BACK : YIELD_ASIDE;
	operate(&op, &res);
	if (!random)
		look_round(false);
}

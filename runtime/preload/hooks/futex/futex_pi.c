/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_pi.c - futexes with priority inheritance
 *
 * The word is the lock: 0, or the id of the thread that has it (gettid()), with FUTEX_WAITERS when somebody
 * sleeps for it, so that the owner has to ask the kernel to unlock it, and FUTEX_OWNER_DIED when
 * an earlier owner ended without. As in the kernel, all that is known besides is who sleeps, and
 * who had the lock when the first of them came; what does not fit the word is EINVAL. Threads have no
 * priorities here: whom an unlock gives the lock to is any of those who sleep for it.
 *
 * All is done under the guard of futex_table.c. Who would close a circle of threads that wait for each other
 * is told EDEADLK, as by the kernel, which looks along the chain of owners. (There, two may be told so at once.)
 *
 * Of a thread that ends with such a lock the next sleeper gets it, in one step, and who asks for it
 * later is told ESRCH. Whether it had ended by then is a matter of order, so that programs in which
 * that is found to happen are learned (FACT_FUTEX_OWNERS), and their threads end under the guard. In others ends cost nothing.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/touch.h"
#include "preload/facts/facts.h"
#include "preload/hooks/futex/futex.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/timeout.h"
#include "preload/step/perform.h"

enum {
	WORDS = 4
};

/* Threads that have ended in this execution; and those that others have found to own a word. */
static struct thread_set ended, owners;
/* Which: WORDS + 1 is more. */
static struct owned {
	uint32_t n;
	const uint32_t *word[WORDS];
} owned[HEDDLE_MAX_THREADS];
FRESH(owned);

static void futex_begin_execution(void)
{
	ended = owners = (struct thread_set){ 0 };
}

AT_BEGIN(futex_begin_execution);

/* They may also have found that it had ended. */
static void note_owner(uint32_t tid, const uint32_t *word)
{
	struct owned *o = &owned[tid];

	o->n = thread_set_has(&owners, tid) ? o->n : 0;
	thread_set_add(&owners, tid);
	for (uint32_t i = 0; i < o->n && i < WORDS; i++)
		if (o->word[i] == word)
			return;
	if (o->n < WORDS)
		o->word[o->n] = word;
	o->n += o->n <= WORDS;
}

static void futex_thread_created(uint32_t tid)
{
	thread_set_remove(&ended, tid);
	thread_set_remove(&owners, tid);
	futex_list_begins(tid);
}

AT_CREATED(futex_thread_created);

/* Of those who ask for a lock. */
enum {
	HAS_TO_SLEEP,
	HAS_IT
};

/* What a word holds when the thread owns it. */
static uint32_t id_of(uint32_t tid)
{
	return (uint32_t)identity_of(tid);
}

/* ---- Owners ---------------------------------------------------------------------------------------- */

/* Has the thread ended, in the order of things? */
static bool is_dead(uint32_t tid)
{
	bool dead = thread_set_has(&ended, tid);

	if (dead && shared->config.mode != ENGINE_REPLAY && !fact_in_use(FACT_FUTEX_OWNERS))
		fact_found(FACT_FUTEX_OWNERS);
	return dead;
}

/* The kernel's, so that another process has it. */
static void must_not_be_another(uint32_t id)
{
	if (!REAL(kill)((pid_t)id, 0) || errno == EPERM)
		refuse("a futex with priority inheritance holds the id of a thread that is not the "
		       "program's, and what other processes do is not explored: use gettid()",
		       NULL);
}

/* The first to sleep for a word with this value: *owner has it. HAS_TO_SLEEP or an error. */
static int find_owner(uint32_t value, uint32_t *owner)
{
	uint32_t id = value & FUTEX_TID_MASK;
	int tid = identity_thread((pid_t)id);

	if (tid < 0) {
		must_not_be_another(id);
		return -ESRCH;
	}
	if (is_dead((uint32_t)tid))
		return -ESRCH;
	*owner = (uint32_t)tid;
	return HAS_TO_SLEEP;
}

/* Others sleep already, so that the owner is known; does the word say the same? */
static int same_owner(const struct thread_set *there, uint32_t value, uint32_t *owner)
{
	if (futex_sleep_of(there) != SLEEPS_FOR_LOCK)
		return -EINVAL;
	*owner = futex_sleepers[thread_set_first(there)].owner;
	return (value & FUTEX_TID_MASK) == id_of(*owner) ? HAS_TO_SLEEP : -EINVAL;
}

/* As futex_lock_pi_atomic() of the kernel. */
static int ask(uint32_t *word, const struct thread_set *there, uint32_t tid, bool others,
	       uint32_t *owner, uint64_t pc)
{
	uint32_t id = id_of(tid), seen = futex_load(word, pc), mine;

	for (;;) {
		if ((seen & FUTEX_TID_MASK) == id)
			return -EDEADLK;
		if (thread_set_any(there))
			return same_owner(there, seen, owner);
		mine = (seen & FUTEX_OWNER_DIED) | id | (others ? FUTEX_WAITERS : 0);
		if (!(seen & FUTEX_TID_MASK)) {
			if (futex_swap(word, &seen, mine, pc))
				return HAS_IT;
		} else if (seen & FUTEX_WAITERS ||
			   futex_swap(word, &seen, seen | FUTEX_WAITERS, pc)) {
			return find_owner(seen, owner);
		}
	}
}

/*
 * The thread asks for the lock, for which those sleep that are there: has it (with FUTEX_WAITERS if others
 * will sleep for it), has to sleep since *owner has it, or an error.
 */
static int ask_for(uint32_t *word, const struct thread_set *there, uint32_t tid, bool others,
		   uint32_t *owner, uint64_t pc)
{
	int result = ask(word, there, tid, others, owner, pc);

	if (result == HAS_TO_SLEEP)
		note_owner(*owner, word);
	return result;
}

/* Would the thread wait for itself, if it slept for what `owner` has? */
static bool closes_circle(uint32_t tid, uint32_t owner)
{
	for (int i = 0; i < HEDDLE_MAX_THREADS; i++) {
		if (owner == tid)
			return true;
		if (futex_sleepers[owner].how != SLEEPS_FOR_LOCK)
			return false;
		owner = futex_sleepers[owner].owner;
	}
	return false;
}

/* One who sleeps for the word has it now; the others know. */
static void give_to(uint32_t heir, uint64_t name, uint64_t pc)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		if (futex_sleepers[t].how == SLEEPS_FOR_LOCK && futex_sleepers[t].word == name)
			futex_sleeper(t)->owner = heir;
	note_owner(heir, (const uint32_t *)(name & ~1ul));
	futex_rouse(heir, pc);
}

static uint32_t any_of(const struct thread_set *set, uint64_t pc)
{
	const struct thread_set one = futex_some_of(set, 1, pc);

	return thread_set_first(&one);
}

/* ---- Locking and unlocking --------------------------------------------------------------------------- */

/* Behind handlers the call begins again, whatever they ask for. */
static long sleep_for_lock(struct sleeper as, const struct futex_wait *w)
{
	int result = futex_sleep(as, w);

	if (result != -EINTR)
		return result;
	interrupt_ends(-1, EINTR, true, w->pc);
	return futex_lock_pi(w, false);
}

long futex_lock_pi(const struct futex_wait *w, bool tries)
{
	struct sleeper as = { .how = SLEEPS_FOR_LOCK, .word = futex_name(w->word, w->op) };
	struct thread_set there;
	int result;

	futex_needs_table();
	futex_enter(w->pc);
	there = futex_sleepers_on(as.word);
	result = ask_for(w->word, &there, self_id(), false, &as.owner, w->pc);
	if (result == HAS_TO_SLEEP && !tries && closes_circle(self_id(), as.owner))
		result = -EDEADLK;
	if (result == HAS_TO_SLEEP && !tries)
		return sleep_for_lock(as, w);
	futex_leave(w->pc);
	/* As many in a row are followed as time-outs: whether a round changed anything cannot be told,
	 * since syscall() is no hook of entry.h. */
	if (result == HAS_TO_SLEEP && under_engine() && shared->config.mode != ENGINE_ONLINE)
		timed_out(CLOCK_MONOTONIC, NULL, w->pc);
	return result == HAS_IT ? 0 : result == HAS_TO_SLEEP ? -EAGAIN : result;
}

/* As futex_unlock_pi() and wake_futex_pi() of the kernel. */
static long unlock(uint32_t *word, uint64_t name, uint64_t pc)
{
	struct thread_set there = futex_sleepers_on(name);

	for (;;) {
		uint32_t value = futex_load(word, pc), seen = value, heir;

		if ((value & FUTEX_TID_MASK) != id_of(self_id()))
			return -EPERM;
		if (!thread_set_any(&there))
			return futex_swap(word, &seen, 0, pc) ? 0 : -EAGAIN;
		if (futex_sleep_of(&there) != SLEEPS_FOR_LOCK ||
		    futex_sleepers[thread_set_first(&there)].owner != self_id())
			return -EINVAL;
		heir = any_of(&there, pc);
		if (futex_swap(word, &seen, FUTEX_WAITERS | id_of(heir), pc)) {
			give_to(heir, name, pc);
			return 0;
		}
		if ((seen & FUTEX_TID_MASK) != value)
			return -EINVAL;
	}
}

long futex_unlock_pi(uint32_t *word, int op, uint64_t pc)
{
	long result;

	futex_needs_table();
	futex_enter(pc);
	result = unlock(word, futex_name(word, op), pc);
	futex_leave(pc);
	return result;
}

/* ---- Moving ------------------------------------------------------------------------------------------ */

long futex_wait_requeue_pi(const struct futex_wait *w)
{
	struct sleeper as = { .how = SLEEPS_TO_MOVE,
			      .word = futex_name(w->word, w->op),
			      .target = futex_name(w->target, w->op) };
	int result;

	futex_needs_table();
	futex_enter(w->pc);
	if (futex_load(w->word, w->pc) != w->expected) {
		futex_leave(w->pc);
		return -EAGAIN;
	}
	result = futex_sleep(as, w);
	if (result == -EINTR || result == -EAGAIN)
		interrupt_ends(-1, EINTR, true, w->pc);
	return result == -EINTR ? futex_wait_requeue_pi(w) : result;
}

/* Do they wait to be moved there? Those who wait for another word would be met in an order of their own. */
static bool await_move(const struct thread_set *set, uint64_t to)
{
	uint32_t there = 0;

	THREAD_SET_EACH(t, set)
		there += futex_sleepers[t].target == to;
	if (there && there != thread_set_count(set))
		refuse("threads wait with FUTEX_WAIT_REQUEUE_PI at one futex to be moved to "
		       "different ones, and whom the kernel meets first is not explored: use a "
		       "futex for each",
		       NULL);
	return there && futex_sleep_of(set) == SLEEPS_TO_MOVE;
}

/* Moves them one after the other; how many, or an error. */
static long move(const struct thread_set *set, uint64_t to, uint32_t owner)
{
	long n = 0;

	THREAD_SET_EACH(tid, set) {
		struct sleeper *s;

		if (closes_circle(tid, owner))
			return -EDEADLK;
		s = futex_sleeper(tid);
		s->how = SLEEPS_FOR_LOCK;
		s->word = to;
		s->owner = owner;
		n++;
	}
	return n;
}

/* As futex_requeue() of the kernel: the first gets the lock or sleeps for it, others sleep for it. */
static long requeue(const struct futex_requeue *r)
{
	struct thread_set set, others, there;
	uint64_t to = futex_name(r->to, r->op);
	uint32_t first, owner = 0;
	long result, moved;

	if (futex_load(r->from, r->pc) != r->expected)
		return -EAGAIN;
	set = futex_sleepers_on(futex_name(r->from, r->op));
	if (!thread_set_any(&set))
		return 0;
	if (!await_move(&set, to))
		return -EINVAL;
	first = any_of(&set, r->pc);
	there = futex_sleepers_on(to);
	result = ask_for(r->to, &there, first, r->move > 0, &owner, r->pc);
	if (result < 0)
		return result;
	thread_set_remove(&set, first);
	others = futex_some_of(&set, (uint32_t)r->move, r->pc);
	if (result == HAS_IT) {
		owner = first;
		futex_rouse(owner, r->pc);
	} else {
		thread_set_add(&others, first);
	}
	moved = move(&others, to, owner);
	return moved < 0 ? moved : moved + result;
}

long futex_cmp_requeue_pi(const struct futex_requeue *r)
{
	long n;

	futex_needs_table();
	futex_enter(r->pc);
	n = requeue(r);
	futex_leave(r->pc);
	return n;
}

/* ---- Owners that end ------------------------------------------------------------------------------------ */

/* The name of a word for which somebody sleeps, and which the caller has; or 0. */
static uint64_t bequeathed(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		if (futex_sleepers[t].how == SLEEPS_FOR_LOCK &&
		    futex_sleepers[t].owner == self_id())
			return futex_sleepers[t].word;
	return 0;
}

/*
 * Could another order of things leave the caller a lock that others find, or sleep for, when it has ended? Its own id
 * goes from a word by its own doing only.
 */
static bool leaves_lock(void)
{
	const struct owned *o = &owned[self_id()];
	uint32_t n = thread_set_has(&owners, self_id()) ? o->n : 0;
	bool leaves = bequeathed() || n > WORDS;

	for (uint32_t i = 0; !leaves && i < n; i++)
		leaves = memory_readable(o->word[i], sizeof(*o->word[i])) &&
			 (*o->word[i] & FUTEX_TID_MASK) == id_of(self_id());
	return leaves;
}

static void bequeath(uint64_t name)
{
	uint32_t *word = (uint32_t *)(name & ~1ul);
	const struct thread_set there = futex_sleepers_on(name);
	uint32_t heir = any_of(&there, 0), seen = futex_load(word, 0);

	while (!futex_swap(word, &seen, FUTEX_WAITERS | FUTEX_OWNER_DIED | id_of(heir), 0))
		;
	give_to(heir, name, 0);
}

void futex_thread_end(void)
{
	bool replay = shared->config.mode == ENGINE_REPLAY, guarded;
	uint64_t name;

	if (!under_engine() || !fact_in_use(FACT_FUTEX_TABLE))
		return;
	guarded = fact_in_use(FACT_FUTEX_OWNERS) || futex_list_is_used();
	if (guarded)
		futex_enter(0);
	futex_list_ends();
	thread_set_add(&ended, self_id());
	if (!guarded && !replay && leaves_lock())
		fact_found(FACT_FUTEX_OWNERS);
	while ((name = bequeathed()))
		bequeath(name);
	if (guarded)
		futex_leave(0);
}

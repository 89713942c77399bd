/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), a race that only a round of a loop is in, which is left out where it did nothing
 *
 * Who reads from whom in the execution at hand need not show it: in another one with the same values the one that comes behind the
 * loop does not synchronise with it.
 *
 * case synchronises_or_not -e value: bug data-race
 * case synchronises_or_not -e value -m rc20: bug data-race
 * case synchronises_or_not -e value -j 2: bug data-race
 * case synchronises_or_not -e value --backend=fork: bug data-race
 * case synchronises_or_not -e rf: bug data-race
 * case synchronises_or_not -e value -m ra: ok 3
 * case the_second_does_not -e value -m rc20: bug data-race at shared = 2;
 * case the_second_does_not -e rf -m rc20: bug data-race at shared = 2;
 * case the_second_does_not -e value: ok 6
 * case behind_it_or_not -e value: bug data-race at shared = 3;
 * case behind_it_or_not -e value -j 2: bug data-race at shared = 3;
 * case behind_it_or_not -e rf: bug data-race at shared = 3;
 * case always_synchronises -e value: ok 6
 * case always_synchronises -e value -m ra: ok 3
 * case written_before -e value: ok 3
 * case written_at_the_end -e value: ok 1
 * case writes_in_each_round -e value: bug assertion
 * case writes_in_each_round -e value -m relaxed: bug assertion
 * case writes_in_each_round -e value -j 2: bug assertion
 * case writes_in_each_round -e value --backend=fork: bug assertion
 * case writes_what_is_read_behind -e value: ok 4
 * case writes_what_is_read_behind -e value -m tso: ok 4
 * case writes_what_is_read_behind -e value -m sra: ok 4
 * case writes_what_is_read_behind -e value -j 2: ok 4
 * case writes_once_it_is_held -e value: ok 6
 * case writes_once_it_is_held -e value -m tso: ok 6
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static atomic_int flag, after;
static int shared, seen;
static memory_order first_order = memory_order_release, second_order = memory_order_release;

typedef void *body(void *);

static void run(body *a, body *b, body *c)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, a, NULL);
	pthread_create(&t[1], NULL, b, NULL);
	pthread_create(&t[2], NULL, c, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
}

/* It looks at what is shared only if it comes too early, and what it does behind the loop is the same in any case. */
static void *waits(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		seen = shared;
	atomic_store_explicit(&after, 1, first_order);
	atomic_store_explicit(&after, 1, second_order);
	return arg;
}

static void *comes_behind(void *arg)
{
	if (atomic_load_explicit(&after, memory_order_acquire))
		shared = 2; /* bug: synchronises_or_not */
	(void)atomic_load(&after);
	return arg;
}

static void *raises(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

static void synchronises_or_not(void)
{
	first_order = memory_order_relaxed;
	run(waits, comes_behind, raises);
}

/* There the store that releases comes first, and has no release sequence. */
static void the_second_does_not(void)
{
	second_order = memory_order_relaxed;
	run(waits, comes_behind, raises);
}

static void always_synchronises(void)
{
	run(waits, comes_behind, raises);
}

/*
 * Of two executions with the same values only one has the round in vain, the other one is visited. In the latter `go` comes from who has raised the
 * flag before, so nobody finds it down; and `after` comes from a third thread, so who accesses what is shared knows nothing of the loop.
 * If `go` comes from the third thread, the flag may be down, but the other `after` is 2 by then for all who know of that.
 */
static atomic_int go, ready, looked_at;

static void *raises_then_goes(void *arg)
{
	raises(arg);
	atomic_store_explicit(&go, 1, memory_order_release);
	return arg;
}

static void *waits_when_it_goes(void *arg)
{
	if (!atomic_load_explicit(&go, memory_order_acquire))
		return arg;
	atomic_store_explicit(&ready, 1, memory_order_release);
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		seen = shared;
	atomic_store_explicit(&after, 1, memory_order_relaxed);
	return arg;
}

static void *comes_without_it(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_acquire) &&
	    atomic_load_explicit(&after, memory_order_relaxed) == 1)
		shared = 3;
	atomic_store_explicit(&looked_at, 0, memory_order_relaxed);
	return arg;
}

static void *writes_late(void *arg)
{
	(void)atomic_load_explicit(&looked_at, memory_order_relaxed);
	atomic_store_explicit(&after, 1, memory_order_relaxed);
	atomic_store_explicit(&after, 2, memory_order_relaxed);
	atomic_store_explicit(&go, 1, memory_order_release);
	return arg;
}

static void behind_it_or_not(void)
{
	pthread_t t;

	pthread_create(&t, NULL, raises_then_goes, NULL);
	run(waits_when_it_goes, writes_late, comes_without_it);
	pthread_join(t, NULL);
}

static void *writes_first(void *arg)
{
	shared = 1;
	atomic_store_explicit(&after, 1, memory_order_release);
	return arg;
}

static void *waits_if_it_was_written(void *arg)
{
	if (atomic_load_explicit(&after, memory_order_acquire))
		while (!atomic_load_explicit(&flag, memory_order_acquire))
			seen = shared;
	return arg;
}

/* Whoever writes knows nothing of the loop. */
static void written_before(void)
{
	run(writes_first, waits_if_it_was_written, raises);
}

static void *nothing(void *arg)
{
	return arg;
}

/* All are over by then. */
static void written_at_the_end(void)
{
	run(waits, nothing, raises);
	shared = 1;
}

/* A loop without end that nothing may be left out of: the first execution ends by reads-from. */
static atomic_int written;

static void *writes_and_waits(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
		atomic_store_explicit(&written, 1, memory_order_relaxed);
		atomic_store_explicit(&written, 0, memory_order_relaxed);
	}
	atomic_store_explicit(&after, 1, memory_order_relaxed);
	return arg;
}

static void *finds_it_written(void *arg)
{
	if (atomic_load_explicit(&after, memory_order_relaxed)) {
		int value = atomic_load_explicit(&written, memory_order_relaxed);

		assert(value == 0); /* bug: writes_in_each_round */
	}
	return arg;
}

static void writes_in_each_round(void)
{
	run(writes_and_waits, finds_it_written, raises);
}

/*
 * What it writes plainly is read behind the loop, so each write is an event, and by values each round is another one: there is no end to these. By reads-from no round does
 * anything.
 */
static void *writes_and_passes(void *arg)
{
	while (!atomic_load(&flag))
		shared = 4;
	atomic_store(&after, 1);
	return arg;
}

static void *reads_behind(void *arg)
{
	if (atomic_load(&after))
		seen = shared;
	return arg;
}

static void writes_what_is_read_behind(void)
{
	run(writes_and_passes, reads_behind, raises);
}

/* Likewise, where the first execution has no round. */
static void *lowers_and_raises(void *arg)
{
	atomic_store(&flag, 0);
	return raises(arg);
}

static void writes_once_it_is_held(void)
{
	atomic_init(&flag, 1);
	run(writes_and_passes, reads_behind, lowers_and_raises);
}

CASES(CASE(synchronises_or_not), CASE(the_second_does_not), CASE(behind_it_or_not),
      CASE(always_synchronises), CASE(written_before), CASE(written_at_the_end),
      CASE(writes_in_each_round), CASE(writes_what_is_read_behind), CASE(writes_once_it_is_held))

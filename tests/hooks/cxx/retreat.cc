/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * retreat.cc - threads that try a lock, let go of another when they do not get it, and begin again
 *
 * case locks_in_both_orders: ok 18
 * case locks_in_both_orders -m sc: ok 18
 * case locks_in_both_orders --timeouts=1: ok * (loops as compiled)
 * case scoped_locks_of_three: ok 18
 * case scoped_locks_of_three_in_both_orders: ok * (loops as compiled)
 * case shared_and_exclusive: ok 38
 * case against_nested_locks: ok 4
 * case by_hand: ok 618
 * case spin_locks: ok 545
 * case read_write_locks: ok 545
 * case what_is_locked_is_not_enough: bug data-race
 * case wrong_after_the_second_round: bug assertion at assert(found != 2)
 * case gives_up_after_six_local: bug assertion at assert(got)
 * case gives_up_after_six_global: bug assertion at assert(got)
 * case gives_up_after_six_atomic: bug assertion at assert(got)
 */
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <pthread.h>

#include "cases.h"

static std::mutex a, b, c;
static int n;

static void locks_in_both_orders()
{
	std::thread t([] {
		std::lock(a, b);
		n++;
		a.unlock();
		b.unlock();
	});

	std::lock(b, a);
	n++;
	b.unlock();
	a.unlock();
	t.join();
	assert(n == 2);
}

static void scoped_locks_of_three()
{
	std::thread t([] {
		std::scoped_lock l(a, b, c);
		n++;
	});

	{
		std::scoped_lock l(c, a);
		n++;
	}
	t.join();
	assert(n == 2);
}

/* Each begins with any of the three, and need not come back to one of them. */
static void scoped_locks_of_three_in_both_orders()
{
	std::thread t([] {
		std::scoped_lock l(a, b, c);
		n++;
	});

	{
		std::scoped_lock l(c, b, a);
		n++;
	}
	t.join();
	assert(n == 2);
}

static void shared_and_exclusive()
{
	static std::shared_mutex s;
	std::thread t([] {
		std::shared_lock l(s, std::defer_lock);
		std::lock(a, l);
		assert(n == 0 || n == 1);
		a.unlock();
	});

	{
		std::scoped_lock l(s, a);
		n++;
	}
	t.join();
}

static void against_nested_locks()
{
	std::thread t([] {
		std::scoped_lock l(a, b);
		n++;
	});

	b.lock();
	a.lock();
	n++;
	a.unlock();
	b.unlock();
	t.join();
	assert(n == 2);
}

/* The loop that textbooks have. */
template <typename First, typename Try, typename Free>
static void both(First first, Try try_, Free free)
{
	for (;;) {
		first();
		if (try_())
			return;
		free();
		std::this_thread::yield();
	}
}

static void by_hand()
{
	auto work = [](std::mutex &x, std::mutex &y) {
		both([&] { x.lock(); }, [&] { return y.try_lock(); }, [&] { x.unlock(); });
		n++;
		y.unlock();
		x.unlock();
	};
	std::thread t([&] { work(a, b); });

	work(b, a);
	t.join();
	assert(n == 2);
}

static void spin_locks()
{
	static pthread_spinlock_t lock[2];
	auto work = [](int i) {
		both([=] { pthread_spin_lock(&lock[i]); },
		     [=] { return !pthread_spin_trylock(&lock[!i]); },
		     [=] { pthread_spin_unlock(&lock[i]); });
		n++;
		pthread_spin_unlock(&lock[0]);
		pthread_spin_unlock(&lock[1]);
	};

	pthread_spin_init(&lock[0], 0);
	pthread_spin_init(&lock[1], 0);
	std::thread t(work, 0);
	work(1);
	t.join();
	assert(n == 2);
}

static void read_write_locks()
{
	static pthread_rwlock_t lock[2] = { PTHREAD_RWLOCK_INITIALIZER,
					    PTHREAD_RWLOCK_INITIALIZER };
	auto work = [](int i) {
		both([=] { pthread_rwlock_rdlock(&lock[i]); },
		     [=] { return !pthread_rwlock_trywrlock(&lock[!i]); },
		     [=] { pthread_rwlock_unlock(&lock[i]); });
		n++;
		pthread_rwlock_unlock(&lock[0]);
		pthread_rwlock_unlock(&lock[1]);
	};
	std::thread t(work, 0);

	work(1);
	t.join();
	assert(n == 2);
}

static void what_is_locked_is_not_enough()
{
	std::thread t([] {
		std::scoped_lock l(a, b);
		n++; /* bug: what_is_locked_is_not_enough */
	});

	{
		std::scoped_lock l(b, c);
		n++;
	}
	{
		std::scoped_lock l(c, a);
		n++;
	}
	n++;
	t.join();
}

/* It finds the other one locked twice before it gets it. */
static void wrong_after_the_second_round()
{
	static std::atomic<int> found;
	std::thread t([] {
		b.lock();
		b.unlock();
		b.lock();
		b.unlock();
	});
	int rounds = 0;

	both([] { a.lock(); }, [] { return b.try_lock(); },
	     [&] {
		     rounds += rounds < 3; /* or rounds would have no end */
		     a.unlock();
	     });
	found = rounds;
	b.unlock();
	a.unlock();
	t.join();
	assert(found != 2);
}

/* What is counted is no round in vain. */
enum {
	ENOUGH = 6
};

template <typename Count> static void gives_up(Count count)
{
	std::thread t([] { std::scoped_lock l(b); });
	bool got;

	do {
		a.lock();
		got = b.try_lock();
		a.unlock();
	} while (!got && count() < ENOUGH);
	assert(got);
	b.unlock();
	t.join();
}

static void gives_up_after_six_local()
{
	int tries = 0;

	gives_up([&] { return ++tries; });
}

static void gives_up_after_six_global()
{
	gives_up([] { return ++n; });
}

static void gives_up_after_six_atomic()
{
	static std::atomic<int> tries;

	gives_up([] { return ++tries; });
}

CASES(CASE(locks_in_both_orders), CASE(scoped_locks_of_three),
      CASE(scoped_locks_of_three_in_both_orders), CASE(shared_and_exclusive),
      CASE(against_nested_locks), CASE(by_hand), CASE(spin_locks), CASE(read_write_locks),
      CASE(what_is_locked_is_not_enough), CASE(wrong_after_the_second_round),
      CASE(gives_up_after_six_local), CASE(gives_up_after_six_global),
      CASE(gives_up_after_six_atomic))

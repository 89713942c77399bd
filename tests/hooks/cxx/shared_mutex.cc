/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_mutex.cc - shared and timed locks of the C++ library
 *
 * case readers_and_a_writer: ok 14
 * case readers_do_not_exclude: ok 1
 * case shared_try_lock: ok 4
 * case writer_without_a_lock: bug data-race at [] { value = 1; })
 * case timed_mutex_gets_it_or_not: ok 4
 * case timed_mutex_is_held_for_ever: ok 1
 * case shared_timed_mutex_gets_it_or_not: ok 4
 * case wait_for_ends_either_way: ok 4
 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <pthread.h>

#include "cases.h"

using namespace std::chrono_literals;

template <class F, class G> static void both(F f, G g)
{
	std::thread a(f), b(g);

	a.join();
	b.join();
}

static std::shared_mutex m;
static int value;

static void readers_and_a_writer()
{
	auto read = [] {
		std::shared_lock lock(m);

		assert(value == 0 || value == 2);
	};
	std::thread reader(read);

	both(read, [] {
		std::unique_lock lock(m);

		value++;
		value++;
	});
	reader.join();
}

static void readers_do_not_exclude()
{
	std::shared_lock lock(m);

	std::thread([] {
		std::shared_lock inner(m);

		assert(inner.owns_lock());
	}).join();
}

static void shared_try_lock()
{
	both(
		[] {
			std::shared_lock lock(m, std::try_to_lock);

			if (lock.owns_lock())
				assert(value == 0 || value == 1);
		},
		[] {
			std::unique_lock lock(m, std::try_to_lock);

			if (lock.owns_lock())
				value = 1;
		});
}

static void writer_without_a_lock()
{
	both(
		[] {
			std::shared_lock lock(m);

			assert(value >= 0);
		},
		[] { value = 1; });
}

static std::timed_mutex timed;

static void timed_mutex_gets_it_or_not()
{
	auto add = [] {
		std::unique_lock lock(timed, 1s);

		if (lock.owns_lock())
			value++;
	};

	both(add, add);
	assert(value == 1 || value == 2);
}

static void timed_mutex_is_held_for_ever()
{
	std::lock_guard lock(timed);

	std::thread([] { assert(!timed.try_lock_for(1ms)); }).join();
}

static void shared_timed_mutex_gets_it_or_not()
{
	static std::shared_timed_mutex shared;

	both(
		[] {
			if (shared.try_lock_shared_for(1ms)) {
				assert(value == 0 || value == 1);
				shared.unlock_shared();
			}
		},
		[] {
			if (shared.try_lock_for(1ms)) {
				value = 1;
				shared.unlock();
			}
		});
}

static void wait_for_ends_either_way()
{
	static std::mutex plain;
	static std::condition_variable cv;

	both(
		[] {
			std::unique_lock lock(plain);
			bool in_time = cv.wait_for(lock, 1s, [] { return value == 1; });

			assert(in_time == (value == 1));
		},
		[] {
			std::lock_guard lock(plain);

			value = 1;
			cv.notify_one();
		});
}

CASES(CASE(readers_and_a_writer), CASE(readers_do_not_exclude), CASE(shared_try_lock),
      CASE(writer_without_a_lock), CASE(timed_mutex_gets_it_or_not),
      CASE(timed_mutex_is_held_for_ever), CASE(shared_timed_mutex_gets_it_or_not),
      CASE(wait_for_ends_either_way))

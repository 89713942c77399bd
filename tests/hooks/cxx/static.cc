/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * static.cc - static variables of functions, thread_local ones, and std::call_once
 *
 * case one_thread_initialises_the_other_waits: ok 4
 * case the_constructor_may_wait_itself: ok 4
 * case initialised_before_the_threads: ok 1
 * case initialised_while_threads_are_created: ok 4
 * case a_constructor_that_throws_is_tried_again: ok 8
 * case needed_by_its_own_constructor: bug deadlock at std::thread([] { recursive
 * case what_comes_after_is_not_ordered: bug data-race at two([] { the_answer
 * case thread_local_of_each_thread: ok 2
 * case thread_local_is_destroyed_with_its_thread: ok 1
 * case call_once_runs_once: ok 2
 * case call_once_is_tried_again_after_an_exception: ok 2
 * case call_once_is_tried_again_after_pthread_exit: ok 2
 * case call_once_within_call_once: ok 2
 */
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include "cases.h"

static void two(void (*fn)())
{
	std::thread a(fn), b(fn);

	a.join();
	b.join();
}

static int made;

struct answer {
	int value;

	answer() : value(42)
	{
		made++;
	}
};

static answer &the_answer()
{
	static answer a;

	return a;
}

static void one_thread_initialises_the_other_waits()
{
	two([] { assert(the_answer().value == 42 && made == 1); });
	assert(made == 1);
}

static std::mutex mutex;

struct locked {
	int value;

	locked()
	{
		std::lock_guard<std::mutex> guard(mutex);

		value = 7;
	}
};

static void the_constructor_may_wait_itself()
{
	two([] {
		static locked l;

		assert(l.value == 7);
	});
}

static void initialised_before_the_threads()
{
	the_answer();
	two([] { assert(the_answer().value == 42); });
}

static void other_answer()
{
	static std::vector<int> v{ 1, 2, 3 };

	assert(v.size() == 3);
}

struct pool {
	std::thread a, b;

	pool() : a(other_answer), b(other_answer)
	{
		a.join();
		b.join();
	}
};

static void initialised_while_threads_are_created()
{
	auto get = []() -> pool & {
		static pool p;

		return p;
	};

	assert(!get().a.joinable());
	assert(&get() == &get());
}

static std::atomic<int> attempts;

struct second_time {
	int value;

	second_time() : value(5)
	{
		if (attempts.fetch_add(1) == 0)
			throw std::runtime_error("not yet");
	}
};

static void try_second_time()
{
	for (int failed = 0;; failed++) {
		try {
			static second_time s;

			assert(s.value == 5);
			return;
		} catch (const std::runtime_error &) {
			assert(failed == 0);
		}
	}
}

static void a_constructor_that_throws_is_tried_again()
{
	two(try_second_time);
	assert(attempts == 2);
}

static int recursive(int n)
{
	static int value = n ? recursive(n - 1) : 0;

	return value;
}

static void needed_by_its_own_constructor()
{
	std::thread([] { recursive(1); }).join();
}

static void what_comes_after_is_not_ordered()
{
	two([] { the_answer().value++; });
}

static thread_local std::string name = "a string that is too long to be kept inside";
static thread_local int count = 3;

static void thread_local_of_each_thread()
{
	name += "!";
	two([] {
		assert(name.back() == 'e' && count == 3);
		name.clear();
		count++;
		assert(count == 4);
	});
	assert(name.back() == '!' && count == 3);
}

static std::atomic<int> destroyed;

struct counted {
	int n = 1;

	~counted()
	{
		destroyed += n;
	}
};

static thread_local counted object;

static void thread_local_is_destroyed_with_its_thread()
{
	std::thread t([] { object.n = 2; });

	t.join();
	assert(destroyed == 2);
}

static std::once_flag once, inner;
static int runs;

static void call_once_runs_once()
{
	two([] {
		std::call_once(once, [] { runs++; });
		assert(runs == 1);
	});
}

static std::atomic<int> caught;

static void call_once_is_tried_again_after_an_exception()
{
	two([] {
		try {
			std::call_once(once, [] {
				if (runs++ == 0)
					throw 1;
			});
		} catch (int i) {
			assert(i == 1);
			caught++;
		}
	});
	assert(runs == 2 && caught == 1);
}

static void call_once_is_tried_again_after_pthread_exit()
{
	two([] {
		std::call_once(once, [] {
			if (runs++ == 0)
				pthread_exit(NULL);
		});
		assert(runs == 2);
	});
	assert(runs == 2);
}

static void call_once_within_call_once()
{
	two([] {
		try {
			std::call_once(once, [] {
				std::call_once(inner, [] { runs++; });
				if (runs == 1) {
					runs++;
					throw 1;
				}
			});
		} catch (int) {
			std::call_once(inner, [] { runs += 10; });
		}
	});
	assert(runs == 2);
}

CASES(CASE(one_thread_initialises_the_other_waits), CASE(the_constructor_may_wait_itself),
      CASE(initialised_before_the_threads), CASE(initialised_while_threads_are_created),
      CASE(a_constructor_that_throws_is_tried_again), CASE(needed_by_its_own_constructor),
      CASE(what_comes_after_is_not_ordered), CASE(thread_local_of_each_thread),
      CASE(thread_local_is_destroyed_with_its_thread), CASE(call_once_runs_once),
      CASE(call_once_is_tried_again_after_an_exception),
      CASE(call_once_is_tried_again_after_pthread_exit), CASE(call_once_within_call_once))

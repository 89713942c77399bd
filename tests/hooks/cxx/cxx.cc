/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cxx.cc - threads, locks, shared pointers, atomics and exceptions of the C++ library
 *
 * case thread_arguments_and_results: ok 1
 * case threads_move_and_swap: ok 6
 * case detached_thread: ok 2
 * case jthread_stops_and_joins: ok 3
 * case stop_callback_runs_once: ok * (loops as compiled)
 * case thread_not_joined: bug abort
 * case lock_guard_excludes: ok 6
 * case recursive_mutex_nests: ok 2
 * case scoped_lock_of_two: ok 4
 * case locks_in_opposite_order: bug deadlock at s.join()
 * case condition_variable_wakes: ok 2
 * case condition_variable_any_wakes: ok 2
 * case notification_lost: bug deadlock at s.join()
 * case queue_of_two_producers: ok 12
 * case last_shared_ptr_deletes: ok 8
 * case weak_ptr_locks_or_not: ok 5
 * case shared_ptr_itself_is_not_atomic: bug data-race at both([] { global
 * case atomic_load_of_shared_ptr: ok 4
 * case atomic_of_structure: ok 2
 * case atomic_of_three_words: ok 10
 * case atomic_of_three_words_and_a_plain_write: bug data-race at [] { reinterpret_cast
 * case atomic_of_double: ok * (loops as compiled)
 * case atomic_reference: ok 2
 * case atomic_flag_as_a_lock -e rf: ok 2
 * case atomic_flag_as_a_lock -e value: ok 3
 * case exception_in_a_thread: ok 1
 * case exceptions_in_both_threads: ok 6
 * case exception_passed_to_another_thread: ok 1
 * case exception_leaves_a_thread: bug abort at throw std::runtime_error(text)
 * case exception_leaves_noexcept: bug abort at throw std::runtime_error(text)
 * case pthread_exit_runs_destructors: ok 20
 * case pthread_exit_passes_catch_all: ok 1
 */
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include "cases.h"

static void both(std::function<void()> a, std::function<void()> b)
{
	std::thread s(std::move(a)), t(std::move(b));

	s.join();
	t.join();
}

/* ---- Threads ---------------------------------------------------------------------------- */

static void thread_arguments_and_results()
{
	int result = 0;
	std::string text = "text";
	auto moved = std::make_unique<int>(5);
	std::thread t([](int n, const std::string &s, std::unique_ptr<int> p,
			 int &r) { r = n + *p + static_cast<int>(s.size()); },
		      1, text, std::move(moved), std::ref(result));

	assert(t.joinable() && t.get_id() != std::this_thread::get_id());
	t.join();
	assert(!t.joinable() && t.get_id() == std::thread::id() && result == 10);
}

static void threads_move_and_swap()
{
	std::vector<std::thread> threads;
	std::atomic<int> sum = 0;

	for (int i = 1; i < 4; i++)
		threads.emplace_back([&sum, i] { sum.fetch_add(i); });
	std::swap(threads[0], threads[2]);
	for (auto &t : threads)
		t.join();
	assert(sum == 6);
}

static std::atomic<int> x;

static void detached_thread()
{
	std::thread t([] { x.store(1); });

	t.detach();
	assert(!t.joinable());
	assert(x.load() == 0 || x.load() == 1);
}

static void jthread_stops_and_joins()
{
	int n = 0;

	{
		std::jthread t([&n](std::stop_token stop) {
			n = 1;
			if (stop.stop_requested())
				n = 2;
		});

		assert(t.request_stop() && !t.request_stop());
	}
	assert(n == 1 || n == 2);
}

static void stop_callback_runs_once()
{
	std::stop_source source;
	int runs = 0;

	both([&] { source.request_stop(); },
	     [&] { std::stop_callback callback(source.get_token(), [&] { runs++; }); });
	assert(runs == 0 || runs == 1);
}

static void thread_not_joined()
{
	std::thread t([] {});
} /* bug: thread_not_joined */

/* ---- Locks ------------------------------------------------------------------------------ */

static std::mutex m, n;
static int counter;

static void lock_guard_excludes()
{
	auto add = [] {
		std::lock_guard<std::mutex> guard(m);

		counter++;
	};
	std::thread a(add), b(add), c(add);

	a.join();
	b.join();
	c.join();
	assert(counter == 3);
}

static void recursive_mutex_nests()
{
	std::recursive_mutex r;
	auto add = [&] {
		std::lock_guard<std::recursive_mutex> outer(r);
		std::unique_lock<std::recursive_mutex> inner(r, std::try_to_lock);

		assert(inner.owns_lock());
		counter++;
	};

	both(add, add);
	assert(counter == 2);
}

static void scoped_lock_of_two()
{
	auto add = [] {
		std::scoped_lock lock(m, n);

		counter++;
	};

	both(add, add);
	assert(counter == 2);
}

static void locks_in_opposite_order()
{
	both([] { std::lock_guard<std::mutex> a(m), b(n); },
	     [] { std::lock_guard<std::mutex> b(n), a(m); });
}

/* ---- Condition variables ---------------------------------------------------------------- */

static bool ready;

template <class Condition> static void wake(Condition &cv)
{
	both(
		[&] {
			std::unique_lock<std::mutex> lock(m);

			cv.wait(lock, [] { return ready; });
			assert(ready && lock.owns_lock());
		},
		[&] {
			{
				std::lock_guard<std::mutex> lock(m);

				ready = true;
			}
			cv.notify_one();
		});
}

static void condition_variable_wakes()
{
	std::condition_variable cv;

	wake(cv);
}

static void condition_variable_any_wakes()
{
	std::condition_variable_any cv;

	wake(cv);
}

static void notification_lost()
{
	std::condition_variable cv;

	both(
		[&] {
			std::unique_lock<std::mutex> lock(m);

			cv.wait(lock);
		},
		[&] { cv.notify_one(); });
}

static void queue_of_two_producers()
{
	std::condition_variable cv;
	std::deque<int> queue;
	int sum = 0;
	auto put = [&](int i) {
		std::lock_guard<std::mutex> lock(m);

		queue.push_back(i);
		cv.notify_one();
	};
	std::thread a(put, 1), b(put, 2), c([&] {
		for (int taken = 0; taken < 2; taken++) {
			std::unique_lock<std::mutex> lock(m);

			cv.wait(lock, [&] { return !queue.empty(); });
			sum += queue.front();
			queue.pop_front();
		}
	});

	a.join();
	b.join();
	c.join();
	assert(sum == 3);
}

/* ---- Shared pointers -------------------------------------------------------------------- */

static std::atomic<int> alive;

struct counted {
	int value = 1;

	counted()
	{
		alive++;
	}
	~counted()
	{
		value = 0;
		alive--;
	}
};

static void last_shared_ptr_deletes()
{
	auto p = std::make_shared<counted>();
	auto use = [](std::shared_ptr<counted> mine) { assert(mine->value == 1); };
	std::thread a(use, p), b(use, p);

	p.reset();
	a.join();
	b.join();
	assert(alive == 0);
}

static void weak_ptr_locks_or_not()
{
	auto p = std::make_shared<counted>();
	std::weak_ptr<counted> weak = p;

	both([&] { p.reset(); },
	     [&] {
		     auto mine = weak.lock();

		     assert(!mine || mine->value == 1);
	     });
	assert(alive == 0 && weak.expired());
}

static std::shared_ptr<int> global;

static void shared_ptr_itself_is_not_atomic()
{
	global = std::make_shared<int>(1);
	both([] { global = std::make_shared<int>(2); }, [] { auto mine = global; });
}

static void atomic_load_of_shared_ptr()
{
	both([] { std::atomic_store(&global, std::make_shared<int>(2)); },
	     [] {
		     auto mine = std::atomic_load(&global);

		     assert(!mine || *mine == 2);
	     });
	assert(*global == 2);
}

/* ---- Atomics ---------------------------------------------------------------------------- */

struct pair {
	int a, b;
};

static void atomic_of_structure()
{
	std::atomic<pair> p = pair{ 0, 0 };

	both(
		[&] {
			p.store(pair{ 1, -1 });
		},
		[&] {
			pair v = p.load();

			assert(v.a + v.b == 0);
		});
}

struct three {
	long a, b, c;
};

static std::atomic<three> words;

static void atomic_of_three_words()
{
	both(
		[] {
			three v = words.exchange(three{ 1, 2, 3 }), w{ 4, 5, 6 };

			assert(v.a == 0 || v.a == 7);
			while (!words.compare_exchange_strong(v, w))
				;
		},
		[] {
			three v = words.load();

			assert(v.a + 2 == v.c || (v.a == 0 && v.c == 0));
			words.store(three{ 7, 8, 9 });
		});
	assert(words.load().c == 6 || words.load().c == 9);
}

static void atomic_of_three_words_and_a_plain_write()
{
	both(
		[] {
			words.store(three{ 7, 8, 9 });
		},
		[] { reinterpret_cast<three *>(&words)->c = 1; });
}

static void atomic_of_double()
{
	std::atomic<double> d = 1;
	auto add = [&] { d.fetch_add(0.5); };

	both(add, add);
	assert(d == 2);
}

static void atomic_reference()
{
	int plain = 0;
	auto add = [&] { std::atomic_ref<int>(plain).fetch_add(1); };

	both(add, add);
	assert(plain == 2);
}

static void atomic_flag_as_a_lock()
{
	std::atomic_flag flag;
	auto add = [&] {
		while (flag.test_and_set(std::memory_order_acquire))
			;
		counter++;
		flag.clear(std::memory_order_release);
	};

	both(add, add);
	assert(counter == 2);
}

/* ---- Exceptions ------------------------------------------------------------------------- */

static void throw_text(const std::string &text)
{
	throw std::runtime_error(text);
}

static void exception_in_a_thread()
{
	std::thread([] {
		try {
			throw_text("what happened, at some length");
			assert(false);
		} catch (const std::exception &e) {
			assert(std::string(e.what()) == "what happened, at some length");
		}
		assert(!std::current_exception());
	}).join();
}

static void exceptions_in_both_threads()
{
	auto fail = [](int mine) {
		try {
			std::lock_guard<std::mutex> guard(m);

			throw mine;
		} catch (int i) {
			assert(i == mine && std::uncaught_exceptions() == 0);
			std::lock_guard<std::mutex> guard(m);

			counter += i;
			try {
				throw_text("nested");
			} catch (const std::runtime_error &) {
			}
			assert(i == mine);
		}
	};

	both([&] { fail(1); }, [&] { fail(2); });
	assert(counter == 3);
}

static void exception_passed_to_another_thread()
{
	std::exception_ptr passed;
	bool caught = false;

	std::thread([&] {
		try {
			throw_text("passed on");
		} catch (...) {
			passed = std::current_exception();
		}
	}).join();
	try {
		std::rethrow_exception(passed);
	} catch (const std::runtime_error &e) {
		caught = std::string(e.what()) == "passed on";
	}
	assert(caught);
}

static void exception_leaves_a_thread()
{
	std::thread([] { throw_text("nobody catches this"); }).join();
}

static void exception_leaves_noexcept()
{
	std::thread([]() noexcept { throw_text("not allowed"); }).join();
}

static void *exit_early(void *)
{
	counted c;
	std::lock_guard<std::mutex> guard(m);

	assert(alive >= 1);
	pthread_exit(NULL);
}

static void pthread_exit_runs_destructors()
{
	THREADS(2, exit_early);
	assert(alive == 0);
}

static void *exit_through_catch(void *)
{
	try {
		pthread_exit(NULL);
	} catch (...) {
		counter++;
		throw;
	}
}

static void pthread_exit_passes_catch_all()
{
	THREADS(1, exit_through_catch);
	assert(counter == 1);
}

CASES(CASE(thread_arguments_and_results), CASE(threads_move_and_swap), CASE(detached_thread),
      CASE(jthread_stops_and_joins), CASE(stop_callback_runs_once), CASE(thread_not_joined),
      CASE(lock_guard_excludes), CASE(recursive_mutex_nests), CASE(scoped_lock_of_two),
      CASE(locks_in_opposite_order), CASE(condition_variable_wakes),
      CASE(condition_variable_any_wakes), CASE(notification_lost), CASE(queue_of_two_producers),
      CASE(last_shared_ptr_deletes), CASE(weak_ptr_locks_or_not),
      CASE(shared_ptr_itself_is_not_atomic), CASE(atomic_load_of_shared_ptr),
      CASE(atomic_of_structure), CASE(atomic_of_three_words),
      CASE(atomic_of_three_words_and_a_plain_write), CASE(atomic_of_double), CASE(atomic_reference),
      CASE(atomic_flag_as_a_lock), CASE(exception_in_a_thread), CASE(exceptions_in_both_threads),
      CASE(exception_passed_to_another_thread), CASE(exception_leaves_a_thread),
      CASE(exception_leaves_noexcept), CASE(pthread_exit_runs_destructors),
      CASE(pthread_exit_passes_catch_all))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * future.cc - futures, promises and tasks of the C++ library, which are made of futexes
 *
 * case promise_keeps_its_word: ok 4
 * case promise_passes_an_exception: ok 8
 * case promise_broken: ok 1
 * case promise_set_twice: ok 2
 * case future_waits_for_ever: bug deadlock at std::thread([] { p
 * case shared_future_of_two: ok 126
 * case packaged_task_runs_elsewhere: ok 12
 * case async_runs_in_a_thread: ok 1
 * case async_deferred_runs_here: ok 1
 * case async_throws: ok 1
 * case ready_when_the_thread_ends: ok 12
 * case ready_when_the_thread_ends -j 2: ok 12
 * case ready_when_the_thread_ends --leaks: ok 12
 * case not_ready_before: bug assertion at assert(ready)
 * case nobody_waits_for_the_thread_s_end: ok 1
 * case task_is_ready_when_the_thread_ends: ok 1
 */
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include <pthread.h>

#include "cases.h"

static void promise_keeps_its_word()
{
	std::promise<std::unique_ptr<int>> p;
	auto f = p.get_future();
	std::thread t([&] { p.set_value(std::make_unique<int>(3)); });

	assert(*f.get() == 3 && !f.valid());
	t.join();
}

static void promise_passes_an_exception()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::thread t([&] {
		try {
			throw std::runtime_error("no");
		} catch (...) {
			p.set_exception(std::current_exception());
		}
	});
	bool caught = false;

	try {
		f.get();
	} catch (const std::runtime_error &) {
		caught = true;
	}
	assert(caught);
	t.join();
}

static void promise_broken()
{
	std::future<int> f;
	bool caught = false;

	{
		std::promise<int> p;

		f = p.get_future();
		std::thread([q = std::move(p)] {}).join();
	}
	try {
		f.get();
	} catch (const std::future_error &e) {
		caught = e.code() == std::future_errc::broken_promise;
	}
	assert(caught);
}

static void promise_set_twice()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::atomic<int> refused = 0;
	auto set = [&](int i) {
		try {
			p.set_value(i);
		} catch (const std::future_error &) {
			refused++;
		}
	};
	std::thread a(set, 1), b(set, 2);

	a.join();
	b.join();
	assert(refused == 1);
	assert(f.get() != 0);
}

static void future_waits_for_ever()
{
	static std::promise<void> p;

	std::thread([] { p.get_future().wait(); }).join();
}

static void shared_future_of_two()
{
	std::promise<int> p;
	std::shared_future<int> f = p.get_future();
	auto get = [](std::shared_future<int> mine) { assert(mine.get() == 5); };
	std::thread a(get, f), b(get, f);

	p.set_value(5);
	a.join();
	b.join();
}

static void packaged_task_runs_elsewhere()
{
	std::packaged_task<int(int)> task([](int i) { return i + 1; });
	auto f = task.get_future();
	std::thread t(std::move(task), 4);

	assert(f.get() == 5);
	t.join();
}

static void async_runs_in_a_thread()
{
	auto me = std::this_thread::get_id();
	auto f = std::async(std::launch::async, [me] {
		assert(std::this_thread::get_id() != me);
		return 4;
	});

	assert(f.get() == 4);
}

static void async_deferred_runs_here()
{
	auto me = std::this_thread::get_id();
	auto f = std::async(std::launch::deferred,
			    [me] { assert(std::this_thread::get_id() == me); });

	assert(f.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
	f.get();
}

static void async_throws()
{
	auto f = std::async(std::launch::async, []() -> int { throw 7; });
	int caught = 0;

	try {
		f.get();
	} catch (int i) {
		caught = i;
	}
	assert(caught == 7);
}

/* That is behind the destructors of what belongs to the thread. */
static int ends;
struct ended {
	~ended()
	{
		ends++;
	}
};

static void ready_when_the_thread_ends()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::thread t(
		[](std::promise<int> mine) {
			static thread_local ended here;

			mine.set_value_at_thread_exit(3);
			(void)here;
		},
		std::move(p));

	assert(f.get() == 3 && ends == 1);
	t.join();
}

static void not_ready_before()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::atomic<bool> ready = true;
	std::thread t([&] { p.set_value_at_thread_exit(3); });

	ready = f.wait_for(std::chrono::seconds(1)) == std::future_status::ready;
	t.join();
	assert(ready);
}

static void nobody_waits_for_the_thread_s_end()
{
	std::promise<int> p;
	std::thread([](std::promise<int> mine) { mine.set_value_at_thread_exit(3); }, std::move(p))
		.join();
}

static void task_is_ready_when_the_thread_ends()
{
	std::packaged_task<int()> task([] { return 4; });
	auto f = task.get_future();
	std::thread t([&] { task.make_ready_at_thread_exit(); });

	t.join();
	assert(f.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
	assert(f.get() == 4);
}

CASES(CASE(promise_keeps_its_word), CASE(promise_passes_an_exception), CASE(promise_broken),
      CASE(promise_set_twice), CASE(future_waits_for_ever), CASE(shared_future_of_two),
      CASE(packaged_task_runs_elsewhere), CASE(async_runs_in_a_thread),
      CASE(async_deferred_runs_here), CASE(async_throws), CASE(ready_when_the_thread_ends),
      CASE(not_ready_before), CASE(nobody_waits_for_the_thread_s_end),
      CASE(task_is_ready_when_the_thread_ends))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * future.cc - futures, latches, barriers, semaphores and atomic waiting of the C++ library
 *
 * case promise_keeps_its_word: ok *
 * case promise_passes_an_exception: ok *
 * case promise_broken: ok *
 * case promise_set_twice: ok *
 * case future_waits_for_ever: bug deadlock
 * case shared_future_of_two: ok *
 * case packaged_task_runs_elsewhere: ok *
 * case async_runs_in_a_thread: ok *
 * case async_deferred_runs_here: ok *
 * case async_throws: ok *
 * case latch_opens --model=tso: ok *
 * case latch_opens: bug deadlock
 * case latch_counts_too_few: bug deadlock
 * case barrier_of_two_phases --model=tso: ok *
 * case barrier_of_two_phases: bug deadlock
 * case semaphore_hands_over: ok *
 * case semaphore_excludes --model=sc: bug deadlock
 * case semaphore_without_a_release: bug deadlock
 * case atomic_waits_for_a_store: ok *
 * case atomic_without_a_notification: bug deadlock
 * case atomic_flag_waits: ok *
 *
 * Three deadlocks are those of libstdc++ 12. Latches and barriers look for waiters with nothing but
 * a release operation before (what is stored and what is read are of different locations), which
 * is enough on x86 but not in C++. A semaphore remembers the count before it tries to decrement
 * it; when it is taken and released in the meantime, it goes to sleep beside a count of 1.
 */
#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <memory>
#include <semaphore>
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

static int plain[2];

static void latch_opens()
{
	std::latch latch(2);
	std::thread t([&] {
		plain[0] = 1;
		latch.count_down();
	});

	plain[1] = 2;
	latch.arrive_and_wait();
	assert(plain[0] == 1 && latch.try_wait());
	t.join();
}

static void latch_counts_too_few()
{
	std::latch latch(3);
	std::thread t([&] { latch.count_down(); });

	latch.arrive_and_wait();
	t.join();
}

static void barrier_of_two_phases()
{
	int phases = 0;
	auto next = [&]() noexcept { phases++; };
	std::barrier barrier(2, next);
	auto work = [&](int i) {
		plain[i] = 1;
		barrier.arrive_and_wait();
		assert(plain[!i] == 1);
		barrier.arrive_and_wait();
	};
	std::thread a(work, 0), b(work, 1);

	a.join();
	b.join();
	assert(phases == 2);
}

static void semaphore_hands_over()
{
	std::binary_semaphore semaphore(0);
	std::thread t([&] {
		plain[0] = 1;
		semaphore.release();
	});

	semaphore.acquire();
	assert(plain[0] == 1);
	t.join();
}

static void semaphore_excludes()
{
	std::counting_semaphore<3> semaphore(1);
	auto work = [&] {
		semaphore.acquire();
		plain[0]++;
		semaphore.release();
	};
	std::thread a(work), b(work);

	a.join();
	b.join();
	assert(plain[0] == 2 && semaphore.try_acquire() && !semaphore.try_acquire());
}

static void semaphore_without_a_release()
{
	std::binary_semaphore semaphore(0);

	std::thread([&] { semaphore.acquire(); }).join();
}

static void atomic_waits_for_a_store()
{
	std::atomic<int> flag = 0;
	std::thread t([&] {
		flag.wait(0);
		assert(flag == 1 && plain[0] == 1);
	});

	plain[0] = 1;
	flag = 1;
	flag.notify_one();
	t.join();
}

static void atomic_without_a_notification()
{
	std::atomic<int> flag = 0;
	std::thread t([&] { flag.wait(0); });

	flag = 1;
	t.join();
}

static void atomic_flag_waits()
{
	std::atomic_flag flag;
	std::thread t([&] { flag.wait(false); });

	flag.test_and_set();
	flag.notify_all();
	t.join();
}

CASES(CASE(promise_keeps_its_word), CASE(promise_passes_an_exception), CASE(promise_broken),
      CASE(promise_set_twice), CASE(future_waits_for_ever), CASE(shared_future_of_two),
      CASE(packaged_task_runs_elsewhere), CASE(async_runs_in_a_thread),
      CASE(async_deferred_runs_here), CASE(async_throws), CASE(latch_opens),
      CASE(latch_counts_too_few), CASE(barrier_of_two_phases), CASE(semaphore_hands_over),
      CASE(semaphore_excludes), CASE(semaphore_without_a_release), CASE(atomic_waits_for_a_store),
      CASE(atomic_without_a_notification), CASE(atomic_flag_waits))

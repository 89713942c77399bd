/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cxx20.cc - latches, barriers, semaphores and waiting atomics of the C++ library
 *
 * libstdc++ 12 lets a thread that arrives at a latch or barrier skip the wake-up if it sees nobody
 * wait: a release RMW, then a seq_cst load of the number of waiters, against a seq_cst RMW of that
 * number, then an acquire load. That is store buffering with too few seq_cst accesses: the models of
 * the language allow the lost wake-up, sc and tso do not (nor does ARMv8, where a load-acquire waits
 * for store-releases before it).
 *
 * Waits of atomic objects go by the same number of waiters: what the program stores, and waits for, has to be seq_cst, too.
 *
 * Its semaphores lose wake-ups under any model: acquire() reads the counter before it tries to take
 * one, and sleeps as long as the counter is what it read then. If one was free then, was taken
 * when it tried, and has been given back when it goes to sleep, it sleeps though one is free.
 *
 * Its atomic<shared_ptr> gives the lock for a load back by a relaxed write: no order to the next store.
 *
 * case latch -m sc: ok * (loops as compiled)
 * case latch -m tso: ok * (loops as compiled)
 * case latch -m rc11: bug deadlock at b.join()
 * case latch_without_waiting: ok 4
 * case barrier -m sc: ok * (loops as compiled)
 * case barrier -m tso: ok * (loops as compiled)
 * case barrier -m rc11: bug deadlock at b.join()
 * case barrier_drops -m sc: ok * (loops as compiled)
 * case barrier_completes_once -m sc: ok * (loops as compiled)
 * case semaphore: ok 19
 * case semaphore_taken_and_given_back -m sc: bug deadlock at a.join()
 * case semaphore_try: ok 132
 * case semaphore_times_out: ok 37
 * case semaphore_without_release: bug deadlock at std::thread([&] { ready
 * case wait_and_notify: ok * (loops as compiled)
 * case wait_for_all: ok * (loops as compiled)
 * case wait_without_notify: bug deadlock at b.join()
 * case flag: ok * (loops as compiled)
 * case released_and_acquired -m sc: ok * (loops as compiled)
 * case released_and_acquired -m tso: ok * (loops as compiled)
 * case released_and_acquired -m rc11: bug deadlock at up.wait(false, std::memory_order_acquire)
 * case of_a_word_released_and_acquired -m sc: ok * (loops as compiled)
 * case of_a_word_released_and_acquired -m rc11: bug deadlock at at.wait(0, std::memory_order_acquire)
 * case shared_pointer -m sc: ok * (loops as compiled)
 * case shared_pointer -m rc11: bug data-race at both([&] { at.store(std
 */
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>

#include "cases.h"

using namespace std::chrono_literals;

template <class F, class G> static void both(F f, G g)
{
	std::thread a(f), b(g);

	a.join();
	b.join();
}

static int data, more;

static void latch()
{
	std::latch done(2);

	both(
		[&] {
			data = 1;
			done.count_down();
		},
		[&] {
			done.arrive_and_wait();
			assert(data == 1);
		});
}

static void latch_without_waiting()
{
	std::latch done(1);

	both([&] { done.count_down(); },
	     [&] {
		     if (done.try_wait())
			     done.wait();
	     });
}

static void barrier()
{
	std::barrier<> meet(2);

	both(
		[&] {
			data = 1;
			meet.arrive_and_wait();
			assert(more == 1);
		},
		[&] {
			more = 1;
			meet.arrive_and_wait();
			assert(data == 1);
		});
}

static void barrier_drops()
{
	std::barrier<> meet(2);

	both(
		[&] {
			data = 1;
			meet.arrive_and_drop();
		},
		[&] {
			meet.arrive_and_wait();
			assert(data == 1);
			meet.arrive_and_wait();
		});
}

static void barrier_completes_once()
{
	auto complete = []() noexcept { data++; };
	std::barrier<decltype(complete)> meet(2, complete);
	auto arrive = [&] {
		meet.arrive_and_wait();
		assert(data == 1);
	};

	both(arrive, arrive);
}

static void semaphore()
{
	std::binary_semaphore ready(0);

	both(
		[&] {
			data = 1;
			ready.release();
		},
		[&] {
			ready.acquire();
			assert(data == 1);
		});
}

static void semaphore_taken_and_given_back()
{
	std::counting_semaphore<2> free(1);
	auto use = [&] {
		free.acquire();
		data++;
		free.release();
	};

	both(use, use);
}

static void semaphore_try()
{
	std::binary_semaphore free(1);
	auto use = [&] {
		if (free.try_acquire()) {
			data++;
			free.release();
		}
	};

	both(use, use);
	assert(data == 1 || data == 2);
}

static void semaphore_times_out()
{
	std::binary_semaphore ready(0);

	both(
		[&] {
			data = 1;
			ready.release();
		},
		[&] {
			if (ready.try_acquire_for(1ms))
				assert(data == 1);
		});
}

static void semaphore_without_release()
{
	std::binary_semaphore ready(0);

	std::thread([&] { ready.acquire(); }).join();
}

static void wait_and_notify()
{
	std::atomic<int> at(0);

	both(
		[&] {
			data = 1;
			at.store(1);
			at.notify_one();
		},
		[&] {
			at.wait(0);
			assert(data == 1);
		});
}

static void wait_for_all()
{
	std::atomic<int> at(0);
	auto wait = [&] { at.wait(0); };
	std::thread other(wait);

	both(wait, [&] {
		at.store(1);
		at.notify_all();
	});
	other.join();
}

static void wait_without_notify()
{
	std::atomic<int> at(0);

	both([&] { at.store(1); }, [&] { at.wait(0); });
}

static void flag()
{
	std::atomic_flag up;

	both(
		[&] {
			data = 1;
			up.test_and_set();
			up.notify_one();
		},
		[&] {
			up.wait(false);
			assert(data == 1);
		});
}

static void released_and_acquired()
{
	std::atomic<bool> up;

	both(
		[&] {
			data = 1;
			up.store(true, std::memory_order_release);
			up.notify_one();
		},
		[&] {
			up.wait(false, std::memory_order_acquire);
			assert(data == 1);
		});
}

static void of_a_word_released_and_acquired()
{
	std::atomic<int> at;

	both(
		[&] {
			data = 1;
			at.store(1, std::memory_order_release);
			at.notify_all();
		},
		[&] {
			at.wait(0, std::memory_order_acquire);
			assert(data == 1);
		});
}

static void shared_pointer()
{
	std::atomic<std::shared_ptr<int>> at(std::make_shared<int>(1));

	both([&] { at.store(std::make_shared<int>(2)); },
	     [&] {
		     auto seen = at.load();

		     assert(*seen == 1 || *seen == 2);
	     });
	assert(*at.load() == 2);
}

CASES(CASE(latch), CASE(latch_without_waiting), CASE(barrier), CASE(barrier_drops),
      CASE(barrier_completes_once), CASE(semaphore), CASE(semaphore_taken_and_given_back),
      CASE(semaphore_try), CASE(semaphore_times_out), CASE(semaphore_without_release),
      CASE(wait_and_notify), CASE(wait_for_all), CASE(wait_without_notify), CASE(flag),
      CASE(released_and_acquired), CASE(of_a_word_released_and_acquired), CASE(shared_pointer))

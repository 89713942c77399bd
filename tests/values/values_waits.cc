/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), with what the C++ library makes of futexes: waits of atomic objects, latches, semaphores
 *
 * case waits_for_a_change -e value: ok 5
 * case waits_for_a_change -e value -j 2: ok 5
 * case waits_for_a_change -e rf: ok 6
 * case counts_down -e value: ok 2
 * case counts_down -e rf: ok 2
 * case takes_one -e value: ok 19
 * case takes_one -e value -m wra -j 2: ok 19
 * case takes_one -e rf: ok 38
 * case takes_two -e value: ok 1105
 * case takes_if_there -e value: ok 82
 * case takes_if_there -e rf: ok 130
 * case tells_nobody -e value: bug deadlock
 * case futures -e value: ok 4
 * case futures -e rf: ok 4
 */
#include <atomic>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>

#include "cases.h"

static std::atomic<int> flag, x;

static void writes_one()
{
	x.store(1, std::memory_order_relaxed);
}

static void waits_for_a_change()
{
	std::thread t([] { flag.wait(0); }), u([] {
		writes_one();
		flag.store(1);
		flag.notify_all();
	});

	writes_one();
	t.join();
	u.join();
}

static void tells_nobody()
{
	std::thread t([] { flag.wait(0); });

	flag.store(1);
	t.join(); /* bug: tells_nobody */
}

static void counts_down()
{
	std::latch latch(2);
	std::thread t([&] { latch.count_down(); }), u([&] { latch.count_down(); });

	writes_one();
	t.join();
	u.join();
	assert(latch.try_wait());
}

static void takes_one()
{
	std::counting_semaphore<2> room(0);
	std::thread t([&] {
		writes_one();
		room.release();
	});

	writes_one();
	room.acquire();
	assert(x.load(std::memory_order_relaxed) == 1);
	t.join();
}

/* Its loop yields. */
static void takes_two()
{
	std::counting_semaphore<4> room(0);
	const auto gives = [&] {
		x.store(1);
		room.release();
	};
	std::thread t(gives), u(gives);

	room.acquire();
	room.acquire();
	t.join();
	u.join();
}

static void takes_if_there()
{
	std::counting_semaphore<2> room(0);
	std::thread t([&] { room.release(); }), u([&] { room.release(); });

	writes_one();
	if (room.try_acquire())
		writes_one();
	t.join();
	u.join();
}

static void futures()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::thread t([&] { p.set_value(3); });

	assert(f.get() == 3);
	t.join();
}

CASES(CASE(waits_for_a_change), CASE(counts_down), CASE(takes_one), CASE(takes_two),
      CASE(takes_if_there), CASE(tells_nobody), CASE(futures))

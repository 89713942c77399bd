/* SPDX-License-Identifier: BSD-2-Clause */
/* waits.cc - accesses of several sizes, by threads that wait for each other in several ways */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

static union {
	uint32_t word;
	uint16_t half[2];
} both;
static std::atomic<int> flag{ 0 };
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

static void stores()
{
	__atomic_store_n(&both.word, 0x10001, __ATOMIC_RELEASE);
	{
		std::lock_guard<std::mutex> guard(mutex);
		ready = true;
	}
	changed.notify_one();
	flag.store(1);
	flag.notify_one();
}

static void waits_for_word()
{
	std::unique_lock<std::mutex> guard(mutex);

	changed.wait(guard, [] { return ready; });
	uint32_t now = __atomic_load_n(&both.word, __ATOMIC_RELAXED);
	assert(now == 0x10001 || now == 0x10002);
}

static void adds_and_waits()
{
	__atomic_load_n(&both.word, __ATOMIC_RELAXED);
	__atomic_fetch_add(&both.half[0], 1, __ATOMIC_RELAXED);
	flag.wait(0);
	assert(__atomic_load_n(&both.word, __ATOMIC_ACQUIRE) >> 16 == 1);
}

int main()
{
	std::thread threads[] = { std::thread(stores), std::thread(waits_for_word),
				  std::thread(adds_and_waits) };

	for (auto &thread : threads)
		thread.join();
}

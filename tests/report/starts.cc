/* SPDX-License-Identifier: BSD-2-Clause */
/* starts.cc - threads that the C++ library starts: where they begin is where it calls the program (threads.test) */
#include <atomic>
#include <functional>
#include <thread>

static int plain;
static std::atomic<int> ready;

static void deeper(int n)
{
	plain = n;
}

static void worker(int n)
{
	ready.store(n, std::memory_order_relaxed);
	deeper(n); /* begins 1 */
}

int main()
{
	std::thread one(worker, 1), two([] {
		ready.store(2, std::memory_order_relaxed);
		deeper(2); /* begins 2 */
	});

	one.join();
	two.join();
}

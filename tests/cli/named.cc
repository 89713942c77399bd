/* SPDX-License-Identifier: BSD-2-Clause */
/* named.cc - a data race of a static variable in a namespace */
#include <atomic>
#include <thread>

namespace shop
{
static int stock;
static std::atomic<int> open_;
} // namespace shop

int main()
{
	std::thread thread([] {
		shop::open_.store(1, std::memory_order_relaxed);
		shop::stock++;
	});
	shop::stock++;
	thread.join();
	return 0;
}

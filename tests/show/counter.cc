/* SPDX-License-Identifier: BSD-2-Clause */
#include <atomic>
#include <cassert>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

std::atomic<int> counter;
std::mutex mutex;
std::vector<std::string> names;

void worker(std::string name)
{
	{
		std::lock_guard<std::mutex> lock(mutex);

		names.push_back("worker number " + name);
		std::cout << names.back() << std::endl;
#ifdef FIXED
		counter = counter + 1;
#endif
	}
#ifndef FIXED
	counter = counter + 1;
#endif
}

int main()
{
	std::thread one(worker, "one"), two(worker, "two");

	one.join();
	two.join();
	assert(counter == 2 && names.size() == 2);
}

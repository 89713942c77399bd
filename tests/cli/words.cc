/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * words.cc - two threads use one std::string, under a lock (`words locked`) or not
 *
 * And they write to one stream, which is allowed.
 */
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

static std::string words = "one";
static std::mutex mutex;
static bool locked;

static void use(const char *more)
{
	std::unique_lock<std::mutex> guard(mutex, std::defer_lock);

	if (locked)
		guard.lock();
	words += more;
	std::cout << words.size();
}

int main(int argc, char **)
{
	locked = argc > 1;
	std::thread thread([] {
		use("two");
		std::cout << "two" << 2 << std::endl;
	});

	use(", and three, which is too long to stay where it was");
	std::cout << "three" << 3 << std::endl;
	thread.join();
	return words.size() < 50;
}

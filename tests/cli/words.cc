/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * words.cc - two threads use one std::string, under a lock (-DLOCKED) or not
 *
 * And they write to one stream, which is allowed.
 */
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

static std::string words = "one";
static std::mutex mutex;

static void use(const char *more)
{
#ifdef LOCKED
	std::lock_guard<std::mutex> guard(mutex);
#endif
	words += more;
	std::cout << words.size();
}

int main()
{
	std::thread thread([] {
		use("two");
		std::cout << "two" << 2 << std::endl;
	});

	use(", and three, which is too long to stay where it was");
	std::cout << "three" << 3 << std::endl;
	thread.join();
	return words.size() < 50;
}

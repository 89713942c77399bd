/* SPDX-License-Identifier: BSD-2-Clause */
/* creation.cc - threads that the library creates for a function of the program: one of two, a race */
#include <thread>

int shared;

static void work()
{
	shared++;
}

__attribute__((noinline)) static std::thread begin_one()
{
	return std::thread(work);
}

int main()
{
	std::thread one = begin_one(), two(work);

	one.join();
	two.join();
}

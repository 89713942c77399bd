/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.cc - threads that the C++ library creates and joins, one of which has the id of an earlier one (threads.test) */
#include <cassert>
#include <thread>

static void step(int *at)
{
	++*at;
}

int main()
{
	int at = 0;
	std::thread one(step, &at); /* creates 1 */

	one.join();                 /* joins 1 */
	std::thread two(step, &at); /* creates 2 */
	two.join();                 /* joins 2 */
	assert(at == 3);
}

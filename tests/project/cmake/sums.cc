// SPDX-License-Identifier: BSD-2-Clause
// sums.cc - tests of GoogleTest, of which one has a race
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

TEST(Atomic, IsTwo)
{
	std::atomic<int> sum{ 0 };
	std::thread other([&sum] { sum++; });

	sum++;
	other.join();
	EXPECT_EQ(sum.load(), 2);
}

TEST(Plain, IsTwo)
{
	int sum = 0;
	std::thread other([&sum] { sum++; });

	sum++;
	other.join();
	EXPECT_EQ(sum, 2);
}

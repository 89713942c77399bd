/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gtest.cc - a test program of GoogleTest; --gtest_filter says which tests run
 */
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "counter.h"

TEST(Good, FirstSumIsTwo)
{
	EXPECT_EQ(count(add_atomic, 1), 2);
}

TEST(Good, SecondSumIsTwo)
{
	ASSERT_EQ(count(add_atomic, 1), 2);
}

TEST(Torn, SumIsTwo)
{
	EXPECT_EQ(count(add_torn, 1), 2);
}

TEST(Relocked, SumIsTwo)
{
	EXPECT_EQ(count(add_relocked, 1), 2);
}

TEST(Throws, WhenAnUpdateIsLost)
{
	if (count(add_torn, 1) != 2)
		throw std::runtime_error("lost");
}

class InTurn : public testing::TestWithParam<int>
{
};

TEST_P(InTurn, SumIsTwo)
{
	EXPECT_EQ(count(add_atomic, 0), 2);
}

INSTANTIATE_TEST_SUITE_P(Many, InTurn, testing::Range(0, 100));

/* In a child made before there are threads: it runs alone. */
TEST(ADeathTest, Dies)
{
	EXPECT_DEATH(abort(), "");
	std::thread([] { add_atomic(nullptr); }).join();
}

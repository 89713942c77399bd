/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * abseil.cc - what Abseil (github.com/abseil/abseil-cpp) has for threads, with two threads
 *
 *	heddle-c++ -std=c++17 -O1 -g -I ABSEIL -o program abseil.cc libabsl.a -pthread
 *
 * where libabsl.a are the sources of its folders base, synchronization, time, strings, numeric and debugging, compiled by heddle-c++.
 *
 *	program mutex | spin | once | readers | await | condition	is to have no bug
 *	program update | signal | circle				has one
 */
#include <cassert>
#include <cstring>
#include <thread>

#include "absl/base/call_once.h"
#include "absl/base/internal/spinlock.h"
#include "absl/synchronization/mutex.h"

static absl::Mutex mutex, other;
static absl::CondVar changed;
static absl::once_flag flag;
static absl::base_internal::SpinLock spin;
static int count;
static bool ready;

using function = void (*)();

static void both(function a, function b)
{
	std::thread one(a), two(b);

	one.join();
	two.join();
}

static void add()
{
	absl::MutexLock lock(&mutex);

	count++;
}

/* Between the two sections another thread may add. */
static void read_then_write()
{
	int was;

	{
		absl::MutexLock lock(&mutex);
		was = count;
	}
	absl::MutexLock lock(&mutex);
	count = was + 1;
}

static void add_spinning()
{
	spin.Lock();
	count++;
	spin.Unlock();
}

static void add_once()
{
	absl::call_once(flag, [] { count++; });
	assert(count == 1);
}

static void read_shared()
{
	absl::ReaderMutexLock lock(&mutex);

	assert(count != 1);
}

static void write_twice()
{
	absl::WriterMutexLock lock(&mutex);

	count = 1;
	count = 2;
}

static void await()
{
	absl::MutexLock lock(&mutex);

	mutex.Await(absl::Condition(&ready));
	count = 2;
}

static void make_ready()
{
	absl::MutexLock lock(&mutex);

	ready = true;
}

static void wait()
{
	absl::MutexLock lock(&mutex);

	while (!ready)
		changed.Wait(&mutex);
	count = 2;
}

static void make_ready_and_signal()
{
	make_ready();
	changed.Signal();
}

static void lock_in_order()
{
	absl::MutexLock lock(&mutex);
	absl::MutexLock inner(&other);
}

static void lock_in_the_other_order()
{
	absl::MutexLock lock(&other);
	absl::MutexLock inner(&mutex);
}

static const struct {
	const char *name;
	function a, b;
	int count;
} cases[] = {
	{ "mutex", add, add, 2 },
	{ "spin", add_spinning, add_spinning, 2 },
	{ "once", add_once, add_once, 1 },
	{ "readers", read_shared, write_twice, 2 },
	{ "await", await, make_ready, 2 },
	{ "condition", wait, make_ready_and_signal, 2 },
	{ "update", read_then_write, read_then_write, 2 },
	{ "signal", wait, make_ready, 2 },
	{ "circle", lock_in_order, lock_in_the_other_order, 0 },
};

int main(int, char **argv)
{
	for (const auto &c : cases)
		if (argv[1] && !strcmp(argv[1], c.name)) {
			both(c.a, c.b);
			assert(count == c.count);
			return 0;
		}
	return 2;
}

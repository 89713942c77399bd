/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cxx.cc - C++ programs that GenMC and Nidhugg do not run
 *
 * Counts are worked out by hand. Those of the shared pointer: the copy for the second thread, and
 * then the two references that main and that thread drop, in either order; the first thread drops
 * its own before, between or after these three, which makes 2 * 4.
 *
 * case threads_and_a_mutex: ok 6
 * case a_shared_ptr: ok 8
 * case strings: ok 1
 * case a_vector_of_threads: ok 6
 * case exceptions: ok 1
 * case an_exception_from_thread_to_thread: ok 1
 * case an_exception_that_depends_on_the_schedule: ok 2
 * case an_uncaught_exception: bug abort at std::thread a([] { throw
 * case new_and_delete: ok 1
 * case a_leak_of_new --leaks: bug leak at int *p = new int[10]
 */
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cases.h"

namespace
{
std::mutex mutex;
int data;

void count()
{
	std::lock_guard<std::mutex> guard(mutex);
	data++;
}

void threads_and_a_mutex()
{
	std::thread a(count), b(count), c(count);

	a.join();
	b.join();
	c.join();
	assert(data == 3);
}

struct shared {
	int value = 5;
	~shared()
	{
		data++;
	}
};

void a_shared_ptr()
{
	auto p = std::make_shared<shared>();
	auto look = [](std::shared_ptr<shared> q) { assert(q->value == 5); };
	std::thread a(look, p), b(look, p);

	p.reset();
	a.join();
	b.join();
	assert(data == 1);
}

void strings()
{
	std::string words[2];
	auto write = [&](int i) {
		for (int k = 0; k < 20; k++)
			words[i] += std::to_string(k) + (i ? "warp" : "weft");
	};
	std::thread a(write, 0), b(write, 1);

	a.join();
	b.join();
	assert(words[0].size() == words[1].size() && words[0].size() == 30 + 20 * 4);
	assert(words[0].find("19weft") != std::string::npos);
}

void a_vector_of_threads()
{
	std::vector<std::thread> threads;
	std::vector<int> order;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([&order, i] {
			std::lock_guard<std::mutex> guard(mutex);
			order.push_back(i);
		});
	for (auto &t : threads)
		t.join();
	assert(order.size() == 3 && order[0] + order[1] + order[2] == 3);
}

void exceptions()
{
	auto fail = [](int i) {
		try {
			throw std::runtime_error("thread " + std::to_string(i));
		} catch (const std::exception &e) {
			assert(e.what() == "thread " + std::to_string(i));
		}
	};
	std::thread a(fail, 1), b(fail, 2);

	a.join();
	b.join();
}

void an_exception_from_thread_to_thread()
{
	std::exception_ptr caught;
	std::thread a([&] {
		try {
			std::vector<int>(3).at(7) = 1;
		} catch (...) {
			caught = std::current_exception();
		}
	});

	a.join();
	try {
		std::rethrow_exception(caught);
	} catch (const std::out_of_range &) {
		return;
	}
	assert(!"no exception");
}

void an_exception_that_depends_on_the_schedule()
{
	std::atomic<int> flag{ 0 };
	std::thread a([&] { flag = 1; });
	bool thrown = false;
	int seen = -1;

	try {
		seen = flag;
		if (seen)
			throw seen;
	} catch (int value) {
		assert(value == 1);
		thrown = true;
	}
	a.join();
	assert(thrown == (seen == 1));
}

void an_uncaught_exception()
{
	std::thread a([] { throw std::logic_error("nobody"); });

	a.join();
}

void new_and_delete()
{
	auto work = [] {
		int *one = new int(3);
		std::unique_ptr<std::string[]> many(new std::string[4]);

		many[3] = "a string that is too long to stand in the object itself";
		assert(*one == 3 && many[3].size() > 50);
		delete one;
	};
	std::thread a(work), b(work);

	a.join();
	b.join();
}

void a_leak_of_new()
{
	std::thread a([] {
		int *p = new int[10];

		p[0] = 1;
		*(int *volatile *)&p = nullptr;
	});

	a.join();
}
} // namespace

CASES(CASE(threads_and_a_mutex), CASE(a_shared_ptr), CASE(strings), CASE(a_vector_of_threads),
      CASE(exceptions), CASE(an_exception_from_thread_to_thread),
      CASE(an_exception_that_depends_on_the_schedule), CASE(an_uncaught_exception),
      CASE(new_and_delete), CASE(a_leak_of_new))

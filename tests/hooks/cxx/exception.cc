/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exception.cc - exceptions that several threads have
 *
 * case task_throws: ok 20
 * case task_throws -j 2: ok 20
 * case task_throws --backend=fork: ok 20
 * case library_s_own: ok 20
 * case promise_passes_it_on: ok 24
 * case the_last_one_destroys_it: ok 6
 * case either_is_the_last: bug assertion at assert(left.fetch_add
 * case two_of_three_are_not_the_last: ok 6
 * case changed_by_one: bug data-race at e.number += !one++
 * case read_after_letting_go: bug data-race|use-after-free at number = -1
 * case thrown_again_and_again: ok 1
 * case thrown_again_while_another_unwinds: ok 6
 * case kept_by_a_nested_one: ok 20
 * case not_shared: ok 1
 */
#include <atomic>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "cases.h"

static int destroyed;
static thread_local bool destroyed_here;

struct failure {
	std::string text;
	int number;

	failure(int n) : text("too long a text to be part of the string"), number(n)
	{
	}
	failure(const failure &) = default;
	~failure()
	{
		number = -1;
		destroyed++;
		destroyed_here = true;
	}
};

/* Handles what was thrown in another thread, which may be about to let go of it. */
template <typename T> static void handle(std::future<T> f)
{
	bool handled = false;

	try {
		f.get();
	} catch (failure &e) {
		handled = e.number == 4 && e.text.size() > 20;
	}
	assert(handled);
}

static void task_throws()
{
	std::packaged_task<void()> task([] { throw failure(4); });
	auto f = task.get_future();
	std::thread t(std::move(task));

	handle(std::move(f));
	t.join();
	assert(destroyed == 1);
}

static void library_s_own()
{
	std::packaged_task<void()> task([] { throw std::runtime_error("what"); });
	auto f = task.get_future();
	std::thread t(std::move(task));

	try {
		f.get();
		assert(false);
	} catch (std::exception &e) {
		assert(!strcmp(e.what(), "what"));
	}
	t.join();
}

static void promise_passes_it_on()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::thread t(
		[](std::promise<int> mine) {
			try {
				throw failure(4);
			} catch (...) {
				mine.set_exception(std::current_exception());
			}
		},
		std::move(p));

	handle(std::move(f));
	t.join();
	assert(destroyed == 1);
}

static int number_of(std::exception_ptr &p)
{
	try {
		std::rethrow_exception(p);
	} catch (failure &e) {
		return e.number;
	}
}

static void let_go(std::exception_ptr p)
{
	assert(number_of(p) == 4);
}

template <typename F> static void two_have_it(F f)
{
	auto p = std::make_exception_ptr(failure(4));

	destroyed = 0;
	std::thread a(f, p), b(f, std::move(p));
	a.join();
	b.join();
	assert(destroyed == 1);
}

static void the_last_one_destroys_it()
{
	two_have_it(let_go);
}

static void either_is_the_last()
{
	two_have_it([](std::exception_ptr p) {
		static std::atomic<int> left;

		assert(number_of(p) == 4);
		p = nullptr;
		assert(left.fetch_add(1) == 1 || !destroyed_here);
	});
}

static void two_of_three_are_not_the_last()
{
	auto p = std::make_exception_ptr(failure(4));
	std::thread a(let_go, p), b(let_go, p);

	destroyed_here = false;
	a.join();
	b.join();
	p = nullptr;
	assert(destroyed_here);
}

static void changed_by_one()
{
	two_have_it([](std::exception_ptr p) {
		static std::atomic<int> one;

		try {
			std::rethrow_exception(p);
		} catch (failure &e) {
			e.number += !one++;
		}
	});
}

static void read_after_letting_go()
{
	two_have_it([](std::exception_ptr p) {
		const failure *old = nullptr;

		try {
			std::rethrow_exception(p);
		} catch (failure &e) {
			old = &e;
		}
		p = nullptr;
		assert(old->number == 4);
	});
}

static void in_a_thread(void (*f)())
{
	std::thread t(f);

	t.join();
}

static void thrown_again_and_again()
{
	in_a_thread([] {
		std::exception_ptr p;

		try {
			throw failure(4);
		} catch (...) {
			p = std::current_exception();
			auto q = p;
			try {
				std::rethrow_exception(q);
			} catch (failure &e) {
				q = nullptr;
				try {
					throw;
				} catch (...) {
					p = nullptr;
					assert(!destroyed && e.number == 4);
				}
			}
			assert(!destroyed);
		}
		assert(destroyed == 1 && !p);
	});
}

struct rethrows {
	std::exception_ptr p;

	~rethrows()
	{
		assert(number_of(p) == 4);
	}
};

static void thrown_again_while_another_unwinds()
{
	two_have_it([](std::exception_ptr p) {
		try {
			rethrows r{ std::move(p) };
			throw 1;
		} catch (int) {
		}
	});
}

static void kept_by_a_nested_one()
{
	auto task = [] {
		try {
			throw failure(4);
		} catch (...) {
			std::throw_with_nested(std::logic_error("outer"));
		}
	};
	std::packaged_task<void()> packaged(task);
	auto f = packaged.get_future();
	std::thread t(std::move(packaged));

	try {
		f.get();
		assert(false);
	} catch (std::exception &outer) {
		try {
			std::rethrow_if_nested(outer);
			assert(false);
		} catch (failure &e) {
			assert(e.number == 4);
		}
	}
	t.join();
	assert(destroyed == 1);
}

static void not_shared()
{
	auto f = [] {
		try {
			throw std::runtime_error("what");
		} catch (...) {
		}
	};
	std::thread a(f), b(f);

	a.join();
	b.join();
}

CASES(CASE(task_throws), CASE(library_s_own), CASE(promise_passes_it_on),
      CASE(the_last_one_destroys_it), CASE(either_is_the_last), CASE(two_of_three_are_not_the_last),
      CASE(changed_by_one), CASE(read_after_letting_go), CASE(thrown_again_and_again),
      CASE(thrown_again_while_another_unwinds), CASE(kept_by_a_nested_one), CASE(not_shared))

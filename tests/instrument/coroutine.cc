// SPDX-License-Identifier: BSD-2-Clause
//
// coroutine.cc - a race on a local variable, in a file that has a coroutine as well
//
// What the standard library would say of coroutines stands here, since clang 14 does not take that of gcc 12.
#include <pthread.h>

namespace std
{
template <class R, class...> struct coroutine_traits {
	using promise_type = typename R::promise_type;
};

template <class P = void> struct coroutine_handle {
	void *at;

	static coroutine_handle from_address(void *address) noexcept
	{
		return { address };
	}
	operator coroutine_handle<>() const noexcept
	{
		return { at };
	}
};

struct suspend_always {
	bool await_ready() noexcept
	{
		return false;
	}
	void await_suspend(coroutine_handle<>) noexcept
	{
	}
	void await_resume() noexcept
	{
	}
};
} // namespace std

struct pair {
	long a, b;
};

struct task {
	struct promise_type {
		task get_return_object()
		{
			return { __builtin_coro_promise(this, alignof(promise_type), true) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	void *frame;
};

static void *reads(void *arg)
{
	return reinterpret_cast<void *>(static_cast<volatile pair *>(arg)->b);
}

static long times;

static task counts()
{
	times++;
	co_return;
}

int main()
{
	pair p = { 1, 2 };
	task t = counts();
	pthread_t thread;

	__builtin_coro_resume(t.frame);
	__builtin_coro_destroy(t.frame);
	pthread_create(&thread, nullptr, reads, &p);
	p.b = 5;
	pthread_join(thread, nullptr);
	return times != 1;
}

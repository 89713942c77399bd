/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * new_own.cc - a program with operators of its own for one object, to which all others come
 *
 * case one_object: ok 1
 * case an_array: ok 1
 * case without_throwing: ok 1
 * case with_an_alignment: ok 1
 * case called_by_name: ok 1
 * case in_the_library: ok 1
 * case made_here_destroyed_there: ok 1
 * case freed_twice: bug double-free
 */
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "cases.h"

static int made, freed, made_aligned, freed_aligned;

void *operator new(std::size_t n)
{
	void *p = std::malloc(n);

	if (!p)
		throw std::bad_alloc();
	made++;
	return p;
}

void operator delete(void *p) noexcept
{
	freed += p != nullptr;
	std::free(p); /* bug: freed_twice */
}

void *operator new(std::size_t n, std::align_val_t a)
{
	void *p = std::aligned_alloc(static_cast<std::size_t>(a), n);

	if (!p)
		throw std::bad_alloc();
	made_aligned++;
	return p;
}

void operator delete(void *p, std::align_val_t) noexcept
{
	freed_aligned += p != nullptr;
	std::free(p);
}

template <class T> static T *hide(T *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

static void count(int m, int f, int ma, int fa)
{
	assert(made == m && freed == f && made_aligned == ma && freed_aligned == fa);
}

struct with_destructor {
	int some;
	~with_destructor()
	{
		some = 0;
	}
};

struct alignas(64) aligned {
	char bytes[64];
	~aligned()
	{
		bytes[0] = 0;
	}
};

/* Compilers free what has a type by its size, where they know that. */
static void one_object()
{
	delete hide(new int(1));
	count(1, 1, 0, 0);
	delete hide(new with_destructor);
	count(2, 2, 0, 0);
}

static void an_array()
{
	delete[] hide(new int[3]);
	count(1, 1, 0, 0);
	delete[] hide(new with_destructor[3]);
	count(2, 2, 0, 0);
}

static void without_throwing()
{
	delete hide(new (std::nothrow) int(1));
	delete[] hide(new (std::nothrow) int[3]);
	count(2, 2, 0, 0);
}

static void with_an_alignment()
{
	delete hide(new aligned);
	delete[] hide(new aligned[2]);
	delete hide(new (std::nothrow) aligned);
	delete[] hide(new (std::nothrow) aligned[2]);
	count(0, 0, 4, 4);
}

static void called_by_name()
{
	std::align_val_t a{ 64 };

	::operator delete(hide(::operator new(8)), std::nothrow);
	::operator delete (hide(::operator new(8)), std::size_t{ 8 });
	::operator delete[](hide(::operator new[](8)), std::nothrow);
	::operator delete[](hide(::operator new[](8)), std::size_t{ 8 });
	count(4, 4, 0, 0);
	::operator delete(hide(::operator new(64, a)), a, std::nothrow);
	::operator delete (hide(::operator new(64, a)), std::size_t{ 64 }, a);
	::operator delete[](hide(::operator new[](64, a)), a, std::nothrow);
	::operator delete[](hide(::operator new[](64, a)), std::size_t{ 64 }, a);
	count(4, 4, 4, 4);
}

static void in_the_library()
{
	{
		std::vector<std::string> v(1, std::string(100, 'x'));

		assert(made == 3 && v[0][99] == 'x'); /* the argument, the vector's, and its copy */
	}
	assert(freed == made);
}

static void made_here_destroyed_there()
{
	int *p = nullptr;
	std::thread a([&p] { p = new int(1); });

	a.join();
	std::thread b([&p] { delete p; });

	b.join();
	assert(made == 3 && freed == 3); /* with what the threads run */
}

static void freed_twice()
{
	int *p = new int(1);

	delete hide(p);
	delete hide(p);
}

CASES(CASE(one_object), CASE(an_array), CASE(without_throwing), CASE(with_an_alignment),
      CASE(called_by_name), CASE(in_the_library), CASE(made_here_destroyed_there),
      CASE(freed_twice))

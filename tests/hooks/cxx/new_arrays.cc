/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * new_arrays.cc - a program with operators of its own for arrays alone
 *
 * case an_array: ok 1
 * case one_object_has_heddle_s: ok 1
 * case one_object_as_an_array: bug invalid-free
 */
#include <cstddef>
#include <cstdlib>
#include <new>

#include "cases.h"

static int made, freed;

void *operator new[](std::size_t n)
{
	void *p = std::malloc(n);

	if (!p)
		throw std::bad_alloc();
	made++;
	return p;
}

void operator delete[](void *p) noexcept
{
	freed += p != nullptr;
	std::free(p); /* bug: one_object_as_an_array */
}

template <class T> static T *hide(T *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

static void an_array()
{
	delete[] hide(new int[3]);
	delete[] hide(new (std::nothrow) int[3]);
	::operator delete[](hide(::operator new[](8)), std::size_t{ 8 });
	::operator delete[](hide(::operator new[](8)), std::nothrow);
	assert(made == 4 && freed == 4);
}

static void one_object_has_heddle_s()
{
	delete hide(new int(1));
	delete hide(new (std::nothrow) int(1));
	::operator delete (hide(::operator new(8)), std::size_t{ 8 });
	assert(!made && !freed);
}

static void one_object_as_an_array()
{
	delete[] hide(new int(1));
}

CASES(CASE(an_array), CASE(one_object_has_heddle_s), CASE(one_object_as_an_array))

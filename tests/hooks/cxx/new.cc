/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * new.cc - operator new and operator delete
 *
 * case all_forms: ok 1
 * case alignment: ok 1
 * case no_memory: ok 1
 * case containers: ok 1
 * case made_here_destroyed_there: ok 1
 * case made_before_the_threads: ok 1
 * case element_behind_the_end: bug out-of-bounds at in_a_thread([] { hide
 * case element_behind_the_end_of_a_vector: bug out-of-bounds at v[hide(&v)->size()] = 1
 * case member_after_delete: bug use-after-free
 * case iterator_after_push_back: bug use-after-free at sink = *i
 * case deleted_twice: bug double-free
 * case freed_instead_of_deleted: bug invalid-free at in_a_thread([] { free
 * case deleted_instead_of_freed: bug invalid-free at in_a_thread([] { delete static_cast
 * case array_deleted_as_one: bug invalid-free at in_a_thread([] { delete hide
 * case delete_and_read_race: bug data-race|use-after-free at std::thread a(
 */
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include "cases.h"

template <class T> static T *hide(T *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

static void in_a_thread(void (*fn)())
{
	std::thread(fn).join();
}

struct thing {
	int value = 3;

	~thing()
	{
		value = 0;
	}
};

struct alignas(64) wide {
	int value = 4;
};

static void all_forms()
{
	in_a_thread([] {
		delete hide(new thing);
		delete[] hide(new thing[3]);
		delete hide(new (std::nothrow) thing);
		delete[] hide(new (std::nothrow) thing[3]);
		delete hide(new wide);
		delete[] hide(new wide[2]);
		delete hide(new (std::nothrow) wide);
		delete[] hide(new (std::nothrow) wide[2]);
		::operator delete(hide(::operator new(10)));
		::operator delete(hide(::operator new(10)), std::nothrow);
#ifdef __cpp_sized_deallocation
		::operator delete (hide(::operator new(10)), std::size_t{ 10 });
#endif
		::operator delete(hide(::operator new(10, std::align_val_t(32))),
				  std::align_val_t(32));
		::operator delete[](hide(::operator new[](10, std::align_val_t(32))),
				    std::align_val_t(32), std::nothrow);
		::operator delete(nullptr);
	});
}

static void alignment()
{
	in_a_thread([] {
		for (int i = 0; i < 3; i++) {
			assert(reinterpret_cast<uintptr_t>(hide(new wide)) % 64 == 0);
			assert(reinterpret_cast<uintptr_t>(hide(new char)) % 16 == 0);
			assert(reinterpret_cast<uintptr_t>(
				       ::operator new(1, std::align_val_t(4096))) %
				       4096 ==
			       0);
		}
	});
}

static void no_memory()
{
	in_a_thread([] {
		std::size_t most = SIZE_MAX / 4;
		bool thrown = false;

		__asm__ volatile("" : "+r"(most));
		assert(!hide(new (std::nothrow) char[most]));
		try {
			hide(new char[most]);
		} catch (const std::bad_alloc &) {
			thrown = true;
		}
		assert(thrown);
	});
}

static void containers()
{
	in_a_thread([] {
		std::vector<std::string> v;
		std::map<int, std::string> m;
		std::deque<int> d;

		for (int i = 0; i < 50; i++) {
			v.push_back(std::string(static_cast<std::size_t>(i), 'x'));
			m[i * 7 % 50] = v.back();
			d.push_front(i);
		}
		for (std::size_t i = 0; i < 50; i++)
			assert(v[i].size() == i && d[i] == 49 - static_cast<int>(i));
		assert(m.size() == 50 && m[7] == "x");
	});
}

static std::unique_ptr<thing> passed;
static thing *raw;
static int sink;

static void made_here_destroyed_there()
{
	in_a_thread([] { passed = std::make_unique<thing>(); });
	in_a_thread([] {
		assert(passed->value == 3);
		passed.reset();
	});
}

static void made_before_the_threads()
{
	passed = std::make_unique<thing>();
	in_a_thread([] { passed.reset(); });
	assert(!passed);
}

static void element_behind_the_end()
{
	in_a_thread([] { hide(new int[4])[4] = 1; });
}

static void element_behind_the_end_of_a_vector()
{
	in_a_thread([] {
		std::vector<int> v(4);

		v[hide(&v)->size()] = 1;
	});
}

static void member_after_delete()
{
	in_a_thread([] {
		raw = new thing;
		delete hide(raw);
		sink = raw->value; /* bug: member_after_delete */
	});
}

static void iterator_after_push_back()
{
	in_a_thread([] {
		std::vector<int> v(4);
		auto i = v.begin();

		v.push_back(1);
		sink = *i;
	});
}

static void deleted_twice()
{
	in_a_thread([] {
		raw = new thing;
		::operator delete(hide(raw));
		::operator delete(hide(raw)); /* bug: deleted_twice */
	});
}

static void freed_instead_of_deleted()
{
	in_a_thread([] { free(hide(new int)); });
}

static void deleted_instead_of_freed()
{
	in_a_thread([] { delete static_cast<int *>(hide(malloc(sizeof(int)))); });
}

static void array_deleted_as_one()
{
	in_a_thread([] { delete hide(new int[3]); });
}

static void delete_and_read_race()
{
	raw = new thing;
	std::thread a([] { delete raw; }), b([] { sink = raw->value; });

	a.join();
	b.join();
}

CASES(CASE(all_forms), CASE(alignment), CASE(no_memory), CASE(containers),
      CASE(made_here_destroyed_there), CASE(made_before_the_threads), CASE(element_behind_the_end),
      CASE(element_behind_the_end_of_a_vector), CASE(member_after_delete),
      CASE(iterator_after_push_back), CASE(deleted_twice), CASE(freed_instead_of_deleted),
      CASE(deleted_instead_of_freed), CASE(array_deleted_as_one), CASE(delete_and_read_race))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * container.cc - data races of the containers whose nodes the C++ library hangs in and out
 *
 * Elements may be used by one thread each, and the containers under a lock.
 *
 * case insert_and_insert: bug data-race at RACE(insert_and_insert,
 * case insert_and_find: bug data-race at RACE(insert_and_find,
 * case insert_and_iterate: bug data-race at RACE(insert_and_iterate,
 * case insert_and_iterate_backwards: bug data-race at RACE(insert_and_iterate_backwards,
 * case insert_and_size: bug data-race at RACE(insert_and_size,
 * case erase_and_find: bug data-race at RACE(erase_and_find,
 * case erase_and_iterate: bug data-race at RACE(erase_and_iterate,
 * case find_and_iterate: ok 1
 * case elements_of_a_map: ok 1
 * case maps_of_their_own: ok 1
 * case a_map_under_a_lock: ok 2
 * case push_and_empty: bug data-race at RACE(push_and_empty,
 * case push_and_iterate: bug data-race at RACE(push_and_iterate,
 * case pop_and_iterate: bug data-race at RACE(pop_and_iterate,
 * case splice_and_iterate: bug data-race at RACE(splice_and_iterate,
 * case reverse_and_iterate: bug data-race at RACE(reverse_and_iterate,
 * case swap_and_iterate: bug data-race at RACE(swap_and_iterate,
 * case elements_of_a_list: ok 1
 * case a_list_under_a_lock: ok 2
 * case a_node_that_is_gone: bug use-after-free at assert(std::next
 */
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "cases.h"

static std::map<int, int> map{ { 1, 1 }, { 3, 3 }, { 5, 5 } };
static std::list<int> list{ 1, 2, 3 }, other{ 7, 8 };
static std::mutex mutex;

template <typename F, typename G> static void both(F f, G g)
{
	std::thread thread([f] { f(); });

	g();
	thread.join();
}

static int sum()
{
	int n = 0;

	for (const auto &[key, value] : map)
		n += value;
	return n;
}

static int walk()
{
	int n = 0;

	for (int i : list)
		n += i;
	return n;
}

#define RACE(name, one, two)                    \
	static void name()                      \
	{                                       \
		both([] { one; }, [] { two; }); \
	}

RACE(insert_and_insert, map.emplace(2, 2), map.emplace(4, 4))
RACE(insert_and_find, map.emplace(6, 6), assert(map.count(1)))
RACE(insert_and_iterate, map.emplace(0, 0), assert(sum() == 9))
RACE(insert_and_iterate_backwards, map.emplace(0, 0), assert(map.rbegin()->second == 5))
RACE(insert_and_size, map.emplace(2, 2), assert(map.size() >= 3))
RACE(erase_and_find, map.erase(3), (void)map.count(5))
RACE(erase_and_iterate, map.erase(5), (void)sum())
RACE(find_and_iterate, assert(map.count(3)), assert(sum() == 9))
RACE(elements_of_a_map, map.find(1)->second = 7, map.find(5)->second = 8)
RACE(push_and_empty, list.push_front(4), assert(!list.empty()))
RACE(push_and_iterate, list.push_front(0), assert(walk() == 6))
RACE(pop_and_iterate, list.pop_back(), (void)walk())
RACE(splice_and_iterate, list.splice(list.begin(), other), (void)walk())
RACE(reverse_and_iterate, list.reverse(), (void)walk())
RACE(swap_and_iterate, list.swap(other), (void)walk())
RACE(elements_of_a_list, list.front() = 7, list.back() = 8)

static void fill(int key)
{
	std::map<int, int> own;
	std::list<int> line;

	for (int i = 0; i < 20; i++) {
		own[key ^ i] = i;
		line.push_back(i);
	}
	for (int i = 0; i < 20; i += 2)
		own.erase(key ^ i);
	assert(own.size() == 10 && own.begin()->second % 2 == 1);
	assert(std::prev(own.end())->second % 2 == 1);
	line.reverse();
	line.remove(3);
	line.sort();
	assert(line.size() == 19 && line.front() == 0);
}

RACE(maps_of_their_own, fill(0), fill(5))

static void a_map_under_a_lock()
{
	auto add = [](int key) {
		std::lock_guard<std::mutex> guard(mutex);

		map[key] = key;
		map.erase(1);
		assert(map.size() <= 4 && map.begin()->first >= 2);
	};

	both([add] { add(2); }, [add] { add(4); });
	assert(sum() == 14);
}

static void a_list_under_a_lock()
{
	auto move = [] {
		std::lock_guard<std::mutex> guard(mutex);

		list.splice(list.end(), other);
		list.pop_front();
		list.reverse();
	};

	both(move, move);
	assert(list.size() == 3 && other.empty());
}

/* The node was removed while the other thread stood at it; a lock orders that. */
static void a_node_that_is_gone()
{
	auto at = map.find(3);

	both(
		[] {
			std::lock_guard<std::mutex> guard(mutex);

			map.erase(3);
		},
		[at] {
			std::lock_guard<std::mutex> guard(mutex);

			assert(std::next(at)->second == 5);
		});
}

CASES(CASE(insert_and_insert), CASE(insert_and_find), CASE(insert_and_iterate),
      CASE(insert_and_iterate_backwards), CASE(insert_and_size), CASE(erase_and_find),
      CASE(erase_and_iterate), CASE(find_and_iterate), CASE(elements_of_a_map),
      CASE(maps_of_their_own), CASE(a_map_under_a_lock), CASE(push_and_empty),
      CASE(push_and_iterate), CASE(pop_and_iterate), CASE(splice_and_iterate),
      CASE(reverse_and_iterate), CASE(swap_and_iterate), CASE(elements_of_a_list),
      CASE(a_list_under_a_lock), CASE(a_node_that_is_gone))

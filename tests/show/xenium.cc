/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xenium.cc - containers of xenium (github.com/mpoeter/xenium), small: is everything that was put in taken out, once?
 *
 *	heddle-c++ -std=c++17 -O2 -g -I XENIUM -D KFIFO -o program xenium.cc -pthread
 *
 * KFIFO, BOUNDED: two threads that push one element and pop one. DEQUE: an owner that pushes three and pops two, a thief that steals
 * two. SET: two threads that put in and erase the same element, with the reclamation scheme stamp_it.
 */
#include <cassert>
#include <thread>

static bool put[32];
static int taken[3][8], ntaken[3];

static void take(int thread, int value)
{
	taken[thread][ntaken[thread]++] = value;
}

[[maybe_unused]] static void look(void)
{
	bool seen[32] = {};

	for (int t = 0; t < 3; t++)
		for (int i = 0; i < ntaken[t]; i++) {
			assert(put[taken[t][i]] && !seen[taken[t][i]]);
			seen[taken[t][i]] = true;
		}
	for (int v = 0; v < 32; v++)
		assert(put[v] == seen[v]);
}

#if defined(KFIFO) || defined(BOUNDED)
#ifdef KFIFO
#include <xenium/kirsch_kfifo_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>
static xenium::kirsch_kfifo_queue<int *,
				  xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>>
	queue(1);
#define PUSH(element) (queue.push(element), true)
#else
#include <xenium/kirsch_bounded_kfifo_queue.hpp>
static xenium::kirsch_bounded_kfifo_queue<int *> queue(1, 2);
#define PUSH(element) queue.try_push(element)
#endif
static int element[3] = { 0, 1, 2 };

static void work(int me)
{
	int *one;

	put[me] = PUSH(&element[me]);
	if (queue.try_pop(one))
		take(me, *one);
}

int main()
{
	std::thread one(work, 1), other(work, 2);
	int *left;

	one.join();
	other.join();
	while (queue.try_pop(left))
		take(0, *left);
	look();
}
#elif defined(DEQUE)
#include <xenium/chase_work_stealing_deque.hpp>
static xenium::chase_work_stealing_deque<int, xenium::policy::capacity<2>> deque;
static int element[4] = { 0, 1, 2, 3 };

static void steal(void)
{
	int *one;

	for (int i = 0; i < 2; i++)
		if (deque.try_steal(one))
			take(1, *one);
}

int main()
{
	std::thread thief(steal);
	int *one;

	for (int i = 1; i <= 3; i++)
		put[i] = deque.try_push(&element[i]);
	for (int i = 0; i < 2; i++)
		if (deque.try_pop(one))
			take(0, *one);
	thief.join();
	while (deque.try_pop(one))
		take(0, *one);
	look();
}
#else
#include <xenium/harris_michael_list_based_set.hpp>
#include <xenium/reclamation/stamp_it.hpp>
static xenium::harris_michael_list_based_set<
	int, xenium::policy::reclaimer<xenium::reclamation::stamp_it>>
	set;
static int balance[3];

static void work(int me)
{
	balance[me] += set.emplace(1);
	balance[me] -= set.erase(1);
}

int main()
{
	std::thread one(work, 1), other(work, 2);

	one.join();
	other.join();
	assert(balance[1] + balance[2] == (int)set.contains(1));
}
#endif

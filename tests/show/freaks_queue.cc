// SPDX-License-Identifier: BSD-2-Clause
//
// freaks_queue.cc - a queue of ConcurrencyFreaks: each item comes out once, in the order of its producer
//
//	heddle-c++ -std=c++17 -mcx16 -I CPP/queues -DQUEUE=CRTurnQueue freaks_queue.cc -latomic
//
// The queues of CPP/queues/array have 1,024 slots a node; heddle looks at ones with two, and at two items.
#include <cassert>
#include <functional>
#include <iostream>
#include <thread>
#include <vector>

#define TEXT_OF(name) #name
#define HEADER(name)  TEXT_OF(name.hpp)
#include HEADER(QUEUE)

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

enum {
	ALL = PRODUCERS * ITEMS
};

static QUEUE<int> *queue;
static int item[ALL];
static int *got[CONSUMERS][ITEMS];

static void produce(int p)
{
	for (int i = p * ITEMS; i < (p + 1) * ITEMS; i++) {
		item[i] = i + 1;
		queue->enqueue(&item[i], 1 + p);
	}
}

static void consume(int c)
{
	for (int i = 0; i < ITEMS; i++)
		got[c][i] = queue->dequeue(1 + PRODUCERS + c);
}

static int taken[ALL], last[PRODUCERS];

static void take(const int *p, bool in_order)
{
	if (!p)
		return;
	assert(*p >= 1 && *p <= ALL && !taken[*p - 1]++);
	if (in_order) {
		assert(last[(*p - 1) / ITEMS] < *p);
		last[(*p - 1) / ITEMS] = *p;
	}
}

int main()
{
	std::vector<std::thread> threads;
	int *p;

	queue = new QUEUE<int>(1 + PRODUCERS + CONSUMERS);
	for (int i = 0; i < PRODUCERS; i++)
		threads.emplace_back(produce, i);
	for (int i = 0; i < CONSUMERS; i++)
		threads.emplace_back(consume, i);
	for (auto &t : threads)
		t.join();
	for (auto &of : got)
		for (int *one : of)
			take(one, CONSUMERS == 1);
	while ((p = queue->dequeue(0)))
		take(p, CONSUMERS == 1);
	for (int n : taken)
		assert(n);
	delete queue;
}

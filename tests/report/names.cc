/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.cc - parts of variables that two threads write to: the report has their names
 *
 * names N: the N-th part
 */
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

struct node {
	int value;
	node *next;
};

struct base {
	long id;
};

struct ring : base {
	std::atomic<int> head, tail;
	int slots[4];
	node pool[3];
	union {
		short half;
		char bytes[8];
	};
	struct {
		int inner;
	} nested;
	std::mutex m;
};

static ring r;
static int grid[3][5], plain;

namespace space
{
struct {
	int x, y;
} point;
} // namespace space

static void write_to(int part)
{
	static struct {
		int unused, used;
	} local;

	switch (part) {
	case 1:
		r.id = 1;
		break;
	case 2:
		r.slots[2] = 1;
		break;
	case 3:
		r.pool[2].next = nullptr;
		break;
	case 4:
		r.bytes[5] = 1;
		break;
	case 5:
		r.nested.inner = 1;
		break;
	case 6:
		grid[1][2] = 1;
		break;
	case 7:
		space::point.y = 1;
		break;
	case 8:
		local.used = 1;
		break;
	case 9:
		plain = 1;
		break;
	case 10:
		reinterpret_cast<char *>(&plain)[1] = 1;
		break;
	default:
		break;
	}
}

static void work(int part)
{
	r.tail.load();
	{
		std::lock_guard<std::mutex> guard(r.m);
	}
	write_to(part);
}

int main(int argc, char **argv)
{
	const int part = argc > 1 ? std::atoi(argv[1]) : 0;
	std::thread other(work, part);

	work(part);
	other.join();
}

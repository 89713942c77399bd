/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped.c - races on what the program has mapped, for mapped.test; the argument says which
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <heddle.h>

enum {
	PAGE = 4096,
	PROT = PROT_READ | PROT_WRITE,
	PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS
};

static int which;
static char *first, *second;
static _Atomic(char *) third;

static void must(int ok)
{
	if (!ok)
		abort();
}

static char *map(void *at, size_t size, int flags)
{
	char *p = mmap(at, size, PROT, PRIVATE | flags, -1, 0);

	must(p != MAP_FAILED);
	return p;
}

static void prepare(void)
{
	first = map(NULL, 3 * PAGE, 0);
	second = map(NULL, PAGE, 0);
	switch (which) {
	case 1: /* a page in the middle is another mapping */
		second = map(first + PAGE, PAGE, MAP_FIXED);
		break;
	case 2: /* moved */
		second =
			mremap(second, PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, first + PAGE);
		must(second == first + PAGE);
		break;
	case 3: /* one that is gone, and another one at its place */
		must(!munmap(second, PAGE));
		second = map(second, PAGE, 0);
		break;
	case 5:
		heddle_name(second, PAGE, "the ring");
		break;
	case 6:
		heddle_name(first, PAGE, "the ring");
		break;
	default:
		break;
	}
}

static void *other(void *arg)
{
	char *mine = which == 4 ? map(NULL, PAGE, 0) : second;

	mine[24] = 1;
	atomic_store_explicit(&third, mine, memory_order_relaxed);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	char *seen = NULL;

	which = argc > 1 ? atoi(argv[1]) : 0;
	prepare();
	must(!pthread_create(&t, NULL, other, NULL));
	if (which == 4) { /* what the other thread has mapped */
		seen = atomic_load_explicit(&third, memory_order_relaxed);
		if (seen)
			seen[24] = 2;
	} else {
		second[24] = 2;
	}
	must(!pthread_join(t, NULL));
	return first[0];
}

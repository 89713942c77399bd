/* SPDX-License-Identifier: BSD-2-Clause */
/* pointers.c - what is read is a pointer, or looks like one (pointers.test) */
#define _GNU_SOURCE
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct node {
	int key;
	struct {
		int low, high;
	} range;
	struct node *next;
};

static struct node one, pool[4];
static char letters[16];
static _Atomic uintptr_t word, again;
static _Atomic uint32_t half;

static void *reader(void *arg)
{
	heddle_assert(!atomic_load_explicit(&word, memory_order_relaxed) ||
		      (uint32_t)atomic_load_explicit(&half, memory_order_relaxed) == 1);
	return arg;
}

/* Memory of the heap that was another block's before. */
static uintptr_t used_again(void)
{
	void *first = malloc(64), *block = NULL;

	free(first);
	for (int i = 0; i < 10000 && block != first; i++) {
		block = malloc(64);
		if (block != first)
			free(block);
	}
	return block == first ? (uintptr_t)block : 0;
}

static char *map(void *at)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);

	return mmap(at, 4096, PROT_READ, flags, -1, 0);
}

/* In a mapping; in the place of another one; in one that is gone; in one behind so many that others may be forgotten. */
static uintptr_t mapping(const char *what)
{
	char *first = map(NULL), *second;

	if (!strcmp(what, "mapped"))
		return (uintptr_t)first + 16;
	if (!strcmp(what, "remapped"))
		return (uintptr_t)map(first);
	if (!strcmp(what, "unmapped"))
		return munmap(first, 4096) ? 0 : (uintptr_t)first;
	second = map(NULL);
	for (int i = 0; i < 600; i++)
		second = map(second);
	return (uintptr_t)map(first);
}

static uintptr_t value_of(const char *what, struct node *local)
{
	static const struct {
		const char *name;
		const void *at;
	} globals[] = {
		{ "one", &one },
		{ "pool", &pool },
		{ "element", &pool[2] },
		{ "inner", &one.range },
		{ "high", &one.range.high },
		{ "next", &pool[1].next },
		{ "within", (char *)&one.next + 1 },
		{ "letter", &letters[5] },
		{ "behind", pool + 4 },
	};
	char *block = calloc(1, sizeof(*local)), *freed = malloc(24);

	free(freed);
	heddle_name(letters, 4, "the word");
	for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++)
		if (!strcmp(what, globals[i].name))
			return (uintptr_t)globals[i].at;
	if (!strcmp(what, "named"))
		return (uintptr_t)&letters[1];
	if (!strcmp(what, "block"))
		return (uintptr_t)block;
	if (!strcmp(what, "field"))
		return (uintptr_t)(block + 16);
	if (!strcmp(what, "end"))
		return (uintptr_t)(block + sizeof(*local));
	if (!strcmp(what, "freed"))
		return (uintptr_t)(freed + 8);
	if (!strcmp(what, "again"))
		return used_again();
	if (!strcmp(what, "stack"))
		return (uintptr_t)local;
	if (!strcmp(what, "function"))
		return (uintptr_t)reader;
	if (strchr("mruc", what[0]) && what[0])
		return mapping(what);
	return strtoul(what, NULL, 0);
}

int main(int argc, char **argv)
{
	struct node local = { 0 };
	pthread_t thread;
	uintptr_t value = value_of(argc > 1 ? argv[1] : "", &local);

	atomic_store(&half, (uint32_t)value);
	pthread_create(&thread, NULL, reader, NULL);
	atomic_store_explicit(&word, value, memory_order_relaxed);
	pthread_join(thread, NULL);
	return atomic_load(&again) != 0;
}

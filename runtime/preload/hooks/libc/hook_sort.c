/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sort.c - qsort(), as plain accesses to all of the array
 *
 * Only calls from instrumented code count. The function that compares is code of the program: it announces
 * what it looks at, and may do any operation, so these hooks are not on the stack of hooks (entry.h), keep
 * what they know on the program's, and may be left by a jump or an exception. That elements were moved
 * is announced before and behind: others may hear from the thread, or it from them, while it compares.
 *
 * What libc moves between two comparisons is announced nowhere. So where a thread that is only tried out was
 * put into a comparison (probe.c), that ends with it.
 *
 * Where the array has atomic objects, a read while it compares puts the value there that the engine knows,
 * and undoes what libc has done. There the numbers of the elements are sorted, and then the elements in one go.
 *
 * bsearch() itself looks at nothing.
 */
/*
 * intercepts: Memory
 *
 * checked qsort qsort_r - plain reads and writes of the array, when instrumented code calls them
 */
#include "preload/hooks/announce.h"

#include <stdlib.h>

#include "preload/access/heap_free.h"
#include "preload/core/refuse.h"
#include "preload/memory/heap.h"
#include "preload/memory/limit.h"

typedef int compare_elements(const void *a, const void *b);
typedef int compare_with(const void *a, const void *b, void *arg);

/* One call, on the stack of its thread. */
struct sort {
	char *base;
	size_t n, size;
	compare_elements *compare;
	compare_with *compare_with; /* if it has an argument */
	void *arg;
	bool tried; /* the call itself is part of what is tried out */
	uint64_t pc;
};

static int compare(const struct sort *s, const void *a, const void *b)
{
	int result = s->compare ? s->compare(a, b) : s->compare_with(a, b, s->arg);

	if (unlikely(current && current->probing && !s->tried))
		await_hidden_state();
	return result;
}

static int compare_in_place(const void *a, const void *b, void *sort)
{
	return compare(sort, a, b);
}

static int compare_numbers(const void *a, const void *b, void *sort)
{
	const struct sort *s = sort;
	const size_t *i = a, *k = b;

	return compare(s, s->base + *i * s->size, s->base + *k * s->size);
}

/* Does anything in the array have more to it than plain accesses? */
static bool is_special(uint64_t addr, size_t size)
{
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8)
		if (shadow_cell_now(g)->bytes)
			return true;
	return false;
}

static void sort_numbers(struct sort *s, size_t all)
{
	size_t size = s->n * sizeof(size_t) + all, *number;
	char *sorted;

	limit_give(size, true); /* without memory libc sorts in place */
	number = heap_alloc(size, 16, HEAP_C, s->pc);
	if (limit_is_set)
		limit_took(size, true);
	if (!number)
		internal_error("no memory for what qsort() sorts", NULL);
	sorted = (char *)(number + s->n);
	for (size_t i = 0; i < s->n; i++)
		number[i] = i;
	REAL(qsort_r)(number, s->n, sizeof(*number), compare_numbers, s);
	reads(s->base, all, s->pc);
	for (size_t i = 0; i < s->n; i++)
		memcpy(sorted + i * s->size, s->base + number[i] * s->size, s->size);
	writes(s->base, all, s->pc);
	memcpy(s->base, sorted, all);
	settle();
	heap_free(number, HEAP_C, s->pc);
}

static void sort(struct sort *s)
{
	size_t all = s->n * s->size;

	reads(s->base, all, s->pc);
	if (under_engine() && is_special((uintptr_t)s->base, all)) {
		sort_numbers(s, all);
		return;
	}
	writes(s->base, all, s->pc);
	REAL(qsort_r)(s->base, s->n, s->size, compare_in_place, s);
	writes(s->base, all, s->pc);
}

/* Is the array one, with something to be compared? */
static bool is_sorted_here(size_t n, size_t size, uint64_t pc)
{
	size_t all;

	return seen(pc) && n > 1 && size && !__builtin_mul_overflow(n, size, &all);
}

HEDDLE_HOOK void qsort(void *base, size_t n, size_t size, compare_elements *by)
{
	struct sort s = { base, n, size, by, NULL, NULL, current && current->probing, CALLER() };

	if (is_sorted_here(n, size, s.pc))
		sort(&s);
	else
		REAL(qsort)(base, n, size, by);
}

HEDDLE_HOOK void qsort_r(void *base, size_t n, size_t size, compare_with *by, void *arg)
{
	struct sort s = { base, n, size, NULL, by, arg, current && current->probing, CALLER() };

	if (is_sorted_here(n, size, s.pc))
		sort(&s);
	else
		REAL(qsort_r)(base, n, size, by, arg);
}

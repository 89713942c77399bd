/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * again.c - threads whose id another one had that was joined (engine/run/reuse.c)
 *
 * case variables_begin_afresh: ok 1
 * case variables_begin_afresh --backend=fork: ok 1
 * case stack_has_nothing_left: bug assertion at assert(at[10]
 * case stack_has_nothing_left --backend=fork: bug assertion at assert(at[10]
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"
#include "hooks/blocks.h"

enum {
	MORE_THAN_HAVE_IDS = 20
};

static _Thread_local int here = 1, counted;
static atomic_int used;

static void *change(void *arg)
{
	assert(here == 1 && counted == 0);
	here = 2;
	counted++;
	return arg;
}

static void variables_begin_afresh(void)
{
	for (int i = 0; i < MORE_THAN_HAVE_IDS; i++)
		THREADS(1, change);
}

/* Further down than what is cleared in any case. Natively a thread may well find what another one has left. */
static __attribute__((noinline)) void use_stack(int is_last)
{
	int left[4000];
	int *at = hide(left);

	atomic_fetch_add(&used, 1); /* so that heddle knows how deep the stack is */
	if (is_last)
		assert(at[10] == 0x07070707);
	else
		memset(at, 7, sizeof(left));
	hide(left);
}

static void *write_it(void *arg)
{
	use_stack(0);
	return arg;
}

static void *look_for_it(void *arg)
{
	use_stack(1);
	return arg;
}

static void stack_has_nothing_left(void)
{
	for (int i = 0; i < MORE_THAN_HAVE_IDS; i++)
		THREADS(1, write_it);
	THREADS(1, look_for_it);
}

CASES(CASE(variables_begin_afresh), CASE(stack_has_nothing_left))

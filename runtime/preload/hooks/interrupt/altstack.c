/* SPDX-License-Identifier: BSD-2-Clause */
/* altstack.c - see altstack.h; errors are those of Linux */
#include "preload/hooks/interrupt/altstack.h"

#include <errno.h>

#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/step/perform.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

enum {
	SMALLEST = 2048 /* MINSIGSTKSZ of the kernel */
};

/* Size 0: none. */
static HEDDLE_IMAGE_SELDOM struct altstack {
	uint64_t start, size;
} altstacks[HEDDLE_MAX_THREADS] = { { .size = 0 } };

static bool is_on(const struct altstack *a, uint64_t sp)
{
	return sp - a->start < a->size;
}

static void put(uint32_t tid, struct altstack to)
{
	struct altstack *a = &altstacks[tid];

	if (a->start == to.start && a->size == to.size) /* the image need not change */
		return;
	note_plain_write((uintptr_t)a, sizeof(*a));
	*a = to;
}

static void altstack_of_new_thread(uint32_t tid)
{
	put(tid, (struct altstack){ 0, 0 });
}

AT_CREATED(altstack_of_new_thread);

static int check(const stack_t *set, bool on)
{
	if (on)
		return EPERM;
	if ((unsigned)set->ss_flags & SS_AUTODISARM)
		refuse("the program calls sigaltstack() with SS_AUTODISARM, which is not explored: "
		       "leave it out",
		       NULL);
	if (set->ss_flags != 0 && set->ss_flags != SS_ONSTACK && set->ss_flags != SS_DISABLE)
		return EINVAL;
	return set->ss_flags != SS_DISABLE && set->ss_size < SMALLEST ? ENOMEM : 0;
}

int altstack_set(const stack_t *set, stack_t *old, uint64_t sp)
{
	const struct altstack now = altstacks[self_id()];
	bool on = is_on(&now, sp);
	int error;

	if ((set && !memory_readable(set, sizeof(*set))) ||
	    (old && !memory_writable(old, sizeof(*old))))
		return EFAULT;
	note_hidden_state();
	error = set ? check(set, on) : 0;
	if (error)
		return error;
	if (set && set->ss_flags == SS_DISABLE)
		put(self_id(), (struct altstack){ 0, 0 });
	else if (set)
		put(self_id(), (struct altstack){ (uintptr_t)set->ss_sp, set->ss_size });
	if (!old)
		return 0;
	note_plain_write((uintptr_t)old, sizeof(*old));
	*old = (stack_t){ .ss_sp = (void *)now.start,
			  .ss_size = now.size,
			  .ss_flags = !now.size ? SS_DISABLE
				      : on      ? SS_ONSTACK
						: 0 };
	return 0;
}

uint64_t altstack_top(int flags, uint64_t sp)
{
	const struct altstack *a = &altstacks[self_id()];

	return flags & SA_ONSTACK && a->size && !is_on(a, sp) ? a->start + a->size : 0;
}

/* A child that runs alone has the kernel's signals again. */
static void altstack_detach(uint32_t goes_on)
{
	const struct altstack *a = &altstacks[self_id()];
	stack_t set = { .ss_sp = (void *)a->start,
			.ss_size = a->size,
			.ss_flags = a->size ? 0 : SS_DISABLE };

	(void)goes_on;
	sys3(SYS_sigaltstack, (long)&set, 0, 0);
}

AT_DETACH(altstack_detach);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_calls.c - the calls of futexes that change words: what they are given is checked
 *
 * In the order of the kernel, as far as that shows in which error a call gives.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <unistd.h>

#include "preload/core/context.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/hooks/futex/futex.h"
#include "preload/hooks/world/time.h"

long futex_fails(int error)
{
	errno = error;
	return -1;
}

long futex_answers(long result)
{
	return result < 0 ? futex_fails((int)-result) : result;
}

/*
 * Memory that nobody can write to has a name that other processes know if it is a file's. The kernel says so, which is asked to wait for
 * no time, for a value that is not there.
 */
static bool is_of_file(const uint32_t *word)
{
	const struct timespec at_once = { 0 };

	return sys4(SYS_futex, (long)word, FUTEX_WAIT, *word + 1, (long)&at_once) != -EFAULT;
}

bool futex_is_there(const uint32_t *word, int op)
{
	if (op & FUTEX_PRIVATE_FLAG)
		return true;
	return memory_readable(word, sizeof(*word)) &&
	       (memory_writable((void *)(uintptr_t)word, sizeof(*word)) || is_of_file(word));
}

/* 0, or why the kernel cannot change it. */
static int check_word(const uint32_t *word)
{
	if ((uintptr_t)word % sizeof(*word))
		return EINVAL;
	return memory_writable((void *)(uintptr_t)word, sizeof(*word)) ? 0 : EFAULT;
}

static int check_time(const struct timespec *until)
{
	if (!until)
		return 0;
	if (!memory_readable(until, sizeof(*until)))
		return EFAULT;
	return time_valid(until) ? 0 : EINVAL;
}

static long wake_op(const struct futex_wake_op *o, int op)
{
	int error;

	if ((uintptr_t)o->first % sizeof(*o->first))
		return futex_fails(EINVAL);
	if (!futex_is_there(o->first, op))
		return futex_fails(EFAULT);
	error = check_word(o->second);
	return error ? futex_fails(error) : futex_answers(futex_table_wake_op(o));
}

static long lock_pi(const struct futex_wait *w, bool tries)
{
	int error = tries ? 0 : check_time(w->until);

	if (!error)
		error = check_word(w->word);
	return error ? futex_fails(error) : futex_answers(futex_lock_pi(w, tries));
}

static long unlock_pi(uint32_t *word, int op, uint64_t pc)
{
	if (!memory_readable(word, sizeof(*word)))
		return futex_fails(EFAULT);
	if ((*word & FUTEX_TID_MASK) == (uint32_t)gettid() && check_word(word))
		return futex_fails(check_word(word));
	return futex_answers((uintptr_t)word % sizeof(*word) ? -EPERM
							     : futex_unlock_pi(word, op, pc));
}

static long wait_requeue_pi(const struct futex_wait *w)
{
	int error = check_time(w->until);

	if (!error && w->word == w->target)
		error = EINVAL;
	if (!error)
		error = check_word(w->target);
	if (!error && (uintptr_t)w->word % sizeof(*w->word))
		error = EINVAL;
	if (!error && !memory_readable(w->word, sizeof(*w->word)))
		error = EFAULT;
	return error ? futex_fails(error) : futex_answers(futex_wait_requeue_pi(w));
}

static long cmp_requeue_pi(const struct futex_requeue *r)
{
	int error;

	if (r->wake != 1 || r->move < 0 || r->from == r->to || (uintptr_t)r->from % 4)
		return futex_fails(EINVAL);
	if (!memory_readable(r->from, sizeof(*r->from)))
		return futex_fails(EFAULT);
	error = check_word(r->to);
	return error ? futex_fails(error) : futex_answers(futex_cmp_requeue_pi(r));
}

long futex_other_call(const struct futex_wait *w, const struct futex_requeue *r)
{
	const struct futex_wake_op o = { .op = r->op,
					 .first = r->from,
					 .second = r->to,
					 .wake_first = r->wake,
					 .wake_second = r->move,
					 .encoded = r->expected,
					 .pc = r->pc };

	switch (r->op & FUTEX_CMD_MASK) {
	case FUTEX_WAKE_OP:
		return wake_op(&o, r->op);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return lock_pi(w, false);
	case FUTEX_TRYLOCK_PI:
		return lock_pi(w, true);
	case FUTEX_UNLOCK_PI:
		return unlock_pi(w->word, w->op, w->pc);
	case FUTEX_WAIT_REQUEUE_PI:
		return wait_requeue_pi(w);
	case FUTEX_CMP_REQUEUE_PI:
		return cmp_requeue_pi(r);
	default:
		return futex_fails(ENOSYS);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscall.c - how system calls by number fail, futexes above all (futex(2))
 *
 * ways syscall: ENOSYS EAGAIN EINVAL ETIMEDOUT EFAULT EBADF EDEADLK EPERM ESRCH EINTR
 *
 * case calls_by_number_are_explored: ok 1
 * case semget_by_number: refused semget() by syscall()
 * case io_uring_by_number: refused io_uring
 * case syscall_ENOSYS: ok 1
 * case syscall_ENOSYS_of_futex: ok 1
 * case syscall_ENOSYS_of_a_clock: ok 1
 * case syscall_EAGAIN_of_wait: ok 1
 * case syscall_EAGAIN_of_cmp_requeue: ok 1
 * case syscall_EINVAL: ok 1
 * case syscall_EINVAL_of_wait: ok 1
 * case syscall_EINVAL_of_wake: ok 1
 * case syscall_EINVAL_of_requeue: ok 1
 * case syscall_EINVAL_of_a_time: ok 1
 * case syscall_ETIMEDOUT: ok 1
 * case syscall_EFAULT: ok 1
 * case syscall_EFAULT_of_wait: ok 1
 * case syscall_EINVAL_of_a_list: ok 1
 * case syscall_ENOSYS_of_wake_op: ok 1
 * case syscall_EINVAL_of_wake_op: ok 1
 * case syscall_EINVAL_of_a_lock: ok 1
 * case syscall_EINVAL_of_requeue_pi: ok 1
 * case syscall_EAGAIN_of_requeue_pi: ok 1
 * case syscall_EAGAIN_of_trylock: ok 1
 * case syscall_EDEADLK_of_a_lock: ok 1
 * case syscall_EPERM_of_unlock: ok 1
 * case syscall_ESRCH_of_a_lock: ok 1
 * case syscall_ETIMEDOUT_of_a_lock: ok 1
 * case syscall_ETIMEDOUT_of_wait_requeue_pi: ok 1
 * case syscall_EFAULT_of_a_lock: ok 1
 * case syscall_EINVAL_of_membarrier: ok 1
 * case syscall_EBADF: ok 1
 * case syscall_of_nobody: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

/* One for each thread, so that nobody else is in its queue. */
static uint32_t words[3];
static const struct timespec none = { 0, 0 };

static long futex(uint32_t *word, int op, uint32_t val, const struct timespec *t, uint32_t *other,
		  uint32_t val3)
{
	return syscall(SYS_futex, word, op, val, t, other, val3);
}

static uint32_t *own(void *arg)
{
	return &words[(long)arg + 1];
}

EACH_FAILS(syscall_ENOSYS, ENOSYS, syscall(100000))

IN_EACH(syscall_ENOSYS_of_futex)
{
	FAILS(ENOSYS, futex(own(arg), 2, 0, NULL, NULL, 0)); /* FUTEX_FD, which is gone */
	FAILS(ENOSYS, futex(own(arg), 77, 0, NULL, NULL, 0));
	return arg;
}

/* None of these waits until a time. */
IN_EACH(syscall_ENOSYS_of_a_clock)
{
	FAILS(ENOSYS, futex(own(arg), FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0));
	FAILS(ENOSYS, futex(own(arg), FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 0, &none, NULL, 0));
	FAILS(ENOSYS, futex(own(arg), FUTEX_REQUEUE | FUTEX_CLOCK_REALTIME, 1, NULL, own(arg), 0));
	return arg;
}

IN_EACH(syscall_EAGAIN_of_wait)
{
	FAILS(EAGAIN, futex(own(arg), FUTEX_WAIT, 1, NULL, NULL, 0));
	FAILS(EAGAIN, futex(own(arg), FUTEX_WAIT_PRIVATE, 1, &none, NULL, 0));
	FAILS(EAGAIN, futex(own(arg), FUTEX_WAIT_BITSET, 1, NULL, NULL, 1));
	return arg;
}

IN_EACH(syscall_EAGAIN_of_cmp_requeue)
{
	FAILS(EAGAIN, futex(own(arg), FUTEX_CMP_REQUEUE, 1, (void *)1, &words[0], 1));
	return arg;
}

IN_EACH(syscall_EINVAL)
{
	struct timespec now;

	FAILS(EINVAL, syscall(SYS_clock_gettime, 100, &now));
	FAILS(EINVAL, syscall(SYS_getrandom, &now, sizeof(now), 0x100));
	FAILS(EINVAL, syscall(SYS_clock_nanosleep, 100, 0, &none, NULL));
	now = (struct timespec){ 0, -1 };
	FAILS(EINVAL, syscall(SYS_nanosleep, &now, NULL));
	return arg;
}

static uint32_t *unaligned(void *arg)
{
	return (uint32_t *)((char *)own(arg) + 1);
}

IN_EACH(syscall_EINVAL_of_wait)
{
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_WAIT, 0, NULL, NULL, 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
	return arg;
}

IN_EACH(syscall_EINVAL_of_wake)
{
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_WAKE, 1, NULL, NULL, 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
	return arg;
}

IN_EACH(syscall_EINVAL_of_requeue)
{
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_REQUEUE, 1, NULL, own(arg), 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_REQUEUE, 1, NULL, unaligned(arg), 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_REQUEUE, -1, NULL, own(arg), 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_CMP_REQUEUE, 1, (void *)-1, own(arg), 0));
	return arg;
}

IN_EACH(syscall_EINVAL_of_a_time)
{
	struct timespec t = { 0, 1000000000 };

	FAILS(EINVAL, futex(own(arg), FUTEX_WAIT, 0, &t, NULL, 0));
	t = (struct timespec){ -1, 0 };
	FAILS(EINVAL, futex(own(arg), FUTEX_WAIT_BITSET, 0, &t, NULL, 1));
	FAILS(EINVAL, futex(own(arg), FUTEX_WAIT, 77, &t, NULL, 0)); /* whatever the word */
	return arg;
}

IN_EACH(syscall_ETIMEDOUT)
{
	struct timespec passed = { 1, 0 };

	FAILS(ETIMEDOUT, futex(own(arg), FUTEX_WAIT, 0, &none, NULL, 0));
	FAILS(ETIMEDOUT, futex(own(arg), FUTEX_WAIT_BITSET_PRIVATE, 0, &passed, NULL, 1));
	FAILS(ETIMEDOUT, futex(own(arg), FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &passed, NULL,
			       FUTEX_BITSET_MATCH_ANY));
	return arg;
}

EACH_FAILS(syscall_EFAULT, EFAULT, syscall(SYS_getrandom, (void *)8, 8, 0))

IN_EACH(syscall_EFAULT_of_wait)
{
	FAILS(EFAULT, futex((uint32_t *)8, FUTEX_WAIT, 0, NULL, NULL, 0));
	FAILS(EFAULT, futex(own(arg), FUTEX_WAIT, 0, (struct timespec *)8, NULL, 0));
	FAILS(EFAULT, futex((uint32_t *)8, FUTEX_WAKE, 1, NULL, NULL, 0));
	FAILS(EFAULT, futex(own(arg), FUTEX_REQUEUE, 1, (void *)1, (uint32_t *)8, 0));
	assert(futex((uint32_t *)8, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
	return arg;
}

EACH_FAILS(syscall_EBADF, EBADF, syscall(SYS_fsync, -1))

/* ---- Futexes that change words ---- */

IN_EACH(syscall_EINVAL_of_a_list)
{
	FAILS(EINVAL, syscall(SYS_set_robust_list, words, 1));
	return arg;
}

IN_EACH(syscall_ENOSYS_of_wake_op)
{
	FAILS(ENOSYS, futex(own(arg), FUTEX_WAKE_OP, 1, (void *)1, own(arg), 5u << 28));
	FAILS(ENOSYS, futex(own(arg), FUTEX_WAKE_OP, 1, (void *)1, own(arg), 6u << 24));
	FAILS(ENOSYS, futex(own(arg), FUTEX_WAKE_OP | FUTEX_CLOCK_REALTIME, 1, NULL, own(arg), 0));
	FAILS(ENOSYS, futex(own(arg), FUTEX_LOCK_PI | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0));
	return arg;
}

IN_EACH(syscall_EINVAL_of_wake_op)
{
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_WAKE_OP, 1, NULL, own(arg), 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_WAKE_OP, 1, NULL, unaligned(arg), 0));
	return arg;
}

IN_EACH(syscall_EINVAL_of_a_lock)
{
	struct timespec t = { 0, -1 };

	FAILS(EINVAL, futex(unaligned(arg), FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_LOCK_PI2, 0, NULL, NULL, 0));
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_LOCK_PI, 0, &t, NULL, 0));
	return arg;
}

IN_EACH(syscall_EINVAL_of_requeue_pi)
{
	FAILS(EINVAL, futex(own(arg), FUTEX_WAIT_REQUEUE_PI, 0, NULL, own(arg), 0));
	FAILS(EINVAL, futex(unaligned(arg), FUTEX_WAIT_REQUEUE_PI, 0, NULL, &words[0], 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_WAIT_REQUEUE_PI, 0, NULL, unaligned(arg), 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_CMP_REQUEUE_PI, 1, (void *)1, own(arg), 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_CMP_REQUEUE_PI, 0, (void *)1, &words[0], 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_CMP_REQUEUE_PI, 2, (void *)1, &words[0], 0));
	FAILS(EINVAL, futex(own(arg), FUTEX_CMP_REQUEUE_PI, 1, (void *)-1, &words[0], 0));
	return arg;
}

IN_EACH(syscall_EAGAIN_of_requeue_pi)
{
	FAILS(EAGAIN, futex(own(arg), FUTEX_WAIT_REQUEUE_PI, 1, NULL, &words[0], 0));
	FAILS(EAGAIN, futex(own(arg), FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &words[0], 1));
	assert(futex(own(arg), FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &words[0], 0) == 0);
	return arg;
}

static uint32_t shared_lock;

static void *try(void *arg)
{
	FAILS(EAGAIN, futex(&shared_lock, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	assert(__atomic_load_n(&shared_lock, __ATOMIC_RELAXED) & FUTEX_WAITERS);
	return arg;
}

static void syscall_EAGAIN_of_trylock(void)
{
	assert(futex(&shared_lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
	THREADS(1, try);
	assert(futex(&shared_lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
}

IN_EACH(syscall_EDEADLK_of_a_lock)
{
	assert(futex(own(arg), FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
	FAILS(EDEADLK, futex(own(arg), FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	FAILS(EDEADLK, futex(own(arg), FUTEX_LOCK_PI2, 0, NULL, NULL, 0));
	FAILS(EDEADLK, futex(own(arg), FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	assert(futex(own(arg), FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
	return arg;
}

static void *unlock(void *arg)
{
	FAILS(EPERM, futex(&shared_lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	FAILS(EPERM, futex(own(arg), FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	return arg;
}

static void syscall_EPERM_of_unlock(void)
{
	assert(futex(&shared_lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
	THREADS(1, unlock);
	assert(futex(&shared_lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
	unlock(NULL);
}

IN_EACH(syscall_ESRCH_of_a_lock)
{
	*own(arg) = FUTEX_TID_MASK; /* no thread has that */
	FAILS(ESRCH, futex(own(arg), FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	FAILS(ESRCH, futex(own(arg), FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	return arg;
}

static void *lock_until(void *arg)
{
	FAILS(ETIMEDOUT, futex(&shared_lock, FUTEX_LOCK_PI, 0, &none, NULL, 0));
	FAILS(ETIMEDOUT, futex(&shared_lock, FUTEX_LOCK_PI2, 0, &none, NULL, 0));
	FAILS(ETIMEDOUT,
	      futex(&shared_lock, FUTEX_LOCK_PI2 | FUTEX_CLOCK_REALTIME, 0, &none, NULL, 0));
	return arg;
}

static void syscall_ETIMEDOUT_of_a_lock(void)
{
	assert(futex(&shared_lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
	THREADS(1, lock_until);
	assert(futex(&shared_lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
}

IN_EACH(syscall_ETIMEDOUT_of_wait_requeue_pi)
{
	FAILS(ETIMEDOUT, futex(own(arg), FUTEX_WAIT_REQUEUE_PI, 0, &none, &words[0], 0));
	return arg;
}

IN_EACH(syscall_EFAULT_of_a_lock)
{
	FAILS(EFAULT, futex((uint32_t *)8, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	FAILS(EFAULT, futex((uint32_t *)8, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	FAILS(EFAULT, futex((uint32_t *)8, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	FAILS(EFAULT, futex(own(arg), FUTEX_LOCK_PI, 0, (struct timespec *)8, NULL, 0));
	FAILS(EFAULT, futex(own(arg), FUTEX_WAKE_OP, 1, NULL, (uint32_t *)8, 0));
	FAILS(EFAULT, futex(own(arg), FUTEX_WAIT_REQUEUE_PI, 0, NULL, (uint32_t *)8, 0));
	FAILS(EFAULT, futex(own(arg), FUTEX_CMP_REQUEUE_PI, 1, NULL, (uint32_t *)8, 0));
	return arg;
}

EACH_FAILS(syscall_EINVAL_of_membarrier, EINVAL,
	   syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 77, 0))

/* Nobody is there to be woken or moved. */
IN_EACH(syscall_of_nobody)
{
	assert(futex(own(arg), FUTEX_WAKE, INT_MAX, NULL, NULL, 0) == 0);
	assert(futex(own(arg), FUTEX_WAKE_BITSET, 1, NULL, NULL, 1) == 0);
	assert(futex(own(arg), FUTEX_REQUEUE, 1, (void *)1, &words[0], 0) == 0);
	assert(futex(own(arg), FUTEX_CMP_REQUEUE, 1, (void *)1, &words[0], 0) == 0);
	return arg;
}

static int ends[2];

static void *write_by_number(void *arg)
{
	assert(syscall(SYS_write, ends[1], "x", 1) == 1);
	return arg;
}

/* The reader comes first, too, and waits. */
static void calls_by_number_are_explored(void)
{
	pthread_t thread;
	char c = 0;

	assert(syscall(SYS_pipe, ends) == 0);
	assert(pthread_create(&thread, NULL, write_by_number, NULL) == 0);
	assert(syscall(SYS_read, ends[0], &c, 1) == 1 && c == 'x');
	assert(pthread_join(thread, NULL) == 0);
	assert(syscall(SYS_close, ends[0]) == 0 && syscall(SYS_close, ends[1]) == 0);
}

static void semget_by_number(void)
{
	syscall(SYS_semget, 0, 1, 0600);
}

static void io_uring_by_number(void)
{
	syscall(SYS_io_uring_setup, 1, NULL);
}

CASES(CASE(calls_by_number_are_explored), CASE(semget_by_number), CASE(io_uring_by_number),
      CASE(syscall_ENOSYS), CASE(syscall_ENOSYS_of_futex), CASE(syscall_ENOSYS_of_a_clock),
      CASE(syscall_EAGAIN_of_wait), CASE(syscall_EAGAIN_of_cmp_requeue), CASE(syscall_EINVAL),
      CASE(syscall_EINVAL_of_wait), CASE(syscall_EINVAL_of_wake), CASE(syscall_EINVAL_of_requeue),
      CASE(syscall_EINVAL_of_a_time), CASE(syscall_ETIMEDOUT), CASE(syscall_EFAULT),
      CASE(syscall_EFAULT_of_wait), CASE(syscall_EINVAL_of_a_list), CASE(syscall_ENOSYS_of_wake_op),
      CASE(syscall_EINVAL_of_wake_op), CASE(syscall_EINVAL_of_a_lock),
      CASE(syscall_EINVAL_of_requeue_pi), CASE(syscall_EAGAIN_of_requeue_pi),
      CASE(syscall_EAGAIN_of_trylock), CASE(syscall_EDEADLK_of_a_lock),
      CASE(syscall_EPERM_of_unlock), CASE(syscall_ESRCH_of_a_lock),
      CASE(syscall_ETIMEDOUT_of_a_lock), CASE(syscall_ETIMEDOUT_of_wait_requeue_pi),
      CASE(syscall_EFAULT_of_a_lock), CASE(syscall_EBADF), CASE(syscall_EINVAL_of_membarrier),
      CASE(syscall_of_nobody))

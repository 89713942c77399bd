/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_syscall.c - system calls by number
 *
 * A program calls syscall() for what libc has no function for (futexes), or to go round it.
 * Where there is a hook of the function, the number leads to it as well. Others are made, and
 * may leave traces in the kernel; numbers that make threads or processes are refused.
 */
/*
 * intercepts: System calls by number
 *
 * explored syscall - SYS_futex is explored, with set_robust_list and get_robust_list; so is membarrier, a
 *	fence on every thread, less its commands for code that changes and for restartable sequences. The
 *	numbers of getpid, getppid, gettid, sched_yield, getrandom, clock_gettime,
 *	gettimeofday, time, nanosleep, clock_nanosleep, prctl, read, write, close, close_range, pipe, pipe2, eventfd, dup, dup2, poll,
 *	socketpair, alarm, pause, setitimer and those of timerfd do what these functions do. The numbers of
 *	clone, clone3, fork, vfork, execve, execveat, exit, seccomp, futex_waitv and its like, semget, msgget, mq_open,
 *	io_setup, io_uring_setup, timer_create, those of signals, and those about pipes and the like without a hook are
 *	refused. Others
 *	are made, and executions run in children from then on
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/context.h"
#include "preload/core/kin_end.h"
#include "preload/core/refuse.h"
#include "preload/core/touch.h"
#include "preload/facts/needs.h"
#include "preload/hooks/futex/futex.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/process/depart.h"
#include "preload/hooks/process/membarrier.h"
#include "preload/hooks/process/own_process.h"
#include "preload/hooks/thread/exit.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/image/snapshot.h"
#include "preload/step/perform.h"

enum {
	KERNEL_SET = 8 /* bytes of a set of signals */
};

/* kernel: 0 and more, or an error number */
static long failing(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* What the kernel knows is the list of glibc. */
static long get_list(pid_t id, struct robust_list_head **head, size_t *size)
{
	if (memory_writable(head, sizeof(*head)) && memory_writable(size, sizeof(*size)) &&
	    futex_get_list(id, head, size))
		return 0;
	return REAL(syscall)(SYS_get_robust_list, identity_real(id), head, size);
}

static long membarrier_answer(const long a[6], uint64_t pc)
{
	long answer = membarrier_call((int)a[0], (unsigned)a[1], pc);

	return answer < 0 ? failing((int)-answer) : answer;
}

/* Of descriptors, which are pipes and the like for threads. */
static bool hooked_descriptors(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_read:
		*result = read((int)a[0], (void *)a[1], (size_t)a[2]);
		return true;
	case SYS_write:
		*result = write((int)a[0], (const void *)a[1], (size_t)a[2]);
		return true;
	case SYS_close:
		*result = close((int)a[0]);
		return true;
	case SYS_pipe:
		*result = pipe((int *)a[0]);
		return true;
	case SYS_pipe2:
		*result = pipe2((int *)a[0], (int)a[1]);
		return true;
	case SYS_eventfd:
	case SYS_eventfd2:
		*result = eventfd((unsigned)a[0], number == SYS_eventfd ? 0 : (int)a[1]);
		return true;
	case SYS_dup:
		*result = dup((int)a[0]);
		return true;
	case SYS_dup2:
		*result = dup2((int)a[0], (int)a[1]);
		return true;
	case SYS_poll:
		*result = poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]);
		return true;
	case SYS_close_range:
		*result = close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
		return true;
	case SYS_socketpair:
		*result = socketpair((int)a[0], (int)a[1], (int)a[2], (int *)a[3]);
		return true;
	default:
		return false;
	}
}

/* Of time. */
static bool hooked_timers(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_nanosleep:
		*result = nanosleep((struct timespec *)a[0], (struct timespec *)a[1]);
		return true;
	case SYS_clock_nanosleep:
		*result =
			failing(clock_nanosleep((clockid_t)a[0], (int)a[1], (struct timespec *)a[2],
						(struct timespec *)a[3]));
		return true;
	case SYS_alarm:
		*result = alarm((unsigned)a[0]);
		return true;
	case SYS_pause:
		*result = pause();
		return true;
	case SYS_setitimer:
		*result = setitimer((int)a[0], (const struct itimerval *)a[1],
				    (struct itimerval *)a[2]);
		return true;
	case SYS_timerfd_create:
		*result = timerfd_create((int)a[0], (int)a[1]);
		return true;
	case SYS_timerfd_settime:
		*result = timerfd_settime((int)a[0], (int)a[1], (const struct itimerspec *)a[2],
					  (struct itimerspec *)a[3]);
		return true;
	case SYS_timerfd_gettime:
		*result = timerfd_gettime((int)a[0], (struct itimerspec *)a[1]);
		return true;
	default:
		return false;
	}
}

/* Calls that have a hook; false if this is none. */
static bool hooked(long number, const long a[6], uint64_t pc, long *result)
{
	switch (number) {
	case SYS_futex:
		*result = futex_call(a, pc);
		return true;
	case SYS_set_robust_list:
		*result = futex_set_list((struct robust_list_head *)a[0], (size_t)a[1]);
		return true;
	case SYS_get_robust_list:
		*result = get_list((pid_t)a[0], (struct robust_list_head **)a[1], (size_t *)a[2]);
		return true;
	case SYS_prctl:
		if (a[0] != PR_SET_NAME && a[0] != PR_GET_NAME)
			return false;
		*result = prctl((int)a[0], a[1]);
		return true;
	case SYS_membarrier:
		if (!init_active())
			return false;
		*result = membarrier_answer(a, pc);
		return true;
	case SYS_gettid:
		*result = gettid();
		return true;
	case SYS_getpid:
		*result = getpid();
		return true;
	case SYS_getppid:
		*result = getppid();
		return true;
	case SYS_pidfd_open:
		*result = pidfd_open((pid_t)a[0], (unsigned)a[1]);
		return true;
	case SYS_kill:
		*result = kill((pid_t)a[0], (int)a[1]);
		return true;
	case SYS_tkill:
		*result = tgkill(getpid(), (pid_t)a[0], (int)a[1]);
		return true;
	case SYS_tgkill:
		*result = tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]);
		return true;
	case SYS_signalfd:
	case SYS_signalfd4:
		*result = a[2] == KERNEL_SET ? signalfd((int)a[0], (const sigset_t *)a[1],
							number == SYS_signalfd ? 0 : (int)a[3])
					     : failing(EINVAL);
		return true;
	case SYS_sched_yield:
		*result = sched_yield();
		return true;
	case SYS_getrandom:
		*result = getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
		return true;
	case SYS_clock_gettime:
		*result = clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
		return true;
	case SYS_gettimeofday:
		*result = gettimeofday((struct timeval *)a[0], (void *)a[1]);
		return true;
	case SYS_time:
		*result = time((time_t *)a[0]);
		return true;
	default:
		return hooked_descriptors(number, a, result) || hooked_timers(number, a, result);
	}
}

enum { /* of Linux 5.16 and 6.7, which headers need not know */
	FUTEX_WAITV_CALL = 449,
	FUTEX_WAKE_CALL = 454,
	FUTEX_WAIT_CALL,
	FUTEX_REQUEUE_CALL
};

static void refuse_some(long number, const long a[6])
{
	switch (number) {
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
		refuse("the program makes a thread or process by syscall(): create threads with "
		       "pthread_create()",
		       NULL);
	case SYS_execve:
	case SYS_execveat:
		refuse("the program replaces itself by syscall(): run the program that it starts "
		       "under heddle instead",
		       NULL);
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
		if (!under_engine())
			return;
		refuse("the program sends a signal by syscall(): use sigqueue() or "
		       "pthread_sigqueue()",
		       NULL);
	case FUTEX_WAITV_CALL:
	case FUTEX_WAKE_CALL:
	case FUTEX_WAIT_CALL:
	case FUTEX_REQUEUE_CALL:
		refuse("the program calls futex_waitv() or its like, which are not explored: use "
		       "SYS_futex",
		       NULL);
	case SYS_ptrace:
		if (a[0] == PTRACE_TRACEME)
			own_process_traced();
		return;
	case SYS_prctl:
		if (a[0] == PR_SET_SECCOMP)
			own_process_filtered();
		return;
	case SYS_seccomp:
		own_process_filtered();
		return;
	case SYS_semget:
		refuse("the program calls semget() by syscall(), which heddle cannot explore: use sem_init() and "
		       "sem_wait() between threads",
		       NULL);
	case SYS_msgget:
	case SYS_mq_open:
		refuse("the program opens a message queue by syscall(), which heddle cannot explore: let threads "
		       "exchange messages through a pipe or by a mutex and a condition variable",
		       NULL);
	case SYS_io_setup:
	case SYS_io_uring_setup:
		refuse("the program has the kernel read and write beside it (io_uring, io_setup()), which heddle "
		       "cannot explore: use read() and write() in a thread",
		       NULL);
	case SYS_timer_create:
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_rt_sigpending:
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigsuspend:
		refuse("the program calls the kernel about signals or timers by syscall(): use the functions of "
		       "libc",
		       NULL);
	case SYS_exit:
		refuse("the program ends a thread by syscall(): use pthread_exit()", NULL);
	default:
		return;
	}
}

/* In a process that has let go of heddle, until when the kernel is to wait: as a[3] has it, or in *room. */
static long futex_until(const long a[6], struct timespec *room)
{
	const int op = (int)a[1], command = op & FUTEX_CMD_MASK;
	const bool of_day = op & FUTEX_CLOCK_REALTIME || command == FUTEX_LOCK_PI;

	if (command != FUTEX_WAIT_BITSET && command != FUTEX_LOCK_PI && command != FUTEX_LOCK_PI2 &&
	    command != FUTEX_WAIT_REQUEUE_PI)
		return a[3];
	return (long)kernel_time(of_day ? CLOCK_REALTIME : CLOCK_MONOTONIC,
				 (const struct timespec *)a[3], room);
}

/* hooked(), which other threads may run in; they can find where the program is. */
static bool hooked_at(long number, const long *a, uint64_t pc, uint64_t sp, long *result)
{
	bool is;

	if (current) {
		current->plain.pc = pc;
		current->plain.sp = sp;
	}
	is = hooked(number, a, pc, result);
	if (current)
		current->plain.pc = 0;
	return is;
}

HEDDLE_HOOK long syscall(long number, ...)
{
	uint64_t pc = CALLER();
	struct timespec until;
	long a[6], result;
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	interrupt_point(pc);
	if (number == SYS_futex)
		kin_uses((const volatile void *)a[0], "a futex");
	if (shared && hooked_at(number, a, pc, (uint64_t)(uintptr_t)__builtin_dwarf_cfa(), &result))
		return result;
	if (!shared && number == SYS_futex)
		a[3] = futex_until(a, &until);
	if (number == SYS_exit_group)
		exit_now((int)a[0], pc);
	if (number == SYS_execve || number == SYS_execveat)
		depart();
	if (init_active())
		refuse_some(number, a);
	if (number == SYS_execve || number == SYS_execveat) {
		long *envp = &a[number == SYS_execve ? 2 : 3];

		*envp = (long)DEPARTING((char **)*envp);
		kin_end_execs();
		result = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
		kin_end_stays();
		return result;
	}
	if (under_engine()) {
		channel_by_number(number, a);
		note_hidden_state();
		needs_fork_of_memory("makes a system call");
		snapshot_expect(0, UINT64_MAX); /* where it may write is not known */
	}
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

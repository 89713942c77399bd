/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own.c - what a process asks of the kernel about itself, and processes that no hook sees being made
 *
 * ways ptrace: ESRCH; not EBUSY EFAULT EINVAL EIO EPERM (of requests that heddle does not look at)
 * ways prctl: EINVAL; not EACCES EBADF EBUSY EFAULT ENXIO EOPNOTSUPP EPERM (as above)
 *
 * case ptrace_ESRCH: ok 1
 * case prctl_EINVAL: ok 1
 * case prctl_of_a_name: ok 1
 * case traced: refused PTRACE_TRACEME
 * case traced_early: refused PTRACE_TRACEME
 * case traced_by_number: refused PTRACE_TRACEME
 * case filter_of_calls: refused seccomp
 * case filter_of_calls_by_number: refused seccomp
 * case filter_of_calls_strict: refused seccomp
 * case fork_unseen: refused no hook sees
 * case fork_unseen --backend=fork: refused no hook sees
 * case fork_unseen -j 2: refused no hook sees
 * case fork_unseen_early: refused no hook sees
 * case fork_unseen_and_gone: inconclusive the kernel is called
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/fails.h"

#define NOBODYS_PID 0x3fffffff

EACH_FAILS(ptrace_ESRCH, ESRCH, ptrace(PTRACE_CONT, NOBODYS_PID, NULL, NULL))
EACH_FAILS(prctl_EINVAL, EINVAL, prctl(-1, 0, 0, 0, 0))

IN_EACH(prctl_of_a_name)
{
	char name[16] = "";

	assert(prctl(PR_SET_NAME, "of its own", 0, 0, 0) == 0);
	assert(prctl(PR_GET_NAME, name, 0, 0, 0) == 0 && !strcmp(name, "of its own"));
	return arg;
}

/* ---- What heddle could not live with ----------------------------------------------------------- */

static void *trace(void *arg)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	return arg;
}

static void traced(void)
{
	THREADS(1, trace);
}

static void traced_early(void)
{
	trace(NULL);
	THREADS(1, trace);
}

static void *trace_by_number(void *arg)
{
	syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL);
	return arg;
}

static void traced_by_number(void)
{
	THREADS(1, trace_by_number);
}

static struct sock_filter no_mprotect[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog filter = { 4, no_mprotect };

static void *put_filter(void *arg)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
	return arg;
}

static void filter_of_calls(void)
{
	THREADS(1, put_filter);
}

static void filter_of_calls_by_number(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
	THREADS(1, trace);
}

static void filter_of_calls_strict(void)
{
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
	THREADS(1, trace);
}

/* ---- Processes -------------------------------------------------------------------------------------- */

/* As no function of libc does it. */
static long unseen(long number, long argument)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(argument)
			 : "rcx", "r11", "memory");
	return result;
}

static atomic_int n;

/* The child goes on as the thread. */
static void *make(void *arg)
{
	atomic_fetch_add(&n, 1);
	unseen(SYS_fork, 0);
	for (int i = 0; i < 1000; i++)
		atomic_fetch_add(&n, 1);
	return arg;
}

static void fork_unseen(void)
{
	THREADS(1, make);
	wait(NULL);
}

static void fork_unseen_early(void)
{
	unseen(SYS_fork, 0);
	THREADS(1, make);
	wait(NULL);
}

static void *make_and_end(void *arg)
{
	if (unseen(SYS_fork, 0) == 0)
		unseen(SYS_exit_group, 0);
	atomic_fetch_add(&n, 1);
	return arg;
}

static void fork_unseen_and_gone(void)
{
	THREADS(1, make_and_end);
}

CASES(CASE(ptrace_ESRCH), CASE(prctl_EINVAL), CASE(prctl_of_a_name), CASE(traced),
      CASE(traced_early), CASE(traced_by_number), CASE(filter_of_calls),
      CASE(filter_of_calls_by_number), CASE(filter_of_calls_strict), CASE(fork_unseen),
      CASE(fork_unseen_early), CASE(fork_unseen_and_gone))

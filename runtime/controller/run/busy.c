/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * busy.c - is it the program that does nothing, or the runtime that thinks?
 *
 * The watchdog sees no operation for a while. Then the program's instruction pointer is looked
 * at a few times (ptrace): a program that loops without operations is never in the runtime,
 * and a long decision of the engine nearly always is. With a graph of a million events it mostly copies: so who called what copies counts,
 * too. One that sleeps is not stopped for that. Asked only when the watchdog would fire, so it costs nothing otherwise.
 */
#include "config.h"

#include "controller/run/busy.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

enum {
	SAMPLES = 8,
	WAIT_TRIES = 100,
	MAX_CHILDREN = 8
};

static void nap(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	nanosleep(&ms, NULL);
}

/* Waits for the stop that was asked for; the end of the process is left for others to see. */
static bool wait_stopped(pid_t pid)
{
	for (int i = 0; i < WAIT_TRIES; i++) {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | __WALL))
			return false;
		if (info.si_pid == pid)
			return true;
		nap();
	}
	return false;
}

/* Where a process is executing, 0: that cannot be told; and its stack, 0: it is in a call of the kernel. */
struct spot {
	uint64_t pc, sp;
};

/*
 * Where a process that sleeps in the kernel will go on; pc 0: it runs, or that cannot be told. To stop it would
 * end some calls, with EINTR and no handler (epoll_wait()), and the program would see that.
 */
static struct spot asleep(pid_t pid)
{
	unsigned long long pc, sp;
	struct spot at = { 0, 0 };
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ' ')) {
		/* A page that it waits for is no call. */
		if (sscanf(line, "-1 %llx %llx", &sp, &pc) == 2)
			at = (struct spot){ .pc = pc, .sp = sp };
		else if (sscanf(strrchr(line, ' '), "%llx", &pc) == 1)
			at.pc = pc;
	}
	if (f)
		fclose(f);
	return at;
}

static struct spot spot_of(pid_t pid)
{
	struct user_regs_struct regs;
	struct spot at = asleep(pid);

	if (at.pc || ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		return at;
	if (!ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) && wait_stopped(pid) &&
	    !ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		at = (struct spot){ .pc = regs.rip,
				    .sp = (long long)regs.orig_rax >= 0 ? 0 : regs.rsp };
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return at;
}

/*
 * Where the function returns to, which uses no stack: so it is with memcpy() and its like. 0: that cannot be read.
 * (The program's own are not asked. A thread's function, which the runtime calls, may be a loop.)
 */
static uint64_t caller_of(pid_t pid, const struct spot *at)
{
	uint64_t to = 0;
	struct iovec ours = { .iov_base = &to, .iov_len = sizeof(to) };
	struct iovec theirs = { .iov_len = sizeof(to) };

	memcpy(&theirs.iov_base, &at->sp, sizeof(theirs.iov_base));
	if (!at->sp || process_vm_readv(pid, &ours, 1, &theirs, 1, 0) != (ssize_t)sizeof(to))
		return 0;
	return to;
}

/* Does an address of a process lie in a file of that name? 0 does not. */
static bool is_in(const char *name, pid_t pid, uint64_t pc)
{
	char path[64], line[4096];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		unsigned long long from, to;

		found = sscanf(line, "%llx-%llx", &from, &to) == 2 && pc >= from && pc < to &&
			strstr(line, name);
	}
	if (f)
		fclose(f);
	return found;
}

static bool is_busy(pid_t pid)
{
	static const char runtime[] = "/libheddle-rt.so";
	const struct spot at = spot_of(pid);

	return is_in(runtime, pid, at.pc) ||
	       (is_in("/libc.so", pid, at.pc) && is_in(runtime, pid, caller_of(pid, &at)));
}

static size_t children_of(pid_t pid, pid_t *out);

/* Those at work: a process with a child only waits for it. */
static size_t leaves_of(pid_t pid, pid_t *out)
{
	pid_t child[MAX_CHILDREN];
	size_t n = children_of(pid, child), all = 0;

	if (!n)
		out[all++] = pid;
	for (size_t i = 0; i < n && all < MAX_CHILDREN; i++) {
		pid_t leaves[MAX_CHILDREN];
		size_t more = leaves_of(child[i], leaves);

		for (size_t k = 0; k < more && all < MAX_CHILDREN; k++)
			out[all++] = leaves[k];
	}
	return all;
}

static size_t children_of(pid_t pid, pid_t *out)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	while (f && n < MAX_CHILDREN && fscanf(f, "%d", &out[n]) == 1)
		n++;
	if (f)
		fclose(f);
	return n;
}

bool runtime_is_busy(pid_t pid)
{
	pid_t all[MAX_CHILDREN];
	size_t n = leaves_of(pid, all);

	for (int i = 0; i < SAMPLES; i++) {
		for (size_t k = 0; k < n; k++)
			if (is_busy(all[k]))
				return true;
		nap();
	}
	return false;
}

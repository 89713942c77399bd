/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children.c - processes that the program makes before it has threads
 *
 * A test framework may run each test in a child of its own. As long as there is one thread, a child
 * is what the program would be had fork() returned 0 the first time, so it can be explored like a
 * program of its own: by a run of the whole program in which it is the one that matters.
 *
 *	plain run	explores the program itself. Its children let go of heddle and run alone, so
 *			that the program gets from them what it waits for. The mapping shared with the
 *			controller says how many there are, which of them create threads, and
 *			how they ended.
 *	run of child n	The n-th child, and nobody else, stays with heddle. Those before it run
 *			alone; its parent waits for its end inside fork(), and ends.
 *
 * A child is not explored where it is made. It could be frozen there and be woken up later, without the
 * runs alone of those before it; but a replay has to get there from nothing anyway, and the mapping
 * would have to be made new under a living process. Whether a status is a bug only the parent can
 * say; so the plain run decides which status a child is expected to have.
 *
 * In a replay that shows the output the parent goes on behind the child, alone: with a test framework
 * it is the parent that says what failed.
 *
 * Numbers count calls of fork() and its kin, from 1; SETTING_CHILD has a number in each 16 bits, that
 * of the program's child first, then that of the child's child.
 */
#include "preload/loop/children.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "preload/core/active.h"
#include "preload/core/kin.h"
#include "preload/core/kin_end.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/sys.h"
#include "preload/loop/driver.h"
#include "preload/loop/idle.h"

enum {
	NUMBER_BITS = 16,
	NUMBER = (1 << NUMBER_BITS) - 1
};

static unsigned level;
KEPT(level);
static uint32_t made; /* by this process */
KEPT(made);

/* Of a process that runs alone: where it is noted what it does. */
static struct child *me;
KEPT(me);

unsigned children_level(void)
{
	return level;
}

/* Of the child to follow from here, or 0: it is this process. */
static uint32_t wanted(void)
{
	return shared->config.setting[SETTING_CHILD] >> level * NUMBER_BITS & NUMBER;
}

static void children_check(void)
{
	if (wanted())
		nondeterminism("the program made fewer processes with fork() than before", NULL);
}

AT_OUTSET(children_check);

void children_thread_created(void)
{
	/* relaxed: a number that is looked at when the program is over */
	if (me)
		atomic_fetch_add_explicit(&me->threads, 1, memory_order_relaxed);
}

bool children_alive(void)
{
	siginfo_t info = { .si_pid = 0 };

	return made &&
	       !sys6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) &&
	       !info.si_pid;
}

void children_ended(pid_t pid, int status)
{
	struct children *c = &shared->children;
	uint32_t n = atomic_load_explicit(&c->n, memory_order_relaxed);

	kin_ended(pid);
	for (uint32_t i = 0; i < n && i < SHARED_MAX_CHILDREN; i++)
		if (c->at[i].pid == pid)
			atomic_store_explicit(&c->at[i].ended, (uint32_t)status + 1,
					      memory_order_relaxed);
}

/* gdb stops here to learn that the next fork() is the one to follow. */
__attribute__((visibility("default"), noinline)) void heddle_follow_child(void);
void heddle_follow_child(void)
{
	__asm__ volatile("" : : : "memory");
}

static heddle_noreturn void die_of(int signal)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} by_default = { 0 };
	uint64_t none = 0;

	sys4(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0); /* no core */
	sys4(SYS_rt_sigaction, signal, (long)&by_default, 0, 8);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8);
	sys3(SYS_kill, sys3(SYS_getpid, 0, 0, 0), signal, 0);
	sys_exit_group(128 + signal);
}

static heddle_noreturn void end_as(int status)
{
	if (WIFSIGNALED(status))
		die_of(WTERMSIG(status));
	sys_exit_group(WEXITSTATUS(status));
}

/* The parent goes on, and is seen. */
static bool is_shown(void)
{
	return shared->config.mode == ENGINE_REPLAY && shared->config.show_output &&
	       !shared->config.stop_at_bug;
}

void children_leave(void)
{
	if (!level || !is_shown())
		sys_exit_group(0);
	if (!progress->ending && atomic_load_explicit(&shared->nbugs, memory_order_relaxed))
		sys_exit_group(1);
	end_as((int)progress->ending);
}

/*
 * The process to explore ends with the one that waits for it, whatever group of processes it is in by
 * then (Check gives each child its own). gdb does not go on with the parent of the child it follows. Those that run
 * alone may outlive their parent, as they do without heddle; the controller sees to them (controller/run/orphans.h).
 */
static void end_with(long parent)
{
	if (shared && shared->config.stop_at_bug)
		return;
	sys4(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	if (sys3(SYS_getppid, 0, 0, 0) != parent)
		sys_exit_group(127);
}

static bool is_rooted(void)
{
	/* relaxed: only looked at */
	return atomic_load_explicit(&shared->roots, memory_order_relaxed);
}

/* Before it has threads, it may wait in the kernel for what its parent does, or another child: they never do it. */
static void wait_for_end(pid_t pid)
{
	siginfo_t info;
	long err;

	if (idle_watch(pid, is_rooted)) {
		sys3(SYS_kill, pid, SIGKILL, 0);
		refuse("a process that the program made waits for what another one does, and these are "
		       "not explored together: let threads of one process do so",
		       NULL);
	}
	do /* the program is to find it, too */
		err = sys6(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOWAIT, 0, 0);
	while (err == -EINTR);
}

/* This process is of no interest any more: its child is. */
static pid_t follow(pid_t (*real)(void))
{
	uint64_t all = ~0ull, before;
	long parent = sys3(SYS_getpid, 0, 0, 0);
	int status = 0;
	pid_t pid;

	heddle_follow_child();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, 8);
	pid = real();
	if (pid < 0)
		internal_error("fork failed: raise the limit on processes (ulimit -u)", NULL);
	if (!pid) {
		level++;
		made = 0;
		kin_born((pid_t)parent);
		sole_begin();
		end_with(parent);
	} else {
		wait_for_end(pid);
		if (!is_shown()) {
			sys4(SYS_wait4, pid, (long)&status, 0, 0);
			end_as(status);
		}
		lifecycle_detach(true);
		init_detach();
		kin_any = kin_watches = false; /* what it shows is not refused */
	}
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8);
	return pid;
}

/* In a child that runs alone, or without heddle. */
static pid_t fork_alone(pid_t (*real)(void))
{
	long parent = sys3(SYS_getpid, 0, 0, 0);
	pid_t pid;

	if (init_state != INIT_DETACHED)
		return real();
	kin_forks();
	pid = real();
	if (pid > 0)
		kin_made(pid);
	if (pid)
		return pid;
	kin_born((pid_t)parent);
	if (kin_end_entered())
		kin_end_enter();
	sole_begin();
	return 0;
}

pid_t children_fork(pid_t (*real)(void))
{
	long parent = sys3(SYS_getpid, 0, 0, 0);
	struct child *child = NULL;
	struct children *c;
	pid_t pid;

	if (!shared)
		return fork_alone(real);
	kin_forks();
	c = &shared->children;
	made++;
	if (wanted() == made)
		return follow(real);
	if (!wanted() && made <= SHARED_MAX_CHILDREN)
		child = &c->at[made - 1];
	pid = real();
	if (pid > 0)
		kin_made(pid);
	if (!pid) {
		me = child;
		kin_born((pid_t)parent);
		if (!wanted())
			kin_end_enter();
		sole_begin();
		lifecycle_detach(false);
		init_detach();
	} else if (pid > 0 && child) {
		child->pid = pid;
		atomic_store_explicit(&c->n, made, memory_order_relaxed);
	}
	return pid;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backend_fork.c - each execution in a child of the process at the root point
 *
 * About 100 microseconds an execution, and it survives anything the program does to itself.
 * The engine, `shared` and `state` are in shared memory, so what the child did there is
 * there when it is gone.
 *
 * fork() copies the calling kernel thread only: the parked threads do not exist in the
 * child, but their memory does, and that is all that the fibers borrow. Blocks for thread
 * ids that a child was the first to need are made in the parent before the next one.
 *
 * The child is made with the bare system call: libc's fork handlers are the program's. With
 * CLONE_VFORK, but memory of its own, the parent goes on when the child lets go of its memory;
 * the kernel takes that apart, a quarter of all the time, while the next child runs.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "preload/core/lasting.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/image/blocks.h"
#include "preload/image/pages.h"
#include "preload/image/snapshot.h"
#include "preload/loop/backend.h"
#include "preload/loop/driver.h"
#include "preload/report/bug.h"

/* The child died before it could say why: what is known of it makes the bug. */
static void child_died(int status)
{
	static struct bug_side side;
	FRESH(side);
	struct engine_outcome o;
	char message[128];
	struct text t = text_in(message, sizeof(message));

	memset(&side, 0, sizeof(side));
	side.thread = progress->op_thread;
	side.pc = progress->op_pc;
	if (WIFSIGNALED(status)) {
		text_str(&t, "the program was killed by signal ");
		text_int(&t, WTERMSIG(status));
	} else {
		text_str(&t, "the program ended without a word, with status ");
		text_int(&t, WEXITSTATUS(status));
	}
	text_str(&t, " after this operation");
	bug_record(BUG_CRASH, 0, message, &side, 1);
	engine_fail(engine);
	engine_end(engine, &o);
	bug_count();
	bug_release(o.seed);
	state->more = driver_advance(&o);
}

static int reap(long child)
{
	int status = 0;
	long got;

	do
		got = sys4(SYS_wait4, child, (long)&status, 0, 0);
	while (got == -EINTR);
	return status;
}

void child_wait(long child)
{
	int status = reap(child);

	if (progress->over)
		sys_exit_group(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
	if (!state->done)
		child_died(status);
}

/* Is there, as far as one can tell, another child to come? The last one is waited for. */
static bool is_followed(void)
{
	/* relaxed: if one of these changes later, init waits for the child */
	return state->more && !atomic_load_explicit(&shared->stop, memory_order_relaxed) &&
	       !atomic_load_explicit(&shared->nbugs, memory_order_relaxed);
}

static void run(void)
{
	static bool clean;
	KEPT(clean);
	static long before; /* a child that is done, but not yet waited for */
	KEPT(before);
	long child;

	if (!clean) { /* an execution by rollback may have run in this process */
		split_over();
		snapshot_restore();
		snapshot_release();
		blocks_release();
		fibers_release(root_sp);
	}
	clean = true;
	for (uint32_t t = 1; t <= blocks_seen->threads; t++)
		block_prepare(t, blocks_seen->stack_size[t]);
	state->done = 0;
	pages_fork();
	shared_maps_restore();
	child = sys4(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0);
	if (child < 0)
		internal_error("fork failed: raise the limit on processes (ulimit -u)", NULL);
	if (child) {
		if (before)
			reap(before);
		before = state->done && !progress->over && is_followed() ? child : 0;
		if (!before)
			child_wait(child);
		return;
	}
	sys4(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	sole_begin();
	driver_execution();
	state->done = 1;
	sys_exit_group(0);
}

const struct backend_ops backend_fork = { .id = BACKEND_FORK, .run = run };

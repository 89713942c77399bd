/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backend_split.c - memory is put back here, what the kernel keeps of an execution goes with a child
 *
 * For programs whose threads open, make or close descriptors, or change the working directory and the like.
 * The child has tables of its own for these, but our memory (CLONE_VM), and we stop until it has ended
 * (CLONE_VFORK). To make such a process takes 30 us, a tenth of what one does with memory of its own,
 * whose pages have to be copied. Then memory is put back as with the rollback back end.
 *
 * So nothing of an execution may be in the runtime's memory afterwards just because "the child is gone":
 * it is HEDDLE_IMAGE, or begins anew, like all else.
 *
 * What a child maps, it maps for us as well, and that is undone only where all back ends do that (placed.h); else the program goes on
 * with the fork back end (needs_fork_of_memory()). A thread that lends its TLS would end with the
 * child that made it, so these are made here.
 *
 * The kernel is asked to write to memory far more often than with rollback, and refuses where
 * pages are protected (EFAULT). So nothing is: all pages of libraries are compared each time, and programs where that is
 * too much (pages_few()) are left to the fork back end as well.
 */
#define _GNU_SOURCE 1
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "preload/core/lasting.h"
#include "preload/core/processors.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/fiber/fiber.h"
#include "preload/image/blocks.h"
#include "preload/image/pages.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/loop/backend.h"
#include "preload/loop/driver.h"

enum {
	STAY = 256 /* executions */
};

bool split_possible(void)
{
	return !unseen && !unseen_partly && pages_few();
}

/* On the stack of our caller, who waits: it must not return. */
static heddle_noreturn __attribute__((noinline)) void in_child(const struct processors *before)
{
	processors_unpin(before); /* the program may ask */
	sys4(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	sole_begin();
	driver_execution();
	state->done = 1;
	sys_exit_group(0);
}

/*
 * Woken up on an idle processor we would find nothing in its caches. So we stay where we are, but let the kernel
 * look for a better place now and then, and always where other workers need places as well.
 */
static bool pinned;
KEPT(pinned);
static struct processors all;
KEPT(all);

static void stay(void)
{
	if (!pinned)
		processors_pin(&all);
	pinned = true;
}

static void be_free(void)
{
	if (pinned)
		processors_unpin(&all);
	pinned = false;
}

void split_over(void)
{
	be_free();
}

static void run(void)
{
	static bool open;
	KEPT(open);
	long child;

	if (!open) {
		pages_open_all();
		blocks_open_all();
	}
	open = true;
	snapshot_restore();
	shared_maps_restore();
	for (uint32_t t = 1; t <= blocks_seen->threads; t++)
		block_prepare(t, blocks_seen->stack_size[t]);
	state->done = 0;
	progress->borrows = 1;
	stay();
	child = sys4(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0);
	if (!child)
		in_child(&all);
	progress->borrows = 0;
	if (shared->config.workers > 1 || progress->begun % STAY == 0)
		be_free();
	if (child < 0)
		internal_error("fork failed: raise the limit on processes (ulimit -u)", NULL);
	child_wait(child);
}

const struct backend_ops backend_split = { .id = BACKEND_FORK, .run = run };

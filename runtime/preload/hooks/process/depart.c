/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * depart.c - the program is about to start another program
 *
 * In the first run of a search, and only there, what it starts finds a session in its environment, by which it
 * is explored like a program of its own (wire/follow.h). In all other runs (of other workers, of
 * children, replays) it runs alone: it was explored already.
 *
 * A program that is not instrumented and starts others is a tool like make: the run ends before
 * the first of these begins, and the controller has the tool run as it is
 * (controller/search/harness.c).
 *
 * Callers: hook_process.c, also in children that run alone.
 */
#include "preload/hooks/process/depart.h"

#include <signal.h>
#include <time.h>

#include "preload/core/active.h"
#include "preload/core/kin_end.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "wire/successor.h"

/* Mapped in children that run alone, too. NULL: not under heddle. */
static struct starts *starts;
KEPT(starts);

static void wake(void)
{
	starts = &shared->children.starts;
	starts->pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
}
AT_WAKING(wake);

/* The controller makes the session when it is wanted, and looks every now and then. */
static void ask(void)
{
	const struct timespec tick = { .tv_nsec = 1000000 };

	atomic_store_explicit(&starts->asked, 1, memory_order_relaxed);
	while (!atomic_load_explicit(&starts->answer, memory_order_acquire))
		sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&tick, 0);
}

void depart(void)
{
	kin_end_departs();
	if (starts && starts->how == STARTS_FOLLOWED)
		ask();
	if (!starts || starts->how != STARTS_LEAVE)
		return;
	/* relaxed: looked at when the processes are over */
	atomic_store_explicit(&starts->leave, 1, memory_order_relaxed);
	if (starts->pid > 0) /* else it is over */
		sys3(SYS_kill, starts->pid, SIGKILL, 0);
	sys_exit_group(0);
}

static struct successor inherited(void)
{
	return (struct successor){ .library = starts->library, .session = starts->session };
}

size_t depart_size(char *const *envp)
{
	struct successor how;

	if (!starts ||
	    atomic_load_explicit(&starts->answer, memory_order_acquire) != STARTS_SESSION)
		return 0;
	how = inherited();
	return successor_size(envp, &how);
}

char **depart_environment(char *const *envp, void *room)
{
	struct successor how = inherited();

	return successor_environment(envp, &how, room);
}

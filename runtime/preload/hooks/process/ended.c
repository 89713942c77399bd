/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ended.c - see ended.h
 *
 * The kernel tells the end of a child once, and its parent only, but executions are many, and some are in processes
 * of their own. So what ended before the root point is taken note of there, and each execution may wait for
 * it. A child that has not ended by then may do so at any time, and may wait for what threads of the program do: that
 * is refused. Most children that are about to end are given the time to.
 */
#include "preload/hooks/hook.h"

#include <errno.h>

#include "preload/core/kin_end.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/hooks/process/ended.h"

enum {
	MOST = 64,
	LOOKS = 200, /* 1 ms each */
	NS_PER_MS = 1000000
};

static struct ended {
	siginfo_t info;
	struct rusage usage;
	pid_t group;
} ended[MOST];
KEPT(ended);
static unsigned n;
KEPT(n);
static HEDDLE_IMAGE uint64_t taken = 0; /* a bit for each */

static bool take_note(pid_t pid)
{
	struct ended *e = &ended[n];

	e->info.si_pid = 0;
	e->group = (pid_t)sys3(SYS_getpgid, pid, 0, 0);
	if (sys6(SYS_waitid, P_PID, pid, (long)&e->info, WEXITED | WNOWAIT | WNOHANG,
		 (long)&e->usage, 0) ||
	    !e->info.si_pid)
		return false;
	kin_end_look(pid);
	kin_ended(pid);
	n++;
	return true;
}

static void wait_a_little(void)
{
	const struct timespec t = { .tv_nsec = NS_PER_MS };

	sys3(SYS_nanosleep, (long)&t, 0, 0);
}

/* A process that ends without threads asks in vain. */
static void note_ended(void)
{
	for (unsigned looks = 0; kin_child(0) && looks < LOOKS; looks++) {
		for (uint32_t i = 0; kin_child(i) && n < MOST; i++)
			if (take_note(kin_child(i)))
				i--;
		if (kin_child(0))
			wait_a_little();
	}
}

AT_OUTSET(note_ended);

bool ended_matters(void)
{
	return n || kin_child(0);
}

static bool is_meant(const struct ended *e, idtype_t type, id_t which)
{
	if (type == P_PGID)
		return e->group == (which ? (pid_t)which : (pid_t)sys3(SYS_getpgid, 0, 0, 0));
	return type == P_ALL || (type == P_PID && e->info.si_pid == (pid_t)which);
}

int ended_wait(idtype_t type, id_t which, siginfo_t *info, int options, struct rusage *usage)
{
	note_hidden_state();
	for (unsigned i = 0; options & WEXITED && i < n; i++) {
		if (taken >> i & 1 || !is_meant(&ended[i], type, which))
			continue;
		if (!(options & WNOWAIT))
			taken |= 1ul << i;
		*info = ended[i].info;
		if (usage)
			*usage = ended[i].usage;
		return 0;
	}
	kin_refuses("waits for a process after it created a thread", "wait for it before that");
	errno = ECHILD;
	return -1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin.c - see kin.h
 *
 * What is shared is what is mapped with MAP_SHARED when a process is made, whoever mapped it (mmap(), shm_open(),
 * shmat()), and files that are mapped so later. It is refused to synchronise through it, and not to write there: a
 * child that leaves its result there, for a parent that waits for its end, is all right.
 *
 * Who is there is asked only where it matters, and of the kernel: a child that nobody has waited for is there.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/core/kin.h"

#include <signal.h>
#include <sys/wait.h>

#include "preload/core/active.h"
#include "preload/core/alias.h"
#include "preload/core/kin_end.h"
#include "preload/core/maps.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"

enum {
	RANGES = 128,
	MOST = SHARED_MAX_CHILDREN
};

bool kin_any;
KEPT(kin_any);
bool kin_watches;
KEPT(kin_watches);
static pid_t parent; /* of a child */
KEPT(parent);
static struct made {
	pid_t pid;
	bool is_other; /* it was made to be another program */
} made[MOST];          /* and not waited for */
KEPT(made);
static uint32_t nmade;
KEPT(nmade);
static struct range {
	uint64_t start, end;
} range[RANGES];
KEPT(range);
static uint32_t nranges;
KEPT(nranges);
static struct children *family; /* what all of them see */
KEPT(family);

/* ---- What is shared ------------------------------------------------------------------------------- */

static bool is_known(uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < nranges; i++)
		if (start >= range[i].start && end <= range[i].end)
			return true;
	return false;
}

static void add_range(uint64_t start, uint64_t end)
{
	if (is_known(start, end))
		return;
	if (nranges == RANGES)
		refuse("the program has more than 128 shared mappings: make it smaller", NULL);
	range[nranges++] = (struct range){ start, end };
}

void kin_shares(const volatile void *at, size_t size)
{
	add_range((uintptr_t)at, (uintptr_t)at + size);
}

void kin_keeps(const volatile void *at, size_t size)
{
	for (uint32_t i = 0; i < nranges; i++)
		if (range[i].start >= (uintptr_t)at && range[i].end <= (uintptr_t)at + size)
			range[i--] = range[--nranges];
}

static void take_mapping(const struct maps_line *line, void *arg)
{
	(void)arg;
	if (line->perms[1] == 'w' && line->perms[3] == 's')
		add_range(line->start, line->end);
}

/* ---- Who is there --------------------------------------------------------------------------------- */

void kin_forks(void)
{
	if (shared)
		family = &shared->children;
	if (family && !family->first)
		family->first = (int32_t)sys3(SYS_getpid, 0, 0, 0);
	maps_each(take_mapping, NULL);
}

/* Who has ended has done all that it does. The kernel itself waits for those whose parent ignores SIGCHLD. */
static bool runs(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !sys6(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOWAIT | WNOHANG, 0, 0) &&
	       !info.si_pid;
}

static void add(pid_t child, bool is_other)
{
	kin_any = kin_watches = true;
	if (nmade < MOST)
		made[nmade++] = (struct made){ child, is_other };
}

void kin_made(pid_t child)
{
	add(child, false);
}

void kin_spawned(pid_t child)
{
	add(child, true);
}

void kin_born(pid_t of)
{
	kin_any = kin_watches = true;
	parent = of;
	nmade = 0;
	refuse_by(family);
}

void kin_ended(pid_t child)
{
	for (uint32_t i = 0; i < nmade; i++)
		if (made[i].pid == child)
			made[i--] = made[--nmade];
	kin_any = parent || nmade;
	kin_watch();
}

/* Is it another program by now? */
static bool is_other(const struct made *m)
{
	return m->is_other || kin_end_execed(m->pid);
}

/*
 * Does it run? From the root point on it counts as if it did for ever: an execution may be in a process that is no
 * parent of it, and begins where it still ran.
 */
static bool is_there(const struct made *m)
{
	return rooted || runs(m->pid);
}

pid_t kin_child(uint32_t i)
{
	return i < nmade ? made[i].pid : 0;
}

bool kin_is_child(void)
{
	return parent != 0;
}

/* Is there one, or also one that is no other program and has this one's memory? */
static bool lives(bool with_memory)
{
	for (uint32_t i = 0; !parent && i < nmade; i++)
		if (is_there(&made[i]) && !(with_memory && is_other(&made[i])))
			return true;
	return parent != 0;
}

bool kin_lives(void)
{
	return lives(false);
}

/* ---- What is left to libc ------------------------------------------------------------------------- */

static int taking_over;

bool kin_takes_over(void)
{
	if (init_state != INIT_DETACHED)
		return false;
	while (__atomic_exchange_n(&taking_over, 1, __ATOMIC_ACQUIRE)) /* kin_took_over() */
		__builtin_ia32_pause();
	return true;
}

void kin_took_over(void)
{
	__atomic_store_n(&taking_over, 0, __ATOMIC_RELEASE); /* kin_takes_over() */
}

/* ---- What is refused ------------------------------------------------------------------------------ */

void kin_watch(void)
{
	kin_watches = kin_any || alias_any();
}

void kin_look(const volatile void *object, const char *what)
{
	uint64_t at = (uintptr_t)object;

	if (under_engine() && alias_has(at))
		refuse("the program uses ", what,
		       " in memory that it has mapped at two addresses, and to heddle these are two "
		       "objects: map it once",
		       NULL);
	if (is_known(at, at + 1) && lives(true))
		refuse("the program uses ", what,
		       " in memory that processes share (fork()), which are not explored together: let "
		       "threads of one process do what they do",
		       NULL);
}

void kin_refuses(const char *what, const char *cure)
{
	if (kin_any && kin_lives())
		refuse("the program ", what,
		       " while a process that it made, or its parent, lives, and these are not explored "
		       "together: ",
		       cure, NULL);
}

static bool is_in(pid_t pid, pid_t target)
{
	if (target > 0)
		return pid == target;
	return target == -1 ||
	       sys3(SYS_getpgid, pid, 0, 0) == (target ? -target : sys3(SYS_getpgid, 0, 0, 0));
}

static bool is_reached(pid_t target)
{
	if (parent && is_in(parent, target))
		return true;
	for (uint32_t i = 0; i < nmade; i++)
		if (is_in(made[i].pid, target) && is_there(&made[i]) && !is_other(&made[i]))
			return true;
	return false;
}

/* Whom SIGKILL ends cannot answer, and who asks with 0 sends nothing. */
void kin_signals(pid_t target, int sig)
{
	if (kin_any && sig && sig != SIGKILL && is_reached(target))
		refuse("the program sends a signal to a process that it made with fork(), or to its parent, "
		       "and they are not explored together: let threads of one process do so, or send "
		       "SIGKILL",
		       NULL);
}

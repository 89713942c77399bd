/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pending.c - see pending.h
 *
 * What came with the signals lies in one queue for all threads and the process, in the order in which they
 * were sent.
 */
#include "preload/hooks/interrupt/pending.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/loop/children.h"

enum {
	RECEIVERS = PENDING_PROCESS + 1,
	QUEUED = 64
};

static HEDDLE_IMAGE_SELDOM uint64_t pending[RECEIVERS] = { 0 };
static HEDDLE_IMAGE_SELDOM struct queued {
	int to, sig;
	struct signal_info with;
} queue[QUEUED] = { { .sig = 0 } };
static HEDDLE_IMAGE_SELDOM uint64_t nqueued = 0;

void (*pending_changes)(int to, int sig, bool more);
KEPT(pending_changes);

static void tell(int to, int sig, bool more)
{
	if (pending_changes && under_engine())
		pending_changes(to, sig, more);
}

/* What the kernel says in a line of /proc/thread-self/status that begins so: a set as a hexadecimal number. */
static uint64_t set_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoul(at + strlen(name), NULL, 16) : 0;
}

/* Those for the thread are not those for the process, which every thread may take. */
void pending_root(void)
{
	static char text[1 << 13];
	FRESH(text);
	uint64_t any = 0;
	long n = -1;
	int fd;

	sys4(SYS_rt_sigpending, (long)&any, sizeof(any), 0, 0);
	if (!any)
		return;
	fd = sys_open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = sys_read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		internal_error("cannot read /proc/thread-self/status: is /proc mounted?", NULL);
	sys_close(fd);
	text[n] = 0;
	pending[0] |= set_after(text, "\nSigPnd:");
	pending[PENDING_PROCESS] |= set_after(text, "\nShdPnd:");
}

/* A child that is explored has none of its parent's. */
static void forget_parents(void)
{
	static unsigned level;
	KEPT(level);

	if (level == children_level())
		return;
	level = children_level();
	memset(pending, 0, sizeof(pending));
	nqueued = 0;
}

AT_OUTSET(forget_parents);

uint64_t pending_of(int to)
{
	forget_parents();
	return pending[to];
}

uint64_t pending_count(int to, uint64_t wanted)
{
	uint64_t n = 0, single = pending_of(to) & wanted;

	for (uint64_t i = 0; i < nqueued; i++)
		if (queue[i].to == to && (wanted & signal_bit(queue[i].sig))) {
			single &= ~signal_bit(queue[i].sig);
			n++;
		}
	return n + (uint64_t)__builtin_popcountl(single);
}

/* The oldest one; NULL: there is none. */
static struct queued *oldest(int to, int sig)
{
	for (uint64_t i = 0; i < nqueued; i++)
		if (queue[i].sig == sig && queue[i].to == to)
			return &queue[i];
	return NULL;
}

void pending_put(int to, int sig, const struct signal_info *with)
{
	struct queued *q;

	forget_parents();
	q = &queue[nqueued];
	if (pending[to] & signal_bit(sig) && sig < SIGRTMIN)
		return;
	if (nqueued == QUEUED)
		refuse("more than 64 signals wait to be taken: take them earlier", NULL);
	note_plain_write((uintptr_t)q, sizeof(*q));
	*q = (struct queued){ .to = to, .sig = sig, .with = *with };
	write_noted(&nqueued, nqueued + 1);
	write_noted(&pending[to], pending[to] | signal_bit(sig));
	tell(to, sig, true);
}

static void dequeue(struct queued *q)
{
	const char *end = (const char *)&queue[nqueued];

	note_plain_write((uintptr_t)q, (size_t)(end - (char *)q));
	memmove(q, q + 1, (size_t)(end - (char *)(q + 1)));
	write_noted(&nqueued, nqueued - 1);
}

/* What was pending at the root point is not queued. */
int pending_take(int to, uint64_t wanted, struct signal_info *with)
{
	int sig = __builtin_ffsl((long)(pending_of(to) & wanted));
	struct queued *q = sig ? oldest(to, sig) : NULL;

	if (!sig)
		return 0;
	if (with)
		*with = q ? q->with : (struct signal_info){ .code = SI_USER };
	if (q)
		dequeue(q);
	if (!oldest(to, sig))
		write_noted(&pending[to], pending[to] & ~signal_bit(sig));
	tell(to, sig, false);
	return sig;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sleep.c - threads that sleep
 *
 * Virtual time goes by for them (hook_time.c), and others go first; nobody waits. Before there are threads, as
 * long as a process lives that the program made, the time is the kernel's, or that process would have none
 * to do what the sleep is for.
 */
/*
 * intercepts: Time
 *
 * deterministic nanosleep __nanosleep clock_nanosleep sleep usleep - the thread's clock goes on by the whole
 *	duration; nobody waits
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "preload/access/yield.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/core/sys.h"
#include "preload/hooks/interrupt/fault.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/elapsed.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"

enum {
	NS_PER_S = 1000000000,
	NS_PER_US = 1000,
	PIECE_NS = 10000000,
	US_PER_S = 1000000
};

static int fail(int error)
{
	errno = error;
	return -1;
}

/* What is left of a sleep that a handler ended. */
static void tell_left(struct timespec *left, uint64_t ns)
{
	if (!left)
		return;
	note_plain_write((uintptr_t)left, sizeof(*left));
	*left = (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

/* How a call ends that a handler has ended: what it returns, and its error. */
static long ended(long result, int error, uint64_t pc)
{
	if (under_engine())
		interrupt_ends(result, error, false, pc);
	if (error)
		errno = error;
	return result;
}

static uint64_t until(uint64_t end_ns)
{
	return end_ns > time_own_ns() ? end_ns - time_own_ns() : 0;
}

/* One piece of it, beside other processes, with that mask; a handler may end it. */
static bool is_ended(uint64_t ns, uint64_t mask)
{
	long most = (long)(ns < PIECE_NS ? ns : PIECE_NS);
	struct timespec left = { 0, most }, slept = { 0 };
	bool ended = sys6(SYS_ppoll, 0, 0, (long)&left, (long)&mask, sizeof(mask), 0) == -EINTR;

	slept.tv_nsec = most - left.tv_nsec;
	time_waited(&slept, false, CLOCK_MONOTONIC);
	/* relaxed: the watchdog looks at it */
	atomic_fetch_add_explicit(&shared->heartbeat, 1, memory_order_relaxed);
	return ended;
}

/*
 * A child that is explored has no such time: nobody runs beside it. True: a handler has ended it. A signal that comes
 * between two pieces waits for the next one, and there is one behind the end of the other processes.
 */
static bool sleep_beside(uint64_t end_ns)
{
	uint64_t all = ~(uint64_t)fault_bits, mask = 0;
	bool lives, ended;

	if (under_engine() || !kin_any || kin_is_child())
		return false;
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&mask, sizeof(mask));
	do {
		lives = kin_lives();
		ended = is_ended(lives ? until(end_ns) : 0, mask);
	} while (!ended && lives && until(end_ns));
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof(mask));
	return ended;
}

/*
 * A handler ends it before any time has passed: what the call then returns, and its error. Or when a timer of
 * the program rings: true, and how much of the time is left.
 */
static bool sleep_for(const struct timespec *t, bool absolute, clockid_t clock, long result,
		      int error, uint64_t *left_ns, uint64_t pc)
{
	uint64_t end = 0; /* in a probe */

	cancellation_point(pc);
	if (interrupt_comes(pc))
		interrupt_ends(result, error, false, pc);
	if (!current || !current->probing) {
		end = time_end_ns(t, absolute, clock);
		if (time_rings(end, pc) != RING_NONE || sleep_beside(end)) {
			*left_ns = until(end);
			return true;
		}
	}
	if (end)
		elapsed_until(end);
	thread_yield(pc);
	return false;
}

/* What is left when a handler ends it at once; a thread that sleeps on does not look there. */
static void nothing_slept(const struct timespec *duration, struct timespec *left)
{
	if (!left || !interrupt_may_come())
		return;
	note_plain_write((uintptr_t)left, sizeof(*left));
	*left = *duration;
}

ENTERED static int hook_nanosleep(const struct timespec *duration, struct timespec *left)
{
	uint64_t ns;

	if (!shared)
		return REAL(nanosleep)(duration, left);
	if (!memory_readable(duration, sizeof(*duration)))
		return fail(EFAULT);
	reads_time(duration, ENTRY_CALLER());
	if (!time_valid(duration))
		return fail(EINVAL);
	nothing_slept(duration, left);
	if (!sleep_for(duration, false, CLOCK_MONOTONIC, -1, EINTR, &ns, ENTRY_CALLER()))
		return 0;
	tell_left(left, ns);
	return (int)ended(-1, EINTR, ENTRY_CALLER());
}
HOOK_ENTRY(nanosleep, hook_nanosleep, 2);

ENTERED static int hook_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
					struct timespec *left)
{
	bool absolute = flags & TIMER_ABSTIME;
	uint64_t ns;

	if (!shared)
		return REAL(clock_nanosleep)(clock, flags, absolute ? KERNEL_TIME(clock, t) : t,
					     left);
	if (clock == CLOCK_THREAD_CPUTIME_ID || time_no_timer(clock))
		return time_no_timer(clock) ? time_no_timer(clock) : EINVAL;
	if (!memory_readable(t, sizeof(*t)))
		return EFAULT;
	reads_time(t, ENTRY_CALLER());
	if (!time_valid(t))
		return EINVAL;
	if (!absolute)
		nothing_slept(t, left);
	if (!sleep_for(t, absolute, clock, EINTR, 0, &ns, ENTRY_CALLER()))
		return 0;
	if (!absolute)
		tell_left(left, ns);
	return (int)ended(EINTR, 0, ENTRY_CALLER());
}
HOOK_ENTRY(clock_nanosleep, hook_clock_nanosleep, 4);

ENTERED static unsigned hook_sleep(unsigned seconds)
{
	const struct timespec t = { .tv_sec = seconds };
	uint64_t ns;

	if (!shared)
		return REAL(sleep)(seconds);
	if (!sleep_for(&t, false, CLOCK_MONOTONIC, seconds, 0, &ns, ENTRY_CALLER()))
		return 0;
	/* as libc has it: what is left of a second does not count */
	return (unsigned)ended((long)(ns / NS_PER_S), 0, ENTRY_CALLER());
}
HOOK_ENTRY(sleep, hook_sleep, 1);

ENTERED static int hook_usleep(useconds_t us)
{
	const struct timespec t = { .tv_sec = us / US_PER_S, .tv_nsec = us % US_PER_S * NS_PER_US };
	uint64_t ns;

	if (!shared)
		return REAL(usleep)(us);
	if (!sleep_for(&t, false, CLOCK_MONOTONIC, -1, EINTR, &ns, ENTRY_CALLER()))
		return 0;
	return (int)ended(-1, EINTR, ENTRY_CALLER());
}
HOOK_ENTRY(usleep, hook_usleep, 1);

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__nanosleep, nanosleep);

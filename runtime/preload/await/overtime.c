/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overtime.c - see overtime.h
 *
 * A timer of the thread's processor time rings once, and is set again by the next probe: a probe that is found at two rings in a row has run
 * for as long as lies between them. The signal is one that the program has no use for: its own SIGPROF is explored, and no
 * signal of the system.
 */
#define _GNU_SOURCE 1
#include "preload/await/overtime.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "preload/code/modules.h"
#include "preload/code/real.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"

enum {
	RINGS_NS = 100 * 1000 * 1000
};

static struct {
	int timer;
	bool rings;    /* it is set */
	uint64_t n;    /* of the last probe */
	uint64_t seen; /* of the one that ran at the last ring */
	void (*cut)(void);
} watch = { .timer = -1 };
KEPT(watch);

static void set(void)
{
	struct itimerspec in = { .it_value.tv_nsec = RINGS_NS };

	watch.rings = !sys4(SYS_timer_settime, watch.timer, 0, (long)&in, 0);
}

static void on_ring(int sig, siginfo_t *info, void *arg)
{
	const ucontext_t *uc = arg;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)info;
	watch.rings = false;
	if (!current || !current->probing)
		return;
	if (watch.seen == watch.n && !in_runtime(pc) && memory_from_program(pc))
		watch.cut();
	watch.seen = watch.n;
	set();
}

/* For the calling thread. Where there can be no timer, probes take as long as they take. */
static void make_timer(void)
{
	struct sigevent ring;
	struct sigaction sa;

	memset(&ring, 0, sizeof(ring));
	ring.sigev_notify = SIGEV_THREAD_ID;
	ring.sigev_signo = SIGPROF;
	ring._sigev_un._tid = (int)sys3(SYS_gettid, 0, 0, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_ring;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
	if (!REAL(sigaction)(SIGPROF, &sa, NULL))
		sys3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&ring, (long)&watch.timer);
}

static void begin(void)
{
	watch.rings = false;
	watch.seen = 0;
}

AT_BEGIN(begin);

void overtime_prepare(void)
{
	if (watch.rings)
		return;
	set();
	if (!watch.rings)
		make_timer(); /* there was none, or it was that of the parent */
}

void overtime_watch(void (*cut)(void))
{
	watch.n++;
	watch.cut = cut;
	if (!watch.rings)
		set();
}

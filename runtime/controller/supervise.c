/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * supervise.c - watches a started program until it is over
 *
 * One poll() loop over the process (pidfd), signals to us (signalfd) and a tick. Asking the
 * program to stop means setting shared->stop, which the runtime looks at in every operation
 * and between executions; a program that does no operation does not see it, so it is killed
 * a second later. What it found stands in the shared mapping either way.
 *
 * Watchdog: the runtime counts operations and, now and then, plain accesses. When nothing has
 * grown for watchdog_s, and the runtime itself is not busy with a decision (busy.h), the
 * program loops without doing anything we could decide.
 */
#include "config.h"

#include "controller/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "controller/busy.h"
#include "controller/message.h"
#include "controller/progress.h"
#include "controller/status.h"

enum {
	TICK_MS = 50
};

static const double grace_s = 1.0; /* between asking to stop and killing */

static bool interrupted;

bool was_interrupted(void)
{
	return interrupted;
}

double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct watcher {
	struct run *run;
	const struct watch *w;
	double start, moved_at, stop_at; /* stop_at: when it was asked to stop, 0: not yet */
	uint64_t activity;
};

/* A number that changes whenever the runtime does anything. Relaxed: only looked at. */
static uint64_t activity_of(struct shared *s)
{
	return atomic_load_explicit(&s->heartbeat, memory_order_relaxed) +
	       atomic_load_explicit(&s->accesses, memory_order_relaxed) +
	       atomic_load_explicit(&s->executions, memory_order_relaxed) +
	       atomic_load_explicit(&s->blocked, memory_order_relaxed) +
	       atomic_load_explicit(&s->wasted, memory_order_relaxed) +
	       atomic_load_explicit(&s->restarts, memory_order_relaxed) +
	       atomic_load_explicit(&s->phase, memory_order_relaxed);
}

static void ask_to_stop(struct watcher *x, enum run_end why, double now)
{
	if (x->stop_at > 0)
		return;
	x->run->end = why;
	x->stop_at = now;
	/* relaxed: the runtime polls it */
	atomic_store_explicit(&x->run->shared->stop, 1, memory_order_relaxed);
}

static void look_at_clock(struct watcher *x)
{
	double now = now_s();
	uint64_t activity = activity_of(x->run->shared);

	if (activity != x->activity) {
		x->activity = activity;
		x->moved_at = now;
	}
	if (x->stop_at > 0) {
		if (now - x->stop_at > grace_s)
			run_kill(x->run);
	} else if (x->w->timeout_s > 0 && now - x->start >= x->w->timeout_s) {
		ask_to_stop(x, RUN_TIMEOUT, now);
	} else if (x->w->watchdog_s > 0 && now - x->moved_at >= x->w->watchdog_s) {
		if (runtime_is_busy(x->run->pid)) {
			x->moved_at = now;
			return;
		}
		x->run->hung_thread =
			atomic_load_explicit(&x->run->shared->current_thread, memory_order_relaxed);
		x->run->end = RUN_HUNG;
		x->stop_at = now;
		run_kill(x->run);
	}
	if (x->w->progress)
		progress_show(x->run->shared, now - x->start, x->w->of);
}

/* Milliseconds until something must be looked at. */
static int tick_ms(const struct watcher *x)
{
	double left =
		x->w->timeout_s > 0 && x->stop_at <= 0 ? x->start + x->w->timeout_s - now_s() : 1;

	if (left <= 0)
		return 1;
	return left * 1000 < TICK_MS ? (int)(left * 1000) + 1 : TICK_MS;
}

static void take_signal(struct watcher *x, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info) || x->w->gdb)
		return;
	if (interrupted)
		run_kill(x->run); /* the second time at once */
	interrupted = true;
	ask_to_stop(x, RUN_INTERRUPTED, now_s());
}

static bool reap(struct run *run)
{
	struct rusage usage;
	pid_t pid = wait4(run->pid, &run->wait_status, WNOHANG, &usage);

	if (pid != run->pid)
		return false;
	run->peak_rss_kib = usage.ru_maxrss;
	/* Whatever it started and left behind. */
	kill(-run->pid, SIGKILL);
	run->pid = 0;
	return true;
}

int supervise(struct run *run, const struct watch *w)
{
	struct watcher x = { .run = run, .w = w };
	sigset_t set, old;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return fail(STATUS_INTERNAL, "cannot watch signals: %s", strerror(errno));
	run->end = RUN_OVER;
	x.start = x.moved_at = now_s();
	while (!reap(run)) {
		struct pollfd fds[2] = { { .fd = run->pidfd, .events = POLLIN },
					 { .fd = fd, .events = POLLIN } };

		/* Without pidfd (old kernels) the tick finds the end. */
		poll(fds, 2, run->pidfd < 0 ? 2 : tick_ms(&x));
		if (fds[1].revents)
			take_signal(&x, fd);
		look_at_clock(&x);
	}
	run->seconds = now_s() - x.start;
	if (w->progress)
		message_progress(NULL);
	close(fd);
	return 0;
}

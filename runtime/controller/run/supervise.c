/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * supervise.c - watches a started program until it is over
 *
 * One poll() loop over the processes (pidfd), signals to us (signalfd) and a tick. Asking the
 * program to stop means setting shared->stop, which the runtime looks at in every operation
 * and between executions; a program that does no operation does not see it, so it is killed
 * a second later. What it found stands in the shared mapping either way.
 *
 * Watchdog: the runtime counts operations and, now and then, plain accesses. When nothing has
 * grown for watchdog_s, and the runtime itself is not busy with a decision (busy.h), the
 * program loops without doing anything we could decide. A loop of plain accesses is so, too, but a
 * long computation looks the same: it gets SUPERVISE_PATIENCE times as long.
 */
#include "config.h"

#include "controller/run/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/progress.h"
#include "controller/base/status.h"
#include "controller/run/busy.h"
#include "controller/run/estimate.h"
#include "controller/run/orphans.h"

enum {
	TICK_MS = 50,
	LOOK_MS = 1
};

static const double grace_s = 1.0; /* between asking to stop and killing */

static bool interrupted;

bool signal_from_outside(int sig)
{
	return sig == SIGKILL || sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT;
}

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

/* How one process is doing. */
struct activity {
	uint64_t count, accesses;
	double moved_at;    /* something grew */
	double operated_at; /* not only plain accesses */
	bool accessed;      /* there were such since then */
	bool waited;        /* for others, when it was asked last */
};

struct watcher {
	struct run *runs;
	size_t n;
	const struct watch *w;
	struct activity *activity;
	double start, stop_at; /* stop_at: when they were asked to stop, 0: not yet */
};

/* A number that changes whenever the runtime does anything, plain accesses apart. Relaxed: only looked at. */
static uint64_t activity_of(struct shared *s)
{
	return atomic_load_explicit(&s->heartbeat, memory_order_relaxed) +
	       atomic_load_explicit(&s->executions, memory_order_relaxed) +
	       atomic_load_explicit(&s->blocked, memory_order_relaxed) +
	       atomic_load_explicit(&s->wasted, memory_order_relaxed) +
	       atomic_load_explicit(&s->restarts, memory_order_relaxed) +
	       atomic_load_explicit(&s->dumps_taken, memory_order_relaxed) +
	       atomic_load_explicit(&s->phase, memory_order_relaxed);
}

static bool is_alive(const struct run *run)
{
	return run->pid > 0;
}

/* Its process is yet to be made by another one. */
static bool is_unborn(const struct run *run)
{
	return run->born && run->pid == 0;
}

static void kill_all(struct watcher *x)
{
	for (size_t i = 0; i < x->n; i++)
		run_kill(&x->runs[i]);
}

static void ask_to_stop(struct watcher *x, enum run_end why, double now)
{
	if (x->stop_at > 0)
		return;
	x->stop_at = now;
	for (size_t i = 0; i < x->n; i++) {
		if (!is_alive(&x->runs[i]) && !is_unborn(&x->runs[i]))
			continue;
		x->runs[i].end = why;
		/* relaxed: the runtime polls it */
		atomic_store_explicit(&x->runs[i].shared->stop, 1, memory_order_relaxed);
	}
}

static void note_activity(struct activity *a, struct shared *s, double now)
{
	uint64_t count = activity_of(s);
	uint64_t accesses = atomic_load_explicit(&s->accesses, memory_order_relaxed);

	if (count != a->count) {
		a->operated_at = now;
		a->accessed = false;
	} else if (accesses != a->accesses) {
		a->accessed = true;
	}
	if (count != a->count || accesses != a->accesses)
		a->moved_at = now;
	a->count = count;
	a->accesses = accesses;
}

/* Has the program no thread yet? relaxed: asked again and again */
static bool is_early(struct shared *s)
{
	return atomic_load_explicit(&s->phase, memory_order_relaxed) == PHASE_LOADED &&
	       !atomic_load_explicit(&s->roots, memory_order_relaxed);
}

/* Does it wait for others, or did it a moment ago? When they have ended it has as long as ever to go on. */
static bool is_waiting(struct watcher *x, struct activity *a)
{
	bool before = a->waited;

	a->waited = x->w->busy && x->w->busy(x->w->busy_ctx);
	return before || a->waited;
}

/* Before it has threads a program may wait for a process that it started, which is not under heddle. */
static bool waits_for_child(const struct watcher *x, const struct run *run,
			    const struct activity *a, double now)
{
	return is_early(run->shared) &&
	       now - a->operated_at < SUPERVISE_PATIENCE * x->w->watchdog_s &&
	       has_children(run->pid);
}

/* The watchdog: has this process done nothing for too long? */
static void look_at(struct watcher *x, size_t i, double now)
{
	struct run *run = &x->runs[i];
	struct activity *a = &x->activity[i];
	double most = x->w->watchdog_s;

	note_activity(a, run->shared, now);
	run->accesses_only = a->accessed && now - a->operated_at >= SUPERVISE_PATIENCE * most;
	if (most <= 0 || (now - a->moved_at < most && !run->accesses_only))
		return;
	if (is_waiting(x, a)) {
		a->moved_at = a->operated_at = now;
		return;
	}
	if (waits_for_child(x, run, a, now)) {
		a->moved_at = now;
		return;
	}
	/* Who accesses memory is in the runtime for that. Before there are threads nothing is decided, nor counted. */
	if (!run->accesses_only && runtime_is_busy(run->pid)) {
		run->accesses_only =
			is_early(run->shared) && now - a->operated_at >= SUPERVISE_PATIENCE * most;
		a->moved_at = now;
		if (!run->accesses_only)
			return;
	}
	run->hung_thread = atomic_load_explicit(&run->shared->current_thread, memory_order_relaxed);
	ask_to_stop(x, RUN_STOPPED, now);
	run->end = RUN_HUNG;
	kill_all(x);
}

/* Memory that the process has in use; 0: nobody knows. */
static uint64_t memory_of(pid_t pid)
{
	char name[32];
	unsigned long long resident = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/statm", (int)pid);
	f = fopen(name, "re");
	if (f && fscanf(f, "%*u %llu", &resident) != 1)
		resident = 0;
	if (f)
		fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void show_progress(const struct watcher *x, double now)
{
	struct progress p = { .how = x->w->progress, .elapsed_s = now - x->start, .of = x->w->of };
	struct engine_estimate sum = { 0 };
	struct estimate about;

	for (size_t i = 0; i < x->n; i++) {
		struct shared *s = x->runs[i].shared;

		/* relaxed: numbers to look at */
		p.complete += atomic_load_explicit(&s->executions, memory_order_relaxed);
		p.blocked += atomic_load_explicit(&s->blocked, memory_order_relaxed);
		estimate_add(&sum, &s->estimate);
		p.workers += is_alive(&x->runs[i]);
		p.memory_kib += is_alive(&x->runs[i]) ? memory_of(x->runs[i].pid) : 0;
	}
	if (estimate_known(&sum, &about) && estimate_holds(&about, p.complete + p.blocked)) {
		p.about = about.all;
		p.error = about.error;
	}
	progress_show(&p);
}

static bool has_bug(const struct watcher *x)
{
	/* relaxed: a number to look at */
	for (size_t i = 0; i < x->n; i++)
		if (atomic_load_explicit(&x->runs[i].shared->nbugs, memory_order_relaxed))
			return true;
	return false;
}

/* When it is over; there is a limit. */
static double limit_at(const struct watcher *x)
{
	bool part = x->w->part_with_bug > 0 && x->w->part_with_bug < 1 && has_bug(x);

	return x->start + x->w->timeout_s * (part ? x->w->part_with_bug : 1);
}

static void look_at_clock(struct watcher *x)
{
	double now = now_s();

	if (x->stop_at > 0) {
		if (now - x->stop_at > grace_s)
			kill_all(x);
	} else if (x->w->timeout_s > 0 && now >= limit_at(x)) {
		ask_to_stop(x, RUN_TIMEOUT, now);
	}
	for (size_t i = 0; i < x->n && x->stop_at <= 0; i++) {
		if (!is_alive(&x->runs[i]))
			continue;
		if (x->w->answer)
			x->w->answer(x->w->busy_ctx, &x->runs[i]);
		look_at(x, i, now);
	}
	if (x->w->progress)
		show_progress(x, now);
}

/* Milliseconds until something must be looked at. */
static int tick_ms(const struct watcher *x)
{
	double left = x->w->timeout_s > 0 && x->stop_at <= 0 ? limit_at(x) - now_s() : 1;

	if (left <= 0)
		return 1;
	if (x->w->look)
		return LOOK_MS;
	return left * 1000 < TICK_MS ? (int)(left * 1000) + 1 : TICK_MS;
}

static void take_signal(struct watcher *x, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info) || x->w->gdb)
		return;
	if (interrupted)
		kill_all(x); /* the second time at once */
	interrupted = true;
	ask_to_stop(x, RUN_INTERRUPTED, now_s());
}

static bool reap(const struct watcher *x, struct run *run)
{
	struct rusage usage;
	pid_t pid = wait4(run->pid, &run->wait_status, WNOHANG, &usage);

	if (pid != run->pid)
		return false;
	run->peak_rss_kib = usage.ru_maxrss;
	run->seconds = now_s() - x->start;
	/* Whatever it started and left behind, without delay; orphans_end() finds the others. */
	if (!x->w->patient || run->end != RUN_OVER)
		kill(-run->pid, SIGKILL);
	run->pid = 0;
	/* Who is left is not to kill another process of that number. */
	run->shared->children.starts.pid = run->shared->children.first = -1;
	return true;
}

/* Waits until something happens or the tick is over. */
static void wait_a_tick(struct watcher *x, struct pollfd *fds, int signals)
{
	nfds_t n = 0;
	bool blind = false;

	fds[n++] = (struct pollfd){ .fd = signals, .events = POLLIN };
	for (size_t i = 0; i < x->n; i++) {
		if (!is_alive(&x->runs[i]))
			continue;
		blind |= x->runs[i].pidfd < 0;
		fds[n++] = (struct pollfd){ .fd = x->runs[i].pidfd, .events = POLLIN };
	}
	/* Without pidfd (old kernels) the tick finds the end. */
	poll(fds, n, blind ? 2 : tick_ms(x));
	if (fds[0].revents)
		take_signal(x, signals);
}

static void look_at_all(struct watcher *x)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->w->look(x->w->ctx, &x->runs[i]) == LOOK_STOP)
			ask_to_stop(x, RUN_STOPPED, now_s());
	}
}

/* Who asked for an end is not to wait for it. */
static bool is_late(const struct watcher *x, const struct run *run)
{
	return (run->end == RUN_INTERRUPTED || run->end == RUN_TIMEOUT) &&
	       now_s() - x->stop_at > grace_s;
}

/* The process is over. */
static void look_last(struct watcher *x, struct run *run)
{
	enum watch_look found;

	do
		found = x->w->look(x->w->ctx, run);
	while (found == LOOK_MORE && !is_late(x, run));
	if (found == LOOK_STOP)
		run->end = RUN_STOPPED;
}

/* Takes note of those that have ended; how many are left. */
static size_t reap_all(struct watcher *x)
{
	size_t left = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (!is_alive(&x->runs[i]))
			continue;
		if (!reap(x, &x->runs[i]))
			left++;
		else if (x->w->ended && !x->w->ended(x->w->ctx, i))
			ask_to_stop(x, RUN_STOPPED, now_s());
	}
	return left;
}

/*
 * Takes note of processes that others have made; how many. The program may have written the number, so it is
 * believed only of a child of ours.
 */
static size_t adopt_all(struct watcher *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		struct run *run = &x->runs[i];
		uint32_t pid = is_unborn(run) ? atomic_load(run->born) : 0;
		siginfo_t info;

		if (!pid || pid > INT32_MAX ||
		    waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT))
			continue;
		run->pid = (pid_t)pid;
		run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
		run->born = NULL;
		x->activity[i].moved_at = x->activity[i].operated_at = now_s();
		n++;
	}
	return n;
}

/* How many are there, now that those have gone that have ended? */
static size_t count_all(struct watcher *x)
{
	size_t left;

	adopt_all(x);
	left = reap_all(x);
	return left + adopt_all(x);
}

/* ---- What is left behind -------------------------------------------------------------------------- */

/* Is it worth waiting for? Not where the run is void. */
static bool is_wanted(const struct watcher *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct shared *s = x->runs[i].shared;

		/* relaxed: looked at again and again */
		if (x->runs[i].end != RUN_OVER ||
		    atomic_load_explicit(&s->phase, memory_order_relaxed) > PHASE_DONE ||
		    atomic_load_explicit(&s->children.starts.leave, memory_order_relaxed) ||
		    atomic_load_explicit(&s->children.refused, memory_order_relaxed))
			return false;
	}
	return x->w->patient;
}

/* Those that are left, and since when. */
struct waiting {
	struct orphans orphans;
	unsigned long stamp;
	double since, moved_at; /* without a heddle among them; they did something */
};

/* Has it lasted long enough? Then it is said why. */
static bool is_too_long(struct watcher *x, struct waiting *t, double now)
{
	double most = x->w->watchdog_s, all = SUPERVISE_PATIENCE * most;
	bool timeout = x->w->timeout_s > 0 && now - x->start >= x->w->timeout_s;
	struct run *run = &x->runs[0];
	char how[96];

	if (t->orphans.stamp != t->stamp || t->orphans.explores)
		t->moved_at = now;
	if (t->orphans.explores)
		t->since = now;
	t->stamp = t->orphans.stamp;
	if (interrupted)
		snprintf(how, sizeof(how), "still ran when heddle was interrupted");
	else if (timeout)
		snprintf(how, sizeof(how), "still ran after %g s (--timeout)", x->w->timeout_s);
	else if (most > 0 && now - t->moved_at >= most)
		snprintf(how, sizeof(how), "did nothing for %g s (--watchdog)", most);
	else if (most > 0 && now - t->since >= all)
		snprintf(how, sizeof(how), "still ran after %g s (ten times --watchdog)", all);
	else
		return false;
	if (interrupted || timeout)
		run->end = interrupted ? RUN_INTERRUPTED : RUN_TIMEOUT;
	snprintf(run->left, sizeof(run->left), "'%s' outlived the process that made it and %s",
		 t->orphans.name, how);
	return true;
}

/* An orphan has ended. */
static void look_at_end(void *ctx, pid_t pid, unsigned long flags)
{
	struct watcher *x = ctx;
	struct run *run = &x->runs[0];

	for (size_t i = 0; i < x->n; i++)
		if (kin_at(&x->runs[i].shared->children.kin, pid))
			run = &x->runs[i];
	if (kin_over(&run->shared->children.kin, pid, flags))
		snprintf(
			run->left, sizeof(run->left),
			"a process that the program made became another program by a system call of "
			"its own, which heddle does not see: call execve()");
}

/* Nobody is left. */
static void look_for_lost(struct watcher *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (is_wanted(x) && kin_lost(&x->runs[i].shared->children.kin))
			snprintf(
				x->runs[i].left, sizeof(x->runs[i].left),
				"nobody saw how a process ended that the program made, and whether it "
				"became another program: wait for it with waitpid()");
}

/* What outlives the program may be, or start, what is to be explored. */
static void wait_for_orphans(struct watcher *x, struct pollfd *signals)
{
	struct waiting t = { .since = now_s() };

	t.moved_at = t.since;
	for (int ms = LOOK_MS; is_wanted(x) && orphans_look(&t.orphans, look_at_end, x);
	     ms += ms < TICK_MS) {
		if (is_too_long(x, &t, now_s()))
			return orphans_end();
		for (size_t i = 0; x->w->answer && i < x->n; i++)
			x->w->answer(x->w->busy_ctx, &x->runs[i]);
		poll(signals, 1, ms);
		if (signals->revents)
			take_signal(x, signals->fd);
	}
	look_for_lost(x);
	orphans_end();
}

static void watch_all(struct watcher *x, struct pollfd *fds, int signals)
{
	x->start = now_s();
	for (size_t i = 0; i < x->n; i++) {
		x->runs[i].end = RUN_OVER;
		x->activity[i].moved_at = x->activity[i].operated_at = x->start;
	}
	while (count_all(x)) {
		wait_a_tick(x, fds, signals);
		if (x->w->look)
			look_at_all(x);
		look_at_clock(x);
	}
	for (size_t i = 0; x->w->look && i < x->n; i++)
		look_last(x, &x->runs[i]);
	if (!x->w->gdb)
		wait_for_orphans(x, &(struct pollfd){ .fd = signals, .events = POLLIN });
}

int supervise_all(struct run *runs, size_t n, const struct watch *w)
{
	struct watcher x = { .runs = runs, .n = n, .w = w };
	struct pollfd *fds = calloc(n + 1, sizeof(*fds));
	sigset_t set, old;
	int fd = -1, status = STATUS_OK;

	x.activity = calloc(n, sizeof(*x.activity));
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	if (fds && x.activity)
		fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		status = fail(STATUS_INTERNAL, "cannot watch signals: %s", strerror(errno));
	else
		watch_all(&x, fds, fd);
	if (w->progress)
		message_progress(NULL);
	if (fd >= 0)
		close(fd);
	free(fds);
	free(x.activity);
	return status;
}

int supervise(struct run *run, const struct watch *w)
{
	return supervise_all(run, 1, w);
}

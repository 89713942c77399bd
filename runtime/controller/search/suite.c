/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suite.c - many programs, each searched by a process of its own (suite.h)
 *
 * Each process is heddle as if the user had called it for that program; what it says and finds goes to files in memory. What
 * came of it is the same structure as for a program that another one started (follow_settle.c), so that tables, JSON and
 * the other forms are those of such programs.
 *
 * Time: who begins may have an equal part of what is left, by those that have not begun; who needs less leaves more to the
 * others.
 */
#include "config.h"

#include "controller/search/suite.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/progress.h"
#include "controller/base/status.h"
#include "controller/base/terminal.h"
#include "controller/run/supervise.h"
#include "controller/search/follow.h"

/* One that is searched. */
struct at_work {
	pid_t pid;     /* 0: none */
	size_t number; /* of the program */
	FILE *text, *json;
};

struct suite_run {
	struct session *s;
	const struct suite *suite;
	const struct options *each;
	double from, until; /* of now_s(); until 0: no limit */
	enum progress_how how;
	bool told; /* those that run: to stop */
	size_t begun;
	struct at_work *at_work; /* s->options->jobs of them */
	const struct followed *worst;
};

static volatile sig_atomic_t stopped; /* the signal */

static void stop(int sig)
{
	stopped = sig;
}

/* ---- The process of a program --------------------------------------------------------------------- */

/* Of the child: as heddle explore, or test, would do it. */
static int search_one(const struct suite_run *x, const struct suite_program *p, double time,
		      int json)
{
	struct options o = *x->each;
	struct session s;
	char path[32];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", json);
	for (int i = 0; i < RESULT_FORMS; i++)
		o.result[i] = NULL;
	o.result[RESULT_JSON] = path;
	o.error_exitcode = STATUS_BUG;
	o.progress = WHEN_NEVER; /* we tell */
	o.color = *color_end() ? WHEN_ALWAYS : WHEN_NEVER;
	o.output_given = false;
	o.argv = p->argv;
	if (asprintf((char **)&o.output_dir, "%s/%s", x->s->options->output_dir, p->label) < 0 ||
	    (o.dump_dir && asprintf((char **)&o.dump_dir, "%s/%s", o.dump_dir, p->label) < 0))
		return fail(STATUS_INTERNAL, "out of memory");
	for (o.argc = 0; p->argv[o.argc];)
		o.argc++;
	if (time > 0 && (o.timeout_s <= 0 || time < o.timeout_s)) {
		o.timeout_s = time;
		o.time_s = o.time_s > time ? 0 : o.time_s;
	}
	status = session_prepare(&s, &o);
	if (!status)
		status = session_search(&s,
					o.command == COMMAND_TEST ? ENGINE_ONLINE : ENGINE_EXPLORE);
	session_release(&s);
	return status;
}

/* What is left for the next one. */
static double share(const struct suite_run *x)
{
	double left = x->until - now_s();
	size_t waiting = x->suite->n - x->begun, jobs = x->s->options->jobs;

	if (!x->until)
		return 0;
	left = left > 0.01 ? left : 0.01;
	return waiting > jobs ? left * (double)jobs / (double)waiting : left;
}

static FILE *in_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* 0 or -errno. */
static int begin(struct suite_run *x, struct at_work *w)
{
	const struct suite_program *p = &x->suite->programs[x->begun];
	double time = share(x);

	w->text = in_memory("heddle-text");
	w->json = in_memory("heddle-json");
	if (!w->text || !w->json)
		return -errno;
	w->number = x->begun;
	fflush(NULL);
	w->pid = fork();
	if (w->pid < 0) {
		w->pid = 0;
		return -errno;
	}
	if (!w->pid) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		terminal_keep(STDERR_FILENO); /* where we print it */
		dup2(fileno(w->text), STDERR_FILENO);
		_exit(search_one(x, p, time, fileno(w->json)));
	}
	x->begun++;
	return 0;
}

/* ---- What came of it ------------------------------------------------------------------------------ */

/* A program that was not searched; NULL: memory is short. */
static struct followed *enter(struct suite_run *x, size_t number)
{
	const struct suite_program *p = &x->suite->programs[number];
	struct followed *f = &x->s->followed[number];

	*f = (struct followed){ .number = (unsigned)number + 1,
				.file = strdup(p->argv[0]),
				.name = strdup(p->name),
				.verdict = "inconclusive",
				.status = -1 };
	return f->file && f->name ? f : NULL;
}

static void take(struct suite_run *x, struct at_work *w, int wait_status)
{
	struct followed *f = &x->s->followed[w->number];

	rewind(w->json);
	f->json = json_loadf(w->json, 0, NULL);
	f->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	if (f->json)
		followed_counts(f);
	if (!strcmp(f->verdict, SKIPPED))
		f->status = STATUS_OK;
	if (f->status < 0)
		snprintf(f->why, sizeof(f->why), "heddle died of SIG%s",
			 sigabbrev_np(WTERMSIG(wait_status)));
	else if (f->status && !f->nbugs && !f->why[0])
		followed_error(f, w->text);
	message_progress(NULL);
	if (f->nbugs)
		followed_show(w->text);
	fclose(w->text);
	fclose(w->json);
	*w = (struct at_work){ .pid = 0 };
}

static void add_up(struct suite_run *x)
{
	struct session *s = x->s;
	struct result *t = &s->search;

	for (size_t i = 0; i < s->nfollowed; i++) {
		const struct followed *f = &s->followed[i];
		int status = f->status < 0 ? STATUS_INCONCLUSIVE : f->status;

		t->executions += f->executions;
		t->blocked += f->blocked;
		t->events += f->events;
		if (f->nbugs || status <= s->status)
			continue;
		s->status = status;
		snprintf(s->why, sizeof(s->why), "%.300s: %.700s", f->name, f->why);
	}
	s->verdict = session_bugs(s) ? VERDICT_BUG : s->status ? VERDICT_INCONCLUSIVE : VERDICT_OK;
	if (session_bugs(s) && s->status < STATUS_INTERNAL)
		s->status = STATUS_BUG;
}

/* ---- The whole -------------------------------------------------------------------------------------- */

static struct at_work *find(struct suite_run *x, pid_t pid)
{
	for (size_t i = 0; i < x->s->options->jobs; i++)
		if (x->at_work[i].pid == pid)
			return &x->at_work[i];
	return NULL;
}

/* Those that run are told, and come to their end. */
static void pass_on(const struct suite_run *x, int sig)
{
	for (size_t i = 0; i < x->s->options->jobs; i++)
		if (x->at_work[i].pid)
			kill(x->at_work[i].pid, sig);
}

/* How many have been searched, how many of these have bugs, and which are. */
static void tell_progress(const struct suite_run *x)
{
	char text[512];
	size_t running = 0, bugs = 0, n;
	const char *between = ":";
	double elapsed = now_s() - x->from;

	for (size_t i = 0; i < x->s->options->jobs; i++)
		running += x->at_work[i].pid != 0;
	for (size_t i = 0; i < x->s->nfollowed; i++)
		bugs += x->s->followed[i].nbugs != 0;
	n = (size_t)snprintf(text, sizeof(text), "%zu of %zu programs, ", x->begun - running,
			     x->suite->n);
	if (bugs)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%zu with bugs, ", bugs);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "%.0f s", elapsed);
	for (size_t i = 0; i < x->s->options->jobs && n < sizeof(text); i++) {
		const struct at_work *w = &x->at_work[i];

		if (!w->pid)
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s", between,
				      x->suite->programs[w->number].name);
		between = ",";
	}
	progress_line(x->how, elapsed, text);
}

/* As waitpid() does. Looks more and more seldom, up to every 50 ms, since most programs take no longer. */
static pid_t wait_and_tell(const struct suite_run *x, int *wait_status)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	pid_t pid;

	if (x->how == PROGRESS_NONE)
		return waitpid(-1, wait_status, 0);
	while (!(pid = waitpid(-1, wait_status, WNOHANG))) {
		tell_progress(x);
		nanosleep(&pause, NULL);
		if (stopped && !x->told) {
			errno = EINTR;
			return -1;
		}
		if (pause.tv_nsec < 50000000)
			pause.tv_nsec *= 2;
	}
	return pid;
}

/* Waits for one that runs. False: none does. */
static bool wait_for_one(struct suite_run *x)
{
	int wait_status;
	struct at_work *w;
	pid_t pid = wait_and_tell(x, &wait_status);

	if (pid < 0 && errno == EINTR && stopped) {
		pass_on(x, stopped);
		x->told = true;
		return true;
	}
	if (pid < 0)
		return errno == EINTR;
	w = find(x, pid);
	if (w)
		take(x, w, wait_status);
	return true;
}

static bool goes_on(const struct suite_run *x)
{
	return x->begun < x->suite->n && !stopped && (!x->until || now_s() < x->until);
}

static int run_all(struct suite_run *x)
{
	int err = 0;

	for (;;) {
		struct at_work *w = find(x, 0);

		if (!err && goes_on(x) && w)
			err = begin(x, w);
		else if (!wait_for_one(x))
			break;
	}
	for (size_t i = x->begun; i < x->suite->n; i++)
		snprintf(x->s->followed[i].why, sizeof(x->s->followed[i].why), "%s",
			 err       ? strerror(-err)
			 : stopped ? "interrupted"
				   : "there was no time left for it (--timeout)");
	return err;
}

int suite_run(struct session *s, const struct suite *suite, const struct options *each, double all)
{
	double from = now_s();
	struct suite_run x = { .s = s,
			       .suite = suite,
			       .each = each,
			       .from = from,
			       .until = all > 0 ? from + all : 0,
			       .how = session_progress(s->options) };
	struct sigaction on_stop = { .sa_handler = stop };
	bool ok = true;

	x.at_work = calloc(s->options->jobs, sizeof(*x.at_work));
	s->followed = calloc(suite->n, sizeof(*s->followed));
	for (size_t i = 0; s->followed && i < suite->n; i++) {
		ok = enter(&x, i) && ok;
		s->nfollowed++;
	}
	if (!x.at_work || !s->followed || !ok) {
		free(x.at_work);
		return fail(STATUS_INTERNAL, "out of memory");
	}
	sigaction(SIGINT, &on_stop, NULL);
	sigaction(SIGTERM, &on_stop, NULL);
	s->harness = true;
	run_all(&x);
	message_progress(NULL);
	free(x.at_work);
	s->search.seconds = now_s() - from;
	s->search.end = stopped ? RUN_INTERRUPTED : RUN_OVER;
	s->search.phase = PHASE_LOADED;
	s->search.uninstrumented = true;
	add_up(&x);
	return 0;
}

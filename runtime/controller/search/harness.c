/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * harness.c - the program only starts others
 *
 * A program that heddle-cc did not build and that starts others is a tool that runs tests. It has
 * processes and threads of its own that are nobody's concern, and what it writes is for whoever called
 * it. So it runs without the runtime.
 *
 * What it started may outlive it, in groups and sessions of its own. When heddle is told to stop, all of that
 * ends: heddle is the parent of those that lose theirs.
 */
#include "config.h"

#include "controller/search/harness.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/run/supervise.h"
#include "controller/search/follow.h"

enum {
	ROUNDS = 100 /* until nobody is left: who is killed may just have made another one */
};

/* The parent of a process, or 0. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512], *at;
	FILE *f;
	size_t n;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	at = strrchr(text, ')'); /* behind the name, which may hold anything */
	if (!at || sscanf(at + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Kills those whose parent we are; how many. Their children are ours then. */
static size_t kill_children(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		pid_t pid = atoi(e->d_name);

		if (pid <= 0 || parent_of(e->d_name) != getpid())
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

static void kill_all(void)
{
	for (int i = 0; i < ROUNDS && kill_children(); i++)
		;
}

/* Of what comes on standard output: JSON has that for itself. */
static int output_fd(const struct session *s)
{
	return s->options->json && !strcmp(s->options->json, "-") ? 2 : 0;
}

int harness_run(struct session *s)
{
	struct launch launch = {
		.program = &s->program,
		.argv = s->argv,
		.stdin_file = s->stdin_file[0] ? s->stdin_file : NULL,
		.show_output = !s->options->quiet,
		.output_fd = output_fd(s),
		.natively = s->follow->session,
	};
	struct watch watch = { .timeout_s = s->timeout_s };
	struct run run;
	int status;

	if (!follow_ready(s))
		return fail(
			STATUS_CANNOT_RUN,
			"cannot run '%s': it starts programs, and heddle has no folder for what it "
			"finds there: name one that can be written to in TMPDIR",
			s->argv[0]);
	s->harness = true;
	result_release(&s->search);
	memset(&s->search, 0, sizeof(s->search));
	status = run_open(&run);
	if (status)
		return status;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	status = run_start(&run, &launch);
	s->follow->top = run.pid;
	if (!status)
		status = supervise(&run, &watch);
	s->follow->top_status = run.wait_status;
	s->search.end = run.end;
	s->search.phase = PHASE_LOADED;
	s->search.seconds = run.seconds;
	s->search.peak_rss_kib = run.peak_rss_kib;
	s->search.uninstrumented = true;
	run_release(&run);
	if (run.end != RUN_OVER)
		kill_all();
	return status;
}

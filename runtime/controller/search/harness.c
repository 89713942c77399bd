/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * harness.c - the program only starts others
 *
 * A program that heddle-cc did not build and that starts others is a tool that runs tests. It has
 * processes and threads of its own that are nobody's concern, and what it writes is for whoever called
 * it. So it runs without the runtime.
 *
 * What it started may outlive it, in groups and sessions of its own, and be what is to be explored: that is
 * waited for (run/orphans.h).
 */
#include "config.h"

#include "controller/search/harness.h"

#include <string.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/run/orphans.h"
#include "controller/run/supervise.h"
#include "controller/search/follow.h"

/*
 * For the watchdog: a tool works, or waits for those that it started. If it does neither, and has threads,
 * it may be a program that hangs.
 */
static bool is_at_work(void *ctx)
{
	const struct session *s = ctx;
	unsigned long before = s->follow->top_ticks;

	s->follow->top_ticks = ticks_of(s->follow->top);
	return s->follow->top_ticks != before || has_children(s->follow->top) ||
	       !follow_top_threads(s);
}

/* Of what comes on standard output: JSON has that for itself. */
static int output_fd(const struct session *s)
{
	for (int i = 0; i < RESULT_FORMS; i++)
		if (s->options->result[i] && !strcmp(s->options->result[i], "-"))
			return 2;
	return 0;
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
	struct watch watch = {
		.timeout_s = s->timeout_s,
		.watchdog_s = s->options->watchdog_s,
		.busy = is_at_work,
		.busy_ctx = s,
		.patient = true,
	};
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
	memcpy(s->search.left, run.left, sizeof(s->search.left));
	run_release(&run);
	return status;
}

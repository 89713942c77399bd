/* SPDX-License-Identifier: BSD-2-Clause */
/* needs.c - what only another back end can undo (see needs.h) */
#include "preload/facts/needs.h"

#include <string.h>

#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/touch.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/fiber/leave.h"

/* What a thread asked of the system last, in this execution. */
enum {
	ASKED = 4
};
static struct {
	uint64_t execution;
	uint32_t n;
	struct {
		const char *what;
		char path[64];
	} last[ASKED];
} asked[HEDDLE_MAX_THREADS];
FRESH_ROWS(asked);

static void note_asked(const char *what, const char *path)
{
	uint32_t tid = current->tid, i;

	if (asked[tid].execution != progress->begun) {
		asked[tid].execution = progress->begun;
		asked[tid].n = 0;
	}
	i = asked[tid].n++ % ASKED;
	asked[tid].last[i].what = what;
	memset(asked[tid].last[i].path, 0, sizeof(asked[tid].last[i].path));
	if (path) /* which the kernel may answer with EFAULT */
		copy_safely(asked[tid].last[i].path, path, sizeof(asked[tid].last[i].path) - 1);
}

void asked_text(struct text *t, uint32_t tid)
{
	uint32_t n;

	if (tid >= HEDDLE_MAX_THREADS || asked[tid].execution != progress->begun || !asked[tid].n)
		return;
	n = asked[tid].n;
	text_str(t, "; before that the thread ");
	for (uint32_t i = n > ASKED ? n - ASKED : 0; i < n; i++) {
		if (i && i + ASKED != n)
			text_str(t, ", ");
		text_str(t, asked[tid].last[i % ASKED].what);
		if (*asked[tid].last[i % ASKED].path) {
			text_str(t, " (");
			text_str(t, asked[tid].last[i % ASKED].path);
			text_str(t, ")");
		}
	}
	text_str(t, ", with an outcome that may differ from one execution to the next");
}

void needs_fork(const char *what)
{
	needs_fork_for(what, NULL);
}

/* Leaves the execution, which is done again by another back end. */
static void want(enum fact_kind how, const char *what)
{
	struct text t;

	if (fact_in_use(FACT_NEEDS_COPY) || fact_in_use(how))
		return;
	fact_learn(how);
	t = text_in(shared->note, SHARED_TEXT);
	text_str(&t, "the program ");
	text_str(&t, what);
	text_str(&t, ", which only the fork back end can undo");
	/* Before it does, so that no trace of it is left here: this execution again, in a child. */
	if (shared->config.mode != ENGINE_REPLAY && shared->config.backend == BACKEND_AUTO)
		repeat_execution();
}

void needs_fork_for(const char *what, const char *path)
{
	if (!rooted || !current)
		return;
	values_give_up("it runs or maps what other processes see");
	lifecycle_hidden();
	note_asked(what, path);
	want(FACT_NEEDS_CHILD, what);
}

void needs_fork_of_memory(const char *what)
{
	if (!rooted || !current)
		return;
	needs_nothing_for_memory(what);
	want(FACT_NEEDS_COPY, what);
}

void needs_nothing_for_memory(const char *what)
{
	if (!rooted || !current)
		return;
	values_give_up("it runs or maps what other processes see");
	lifecycle_hidden();
	note_asked(what, NULL);
}

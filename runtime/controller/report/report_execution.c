/* SPDX-License-Identifier: BSD-2-Clause */
/* report_execution.c - see report_execution.h */
#include "config.h"

#include "controller/report/report_execution.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/terminal.h"
#include "controller/show/draw.h"

enum {
	STEPS_MOST = 5000, /* of a longer execution nobody waits for the edges */
	EVENTS_MOST = 40,  /* shown; of more the last ones, and the sides */
	EVENTS_MOST_VERBOSE = 400
};

static void shorten(const struct model *m, bool *in, size_t most)
{
	size_t n = 0;

	for (size_t i = m->nevents; i-- > 0;) {
		n += in[i];
		in[i] &= n <= most || m->events[i].is_side;
	}
}

static bool draw(const struct session *s, const struct model *m, bool shorter)
{
	struct text_style style = { terminal_columns(STDERR_FILENO), terminal_utf8(),
				    *color_end() != 0 };
	bool *in = calloc(m->nevents + 1, sizeof(*in)), any = false;

	if (!in)
		return false;
	if (s->options->verbose)
		memset(in, true, m->nevents * sizeof(*in));
	else
		model_slice(m, in);
	shorten(m, in, s->options->verbose ? EVENTS_MOST_VERBOSE : EVENTS_MOST);
	for (size_t i = 0; i < m->nevents; i++)
		any |= in[i];
	if (any) {
		fprintf(stderr, "  %sThe %sexecution:%s\n", color_place(),
			shorter ? "shorter " : "", color_end());
		draw_some(stderr, m, &style, in);
		fputc('\n', stderr);
	}
	free(in);
	return any;
}

bool report_execution(const struct session *s, const struct reported *r,
		      struct source_list *sources)
{
	struct trace t = { .model = s->model, .modules = r->modules, .bug = r->bug };
	char why[1024];
	struct model m;
	bool done;

	if ((!r->bug.nsteps && !r->bug.said.ntexts) || r->bug.nsteps > STEPS_MOST ||
	    r->bug.lacks_steps)
		return false;
	done = model_init(&m, &t, r->trace, sources, 0, why, sizeof(why)) &&
	       draw(s, &m, r->shorter.trace[0] != 0);
	model_release(&m);
	return done;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* why_words.c - see why_story.h: steps, places and lines */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/describe/why_story.h"

const struct step *why_step(const struct story *s, uint32_t event)
{
	for (size_t i = 0; i < s->bug->nsteps; i++)
		if (s->event[i] == event)
			return &s->bug->steps[i];
	return NULL;
}

const struct step *why_named(const struct story *s, int32_t tid, uint32_t index)
{
	for (size_t i = 0; i < s->bug->nsteps && tid >= 0; i++) {
		const struct engine_step_record *r = &s->bug->steps[i].record;

		if (r->tid == (uint32_t)tid && r->index == index && step_happened(r))
			return &s->bug->steps[i];
	}
	return NULL;
}

const char *why_at(struct story *s, uint64_t pc, char out[WHY_PLACE])
{
	char site[640];
	size_t n = 0;

	describe_site(s->scene, pc, "", site, sizeof(site));
	while (site[n] && site[n] != ' ' && n < WHY_PLACE - 1)
		n++;
	snprintf(out, WHY_PLACE, "%.*s", (int)n, site);
	return out;
}

bool why_accesses(const struct step *step)
{
	return step && step->record.kind <= OP_CAS;
}

void why_say(struct story *s, const char *format, ...)
{
	struct why *w = s->why;
	char *line;
	va_list ap;
	int size;

	if (w->n == WHY_LINES)
		return;
	va_start(ap, format);
	size = vasprintf(&line, format, ap);
	va_end(ap);
	if (size < 0)
		return;
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->line[i], line)) {
			free(line);
			return;
		}
	w->line[w->n++] = line;
}

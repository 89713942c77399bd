/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sides.c - the bug of an execution: its headline, its sides, and where in the lanes they are
 *
 * The first side of a bug is where its thread was when the execution ended, so it stands behind the thread's
 * operations; so do threads that wait for ever. An earlier one is the operation that it was, or stands behind the one before it.
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/show/model.h"

enum {
	SIDES_WHY_MOST = 20000 /* steps: of a longer execution nobody waits for why */
};

/* ---- Words -------------------------------------------------------------------------------------- */

/* "to lock a mutex: forks[1]", "for T1 to end (join)", as far as it is known */
static void waits_text(struct model *m, const struct side *s, char *out, size_t size)
{
	const char *what = waiting_for((enum op_kind)s->blocked_on);
	char awaited[192];

	describe_awaited(&m->scene, s, awaited, sizeof(awaited));
	if (*awaited && s->blocked_on == OP_JOIN)
		snprintf(out, size, "for %s (join)", awaited);
	else
		snprintf(out, size, "%s%s%s", what, *awaited ? ": " : "", awaited);
}

static void side_text(struct model *m, uint32_t i, char *out, size_t size)
{
	const struct finding *b = &m->trace->bug;
	const struct side *s = &b->sides[i];
	const char *thread = m->lanes[m->lane_of[s->thread]].title;
	char where[256] = "?", awaited[400];

	if (b->place.kind)
		describe_place(&m->scene, &b->place, where, sizeof(where));
	if (s->call == SIDE_ALLOCATES)
		snprintf(out, size, "allocated by %s", thread);
	else if (b->kind == BUG_DATA_RACE && describe_freeing(s))
		snprintf(out, size, "free of %s by %s", where, thread);
	else if (b->kind == BUG_DATA_RACE || (i && b->kind == BUG_USE_AFTER_RETURN))
		snprintf(out, size, "%s%s of size %u at %s by %s", i ? "previous " : "",
			 describe_access(s), s->size, where, thread);
	else if (s->blocked_on >= 0) {
		waits_text(m, s, awaited, sizeof(awaited));
		snprintf(out, size, "%s waits %s", thread, awaited);
	} else if (i && (b->kind == BUG_USE_AFTER_FREE || b->kind == BUG_DOUBLE_FREE))
		snprintf(out, size, "freed by %s", thread);
	else
		snprintf(out, size, i ? "%s is involved" : "%s was here", thread);
	text_sanitize(out, size);
}

/* What stands in the lane where the thread ended. */
static void end_text(struct model *m, uint32_t i, char *out, size_t size)
{
	const struct finding *b = &m->trace->bug;
	const struct side *s = &b->sides[i];
	char where[256] = "?";

	if (b->place.kind)
		describe_place(&m->scene, &b->place, where, sizeof(where));
	if (s->blocked_on >= 0) {
		waits_text(m, s, where, sizeof(where));
		snprintf(out, size, "waits %s", where);
	} else if (b->kind == BUG_DATA_RACE)
		snprintf(out, size, "%s: %s %s", bug_title(b->kind),
			 s->is_write ? "writes" : "reads", where);
	else
		snprintf(out, size, "%s", bug_title(b->kind));
}

/* ---- Where they are ----------------------------------------------------------------------------- */

/* The last event of a thread, or MODEL_NONE. */
static int last_event(const struct model *m, uint32_t tid)
{
	for (size_t i = m->nevents; i-- > 0;)
		if (m->events[i].tid == tid)
			return (int)i;
	return MODEL_NONE;
}

static bool is_at(const struct step *step, const struct side *s)
{
	const struct place *code = &step->code;

	return step->record.tid == s->thread && code->kind == PLACE_GLOBAL &&
	       s->code.kind == PLACE_GLOBAL && code->module == s->code.module &&
	       code->offset == s->code.offset;
}

/* The access, or the last operation of a side's thread at its place in the code: that is it. */
static int event_of_side(const struct model *m, uint32_t side)
{
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].kind == EVENT_ACCESS && m->events[i].side == (int)side)
			return (int)i;
	for (size_t i = m->nevents; i-- > 0;)
		if (m->events[i].step && is_at(m->events[i].step, &m->trace->bug.sides[side]))
			return (int)i;
	return MODEL_NONE;
}

size_t model_access(const struct finding *b, uint32_t side)
{
	const struct side *s = &b->sides[side];
	size_t last = 0;

	if (!side || !s->behind || s->is_atomic || s->blocked_on >= 0 ||
	    (b->kind != BUG_DATA_RACE && b->kind != BUG_USE_AFTER_RETURN))
		return 0;
	for (size_t i = 0; i < b->nsteps; i++) {
		const struct step *step = &b->steps[i];

		if (step->record.tid != s->thread || !step_happened(&step->record))
			continue;
		if (step->record.index + 1 >= s->behind)
			return is_at(step, s) ? 0 : last;
		last = i + 1;
	}
	return last;
}

void model_add_access(struct model *m, struct model_event *e, uint32_t side)
{
	const struct side *s = &m->trace->bug.sides[side];
	char where[256] = "?";

	*e = (struct model_event){ .kind = EVENT_ACCESS,
				   .tid = s->thread,
				   .from = MODEL_NONE,
				   .side = (int)side,
				   .is_side = true };
	snprintf(e->name, sizeof(e->name), "T%u", s->thread);
	if (m->trace->bug.place.kind)
		describe_place(&m->scene, &m->trace->bug.place, where, sizeof(where));
	snprintf(e->location, sizeof(e->location), "%s", where);
	snprintf(e->text, sizeof(e->text), "%s %s",
		 describe_freeing(s) ? "frees"
		 : s->is_write       ? "writes"
				     : "reads",
		 where);
	text_sanitize(e->text, sizeof(e->text));
	model_site(m, site_of(&m->scene, s), &e->site);
}

static int add_end(struct model *m, uint32_t i)
{
	const struct side *s = &m->trace->bug.sides[i];
	int before = last_event(m, s->thread), at = (int)m->nevents++;
	size_t lane = (size_t)m->lane_of[s->thread], width = m->nlanes * sizeof(*m->clock);
	struct model_event *e = &m->events[at];

	*e = (struct model_event){ .kind = s->blocked_on >= 0 ? EVENT_WAITS : EVENT_FAILS,
				   .tid = s->thread,
				   .from = MODEL_NONE,
				   .is_side = true };
	snprintf(e->name, sizeof(e->name), "T%u", s->thread);
	end_text(m, i, e->text, sizeof(e->text));
	e->site = m->sides[i].site;
	if (before != MODEL_NONE) {
		memcpy(m->clock + (size_t)at * m->nlanes, m->clock + (size_t)before * m->nlanes,
		       width);
		model_edge(m, EDGE_PO, before, at);
	}
	m->clock[(size_t)at * m->nlanes + lane] = (uint32_t)at + 1;
	return at;
}

bool model_sides(struct model *m)
{
	const struct finding *b = &m->trace->bug;

	m->nsides = b->nsides;
	m->sides = calloc(b->nsides + 1, sizeof(*m->sides));
	for (uint32_t i = 0; m->sides && i < b->nsides; i++) {
		const struct side *s = &b->sides[i];
		struct model_side *out = &m->sides[i];

		out->tid = s->thread;
		side_text(m, i, out->text, sizeof(out->text));
		model_site(m, site_of(&m->scene, s), &out->site);
		out->event = i == 0 || s->blocked_on >= 0 ? add_end(m, i) : event_of_side(m, i);
		if (out->event != MODEL_NONE)
			m->events[out->event].is_side = true;
	}
	return m->sides;
}

void model_bug(struct model *m)
{
	const struct finding *b = &m->trace->bug;
	char site[MODEL_TEXT] = "";

	if (m->nsides)
		model_site_text(&m->sides[0].site, site, sizeof(site));
	snprintf(m->headline, sizeof(m->headline), "%s%s%s", bug_title(b->kind),
		 site[0] ? " at " : "", site);
	if (b->kind != BUG_DATA_RACE)
		snprintf(m->message, sizeof(m->message), "%s", b->message);
	text_sanitize(m->message, sizeof(m->message));
}

void model_why(struct model *m)
{
	const struct finding *b = &m->trace->bug;

	if (b->nsteps > SIDES_WHY_MOST)
		return;
	why_of(&m->why, &m->scene, (enum engine_model)m->trace->model, b);
	for (size_t i = 0; i < m->why.n; i++)
		text_sanitize(m->why.line[i], strlen(m->why.line[i]) + 1);
}

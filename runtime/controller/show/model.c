/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.c - see model.h
 *
 * An event is a step of the trace that happened, under the name that reports give it, in an order in which reads see what is newest, if there
 * is one, and else in that in which the program executed them (in_turn.h). Behind them stand those that are no operations: where the bug shows, and where threads
 * wait for ever. A plain access that a thread raced with earlier stands behind the operation before it, as far as the trace says which that is: what
 * a thread does between two operations it does at once.
 *
 * Cost: n k for the clocks of n events of k threads; what edges.c says.
 */
#include "config.h"

#include "controller/show/model.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "offline/execution.h"

static void put_text(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text ? text : "");
	text_sanitize(out, size);
}

void model_site(struct model *m, uint64_t pc, struct model_site *out)
{
	struct frame f;
	char name[sizeof(out->function)];

	memset(out, 0, sizeof(*out));
	if (!pc)
		return;
	describe_frame(&m->scene, pc, &f, name, sizeof(name));
	put_text(out->function, sizeof(out->function), name);
	if (f.module)
		snprintf(out->code, sizeof(out->code), "%s+0x%llx", basename(f.module),
			 (unsigned long long)f.offset);
	text_sanitize(out->code, sizeof(out->code));
	if (!f.file || f.line < 1)
		return;
	put_text(out->file, sizeof(out->file), basename(f.file));
	out->line = f.line;
	out->source = source_of(m->sources, &f);
}

void model_site_text(const struct model_site *s, char *out, size_t size)
{
	if (s->line)
		snprintf(out, size, "%s:%d%s%s", s->file, s->line, s->function[0] ? " " : "",
			 s->function);
	else
		snprintf(out, size, "%s%s%s", s->code, s->code[0] && s->function[0] ? " " : "",
			 s->function);
}

/* Behind all modules, which recorded_steps() puts 1 << 40 from each other: what cannot be there at once. */
static uint64_t address_of(const struct loaded_list *modules, const struct place *p)
{
	const uint64_t heap = (uint64_t)1 << 62, stack = (uint64_t)1 << 61,
		       mapped = (uint64_t)1 << 60;

	switch (p->kind) {
	case PLACE_GLOBAL:
		return place_address(modules, p);
	case PLACE_HEAP:
		return heap + ((uint64_t)p->thread << 52) + ((uint64_t)p->count << 32) + p->offset;
	case PLACE_STACK:
		return stack + ((uint64_t)(p->thread + 1) << 40) - p->offset;
	case PLACE_MAPPED:
		return mapped + ((uint64_t)p->thread << 50) + ((uint64_t)p->count << 36) +
		       p->offset;
	default:
		return 0;
	}
}

void model_addresses(struct trace *t)
{
	struct finding *b = &t->bug;

	for (size_t i = 0; i < b->nsteps; i++) {
		b->steps[i].record.pc = place_address(&t->modules, &b->steps[i].code);
		b->steps[i].record.addr = address_of(&t->modules, &b->steps[i].place);
	}
	for (size_t i = 0; i < b->said.ncalls; i++)
		if (said_calls(&b->said.call[i], b))
			b->steps[b->said.call[i].step].record.pc =
				place_address(&t->modules, &b->said.call[i].code);
	for (uint32_t i = 0; i < b->nsides; i++)
		b->sides[i].pc = place_address(&t->modules, &b->sides[i].code);
	for (size_t i = 0; i < b->said.ntexts; i++)
		b->said.text[i].pc = place_address(&t->modules, &b->said.text[i].code);
	b->addr = address_of(&t->modules, &b->place);
}

/* ---- Lanes ---------------------------------------------------------------------------------- */

static bool add_lanes(struct model *m, const bool *acts)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		m->lane_of[t] = acts[t] ? (int)m->nlanes : MODEL_NONE;
		m->nlanes += acts[t];
	}
	m->lanes = calloc(m->nlanes + 1, sizeof(*m->lanes));
	for (uint32_t t = 0; m->lanes && t < HEDDLE_MAX_THREADS; t++) {
		struct model_lane *l = &m->lanes[acts[t] ? m->lane_of[t] : 0];

		if (!acts[t])
			continue;
		l->tid = t;
		snprintf(l->name, sizeof(l->name), "T%u", t);
		describe_thread(&m->trace->bug.said, t, l->title, sizeof(l->title));
	}
	return m->lanes;
}

/* The last one, should several threads have had the id. */
static void name_origins(struct model *m)
{
	for (size_t i = 0; i < m->nevents; i++) {
		const struct model_event *e = &m->events[i];
		const struct engine_step_record *r = e->step ? &e->step->record : NULL;
		int lane = r && r->kind == OP_CREATE && r->peer < HEDDLE_MAX_THREADS
				   ? m->lane_of[r->peer]
				   : MODEL_NONE;

		if (lane != MODEL_NONE)
			memcpy(m->lanes[lane].created, e->name, sizeof(e->name));
		if (r && r->kind == OP_START)
			memcpy(m->lanes[model_lane(m, e)].function, e->site.function,
			       sizeof(e->site.function));
	}
}

/* ---- Events --------------------------------------------------------------------------------- */

static void fill_event(struct model *m, struct model_event *e, const struct step *s)
{
	const struct engine_step_record *r = &s->record;
	e->step = s;
	e->tid = r->tid;
	e->index = r->index;
	e->from = MODEL_NONE;
	snprintf(e->name, sizeof(e->name), "%u.%u", r->tid, r->index);
	describe_step(&m->scene, s, e->text, sizeof(e->text));
	text_sanitize(e->text, sizeof(e->text));
	if (s->place.kind)
		describe_place(&m->scene, &s->place, e->location, sizeof(e->location));
	if (r->flags & STEP_READ)
		describe_pointer(&m->scene, r->value, r->size, e->read_points_to);
	if (r->flags & STEP_WROTE)
		describe_pointer(&m->scene, r->stored, r->size, e->wrote_points_to);
	e->initial = (r->flags & STEP_READ) && r->rf_tid == -1;
	/* A start names the thread's function itself, all others what follows a call. */
	model_site(m, r->pc ? r->pc + (r->kind == OP_START) : 0, &e->site);
}

/* What was said behind so many steps, from *next on. Returns how many events there are then. */
static size_t add_said(struct model *m, size_t n, size_t steps, size_t *next)
{
	const struct said_list *said = &m->trace->bug.said;

	for (; *next < said->ntexts && said->text[*next].after <= steps; ++*next) {
		const struct said_text *text = &said->text[*next];
		struct model_event *e = &m->events[n++];

		*e = (struct model_event){ .kind = EVENT_SAYS,
					   .tid = text->tid,
					   .from = MODEL_NONE };
		snprintf(e->name, sizeof(e->name), "T%u", text->tid);
		snprintf(e->text, sizeof(e->text), "\"%s\"", text->text);
		text_sanitize(e->text, sizeof(e->text));
		model_site(m, text->pc, &e->site);
	}
	return n;
}

static bool add_events(struct model *m)
{
	const struct finding *b = &m->trace->bug;
	bool acts[HEDDLE_MAX_THREADS] = { false };
	size_t n = 0, steps = 0, said = 0;

	/* Room for the ends of threads, as many as the bug has sides. */
	m->events = calloc(b->nsteps + b->nsides + b->said.ntexts + 1, sizeof(*m->events));
	if (!m->events)
		return false;
	n = add_said(m, n, 0, &said);
	for (size_t i = 0; i < b->nsteps; i++) {
		if (!step_happened(&b->steps[i].record))
			continue;
		fill_event(m, &m->events[n++], &b->steps[i]);
		n = add_said(m, n, ++steps, &said);
		acts[b->steps[i].record.tid] = true;
		for (uint32_t k = 1; k < b->nsides; k++)
			if (model_access(b, k) == i + 1)
				model_add_access(m, &m->events[n++], k);
	}
	n = add_said(m, n, SIZE_MAX, &said);
	for (size_t i = 0; i < b->said.ntexts; i++)
		acts[b->said.text[i].tid] = true;
	for (uint32_t i = 0; i < b->nsides; i++)
		acts[b->sides[i].thread] = true;
	m->nevents = n;
	return add_lanes(m, acts);
}

static void note_sources(struct model *m)
{
	const char *newer = NULL;

	for (size_t i = 0; i < m->sources->n; i++)
		newer = m->sources->at[i]->newer ? m->sources->at[i]->shown : newer;
	if (newer)
		snprintf(m->note, sizeof(m->note),
			 "%.200s is newer than the program: its lines may have moved", newer);
}

bool model_init(struct model *m, const struct trace *t, const char *path,
		struct source_list *sources, size_t last, char *error, size_t size)
{
	memset(m, 0, sizeof(*m));
	m->trace = model_reorder(t, &m->reordered) ? &m->reordered : t;
	m->path = path;
	m->sources = sources;
	snprintf(error, size, "out of memory");
	if (!scene_init(&m->scene, &t->modules))
		return false;
	m->scene.said = &m->trace->bug.said;
	if (!add_events(m))
		return false;
	name_origins(m);
	if (!model_edges(m, error, size))
		return false;
	snprintf(error, size, "out of memory");
	if (!model_sides(m))
		return false;
	model_bug(m);
	m->first = last && m->nevents > last ? m->nevents - last : 0;
	note_sources(m);
	return true;
}

void model_edge(struct model *m, enum edge_kind kind, int from, int to)
{
	struct model_edges *e = &m->edges[kind];

	if (from == to)
		return;
	if (e->n == e->room) {
		e->room = e->room ? e->room * 2 : 64;
		e->at = offline_grow(e->at, e->room, sizeof(*e->at));
	}
	e->at[e->n++] = (struct model_edge){ from, to };
}

void model_release(struct model *m)
{
	for (int k = 0; k < EDGE_KINDS; k++)
		free(m->edges[k].at);
	if (m->trace == &m->reordered) {
		free(m->reordered.bug.steps);
		free(m->reordered.bug.said.text);
	}
	free(m->events);
	free(m->clock);
	free(m->lanes);
	free(m->sides);
	why_release(&m->why);
	scene_release(&m->scene);
}

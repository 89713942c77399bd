/* SPDX-License-Identifier: BSD-2-Clause */
/* json_bug.c - see json_bug.h */
#include "config.h"

#include "controller/report/json_bug.h"

#include <stdio.h>

#include "controller/base/json_text.h"
#include "controller/base/names.h"
#include "controller/describe/describe.h"
#include "controller/describe/why.h"
#include "controller/options/strategies.h"

enum {
	MOST_STEPS = 1000
};

static json_t *size_json(const struct trace_size *size)
{
	json_t *j = json_object();

	json_object_set_new(j, "switches", json_integer((json_int_t)size->switches));
	json_object_set_new(j, "old_reads", json_integer((json_int_t)size->old_reads));
	json_object_set_new(j, "operations", json_integer((json_int_t)size->operations));
	return j;
}

static json_t *shorter_json(const struct reported *r)
{
	const struct shorter *s = &r->shorter;
	const char *trace = s->replaces ? r->trace : s->trace;
	json_t *j = json_object();

	json_object_set_new(j, "trace", trace[0] ? json_text(trace) : json_null());
	json_object_set_new(j, "before", size_json(&s->before));
	json_object_set_new(j, "after", size_json(&s->after));
	json_object_set_new(j, "tried", json_integer((json_int_t)s->tried));
	return j;
}

static json_t *inflection_json(const struct inflection *p)
{
	const uint64_t well = p->before.ended + p->before.cut;
	json_t *j = json_object();
	char event[32];

	snprintf(event, sizeof(event), "%u.%u", p->step.record.tid, p->step.record.index);
	json_object_set_new(j, "event", json_text(event));
	json_object_set_new(j, "operation", json_integer((json_int_t)p->at));
	json_object_set_new(j, "operations", json_integer((json_int_t)p->of));
	json_object_set_new(j, "sampled", json_integer((json_int_t)p->behind.failed));
	json_object_set_new(j, "sampled_before",
			    json_integer((json_int_t)(p->before.failed + well)));
	json_object_set_new(j, "well_before", json_integer((json_int_t)well));
	return j;
}

static json_t *why_json(const struct session *s, struct scene *scene, const struct reported *r)
{
	json_t *lines = json_array();
	struct why why;

	why_of(&why, scene, (enum engine_model)s->model, &r->bug);
	for (size_t i = 0; i < why.n; i++)
		json_array_append_new(lines, json_text(why.line[i]));
	why_release(&why);
	return lines;
}

/* ---- Places ------------------------------------------------------------------------------------------- */

static void add_text(json_t *j, const char *name, const char *value)
{
	if (value)
		json_object_set_new(j, name, json_text(value));
}

static json_t *frame_json(const struct frame *f)
{
	json_t *j = json_object();

	add_text(j, "function", f->function);
	if (f->file && f->line) {
		add_text(j, "file", path_short(f->file));
		json_object_set_new(j, "line", json_integer(f->line));
	}
	add_text(j, "module", f->module);
	json_object_set_new(j, "offset", json_integer((json_int_t)f->offset));
	return j;
}

static json_t *stack_json(struct scene *scene, const uint64_t *pcs, size_t n)
{
	struct stack_line lines[SHARED_MAX_FRAMES];
	json_t *j = json_array();

	n = describe_stack(scene, pcs, n, lines, SHARED_MAX_FRAMES);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(j, frame_json(&lines[i].frame));
	return j;
}

static json_t *side_json(struct scene *scene, const struct side *side)
{
	json_t *j = json_object();

	json_object_set_new(j, "thread", json_integer(side->thread));
	add_text(j, "thread_name", said_thread(scene->said, side->thread));
	if (side->blocked_on >= 0)
		add_text(j, "waits", waiting_for((enum op_kind)side->blocked_on));
	if (side->size) {
		add_text(j, "access", describe_access(side));
		json_object_set_new(j, "size", json_integer(side->size));
	}
	json_object_set_new(j, "stack",
			    side->frames ? stack_json(scene, side->frame, side->frames)
					 : stack_json(scene, &side->pc, side->pc ? 1 : 0));
	return j;
}

static json_t *step_json(struct scene *scene, const struct step *step)
{
	const struct engine_step_record *r = &step->record;
	struct frame f;
	char words[512];
	json_t *j;

	symbolize_pc(scene->symbolizer, r->pc + (r->kind == OP_START), &f, 1);
	j = frame_json(&f);
	describe_step(scene, step, words, sizeof(words));
	json_object_set_new(j, "thread", json_integer(r->tid));
	json_object_set_new(j, "index", json_integer(r->index));
	add_text(j, "operation", words);
	return j;
}

static json_t *said_json(struct scene *scene, const struct said_text *text)
{
	struct frame f;
	json_t *j;

	symbolize_pc(scene->symbolizer, text->pc, &f, 1);
	j = frame_json(&f);
	json_object_set_new(j, "thread", json_integer(text->tid));
	json_object_set_new(j, "after", json_integer((json_int_t)text->after));
	add_text(j, "text", text->text);
	return j;
}

/* What the report says of places. Of a long execution the last operations. */
static void places_json(const struct session *s, json_t *b, const struct reported *r)
{
	json_t *sides = json_array(), *steps = json_array(), *said = json_array();
	size_t first = r->bug.nsteps > MOST_STEPS ? r->bug.nsteps - MOST_STEPS : 0;
	struct scene scene;
	char words[512];

	if (!scene_init(&scene, &r->modules))
		return;
	scene.said = &r->bug.said;
	json_object_set_new(b, "why", why_json(s, &scene, r));
	if (r->bug.place.kind) {
		describe_location(&scene, &r->bug.place, words, sizeof(words));
		add_text(b, "location", words);
	}
	for (uint32_t i = 0; i < r->bug.nsides; i++)
		json_array_append_new(sides, side_json(&scene, &r->bug.sides[i]));
	json_object_set_new(b, "sides", sides);
	for (size_t i = first; i < r->bug.nsteps; i++)
		if (step_happened(&r->bug.steps[i].record))
			json_array_append_new(steps, step_json(&scene, &r->bug.steps[i]));
	json_object_set_new(b, "steps", steps);
	for (size_t i = 0; i < r->bug.said.ntexts; i++)
		json_array_append_new(said, said_json(&scene, &r->bug.said.text[i]));
	json_object_set_new(b, "said", said);
	scene_release(&scene);
}

json_t *json_bug(const struct session *s, const struct reported *r)
{
	json_t *b = json_object();

	json_object_set_new(b, "kind", json_text(name_of(names_bug, r->bug.kind)));
	json_object_set_new(b, "message", json_text(r->bug.message));
	json_object_set_new(b, "thread", json_integer(r->bug.nsides ? r->bug.sides[0].thread : 0));
	json_object_set_new(b, "site", json_text(r->site));
	json_object_set_new(b, "trace", r->trace[0] ? json_text(r->trace) : json_null());
	json_object_set_new(b, "execution", json_integer((json_int_t)r->bug.execution));
	if (s->options->command == COMMAND_TEST)
		json_object_set_new(b, "strategy",
				    json_text(name_of(names_strategy, r->bug.strategy)));
	if (r->bug.times)
		json_object_set_new(b, "times", json_integer((json_int_t)r->bug.times));
	if (r->shorter.tried)
		json_object_set_new(b, "minimised", shorter_json(r));
	if (r->inflection.at)
		json_object_set_new(b, "inflection", inflection_json(&r->inflection));
	if (r->child[0])
		json_object_set_new(b, "child", json_text(r->child));
	if (r->output)
		json_object_set_new(b, "output", json_text(r->output));
	places_json(s, b, r);
	return b;
}

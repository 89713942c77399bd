/* SPDX-License-Identifier: BSD-2-Clause */
/* behind.c - see behind.h */
#include "config.h"

#include "controller/verdict/behind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/describe/describe.h"
#include "controller/run/supervise.h"
#include "controller/verdict/confirm.h"

enum {
	PATIENCE_S = 2
};

struct race_met {
	struct place code[2], object;
	char line[2][640];
};

static bool same_lines(const struct race_met *a, const struct race_met *b, bool crossed)
{
	return a->line[0][0] && a->line[1][0] && !strcmp(a->line[0], b->line[crossed]) &&
	       !strcmp(a->line[1], b->line[!crossed]);
}

static bool is_met(const struct race_met *a, const struct race_met *b)
{
	if (place_eq(&a->code[0], &b->code[0]) && place_eq(&a->code[1], &b->code[1]))
		return true;
	return place_eq(&a->object, &b->object) &&
	       (same_lines(a, b, false) || same_lines(a, b, true));
}

static void describe(struct race_met *r, const struct finding *f, const struct loaded_list *modules)
{
	struct scene scene;

	memset(r, 0, sizeof(*r));
	r->object = f->place;
	for (int i = 0; i < 2; i++)
		r->code[i] = f->sides[i].code;
	if (!scene_init(&scene, modules))
		return;
	for (int i = 0; i < 2; i++)
		describe_site(&scene, site_of(&scene, &f->sides[i]), "", r->line[i],
			      sizeof(r->line[i]));
	scene_release(&scene);
}

bool races_meet(struct races_met *m, const struct finding *f, const struct loaded_list *modules)
{
	struct race_met *grown, r;
	bool met = false;

	if (f->nsides < 2)
		return false;
	describe(&r, f, modules);
	for (size_t i = 0; i < m->n; i++)
		met |= is_met(&r, &m->at[i]);
	grown = realloc(m->at, (m->n + 1) * sizeof(*grown));
	if (!grown)
		return met;
	m->at = grown;
	m->at[m->n++] = r;
	return met;
}

void races_release(struct races_met *m)
{
	free(m->at);
	*m = (struct races_met){ .n = 0 };
}

bool behind_race(struct session *s, const struct finding *f, uint32_t way, double took,
		 struct result *out)
{
	memset(out, 0, sizeof(*out));
	if (was_interrupted() || !confirm_all_races(s, f, way, PATIENCE_S + 3 * took, out))
		return false;
	for (size_t i = 0; i < out->nfindings; i++) {
		out->findings[i].behind = true;
		out->findings[i].times = 0; /* in executions of the search */
		out->findings[i].execution = f->execution;
		out->findings[i].seed = f->seed;
	}
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* recorded.c - see recorded.h */
#include "config.h"

#include "controller/describe/recorded.h"

#include <string.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/describe/describe.h"

/* Is a module named by any step or side of the trace? */
static bool takes_part(const struct trace *t, uint32_t module)
{
	for (size_t i = 0; i < t->bug.nsteps; i++) {
		const struct step *s = &t->bug.steps[i];

		if ((s->code.kind == PLACE_GLOBAL && s->code.module == module) ||
		    (s->place.kind == PLACE_GLOBAL && s->place.module == module))
			return true;
	}
	for (uint32_t i = 0; i < t->bug.nsides; i++) {
		if (t->bug.sides[i].code.kind == PLACE_GLOBAL &&
		    t->bug.sides[i].code.module == module)
			return true;
	}
	return false;
}

/* Libraries: those that take part must be the same; heddle's own runtime may be newer. */
int recorded_libraries(const struct trace *t, const char *path)
{
	for (uint32_t i = 1; i < t->modules.n; i++) {
		const struct loaded *m = &t->modules.at[i];
		char now[BUILD_ID_TEXT];

		if (!m->id[0] || m->path[0] != '/' || strstr(m->path, "/libheddle") ||
		    !takes_part(t, i))
			continue;
		if (!build_id_of_file(m->path, now))
			return fail(STATUS_CANNOT_RUN,
				    "the library '%s' that '%s' needs cannot be read", m->path,
				    path);
		if (strcmp(now, m->id) && strncmp(now, "xxh3:", 5))
			return fail(
				STATUS_CANNOT_RUN,
				"'%s' was recorded with another build of '%s': its build-id is %s, that "
				"of the library now is %s",
				path, m->path, m->id, now);
	}
	return 0;
}

/* For names alone: each module of a trace somewhere of its own, but for a program that can only be at one place. */
static void set_bases(struct loaded_list *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		modules->at[i].base =
			elf_is_fixed(modules->at[i].path) ? 0 : (uint64_t)(i + 1) << 40;
}

bool recorded_steps(struct trace_reader *r, struct trace *t)
{
	struct trace_symbols symbols;
	struct scene scene;
	bool ok;

	set_bases(&t->modules);
	ok = scene_init(&scene, &t->modules);
	symbols = scene_trace_symbols(&scene);
	ok = ok && trace_read_steps(r, t, &symbols);
	scene_release(&scene);
	return ok;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect_said.c - what the program said of its execution, from the shared mapping, checked like all else there
 */
#include "config.h"

#include <string.h>

#include "controller/base/message.h"
#include "controller/run/collect.h"

/* relaxed: the writer is dead */
static uint64_t count(_Atomic uint64_t *n)
{
	return atomic_load_explicit(n, memory_order_relaxed);
}

/* On one line, and printable. */
static void copy_text(char *out, const char *in, size_t size)
{
	memcpy(out, in, size);
	text_sanitize(out, size);
}

static bool collect_texts(struct said *from, const struct loaded_list *modules,
			  struct said_list *out)
{
	const uint64_t n = count(&from->texts);

	for (uint64_t i = n > SAID_TEXTS ? n - SAID_TEXTS : 0; i < n; i++) {
		const struct said_text *in = &from->text[i % SAID_TEXTS];
		struct said_text *text;

		if (in->tid >= HEDDLE_MAX_THREADS)
			continue;
		text = said_add_text(out);
		if (!text)
			return false;
		text->tid = in->tid;
		text->pc = in->pc;
		text->code = place_of_code(modules, in->pc);
		text->after = in->after < SHARED_STEPS ? in->after : SHARED_STEPS;
		copy_text(text->text, in->text, sizeof(text->text));
	}
	return true;
}

static bool collect_names(struct said *from, const struct loaded_list *modules,
			  struct said_list *out)
{
	const uint64_t n = count(&from->names);

	for (uint64_t i = 0; i < n && i < SAID_NAMES; i++) {
		const struct said_name *in = &from->name[i];
		struct said_name *name;

		if (in->place.kind == PLACE_THREAD ? in->place.thread >= HEDDLE_MAX_THREADS
						   : !collect_place_ok(&in->place, modules))
			continue;
		name = said_add_name(out);
		if (!name)
			return false;
		name->place = in->place;
		name->size = in->size;
		copy_text(name->name, in->name, sizeof(name->name));
	}
	return true;
}

static bool collect_pointers(struct said *from, const struct loaded_list *modules,
			     struct said_list *out)
{
	const uint64_t n = count(&from->pointers);

	for (uint64_t i = 0; i < n && i < SAID_POINTERS; i++) {
		const struct said_pointer *in = &from->pointer[i];
		struct said_pointer *pointer;

		if (in->place.kind == PLACE_UNKNOWN || !collect_place_ok(&in->place, modules))
			continue;
		pointer = said_add_pointer(out);
		if (!pointer)
			return false;
		*pointer = *in;
	}
	return true;
}

static bool collect_calls(struct said *from, struct said_list *out)
{
	const uint64_t n = count(&from->calls);

	for (uint64_t i = 0; i < n && i < SAID_CALLS; i++) {
		struct said_call *call;

		if (from->call[i].frames > SAID_FRAMES)
			continue;
		call = said_add_call(out);
		if (!call)
			return false;
		*call = from->call[i];
		call->code = (struct place){ .kind = PLACE_UNKNOWN };
	}
	return true;
}

bool collect_said(struct shared *s, const struct loaded_list *modules, struct said_list *out)
{
	memset(out, 0, sizeof(*out));
	return collect_texts(&s->said, modules, out) && collect_names(&s->said, modules, out) &&
	       collect_pointers(&s->said, modules, out) && collect_calls(&s->said, out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * said.c - what a program said of its execution: lists that grow, and names that are looked up
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/trace/recording.h"

void said_release(struct said_list *l)
{
	free(l->text);
	free(l->name);
	free(l->pointer);
	free(l->call);
	memset(l, 0, sizeof(*l));
}

/* One more at the end of an array that has room for a power of two. */
static void *grown(void *at, size_t n, size_t size)
{
	char *array = n & (n - 1) ? at : realloc(at, (n ? 2 * n : 1) * size);

	if (array)
		memset(array + n * size, 0, size);
	return array;
}

struct said_text *said_add_text(struct said_list *l)
{
	struct said_text *array = grown(l->text, l->ntexts, sizeof(*l->text));

	if (!array)
		return NULL;
	l->text = array;
	return &array[l->ntexts++];
}

struct said_name *said_add_name(struct said_list *l)
{
	struct said_name *array = grown(l->name, l->nnames, sizeof(*l->name));

	if (!array)
		return NULL;
	l->name = array;
	return &array[l->nnames++];
}

struct said_pointer *said_add_pointer(struct said_list *l)
{
	struct said_pointer *array = grown(l->pointer, l->npointers, sizeof(*l->pointer));

	if (!array)
		return NULL;
	l->pointer = array;
	return &array[l->npointers++];
}

struct said_call *said_add_call(struct said_list *l)
{
	struct said_call *array = grown(l->call, l->ncalls, sizeof(*l->call));

	if (!array)
		return NULL;
	l->call = array;
	return &array[l->ncalls++];
}

bool said_calls(const struct said_call *call, const struct finding *f)
{
	const struct engine_step_record *r =
		call->step < f->nsteps ? &f->steps[call->step].record : NULL;

	return r && r->tid == call->tid && (r->kind == OP_CREATE || r->kind == OP_START);
}

const struct place *said_points(const struct said_list *l, uint64_t value)
{
	for (size_t i = 0; i < l->npointers; i++)
		if (l->pointer[i].value == value)
			return &l->pointer[i].place;
	return NULL;
}

const char *said_thread(const struct said_list *l, uint32_t tid)
{
	for (size_t i = l->nnames; i-- > 0;)
		if (l->name[i].place.kind == PLACE_THREAD && l->name[i].place.thread == tid)
			return l->name[i].name;
	return NULL;
}

/* Is it in the same block, stack or module? Stacks grow downwards, and so do offsets from their top. */
static bool is_within(const struct place *p, const struct said_name *n, uint64_t *offset)
{
	const struct place *from = &n->place;

	if (p->kind != from->kind || p->kind == PLACE_UNKNOWN || p->kind == PLACE_THREAD)
		return false;
	if (p->kind == PLACE_GLOBAL ? p->module != from->module : p->thread != from->thread)
		return false;
	if (p->count != from->count)
		return false;
	*offset = p->kind == PLACE_STACK ? from->offset - p->offset : p->offset - from->offset;
	return *offset < n->size;
}

const char *said_object(const struct said_list *l, const struct place *p, uint64_t *offset)
{
	for (size_t i = l->nnames; i-- > 0;)
		if (is_within(p, &l->name[i], offset))
			return l->name[i].name;
	return NULL;
}

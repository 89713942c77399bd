/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * said.c - what the program says of its execution, and how it names things
 *
 * All of it goes to the mapping that the controller reads when the process is gone, and only in a replay, where there is one
 * execution. It may begin anew, though: what was said before the root point stays then.
 */
#include "preload/report/said.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "preload/code/real.h"
#include "preload/core/lifecycle.h"
#include "preload/fiber/stack.h"
#include "preload/memory/heap.h"
#include "preload/memory/mappings.h"
#include "preload/memory/place.h"

/* How many there were at the root point. */
static uint64_t root_texts, root_names;

/* relaxed: the controller looks when the process is gone */
static uint64_t count(_Atomic uint64_t *n)
{
	return atomic_load_explicit(n, memory_order_relaxed);
}

static void set(_Atomic uint64_t *n, uint64_t to)
{
	atomic_store_explicit(n, to, memory_order_relaxed);
}

static bool is_read(void)
{
	return shared && shared->config.mode == ENGINE_REPLAY;
}

static void said_root(void)
{
	if (!is_read())
		return;
	root_texts = count(&shared->said.texts);
	root_names = count(&shared->said.names);
}

AT_ROOT(said_root);

/* Where a stack ends is known from the root point on: what was named before had no place on it. */
static void find_again(void)
{
	for (uint64_t i = 0; i < root_names; i++) {
		struct said_name *n = &shared->said.name[i];

		if (n->place.kind == PLACE_UNKNOWN)
			n->place = place_of(n->addr);
	}
}

static void said_begin(void)
{
	if (!is_read())
		return;
	set(&shared->said.texts, root_texts);
	set(&shared->said.names, root_names);
	set(&shared->said.calls, 0);
	find_again();
}

AT_BEGIN(said_begin);

/* Many write one at the end, as for printf(). */
static void cut_newline(char *text)
{
	size_t n = strlen(text);

	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
}

void say_text(const char *format, va_list ap, uint64_t pc)
{
	struct said *all = &shared->said;
	struct said_text *line;
	const int error = errno;
	uint64_t n;

	if (!is_read())
		return;
	n = count(&all->texts);
	line = &all->text[n % SAID_TEXTS];
	line->tid = self_id();
	line->pc = pc;
	line->after = engine ? engine_ran(engine) : 0;
	if (REAL(vsnprintf)(line->text, sizeof(line->text), format, ap) < 0)
		line->text[0] = 0;
	cut_newline(line->text);
	errno = error;
	set(&all->texts, n + 1);
}

static void name(struct place place, uint64_t addr, uint64_t size, const char *text)
{
	struct said *all = &shared->said;
	uint64_t n = count(&all->names);
	size_t length = strnlen(text, SAID_NAME - 1);

	if (n >= SAID_NAMES)
		return;
	all->name[n].place = place;
	all->name[n].addr = addr;
	all->name[n].size = size;
	memcpy(all->name[n].name, text, length);
	all->name[n].name[length] = 0;
	set(&all->names, n + 1);
}

void say_thread(const char *text)
{
	if (is_read())
		name((struct place){ .kind = PLACE_THREAD, .thread = self_id() }, 0, 0, text);
}

void say_object(uint64_t addr, uint64_t size, const char *text)
{
	if (is_read())
		name(place_of(addr), addr, size, text);
}

/* ---- Pointers -------------------------------------------------------------------------------------- */

enum {
	LEAST_ADDRESS = 4096,
	LOOKED_AT = 1 << 14 /* steps: more are not drawn either */
};

/*
 * Is the value an address in an object that the program has, or had? Behind the end of one nothing is sure, nor in memory
 * that was two blocks of the heap, or in two mappings, one after the other. What is no variable of a module is found out where its symbols are read.
 */
static bool points(uint64_t value, struct place *place)
{
	struct heap_block block;

	if (value < LEAST_ADDRESS)
		return false;
	*place = place_of(value);
	if (place->kind == PLACE_HEAP)
		return place->offset < place->size && heap_block_of(value, &block) && !block.again;
	if (place->kind == PLACE_MAPPED)
		return mappings_once(value);
	return place->kind == PLACE_GLOBAL || place->kind == PLACE_STACK;
}

static void say_pointer(struct value v)
{
	struct said *all = &shared->said;
	const uint64_t n = count(&all->pointers);
	struct place place;

	for (uint64_t i = n; i-- > 0;)
		if (all->pointer[i].value == v.lo)
			return;
	if (n >= SAID_POINTERS || v.hi || !points(v.lo, &place))
		return;
	all->pointer[n] = (struct said_pointer){ v.lo, place };
	set(&all->pointers, n + 1);
}

void say_pointers(const struct engine_step_record *steps, uint64_t n)
{
	if (!is_read())
		return;
	set(&shared->said.pointers, 0);
	for (uint64_t i = n > LOOKED_AT ? n - LOOKED_AT : 0; i < n; i++) {
		if (steps[i].flags & STEP_READ)
			say_pointer(steps[i].value);
		if (steps[i].flags & STEP_WROTE)
			say_pointer(steps[i].stored);
	}
}

/* ---- Calls ------------------------------------------------------------------------------------------- */

void say_call(void)
{
	struct said *all = &shared->said;
	struct said_call *call;
	uint64_t n;

	if (!is_read() || !engine || !engine_ran(engine))
		return;
	n = count(&all->calls);
	if (n >= SAID_CALLS)
		return;
	call = &all->call[n];
	call->step = engine_ran(engine) - 1;
	call->tid = self_id();
	call->frames = stack_take(call->frame, SAID_FRAMES);
	set(&all->calls, n + 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.c - places, steps and call stacks in words, for reports
 *
 * Everything printed here is the same in every run of a build: symbols and offsets, never
 * addresses.
 */
#include "config.h"

#include "controller/describe/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/describe/cxx_name.h"

/* Traces name the same few places again and again. */
enum {
	SCENE_NAMES = 256,
	SCENE_NAME = 100
};

struct scene_name {
	uint64_t key;
	bool named;
	char text[SCENE_NAME + 28];
};

struct scene_offset {
	uint32_t module;
	uint64_t offset;
	char name[SCENE_NAME];
};

struct scene_memory {
	struct scene_name names[SCENE_NAMES];
	struct scene_offset offsets[SCENE_NAMES];
};

bool scene_init(struct scene *s, const struct loaded_list *modules)
{
	s->modules = modules;
	s->said = NULL;
	s->symbolizer = symbolizer_new();
	s->memory = calloc(1, sizeof(*s->memory));
	if (!s->symbolizer || !s->memory)
		return false;
	for (size_t i = 0; i < modules->n; i++)
		symbolizer_module(s->symbolizer, modules->at[i].path, modules->at[i].base);
	return true;
}

void scene_release(struct scene *s)
{
	symbolizer_free(s->symbolizer);
	free(s->memory);
	s->symbolizer = NULL;
	s->memory = NULL;
}

static void with_offset(char *out, size_t size, const char *name, uint64_t offset)
{
	if (offset)
		snprintf(out, size, "%s+0x%llx", name, (unsigned long long)offset);
	else
		snprintf(out, size, "%s", name);
}

/* "x", "r.head", "pool[2].next"; "x+0x8" where nothing is known of its type. */
static void describe_variable(struct scene *s, const struct variable *v, uint64_t addr, char *out,
			      size_t size)
{
	const char *name = symbolize_shown(s->symbolizer, v->name);
	char path[256];

	if (symbolize_member(s->symbolizer, addr, path, sizeof(path)))
		snprintf(out, size, "%s%s", name, path);
	else
		with_offset(out, size, name, v->offset);
}

void describe_awaited(struct scene *s, const struct side *side, char *out, size_t size)
{
	*out = 0;
	if (side->blocked_on == OP_JOIN && side->peer != SIDE_NO_PEER)
		snprintf(out, size, "T%u to end", side->peer);
	else if (side->blocked_on != OP_JOIN && side->waits.kind)
		describe_place(s, &side->waits, out, size);
}

void describe_thread(const struct said_list *said, uint32_t tid, char *out, size_t size)
{
	const char *name = said ? said_thread(said, tid) : NULL;

	if (tid)
		snprintf(out, size, name ? "thread T%u (%s)" : "thread T%u", tid, name);
	else
		snprintf(out, size, name ? "main thread (T%u, %s)" : "main thread (T%u)", tid,
			 name);
	text_sanitize(out, size);
}

/* "the queue+0x8", if the program has named it. */
static bool describe_named(const struct scene *s, const struct place *p, char *out, size_t size)
{
	uint64_t offset = 0;
	const char *given = s->said ? said_object(s->said, p, &offset) : NULL;

	if (given)
		with_offset(out, size, given, offset);
	return given;
}

void describe_place(struct scene *s, const struct place *p, char *out, size_t size)
{
	struct variable v;
	char name[64];

	if (describe_named(s, p, out, size)) {
		text_sanitize(out, size);
		return;
	}
	switch (p->kind) {
	case PLACE_GLOBAL:
		if (symbolize_data(s->symbolizer, place_address(s->modules, p), &v))
			describe_variable(s, &v, place_address(s->modules, p), out, size);
		else if (p->module < s->modules->n)
			with_offset(out, size, basename(s->modules->at[p->module].path), p->offset);
		else
			snprintf(out, size, "?");
		break;
	case PLACE_HEAP:
		snprintf(name, sizeof(name), "heap block %u of T%u", p->count, p->thread);
		with_offset(out, size, name, p->offset);
		break;
	case PLACE_MAPPED:
		snprintf(name, sizeof(name), "mapping %u of T%u", p->count, p->thread);
		with_offset(out, size, name, p->offset);
		break;
	case PLACE_STACK:
		snprintf(out, size, "stack of T%u-0x%llx", p->thread,
			 (unsigned long long)p->offset);
		break;
	default:
		snprintf(out, size, "?");
	}
	text_sanitize(out, size);
}

static void describe_memory(struct scene *s, const struct place *p, char *out, size_t size)
{
	struct variable v;
	unsigned long long offset = p->offset;

	switch (p->kind) {
	case PLACE_GLOBAL:
		if (p->module >= s->modules->n)
			snprintf(out, size, "unknown");
		else if (!symbolize_data(s->symbolizer, place_address(s->modules, p), &v))
			snprintf(out, size, "in %s at offset 0x%llx",
				 basename(s->modules->at[p->module].path), offset);
		else if (v.offset)
			snprintf(out, size, "%llu bytes into global '%s' of size %llu (%s+0x%llx)",
				 (unsigned long long)v.offset,
				 symbolize_shown(s->symbolizer, v.name), (unsigned long long)v.size,
				 basename(v.module), offset);
		else
			snprintf(out, size, "global '%s' of size %llu (%s+0x%llx)",
				 symbolize_shown(s->symbolizer, v.name), (unsigned long long)v.size,
				 basename(v.module), offset);
		break;
	case PLACE_HEAP:
		snprintf(out, size,
			 "%llu bytes into a heap block of size %llu (number %u of thread T%u)",
			 offset, (unsigned long long)p->size, p->count, p->thread);
		break;
	case PLACE_MAPPED:
		snprintf(out, size,
			 "%llu bytes into a mapping of size %llu (number %u of thread T%u)", offset,
			 (unsigned long long)p->size, p->count, p->thread);
		break;
	case PLACE_STACK:
		snprintf(out, size, "on the stack of thread T%u, 0x%llx bytes from its top",
			 p->thread, offset);
		break;
	default:
		snprintf(out, size, "unknown");
	}
	text_sanitize(out, size);
}

void describe_location(struct scene *s, const struct place *p, char *out, size_t size)
{
	size_t n = 0;

	if (describe_named(s, p, out, size)) { /* its name goes before what it is */
		n = strlen(out);
		n += (size_t)snprintf(out + n, size - n, ", ");
	}
	if (n < size)
		describe_memory(s, p, out + n, size - n);
}

static size_t append(char *out, size_t size, size_t n, const char *format, ...)
{
	va_list ap;
	int k;

	if (n >= size)
		return n;
	va_start(ap, format);
	k = vsnprintf(out + n, size - n, format, ap);
	va_end(ap);
	return k < 0 ? n : n + (size_t)k;
}

void describe_step(struct scene *s, const struct step *step, char *out, size_t size)
{
	const struct engine_step_record *r = &step->record;
	char text[256], value[DESCRIBED_VALUE];
	size_t n = append(out, size, 0, "%s", name_of(names_op, r->kind));

	if (r->order != ORDER_NA)
		n = append(out, size, n, " %s", name_of(names_order, r->order));
	else if (r->kind == OP_LOAD || r->kind == OP_STORE)
		n = append(out, size, n, " plain");
	if (r->kind == OP_CREATE || r->kind == OP_JOIN)
		n = append(out, size, n, " T%u", r->peer);
	if (r->addr || step->place.kind) {
		describe_place(s, &step->place, text, sizeof(text));
		n = append(out, size, n, " %s", text);
	}
	if (!r->size && r->kind != OP_CHOOSE)
		return;
	if (r->flags & STEP_READ || r->kind == OP_CHOOSE) {
		describe_value(s, r->value, r->size, value);
		n = append(out, size, n, " = %s", value);
	}
	if (r->flags & STEP_WROTE) {
		describe_value(s, r->stored, r->size, value);
		n = append(out, size, n, r->flags & STEP_READ ? " -> %s" : " := %s", value);
	} else if (r->kind == OP_CAS) {
		n = append(out, size, n, ", no exchange");
	}
	if (r->flags & STEP_READ && r->rf_tid >= 0)
		append(out, size, n, " (from %d.%u)", r->rf_tid, r->rf_index);
	else if (r->flags & STEP_READ && r->rf_tid == -1)
		append(out, size, n, " (initial)");
}

static bool is_below(const char *file, const char *folder)
{
	return !strncmp(file, folder, strlen(folder));
}

/*
 * An absolute path without "..", as far as that can be told by itself: clang has its headers at
 * /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12.
 */
static void without_parents(const char *path, char *out, size_t size)
{
	size_t n = 0;

	while (*path && n + 1 < size) {
		size_t k = 1 + strcspn(path + 1, "/");

		if (k == 3 && !strncmp(path, "/..", 3)) {
			while (n && out[--n] != '/')
				;
		} else {
			k = k < size - n - 1 ? k : size - n - 1;
			memcpy(out + n, path, k);
			n += k;
		}
		path += k;
	}
	out[n] = 0;
}

bool frame_is_own(const struct scene *s, const struct frame *f)
{
	char file[1024];

	if (f->file) {
		without_parents(f->file, file, sizeof(file));
		return !is_below(file, "/usr/include/") && !is_below(file, "/usr/lib/") &&
		       !is_below(file, "/usr/local/include/");
	}
	return f->module && s->modules->n && !strcmp(f->module, s->modules->at[0].path);
}

void describe_frame(struct scene *s, uint64_t pc, struct frame *out, char *name, size_t size)
{
	struct frame frames[FRAMES_MOST];
	size_t n = symbolize_pc(s->symbolizer, pc, frames, FRAMES_MOST), own = 0;

	while (own < n && !frame_is_own(s, &frames[own]))
		own++;
	*out = frames[own < n ? own : 0];
	cxx_name_short(out->function ? out->function : "", CXX_NAME_SHORT, name, size);
}

void describe_site(struct scene *s, uint64_t pc, const char *between, char *out, size_t size)
{
	struct frame f;
	char name[256];

	out[0] = 0;
	if (!pc)
		return;
	describe_frame(s, pc, &f, name, sizeof(name));
	if (f.file && f.line)
		snprintf(out, size, "%s:%d", basename(f.file), f.line);
	else if (f.module)
		snprintf(out, size, "%s+0x%llx", basename(f.module), (unsigned long long)f.offset);
	if (out[0] && f.function && strlen(out) + 2 < size)
		snprintf(out + strlen(out), size - strlen(out), " %s%s", between, name);
}

/* Frames that say nothing about the program. */
static bool is_noise(const struct frame *f)
{
	static const char *const functions[] = { "_start",
						 "__libc_start_main",
						 "__libc_start_main_impl",
						 "__libc_start_call_main",
						 "start_thread",
						 "clone3",
						 "__clone3",
						 NULL };

	if (f->module && strstr(f->module, "libheddle-rt.so"))
		return true;
	return (!f->module && !f->function) ||
	       (f->function && name_find(functions, f->function) >= 0);
}

/* So does the function around, by its symbol alone: to unpack what a library brings along for debuggers takes long. */
static bool is_in_noise(struct scene *s, uint64_t pc)
{
	struct frame f;

	symbolize_function(s->symbolizer, pc, &f);
	return is_noise(&f);
}

size_t describe_stack(struct scene *s, const uint64_t *pcs, size_t n, struct stack_line *out,
		      size_t max)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		struct frame f[FRAMES_MOST];
		size_t k = is_in_noise(s, pcs[i])
				   ? 0
				   : symbolize_pc(s->symbolizer, pcs[i], f, FRAMES_MOST);

		for (size_t j = 0; j < k && used < max; j++) {
			if (is_noise(&f[j]))
				continue;
			out[used].frame = f[j];
			out[used++].pc = pcs[i];
		}
	}
	return used;
}

/* Has any of what is inlined at a place a line in own code? */
static bool has_own_line(const struct scene *s, const struct frame *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].line && frame_is_own(s, &f[i]))
			return true;
	return false;
}

uint64_t site_of(struct scene *s, const struct side *side)
{
	struct stack_line lines[SHARED_MAX_FRAMES];
	size_t n = describe_stack(s, side->frame, side->frames, lines, SHARED_MAX_FRAMES);
	uint64_t pc = is_in_noise(s, side->pc) ? 0 : side->pc;
	const uint64_t own = n ? 0 : place_address(s->modules, &side->own);
	bool lined = false;
	struct frame f[FRAMES_MOST];
	size_t k;

	if (pc) {
		k = symbolize_pc(s->symbolizer, pc, f, FRAMES_MOST);
		if (is_noise(&f[0]))
			pc = 0;
		else if (has_own_line(s, f, k))
			return pc;
		lined = pc && f[0].line;
	}
	if (own)
		return own;
	for (size_t i = 0; i < n; i++)
		if (has_own_line(s, &lines[i].frame, 1))
			return lines[i].pc;
	for (size_t i = 0; i < n && !lined; i++)
		if (lines[i].frame.line)
			return lines[i].pc;
	return pc ? pc : n ? lines[0].pc : 0;
}

/* ---- Names for traces --------------------------------------------------------------------------- */

static bool plain_name(const char *name)
{
	return *name &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@") ==
		       strlen(name);
}

static bool trace_name(void *ctx, uint32_t module, uint64_t offset, char *out, size_t size)
{
	struct scene *s = ctx;
	struct scene_name *m = &s->memory->names[(offset / 4 ^ module) % SCENE_NAMES];
	uint64_t key = offset ^ (uint64_t)module << 48 ^ 1ull << 63, back;
	struct variable v;
	struct place p = { .kind = PLACE_GLOBAL, .module = module, .offset = offset };

	if (m->key != key) {
		m->key = key;
		m->named =
			symbolize_data(s->symbolizer, place_address(s->modules, &p), &v) &&
			plain_name(v.name) && strlen(v.name) < SCENE_NAME &&
			symbol_offset(s->symbolizer, s->modules->at[module].path, v.name, &back) &&
			back + v.offset == offset;
		if (m->named)
			snprintf(m->text, sizeof(m->text), "%s+0x%llx", v.name,
				 (unsigned long long)v.offset);
	}
	if (m->named)
		snprintf(out, size, "%s", m->text);
	return m->named;
}

static bool trace_offset(void *ctx, uint32_t module, const char *name, uint64_t *out)
{
	struct scene *s = ctx;
	struct scene_offset *o;
	size_t slot = 0;

	for (const char *p = name; *p; p++)
		slot = (slot * 31 + (unsigned char)*p) % SCENE_NAMES;
	o = &s->memory->offsets[slot];
	if (!strcmp(o->name, name) && o->module == module) {
		*out = o->offset;
		return true;
	}
	if (module >= s->modules->n ||
	    !symbol_offset(s->symbolizer, s->modules->at[module].path, name, out))
		return false;
	if (strlen(name) < sizeof(o->name)) {
		strcpy(o->name, name);
		o->module = module;
		o->offset = *out;
	}
	return true;
}

struct trace_symbols scene_trace_symbols(struct scene *s)
{
	return (struct trace_symbols){ .name = trace_name, .offset = trace_offset, .ctx = s };
}

const char *describe_access(const struct side *side)
{
	if (side->is_atomic)
		return side->is_write ? "atomic write" : "atomic read";
	return side->is_write ? "write" : "read";
}

const char *describe_freeing(const struct side *side)
{
	switch (side->call) {
	case SIDE_FREES:
		return "free";
	case SIDE_DELETES:
		return "operator delete";
	case SIDE_DELETES_ARRAY:
		return "operator delete[]";
	default:
		return NULL;
	}
}

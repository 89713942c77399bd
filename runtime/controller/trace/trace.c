/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.c - writes a trace file
 *
 * The text goes to memory first, since the last line holds the checksum (XXH3, 64 bits) of
 * all that stands before the checksum itself. It guards against truncation and careless
 * editing, not against malice: the reader trusts nothing.
 *
 * Invariant: trace_read.c reads back what is written here to the same struct trace, except
 * for addresses, which are 0 then.
 */
#include "config.h"

#include "controller/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "controller/base/names.h"
#include "controller/options/options.h"

void trace_release(struct trace *t)
{
	for (size_t i = 0; i < t->narguments; i++)
		free(t->arguments[i]);
	free(t->arguments);
	free(t->program);
	free(t->folder);
	free(t->stdin_file);
	variables_release(&t->environment);
	loaded_release(&t->modules);
	finding_release(&t->bug);
	free(t->facts);
	memset(t, 0, sizeof(*t));
}

void trace_value(struct value v, char out[40])
{
	if (v.hi)
		snprintf(out, 40, "0x%llx:0x%llx", (unsigned long long)v.hi,
			 (unsigned long long)v.lo);
	else
		snprintf(out, 40, "0x%llx", (unsigned long long)v.lo);
}

void trace_location(const struct place *p, const struct trace_symbols *symbols, char *out,
		    size_t size)
{
	char name[TRACE_LOCATION - 32];
	unsigned long long offset = p->offset;

	switch (p->kind) {
	case PLACE_GLOBAL:
		if (symbols &&
		    symbols->name(symbols->ctx, p->module, p->offset, name, sizeof(name)))
			snprintf(out, size, "%u:%s", p->module, name);
		else
			snprintf(out, size, "%u+0x%llx", p->module, offset);
		break;
	case PLACE_HEAP:
	case PLACE_MAPPED:
		snprintf(out, size, "%s:%u.%u[%llu]+0x%llx",
			 p->kind == PLACE_HEAP ? "heap" : "mapped", p->thread, p->count,
			 (unsigned long long)p->size, offset);
		break;
	case PLACE_STACK:
		snprintf(out, size, "stack:%u-0x%llx", p->thread, offset);
		break;
	case PLACE_THREAD:
		if (p->count)
			snprintf(out, size, "signal:%u.%u", p->thread, p->count);
		else
			snprintf(out, size, "thread:%u", p->thread);
		break;
	default:
		snprintf(out, size, "?");
	}
}

/* "key text", the text on one line whatever it holds. */
static void write_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "%s ", key);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f || c == '\\')
			fprintf(f, "\\x%02x", c);
		else
			fputc(c, f);
	}
	fputc('\n', f);
}

static void write_code(FILE *f, const struct place *code)
{
	if (code->kind == PLACE_GLOBAL)
		fprintf(f, " at %u+0x%llx", code->module, (unsigned long long)code->offset);
}

static void write_source(FILE *f, const struct engine_step_record *r)
{
	if (r->rf_tid == -1)
		fputs(" from init", f);
	else if (r->rf_tid < 0)
		fputs(" from none", f);
	else
		fprintf(f, " from %d.%u", r->rf_tid, r->rf_index);
}

static void write_step(FILE *f, const struct step *s, const struct trace_symbols *symbols)
{
	const struct engine_step_record *r = &s->record;
	char text[TRACE_LOCATION], value[40];

	fprintf(f, "%u.%u %s", r->tid, r->index, name_of(names_op, r->kind));
	if (r->order != ORDER_NA)
		fprintf(f, ".%s", name_of(names_order, r->order));
	if (r->addr || s->place.kind) {
		trace_location(&s->place, symbols, text, sizeof(text));
		fprintf(f, " %s", text);
		if (r->size)
			fprintf(f, "/%u", r->size);
	}
	if (r->flags & STEP_READ)
		write_source(f, r);
	if (r->flags & STEP_READ || r->value.lo || r->value.hi) {
		trace_value(r->value, value);
		fprintf(f, " read %s", value);
	}
	if (r->flags & STEP_WROTE) {
		trace_value(r->stored, value);
		fprintf(f, " wrote %s", value);
	}
	if (step_is_woken(r))
		fprintf(f, " after %d.%u", r->rf_tid, r->rf_index);
	if (r->kind == OP_CREATE || r->kind == OP_JOIN || r->peer)
		fprintf(f, " thread %u", r->peer);
	if (r->choice)
		fprintf(f, " choice %u", r->choice);
	write_code(f, &s->code);
	fputc('\n', f);
}

static void write_fact(FILE *f, const struct fact *fact, const struct trace_symbols *symbols)
{
	char text[TRACE_LOCATION];

	fprintf(f, "fact %s", name_of(names_fact, fact->kind));
	if (fact->place.kind) {
		trace_location(&fact->place, symbols, text, sizeof(text));
		fprintf(f, " %s", text);
	}
	if (fact->arg)
		fprintf(f, "/%u", fact->arg);
	if (fact->place.kind == PLACE_HEAP && fact->addr)
		fprintf(f, " at 0x%llx", (unsigned long long)fact->addr);
	fputc('\n', f);
}

static void write_said(FILE *f, const struct said_list *said, const struct trace_symbols *symbols)
{
	char place[TRACE_LOCATION], key[TRACE_LOCATION + 64];

	for (size_t i = 0; i < said->ntexts; i++) {
		trace_location(&said->text[i].code, NULL, place, sizeof(place));
		snprintf(key, sizeof(key), "says %llu %u %s",
			 (unsigned long long)said->text[i].after, said->text[i].tid, place);
		write_text(f, key, said->text[i].text);
	}
	for (size_t i = 0; i < said->nnames; i++) {
		trace_location(&said->name[i].place, symbols, place, sizeof(place));
		snprintf(key, sizeof(key), "named %llu %s", (unsigned long long)said->name[i].size,
			 place);
		write_text(f, key, said->name[i].name);
	}
	for (size_t i = 0; i < said->npointers; i++) {
		trace_location(&said->pointer[i].place, symbols, place, sizeof(place));
		fprintf(f, "points 0x%llx %s\n", (unsigned long long)said->pointer[i].value, place);
	}
	for (size_t i = 0; i < said->ncalls; i++) {
		if (said->call[i].code.kind != PLACE_GLOBAL)
			continue;
		trace_location(&said->call[i].code, NULL, place, sizeof(place));
		fprintf(f, "called %llu %u %s\n", (unsigned long long)said->call[i].step,
			said->call[i].tid, place);
	}
}

static void write_side(FILE *f, const struct side *s, const struct trace_symbols *symbols)
{
	char text[TRACE_LOCATION];

	fprintf(f, "side %u %s %s %u", s->thread, s->is_write ? "write" : "read",
		s->is_atomic ? "atomic" : "plain", s->size);
	if (s->blocked_on >= 0)
		fprintf(f, " blocked %s", name_of(names_op, (size_t)s->blocked_on));
	if (s->blocked_on == OP_JOIN && s->peer != SIDE_NO_PEER)
		fprintf(f, " thread %u", s->peer);
	if (s->waits.kind) {
		trace_location(&s->waits, symbols, text, sizeof(text));
		fprintf(f, " for %s", text);
	}
	write_code(f, &s->code);
	if (s->call)
		fprintf(f, " calls %s", name_of(names_side_call, s->call));
	if (s->own.kind == PLACE_GLOBAL)
		fprintf(f, " in %u+0x%llx", s->own.module, (unsigned long long)s->own.offset);
	if (s->behind)
		fprintf(f, " before %u", s->behind - 1);
	fputc('\n', f);
}

static void write_bug(FILE *f, const struct trace *t, const struct trace_symbols *symbols)
{
	const struct finding *b = &t->bug;
	char text[TRACE_LOCATION];

	fprintf(f, "bug %s\n", name_of(names_bug, b->kind));
	write_text(f, "message", b->message);
	fprintf(f, "execution %llu\n", (unsigned long long)b->execution);
	if (b->signal)
		fprintf(f, "signal %d\n", b->signal);
	if (b->place.kind) {
		trace_location(&b->place, symbols, text, sizeof(text));
		fprintf(f, "object %s\n", text);
	}
	for (uint32_t i = 0; i < b->nfacts; i++)
		write_fact(f, &t->facts[i], symbols);
	for (uint32_t i = 0; i < b->nsides; i++)
		write_side(f, &b->sides[i], symbols);
	write_said(f, &b->said, symbols);
}

static void write_header(FILE *f, const struct trace *t)
{
	fprintf(f, "heddle-trace %d\n", TRACE_VERSION);
	write_text(f, "program", t->program);
	fprintf(f, "build-id %s\n", t->build_id);
	for (size_t i = 0; i < t->narguments; i++)
		write_text(f, "argument", t->arguments[i]);
	fprintf(f, "command %s\n", name_of(command_names, t->command));
	fprintf(f, "model %s\n", name_of(names_model, t->model));
	fprintf(f, "equivalence %s\n", name_of(names_equivalence, t->equivalence));
	fprintf(f, "backend %s\n", name_of(names_backend, t->backend));
	fprintf(f, "seed %llu\n", (unsigned long long)t->seed);
	for (size_t i = 0; i < SETTINGS; i++)
		if (t->setting[i])
			fprintf(f, "set %s %llu\n", name_of(names_setting, i),
				(unsigned long long)t->setting[i]);
	if (t->folder)
		write_text(f, "folder", t->folder);
	if (t->stdin_file)
		write_text(f, "stdin", t->stdin_file);
	for (size_t i = 0; i < t->environment.n; i++) {
		char *variable = variable_text(&t->environment.at[i]);

		if (variable)
			write_text(f, "variable", variable);
		free(variable);
	}
	for (size_t i = 0; i < t->modules.n; i++) {
		const struct loaded *m = &t->modules.at[i];
		char key[BUILD_ID_TEXT + 40];

		snprintf(key, sizeof(key), "module %zu %s", i, m->id[0] ? m->id : "-");
		write_text(f, key, m->path);
	}
}

int trace_write(FILE *f, const struct trace *t, const struct trace_symbols *symbols)
{
	char *text = NULL;
	size_t size = 0;
	FILE *m = open_memstream(&text, &size);
	int err = 0;

	if (!m)
		return -errno;
	write_header(m, t);
	write_bug(m, t, symbols);
	fprintf(m, "steps %zu\n", t->bug.nsteps);
	for (size_t i = 0; i < t->bug.nsteps; i++)
		write_step(m, &t->bug.steps[i], symbols);
	fprintf(m, "end %s checksum ", name_of(names_bug, t->bug.kind));
	if (fclose(m))
		err = -ENOMEM;
	errno = 0;
	if (!err &&
	    (fwrite(text, 1, size, f) != size ||
	     fprintf(f, "%016llx\n", (unsigned long long)XXH3_64bits(text, size)) < 0 || fflush(f)))
		err = errno ? -errno : -EIO;
	free(text);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_text.c - one bug as text, for a person
 *
 * The skeleton is that of ThreadSanitizer, which people and scripts know: a rule, WARNING,
 * what each thread did with its stack, the location, where the threads were created, and a
 * SUMMARY line. Behind it what only we know: the last operations of every thread, and the
 * line that reproduces it all.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/columns.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/quote.h"
#include "controller/base/terminal.h"
#include "controller/describe/describe.h"
#include "controller/describe/why.h"
#include "controller/elf/locked.h"
#include "controller/report/report.h"
#include "controller/report/report_execution.h"
#include "controller/report/report_stack.h"
#include "controller/run/trust.h"

enum {
	LAST_EVENTS = 5,
	LAST_EVENTS_VERBOSE = 20,
	LAST_LINES = 40
};

static const char rule[] = "==================";

/* Good until the fourth call after this one. */
static char *thread_name(const struct scene *s, uint32_t tid)
{
	static char names[4][32 + SAID_NAME];
	static unsigned turn;
	char *name = names[turn++ % 4];

	describe_thread(s->said, tid, name, sizeof(names[0]));
	return name;
}

static char *capital(char *text)
{
	text[0] = (char)toupper((unsigned char)text[0]);
	return text;
}

/* "Write", "Previous atomic read". Good until the next call. */
static const char *access_name(const struct side *s, bool earlier)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s%s", earlier ? "previous " : "", describe_access(s));
	return capital(name);
}

/* In one line: the others are why. */
static void print_joining(struct scene *scene, const struct side *s)
{
	char site[640];

	describe_site(scene, site_of(scene, s), "", site, sizeof(site));
	fprintf(stderr, "  %s%s only waits for %s to end:%s %s\n\n", color_place(),
		capital(thread_name(scene, s->thread)), thread_name(scene, s->peer), color_end(),
		site);
}

static void print_side(struct scene *scene, const struct finding *b, uint32_t i, const char *where,
		       struct source_list *sources, bool verbose)
{
	const struct side *s = &b->sides[i];

	fputs(color_place(), stderr);
	if (s->call == SIDE_ALLOCATES)
		fprintf(stderr, "  Allocated by %s at:", thread_name(scene, s->thread));
	else if (b->kind == BUG_DATA_RACE && describe_freeing(s))
		fprintf(stderr, "  Free of %s by %s:", where, thread_name(scene, s->thread));
	else if (b->kind == BUG_DATA_RACE || (i && b->kind == BUG_USE_AFTER_RETURN))
		fprintf(stderr, "  %s of size %u at %s by %s:", access_name(s, i), s->size, where,
			thread_name(scene, s->thread));
	else if (s->blocked_on >= 0)
		fprintf(stderr, "  %s waits %s:", capital(thread_name(scene, s->thread)),
			waiting_for((enum op_kind)s->blocked_on));
	else if (i && (b->kind == BUG_USE_AFTER_FREE || b->kind == BUG_DOUBLE_FREE))
		fprintf(stderr, "  Freed by %s at:", thread_name(scene, s->thread));
	else if (i)
		fprintf(stderr, "  %s is involved at:", capital(thread_name(scene, s->thread)));
	else
		fprintf(stderr, "  %s was at:", capital(thread_name(scene, s->thread)));
	fprintf(stderr, "%s\n", color_end());
	report_stack(scene, s, sources, verbose);
}

/* Where each thread that takes part was created. */
static void print_creations(struct scene *scene, const struct finding *b, bool verbose)
{
	for (uint32_t i = 0; i < b->nsides; i++) {
		uint32_t tid = b->sides[i].thread;
		bool seen = tid == 0;
		size_t k;

		for (uint32_t n = 0; n < i; n++)
			seen |= b->sides[n].thread == tid;
		/* The last one, should several threads have had the id. */
		for (k = b->nsteps; !seen && k-- > 0;) {
			const struct engine_step_record *r = &b->steps[k].record;
			struct side at = { .pc = r->pc, .frames = b->sides[i].created };

			if (r->kind != OP_CREATE || r->peer != tid)
				continue;
			memcpy(at.frame, b->sides[i].creation, sizeof(at.frame));
			fprintf(stderr, "  %s%s created by %s at:%s\n", color_place(),
				capital(thread_name(scene, tid)), thread_name(scene, r->tid),
				color_end());
			report_stack(scene, &at, NULL, verbose);
			seen = true;
		}
	}
}

enum {
	LOCKED_SHOWN = 3,
	LOCKED_MAX = 64
};

/* What may order the accesses that race, and is not seen. */
static void print_locked(struct scene *scene, const struct finding *b)
{
	uint64_t offset[LOCKED_MAX];
	struct frame here, f[FRAMES_MOST];
	const char *last = "";
	int line = 0, shown = 0;
	size_t n;

	symbolize_pc(scene->symbolizer, b->sides[0].pc, &here, 1);
	n = here.module ? locked_find(here.module, offset, LOCKED_MAX) : 0;
	if (!n)
		return;
	fprintf(stderr,
		"  %sNote: the program has atomic instructions in inline assembly, or in code that heddle-cc\n"
		"  did not compile. They are not seen and order nothing, so this may be no race. Let it use\n"
		"  the atomics of the compiler (heddle-programs(7), LIMITS).%s\n",
		color_place(), color_end());
	for (size_t i = 0; i < n && shown < LOCKED_SHOWN; i++) {
		symbolize_pc(scene->symbolizer, b->sides[0].pc - here.offset + offset[i], f,
			     FRAMES_MOST);
		if (f[0].function && !strcmp(f[0].function, last) && f[0].line == line)
			continue; /* inlined once more */
		last = f[0].function ? f[0].function : "";
		line = f[0].line;
		shown++;
		fprintf(stderr, "    at %s", f[0].function ? f[0].function : "<unknown>");
		if (f[0].file && f[0].line)
			fprintf(stderr, " %s:%d", path_short(f[0].file), f[0].line);
		fputc('\n', stderr);
	}
	fputc('\n', stderr);
}

static void print_why(struct scene *scene, const struct session *s, const struct finding *b)
{
	struct why why;

	why_of(&why, scene, (enum engine_model)s->model, b);
	if (why.n)
		fprintf(stderr, "  %sWhy:%s\n", color_place(), color_end());
	for (size_t i = 0; i < why.n; i++)
		text_wrapped(stderr, why.line[i], 4, terminal_columns(STDERR_FILENO));
	if (why.n)
		fputc('\n', stderr);
	why_release(&why);
}

static bool is_event_of(const struct engine_step_record *r, uint32_t tid)
{
	return r->tid == tid && step_happened(r);
}

static void print_events_of(struct scene *scene, const struct finding *b, uint32_t tid, size_t max)
{
	size_t all = 0, skip;

	for (size_t i = 0; i < b->nsteps; i++)
		all += is_event_of(&b->steps[i].record, tid);
	if (!all)
		return;
	skip = all > max ? all - max : 0;
	fprintf(stderr, "    T%u:%s", tid, skip ? "" : "\n");
	if (skip)
		fprintf(stderr, " (%zu before)\n", skip);
	for (size_t i = 0; i < b->nsteps; i++) {
		const struct engine_step_record *r = &b->steps[i].record;
		char text[512], site[640];

		if (!is_event_of(r, tid) || skip) {
			skip -= is_event_of(r, tid);
			continue;
		}
		describe_step(scene, &b->steps[i], text, sizeof(text));
		/* A start names the thread's function itself, all others what follows a call. */
		describe_site(scene, r->pc + (r->kind == OP_START), "", site, sizeof(site));
		fprintf(stderr, "      %u.%-3u %-44s %s%s%s\n", r->tid, r->index, text,
			color_faint(), site, color_end());
	}
}

static void print_events(struct scene *scene, const struct session *s, const struct reported *r,
			 struct source_list *sources)
{
	const struct finding *b = &r->bug;
	size_t max = s->options->verbose ? LAST_EVENTS_VERBOSE : LAST_EVENTS;

	if (report_execution(s, r, sources) || !b->nsteps)
		return;
	fprintf(stderr, "  %sLast operations of every thread:%s\n", color_place(), color_end());
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		print_events_of(scene, b, t, max);
	fputc('\n', stderr);
}

/* Takes colours and the like out of a line (ECMA-48, Section 5.4: control sequences). */
static void drop_sequences(char *line)
{
	char *to = line;

	for (const char *p = line; *p;) {
		if (p[0] != '\033' || p[1] != '[') {
			*to++ = *p++;
			continue;
		}
		p += 2;
		p += strspn(p, "0123456789:;<=>?!\"#$%&'()*+,-./ ");
		p += *p != 0;
	}
	*to = 0;
}

/* What the program wrote: the last lines, where those are that say what went wrong. */
static void print_output(const struct session *s, const char *output)
{
	size_t lines = 0, skip = 0;

	for (const char *p = output; *p; p++)
		lines += *p == '\n' || !p[1];
	if (lines > LAST_LINES && !s->options->verbose)
		skip = lines - LAST_LINES;
	fprintf(stderr, "  %sThe program wrote:%s", color_place(), color_end());
	if (skip)
		fprintf(stderr, " (%zu lines before)", skip);
	fputc('\n', stderr);
	for (const char *line = output, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		char *copy;

		next = line + n + (line[n] != 0);
		if (skip) {
			skip--;
			continue;
		}
		copy = strndup(line, n);
		if (!copy)
			break;
		drop_sequences(copy);
		text_sanitize(copy, n + 1);
		fprintf(stderr, "    | %s\n", copy);
		free(copy);
	}
	fputc('\n', stderr);
}

/* As it works from this folder, for this program. */
static void print_command(const struct session *s, const char *what, const char *trace)
{
	char command[3 * PATH_MAX] = "heddle replay";

	if (s->options->program) {
		quote_word(command, sizeof(command), "--program");
		quote_word(command, sizeof(command), s->options->program);
	} else if (trust_lacks(&s->program, s->called_in ? s->called_in : ".")) {
		quote_word(command, sizeof(command), "--trust");
	}
	quote_word(command, sizeof(command), trace);
	text_sanitize(command, sizeof(command));
	fprintf(stderr, "  %s: %s\n", what, command);
}

static void print_size(const struct trace_size *size)
{
	fprintf(stderr, "%zu switch%s of threads, %zu old read%s, %zu operation%s", size->switches,
		size->switches == 1 ? "" : "es", size->old_reads, size->old_reads == 1 ? "" : "s",
		size->operations, size->operations == 1 ? "" : "s");
}

static void print_replay(const struct session *s, const struct reported *r)
{
	if (!r->trace[0])
		return;
	print_command(s, "Reproduce it with", r->trace);
	if (r->shorter.trace[0])
		print_command(s, "Shorter", r->shorter.trace);
	if (r->shorter.trace[0] || r->shorter.replaces) {
		fputs("    ", stderr);
		print_size(&r->shorter.after);
		fprintf(stderr, " (as found: %zu, %zu, %zu)\n", r->shorter.before.switches,
			r->shorter.before.old_reads, r->shorter.before.operations);
	}
	fputc('\n', stderr);
}

/* From where on it was too late. */
static void print_inflection(struct scene *scene, const struct reported *r)
{
	const struct inflection *p = &r->inflection;
	const struct engine_step_record *step = &p->step.record;
	const unsigned long long ended = p->before.ended + p->before.cut;
	char text[512], site[640];

	if (!p->at)
		return;
	describe_step(scene, &p->step, text, sizeof(text));
	describe_site(scene, place_address(&r->modules, &p->step.code) + (step->kind == OP_START),
		      "", site, sizeof(site));
	fprintf(stderr, "  Inflection point: %u.%u %s  %s%s%s\n", step->tid, step->index, text,
		color_faint(), site, color_end());
	fprintf(stderr, "    operation %zu of %zu; behind it all of %llu executions fail", p->at,
		p->of, (unsigned long long)p->behind.failed);
	if (p->at > 1)
		fprintf(stderr, ", before it %llu of %llu do not", ended, ended + p->before.failed);
	fputs("\n\n", stderr);
}

/* When the program was: source files that are newer may have other lines. */
static time_t program_built(const struct session *s)
{
	struct stat st;

	return stat(s->program.path, &st) ? 0 : st.st_mtime;
}

void report_text(const struct session *s, const struct reported *r)
{
	const struct finding *b = &r->bug;
	char where[256] = "?", block[256] = "?", location[512];
	struct place whole = b->place;
	struct source_list sources = { .built = program_built(s) };
	const bool verbose = s->options->verbose;
	struct scene scene;

	if (!scene_init(&scene, &r->modules))
		return;
	scene.said = &r->bug.said;
	message_progress(NULL);
	if (b->place.kind)
		describe_place(&scene, &b->place, where, sizeof(where));
	whole.offset = 0;
	if (b->place.kind)
		describe_place(&scene, &whole, block, sizeof(block));
	fprintf(stderr, "%s\n%sWARNING: heddle: %s (pid=%d)%s\n", rule, color_alarm(),
		bug_title(b->kind), (int)r->pid, color_end());
	if (r->child[0])
		fprintf(stderr, "  in child %s, a process that the program makes with fork()\n",
			r->child);
	if (b->message[0] && b->kind != BUG_DATA_RACE)
		fprintf(stderr, "  %s\n\n", b->message);
	for (uint32_t i = 0; i < b->nsides; i++) {
		if (!verbose && why_only_joins(b, &b->sides[i]))
			print_joining(&scene, &b->sides[i]);
		else
			print_side(&scene, b, i, describe_freeing(&b->sides[i]) ? block : where,
				   &sources, verbose);
	}
	if (b->place.kind) {
		describe_location(&scene, &b->place, location, sizeof(location));
		fprintf(stderr, "  Location is %s\n\n", location);
	}
	print_why(&scene, s, b);
	print_creations(&scene, b, verbose);
	if (b->kind == BUG_DATA_RACE)
		print_locked(&scene, b);
	print_events(&scene, s, r, &sources);
	sources_release(&sources);
	if (r->output)
		print_output(s, r->output);
	print_replay(s, r);
	print_inflection(&scene, r);
	fprintf(stderr, "SUMMARY: heddle: %s%s%s\n%s\n", bug_title(b->kind),
		r->summary[0] ? " " : "", r->summary, rule);
	scene_release(&scene);
}

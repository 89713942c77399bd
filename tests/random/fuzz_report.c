/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_report.c - differences, made smaller
 */
#include <string.h>

#include "random/fuzz.h"
#include "random/shrink.h"

void print_setting(FILE *to, const struct program *p, const struct setting *s)
{
	fprintf(to, "fuzz_programs -s %s -m %s -c %s:%d -e %s -j %d -B %s %s%lu %lu", p->style,
		model_names[s->config.model], s->build.cc, s->build.level, s->config.equivalence,
		s->config.jobs, s->config.backend, s->config.test ? "-t " : "",
		(unsigned long)p->seed, (unsigned long)p->seed + 1);
}

/* Executions of a program that was compiled by itself; -1 if they were not all visited. */
static long count_alone(struct fuzz *f, const struct program *p, const struct build *build,
			const struct config *config)
{
	struct result r;
	long n;

	if (!build_programs(&f->shop, p, 1, build, "shrunk"))
		return -1;
	run_program(&f->shop, "shrunk", 0, config, &r);
	n = r.verdict == VERDICT_OK || r.verdict == VERDICT_BUG ? r.executions : -1;
	result_release(&r);
	return n;
}

static bool counts_differ(const struct setting *s, const struct program *p, char *text, size_t size)
{
	const long one = count_alone(s->fuzz, p, &s->build, &s->config);
	const long other = count_alone(s->fuzz, p, &s->other_build, &s->other);

	snprintf(text, size, "counts %ld and %ld (%s -O%d -j %d %s)", one, other, s->other_build.cc,
		 s->other_build.level, s->other.jobs, s->other.backend);
	return one >= 0 && other >= 0 && one != other;
}

static bool still_differs(void *arg, const struct program *p)
{
	const struct setting *s = arg;
	struct outcomes oracle;
	struct result r;
	char text[200];
	bool differs = false;

	if (s->counts)
		return counts_differ(s, p, text, sizeof(text));
	if (!oracle_knows(p, s->config.model))
		return false;
	oracle_run(&oracle, p, s->config.model, 100000);
	if (!oracle.too_large && build_programs(&s->fuzz->shop, p, 1, &s->build, "shrunk")) {
		run_program(&s->fuzz->shop, "shrunk", 0, &s->config, &r);
		differs = result_differs(&r, p, s->config.model, &oracle, !s->config.test, text,
					 sizeof(text)) &&
			  !strncmp(text, s->kind, strlen(s->kind));
		result_release(&r);
	}
	outcomes_release(&oracle);
	return differs;
}

static void print_states(FILE *to, const char *what, const struct outcomes *o)
{
	fprintf(to, " * %s:", what);
	for (int i = 0; i < o->n && i < 40; i++)
		fprintf(to, "%s %s", i ? "," : "", o->line[i]);
	fprintf(to, "%s\n", o->n > 40 ? ", ..." : "");
}

static void print_shrunk(FILE *to, const struct program *p, const struct setting *s)
{
	struct outcomes oracle;
	struct result r;
	char text[200];
	const char *differs;

	oracle_run(&oracle, p, s->config.model, 100000);
	build_programs(&s->fuzz->shop, p, 1, &s->build, "shrunk");
	run_program(&s->fuzz->shop, "shrunk", 0, &s->config, &r);
	if (s->counts)
		differs = counts_differ(s, p, text, sizeof(text)) ? text : NULL;
	else
		differs = result_differs(&r, p, s->config.model, &oracle, !s->config.test, text,
					 sizeof(text));
	fprintf(to, "/*\n * ");
	print_setting(to, p, s);
	fprintf(to,
		"\n * HEDDLE_CC=%s heddle-cc -O%d -g -pthread, EXOUT=out heddle %s -k -m %s -e %s -j %d"
		" --backend=%s\n * %s\n",
		s->build.cc, s->build.level, s->config.test ? "test" : "explore",
		model_names[s->config.model], s->config.equivalence, s->config.jobs,
		s->config.backend, differs ? differs : "does not differ any more");
	print_states(to, "right", &oracle);
	print_states(to, "seen", &r.states);
	fprintf(to,
		" * stuck: right %d, seen %d (1: locks, 2: awaits); race: right %d, seen %d\n */\n",
		oracle.stuck, r.stuck, oracle.race, r.race);
	print_head(to);
	print_program(to, p, 0);
	print_main(to, 1);
	result_release(&r);
	outcomes_release(&oracle);
}

void report(const struct program *p, struct setting *s, const char *text)
{
	struct program small = *p;
	char name[400];
	FILE *to;

	printf("# %s/%lu %s: %s\n#   ", p->style, (unsigned long)p->seed,
	       model_names[s->config.model], text);
	print_setting(stdout, p, s);
	printf("\n");
	fflush(stdout);
	if (s->fuzz->no_shrink)
		return;
	snprintf(s->kind, sizeof(s->kind), "%.*s", (int)strcspn(text, " "), text);
	if (!still_differs(s, &small))
		printf("#   by itself it does not differ\n");
	else
		shrink(&small, still_differs, s);
	if (s->fuzz->out) {
		snprintf(name, sizeof(name), "%s/%s-%lu-%s.c", s->fuzz->out, p->style,
			 (unsigned long)p->seed, model_names[s->config.model]);
		to = fopen(name, "w");
		if (to) {
			print_shrunk(to, &small, s);
			fclose(to);
		}
	} else {
		print_shrunk(stdout, &small, s);
	}
	fflush(stdout);
}

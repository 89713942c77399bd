/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz.h - what fuzz_programs.c and its reports share
 */
#ifndef TESTS_RANDOM_FUZZ_H
#define TESTS_RANDOM_FUZZ_H

#include "random/run.h"

enum {
	MAX_BATCH = 64,
	MAX_BUILDS = 8,
	MAX_STYLES = 32
};

struct tally {
	long programs, runs, skipped, inconclusive, differ, counts;
	long by_values; /* runs that were explored by values to their end */
	long endless;   /* inconclusive, as it has to be */
	long races;     /* programs under a model with a data race */
	long found;     /* programs that differ, in whatever run */
};

struct fuzz {
	struct workshop shop;
	const char *bindir, *out;
	int style, batch;
	bool models[MODELS], any_model, test, no_shrink, print, locals;
	int nbuilds;
	struct build builds[MAX_BUILDS];
	const char *equivalence, *backend;
	int jobs;
	long max_states;
	double slow;  /* runs that take longer are named; 0: none */
	double limit; /* of a run, in seconds */
	struct tally tally[MAX_STYLES];
};

/* What a difference was seen with. */
struct setting {
	struct fuzz *fuzz;
	struct build build;
	struct config config;
	char kind[12]; /* of the difference: its first word */
	/* What it is compared with where the numbers of executions differ. */
	bool counts;
	struct build other_build;
	struct config other;
};

/* The command line that does it again. */
void print_setting(FILE *to, const struct program *p, const struct setting *s);

/* A difference: its line, and the program made smaller. */
void report(const struct program *p, struct setting *s, const char *text);

#endif

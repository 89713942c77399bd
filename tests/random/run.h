/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.h - printed programs, compiled and explored for real
 */
#ifndef TESTS_RANDOM_RUN_H
#define TESTS_RANDOM_RUN_H

#include "random/oracle.h"

/* Where heddle and heddle-cc are, and a folder for what is made. */
struct workshop {
	const char *bindir;
	char folder[200];
};

struct build {
	const char *cc; /* gcc, clang */
	int level;      /* of optimisation */
};

struct config {
	enum model model;
	const char *equivalence, *backend;
	int jobs;
	bool test; /* heddle test instead of heddle explore */
	double timeout_s;
};

enum verdict {
	VERDICT_OK,
	VERDICT_BUG,   /* only those that a program may have: deadlock, await-stuck, data race */
	VERDICT_WRONG, /* any other bug, any other status */
	VERDICT_INCONCLUSIVE,
};

struct result {
	enum verdict verdict;
	int status;
	int stuck; /* as in struct outcomes */
	bool race, waits_unknown;
	bool by_values; /* -e value, and it did not have to go by reads-from */
	bool undecided; /* differs, but the oracle may be what is wrong (result_differs()) */
	long executions;
	double seconds; /* of processor time */
	char what[120]; /* of VERDICT_WRONG, and sometimes of VERDICT_INCONCLUSIVE */
	struct outcomes states;
};

/* Makes the folder. False: it cannot be made. */
bool workshop_init(struct workshop *w, const char *bindir);
void workshop_release(struct workshop *w);

/* Compiles n programs to one binary, named by number. False: the compiler refused. */
bool build_programs(const struct workshop *w, const struct program *p, int n,
		    const struct build *build, const char *name);

/* Explores the program with this number of that binary. result_release() afterwards. */
void run_program(const struct workshop *w, const char *name, int number,
		 const struct config *config, struct result *r);
void result_release(struct result *r);

/* Has it found nothing stuck where the oracle has a loop without end, and said that it does not know? (wra) */
bool result_waits_unknown(const struct result *r, const struct outcomes *oracle);

/*
 * How it differs from what the oracle says of p under this model, or NULL; all: it has visited everything. Where
 * views may miss something, graphs are asked before that counts; if these are too many only what heddle loses does, and
 * the rest is undecided.
 */
const char *result_differs(struct result *r, const struct program *p, enum model model,
			   const struct outcomes *oracle, bool all, char *text, size_t size);

#endif

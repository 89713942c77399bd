/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_explore.c - look for a program on which the engine and brute force differ
 *
 *	fuzz_explore MODEL FROM TO [-s STYLE] [-m] [-k] [-n] [-v]
 *	fuzz_explore MODEL --litmus FILE [-m] [-k] [-n] [-v]
 *
 * Runs the random programs FROM..TO-1 of each style (or of one), or those of a litmus file;
 * shrinks (unless -n) and prints the first that differs, or with -k every one. -v names each
 * program before it runs, for crashes and hangs; -m explores by modification order. Exit status 1 when something differs.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/compare.h"
#include "engine/random.h"
#include "engine/random_orders.h"
#include "engine/random_sc.h"
#include "engine/random_waits.h"
#include "engine/script_json.h"

struct fuzz {
	struct compare c;
	enum engine_model model;
	int style;
	bool keep_going, shrink, verbose;
	int differing;
	const char *litmus;
};

/* The styles of random.h, behind them the shapes of random_waits.h, and the programs of random_sc.h and random_orders.h. */
enum {
	STYLE_ACCESSES = STYLE_COUNT + WAITS_SHAPES,
	STYLE_ORDERS,
	STYLES
};

static const char *name_of(int style)
{
	if (style == STYLE_ACCESSES)
		return "accesses";
	if (style == STYLE_ORDERS)
		return "orders";
	return style < STYLE_COUNT ? style_names[style] : waits_names[style - STYLE_COUNT];
}

static void make(struct script *s, uint64_t seed, int style)
{
	if (style == STYLE_ACCESSES)
		sc_script(s, seed);
	else if (style == STYLE_ORDERS)
		orders_script(s, seed);
	else if (style < STYLE_COUNT)
		random_script(s, seed, (enum random_style)style);
	else
		waits_script(s, seed, (enum waits_shape)(style - STYLE_COUNT));
}

static int usage(void)
{
	fprintf(stderr, "usage: fuzz_explore MODEL FROM TO [-s STYLE] [-m] [-k] [-n] [-v]\n"
			"       fuzz_explore MODEL --litmus FILE [-m] [-k] [-n] [-v]\nstyles:");
	for (int i = 0; i < STYLES; i++)
		fprintf(stderr, " %s", name_of(i));
	fputc('\n', stderr);
	return 2;
}

static bool options(struct fuzz *z, int argc, char **argv)
{
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], "-k")) {
			z->keep_going = true;
		} else if (!strcmp(argv[i], "-m")) {
			z->c.equivalence = EQUIV_MO;
		} else if (!strcmp(argv[i], "-n")) {
			z->shrink = false;
		} else if (!strcmp(argv[i], "-v")) {
			z->verbose = true;
		} else if (!strcmp(argv[i], "-s") && i + 1 < argc) {
			i++;
			for (z->style = 0; z->style < STYLES; z->style++)
				if (!strcmp(argv[i], name_of(z->style)))
					break;
			if (z->style == STYLES)
				return false;
		} else {
			return false;
		}
	}
	return true;
}

/* False to stop. */
static bool one(struct fuzz *z, struct script *s)
{
	bool rule = s->loops;

	if (z->verbose) {
		printf("%s\n", s->name);
		fflush(stdout);
	}
	if (compare_script(&z->c, s, z->model, rule) != COMPARE_DIFFERS)
		return true;
	z->differing++;
	printf("---- %s differs under %s\n", s->name, model_names[z->model]);
	fflush(stdout);
	if (z->shrink)
		compare_shrink(&z->c, s, rule);
	compare_explain(&z->c, s, stdout);
	script_to_json(s, stdout);
	fflush(stdout);
	return z->keep_going;
}

static void random_ones(struct fuzz *z, uint64_t from, uint64_t to)
{
	static struct script s;

	for (uint64_t seed = from; seed < to; seed++)
		for (int style = 0; style < STYLES; style++) {
			if (z->style >= 0 && style != z->style)
				continue;
			make(&s, seed, style);
			if (!one(z, &s))
				return;
		}
}

static bool litmus_ones(struct fuzz *z, const char *file)
{
	struct litmus *l;
	int n;

	if (!litmus_load(access(file, R_OK) ? litmus_path(file) : file, &l, &n)) {
		fprintf(stderr, "%s: cannot be read\n", file);
		return false;
	}
	for (int i = 0; i < n; i++)
		if (!one(z, &l[i].script))
			break;
	free(l);
	return true;
}

int main(int argc, char **argv)
{
	static struct fuzz z = { .style = -1, .shrink = true };

	if (argc < 4)
		return usage();
	for (z.model = 0; z.model < MODEL_COUNT; z.model++)
		if (!strcmp(argv[1], model_names[z.model]))
			break;
	compare_init(&z.c);
	if (z.model == MODEL_COUNT || !options(&z, argc, argv))
		return usage();
	if (!strcmp(argv[2], "--litmus")) {
		if (!litmus_ones(&z, argv[3]))
			return 2;
	} else {
		random_ones(&z, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	}
	printf("%s: %llu programs, %d differ, %llu too large; %llu executions, %llu wasted\n",
	       model_names[z.model], (unsigned long long)z.c.scripts, z.differing,
	       (unsigned long long)z.c.too_large, (unsigned long long)z.c.classes,
	       (unsigned long long)z.c.wasted);
	compare_release(&z.c);
	return z.differing ? 1 : 0;
}

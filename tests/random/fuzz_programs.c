/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_programs.c - random programs as C, explored for real, against the oracle
 *
 *	fuzz_programs [option]... FROM TO
 *
 * makes the programs with the seeds FROM ... TO - 1, compiles them in batches, explores each under
 * two models in two builds, and compares the sets of final states, and whether anything can be
 * stuck. What differs is made smaller and printed as C, with the command line that does it again.
 *
 *	-b DIR		heddle and heddle-cc are there (default: $builddir/bin)
 *	-s STYLE	this style only (default: each in turn)
 *	-m MODEL	this model only (may be repeated)
 *	-c CC:LEVEL	this build only, e.g. gcc:2 (may be repeated)
 *	-e, -j, -B	this equivalence, number of jobs, back end only
 *	-t		heddle test as well
 *	-l		registers are kept in local variables only
 *	-n N		programs in one binary (default 60)
 *	-x STATES	programs with more states are skipped
 *	-S		do not shrink
 *	-o DIR		write each shrunk program there
 *	-w SECONDS	name the runs that take longer
 *	-T SECONDS	so long a run may take (default 2; 1 at most where it may have no end)
 *	-p		print the programs and what the oracle says, run nothing
 *
 * Exit status: 0 all agree, 1 some differ, 2 wrong usage.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random/fuzz.h"

/* A choice that depends on a seed only: splitmix64's last steps. */
static unsigned pick(uint64_t seed, unsigned what, unsigned n)
{
	uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + what * 0xd1b54a32d192ed03u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (unsigned)((z ^ z >> 31) % n);
}

static int style_of(const struct fuzz *f, long seed)
{
	return f->style >= 0 ? f->style : (int)(seed % style_count());
}

static struct config some_config(const struct fuzz *f, uint64_t seed, enum model model,
				 unsigned build, bool small)
{
	static const char *const backends[] = { "auto", "auto", "rollback", "fork" };
	static const char *const equivalences[] = { "rf", "rf", "mo" };
	struct config c = { .model = model, .timeout_s = f->limit };

	c.equivalence = f->equivalence               ? f->equivalence
			: !pick(seed, 60 + model, 4) ? "value"
			: model == WRA_MODEL         ? "rf" /* it has no modification order */
						     : equivalences[pick(seed, 10 + model, 3)];
	/* A process for each execution: hundreds of times the price. */
	c.backend = f->backend ? f->backend
			       : backends[pick(seed, 20 + 8 * build + model, small ? 4 : 3)];
	c.jobs = f->jobs ? f->jobs : 1 + (pick(seed, 40 + 8 * build + model, 4) == 0);
	return c;
}

/* Which models a program is explored under: those that were asked for, or two. */
static unsigned models_of(const struct fuzz *f, const struct program *p, uint64_t seed)
{
	unsigned set = 0, n = 0;

	for (unsigned i = 0; i < MODELS; i++) {
		const enum model m = (i + pick(seed, 1, MODELS)) % MODELS;

		if (!oracle_knows(p, m) || (f->any_model && !f->models[m]))
			continue;
		/* heddle may have no end of those either. */
		if (is_endless(p, m) && pick(seed, 3, 4))
			continue;
		if (f->any_model || n < 2)
			set |= 1u << m;
		n++;
		if (n == 1 && !f->any_model && oracle_knows(p, RC11_MODEL) && m != RC11_MODEL) {
			set |= 1u << RC11_MODEL; /* the default is to be asked often */
			n++;
		}
	}
	return set;
}

static const char *why_inconclusive(const struct result *r)
{
	if (r->undecided)
		return "views may miss it, and graphs are too many";
	return r->verdict == VERDICT_INCONCLUSIVE ? r->what : "loops may be without end";
}

/* Compares with the oracle; the number of executions, or -1 if not all are known. *by_values as in the result. */
static long run_one(struct fuzz *f, const struct program *p, int number, struct setting *s,
		    const char *name, const struct outcomes *oracle, struct tally *tally,
		    bool *by_values)
{
	struct result r;
	char text[200];
	bool differs;
	long n;

	run_program(&f->shop, name, number, &s->config, &r);
	differs =
		result_differs(&r, p, s->config.model, oracle, !s->config.test, text, sizeof(text));
	tally->runs++;
	tally->by_values += r.by_values;
	*by_values = r.by_values;
	if (f->slow > 0 && r.seconds > f->slow) {
		printf("# %.2f s, status %d, %ld executions, oracle %ld states: ", r.seconds,
		       r.status, r.executions, oracle->states);
		print_setting(stdout, p, s);
		printf("\n");
	}
	/* Random executions are what they are; of what has no end nothing else was to be expected. */
	if (r.verdict == VERDICT_INCONCLUSIVE && !s->config.test &&
	    (is_endless(p, s->config.model) || has_untold_loop(p) || locks_in_loop(p) ||
	     changes_in_loop(p))) {
		tally->endless++;
	} else if (r.undecided ||
		   ((r.verdict == VERDICT_INCONCLUSIVE || result_waits_unknown(&r, oracle)) &&
		    !s->config.test)) {
		const char *why = why_inconclusive(&r);

		tally->inconclusive++;
		printf("# %s/%lu %s: inconclusive: %s%s", p->style, (unsigned long)p->seed,
		       model_names[s->config.model], why, *why ? ": " : "");
		print_setting(stdout, p, s);
		printf("\n");
	}
	if (differs) {
		tally->differ++;
		report(p, s, text);
		r.executions = -1;
	}
	n = r.verdict == VERDICT_OK || r.verdict == VERDICT_BUG ? r.executions : -1;
	result_release(&r);
	return n;
}

static bool has_loop(const struct program *p)
{
	for (int i = 1; i < p->nstmts; i++)
		if (p->s[i].kind == ST_LOOP && !p->s[i].bound)
			return true;
	return false;
}

static bool has_plain(const struct program *p)
{
	for (int i = 1; i < p->nstmts; i++)
		if (p->s[i].kind == ST_PLOAD || p->s[i].kind == ST_PSTORE)
			return true;
	return p->races;
}

/* By values there are not more executions than by reads-from, where those read the same writes only that read the same values. */
static void compare_reads(struct fuzz *f, const struct program *p, int number, struct setting *s,
			  const char *name, long count, struct tally *tally)
{
	struct setting pair = *s;
	struct result r;
	char text[120];

	if (count < 0 || has_loop(p) || has_plain(p))
		return;
	pair.config.equivalence = "rf";
	run_program(&f->shop, name, number, &pair.config, &r);
	if ((r.verdict == VERDICT_OK || r.verdict == VERDICT_BUG) && r.executions < count) {
		snprintf(text, sizeof(text), "counts %ld by values and %ld by reads-from", count,
			 r.executions);
		tally->differ++;
		pair = *s;
		pair.counts = true;
		pair.other = s->config;
		pair.other.equivalence = "rf";
		pair.other_build = s->build;
		report(p, &pair, text);
	}
	result_release(&r);
}

/*
 * Two builds had these numbers of executions under these settings. Without loops that wait they
 * must be the same. With such loops a compiler decides what of a round is left in the state
 * that heddle compares; but how one of the builds is explored must not matter.
 */
static void compare_counts(struct fuzz *f, const struct program *p, int number, struct setting *s,
			   const long *counts, struct tally *tally)
{
	struct setting pair = s[1];
	struct result r;
	char text[120];
	long again;

	if (counts[0] < 0 || counts[1] < 0 || counts[0] == counts[1])
		return;
	pair.counts = true;
	pair.other = s[0].config;
	pair.other_build = s[0].build;
	if (has_loop(p)) {
		run_program(&f->shop, "batch1", number, &s[0].config, &r);
		again = r.verdict == VERDICT_OK || r.verdict == VERDICT_BUG ? r.executions : -1;
		result_release(&r);
		pair.other_build = s[1].build;
		if (again < 0 || again == counts[1]) {
			tally->counts++;
			return;
		}
	} else {
		again = counts[0];
	}
	tally->differ++;
	snprintf(text, sizeof(text), "counts %ld and %ld", counts[1], again);
	report(p, &pair, text);
}

static void run_all(struct fuzz *f, const struct program *p, int number, const struct build *builds,
		    int nbuilds)
{
	struct tally *tally = &f->tally[style_of(f, (long)p->seed)];
	const unsigned models = models_of(f, p, p->seed);
	const long before = tally->differ;
	struct setting s[MAX_BUILDS];
	long counts[MAX_BUILDS];
	bool by_values[MAX_BUILDS], ignored;
	struct outcomes oracle;

	tally->programs++;
	for (unsigned m = 0; m < MODELS; m++) {
		if (!(models >> m & 1))
			continue;
		oracle_run(&oracle, p, m, is_endless(p, m) ? f->max_states / 10 : f->max_states);
		if (oracle.too_large && is_endless(p, m)) {
			/* What was found is right; there is more. */
			oracle.too_large = false;
			oracle.partial = true;
		}
		if (f->print) {
			printf("# %s/%lu %s: %ld states, stuck %d%s%s\n", p->style,
			       (unsigned long)p->seed, model_names[m], oracle.states, oracle.stuck,
			       oracle.race ? ", race" : "", oracle.too_large ? ", too large" : "");
			for (int i = 0; i < oracle.n; i++)
				printf("#   %s\n", oracle.line[i]);
		}
		tally->skipped += oracle.too_large;
		for (int b = 0; b < nbuilds && !oracle.too_large && !f->print; b++) {
			char name[20];

			s[b] = (struct setting){ .fuzz = f, .build = builds[b] };
			snprintf(name, sizeof(name), "batch%d", b);
			s[b].config = some_config(f, p->seed, m, (unsigned)b, oracle.states < 300);
			if (f->limit > 1 && (is_endless(p, m) || has_untold_loop(p) ||
					     locks_in_loop(p) || changes_in_loop(p)))
				s[b].config.timeout_s = 1;
			counts[b] =
				run_one(f, p, number, &s[b], name, &oracle, tally, &by_values[b]);
			if (by_values[b] && !oracle.race)
				compare_reads(f, p, number, &s[b], name, counts[b], tally);
			/* heddle test waits for long before it says that threads wait for ever. */
			s[b].config.test = true;
			if (f->test && !oracle.stuck && !oracle.race)
				run_one(f, p, number, &s[b], name, &oracle, tally, &ignored);
			s[b].config.test = false;
		}
		tally->races += oracle.race;
		/* What one of the compilers makes of it may be code that is too long to be looked at (untold.c). */
		if (nbuilds == 2 && !oracle.too_large && !oracle.race && !f->print &&
		    by_values[0] == by_values[1])
			compare_counts(f, p, number, s, counts, tally);
		outcomes_release(&oracle);
	}
	tally->found += tally->differ > before;
}

static int builds_of(const struct fuzz *f, long batch, struct build *builds)
{
	/* Optimisation costs more than anything else here, clang's most. */
	static const struct build pairs[][2] = {
		{ { "gcc", 2 }, { "clang", 0 } }, { { "clang", 2 }, { "gcc", 0 } },
		{ { "gcc", 1 }, { "clang", 0 } }, { { "gcc", 2 }, { "gcc", 0 } },
		{ { "clang", 1 }, { "gcc", 0 } }, { { "gcc", 2 }, { "clang", 0 } },
		{ { "gcc", 1 }, { "clang", 0 } }, { { "clang", 2 }, { "gcc", 1 } },
	};
	const unsigned turn = pick((uint64_t)batch, 2, 32);

	if (f->nbuilds) {
		memcpy(builds, f->builds, sizeof(f->builds));
		return f->nbuilds;
	}
	memcpy(builds, pairs[turn % 8], sizeof(pairs[0]));
	if (turn < 2)
		builds[0].level = 3;
	return 2;
}

static bool run_batch(struct fuzz *f, long from, int n)
{
	static struct program p[MAX_BATCH];
	struct build builds[MAX_BUILDS];
	const int nbuilds = builds_of(f, from, builds);

	for (int i = 0; i < n; i++) {
		program_generate(&p[i], style_of(f, from + i), (uint64_t)(from + i));
		for (int t = 0; f->locals && t < p[i].nthreads; t++)
			memset(p[i].t[t].place, IN_LOCAL, sizeof(p[i].t[t].place));
	}
	if (f->print) {
		print_head(stdout);
		for (int i = 0; i < n; i++)
			print_program(stdout, &p[i], i);
		print_main(stdout, n);
	}
	for (int b = 0; b < nbuilds && !f->print; b++) {
		char name[20];

		snprintf(name, sizeof(name), "batch%d", b);
		/* Once more where the machine had no room for a process. */
		if (!build_programs(&f->shop, p, n, &builds[b], name) &&
		    (sleep(10) || !build_programs(&f->shop, p, n, &builds[b], name))) {
			printf("# seeds %ld ... %ld: %s -O%d failed, see %s\n", from, from + n - 1,
			       builds[b].cc, builds[b].level, f->shop.folder);
			return false;
		}
	}
	for (int i = 0; i < n; i++)
		run_all(f, &p[i], i, builds, nbuilds);
	return true;
}

static void print_tally(const char *name, const struct tally *t)
{
	printf("# %-8s %6ld programs, %6ld runs, %4ld too large, %4ld inconclusive, %4ld differ, %4ld counts by compiler, %4ld without end, %4ld with races, %4ld programs differ, %4ld by values\n",
	       name, t->programs, t->runs, t->skipped, t->inconclusive, t->differ, t->counts,
	       t->endless, t->races, t->found, t->by_values);
}

static bool summary(const struct fuzz *f)
{
	struct tally all = { 0 };

	for (int i = 0; i < style_count(); i++) {
		const struct tally *t = &f->tally[i];

		if (t->programs)
			print_tally(style_name(i), t);
		all.programs += t->programs;
		all.runs += t->runs;
		all.skipped += t->skipped;
		all.inconclusive += t->inconclusive;
		all.differ += t->differ;
		all.counts += t->counts;
		all.endless += t->endless;
		all.races += t->races;
		all.found += t->found;
		all.by_values += t->by_values;
	}
	print_tally("all", &all);
	/* What was not compared is no success either. */
	if (all.skipped + all.inconclusive > 4 + all.runs / 20) {
		printf("# too many were not compared\n");
		return false;
	}
	return !all.differ && all.runs;
}

static int find(const char *name, const char *(*of)(int), int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(name, of(i)))
			return i;
	fprintf(stderr, "fuzz_programs: there is no %s\n", name);
	exit(2);
}

static const char *model_name(int i)
{
	return model_names[i];
}

static void add_build(struct fuzz *f, const char *text)
{
	const char *colon = strchr(text, ':');

	if (!colon || f->nbuilds == MAX_BUILDS) {
		fprintf(stderr, "fuzz_programs: -c takes gcc:LEVEL or clang:LEVEL\n");
		exit(2);
	}
	f->builds[f->nbuilds++] =
		(struct build){ strndup(text, (size_t)(colon - text)), atoi(colon + 1) };
}

static void read_options(struct fuzz *f, int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "b:s:m:c:e:j:B:tln:x:So:pw:T:")) != -1;) {
		switch (c) {
		case 'b':
			f->bindir = optarg;
			break;
		case 's':
			f->style = find(optarg, style_name, style_count());
			break;
		case 'm':
			f->models[find(optarg, model_name, MODELS)] = f->any_model = true;
			break;
		case 'c':
			add_build(f, optarg);
			break;
		case 'e':
			f->equivalence = optarg;
			break;
		case 'j':
			f->jobs = atoi(optarg);
			break;
		case 'B':
			f->backend = optarg;
			break;
		case 't':
			f->test = true;
			break;
		case 'l':
			f->locals = true;
			break;
		case 'n':
			f->batch = atoi(optarg);
			break;
		case 'x':
			f->max_states = atol(optarg);
			break;
		case 'S':
			f->no_shrink = true;
			break;
		case 'o':
			f->out = optarg;
			break;
		case 'w':
			f->slow = atof(optarg);
			break;
		case 'T':
			f->limit = atof(optarg);
			break;
		case 'p':
			f->print = true;
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	static struct fuzz f = { .style = -1, .batch = 60, .max_states = 30000, .limit = 2 };
	const char *builddir = getenv("builddir");
	char bindir[300];
	long from, to;
	bool good = true;

	snprintf(bindir, sizeof(bindir), "%s/bin", builddir ? builddir : ".");
	f.bindir = bindir;
	read_options(&f, argc, argv);
	if (optind + 2 != argc || f.batch < 1 || f.batch > MAX_BATCH) {
		fprintf(stderr, "usage: fuzz_programs [option]... FROM TO\n");
		return 2;
	}
	from = atol(argv[optind]);
	to = atol(argv[optind + 1]);
	if (!workshop_init(&f.shop, f.bindir)) {
		perror("fuzz_programs");
		return 2;
	}
	for (long at = from; at < to && good; at += f.batch)
		good = run_batch(&f, at, (int)(to - at < f.batch ? to - at : f.batch));
	if (good)
		workshop_release(&f.shop);
	if (!f.print)
		good &= summary(&f);
	return !good;
}

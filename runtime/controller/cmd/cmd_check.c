/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_check.c - heddle check: is a recorded execution consistent with a memory model?
 *
 * Files are traces or in the compact line format (heddle-formats(5)), told apart by their
 * first word. Exit status: the worst of the files, where malformed (2) is worse than
 * undecided (3), and that than inconsistent (1).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/content.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/cmd/check_print.h"
#include "controller/cmd/cmd.h"
#include "controller/options/options.h"
#include "controller/trace/check_trace.h"
#include "offline/check.h"

struct job {
	const struct options *o;
	const struct checker *asked; /* NULL: the best */
	json_t *results;             /* NULL: no --json */
	FILE *json;                  /* where they go */
	const char *path;            /* the file at hand */
};

struct input {
	const char *path;
	struct execution x;
	uint32_t model;
};

static const char first_word[] = "heddle-trace ";

/* The whole file, with a zero behind; NULL after a message. */
static char *load(const char *path, size_t *size)
{
	struct stat st;
	char *text;

	/* A device may have no end. */
	if (strcmp(path, "-") && !stat(path, &st) && !S_ISREG(st.st_mode) &&
	    !S_ISFIFO(st.st_mode)) {
		fail(STATUS_USAGE, "cannot read '%s': it is not a file", path);
		return NULL;
	}
	text = strcmp(path, "-") ? content_of(path, size) : content_read(0, size);
	if (!text)
		fail(STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
	return text;
}

static bool read_input(const struct job *j, struct input *in)
{
	struct execution_error e = { 0 };
	char error[1200] = "";
	size_t size;
	char *text = load(in->path, &size);
	bool ok;

	if (!text)
		return false;
	in->model = (uint32_t)j->o->model;
	if (!strncmp(text, first_word, sizeof(first_word) - 1)) {
		ok = check_trace_read(&in->x, in->path, &in->model, error, sizeof(error));
		if (j->o->model_given)
			in->model = (uint32_t)j->o->model;
	} else {
		ok = execution_parse(&in->x, text, size, &e);
		if (e.line)
			snprintf(error, sizeof(error), "%s:%u: %s", in->path, e.line, e.text);
		else
			snprintf(error, sizeof(error), "%s: %s", in->path, e.text);
	}
	free(text);
	if (!ok) {
		fail(STATUS_USAGE, "%s", error);
	}
	return ok;
}

static void add_json(const struct job *j, const struct input *in, const struct checker *c,
		     const struct verdict *v, const char *word, double seconds)
{
	json_t *r = json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:f}", "file", in->path, "model",
			      names_model[in->model], "algorithm", c->name, "verdict", word,
			      "events", (int)in->x.n, "threads", (int)in->x.k, "seconds", seconds);

	if (!r)
		return;
	if (v->axiom) {
		check_refusal_json(r, &in->x, v);
	} else if (v->rank && j->o->witness) {
		check_witness_json(r, &in->x, v);
	}
	json_array_append_new(j->results, r);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A small file can ask for all memory there is; who has such an execution can say so. */
static int too_many_threads(const struct job *j, struct input *in, const struct checker *c)
{
	struct verdict v = { .axiom = NULL };

	if (j->results)
		add_json(j, in, c, &v, "undecided", 0);
	return fail(
		STATUS_INCONCLUSIVE,
		"'%s' has more than %d threads, which takes algorithm %s long, and much memory: say "
		"--algorithm %s to let it try",
		in->path, CHECKER_THREADS, c->name, c->name);
}

static int judge(const struct job *j, struct input *in)
{
	const struct checker *c =
		j->asked ? j->asked : checker_best(&in->x, (enum engine_model)in->model);
	const char *unfit = checker_unfit(c, &in->x, (enum engine_model)in->model), *word, *wrong;
	char path[PATH_MAX];
	struct verdict v;
	double start;
	bool decided;
	int status;

	if (unfit)
		return fail(STATUS_USAGE, "algorithm %s cannot check '%s' under %s: %s", c->name,
			    in->path, names_model[in->model], unfit);
	if (!j->asked && !checker_fits(c, &in->x))
		return too_many_threads(j, in, c);
	snprintf(path, sizeof(path), "%s", in->path);
	text_sanitize(path, sizeof(path));
	start = now();
	decided = c->check(&in->x, (enum engine_model)in->model, j->o->witness != 0, &v);
	start = now() - start;
	word = !decided ? "undecided" : v.consistent ? "consistent" : "inconsistent";
	if (!j->o->quiet || (decided && !v.consistent))
		printf("%s: %s with %s (%u events, %u threads, algorithm %s, %.3f s)\n", path, word,
		       names_model[in->model], in->x.n, in->x.k, c->name, start);
	if (decided && !v.consistent)
		check_print_refusal(&in->x, &v);
	if (decided && v.consistent && j->o->witness && v.rank) {
		wrong = verify_witness(&in->x, (enum engine_model)in->model, &v);
		if (wrong)
			return fail(STATUS_INTERNAL, "the witness for '%s' is none: %s", in->path,
				    wrong);
		check_print_witness(&in->x, &v);
	}
	if (j->results)
		add_json(j, in, c, &v, word, start);
	status = v.consistent ? STATUS_OK : STATUS_BUG;
	verdict_release(&v);
	return decided ? status
		       : fail(STATUS_INCONCLUSIVE, "'%s' is too large for algorithm %s", in->path,
			      c->name);
}

/* Before anything is checked, which may take hours. */
static int open_json(struct job *j)
{
	int fd = strcmp(j->o->result[RESULT_JSON], "-")
			 ? open(j->o->result[RESULT_JSON], O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
			 : -1;

	j->json = fd >= 0                                  ? fdopen(fd, "w")
		  : strcmp(j->o->result[RESULT_JSON], "-") ? NULL
							   : stdout;
	j->results = json_array();
	return j->json ? 0
		       : fail(STATUS_INTERNAL, "cannot write '%s': %s", j->o->result[RESULT_JSON],
			      strerror(errno));
}

static int write_json(const struct job *j)
{
	FILE *f = j->json;
	json_t *top = json_pack("{s:s,s:s,s:O}", "heddle", PACKAGE_VERSION, "command", "check",
				"results", j->results);
	int err = 0;

	if (f != stdout && ftruncate(fileno(f), 0) && errno != EINVAL) /* not a regular file */
		err = errno;
	if (!top || json_dumpf(top, f, JSON_INDENT(1) | JSON_ENSURE_ASCII) ||
	    putc('\n', f) == EOF || fflush(f))
		err = errno;
	if (f != stdout && fclose(f) && !err)
		err = errno;
	json_decref(top);
	return err ? fail(STATUS_INTERNAL, "cannot write '%s': %s", j->o->result[RESULT_JSON],
			  strerror(err))
		   : STATUS_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static const struct job *current; /* for exhausted() */

/* What an execution of some megabytes would need is more than a machine may have. */
static void exhausted(void)
{
	fail(STATUS_INCONCLUSIVE, "'%s' needs more memory than there is", current->path);
	fflush(stdout);
	if (current->results)
		write_json(current);
	_exit(STATUS_INCONCLUSIVE);
}

/* The memory of the machine or container, in bytes. */
static uint64_t memory(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), own;
	FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");

	if (f && fscanf(f, "%" SCNu64, &own) == 1 && own < bytes)
		bytes = own;
	if (f)
		fclose(f);
	return bytes;
}

/* Running out of memory shall be an answer, not the end of something else on the machine. */
static void limit_memory(const struct job *j)
{
	struct rlimit limit;
	uint64_t most = memory() / 4 * 3;

	current = j;
	offline_exhausted = exhausted;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur <= most)
		return;
	limit.rlim_cur = most;
#ifndef __SANITIZE_ADDRESS__ /* which reserves more than any machine has */
	setrlimit(RLIMIT_AS, &limit);
#endif
}

static int find_algorithm(struct job *j)
{
	char known[256] = "auto";
	size_t n = strlen(known);

	if (!j->o->algorithm || !strcmp(j->o->algorithm, "auto"))
		return STATUS_OK;
	j->asked = checker_find(j->o->algorithm);
	for (const struct checker *c = checkers; c->name && n < sizeof(known); c++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, ", %s", c->name);
	return j->asked ? STATUS_OK
			: fail(STATUS_USAGE, "--algorithm: unknown algorithm '%.64s'; accepted: %s",
			       j->o->algorithm, known);
}

/* Which of two exit statuses says more. */
static int worse(int a, int b)
{
	static const int weight[] = { [STATUS_BUG] = 1,
				      [STATUS_INCONCLUSIVE] = 2,
				      [STATUS_USAGE] = 3,
				      [STATUS_INTERNAL] = 4 };

	return weight[a] >= weight[b] ? a : b;
}

int cmd_check(int argc, char **argv)
{
	struct options o;
	struct job j = { .o = &o };
	int status, worst = STATUS_OK;

	if (!options_parse(&o, COMMAND_CHECK, argc, argv, &status))
		return status;
	if (!o.argc)
		return fail(STATUS_USAGE, "no file is named (see heddle check --help)");
	status = find_algorithm(&j);
	if (status)
		return status;
	status = o.result[RESULT_JSON] ? open_json(&j) : STATUS_OK;
	if (status)
		return status;
	limit_memory(&j);
	for (int i = 0; i < o.argc; i++) {
		struct input in = { .path = o.argv[i] };

		j.path = in.path;
		status = read_input(&j, &in) ? judge(&j, &in) : STATUS_USAGE;
		worst = worse(worst, status);
		execution_release(&in.x);
	}
	fflush(stdout);
	if (ferror(stdout))
		worst = worse(worst, fail(STATUS_INTERNAL, "cannot write to standard output"));
	if (o.result[RESULT_JSON])
		worst = worse(worst, write_json(&j));
	json_decref(j.results);
	return worst;
}

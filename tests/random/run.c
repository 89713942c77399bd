/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.c - see run.h
 */
#include "random/run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	HANGS_S = 120 /* after this a command is killed */
};

static void file_name(const struct workshop *w, const char *name, const char *ending, char *to,
		      size_t size)
{
	snprintf(to, size, "%s/%s%s", w->folder, name, ending);
}

bool workshop_init(struct workshop *w, const char *bindir)
{
	const char *tmp = getenv("TMPDIR");

	w->bindir = bindir;
	snprintf(w->folder, sizeof(w->folder), "%s/heddle-random-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(w->folder);
}

/* Processor time of the command that ran last, and of all its processes. */
static double seconds;

/* Runs a command with its output in a file; its exit status, 128 + the signal, or -1. */
static int run(const struct workshop *w, const char *const *argv)
{
	struct rusage used;
	char log[300];
	int status;
	pid_t pid;

	file_name(w, "log", "", log, sizeof(log));
	pid = fork();
	if (!pid) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(fd, 1);
		dup2(fd, 2);
		close(fd);
		alarm(HANGS_S);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return -1;
	seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		  (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void workshop_release(struct workshop *w)
{
	run(w, (const char *const[]){ "/bin/rm", "-rf", w->folder, NULL });
	w->folder[0] = 0;
}

bool build_programs(const struct workshop *w, const struct program *p, int n,
		    const struct build *build, const char *name)
{
	char source[300], binary[300], cc[300], level[8];
	FILE *f;

	file_name(w, name, ".c", source, sizeof(source));
	file_name(w, name, "", binary, sizeof(binary));
	snprintf(cc, sizeof(cc), "%s/heddle-cc", w->bindir);
	snprintf(level, sizeof(level), "-O%d", build->level);
	f = fopen(source, "w");
	if (!f)
		return false;
	print_head(f);
	for (int i = 0; i < n; i++)
		print_program(f, &p[i], i);
	print_main(f, n);
	if (fclose(f))
		return false;
	setenv("HEDDLE_CC", build->cc, 1);
	return !run(w, (const char *const[]){ cc, level, "-w", "-pthread", "-o", binary, source,
					      NULL });
}

/* A whole file, or NULL; longer ones are cut. */
static char *read_file(const char *name)
{
	enum {
		LONGEST = 1 << 20
	};
	FILE *f = fopen(name, "r");
	char *text;

	if (!f)
		return NULL;
	text = calloc(1, LONGEST + 1);
	if (text && !fread(text, 1, LONGEST, f))
		*text = 0;
	fclose(f);
	return text;
}

static void read_states(struct outcomes *o, const char *name)
{
	FILE *f = fopen(name, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	outcomes_init(o);
	while (f && (n = getline(&line, &size, f)) > 0) {
		line[n - 1] = 0;
		outcomes_add(o, line);
		if (o->n == 1 << 16)
			outcomes_sort(o);
	}
	if (f)
		fclose(f);
	free(line);
	outcomes_sort(o);
}

/* What the bugs are that the report names. */
static void read_bugs(struct result *r, const char *json)
{
	static const char key[] = "\"kind\":\"";

	for (const char *at = strstr(json, key); at; at = strstr(at, key)) {
		at += sizeof(key) - 1;
		if (!strncmp(at, "deadlock\"", 9)) {
			r->stuck |= STUCK_LOCK;
		} else if (!strncmp(at, "await-stuck\"", 12)) {
			r->stuck |= STUCK_SPIN;
		} else if (!strncmp(at, "data-race\"", 10)) {
			r->race = true;
		} else {
			r->verdict = VERDICT_WRONG;
			snprintf(r->what, sizeof(r->what), "%.*s", (int)strcspn(at, "\""), at);
		}
	}
}

/* heddle's own words why it is not sure; where it has none, its verdict. */
static void read_reason(struct result *r, const char *json, const char *log)
{
	static const char key[] = "\"reason\":\"";
	const char *reason = json ? strstr(json, key) : NULL, *last = log ? log : "";

	for (const char *end; (end = strchr(last, '\n')) && end[1];)
		last = end + 1;
	if (reason)
		reason += sizeof(key) - 1;
	snprintf(r->what, sizeof(r->what), "%.*s", (int)strcspn(reason ? reason : last, "\"\n"),
		 reason ? reason : last);
}

static void judge(struct result *r, const char *json, const char *log)
{
	const char *executions = json ? strstr(json, "\"executions\":") : NULL;

	if (executions)
		r->executions = atol(executions + 13);
	r->verdict = r->status == 0   ? VERDICT_OK
		     : r->status == 1 ? VERDICT_BUG
		     : r->status == 3 ? VERDICT_INCONCLUSIVE
				      : VERDICT_WRONG;
	if (json && r->status == 1)
		read_bugs(r, json);
	/* Behind a race the rest may be anything. */
	if (json && r->status == 1 && !r->race && strstr(json, "\"reason\""))
		r->verdict = VERDICT_INCONCLUSIVE;
	if (r->verdict == VERDICT_INCONCLUSIVE)
		read_reason(r, json, log);
	/* These programs do the same each time: an execution that does not come back is heddle's fault. */
	if (!strncmp(r->what, "recorded: ", 10))
		r->verdict = VERDICT_WRONG;
	r->waits_unknown = log && strstr(log, "note: it is not known whether threads");
	/* Nothing is known where the machine had no room for another process. */
	if (r->status < 0 || r->status == 127 ||
	    (r->status >= 4 && log &&
	     (strstr(log, "raise the limit") || strstr(log, "unavailable")))) {
		r->verdict = VERDICT_INCONCLUSIVE;
		snprintf(r->what, sizeof(r->what), "no room for a process");
	} else if (r->status > 3) {
		snprintf(r->what, sizeof(r->what), "status %d: %.80s", r->status, log ? log : "");
	}
	for (char *c = r->what; *c; c++)
		if (*c == '\n')
			*c = ' ';
}

void run_program(const struct workshop *w, const char *name, int number, const struct config *c,
		 struct result *r)
{
	char heddle[300], binary[300], json[300], out[300], log[300], traces[300], text[64];
	char model[32], equivalence[40], backend[40], jobs[40], timeout[40];
	const char *argv[20];
	char *report, *said;
	int n = 0;

	memset(r, 0, sizeof(*r));
	snprintf(heddle, sizeof(heddle), "%s/heddle", w->bindir);
	file_name(w, name, "", binary, sizeof(binary));
	file_name(w, "json", "", json, sizeof(json));
	file_name(w, "out", "", out, sizeof(out));
	file_name(w, "log", "", log, sizeof(log));
	file_name(w, "traces", "", traces, sizeof(traces));
	snprintf(model, sizeof(model), "--model=%s", model_names[c->model]);
	snprintf(equivalence, sizeof(equivalence), "--equivalence=%s", c->equivalence);
	snprintf(backend, sizeof(backend), "--backend=%s", c->backend);
	snprintf(jobs, sizeof(jobs), "--jobs=%d", c->jobs);
	snprintf(timeout, sizeof(timeout), "--timeout=%g", c->timeout_s);
	snprintf(text, sizeof(text), "%d", number);
	argv[n++] = heddle;
	argv[n++] = c->test ? "test" : "explore";
	argv[n++] = model;
	if (!c->test)
		argv[n++] = equivalence;
	argv[n++] = backend;
	argv[n++] = jobs;
	argv[n++] = timeout;
	argv[n++] = "-k";
	if (c->test) {
		argv[n++] = "-n100";
		argv[n++] = "-s1";
	}
	argv[n++] = "--json";
	argv[n++] = json;
	argv[n++] = "-o";
	argv[n++] = traces;
	argv[n++] = "--";
	argv[n++] = binary;
	argv[n++] = text;
	argv[n] = NULL;
	unlink(json);
	unlink(out);
	setenv("EXOUT", out, 1);
	r->status = run(w, argv);
	r->seconds = seconds;
	report = read_file(json);
	said = read_file(log);
	judge(r, report, said);
	r->by_values = !c->test && !strcmp(c->equivalence, "value") && said &&
		       !strstr(said, "note: explored by reads-from");
	read_states(&r->states, out);
	free(report);
	free(said);
}

void result_release(struct result *r)
{
	outcomes_release(&r->states);
}

static const char *stuck_name(int stuck)
{
	static const char *const names[] = { "nothing stuck", "deadlock", "await-stuck",
					     "deadlock and await-stuck" };

	return names[stuck & 3];
}

bool result_waits_unknown(const struct result *r, const struct outcomes *oracle)
{
	return r->waits_unknown && !r->stuck && oracle->stuck == STUCK_SPIN;
}

static const char *differs_from(const struct result *r, const struct outcomes *oracle, bool all,
				char *text, size_t size)
{
	const char *extra = oracle->race ? NULL : outcomes_missing(&r->states, oracle);
	const char *lost = all ? outcomes_missing(oracle, &r->states) : NULL;

	if (r->verdict == VERDICT_WRONG)
		snprintf(text, size, "reports %s", r->what);
	else if (r->race && !oracle->race && !oracle->partial)
		snprintf(text, size, "race where there is none");
	else if (oracle->race && all && !r->race && r->verdict != VERDICT_INCONCLUSIVE)
		snprintf(text, size, "misses the race");
	else if (oracle->race)
		return NULL;
	else if (extra && !oracle->partial)
		snprintf(text, size, "invents: %s", extra);
	else if (r->verdict == VERDICT_INCONCLUSIVE)
		return NULL;
	else if (lost)
		snprintf(text, size, "loses: %s", lost);
	else if ((r->stuck && !oracle->stuck && !oracle->partial) ||
		 (all && oracle->stuck && !r->stuck && !result_waits_unknown(r, oracle)))
		snprintf(text, size, "says %s where there is %s", stuck_name(r->stuck),
			 stuck_name(oracle->stuck));
	else
		return NULL;
	return text;
}

const char *result_differs(struct result *r, const struct program *p, enum model model,
			   const struct outcomes *oracle, bool all, char *text, size_t size)
{
	const char *what = differs_from(r, oracle, all, text, size);
	struct program as_graph;
	struct outcomes graphs;
	bool decided = false;

	if (!what || !views_may_miss(p, model))
		return what;
	as_graph = *p;
	as_graph.as_graph = true;
	if (oracle_knows(&as_graph, model)) {
		oracle_run(&graphs, &as_graph, model, 500000);
		decided = !graphs.too_large;
		if (decided)
			what = differs_from(r, &graphs, all, text, size);
		outcomes_release(&graphs);
	}
	if (decided)
		return what;
	graphs = *oracle;
	graphs.partial = true;
	graphs.stuck = r->stuck;
	what = differs_from(r, &graphs, all, text, size);
	r->undecided = !what;
	return what;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump.c - every execution of an exploration as a file for heddle check
 *
 * The runtime puts the steps of each execution that ended into the shared mapping (preload/loop/dump.c)
 * and goes on; they are taken out here while it runs, turned into events by the code that does
 * so for traces (check_trace.c), and written in the line format of heddle-formats(5), one file for
 * each execution, named by its number and how it ended.
 *
 * Like everything in the mapping, the steps may have been written over by the program: they are
 * checked before they are used. What cannot be written ends the exploration, so that the folder
 * never lacks an execution without a word.
 *
 * Cost: some ten microseconds an execution, most of it for the file. Names of variables are
 * looked up once each.
 */
#include "config.h"

#include "controller/report/dump.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/table.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/output.h"
#include "controller/base/status.h"
#include "controller/describe/describe.h"
#include "controller/run/collect.h"
#include "controller/run/supervise.h"
#include "controller/trace/check_trace.h"

enum {
	KNOWN_LEAST = 6 /* bits of a table of names */
};

/* The name of a variable, looked up before. */
struct known {
	uint32_t module;
	uint64_t offset;
	char *name; /* "": it has none that can stand in the file; NULL: a free slot */
};

struct dumper {
	const char *dir, *model, *equivalence;
	uint64_t n, kept; /* kept: the first ones, of processes explored before */
	uint64_t missing;
	int status;
	bool ready; /* modules and scene are known */
	struct loaded_list modules;
	struct scene scene;
	struct trace_symbols symbols, names;
	struct known *known; /* base/table.h */
	uint32_t nknown, known_bits;
};

static const char suffix[] = ".ex";
static const double slice_s = 0.02; /* signals are waiting meanwhile */

/* ---- The folder -------------------------------------------------------------------------------- */

static bool is_execution(const char *name)
{
	size_t n = strlen(name), k = sizeof(suffix) - 1;

	return n > k && !strcmp(name + n - k, suffix);
}

/* 0, or an exit status after a message. */
static int make_folder(const char *dir)
{
	struct dirent *entry;
	bool found = false;
	DIR *d;

	if ((mkdir(dir, 0777) && errno != EEXIST) || !(d = opendir(dir)))
		return fail(STATUS_INTERNAL, "--dump-executions: cannot make the folder '%s': %s",
			    dir, strerror(errno));
	while (!found && (entry = readdir(d)))
		found = is_execution(entry->d_name);
	closedir(d);
	if (found)
		return fail(STATUS_USAGE,
			    "--dump-executions: executions lie in '%s' already; name another "
			    "folder, or empty it",
			    dir);
	if (access(dir, W_OK | X_OK))
		return fail(STATUS_INTERNAL, "--dump-executions: cannot write into '%s': %s", dir,
			    strerror(errno));
	return STATUS_OK;
}

void dump_forget(struct dumper *d)
{
	DIR *dir = opendir(d->dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (is_execution(entry->d_name) && strtoull(entry->d_name, NULL, 10) > d->kept)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	d->n = d->kept;
}

struct dumper *dump_new(const char *dir, const char *model, const char *equivalence, int *status)
{
	struct dumper *d;

	*status = make_folder(dir);
	if (*status)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d) {
		*status = fail(STATUS_INTERNAL, "out of memory");
		return NULL;
	}
	d->dir = dir;
	d->model = model;
	d->equivalence = equivalence;
	return d;
}

/* The process and its names. */
static void leave_process(struct dumper *d)
{
	if (d->ready)
		scene_release(&d->scene);
	loaded_release(&d->modules);
	for (uint64_t i = 0; i < table_slots(d->known_bits); i++)
		free(d->known[i].name);
	free(d->known);
	d->known = NULL;
	d->nknown = d->known_bits = 0;
	d->ready = false;
}

void dump_process(struct dumper *d)
{
	leave_process(d);
	d->kept = d->n;
}

void dump_free(struct dumper *d)
{
	if (!d)
		return;
	leave_process(d);
	free(d);
}

uint64_t dump_count(const struct dumper *d)
{
	return d->n;
}

int dump_status(const struct dumper *d)
{
	return d->status;
}

/* ---- Names of locations -------------------------------------------------------------------------- */

static struct known *slot_of(struct dumper *d, uint32_t module, uint64_t offset)
{
	uint64_t hash = table_mix(table_mix(0, module), offset);
	struct known *k;

	TABLE_FIND(k, d->known, d->known_bits, hash,
		   !k->name || (k->module == module && k->offset == offset));
	return k;
}

static bool widen(struct dumper *d)
{
	uint32_t bits = table_wider(d->known_bits, KNOWN_LEAST);
	struct known *old = d->known, *wider = calloc(table_slots(bits), sizeof(*wider));
	uint64_t n = table_slots(d->known_bits);

	if (!wider)
		return false;
	d->known = wider;
	d->known_bits = bits;
	for (uint64_t i = 0; i < n; i++) {
		if (old[i].name)
			*slot_of(d, old[i].module, old[i].offset) = old[i];
	}
	free(old);
	return true;
}

/* A word that the line format takes, with "12:" before it. */
static bool is_word(const char *name)
{
	for (const char *p = name; *p; p++) {
		if ((unsigned char)*p <= 32 || p - name > EX_MAX_NAME - 12)
			return false;
	}
	return true;
}

static bool known_name(void *ctx, uint32_t module, uint64_t offset, char *out, size_t size)
{
	struct dumper *d = ctx;
	struct known *k;

	if (table_full(d->nknown, d->known_bits) && !widen(d))
		return false;
	k = slot_of(d, module, offset);
	if (!k->name) {
		bool found = d->symbols.name(d->symbols.ctx, module, offset, out, size);

		*k = (struct known){ module, offset, strdup(found && is_word(out) ? out : "") };
		d->nknown += k->name != NULL;
	}
	if (!k->name || !k->name[0])
		return false;
	snprintf(out, size, "%s", k->name);
	return true;
}

/* ---- One execution --------------------------------------------------------------------------------- */

static void write_event(FILE *f, const struct execution *x, uint32_t e)
{
	static const char *const orders[] = { "na", "rlx", "acq", "rel", "acq_rel", "sc" };
	unsigned kind = x->kind[e] & (EX_RMW | EX_FENCE);
	const char *order = x->kind[e] & EX_SYNC ? "sync" : orders[x->order[e]];
	uint32_t source;

	if (kind == EX_FENCE) {
		fprintf(f, "f %s\n", order);
		return;
	}
	fprintf(f, "%c %s %s",
		kind == EX_RMW    ? 'u'
		: kind == EX_READ ? 'r'
				  : 'w',
		x->name[x->loc[e]], order);
	if (kind & EX_READ) {
		source = x->rf[e];
		if (source < x->n)
			fprintf(f, " %u.%u", x->tid[source], execution_index(x, source));
		else
			fputs(" init", f);
	}
	fputc('\n', f);
}

static const char *ending_name(uint32_t ending)
{
	switch (ending) {
	case END_COMPLETE:
		return "complete";
	case END_BLOCKED:
		return "blocked";
	case END_LIMIT:
		return "cut";
	default:
		return "bug";
	}
}

static void write_execution(FILE *f, const struct dumper *d, const struct execution *x,
			    uint32_t ending)
{
	fprintf(f, "heddle-execution 1\n# execution %llu, %s; model %s, equivalence %s\n",
		(unsigned long long)d->n, ending_name(ending), d->model, d->equivalence);
	for (uint32_t e = 0; e < x->n; e++) {
		if (!e || x->tid[e] != x->tid[e - 1])
			fprintf(f, "thread %u\n", x->tid[e]);
		write_event(f, x, e);
	}
}

static int store(const struct dumper *d, const struct execution *x, uint32_t ending, char *path,
		 size_t path_size)
{
	char *text = NULL, mark[16] = "";
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int err;

	if (ending != END_COMPLETE)
		snprintf(mark, sizeof(mark), ".%s", ending_name(ending));
	if ((size_t)snprintf(path, path_size, "%s/%06llu%s%s", d->dir, (unsigned long long)d->n,
			     mark, suffix) >= path_size) {
		if (f)
			fclose(f);
		free(text);
		return -ENAMETOOLONG;
	}
	if (!f)
		return -errno;
	write_execution(f, d, x, ending);
	err = fclose(f) ? -ENOMEM : output_new(path, text, size);
	free(text);
	return err;
}

/* ---- All of them ------------------------------------------------------------------------------------ */

static bool give_up(struct dumper *d, const char *why)
{
	d->status = fail(STATUS_INTERNAL, "--dump-executions: execution %llu cannot be written: %s",
			 (unsigned long long)d->n, why);
	return false;
}

static bool prepare(struct dumper *d, struct shared *s)
{
	if (d->ready)
		return true;
	if (!collect_modules(s, &d->modules) || !scene_init(&d->scene, &d->modules)) {
		d->status = fail(STATUS_INTERNAL, "out of memory");
		return false;
	}
	d->symbols = scene_trace_symbols(&d->scene);
	d->names = (struct trace_symbols){ known_name, d->symbols.offset, d };
	d->ready = true;
	return true;
}

static bool convert(struct dumper *d, struct shared *s, const struct dump *from,
		    struct execution *x)
{
	struct step *steps = NULL;
	char why[600];
	size_t n = 0;
	bool ok;

	memset(x, 0, sizeof(*x));
	if (from->too_long)
		return give_up(d, "it is too long");
	if (from->at > SHARED_DUMP_STEPS || from->steps > SHARED_DUMP_STEPS - from->at)
		return give_up(d, "the program wrote over memory of heddle");
	n = collect_records(&s->dump_steps[from->at], &s->dump_places[from->at], from->steps,
			    &d->modules, &steps);
	ok = check_steps(x, steps, n, &d->names, NULL, why, sizeof(why));
	free(steps);
	return ok || give_up(d, why);
}

static bool take_one(struct dumper *d, struct shared *s, const struct dump *from)
{
	struct execution x;
	char path[PATH_MAX];
	bool ok;
	int err;

	d->n++;
	ok = convert(d, s, from, &x);
	if (ok) {
		err = store(d, &x, from->ending, path, sizeof(path));
		if (err) {
			d->status = fail(STATUS_INTERNAL, "cannot write '%s': %s", path,
					 strerror(-err));
			ok = false;
		}
	}
	execution_release(&x);
	if (!ok)
		d->n--;
	return ok;
}

uint64_t dump_waiting(const struct shared *s)
{
	uint64_t n = atomic_load_explicit(&s->dumps_put, memory_order_relaxed) -
		     atomic_load_explicit(&s->dumps_taken, memory_order_relaxed);

	return n > SHARED_DUMPS ? 0 : n;
}

void dump_left(struct dumper *d, const struct shared *s)
{
	/* relaxed: whoever ran the program is gone */
	d->missing +=
		dump_waiting(s) + atomic_load_explicit(&s->dumps_dropped, memory_order_relaxed);
}

uint64_t dump_missing(const struct dumper *d)
{
	return d->missing;
}

bool dump_take(struct dumper *d, struct shared *s)
{
	double until = now_s() + slice_s;
	/* acquire: partner is the runtime's release after each execution */
	uint64_t put = atomic_load_explicit(&s->dumps_put, memory_order_acquire);
	uint64_t taken = atomic_load_explicit(&s->dumps_taken, memory_order_relaxed); /* ours */

	if (d->status)
		return false;
	if (taken == put || put - taken > SHARED_DUMPS)
		return true;
	if (!prepare(d, s))
		return false;
	for (; taken != put && now_s() < until; taken++) {
		struct dump from = s->dumps[taken % SHARED_DUMPS];

		if (from.ending == (uint32_t)DUMP_FORGET)
			dump_forget(d);
		else if (!take_one(d, s, &from))
			return false;
		/* release: partner is the runtime, which may overwrite the steps now */
		atomic_store_explicit(&s->dumps_taken, taken + 1, memory_order_release);
	}
	return true;
}

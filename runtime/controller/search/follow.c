/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.c - the folder of programs that are started, and what a run is told of it
 *
 * A run that is repeated (another worker, a child, a replay) starts its programs again. They are explored in
 * the first one only.
 */
#include "config.h"

#include "controller/search/follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/locate.h"
#include "controller/base/message.h"
#include "controller/base/output.h"
#include "controller/base/status.h"
#include "controller/options/options.h"
#include "wire/follow.h"

void follow_path(const struct follow *f, const char *name, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, f->folder, name) >= PATH_MAX)
		path[0] = 0;
}

/* ---- The folder ------------------------------------------------------------------------------- */

/* The command, the folder we are in, HEDDLE_OPTIONS, who reads our messages, and the options. */
static char *options_text(const struct session *s, size_t *size)
{
	const char *environment = getenv("HEDDLE_OPTIONS");
	char *text = NULL, here[PATH_MAX] = "";
	FILE *m = open_memstream(&text, size);
	struct stat st = { 0 };

	if (!m)
		return NULL;
	if (!getcwd(here, sizeof(here)))
		here[0] = 0;
	fstat(2, &st);
	fprintf(m, "%s%c%s%c%s%c", command_names[s->options->command], 0, here, 0,
		environment ? environment : "", 0);
	fprintf(m, "%llu:%llu%c", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino, 0);
	for (int i = 0; i < s->options->nwords; i++)
		fprintf(m, "%s%c", s->options->words[i], 0);
	if (s->options->command == COMMAND_TEST) /* the one that is printed */
		fprintf(m, "--seed=%llu%c", (unsigned long long)s->seed, 0);
	return fclose(m) ? NULL : text;
}

static int fill_folder(const struct session *s, const struct follow *f)
{
	char heddle[PATH_MAX], path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", heddle, sizeof(heddle) - 1);
	size_t size = 0;
	char *text;
	int err, fd;

	if (n < 0)
		return -errno;
	heddle[n] = 0;
	follow_path(f, FOLLOW_HEDDLE, path);
	if (symlink(heddle, path))
		return -errno;
	follow_path(f, FOLLOW_WANTED, path);
	if (symlink(s->options->follow, path))
		return -errno;
	text = options_text(s, &size);
	if (!text)
		return -ENOMEM;
	follow_path(f, FOLLOW_OPTIONS, path);
	err = output_new(path, text, size);
	free(text);
	follow_path(f, FOLLOW_LOG, path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	close(fd);
	return err;
}

static void be_in(struct follow *f, const char *folder, unsigned n)
{
	f->number = n;
	snprintf(f->folder, sizeof(f->folder), "%s", folder);
	snprintf(f->session, sizeof(f->session), "%s:%u", folder, n);
}

/* Of temporary files, wherever these may be. */
static bool make_folder(char folder[PATH_MAX])
{
	const char *const above[] = { getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm" };

	for (size_t i = 0; i < sizeof(above) / sizeof(above[0]); i++) {
		/* What is in the environment is divided by colons. */
		if (!above[i] || *above[i] != '/' || strpbrk(above[i], ": "))
			continue;
		snprintf(folder, PATH_MAX, "%.*s/heddle-XXXXXX", PATH_MAX - 64, above[i]);
		if (mkdtemp(folder))
			return true;
	}
	return false;
}

static void remove_folder(const char *folder)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir(folder);

	while (d && (e = readdir(d)))
		if (snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) < PATH_MAX)
			unlink(path); /* not the two folders */
	if (d)
		closedir(d);
	rmdir(folder);
}

int follow_begin(struct session *s)
{
	if (!s->follow)
		s->follow = calloc(1, sizeof(*s->follow));
	return s->follow ? 0 : fail(STATUS_INTERNAL, "out of memory");
}

int follow_join(struct session *s, const char *folder, unsigned n)
{
	int status = follow_begin(s);

	if (!status)
		be_in(s->follow, folder, n);
	return status;
}

bool follow_ready(const struct session *s)
{
	struct follow *f = s->follow;
	char folder[PATH_MAX];

	if (f->folder[0] || f->failed)
		return !f->failed;
	f->failed = !make_folder(folder);
	if (f->failed)
		return false;
	be_in(f, folder, 0);
	f->failed = fill_folder(s, f) != 0;
	if (!f->failed)
		return true;
	remove_folder(folder);
	f->folder[0] = 0;
	return false;
}

void follow_release(struct session *s)
{
	if (s->follow && !s->follow->number && s->follow->folder[0])
		remove_folder(s->follow->folder);
	free(s->follow);
	s->follow = NULL;
}

/* ---- Runs --------------------------------------------------------------------------------------- */

void follow_tell(const struct session *s, struct run *run, bool first)
{
	struct starts *starts = &run->shared->children.starts;

	if (!s->follow || s->follow->over || s->child)
		return;
	/* Other workers of a tool are not to start anything either. */
	if (s->program.built == BUILT_PLAIN && !s->follow->number) {
		starts->how = STARTS_LEAVE;
		return;
	}
	if (first)
		starts->how = STARTS_FOLLOWED;
}

void follow_answer(void *ctx, struct run *run)
{
	const struct session *s = ctx;
	struct starts *starts = &run->shared->children.starts;
	char library[PATH_MAX];
	bool ok;

	/* relaxed: one side writes, and the other one looks again */
	if (!atomic_load_explicit(&starts->asked, memory_order_relaxed) ||
	    atomic_load_explicit(&starts->answer, memory_order_relaxed))
		return;
	ok = follow_ready(s) && !locate_library(FOLLOW_LIBRARY, library, sizeof(library)) &&
	     strlen(library) < sizeof(starts->library) &&
	     strlen(s->follow->session) < sizeof(starts->session);
	if (ok) {
		strcpy(starts->library, library);
		strcpy(starts->session, s->follow->session);
	}
	s->follow->failed = !ok;
	atomic_store_explicit(&starts->answer, ok ? STARTS_SESSION : STARTS_NOWHERE,
			      memory_order_release);
}

static bool read_log(const struct session *s, struct follow_log *log)
{
	char path[PATH_MAX];

	memset(log, 0, sizeof(*log));
	if (!s->follow->folder[0])
		return true;
	follow_path(s->follow, FOLLOW_LOG, path);
	return follow_log_read(path, log);
}

bool follow_busy(void *ctx)
{
	const struct session *s = ctx;
	size_t open = 0;
	struct follow_log log;

	if (!s->follow || !read_log(s, &log))
		return false;
	for (size_t i = 0; i < log.n; i++) {
		if (log.at[i].from != s->follow->number)
			continue;
		open += log.at[i].verb == FOLLOW_BEGUN;
		open -= log.at[i].verb == FOLLOW_ENDED && open;
	}
	follow_log_release(&log);
	return open > 0;
}

bool follow_top_alone(const struct session *s)
{
	bool threads = false, explored = false;
	struct follow_log log;

	if (!read_log(s, &log))
		return false;
	for (size_t i = 0; i < log.n; i++) {
		threads |= log.at[i].verb == FOLLOW_THREADS && log.at[i].pid == s->follow->top;
		explored |= log.at[i].verb == FOLLOW_BEGUN;
	}
	follow_log_release(&log);
	return threads && !explored && s->search.end == RUN_OVER;
}

/* The end of a program; NULL: it did not come to that. */
static const struct follow_record *end_of(const struct follow_log *log, unsigned number)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->at[i].verb == FOLLOW_ENDED && log->at[i].number == number)
			return &log->at[i];
	return NULL;
}

/* Was it told another status than the program's own? */
static bool explains(const struct follow_record *end)
{
	int status, expected, told, interrupted;

	return !end ||
	       sscanf(end->text, FOLLOW_END, &status, &expected, &told, &interrupted) != 4 ||
	       (status == STATUS_BUG && !expected) || interrupted;
}

bool follow_explains(const struct session *s)
{
	struct follow_log log;
	bool found = false;

	if (!s->follow || !read_log(s, &log))
		return false;
	for (size_t i = 0; i < log.n; i++)
		found |= log.at[i].from == s->follow->number && log.at[i].verb == FOLLOW_BEGUN &&
			 explains(end_of(&log, log.at[i].number));
	follow_log_release(&log);
	return found;
}

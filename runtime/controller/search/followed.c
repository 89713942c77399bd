/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * followed.c - a program is explored where another one starts it
 *
 * The process was to run the program: runtime/follow/arrive.c made it heddle. Whoever started it waits for
 * what the program does. So when no bug is found the process becomes the program after all, which writes what it
 * writes and exits as it does; nothing of heddle is seen. With a bug the report goes to standard error,
 * where it is with what the test has written, and the status is not 0.
 *
 * What was found goes to the folder of the heddle that the user has called (wire/follow.h).
 *
 * A program that exits with the same status N in all executions may do so to be skipped, or since it is to
 * fail. Whether that is a bug is known when all is over (follow_settle.c); whoever started it sees N.
 */
#include "config.h"

#include "controller/search/followed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/content.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/output.h"
#include "controller/base/quote.h"
#include "controller/base/status.h"
#include "controller/base/terminal.h"
#include "controller/run/supervise.h"
#include "controller/search/become.h"
#include "controller/search/follow.h"
#include "wire/follow.h"

enum {
	MOST_PROGRAMS = 1000000, /* in one session */
	NAME = 200,
	PIPE_MS = 1000 /* for whoever closes his end of a pipe a little later */
};

struct join {
	struct before before;
	int out; /* standard error, as it was */
	char folder[PATH_MAX];
	unsigned from, number;
	const char *file;
	char **argv; /* of the program */
	char label[NAME];
	char *here; /* the folder that we are in; NULL: it has no name */
	/* Of the file of options: */
	char *text;
	size_t size;
	const char *command, *above, *environment, *told;
	char **words;
	size_t nwords;
};

/* ---- The session ------------------------------------------------------------------------------ */

/* The next string of the file of options; "" at its end. */
static char *next(struct join *j, char **at)
{
	char *word = *at;

	if (word < j->text + j->size)
		*at += strlen(word) + 1;
	return word;
}

static bool read_options(struct join *j)
{
	char path[PATH_MAX], *at;
	size_t most = 1;

	if (snprintf(path, sizeof(path), "%.*s/" FOLLOW_OPTIONS, PATH_MAX - 64, j->folder) < 0)
		return false;
	j->text = at = content_of(path, &j->size);
	if (!j->text)
		return false;
	j->command = next(j, &at);
	j->above = next(j, &at);
	j->environment = next(j, &at);
	j->told = next(j, &at);
	for (const char *p = at; p < j->text + j->size; p++)
		most += !*p;
	j->words = calloc(most, sizeof(*j->words));
	while (j->words && at < j->text + j->size)
		j->words[j->nwords++] = next(j, &at);
	return j->words != NULL;
}

/* HEDDLE_FOLLOW, which the program is not to have. */
static bool read_session(struct join *j)
{
	const char *value = getenv(FOLLOW_ENV);
	const char *number = value ? strrchr(value, ':') : NULL;

	if (!number)
		return false;
	snprintf(j->folder, sizeof(j->folder), "%.*s", (int)(number - value), value);
	j->from = (unsigned)strtoul(number + 1, NULL, 10);
	unsetenv(FOLLOW_ENV);
	return read_options(j);
}

/* A file of that name that nobody else has made. */
static int claim(const struct join *j, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", j->folder, name) >= (int)sizeof(path))
		return -1;
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
}

/* The first number that is free; the descriptor of its text. */
static int take_number(struct join *j)
{
	char name[32];
	int fd = -1;

	while (fd < 0 && j->number++ < MOST_PROGRAMS) {
		snprintf(name, sizeof(name), "%u.text", j->number);
		fd = claim(j, name);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* A name for files that is the program's: t, and for the second one of that name t-2. */
static void take_label(struct join *j)
{
	const char *base = strrchr(j->file, '/');
	char file[NAME + 16];

	base = base ? base + 1 : j->file;
	if (!strncmp(base, "lt-", 3)) /* libtool's name for it */
		base += 3;
	for (int i = 1, fd = -1; fd < 0; i++) {
		if (i == 1)
			snprintf(j->label, sizeof(j->label), "%.100s", base);
		else
			snprintf(j->label, sizeof(j->label), "%.100s-%d", base, i);
		snprintf(file, sizeof(file), "taken.%s", j->label);
		fd = claim(j, file);
		if (fd < 0 && (errno != EEXIST || i > MOST_PROGRAMS))
			return;
		if (fd >= 0)
			close(fd);
	}
}

/* As one would type it in the folder where heddle was called. */
static void name_of_program(const struct join *j, char *name, size_t size)
{
	size_t n = strlen(j->above);
	const char *file = j->file;
	char command[NAME] = "";

	if (n && !strncmp(file, j->above, n) && file[n] == '/')
		file += n + 1;
	quote_word(command, sizeof(command), file);
	for (size_t i = 1; j->argv[0] && j->argv[i]; i++)
		quote_word(command, sizeof(command), j->argv[i]);
	snprintf(name, size, "%s", command);
}

static void tell(const struct join *j, enum follow_verb verb, const char *text)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" FOLLOW_LOG, j->folder) < (int)sizeof(path))
		follow_log_add(path, verb, j->from, j->number, j->file, text);
}

/* ---- Standard input --------------------------------------------------------------------------- */

/* What a file holds from there on; its offset stays. */
static int copy(int from, off_t at, int to)
{
	char piece[4096];
	ssize_t n;

	while ((n = pread(from, piece, sizeof(piece), at)) > 0) {
		if (output_write(to, piece, (size_t)n))
			return -1;
		at += n;
	}
	return n < 0 ? -1 : 0;
}

/*
 * What each execution is to read, as the value of --stdin: of a file, what the program would find. A
 * terminal is empty, as it is for a program that the user names. NULL: nothing.
 */
static const char *input(int *kept)
{
	static char name[32];
	struct stat st;

	*kept = -1;
	if (fstat(0, &st) || !S_ISREG(st.st_mode))
		return NULL;
	*kept = memfd_create("heddle-stdin", MFD_CLOEXEC);
	if (*kept < 0 || copy(0, lseek(0, 0, SEEK_CUR), *kept) || lseek(*kept, 0, SEEK_SET))
		return NULL;
	snprintf(name, sizeof(name), "-");
	return name;
}

/*
 * What comes through a pipe can be read once, and may be for others, too (while read line; do ./t; done).
 * One that is at its end is an empty file.
 */
static bool reads_once(void)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	struct stat st;

	if (fstat(0, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	return poll(&p, 1, PIPE_MS) != 1 || p.revents & POLLIN || !(p.revents & POLLHUP);
}

/* ---- The search ------------------------------------------------------------------------------- */

static char *in_folder(const char *folder, const char *path, const char *label)
{
	bool absolute = *path == '/';
	char *out = NULL;

	if (asprintf(&out, "%s%s%s/%s", absolute ? "" : folder, absolute ? "" : "/", path, label) <
	    0)
		return NULL;
	return out;
}

/* The options that the user gave, with what is of this program alone. */
static bool make_options(struct join *j, struct options *o, int *status)
{
	int command = name_find(command_names, j->command), argc = 1, n;
	char **argv;
	size_t args = 0;

	while (j->argv[args])
		args++;
	argv = calloc(j->nwords + args + 3, sizeof(*argv));
	*status = STATUS_INTERNAL;
	if (!argv || command < 0)
		return false;
	argv[0] = (char *)j->command;
	for (size_t i = 0; i < j->nwords; i++)
		if (strcmp(j->words[i], "--") != 0)
			argv[argc++] = j->words[i];
	argv[argc++] = "--";
	for (size_t i = 0; i < args; i++)
		argv[argc++] = j->argv[i];
	if (!options_parse(o, (enum command)command, argc, argv, status))
		return false;
	o->skip_exitcode = 0; /* see above: whoever started it knows */
	o->output_given = false;
	o->output_dir = in_folder(j->above, o->output_dir, j->label);
	if (o->dump_dir && !(o->dump_dir = in_folder(j->above, o->dump_dir, j->label)))
		return false;
	if (o->suppressions && *o->suppressions != '/' &&
	    asprintf((char **)&o->suppressions, "%s/%s", j->above, o->suppressions) < 0)
		return false;
	n = asprintf((char **)&o->result[RESULT_JSON], "%s/%u.json", j->folder, j->number);
	o->result[RESULT_SARIF] = o->result[RESULT_JUNIT] =
		NULL; /* all is in the one that started it */
	o->progress = WHEN_NEVER;
	o->file = j->file;
	o->stdin_file = NULL;
	return n >= 0 && o->output_dir;
}

static int search(struct join *j, struct options *o, struct session *s, int expected, bool again)
{
	int status = session_prepare(s, o);

	if (!status)
		status = follow_join(s, j->folder, j->number);
	if (status)
		return status;
	s->expected = (uint64_t)expected;
	s->folder = j->here;
	s->called_in = j->above;
	s->follow->over = again;
	session_search(s, o->command == COMMAND_TEST ? ENGINE_ONLINE : ENGINE_EXPLORE);
	return s->status;
}

/* The status that is all that is wrong with it, or 0. */
static int exits_with(const struct session *s)
{
	int status = 0;

	if (s->nbugs != 1 || s->bugs[0].bug.kind != BUG_EXIT_CODE || s->bugs[0].child[0] ||
	    sscanf(s->bugs[0].bug.message, "the program exits with status %d", &status) != 1)
		return 0;
	return status;
}

/* Does it exit so in all executions? */
static bool always_exits_with(struct join *j, const struct options *given, int expected)
{
	struct options o = *given;
	struct session s;
	int status;

	o.dump_dir = NULL;
	if (asprintf((char **)&o.result[RESULT_JSON], "%s/%u" FOLLOW_AGAIN ".json", j->folder,
		     j->number) < 0)
		return false;
	o.quiet = 1;
	status = search(j, &o, &s, expected, true);
	session_release(&s);
	return status == STATUS_OK;
}

/* heddle's exit status for the program; *expected: see struct followed. */
static int explore(struct join *j, struct options *o, int *expected)
{
	struct session s;
	int status = search(j, o, &s, 0, false);
	int exits = status == STATUS_BUG ? exits_with(&s) : 0;

	session_release(&s);
	if (exits && always_exits_with(j, o, exits))
		*expected = exits;
	return status;
}

/* ---- Before and after --------------------------------------------------------------------------- */

/* The file that standard error is, as in the file of options. */
static bool is_told(const struct join *j)
{
	struct stat st = { 0 };
	char text[64];

	fstat(2, &st);
	snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	return !strcmp(text, j->told);
}

/* Somebody wanted the program to end: timeout(1), or a runner that has waited for long. */
static void die_of_signal(const struct join *j)
{
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &j->before.mask, NULL);
	raise(SIGTERM);
}

/* Explores the program with messages in `text`; what whoever started it is to see, or -1: the program. */
static int attend(struct join *j, int text)
{
	struct options o;
	int expected = 0, kept, in = fcntl(0, F_DUPFD_CLOEXEC, 3), status;
	char said[64];
	bool told;

	terminal_keep(STDERR_FILENO); /* where the first process prints it */
	dup2(text, STDERR_FILENO);
	if (make_options(j, &o, &status)) {
		o.stdin_file = input(&kept);
		if (o.stdin_file)
			dup2(kept, 0);
		if (reads_once())
			status = fail(STATUS_INCONCLUSIVE,
				      "its standard input is a pipe, which can be read once only: "
				      "give it a file");
		else
			status = explore(j, &o, &expected);
	}
	fflush(stderr);
	dup2(j->out, 2);
	if (in >= 0)
		dup2(in, 0);
	told = status == STATUS_BUG && !expected && is_told(j);
	if (status == STATUS_BUG && !expected)
		copy(text, 0, 2);
	snprintf(said, sizeof(said), FOLLOW_END, status, expected, told, was_interrupted());
	tell(j, FOLLOW_ENDED, said);
	return status == STATUS_BUG && !expected ? (int)o.error_exitcode : -1;
}

int followed_run(int argc, char **argv)
{
	struct join j = { .file = argc > 2 ? argv[1] : NULL, .argv = argv + 2 };
	char name[NAME];
	int text, status;

	if (!j.file || !read_session(&j))
		return fail(STATUS_USAGE, "'" FOLLOW_COMMAND "' is for programs that others start "
					  "under heddle (--follow)");
	before_note(&j.before);
	j.out = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (*j.environment)
		setenv("HEDDLE_OPTIONS", j.environment, 1);
	j.here = getcwd(NULL, 0);
	text = take_number(&j);
	if (text < 0)
		return fail(STATUS_INTERNAL, "cannot write to the folder '%s': %s", j.folder,
			    strerror(errno));
	take_label(&j);
	name_of_program(&j, name, sizeof(name));
	tell(&j, FOLLOW_BEGUN, name);
	status = attend(&j, text);
	if (was_interrupted())
		die_of_signal(&j);
	return status < 0 ? become(&j.before, j.file, j.argv) : status;
}

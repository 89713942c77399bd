/* SPDX-License-Identifier: BSD-2-Clause */
/* suite_list.c - which programs a suite has (suite.h) */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include "controller/base/content.h"
#include "controller/base/message.h"
#include "controller/base/quote.h"
#include "controller/base/status.h"
#include "controller/elf/elf.h"
#include "controller/search/suite.h"

enum {
	NAME = 400
};

static int out_of_memory(void)
{
	return fail(STATUS_INTERNAL, "out of memory");
}

/* t, or t-2 where another one has that already. */
static char *make_label(const struct suite *suite, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	char *label = NULL;

	for (unsigned i = 1; !label; i++) {
		if ((i == 1 ? asprintf(&label, "%.200s", base)
			    : asprintf(&label, "%.200s-%u", base, i)) < 0)
			return NULL;
		for (size_t k = 0; label && k < suite->n; k++) {
			if (!strcmp(suite->programs[k].label, label)) {
				free(label);
				label = NULL;
			}
		}
	}
	return label;
}

/* Words are copied. */
static bool add(struct suite *suite, char *const *words, size_t n)
{
	struct suite_program *grown = realloc(suite->programs, (suite->n + 1) * sizeof(*grown)), *p;
	char name[NAME] = "";

	if (!grown)
		return false;
	suite->programs = grown;
	p = &grown[suite->n];
	*p = (struct suite_program){ .argv = calloc(n + 1, sizeof(*p->argv)) };
	for (size_t i = 0; p->argv && i < n; i++) {
		p->argv[i] = strdup(words[i]);
		quote_word(name, sizeof(name), words[i]);
	}
	p->name = strdup(name);
	p->label = make_label(suite, words[0]);
	suite->n++;
	return p->argv && p->name && p->label && p->argv[n - 1];
}

void suite_release(struct suite *suite)
{
	for (size_t i = 0; i < suite->n; i++) {
		struct suite_program *p = &suite->programs[i];

		for (size_t k = 0; p->argv && p->argv[k]; k++)
			free(p->argv[k]);
		free(p->argv);
		free(p->name);
		free(p->label);
	}
	free(suite->programs);
	memset(suite, 0, sizeof(*suite));
}

/* ---- A folder ------------------------------------------------------------------------------------ */

/* Is that a program, and no script or data? */
static bool is_program(const char *path)
{
	struct program p;
	char why[ELF_REASON];
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK) &&
	       program_inspect(&p, path, why, sizeof(why)) && !p.script;
}

static int read_folder(struct suite *suite, const char *folder)
{
	const size_t before = suite->n, length = strlen(folder);
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort), status = 0;

	if (n < 0)
		return fail(STATUS_USAGE, "cannot read '%s': %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *between = length && folder[length - 1] == '/' ? "" : "/";
		/* Without a slash it would be looked for along PATH. */
		char *path = NULL;

		if (asprintf(&path, "%s%s%s", folder, between, names[i]->d_name) < 0)
			status = out_of_memory();
		else if (!status && is_program(path) && !add(suite, &path, 1))
			status = out_of_memory();
		free(path);
		free(names[i]);
	}
	free(names);
	if (!status && suite->n == before)
		return fail(STATUS_USAGE, "there is no program in the folder '%s'", folder);
	return status;
}

/* ---- A list -------------------------------------------------------------------------------------- */

/* One line of it; "" and what begins with # are none. */
static int read_line(struct suite *suite, const char *path, size_t line, const char *text)
{
	wordexp_t words;
	int err, status = 0;

	text += strspn(text, " \t\r");
	if (!*text || *text == '#')
		return 0;
	err = wordexp(text, &words, WRDE_NOCMD | WRDE_UNDEF);
	if (err == WRDE_NOSPACE)
		return out_of_memory();
	if (err || !words.we_wordc)
		return fail(STATUS_USAGE,
			    "%s:%zu: '%.100s' is not one command in words, quoted as for a shell%s",
			    path, line, text,
			    err == WRDE_BADVAL   ? ": a variable is not set"
			    : err == WRDE_CMDSUB ? ": it runs another one"
						 : "");
	if (!add(suite, words.we_wordv, words.we_wordc))
		status = out_of_memory();
	wordfree(&words);
	return status;
}

static int read_list(struct suite *suite, const char *path, char *text)
{
	const size_t before = suite->n;
	size_t line = 0;
	int status = 0;

	for (char *at = text, *end; at && !status; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = 0;
		status = read_line(suite, path, ++line, at);
	}
	if (!status && suite->n == before)
		return fail(STATUS_USAGE, "the list '%s' names no program", path);
	return status;
}

int suite_read(struct suite *suite, const char *path)
{
	bool standard = !strcmp(path, "-");
	struct stat st;
	size_t size;
	char *text;
	int status;

	if (!standard && !stat(path, &st) && S_ISDIR(st.st_mode))
		return read_folder(suite, path);
	text = standard ? content_read(0, &size) : content_of(path, &size);
	if (!text)
		return fail(STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
	if (strlen(text) != size)
		status = fail(
			STATUS_USAGE,
			"'%s' is no list of programs: name a folder, or a text file with a command in each line",
			path);
	else
		status = read_list(suite, path, text);
	free(text);
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_read.c - reads a trace file, trusting nothing in it
 *
 * First the whole: a last line with a checksum that fits, or the file is truncated or was
 * edited. Then line by line, each against its grammar (trace.h) and every number against its
 * bound, because a checksum is no proof of good will. Lines are split in place.
 *
 * Invariant: a trace that was read has at most SHARED_STEPS steps, threads below
 * HEDDLE_MAX_THREADS, modules that exist in its list, and steps that read from earlier steps
 * or from the initial write, so that nothing behind needs to check again.
 */
#include "config.h"

#include "controller/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/options/options.h"
#include "controller/trace/trace_parse.h"

enum {
	MAX_TRACE_SIZE = 1 << 30,
	CHECKSUM_DIGITS = 16
};

static bool wrong_file(struct trace_reader *r, const char *what)
{
	snprintf(r->error, sizeof(r->error), "%s: %s", r->path, what);
	text_sanitize(r->error, sizeof(r->error));
	return false;
}

/* ---- The whole file ----------------------------------------------------------------------- */

/* Where the last line begins, if it is one that ends a trace. */
static char *last_line(struct trace_reader *r)
{
	char *p = r->text + r->size;

	if (r->size < 2 || p[-1] != '\n')
		return NULL;
	for (p--; p > r->text && p[-1] != '\n'; p--)
		;
	return strncmp(p, "end ", 4) ? NULL : p;
}

static bool check_whole(struct trace_reader *r)
{
	static const char word[] = " checksum ";
	char *end = last_line(r);
	char digits[CHECKSUM_DIGITS + 2];
	char *sum;

	if (strncmp(r->text, "heddle-trace ", 13))
		return wrong_file(r, "is not a heddle trace");
	if (memchr(r->text, 0, r->size))
		return wrong_file(r, "is damaged: it holds a zero byte");
	sum = end ? strstr(end, word) : NULL;
	if (!sum)
		return wrong_file(r, "is truncated: its last line does not end a trace");
	sum += sizeof(word) - 1;
	snprintf(digits, sizeof(digits), "%016llx\n",
		 (unsigned long long)XXH3_64bits(r->text, (size_t)(sum - r->text)));
	if (strcmp(sum, digits))
		return wrong_file(r, "was changed: its checksum does not fit its content");
	return true;
}

static bool load(struct trace_reader *r)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t done = 0;
	struct stat st;

	if (fd < 0)
		return wrong_file(r, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_TRACE_SIZE) {
		close(fd);
		return wrong_file(r, st.st_size > MAX_TRACE_SIZE && S_ISREG(st.st_mode)
					     ? "is larger than any trace"
					     : "is not a regular file");
	}
	r->size = (size_t)st.st_size;
	r->text = calloc(1, r->size + 1);
	while (r->text && done < r->size) {
		ssize_t n = read(fd, r->text + done, r->size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	if (!r->text || done < r->size)
		return wrong_file(r, "cannot be read");
	return true;
}

/* ---- Header --------------------------------------------------------------------------------- */

static bool store_text(struct trace_reader *r, char **out, char *text)
{
	if (*out)
		return trace_wrong(r, "a line that may stand only once stands twice");
	if (!trace_unescape(text) || !*text)
		return trace_wrong(r, "an empty text, or one with a bad escape");
	*out = strdup(text);
	return *out || trace_wrong(r, "out of memory");
}

static bool add_argument(struct trace_reader *r, struct trace *t, char *text)
{
	char **grown;

	if (t->narguments >= TRACE_MAX_ARGUMENTS)
		return trace_wrong(r, "more arguments than a trace may have");
	if (!trace_unescape(text))
		return trace_wrong(r, "a bad escape");
	grown = realloc(t->arguments, (t->narguments + 2) * sizeof(*grown));
	if (!grown)
		return trace_wrong(r, "out of memory");
	t->arguments = grown;
	grown[t->narguments] = strdup(text);
	if (!grown[t->narguments])
		return trace_wrong(r, "out of memory");
	grown[++t->narguments] = NULL;
	return true;
}

static bool add_variable(struct trace_reader *r, struct trace *t, char *text)
{
	char *value;

	if (t->environment.n >= TRACE_MAX_VARIABLES)
		return trace_wrong(r, "more variables than a trace may have");
	if (!trace_unescape(text))
		return trace_wrong(r, "a bad escape");
	value = strchr(text, '=');
	if (value)
		*value++ = 0;
	if (!variable_name_ok(text, strlen(text)) || variables_find(&t->environment, text))
		return trace_wrong(r, "not a variable, or a second time");
	return variables_add(&t->environment, text, value) || trace_wrong(r, "out of memory");
}

static bool is_id(const char *text)
{
	size_t n = strlen(text);

	return n > 0 && n < BUILD_ID_TEXT && strspn(text, "0123456789abcdefxh:") == n;
}

static bool add_module(struct trace_reader *r, struct trace *t, char *text)
{
	char *number = trace_word(&text), *id = trace_word(&text);
	struct loaded *grown;
	uint64_t index;

	if (!number || !id || !trace_number(number, t->modules.n, t->modules.n, &index) ||
	    t->modules.n >= SHARED_MAX_MODULES || (strcmp(id, "-") && !is_id(id)))
		return trace_wrong(r, "not a module: number in order, build-id, path");
	grown = realloc(t->modules.at, (t->modules.n + 1) * sizeof(*grown));
	if (!grown)
		return trace_wrong(r, "out of memory");
	t->modules.at = grown;
	memset(&grown[index], 0, sizeof(*grown));
	if (strcmp(id, "-"))
		snprintf(grown[index].id, sizeof(grown[index].id), "%s", id);
	t->modules.n++;
	if (store_text(r, &grown[index].path, text))
		return true;
	t->modules.n--;
	return false;
}

static bool word_of(struct trace_reader *r, const char *const *table, const char *text,
		    uint32_t *out)
{
	int i = name_find(table, text);

	if (i < 0)
		return trace_wrong(r, "unknown name '%.64s'", text);
	*out = (uint32_t)i;
	return true;
}

static bool add_setting(struct trace_reader *r, struct trace *t, char *text)
{
	char *name = trace_word(&text);
	int i = name ? name_find(names_setting, name) : -1;

	return (i >= 0 && trace_number(text, 1, UINT32_MAX, &t->setting[i])) ||
	       trace_wrong(r, "not a setting and its value");
}

/* One line of the header. */
static bool header_line(struct trace_reader *r, struct trace *t, const char *key, char *text)
{
	if (!strcmp(key, "program"))
		return store_text(r, &t->program, text);
	if (!strcmp(key, "folder"))
		return store_text(r, &t->folder, text) &&
		       (t->folder[0] == '/' || trace_wrong(r, "the folder is not absolute"));
	if (!strcmp(key, "stdin"))
		return store_text(r, &t->stdin_file, text);
	if (!strcmp(key, "argument"))
		return add_argument(r, t, text);
	if (!strcmp(key, "variable"))
		return add_variable(r, t, text);
	if (!strcmp(key, "module"))
		return add_module(r, t, text);
	if (!strcmp(key, "command"))
		return word_of(r, command_names, text, &t->command);
	if (!strcmp(key, "model"))
		return word_of(r, names_model, text, &t->model);
	if (!strcmp(key, "equivalence"))
		return word_of(r, names_equivalence, text, &t->equivalence);
	if (!strcmp(key, "backend"))
		return word_of(r, names_backend, text, &t->backend);
	if (!strcmp(key, "set"))
		return add_setting(r, t, text);
	if (!strcmp(key, "seed"))
		return trace_number(text, 0, UINT64_MAX, &t->seed) ||
		       trace_wrong(r, "'%.64s' is not a seed", text);
	if (!strcmp(key, "build-id")) {
		if (!is_id(text) || t->build_id[0])
			return trace_wrong(r, "not a build-id, or a second one");
		strcpy(t->build_id, text);
		return true;
	}
	return trace_wrong(r, "unknown key '%.64s'", key);
}

static bool read_header(struct trace_reader *r, struct trace *t)
{
	char *line = trace_next_line(r);
	uint64_t version;

	if (!line || strncmp(line, "heddle-trace ", 13) ||
	    !trace_number(line + 13, 0, 1u << 30, &version))
		return trace_wrong(r, "not a heddle trace");
	if (version != TRACE_VERSION)
		return trace_wrong(r, "format version %llu; this heddle reads version %d",
				   (unsigned long long)version, TRACE_VERSION);
	for (;;) {
		char *text = r->at, *key;

		if (!strncmp(text, "bug ", 4) || !strncmp(text, "end ", 4))
			break;
		text = trace_next_line(r);
		key = text ? trace_word(&text) : NULL;
		if (!key)
			return trace_wrong(r, "the header is incomplete");
		if (!header_line(r, t, key, text))
			return false;
	}
	if (!t->program || !t->build_id[0] || !t->narguments || !t->modules.n)
		return trace_wrong(r, "the header lacks program, build-id, argument or module");
	if (t->program[0] != '/')
		return trace_wrong(r, "the program's path is not absolute");
	return true;
}

bool trace_open_text(struct trace_reader *r, const char *path, const char *text, size_t size,
		     struct trace *t)
{
	memset(r, 0, sizeof(*r));
	memset(t, 0, sizeof(*t));
	r->path = path;
	r->size = size;
	r->text = calloc(1, size + 1);
	if (!r->text)
		return wrong_file(r, "out of memory");
	memcpy(r->text, text, size);
	r->at = r->text;
	return check_whole(r) && read_header(r, t);
}

bool trace_open(struct trace_reader *r, const char *path, struct trace *t)
{
	memset(r, 0, sizeof(*r));
	memset(t, 0, sizeof(*t));
	r->path = path;
	if (!load(r))
		return false;
	r->at = r->text;
	return check_whole(r) && read_header(r, t);
}

void trace_close(struct trace_reader *r)
{
	free(r->text);
	r->text = r->at = NULL;
}

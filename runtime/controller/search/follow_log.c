/* SPDX-License-Identifier: BSD-2-Clause */
/* follow_log.c - see follow_log.h */
#include "config.h"

#include "controller/search/follow_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/content.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/output.h"
#include "wire/follow.h"

enum {
	FIELDS = 7
};

const char *const follow_verbs[] = {
	"ran", "threads", "unwanted", "unseen", "begun", "ended", NULL
};

/* The fields of a line, each with its final 0; false: there are fewer. */
static bool split(char *line, char *field[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		field[i] = line;
		line += strcspn(line, "\t");
		if (i + 1 < FIELDS && !*line)
			return false;
		if (*line)
			*line++ = 0;
	}
	return true;
}

static bool parse(char *line, struct follow_record *r)
{
	char *field[FIELDS];
	int verb;

	if (!split(line, field))
		return false;
	verb = name_find(follow_verbs, field[0]);
	if (verb < 0)
		return false;
	r->verb = (enum follow_verb)verb;
	r->from = (unsigned)strtoul(field[1], NULL, 10);
	r->pid = atoi(field[2]);
	r->parent = atoi(field[3]);
	r->number = (unsigned)strtoul(field[4], NULL, 10);
	r->file = field[5];
	r->text = field[6];
	return true;
}

/* There may be many processes, but not so many programs. */
static bool mark_repeated(struct follow_log *log)
{
	size_t *first = calloc(log->n + 1, sizeof(*first)), n = 0;
	bool ok;

	for (size_t i = 0; first && i < log->n; i++) {
		struct follow_record *r = &log->at[i];

		for (size_t k = 0; k < n && !r->repeated; k++)
			r->repeated = log->at[first[k]].verb == r->verb &&
				      !strcmp(log->at[first[k]].file, r->file);
		if (!r->repeated)
			first[n++] = i;
	}
	ok = first != NULL;
	free(first);
	return ok;
}

bool follow_log_read(const char *path, struct follow_log *log)
{
	size_t lines = 0, size;

	memset(log, 0, sizeof(*log));
	log->memory = content_of(path, &size);
	if (!log->memory)
		return errno != ENOMEM;
	for (const char *p = log->memory; *p; p++)
		lines += *p == '\n';
	log->at = calloc(lines + 1, sizeof(*log->at));
	if (!log->at)
		return false;
	for (char *line = log->memory, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		log->n += parse(line, &log->at[log->n]);
	}
	return mark_repeated(log);
}

void follow_log_release(struct follow_log *log)
{
	free(log->at);
	free(log->memory);
	memset(log, 0, sizeof(*log));
}

int follow_log_add(const char *path, enum follow_verb verb, unsigned from, unsigned number,
		   const char *file, const char *text)
{
	char name[PATH_MAX], what[1024], line[FOLLOW_LINE];
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), n, err;

	if (fd < 0)
		return -errno;
	snprintf(name, sizeof(name), "%s", file);
	snprintf(what, sizeof(what), "%s", text);
	text_sanitize(name, sizeof(name));
	text_sanitize(what, sizeof(what));
	n = snprintf(line, sizeof(line), FOLLOW_RECORD, follow_verbs[verb], from, (int)getpid(),
		     (int)getppid(), number, name, what);
	err = output_write(fd, line, (size_t)n);
	close(fd);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow_log.h - the log of programs that were started (wire/follow.h)
 *
 *	struct follow_log log;
 *
 *	if (follow_log_read(path, &log))
 *		... log.at[0 .. log.n) ...
 *	follow_log_release(&log);
 *
 * Any program may have written to it, so nothing in it is believed but numbers within bounds and names.
 */
#ifndef HEDDLE_CONTROLLER_FOLLOW_LOG_H
#define HEDDLE_CONTROLLER_FOLLOW_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum follow_verb {
	FOLLOW_RAN,
	FOLLOW_THREADS,
	FOLLOW_UNWANTED,
	FOLLOW_UNSEEN,
	FOLLOW_BEGUN,
	FOLLOW_ENDED,
	FOLLOW_VERBS
};

extern const char *const follow_verbs[]; /* ends with NULL */

struct follow_record {
	enum follow_verb verb;
	unsigned from, number;
	int pid, parent;
	const char *file, *text; /* into the log's memory */
	bool repeated;           /* one before it has the same verb and file */
};

struct follow_log {
	struct follow_record *at;
	size_t n;
	char *memory;
};

/* False when memory is short. No file is an empty log. Release in any case. */
bool follow_log_read(const char *path, struct follow_log *log);
void follow_log_release(struct follow_log *log);

/* Adds a record of this process; 0 or -errno. */
int follow_log_add(const char *path, enum follow_verb verb, unsigned from, unsigned number,
		   const char *file, const char *text);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * variables.h - environment variables that an execution depends on
 */
#ifndef HEDDLE_CONTROLLER_VARIABLES_H
#define HEDDLE_CONTROLLER_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

struct env_variable {
	char *name;
	char *value; /* NULL: it is not set */
};

/* Begins as zeros. */
struct variable_list {
	struct env_variable *at;
	size_t n;
};

/* Copies both. False when memory is short. */
bool variables_add(struct variable_list *l, const char *name, const char *value);
/* The entry of a name; NULL: there is none. `name` may go on with "=...". */
const struct env_variable *variables_find(const struct variable_list *l, const char *name);
/* Takes out one entry. */
void variables_drop(struct variable_list *l, size_t i);
void variables_release(struct variable_list *l);

/* "FOO=bar", or "FOO" where it is not set; NULL when memory is short. */
char *variable_text(const struct env_variable *v);

/* Can it be the name of one? */
bool variable_name_ok(const char *name, size_t n);

#endif

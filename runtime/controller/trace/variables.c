/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * variables.c - see variables.h
 */
#include "config.h"

#include "controller/trace/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool variables_add(struct variable_list *l, const char *name, const char *value)
{
	struct env_variable *grown = realloc(l->at, (l->n + 1) * sizeof(*grown)), *v;

	if (!grown)
		return false;
	l->at = grown;
	v = &grown[l->n];
	v->name = strdup(name);
	v->value = value ? strdup(value) : NULL;
	if (v->name && (v->value || !value)) {
		l->n++;
		return true;
	}
	free(v->name);
	free(v->value);
	return false;
}

const struct env_variable *variables_find(const struct variable_list *l, const char *name)
{
	size_t n = strcspn(name, "=");

	for (size_t i = 0; i < l->n; i++)
		if (!strncmp(l->at[i].name, name, n) && !l->at[i].name[n])
			return &l->at[i];
	return NULL;
}

void variables_drop(struct variable_list *l, size_t i)
{
	free(l->at[i].name);
	free(l->at[i].value);
	l->n--;
	memmove(&l->at[i], &l->at[i + 1], (l->n - i) * sizeof(l->at[0]));
}

void variables_release(struct variable_list *l)
{
	while (l->n)
		variables_drop(l, l->n - 1);
	free(l->at);
	l->at = NULL;
}

char *variable_text(const struct env_variable *v)
{
	char *text = NULL;
	int n = v->value ? asprintf(&text, "%s=%s", v->name, v->value)
			 : asprintf(&text, "%s", v->name);

	return n < 0 ? NULL : text;
}

bool variable_name_ok(const char *name, size_t n)
{
	return n && n < 256 && !memchr(name, '=', n) && !memchr(name, 0, n);
}

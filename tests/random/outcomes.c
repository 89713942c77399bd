/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outcomes.c - sets of final states
 */
#include <stdlib.h>
#include <string.h>

#include "random/oracle.h"

const char *const model_names[MODELS] = {
	"sc", "tso", "sra", "ra", "wra", "relaxed", "rc20", "rc11"
};

void outcomes_init(struct outcomes *o)
{
	memset(o, 0, sizeof(*o));
}

void outcomes_release(struct outcomes *o)
{
	for (int i = 0; i < o->n; i++)
		free(o->line[i]);
	free(o->line);
	outcomes_init(o);
}

void outcomes_add(struct outcomes *o, const char *line)
{
	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->line = realloc(o->line, (size_t)o->room * sizeof(*o->line));
	}
	if (!o->line || !(o->line[o->n++] = strdup(line)))
		abort();
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void outcomes_sort(struct outcomes *o)
{
	int n = 0;

	if (o->n)
		qsort(o->line, (size_t)o->n, sizeof(*o->line), compare);
	for (int i = 0; i < o->n; i++)
		if (n && !strcmp(o->line[n - 1], o->line[i]))
			free(o->line[i]);
		else
			o->line[n++] = o->line[i];
	o->n = n;
}

const char *outcomes_missing(const struct outcomes *a, const struct outcomes *b)
{
	for (int i = 0; i < a->n; i++)
		if (!b->n ||
		    !bsearch(&a->line[i], b->line, (size_t)b->n, sizeof(*b->line), compare))
			return a->line[i];
	return NULL;
}

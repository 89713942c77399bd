/* SPDX-License-Identifier: BSD-2-Clause */
/* json_text.c - see json_text.h */
#include "config.h"

#include "controller/base/json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *s)
{
	json_t *j = json_string(s);
	char *copy;

	if (j || !(copy = strdup(s)))
		return j;
	for (char *p = copy; *p; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	j = json_string(copy);
	free(copy);
	return j;
}

const char *json_text_at(const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s ? s : "";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe_text.c - what the runtime wrote of places, with their names
 *
 * Inside the program there is no debug information. So a refusal names places by module and offset,
 * "called at t+0x11f2", and here the line and function, or the variable, are put behind.
 */
#include "config.h"

#include "controller/describe/describe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/describe/describe.h"

/* Does a place begin at `at`? Then its address, and *end behind it. */
static bool place_at(const struct loaded_list *modules, const char *at, uint64_t *addr,
		     const char **end)
{
	for (size_t i = 0; i < modules->n; i++) {
		const char *name = basename(modules->at[i].path);
		size_t n = strlen(name);
		char *behind;

		if (!n || strncmp(at, name, n) || strncmp(at + n, "+0x", 3))
			continue;
		*addr = modules->at[i].base + strtoull(at + n + 1, &behind, 16);
		*end = behind;
		return true;
	}
	return false;
}

static bool is_call(const char *text, const char *at)
{
	static const char before[] = "called at ";
	size_t n = sizeof(before) - 1;

	return (size_t)(at - text) >= n && !strncmp(at - n, before, n);
}

static void name_of(struct scene *s, uint64_t addr, bool call, char *out, size_t size)
{
	struct variable v;

	out[0] = 0;
	if (call)
		describe_site(s, addr, "", out, size);
	else if (symbolize_data(s->symbolizer, addr, &v) && v.offset)
		snprintf(out, size, "%s+0x%llx", symbolize_shown(s->symbolizer, v.name),
			 (unsigned long long)v.offset);
	else if (symbolize_data(s->symbolizer, addr, &v))
		snprintf(out, size, "%s", symbolize_shown(s->symbolizer, v.name));
}

void describe_text(const struct loaded_list *modules, const char *text, char *out, size_t size)
{
	const char *at = text, *end;
	char name[256];
	struct scene s;
	size_t n = 0;
	uint64_t addr;

	snprintf(out, size, "%s", text);
	if (!scene_init(&s, modules))
		return;
	while (*at && n + 1 < size) {
		/* Names of modules are words. */
		if ((at != text && at[-1] != ' ') || !place_at(modules, at, &addr, &end)) {
			out[n++] = *at++;
			continue;
		}
		name_of(&s, addr, is_call(text, at), name, sizeof(name));
		n += (size_t)snprintf(out + n, size - n, "%.*s%s%s%s", (int)(end - at), at,
				      name[0] ? " (" : "", name, name[0] ? ")" : "");
		at = end;
	}
	out[n < size ? n : size - 1] = 0;
	scene_release(&s);
}

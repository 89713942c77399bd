/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * value.c - what an operation read or wrote, as people read it best
 *
 * A value is a pointer if the replay found that it is an address in an object of the program (preload/report/said.c), and,
 * of a global one, if the symbols of its module say which object that is. A small number never is.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/describe/describe.h"

/* How long the first part of a path is: "[2]" or ".next". */
static size_t part(const char *path)
{
	return path[0] ? 1 + strcspn(path + 1, ".[+") : 0;
}

/*
 * A pointer to an object is one to its first part, too, and to the first part of that. Meant is the largest that begins there:
 * of the path to its first byte what the byte before has in common, and one part more. Of an array it is the first element.
 */
static void cut_first_parts(struct scene *s, uint64_t addr, uint64_t offset, char *path)
{
	char before[256];
	size_t n = 0, k;

	if (strchr(path, '+'))
		return;
	if (!offset) {
		path[path[0] == '[' ? part(path) : 0] = 0;
		return;
	}
	if (!symbolize_member(s->symbolizer, addr - 1, before, sizeof(before)))
		return;
	while ((k = part(path + n)) && k == part(before + n) && !strncmp(path + n, before + n, k))
		n += k;
	path[n + part(path + n)] = 0;
}

static bool describe_global(struct scene *s, const struct place *p, char out[DESCRIBED_VALUE])
{
	const uint64_t addr = place_address(s->modules, p);
	char path[256];
	struct variable v;

	if (!symbolize_data(s->symbolizer, addr, &v) || v.offset >= v.size)
		return false;
	if (symbolize_member(s->symbolizer, addr, path, sizeof(path)))
		cut_first_parts(s, addr, v.offset, path);
	else if (v.offset)
		snprintf(path, sizeof(path), "+0x%llx", (unsigned long long)v.offset);
	else
		path[0] = 0;
	snprintf(out, DESCRIBED_VALUE, "&%.80s%.40s", symbolize_shown(s->symbolizer, v.name), path);
	return true;
}

bool describe_pointer(struct scene *s, struct value v, unsigned size, char out[DESCRIBED_VALUE])
{
	const struct place *p = s->said && size == 8 && !v.hi ? said_points(s->said, v.lo) : NULL;
	uint64_t offset;

	if (!p)
		return false;
	if (p->kind == PLACE_GLOBAL && !said_object(s->said, p, &offset)) {
		if (!describe_global(s, p, out))
			return false;
	} else {
		describe_place(s, p, out, DESCRIBED_VALUE);
	}
	text_sanitize(out, DESCRIBED_VALUE);
	return true;
}

void describe_value(struct scene *s, struct value v, unsigned size, char out[DESCRIBED_VALUE])
{
	uint64_t limit = 4096, bits = size && size < 8 ? ~0ull >> (64 - 8 * size) : ~0ull;

	if (!v.hi && v.lo <= limit)
		snprintf(out, DESCRIBED_VALUE, "%llu", (unsigned long long)v.lo);
	else if (!v.hi && size >= 4 && size <= 8 && bits - v.lo < limit)
		snprintf(out, DESCRIBED_VALUE, "-%llu", (unsigned long long)(bits - v.lo + 1));
	else if (!describe_pointer(s, v, size, out))
		trace_value(v, out);
}

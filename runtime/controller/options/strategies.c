/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strategies.c - see strategies.h
 */
#include "config.h"

#include "controller/options/strategies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/names.h"
#include "wire/search.h"

/* Which numbers a strategy takes; usual 0: none. */
static const struct depths {
	uint64_t least, usual;
} depths[STRATEGY_COUNT] = {
	[STRATEGY_PCT] = { 1, 3 },
	[STRATEGY_PCTWM] = { 0, 2 },
	[STRATEGY_DELAY] = { 0, 2 },
};

/* Lists them, as they are written. */
static void list(char *out, size_t size)
{
	int n = 0;

	for (unsigned i = 0; i < STRATEGY_COUNT && n >= 0 && (size_t)n < size; i++)
		n += snprintf(out + n, size - (size_t)n, "%s%s%s", i ? ", " : "", names_strategy[i],
			      depths[i].usual ? "[:D]" : "");
}

static int find(const char *text, size_t len)
{
	for (int i = 0; i < STRATEGY_COUNT; i++)
		if (strlen(names_strategy[i]) == len && !memcmp(names_strategy[i], text, len))
			return i;
	return -1;
}

/* Digits only: no sign, no other base. */
static bool parse_depth(const char *text, uint64_t least, uint64_t *depth)
{
	char *end;

	if (!*text || strspn(text, "0123456789") != strlen(text))
		return false;
	*depth = strtoull(text, &end, 10);
	return *depth >= least && *depth <= STRATEGY_DEPTH_MOST;
}

bool strategy_parse(const char *text, uint64_t *strategy, uint64_t *depth, char *error, size_t size)
{
	const size_t len = strcspn(text, ":");
	const int found = find(text, len);
	char all[256] = "";

	if (found < 0 || (text[len] && !depths[found].usual)) {
		list(all, sizeof(all));
		snprintf(error, size, "--strategy: unknown strategy '%s'; accepted: %s", text, all);
		return false;
	}
	*strategy = (uint64_t)found;
	*depth = depths[found].usual;
	if (!text[len] || parse_depth(text + len + 1, depths[found].least, depth))
		return true;
	snprintf(error, size, "--strategy: '%s': D is a number from %llu to %d", text,
		 (unsigned long long)depths[found].least, STRATEGY_DEPTH_MOST);
	return false;
}

void strategy_text(uint64_t strategy, uint64_t depth, char *out, size_t size)
{
	if (depths[strategy].usual)
		snprintf(out, size, "%s:%llu", names_strategy[strategy], (unsigned long long)depth);
	else
		snprintf(out, size, "%s", names_strategy[strategy]);
}

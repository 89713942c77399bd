/* SPDX-License-Identifier: BSD-2-Clause */
/* skip.c - see skip.h */
#include "config.h"

#include "controller/search/skip.h"

#include <stdio.h>
#include <string.h>

#include "controller/search/follow.h"
#include "controller/search/search.h"

bool skip_applies(const struct session *s)
{
	int status;

	if (!s->options->skip_exitcode || s->child || s->around.trace || search_left_alone(s))
		return false;
	for (size_t i = 0; i < s->search.nfindings; i++)
		if (s->search.findings[i].kind == BUG_EXIT_CODE &&
		    sscanf(s->search.findings[i].message, "the program exits with status %d",
			   &status) == 1 &&
		    (uint64_t)status == s->options->skip_exitcode)
			return true;
	return false;
}

/* True when it does so in no execution but some: whether it is skipped is then up to chance, and that is a bug. */
static bool exits_otherwise(const struct session *s)
{
	for (size_t i = 0; i < s->search.nfindings; i++)
		if (s->search.findings[i].kind == BUG_EXIT_CODE)
			return true;
	return false;
}

int skip_search(struct session *s, uint32_t mode, int status)
{
	struct result first = s->search;
	const double timeout = s->timeout_s;
	int again;

	s->timeout_s = timeout > 0 ? timeout - first.seconds : 0;
	if (timeout > 0 && s->timeout_s <= 0)
		return status;
	memset(&s->search, 0, sizeof(s->search));
	s->expected = s->options->skip_exitcode;
	if (s->follow)
		s->follow->over = true; /* what it starts was looked at */
	again = search_unjudged(s, mode);
	s->timeout_s = timeout;
	if (!exits_otherwise(s)) {
		result_release(&first);
		return again;
	}
	result_release(&s->search);
	s->search = first;
	s->expected = 0;
	return status;
}

void skip_settle(struct session *s)
{
	s->skipped = s->expected && !s->child && s->verdict == VERDICT_OK && !s->status &&
		     s->expected == s->options->skip_exitcode;
}

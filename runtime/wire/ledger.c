/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ledger.c - see ledger.h
 */
#include "wire/ledger.h"

#include <stddef.h>

const char *const ledger_ends[LEDGER_ENDS] = {
	[ENDED_COMPLETE] = "complete", [ENDED_BLOCKED] = "blocked",   [ENDED_BUG] = "bug",
	[ENDED_CUT] = "cut",           [ENDED_DOUBTFUL] = "doubtful", [ENDED_STOPPED] = "stopped",
	[ENDED_WRONG] = "wrong",       [ENDED_RERUN] = "rerun",       [ENDED_ASKS] = "asks",
	[ENDED_LOOKS] = "looks",       [ENDED_STRAYED] = "strayed",   [ENDED_FINISHED] = "finished",
	[ENDED_DEAD] = "dead_end",     [ENDED_IN_VAIN] = "in_vain",
};

static uint64_t sum_of(const uint64_t *n, unsigned count)
{
	uint64_t sum = 0;

	while (count)
		sum += n[--count];
	return sum;
}

const char *ledger_unbalanced(const struct ledger *l)
{
	if (l->begun != sum_of(l->ended, LEDGER_ENDS))
		return "executions were begun and have no end";
	return NULL;
}

const char *ledger_unfinished(const struct ledger *l)
{
	if (ledger_unbalanced(l))
		return ledger_unbalanced(l);
	if (l->noted != sum_of(l->work, LEDGER_WORKS))
		return "work was noted and not done";
	if (l->begun != sum_of(l->cause, LEDGER_CAUSES) + l->work[WORK_DONE])
		return "executions were to be done and were not begun";
	if (l->ended[ENDED_RERUN] > l->cause[CAUSE_RERUN] ||
	    l->ended[ENDED_ASKS] > l->cause[CAUSE_ASK] ||
	    l->ended[ENDED_LOOKS] > l->cause[CAUSE_LOOK] ||
	    l->ended[ENDED_STRAYED] > l->cause[CAUSE_STRAY])
		return "executions were to be done again and were not";
	if (l->ended[ENDED_STOPPED] || l->ended[ENDED_WRONG])
		return "executions were left before their end";
	return NULL;
}

const char *ledger_incomplete(const struct ledger *sum)
{
	if (ledger_unfinished(sum))
		return ledger_unfinished(sum);
	if (sum->cause[CAUSE_FIRST] != 1)
		return "the exploration did not begin once";
	if (sum->work[WORK_GIVEN] + sum->work[WORK_SKIPPED] != sum->taken)
		return "work was given away and not taken";
	if (!sum->ended[ENDED_COMPLETE] && !sum->ended[ENDED_BLOCKED] && !sum->ended[ENDED_BUG] &&
	    !sum->ended[ENDED_CUT] && !sum->ended[ENDED_DOUBTFUL] && !sum->ended[ENDED_STRAYED])
		return "no execution came to an end";
	return NULL;
}

const char *ledger_short_of(const struct ledger *sum, uint64_t executions)
{
	if (ledger_unbalanced(sum))
		return ledger_unbalanced(sum);
	if (sum->begun - sum->ended[ENDED_RERUN] != executions)
		return "there are not as many executions as were to be done";
	return NULL;
}

void ledger_add(struct ledger *sum, const struct ledger *l)
{
	sum->begun += l->begun;
	sum->noted += l->noted;
	sum->taken += l->taken;
	for (unsigned i = 0; i < LEDGER_CAUSES; i++)
		sum->cause[i] += l->cause[i];
	for (unsigned i = 0; i < LEDGER_ENDS; i++)
		sum->ended[i] += l->ended[i];
	for (unsigned i = 0; i < LEDGER_WORKS; i++)
		sum->work[i] += l->work[i];
}

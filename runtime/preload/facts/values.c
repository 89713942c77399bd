/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.c - see values.h
 */
#include "preload/facts/values.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/facts/memo.h"

void values_say_why(const char *why)
{
	struct text t = text_in(shared->values_over, SHARED_TEXT);

	if (why && !shared->values_over[0])
		text_str(&t, why);
}

void values_give_up(const char *why)
{
	if (current && !current->probing)
		memo_give_up("threads pass on what no operation reads");
	if (current && !current->probing && shared->config.mode == ENGINE_EXPLORE &&
	    values_explored()) {
		values_say_why(why);
		fact_found(FACT_BY_READS);
	}
}

/* Cheaper than any clock of the system, which is asked twice only. */
static uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t (*values_ticks(void))(void)
{
	if (!values_explored())
		return NULL;
	shared->ticks_begun = ticks();
	shared->ns_begun = now_ns();
	return ticks;
}

void values_count(const struct engine_stats *stats)
{
	const uint64_t passed = ticks() - shared->ticks_begun;
	const double each = passed ? (double)(now_ns() - shared->ns_begun) / (double)passed : 0;

	memcpy(shared->values, stats->values, sizeof(shared->values));
	shared->values[VALUES_NS] = (uint64_t)((double)stats->values[VALUES_NS] * each);
}

enum engine_equivalence values_equivalence(void)
{
	const enum engine_equivalence asked = shared->config.equivalence;

	return asked == EQUIV_VALUE && !values_explored() ? EQUIV_RF : asked;
}

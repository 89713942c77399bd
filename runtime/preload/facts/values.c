/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.c - see values.h
 */
#include "preload/facts/values.h"

void values_give_up(void)
{
	if (current && !current->probing && shared->config.mode == ENGINE_EXPLORE &&
	    values_explored())
		fact_found(FACT_BY_READS);
}

enum engine_equivalence values_equivalence(void)
{
	const enum engine_equivalence asked = shared->config.equivalence;

	return asked == EQUIV_VALUE && !values_explored() ? EQUIV_RF : asked;
}

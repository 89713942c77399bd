/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known.h - the facts that go from some workers to those that are started after them
 */
#ifndef HEDDLE_CONTROLLER_KNOWN_H
#define HEDDLE_CONTROLLER_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/facts.h"

/* All zero: nothing is known. */
struct known {
	struct fact *at;
	uint32_t n;
	uint64_t look; /* as in struct fact_table */
	struct late_modules late;
};

/*
 * Adds what stands in the table of workers that are gone. by_name: the next ones may have other
 * addresses. 1; 0 if that is nothing for which they have to start again; or -ENOMEM.
 */
int known_take(struct known *k, const struct fact_table *t, bool by_name);

/* All of it is in force for those who start with that table, an empty one. */
void known_give(const struct known *k, struct fact_table *t);

void known_release(struct known *k);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chains.h - rf-chains: a write and the read-modify-writes that read from it, one by one
 *
 * Atomicity makes a chain one unbroken stretch of mo. So mo is an order of a location's
 * chains; chain 0 begins with the initial write. A read has the chain and rank of the write
 * it reads from. (TC and PC of the PLDI 2023 paper.)
 */
#ifndef HEDDLE_OFFLINE_CHAINS_H
#define HEDDLE_OFFLINE_CHAINS_H

#include "offline/check.h"

struct chains {
	uint32_t *chain, *rank; /* of each event with a location */
	uint32_t *count;        /* chains of each location, at least 1 */
};

/* False: two read-modify-writes read from one write; v says so. */
bool chains_build(struct chains *c, const struct execution *x, const uint32_t *sort,
		  struct verdict *v);
void chains_release(struct chains *c);

/* The write whose place in mo an access knows: itself, or what it reads from. */
static inline uint32_t write_of(const struct execution *x, uint32_t e)
{
	return x->kind[e] & EX_WRITE ? e : x->rf[e];
}

#endif

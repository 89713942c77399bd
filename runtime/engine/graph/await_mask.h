/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await_mask.h - what is known of a thread that waits for a value
 */
#ifndef HEDDLE_ENGINE_GRAPH_AWAIT_MASK_H
#define HEDDLE_ENGINE_GRAPH_AWAIT_MASK_H

#include <stdint.h>

/*
 * What a thread, about to read a location, would do with the values that were met there (bits of a
 * word, see engine_await_unknown()): of which that is known; which of those fail, so that it would
 * be stopped at its next operation; and with which of these it stays, back where it was, for ever if
 * it reads the same again. round: its last so many operations, this one included, are done
 * again and again then, for any of those values (0: there is none).
 */
struct await_mask {
	uint64_t known, fails, stays;
	uint32_t round;
};

/* A round for one of the values. */
static inline void await_mask_round(struct await_mask *m, uint32_t round)
{
	if (round && (!m->round || round < m->round))
		m->round = round;
}

/* Both is known. */
static inline void await_mask_add(struct await_mask *m, const struct await_mask *more)
{
	m->known |= more->known;
	m->fails |= more->known & more->fails;
	m->stays |= more->known & more->fails & more->stays;
	await_mask_round(m, more->round);
}

#endif

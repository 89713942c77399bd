/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_seen.c - see memo_seen.h
 *
 * Cost: a look at SEEN entries for each read of a thread that is run again.
 */
#include "preload/race/memo_seen.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"

enum {
	SEEN = 64 /* reads of a thread, the latest */
};

/* What a thread found, when it had so many events. */
static struct seen {
	uint64_t granule, value;
	uint32_t behind;
	uint8_t mask;
} seen[HEDDLE_EXPLORED_THREADS][SEEN];
FRESH(seen);
static uint32_t nseen[HEDDLE_EXPLORED_THREADS];

uint64_t memo_bytes_in(uint8_t mask)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			bytes |= (uint64_t)0xff << 8 * i;
	return bytes;
}

void memo_note_seen(uint64_t granule, uint8_t mask, uint64_t value)
{
	const uint32_t t = current->tid;

	seen[t][nseen[t]++ % SEEN] = (struct seen){
		.granule = granule,
		.value = value,
		.behind = engine_done(engine, t),
		.mask = mask,
	};
}

bool memo_has_seen(uint64_t granule, uint8_t mask, uint32_t behind, uint64_t now)
{
	const uint32_t t = current->tid;

	for (uint32_t i = nseen[t] < SEEN ? 0 : nseen[t] - SEEN; i < nseen[t]; i++) {
		const struct seen *s = &seen[t][i % SEEN];

		if (s->granule == granule && s->behind >= behind &&
		    s->value == (now & memo_bytes_in(s->mask)))
			mask &= (uint8_t)~s->mask;
	}
	return !mask;
}

static void memo_seen_begin(void)
{
	memset(nseen, 0, sizeof(nseen));
}

AT_BEGIN(memo_seen_begin);

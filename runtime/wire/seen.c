/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seen.c - see seen.h
 */
#include "wire/seen.h"

#include <string.h>

enum {
	AGAIN = 1,
	LEFT_MOST =
		47, /* there are no more keys than half of the slots that have so many bits zero */
	KEY_SHIFT = 40 /* of the bits that choose a slot: others than those that have to be zero */
};

static uint64_t *slots(struct seen_set *s)
{
	return &s->slot[(uint64_t)1 << s->log];
}

/* The slot of the key, or the free one where it belongs. */
static uint64_t *find(struct seen_set *s, uint64_t key)
{
	uint64_t *at = slots(s), mask = ((uint64_t)1 << s->log) - 1, i = key >> KEY_SHIFT;

	while (at[i & mask] && (at[i & mask] ^ key) & ~(uint64_t)AGAIN)
		i++;
	return &at[i & mask];
}

/* Is it one of those that are kept? (The lowest bit is not part of a key.) */
static bool is_kept(const struct seen_set *s, uint64_t key)
{
	return !(key >> 1 & (((uint64_t)1 << s->left) - 1));
}

static void put(struct seen_set *s, uint64_t key)
{
	uint64_t *at;

	if (!is_kept(s, key))
		return;
	at = find(s, key);
	s->n += !*at;
	*at = *at ? *at | AGAIN : key;
}

/* Twice as many slots, behind those that there are. */
static void grow(struct seen_set *s)
{
	const uint64_t *old = slots(s), n = s->log ? (uint64_t)1 << s->log : 0;

	s->log = s->log ? s->log + 1 : SEEN_LEAST;
	s->n = 0;
	for (uint64_t i = 0; i < n; i++)
		if (old[i])
			put(s, old[i]);
}

/* Half of those that are kept go. What stays waits before the table, where smaller ones were. */
static void thin(struct seen_set *s)
{
	const uint64_t size = (uint64_t)1 << s->log;
	uint64_t *at = slots(s), n = 0;

	s->left++;
	for (uint64_t i = 0; i < size; i++)
		if (at[i] && is_kept(s, at[i]))
			s->slot[n++] = at[i];
	memset(at, 0, size * sizeof(*at));
	s->n = 0;
	for (uint64_t i = 0; i < n; i++)
		put(s, s->slot[i]);
}

static void make_room(struct seen_set *s)
{
	while (!s->log || 2 * s->n >= (uint64_t)1 << s->log) {
		if (s->log < SEEN_MOST)
			grow(s);
		else if (s->left < LEFT_MOST)
			thin(s);
		else
			return;
	}
}

static uint64_t key_of(uint64_t hash)
{
	uint64_t key = hash & ~(uint64_t)AGAIN;

	return key ? key : (uint64_t)1 << 63;
}

void seen_add(struct seen_set *s, uint64_t hash)
{
	s->samples++;
	make_room(s);
	put(s, key_of(hash));
}

void seen_clear(struct seen_set *s)
{
	if (s->log)
		memset(s->slot, 0, ((uint64_t)2 << s->log) * sizeof(s->slot[0]));
	s->samples = s->n = s->log = s->left = 0;
}

static bool is_sound(const struct seen_set *s)
{
	return s->log >= SEEN_LEAST && s->log <= SEEN_MOST && s->left <= LEFT_MOST;
}

void seen_join(struct seen_set *s, const struct seen_set *other)
{
	uint64_t size;

	if (!is_sound(other))
		return;
	size = (uint64_t)1 << other->log;
	s->samples += other->samples;
	make_room(s);
	while (s->left < other->left)
		thin(s);
	for (uint64_t i = 0; i < size; i++) {
		if (!other->slot[size + i])
			continue;
		make_room(s);
		put(s, other->slot[size + i]);
	}
}

void seen_estimate(const struct seen_set *s, struct seen_estimate *out)
{
	uint64_t n = 0, once = 0, size = (uint64_t)1 << s->log;

	for (uint64_t i = 0; s->log && i < size; i++) {
		n += s->slot[size + i] != 0;
		once += s->slot[size + i] && !(s->slot[size + i] & AGAIN);
	}
	*out = (struct seen_estimate){
		.samples = s->samples,
		.different = n << s->left,
		.once = once << s->left,
		.exact = !s->left,
	};
}

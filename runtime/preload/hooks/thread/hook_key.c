/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_key.c - thread-specific data
 *
 * glibc runs the destructors of keys where nobody else can ask for it, so keys and values
 * are kept here, in memory that is not rolled back: an entry belongs to the execution whose
 * stamp it carries, and otherwise is what it was at the root point (of values, only the main
 * thread has some then).
 *
 * The number of a key must not depend on the schedule: each thread hands out numbers of its
 * own, half of all belong to the main thread. When these are used up it goes on behind
 * PTHREAD_KEYS_MAX, so that the main thread alone can have as many.
 *
 * A process that lets go of heddle keeps the keys that it has, and what is in them: each of its numbers stands for a key of
 * glibc's there.
 */
/*
 * intercepts: Thread-specific data
 *
 * deterministic pthread_key_create __pthread_key_create pthread_key_delete pthread_getspecific
 *	pthread_setspecific - keys have the same numbers whatever the schedule; destructors
 *	run in rounds at the end of a thread
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/facts/values.h"
#include "preload/hooks/thread/thread.h"
#include "preload/report/leak.h"

enum {
	KEYS_MAIN = PTHREAD_KEYS_MAX / 2,
	KEYS_EACH = KEYS_MAIN / HEDDLE_EXPLORED_THREADS,
	MORE_EACH = 64, /* for other threads than main */
	KEYS_MORE = HEDDLE_EXPLORED_THREADS * MORE_EACH,
	KEYS = PTHREAD_KEYS_MAX + KEYS_MAIN + KEYS_MORE,
};

_Static_assert(KEYS % 64 == 0, "words of bits");

struct key {
	uint32_t stamp;
	uint32_t generation; /* values of earlier ones are void */
	bool used;
	void (*destructor)(void *);
};

struct slot {
	uint32_t stamp;
	uint32_t generation;
	void *value;
};

struct seen {
	uint32_t stamp;
	uint64_t bits[KEYS / 64]; /* keys the thread ever set to something */
};

static struct key keys[KEYS], root_keys[KEYS];
FRESH(keys);
static struct slot slots[HEDDLE_MAX_THREADS][KEYS], root_slots[KEYS];
FRESH_ROWS(slots);
static struct seen seen[HEDDLE_MAX_THREADS], root_seen;
FRESH_ROWS(seen);

/* Before the root point: all numbers handed out are below it. */
static uint32_t root_end;

static struct key *key_at(pthread_key_t k)
{
	struct key *key = &keys[k];

	if (key->stamp != shadow_stamp) {
		*key = root_keys[k];
		key->stamp = shadow_stamp;
	}
	return key;
}

static struct slot *slot_at(uint32_t tid, pthread_key_t k)
{
	struct slot *slot = &slots[tid][k];

	if (slot->stamp != shadow_stamp) {
		*slot = tid ? (struct slot){ 0 } : root_slots[k];
		slot->stamp = shadow_stamp;
	}
	return slot;
}

static struct seen *seen_of(uint32_t tid)
{
	struct seen *s = &seen[tid];

	if (s->stamp != shadow_stamp) {
		if (tid)
			memset(s, 0, sizeof(*s));
		else
			*s = root_seen;
		s->stamp = shadow_stamp;
	}
	return s;
}

static void keys_root(void)
{
	memcpy(root_keys, keys, root_end * sizeof(*keys));
	memcpy(root_slots, slots[0], root_end * sizeof(*root_slots));
	root_seen = seen[0];
}

AT_ROOT(keys_root);

/* The first unused number in [first, first + count); KEYS if there is none. */
static uint32_t unused(uint32_t first, uint32_t count)
{
	for (uint32_t k = first; k < first + count; k++)
		if (!key_at(k)->used)
			return k;
	return KEYS;
}

/* Threads that are explored have numbers of their own, which do not depend on others; the rest takes what is left. */
static uint32_t number_of_thread(uint32_t tid)
{
	const uint32_t more = PTHREAD_KEYS_MAX + KEYS_MAIN;
	uint32_t k;

	if (tid >= HEDDLE_EXPLORED_THREADS) {
		k = unused(KEYS_MAIN, KEYS_MAIN);
		return k < KEYS ? k : unused(more, KEYS_MORE);
	}
	k = unused(KEYS_MAIN + tid * KEYS_EACH, KEYS_EACH);
	return k < KEYS ? k : unused(more + tid * MORE_EACH, MORE_EACH);
}

/* A number for a key of the calling thread. */
static uint32_t new_number(void)
{
	uint32_t k;

	if (!self_id()) {
		k = unused(0, KEYS_MAIN);
		return k < KEYS ? k : unused(PTHREAD_KEYS_MAX, KEYS_MAIN);
	}
	k = number_of_thread(self_id());
	if (k == KEYS)
		refuse("a thread other than the main one creates more than 72 keys: create them "
		       "in the main thread",
		       NULL);
	return k;
}

/* ---- In a process that has let go of heddle ------------------------------------------------------- */

static uint64_t real_key[KEYS]; /* glibc's + 1; 0: none */
KEPT(real_key);

static void keys_detach(uint32_t goes_on)
{
	pthread_key_t real;

	(void)goes_on;
	for (pthread_key_t k = 0; k < root_end; k++) {
		if (!key_at(k)->used || REAL(pthread_key_create)(&real, key_at(k)->destructor))
			continue;
		real_key[k] = real + 1ul;
		if (slots[0][k].generation == key_at(k)->generation)
			REAL(pthread_setspecific)(real, slots[0][k].value);
	}
}

AT_DETACH(keys_detach);

/* glibc's key for one of the program; false: there is none. */
static bool real_of(pthread_key_t k, pthread_key_t *real)
{
	uint64_t its;

	*real = k;
	if (init_state != INIT_DETACHED)
		return true;
	/* relaxed: who uses a key knows that it was made */
	its = k < KEYS ? __atomic_load_n(&real_key[k], __ATOMIC_RELAXED) : 0;
	*real = (pthread_key_t)(its - 1);
	return its;
}

static int create_alone(pthread_key_t *out, void (*destructor)(void *))
{
	int error = REAL(pthread_key_create)(out, destructor);
	pthread_key_t k = 0;

	if (error || !kin_takes_over())
		return error;
	while (real_key[k]) /* glibc has fewer */
		k++;
	__atomic_store_n(&real_key[k], *out + 1ul, __ATOMIC_RELAXED);
	*out = k;
	kin_took_over();
	return 0;
}

static int delete_alone(pthread_key_t k)
{
	pthread_key_t real;

	if (!real_of(k, &real))
		return EINVAL;
	if (init_state == INIT_DETACHED)
		__atomic_store_n(&real_key[k], 0, __ATOMIC_RELAXED);
	return REAL(pthread_key_delete)(real);
}

static void *get_alone(pthread_key_t k)
{
	pthread_key_t real;

	return real_of(k, &real) ? REAL(pthread_getspecific)(real) : NULL;
}

static int set_alone(pthread_key_t k, const void *value)
{
	pthread_key_t real;

	return real_of(k, &real) ? REAL(pthread_setspecific)(real, value) : EINVAL;
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_key_create(pthread_key_t *out, void (*destructor)(void *))
{
	struct key *key;
	uint32_t k;

	if (!shared)
		return create_alone(out, destructor);
	values_give_up(
		"thread-specific data is used"); /* and who asks what a key holds notes nothing */
	note_hidden_state();
	k = new_number();
	if (k == KEYS)
		return EAGAIN;
	key = key_at(k);
	key->used = true;
	key->generation++;
	key->destructor = destructor;
	*out = k;
	if (!rooted && k >= root_end)
		root_end = k + 1;
	return 0;
}

HEDDLE_HOOK int pthread_key_delete(pthread_key_t k)
{
	if (!shared)
		return delete_alone(k);
	values_give_up("thread-specific data is used");
	note_hidden_state();
	if (k >= KEYS || !key_at(k)->used)
		return EINVAL;
	key_at(k)->used = false;
	return 0;
}

HEDDLE_HOOK void *pthread_getspecific(pthread_key_t k)
{
	struct slot *slot;

	if (!shared)
		return get_alone(k);
	if (k >= KEYS)
		return NULL;
	slot = slot_at(self_id(), k);
	return key_at(k)->used && slot->generation == key_at(k)->generation ? slot->value : NULL;
}

HEDDLE_HOOK int pthread_setspecific(pthread_key_t k, const void *value)
{
	struct slot *slot;

	if (!shared)
		return set_alone(k, value);
	if (k >= KEYS || !key_at(k)->used)
		return EINVAL;
	slot = slot_at(self_id(), k);
	if (slot->generation == key_at(k)->generation && slot->value == value)
		return 0;
	lifecycle_hidden(); /* of this thread alone */
	slot->generation = key_at(k)->generation;
	slot->value = (void *)(uintptr_t)value;
	if (value)
		seen_of(self_id())->bits[k / 64] |= 1ul << k % 64;
	return 0;
}

/* One round of destructors over the keys the thread ever set; true if one was called. */
static bool destructor_round(uint32_t tid)
{
	bool called = false;

	for (uint32_t w = 0; w < KEYS / 64; w++) {
		for (uint64_t bits = seen_of(tid)->bits[w]; bits; bits &= bits - 1) {
			pthread_key_t k = w * 64 + (uint32_t)__builtin_ctzl(bits);
			void *value = pthread_getspecific(k);

			if (!value)
				continue;
			slot_at(tid, k)->value = NULL;
			if (!key_at(k)->destructor)
				continue;
			key_at(k)->destructor(value);
			called = true;
		}
	}
	return called;
}

void keys_thread_end(void)
{
	if (self_id() && seen[self_id()].stamp != shadow_stamp)
		return; /* it never set one */
	for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
		if (!destructor_round(self_id()))
			return;
}

static void keys_id_again(uint32_t tid)
{
	struct seen *s = &seen[tid];

	if (s->stamp != shadow_stamp)
		return;
	for (unsigned w = 0; w < KEYS / 64; w++)
		for (uint64_t bits = s->bits[w]; bits; bits &= bits - 1)
			slots[tid][w * 64 + (unsigned)__builtin_ctzll(bits)].value = NULL;
	memset(s->bits, 0, sizeof(s->bits));
}

AT_ID_AGAIN(keys_id_again);

static void keys_leaks(uint32_t tid)
{
	const struct seen *s = seen_of(tid);

	for (unsigned w = 0; w < KEYS / 64; w++) {
		for (uint64_t bits = s->bits[w]; bits; bits &= bits - 1) {
			pthread_key_t k = w * 64 + (unsigned)__builtin_ctzll(bits);

			leak_keep((uint64_t)(uintptr_t)slot_at(tid, k)->value);
		}
	}
}

AT_LEAKS(keys_leaks);

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__pthread_key_create, pthread_key_create);

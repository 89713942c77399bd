/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_set.h - sets of threads
 *
 *	struct thread_set s = { 0 };
 *
 *	thread_set_add(&s, tid);
 *	THREAD_SET_EACH(t, &s)
 *		...
 *
 * A set is some words, and one that says which of them are not 0. So to ask whether there is any
 * member, and to find the next one, costs no more than with a single word, however many
 * threads there can be: the exploration does so at every operation. All zero is the empty set.
 *
 * What is added or taken out while THREAD_SET_EACH() is at it may come, or may not.
 */
#ifndef HEDDLE_BASE_THREAD_SET_H
#define HEDDLE_BASE_THREAD_SET_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Ids that threads can have at once: the first thread's, and of 256 others. */
	HEDDLE_MAX_THREADS = 257,
	/* The exploration tells fewer apart: what it keeps of all executions are rows of threads, and
	 * words. */
	HEDDLE_EXPLORED_THREADS = 64,
	THREAD_WORDS = (HEDDLE_MAX_THREADS + 63) / 64
};

struct thread_set {
	uint64_t some; /* bit w: word w is not 0 */
	uint64_t word[THREAD_WORDS];
};

static inline uint64_t thread_bit(uint32_t tid)
{
	return (uint64_t)1 << (tid & 63);
}

static inline bool thread_set_any(const struct thread_set *s)
{
	return s->some;
}

static inline bool thread_set_has(const struct thread_set *s, uint32_t tid)
{
	return s->word[tid / 64] >> (tid & 63) & 1;
}

static inline void thread_set_add(struct thread_set *s, uint32_t tid)
{
	s->word[tid / 64] |= thread_bit(tid);
	s->some |= (uint64_t)1 << tid / 64;
}

static inline void thread_set_remove(struct thread_set *s, uint32_t tid)
{
	s->word[tid / 64] &= ~thread_bit(tid);
	if (!s->word[tid / 64])
		s->some &= ~((uint64_t)1 << tid / 64);
}

/* The first of the words that are not 0; there is one. */
static inline uint32_t thread_word(uint64_t some)
{
	uint32_t w = (uint32_t)__builtin_ctzll(some);

	if (w >= THREAD_WORDS)
		__builtin_unreachable();
	return w;
}

/* The least member of a set that is not empty. */
static inline uint32_t thread_set_first(const struct thread_set *s)
{
	uint32_t w = thread_word(s->some);

	return w * 64 + (uint32_t)__builtin_ctzll(s->word[w]);
}

/* The least member that is not less than `from`; HEDDLE_MAX_THREADS: there is none. */
static inline uint32_t thread_set_next(const struct thread_set *s, uint32_t from)
{
	uint32_t w = from / 64;
	uint64_t rest;

	if (w >= THREAD_WORDS)
		return HEDDLE_MAX_THREADS;
	rest = s->word[w] >> (from & 63);
	if (rest)
		return from + (uint32_t)__builtin_ctzll(rest);
	rest = s->some >> w >> 1 << w << 1;
	if (!rest)
		return HEDDLE_MAX_THREADS;
	w = thread_word(rest);
	return w * 64 + (uint32_t)__builtin_ctzll(s->word[w]);
}

/* Those that are yet to come: of the word that they are in, and which words. */
struct thread_walk {
	const uint64_t *word;
	uint64_t left, some;
};

static inline struct thread_walk thread_walk(const struct thread_set *s)
{
	return (struct thread_walk){ .word = s->word, .left = s->word[0], .some = s->some | 1 };
}

static inline bool thread_walk_on(struct thread_walk *w, uint32_t *tid)
{
	if (!w->left) {
		w->some &= w->some - 1;
		if (!w->some)
			return false;
		w->left = w->word[thread_word(w->some)];
	}
	*tid = thread_word(w->some) * 64 + (uint32_t)__builtin_ctzll(w->left);
	w->left &= w->left - 1;
	return true;
}

/* With a variable `tid` for each of them, the least first. */
#define THREAD_SET_EACH(tid, set)                                               \
	for (struct thread_walk tid##_walk = thread_walk(set); tid##_walk.some; \
	     tid##_walk.some = 0)                                               \
		for (uint32_t tid; thread_walk_on(&tid##_walk, &tid);)

/* How many bits are set. The processors that this is compiled for need not have an instruction for it. */
static inline uint32_t thread_bits(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(word * 0x0101010101010101u >> 56);
}

static inline uint32_t thread_set_count(const struct thread_set *s)
{
	uint32_t n = 0;

	for (uint64_t left = s->some; left; left &= left - 1)
		n += thread_bits(s->word[thread_word(left)]);
	return n;
}

/* The member that has so many others before it; there are more than that. */
static inline uint32_t thread_set_nth(const struct thread_set *s, uint32_t rank)
{
	uint64_t some = s->some, word;
	uint32_t w = thread_word(some), n;

	while (rank >= (n = thread_bits(s->word[w]))) {
		rank -= n;
		some &= some - 1;
		w = thread_word(some);
	}
	for (word = s->word[w]; rank; rank--)
		word &= word - 1;
	return w * 64 + (uint32_t)__builtin_ctzll(word);
}

/*
 * The set becomes a copy of the other one, a word at a time: most sets that are copied have just been changed, and a processor that
 * loads two words at once waits until a store of one of them has reached its cache.
 */
static inline void thread_set_copy(struct thread_set *s, const struct thread_set *other)
{
	uint64_t word = other->some;

	__asm__("" : "+r"(word)); /* else the compiler moves two words at once */
	s->some = word;
	for (uint32_t w = 0; w < THREAD_WORDS; w++) {
		word = other->word[w];
		__asm__("" : "+r"(word));
		s->word[w] = word;
	}
}

/* Adds all members of the other set. */
static inline void thread_set_join(struct thread_set *s, const struct thread_set *other)
{
	for (uint64_t left = other->some; left; left &= left - 1) {
		uint32_t w = thread_word(left);

		s->word[w] |= other->word[w];
	}
	s->some |= other->some;
}

/* Takes all out that are not members of the other set. */
static inline void thread_set_keep(struct thread_set *s, const struct thread_set *other)
{
	for (uint64_t left = s->some; left; left &= left - 1) {
		uint32_t w = thread_word(left);

		s->word[w] &= other->word[w];
		if (!s->word[w])
			s->some &= ~((uint64_t)1 << w);
	}
}

/* Takes all members of the other set out. */
static inline void thread_set_subtract(struct thread_set *s, const struct thread_set *other)
{
	for (uint64_t left = s->some & other->some; left; left &= left - 1) {
		uint32_t w = thread_word(left);

		s->word[w] &= ~other->word[w];
		if (!s->word[w])
			s->some &= ~((uint64_t)1 << w);
	}
}

#endif

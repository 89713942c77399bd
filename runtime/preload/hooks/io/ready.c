/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ready.c - see ready.h
 *
 * A place in the table of sets is used once in an execution, since the engine's idea of a
 * set does not go away with the descriptor; it knows none before the root point. Before the root point the kernel's own sets are in use, where what is
 * watched has its place for its data; so they can be asked what they have listed (ready_root()).
 */
#include "preload/hooks/io/ready.h"

#include <sys/epoll.h>

#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/hooks/hook.h"
#include "preload/step/perform.h"

enum {
	EARLY = 8, /* for those made before the first thread */
	SETS = EARLY + HEDDLE_EXPLORED_THREADS
};

#define FLAGS    ((uint32_t)EPOLLET | EPOLLONESHOT | EPOLLEXCLUSIVE | EPOLLWAKEUP)
#define TO_READ  ((uint32_t)EPOLLIN | EPOLLRDNORM)
#define TO_WRITE ((uint32_t)EPOLLOUT | EPOLLWRNORM)

static HEDDLE_IMAGE_SELDOM struct set sets[SETS] = { 0 };
static HEDDLE_IMAGE_SELDOM bool any_set = false;

struct set *set_of(int fd)
{
	for (int i = 0; any_set && fd >= 0 && i < SETS; i++)
		if (sets[i].fd == fd + 1)
			return &sets[i];
	return NULL;
}

bool epoll_is(int fd)
{
	return set_of(fd) != NULL;
}

void set_made(int fd)
{
	uint32_t from = current ? EARLY + current->tid % HEDDLE_EXPLORED_THREADS : 0;

	for (uint32_t i = 0; i < SETS; i++) {
		struct set *s = &sets[(from + i) % SETS];

		if (s->made)
			continue;
		*s = (struct set){ .fd = fd + 1, .made = true };
		any_set = true;
		return;
	}
	refuse("the program has more epoll descriptors than heddle can follow (72): close those that are not used",
	       NULL);
}

static bool same_ends(struct channel_ends a, struct channel_ends b)
{
	return a.take == b.take && a.add == b.add;
}

static struct channel_ends ends_of(int fd)
{
	static const struct channel_ends none = { 0, 0 };

	return fd >= 0 && fd < CHANNEL_FDS ? channel_ends[fd] : none;
}

uint32_t set_find(const struct set *s, int fd)
{
	uint32_t i = 0;

	while (i < READY_PLACES && !(s->watched[i].used && s->watched[i].fd == fd &&
				     same_ends(s->watched[i].ends, ends_of(fd))))
		i++;
	return i;
}

uint32_t set_free(const struct set *s)
{
	uint32_t i = 0;

	while (i < READY_PLACES && s->watched[i].used)
		i++;
	return i;
}

void watched_begin(struct watched *w)
{
	uint16_t channel = w->ends.take ? w->ends.take : w->ends.add;

	if (!w->order && channel)
		w->order = ++channels[channel - 1].watchers;
}

bool watched_enabled(const struct watched *w)
{
	return w->used && (w->events & ~FLAGS);
}

void watched_disable(struct watched *w)
{
	w->events &= FLAGS;
}

/* Who waits for an eventfd is not told of normal data, which it does not have. */
static bool wants(const struct watched *w, uint16_t channel, uint32_t events, uint32_t of_event)
{
	if (!channel)
		return false;
	return w->events & (channels[channel - 1].event ? of_event : events);
}

bool watched_wants_in(const struct watched *w)
{
	return wants(w, w->ends.take, TO_READ, EPOLLIN);
}

bool watched_wants_out(const struct watched *w)
{
	return wants(w, w->ends.add, TO_WRITE, EPOLLOUT);
}

bool watched_is_foreign(const struct watched *w)
{
	return w->used && !w->ends.take && !w->ends.add;
}

bool set_watches(const struct set *s, bool foreign)
{
	for (uint32_t i = 0; i < READY_PLACES; i++)
		if (s->watched[i].used && watched_is_foreign(&s->watched[i]) == foreign)
			return true;
	return false;
}

/* ---- The list ------------------------------------------------------------------------------------ */

static bool is_listed(const struct set *s, uint32_t place)
{
	for (uint32_t i = 0; i < s->nlisted; i++)
		if (s->listed[i] == place)
			return true;
	return false;
}

void set_list(struct set *s, uint32_t place)
{
	if (!is_listed(s, place))
		s->listed[s->nlisted++] = (uint8_t)place;
}

void set_unlist(struct set *s, uint32_t place)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nlisted; i++)
		if (s->listed[i] != place)
			s->listed[n++] = s->listed[i];
	s->nlisted = (uint8_t)n;
}

/* What the engine knows of it, but that it is listed. */
static struct value state_of(const struct watched *w, uint32_t place)
{
	uint64_t one = (uint64_t)1 << place;
	struct value v = { 0, 0 };

	if (!watched_enabled(w))
		return v;
	v.lo = one << READY_PLACES;
	v.hi = (watched_wants_in(w) ? one : 0) | (watched_wants_out(w) ? one << READY_PLACES : 0);
	return v;
}

static struct value ready_native_state(uint64_t addr)
{
	const struct set *s = (const struct set *)addr;
	struct value v = { set_watches(s, true) ? READY_FOREIGN : 0, 0 };

	for (uint32_t i = 0; i < READY_PLACES; i++) {
		struct value one = state_of(&s->watched[i], i);

		v.lo |= one.lo | (is_listed(s, i) ? (uint64_t)1 << i : 0);
		v.hi |= one.hi;
	}
	return v;
}

INITIAL_VALUE(ready_native_state, KIND(OP_READY_TAKE) | KIND(OP_READY_TRYTAKE) |
					  KIND(OP_READY_LOCK) | KIND(OP_READY_MARK) |
					  KIND(OP_READY_RELEASE));

void set_lock(struct set *s, uint64_t pc)
{
	struct op op = { .kind = OP_READY_LOCK, .addr = (uintptr_t)s, .pc = pc };
	struct op_result res;

	if (under_engine())
		operate(&op, &res);
}

void set_release(struct set *s, uint32_t place, bool listed, uint64_t pc)
{
	struct op op = { .kind = OP_READY_RELEASE, .addr = (uintptr_t)s, .pc = pc };
	struct op_result res;

	if (!under_engine())
		return;
	op.arg.lo = READY_FOREIGN;
	op.expected.lo = set_watches(s, true) ? READY_FOREIGN : 0;
	if (place < READY_PLACES) {
		struct value v = state_of(&s->watched[place], place);
		uint64_t one = (uint64_t)1 << place;

		op.arg.lo |= one << READY_PLACES | (watched_enabled(&s->watched[place]) ? 0 : one);
		op.arg.hi = one | one << READY_PLACES;
		op.expected.lo |= v.lo | (listed ? one : 0);
		op.expected.hi = v.hi;
	}
	operate(&op, &res);
}

/* ---- Wakes ---------------------------------------------------------------------------------------- */

static bool concerns(const struct watched *w, uint16_t channel, enum ready_key key)
{
	bool takes = w->wired_take && w->ends.take == channel;
	bool adds = w->wired_add && w->ends.add == channel;

	if (key == READY_KEY_ANY)
		return takes || adds;
	return key == READY_KEY_IN ? takes && w->wired_in : adds && w->wired_out;
}

static void note_place(struct wake *w, struct set *s, uint32_t place)
{
	uint32_t i = 0, one = (uint32_t)1 << place;

	while (i < w->n && w->at[i].set != s)
		i++;
	if (i == WAKE_SETS)
		refuse("more epoll descriptors of the program watch the same than heddle can follow "
		       "(8): watch it with fewer",
		       NULL);
	if (i == w->n) {
		w->at[w->n].places = w->at[w->n].exclusive = 0;
		w->at[w->n++].set = s;
	}
	w->at[i].places |= one;
	if (w->key != READY_KEY_ANY && (s->watched[place].events & EPOLLEXCLUSIVE))
		w->at[i].exclusive |= one;
}

void wake_note(struct wake *w, const struct channel *c)
{
	uint16_t channel = (uint16_t)(c - channels + 1);

	w->channel[w->channel[0] != 0] = channel;
	if (!any_set || !under_engine())
		return;
	for (uint32_t i = 0; i < SETS; i++)
		for (uint32_t k = 0; sets[i].made && k < READY_PLACES; k++)
			if (concerns(&sets[i].watched[k], channel, w->key))
				note_place(w, &sets[i], k);
}

/*
 * Of those that watch the same with EPOLLEXCLUSIVE "one or more" are told. Takes the others out; of few, since
 * each such choice is explored.
 */
static void choose_exclusive(struct wake *w, uint64_t pc)
{
	uint32_t n = 0, bit = 0, chosen;

	for (uint32_t i = 0; i < w->n; i++)
		n += (uint32_t)__builtin_popcount(w->at[i].exclusive);
	if (n < 2)
		return;
	if (n > 4)
		refuse("more than four epoll descriptors of the program watch the same with "
		       "EPOLLEXCLUSIVE: watch it with fewer",
		       NULL);
	chosen = channel_choose((1u << n) - 1, pc) + 1;
	for (uint32_t i = 0; i < w->n; i++)
		for (uint32_t left = w->at[i].exclusive; left; left &= left - 1)
			if (!(chosen >> bit++ & 1))
				w->at[i].places &= ~(left & -left);
}

/* Is this still what the wake was for, and is it asked for? */
static bool is_told(const struct watched *w, const struct wake *wake)
{
	bool takes = w->ends.take &&
		     (w->ends.take == wake->channel[0] || w->ends.take == wake->channel[1]);
	bool adds =
		w->ends.add && (w->ends.add == wake->channel[0] || w->ends.add == wake->channel[1]);

	if (!watched_enabled(w))
		return false;
	switch (wake->key) {
	case READY_KEY_IN:
		return takes && watched_wants_in(w);
	case READY_KEY_OUT:
		return adds && watched_wants_out(w);
	default:
		return takes || adds;
	}
}

/* Who began last to watch a file is told first, but for exclusive ones, who come last. */
static bool comes_before(const struct wake *w, const struct watched *a, const struct watched *b)
{
	bool exclusive = a->events & EPOLLEXCLUSIVE, first = same_ends(a->ends, w->first);

	if (first != same_ends(b->ends, w->first))
		return first;
	if (exclusive != !!(b->events & EPOLLEXCLUSIVE))
		return !exclusive;
	return exclusive ? a->order < b->order : a->order > b->order;
}

static void list_told(struct set *s, uint32_t places, const struct wake *w)
{
	while (places) {
		uint32_t next = (uint32_t)__builtin_ctz(places);

		for (uint32_t i = next + 1; i < READY_PLACES; i++)
			if ((places >> i & 1) && comes_before(w, &s->watched[i], &s->watched[next]))
				next = i;
		places &= ~((uint32_t)1 << next);
		if (is_told(&s->watched[next], w))
			set_list(s, next);
	}
}

void wake_send(const struct wake *noted, uint64_t pc)
{
	struct wake w = *noted;

	choose_exclusive(&w, pc);
	for (uint32_t i = 0; i < w.n; i++) {
		struct set *s = w.at[i].set;
		struct op op = { .kind = OP_READY_MARK,
				 .fn = (uint8_t)w.key,
				 .addr = (uintptr_t)s,
				 .arg = value_of(w.at[i].places),
				 .pc = pc };
		struct op_result res;

		if (!w.at[i].places)
			continue;
		operate(&op, &res);
		list_told(s, w.at[i].places, &w);
	}
}

void wake(const struct channel *c, enum ready_key key, uint64_t pc)
{
	struct wake w = { .key = key };

	wake_note(&w, c);
	wake_send(&w, pc);
}

/* ---- Closing ---------------------------------------------------------------------------------------- */

void ready_unwire(const struct channel *c, bool takes)
{
	uint16_t channel = (uint16_t)(c - channels + 1);

	for (uint32_t i = 0; any_set && i < SETS; i++)
		for (uint32_t k = 0; sets[i].made && k < READY_PLACES; k++) {
			struct watched *w = &sets[i].watched[k];

			if (takes && w->ends.take == channel)
				w->wired_take = w->wired_in = false;
			if (!takes && w->ends.add == channel)
				w->wired_add = w->wired_out = false;
		}
}

static void forget_place(struct set *s, uint32_t place, uint64_t pc)
{
	set_lock(s, pc);
	s->watched[place] = (struct watched){ .used = false };
	set_release(s, place, false, pc);
	set_unlist(s, place);
}

void ready_closed(int fd, struct channel_ends ends, bool last, uint64_t pc)
{
	struct set *own = set_of(fd);

	if (own) {
		own->fd = 0;
		own->made = under_engine();
	}
	/* As the kernel does: what was closed is watched until no other descriptor leads to it. */
	for (uint32_t i = 0; any_set && last && i < SETS; i++)
		for (uint32_t k = 0; sets[i].fd && k < READY_PLACES; k++) {
			struct watched *w = &sets[i].watched[k];

			if (!w->used || !same_ends(w->ends, ends))
				continue;
			if (!watched_is_foreign(w))
				forget_place(&sets[i], k, pc);
			else if (w->fd == fd)
				w->used = false; /* in no order */
		}
}

void ready_changed(int fd)
{
	for (uint32_t i = 0; any_set && i < SETS; i++) {
		for (uint32_t k = 0; sets[i].fd && k < READY_PLACES; k++) {
			struct watched *w = &sets[i].watched[k];

			if (!watched_is_foreign(w) || w->fd != fd)
				continue;
			if (under_engine())
				NOT_YET("a socket that is connected, or listens, after epoll "
					"watches it",
					"watch it afterwards");
			w->ends = channel_ends[fd];
			watched_begin(w);
		}
	}
}

/* ---- At the root point ------------------------------------------------------------------------------ */

static void wire(struct watched *w)
{
	w->wired_take = w->ends.take;
	w->wired_add = w->ends.add;
	w->wired_in = watched_wants_in(w);
	w->wired_out = watched_wants_out(w);
}

/* What the kernel has listed, and is ready; it is not asked again. */
static void root_list(struct set *s)
{
	struct epoll_event ready[READY_PLACES];
	long n = sys6(SYS_epoll_pwait, s->fd - 1, (long)ready, READY_PLACES, 0, 0, 0);

	for (long i = 0; i < n; i++)
		if (ready[i].data.u64 < READY_PLACES)
			set_list(s, (uint32_t)ready[i].data.u64);
}

void ready_root(void)
{
	for (uint32_t i = 0; any_set && i < SETS; i++) {
		if (!sets[i].fd)
			continue;
		root_list(&sets[i]);
		for (uint32_t k = 0; k < READY_PLACES; k++)
			if (sets[i].watched[k].used)
				wire(&sets[i].watched[k]);
	}
}

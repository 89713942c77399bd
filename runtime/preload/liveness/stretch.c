/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch.c - the code between two operations of a thread: is all that it does told?
 *
 * The redundant-round rule compares the state of a thread at two of its operations (await.c). What
 * it compares is the stack, the registers, and the memory that somebody has announced. So it is right
 * only if the code between them does nothing else: no function without instrumentation, no inline
 * assembly that stores, no call of a library that keeps something. Whether that is so is decided here
 * from the code itself, and what is not known is not told.
 *
 * How code is followed: stretch_reach.c. Here are the questions about it, and the answers that are kept.
 *
 * Invariant: but for calls that are known to have gone somewhere (stretch_ask()) an outcome depends on the code alone, so all workers have the same.
 */
#include "preload/liveness/stretch.h"

#include "base/insn_ask.h"
#include "base/table.h"
#include "preload/code/code.h"
#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/liveness/stretch_reach.h"
#include "preload/liveness/tail.h"
#include "preload/liveness/taken.h"

enum {
	KNOWN_BITS = 11, /* of the tables of places, and of ways, that are remembered */
	STRICT = 2       /* none of those of struct taken */
};

static struct stretch_known *known;
KEPT(known);
static uint32_t nknown;
KEPT(nknown);
static struct stretch_way *ways;
KEPT(ways);
static uint32_t nways;
KEPT(nways);

/* The stack pointer at the place, behind a call, or 0. */
static int32_t sp_at(const struct node *node)
{
	return node->met && in_frame(node->reg[INSN_RSP]) ? node->reg[INSN_RSP] : 0;
}

static void look_at(struct stretch_known *k)
{
	uint64_t offset;

	reach_begin();
	if (reach_decode_at(k->pc, &offset, &k->start)) {
		k->returns = reach_from(offset);
		k->sp = offset ? sp_at(flow_node(&reach_fn, offset)) : 0;
		reach_functions(k->start);
	} else {
		reach_now.worst = STRETCH_UNSEEN;
	}
	k->worst = (uint8_t)reach_now.worst;
}

void stretch_ask(bool strictly, const struct taken *taken)
{
	reach_strict = strictly;
	reach_resolved = taken;
}

static uint64_t asked(void)
{
	return reach_resolved ? reach_resolved->hash : reach_strict ? STRICT : 0;
}

/* What was called by a word that holds something else now may be anything, for good. */
static void look_again(struct stretch_word *w, uint8_t *worst)
{
	if (!w->at || *(const uint64_t *)w->at == w->held)
		return;
	w->at = 0;
	if (*worst < STRETCH_UNSEEN)
		*worst = STRETCH_UNSEEN;
}

const struct stretch_known *stretch_known(uint64_t pc)
{
	static struct stretch_known last;
	KEPT(last);
	const uint64_t taken = asked();
	struct self *caller = current;
	struct stretch_known *k, found = { .pc = pc, .taken = taken };

	if (!known)
		known = map_own(table_slots(KNOWN_BITS) * sizeof(*known));
	TABLE_FIND(k, known, KNOWN_BITS, table_mix(table_hash(pc), taken),
		   !k->pc || (k->pc == pc && k->taken == taken));
	if (k->pc) {
		look_again(&k->word, &k->worst);
		return k;
	}
	current = NULL; /* libraries may come back to our hooks */
	look_at(&found);
	found.word = reach_now.word;
	current = caller;
	if (table_full(nknown, KNOWN_BITS) || reach_now.open)
		k = &last; /* is found out again each time */
	else
		nknown++;
	*k = found;
	return k;
}

uint64_t stretch_start(uint64_t pc)
{
	const struct taken *taken = reach_resolved;
	uint64_t start;

	reach_resolved = NULL;
	start = stretch_known(pc)->start;
	reach_resolved = taken;
	return start;
}

/* ---- A frame that others look into --------------------------------------------------------------------- */

bool stretch_touches(uint64_t start, int64_t from, int64_t to, bool hidden)
{
	static struct {
		uint64_t start;
		int64_t from, to;
		bool hidden, touched;
	} last;
	KEPT(last);
	struct self *caller = current;

	if (last.start == start && last.from == from && last.to == to && last.hidden == hidden)
		return last.touched;
	current = NULL; /* libraries may come back to our hooks */
	last.touched = !start || !reach_decode(start + 1, false) ||
		       reach_fn.function.start != start || reach_touches(from, to, hidden);
	current = caller;
	last.start = start;
	last.from = from;
	last.to = to;
	last.hidden = hidden;
	return last.touched;
}

/* ---- Ways ---------------------------------------------------------------------------------------- */

/* Does control leave the function there for who knows where? */
static bool is_lost(const struct node *node, uint64_t site)
{
	const struct insn *in = &node->in;

	if (!flow_jumps(in) || reach_target_of(in))
		return node->odd;
	for (uint32_t i = 0; reach_resolved && taken_is_watched(site); i++)
		if (i == reach_resolved->n || reach_resolved->at[i].site == site)
			return i < reach_resolved->n;
	return true;
}

static bool jumps_out(const struct node *node, uint64_t site)
{
	const struct insn *in = &node->in;

	return is_lost(node, site) ||
	       (flow_jumps(in) && reach_target_of(in) &&
		in->target - reach_fn.function.start >= flow_size(&reach_fn));
}

/* May control come back into the function by jumps? */
static bool jumps_back(const struct node *node, uint64_t site)
{
	return jumps_out(node, site) &&
	       (is_lost(node, site) ||
		tail_comes_back(reach_target_of(&node->in), &reach_fn.function, reach_resolved));
}

static bool leads(const struct node *node)
{
	return node && reach_told[node - reach_fn.node].leads;
}

/* Does a way go on from the instruction, which control comes to, if one does from those behind it? */
static bool leads_on(const struct node *node, uint64_t offset)
{
	const struct insn *in = &node->in;

	return (!reach_told[node - reach_fn.node].ends &&
		leads(flow_node(&reach_fn, offset + in->length))) ||
	       (flow_jumps(in) && in->target &&
		leads(flow_node(&reach_fn, in->target - reach_fn.function.start)));
}

/* Of a thread that is behind it: a call, or inline assembly that is an operation (hooks/tsan/bare_fence.c, bare_atomic.c). */
static bool is_operation(const struct node *node, uint64_t at)
{
	uint64_t left = node->in.length;
	uint8_t room[CODE_ROOM];
	struct insn_ask ask;

	return node->in.kind == INSN_CALL || node->operates ||
	       (insn_asks(code_at(at, &left, room), left, &ask) && ask.kind == ASKS_FENCE);
}

/* Does a way end there? */
static bool is_there(const struct node *node, uint64_t offset, uint64_t site)
{
	const uint64_t at = reach_fn.function.start + offset;

	if (site == WAY_OUT)
		return node->in.kind == INSN_RETURN || jumps_out(node, at);
	if (site == WAY_JUMPS)
		return jumps_out(node, at);
	return (at + node->in.length == site && is_operation(node, at)) || jumps_back(node, at);
}

/* Marks the instructions from which a way leads there. Are there any? */
static bool mark_ways(uint64_t site)
{
	bool any = false, news = true;

	for (uint64_t o = 0; o < flow_size(&reach_fn); o++) {
		const struct node *node = flow_node(&reach_fn, o);

		if (node && reach_told[node - reach_fn.node].met)
			reach_told[node - reach_fn.node].leads = is_there(node, o, site);
	}
	while (news) {
		news = false;
		for (uint64_t o = flow_size(&reach_fn); o-- > 0;) {
			const struct node *node = flow_node(&reach_fn, o);
			struct told *t;

			if (!node || !reach_told[node - reach_fn.node].met)
				continue;
			t = &reach_told[node - reach_fn.node];
			any |= t->leads;
			if (t->leads || !leads_on(node, o))
				continue;
			t->leads = news = true;
		}
	}
	return any;
}

/* The worst on such a way; false: there is none. */
static bool worst_way(uint64_t pc, uint64_t site, uint8_t *worst)
{
	uint64_t start, offset;
	bool any, returns;

	*worst = STRETCH_UNSEEN;
	reach_begin();
	if (!reach_decode_at(pc, &offset, &start))
		return true; /* for all that is known */
	reach_now.mute = offset;
	reach_from(offset);
	reach_now.mute = false;
	any = !offset || mark_ways(site); /* else all ways count */
	for (uint64_t o = 0; o < flow_size(&reach_fn) && offset; o++) {
		struct node *node = flow_node(&reach_fn, o);

		if (leads(node))
			reach_node(node, o, &returns);
	}
	reach_functions(start);
	*worst = (uint8_t)reach_now.worst;
	return any;
}

struct stretch_way stretch_way(uint64_t pc, uint64_t site)
{
	struct self *caller = current;
	struct stretch_way *w, found = { .pc = pc, .site = site, .taken = asked() };
	uint64_t hash = table_mix(table_mix(found.taken, pc), site);

	if (!ways)
		ways = map_own(table_slots(KNOWN_BITS) * sizeof(*ways));
	TABLE_FIND(w, ways, KNOWN_BITS, hash,
		   !w->pc || (w->pc == pc && w->site == site && w->taken == found.taken));
	if (w->pc) {
		look_again(&w->word, &w->worst);
		return *w;
	}
	current = NULL; /* libraries may come back to our hooks */
	found.there_is = worst_way(pc, site, &found.worst);
	found.word = reach_now.word;
	current = caller;
	if (!table_full(nways, KNOWN_BITS) &&
	    !reach_now.open) { /* else it is found out again each time */
		nways++;
		*w = found;
	}
	return found;
}

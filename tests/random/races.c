/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * races.c - has an execution a data race?
 *
 * Two accesses race if one of them writes, one of them is plain, and neither happens before the other. Until the
 * first race there is one value that a plain read may have. So one copy of each plain variable is enough,
 * and the search ends with the first race.
 *
 * A mark stands for the last access of its kind by a thread: read or write, plain or atomic, of one of the plain
 * variables or of location 0. If the last one happens before something, all earlier ones do. So what a thread
 * knows, and what a message, a buffered store or a memory cell hands on, is a set of marks; a new
 * access takes its mark out of all sets but its thread's own. No clock counts up, and loops end.
 */
#include <string.h>

#include "random/machine.h"

enum kind {
	PLAIN_READ,
	PLAIN_WRITE,
	ATOMIC_READ,
	ATOMIC_WRITE,
	KINDS
};

static marks_t mark(int variable, int kind, int t)
{
	return (marks_t)1 << ((variable * KINDS + kind) * MAX_THREADS + t);
}

static void access(struct search *search, struct state *s, int t, int variable, enum kind kind)
{
	static const uint8_t conflicts[KINDS] = {
		[PLAIN_READ] = 1 << PLAIN_WRITE | 1 << ATOMIC_WRITE,
		[PLAIN_WRITE] =
			1 << PLAIN_READ | 1 << PLAIN_WRITE | 1 << ATOMIC_READ | 1 << ATOMIC_WRITE,
		[ATOMIC_READ] = 1 << PLAIN_WRITE,
		[ATOMIC_WRITE] = 1 << PLAIN_READ | 1 << PLAIN_WRITE,
	};
	const marks_t unordered = s->happened & ~search->machine->known(s, t);

	for (int u = 0; u < MAX_THREADS; u++)
		for (int k = 0; k < KINDS && u != t; k++)
			if (conflicts[kind] >> k & 1 && unordered & mark(variable, k, u))
				search->out->race = true;
	s->happened |= mark(variable, kind, t);
	search->machine->note(s, t, mark(variable, kind, t));
}

void race_plain(struct search *search, struct state *s, int t, int variable, bool write)
{
	access(search, s, t, variable, write ? PLAIN_WRITE : PLAIN_READ);
}

/* Location 0 stands behind the plain variables. Programs with races do no compare-and-swap there. */
void race_atomic(struct search *search, struct state *s, int t, const struct insn *i)
{
	if (i->op > OP_CAS || i->cell)
		return;
	if (i->order == PLAIN)
		race_plain(search, s, t, MAX_PLAIN, i->op == OP_STORE);
	else
		access(search, s, t, MAX_PLAIN, i->op == OP_LOAD ? ATOMIC_READ : ATOMIC_WRITE);
}

uint8_t *pack_marks(const struct search *search, marks_t marks, uint8_t *to)
{
	if (!search->p->races)
		return to;
	memcpy(to, &marks, sizeof(marks));
	return to + sizeof(marks);
}

const uint8_t *unpack_marks(const struct search *search, marks_t *marks, const uint8_t *from)
{
	*marks = 0;
	if (!search->p->races)
		return from;
	memcpy(marks, from, sizeof(*marks));
	return from + sizeof(*marks);
}

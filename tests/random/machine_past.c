/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine_past.c - wra: messages with all that happened before them
 *
 * There is no modification order. A message carries the set of messages that its writer knew of,
 * and who reads it knows of them, too. A thread may read any message of a location that no other
 * message it knows of overwrites: one that has it in its past. Two read-modify-writes never read
 * the same message.
 *
 * Messages are named in the order of their threads. Those that nobody can read any more go. Nothing
 * else does: who overwrites what an exchange read need not overwrite what it stored, be it the
 * same value. So loops with exchanges may have no end, and are followed for some messages only.
 */
#include "random/machine.h"

#include <string.h>

#define BIT(i) ((uint64_t)1 << (i))

enum {
	TAKER_GONE = 255
};

static void start(const struct search *search, struct state *s)
{
	struct past_memory *m = &s->past;

	memset(m, 0, sizeof(*m));
	m->n = MAX_CELLS;
	for (int c = 0; c < MAX_CELLS; c++) {
		m->cell[c] = (uint8_t)c;
		m->value[c] = c < search->p->nlocs ? search->p->init[c] : 0;
		m->past[c] = BIT(MAX_CELLS) - 1;
	}
	for (int t = 0; t < MAX_THREADS; t++)
		m->known[t] = BIT(MAX_CELLS) - 1;
}

static bool is_hidden(const struct past_memory *m, uint64_t known, int message)
{
	for (int i = 0; i < m->n; i++)
		if (i != message && m->cell[i] == m->cell[message] && (known & BIT(i)) &&
		    (m->past[i] & BIT(message)))
			return true;
	return false;
}

/* Makes room for a message behind those of its thread: messages stand in the order of writers. */
static int insert(struct search *search, struct past_memory *m, int writer)
{
	int at = m->n;
	uint64_t low;

	if (m->n == MAX_PAST) {
		search->cut = true;
		return -1;
	}
	while (at > 0 && m->writer[at - 1] > writer)
		at--;
	low = BIT(at) - 1;
	for (int i = m->n; i > at; i--) {
		m->cell[i] = m->cell[i - 1];
		m->writer[i] = m->writer[i - 1];
		m->value[i] = m->value[i - 1];
		m->taken_by[i] = m->taken_by[i - 1];
		m->past[i] = m->past[i - 1];
		m->marks[i] = m->marks[i - 1];
	}
	m->n++;
	m->taken_by[at] = 0;
	m->past[at] = 0;
	m->writer[at] = (uint8_t)writer;
	for (int i = 0; i < m->n; i++) {
		m->past[i] = (m->past[i] & low) | (m->past[i] & ~low) << 1;
		if (m->taken_by[i] > at && m->taken_by[i] != TAKER_GONE)
			m->taken_by[i]++;
	}
	for (int t = 0; t < MAX_THREADS; t++)
		m->known[t] = (m->known[t] & low) | (m->known[t] & ~low) << 1;
	return at;
}

static bool add(struct search *search, struct past_memory *m, int t, int cell, int value, int taken)
{
	int at = insert(search, m, t + 1);

	if (at < 0)
		return false;
	if (taken >= at)
		taken++;
	if (taken >= 0)
		m->taken_by[taken] = (uint8_t)(at + 1);
	m->cell[at] = (uint8_t)cell;
	m->value[at] = (int8_t)value;
	m->known[t] |= BIT(at);
	m->past[at] = m->known[t];
	m->marks[at] = m->known_marks[t];
	return true;
}

static void from_message(struct search *search, const struct state *s, int t, const struct insn *i,
			 int message)
{
	struct state next = *s;
	struct past_memory *m = &next.past;
	int8_t *reg = next.t[t].reg;
	const int old = m->value[message];
	bool writes = i->op == OP_RMW;
	int value = operand_value(i->arg, reg);

	if (i->op == OP_CAS)
		writes = old == operand_value(i->expected, reg);
	else if (i->op == OP_LOCK || i->op == OP_TRYLOCK)
		writes = !old;
	else if (i->op == OP_RMW)
		value = rmw_value(i->fn, old, value);
	if (i->op == OP_LOCK || i->op == OP_TRYLOCK)
		value = 1;
	if ((writes && m->taken_by[message]) || (i->op == OP_LOCK && !writes))
		return;
	m->known[t] |= m->past[message];
	m->known_marks[t] |= m->marks[message];
	if (writes && !add(search, m, t, i->cell, value, message))
		return;
	if (i->op == OP_LOAD || i->op == OP_RMW)
		reg[i->reg] = (int8_t)old;
	else if (i->op != OP_LOCK)
		reg[i->reg] = writes;
	if (i->op == OP_CAS)
		reg[i->reg2] = (int8_t)old;
	search_emit(search, &next, t, true);
}

static void step(struct search *search, const struct state *s, int t)
{
	const struct insn *i = next_insn(search, s, t);
	struct state next = *s;

	switch (i->op) {
	case OP_STORE:
		if (add(search, &next.past, t, i->cell, operand_value(i->arg, s->t[t].reg), -1))
			search_emit(search, &next, t, true);
		break;
	case OP_UNLOCK:
		if (add(search, &next.past, t, i->cell, 0, -1))
			search_emit(search, &next, t, true);
		break;
	case OP_FENCE:
	case OP_END:
		search_emit(search, &next, t, true);
		break;
	case OP_LOAD:
	case OP_RMW:
	case OP_CAS:
	case OP_LOCK:
	case OP_TRYLOCK:
		for (int w = 0; w < s->past.n; w++)
			if (s->past.cell[w] == i->cell && !is_hidden(&s->past, s->past.known[t], w))
				from_message(search, s, t, i, w);
		break;
	default:
		machine_cond(search, s, t);
		break;
	}
}

static void take_out(struct past_memory *m, int at)
{
	const uint64_t low = BIT(at) - 1;

	m->n--;
	for (int i = at; i < m->n; i++) {
		m->cell[i] = m->cell[i + 1];
		m->writer[i] = m->writer[i + 1];
		m->value[i] = m->value[i + 1];
		m->taken_by[i] = m->taken_by[i + 1];
		m->past[i] = m->past[i + 1];
		m->marks[i] = m->marks[i + 1];
	}
	for (int i = 0; i < m->n; i++) {
		m->past[i] = (m->past[i] & low) | (m->past[i] >> 1 & ~low);
		if (m->taken_by[i] > at + 1 && m->taken_by[i] != TAKER_GONE)
			m->taken_by[i]--;
	}
	for (int t = 0; t < MAX_THREADS; t++)
		m->known[t] = (m->known[t] & low) | (m->known[t] >> 1 & ~low);
	m->past[m->n] = 0;
}

/* Can nobody read it any more? In the end that is what the main thread may not read. */
static bool is_dead(const struct search *search, const struct state *s, int message)
{
	bool all_done = true;

	for (int t = 0; t < search->p->nthreads; t++)
		if (!s->t[t].done) {
			all_done = false;
			if (!is_hidden(&s->past, s->past.known[t], message))
				return false;
		}
	return !all_done || is_hidden(&s->past, ~(uint64_t)0, message);
}

static void tidy(const struct search *search, struct state *s)
{
	struct past_memory *m = &s->past;

	for (int w = 0; w < m->n; w++)
		if (is_dead(search, s, w)) {
			for (int i = 0; i < m->n; i++)
				if (m->taken_by[i] == w + 1)
					m->taken_by[i] = TAKER_GONE;
			take_out(m, w--);
		}
	for (int t = 0; t < MAX_THREADS; t++)
		if (t >= search->p->nthreads || s->t[t].done)
			m->known[t] = m->known_marks[t] = 0;
}

static uint8_t *pack(const struct search *search, const struct state *s, uint8_t *to)
{
	const struct past_memory *m = &s->past;

	*to++ = m->n;
	for (int i = 0; i < m->n; i++) {
		*to++ = m->cell[i];
		*to++ = m->writer[i];
		*to++ = (uint8_t)m->value[i];
		*to++ = m->taken_by[i];
		memcpy(to, &m->past[i], 8);
		to = pack_marks(search, m->marks[i], to + 8);
	}
	for (int t = 0; t < search->p->nthreads; t++) {
		memcpy(to, &m->known[t], 8);
		to = pack_marks(search, m->known_marks[t], to + 8);
	}
	return to;
}

static const uint8_t *unpack(const struct search *search, struct state *s, const uint8_t *from)
{
	struct past_memory *m = &s->past;

	memset(m, 0, sizeof(*m));
	m->n = *from++;
	for (int i = 0; i < m->n; i++) {
		m->cell[i] = *from++;
		m->writer[i] = *from++;
		m->value[i] = (int8_t)*from++;
		m->taken_by[i] = *from++;
		memcpy(&m->past[i], from, 8);
		from = unpack_marks(search, &m->marks[i], from + 8);
	}
	for (int t = 0; t < search->p->nthreads; t++) {
		memcpy(&m->known[t], from, 8);
		from = unpack_marks(search, &m->known_marks[t], from + 8);
	}
	return from;
}

static void choose(struct search *search, const struct state *s, tell_fn tell, int cell,
		   int8_t *last)
{
	if (cell == MAX_CELLS) {
		tell(search, s, last);
		return;
	}
	for (int w = 0; w < s->past.n; w++)
		if (s->past.cell[w] == cell && !is_hidden(&s->past, ~(uint64_t)0, w)) {
			last[cell] = s->past.value[w];
			choose(search, s, tell, cell + 1, last);
		}
}

static void finish(struct search *search, const struct state *s, tell_fn tell)
{
	int8_t last[MAX_CELLS] = { 0 };

	choose(search, s, tell, 0, last);
}

static marks_t known(const struct state *s, int t)
{
	return s->past.known_marks[t];
}

static void note(struct state *s, int t, marks_t mark)
{
	for (int w = 0; w < s->past.n; w++)
		s->past.marks[w] &= ~mark;
	for (int u = 0; u < MAX_THREADS; u++)
		s->past.known_marks[u] &= ~mark;
	s->past.known_marks[t] |= mark;
}

const struct machine machine_past = { start, step, tidy, pack, unpack, finish, known, note, NULL };

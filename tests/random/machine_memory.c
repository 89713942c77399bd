/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine_memory.c - one memory: sc, and x86-TSO with its store buffers
 *
 * Under tso a store enters its thread's buffer, which drains in order at any time. A load takes
 * the youngest store of its own buffer, else memory. Read-modify-writes, sc fences and the end
 * of a thread wait until the buffer is empty, and so do sc stores, which are exchanges.
 */
#include "random/machine.h"

#include <string.h>

static bool buffers(const struct search *search)
{
	return search->model == TSO_MODEL;
}

static void start(const struct search *search, struct state *s)
{
	memset(&s->tso, 0, sizeof(s->tso));
	for (int l = 0; l < search->p->nlocs; l++)
		s->tso.cell[l] = search->p->init[l];
	for (int m = 0; m < MAX_MUTEXES; m++)
		s->tso.cell[MAX_LOCS + m] = (int8_t)lock_begins(search->p, m);
}

/* What happens before a write happens before who reads it. */
static void learn_from(struct state *s, int t, int cell)
{
	for (int i = 0; i < s->tso.n[t]; i++)
		if (s->tso.to[t][i] == cell)
			return; /* its own */
	s->tso.known[t] |= s->tso.cell_marks[cell];
}

static int8_t seen(const struct state *s, int t, int cell)
{
	for (int i = s->tso.n[t]; i-- > 0;)
		if (s->tso.to[t][i] == cell)
			return s->tso.value[t][i];
	return s->tso.cell[cell];
}

static void drain(struct search *search, const struct state *s, int t)
{
	struct state next = *s;
	struct tso_memory *m = &next.tso;

	m->cell[m->to[t][0]] = m->value[t][0];
	m->cell_marks[m->to[t][0]] = m->buffer_marks[t][0];
	m->n[t]--;
	memmove(m->buffer_marks[t], m->buffer_marks[t] + 1, m->n[t] * sizeof(marks_t));
	memmove(m->to[t], m->to[t] + 1, m->n[t]);
	memmove(m->value[t], m->value[t] + 1, m->n[t]);
	search_emit(search, &next, t, false);
}

static void store(struct search *search, struct state *next, int t, int cell, int8_t value)
{
	struct tso_memory *m = &next->tso;

	if (!buffers(search)) {
		m->cell[cell] = value;
		m->cell_marks[cell] = m->known[t];
	} else if (m->n[t] == MAX_BUFFER) {
		search->cut = true;
		return;
	} else {
		m->to[t][m->n[t]] = (uint8_t)cell;
		m->buffer_marks[t][m->n[t]] = m->known[t];
		m->value[t][m->n[t]++] = value;
	}
	search_emit(search, next, t, true);
}

static void read_modify_write(struct search *search, struct state *next, int t,
			      const struct insn *i)
{
	int8_t *reg = next->t[t].reg, old = next->tso.cell[i->cell];

	learn_from(next, t, i->cell);
	next->tso.cell_marks[i->cell] = next->tso.known[t];
	next->tso.cell[i->cell] = (int8_t)rmw_value(i->fn, old, operand_value(i->arg, reg));
	reg[i->reg] = old;
	search_emit(search, next, t, true);
}

/* The buffer is empty. */
static void change_lock(struct search *search, struct state *next, int t, int cell, int value)
{
	learn_from(next, t, cell);
	next->tso.cell_marks[cell] = next->tso.known[t];
	next->tso.cell[cell] = (int8_t)value;
	search_emit(search, next, t, true);
}

/* Instructions that go to memory; the buffer is empty where they write. */
static void act(struct search *search, const struct state *s, int t, const struct insn *i)
{
	struct state next = *s;
	int8_t *reg = next.t[t].reg, old = seen(s, t, i->cell);
	const bool empty = !s->tso.n[t], passes = lock_passes(i->fn, old);

	switch (i->op) {
	case OP_LOAD:
		learn_from(&next, t, i->cell);
		reg[i->reg] = old;
		search_emit(search, &next, t, true);
		break;
	case OP_STORE:
		if (i->order == SC && empty) {
			next.tso.cell[i->cell] = (int8_t)operand_value(i->arg, reg);
			next.tso.cell_marks[i->cell] = next.tso.known[t];
			search_emit(search, &next, t, true);
		} else if (i->order != SC) {
			store(search, &next, t, i->cell, (int8_t)operand_value(i->arg, reg));
		}
		break;
	case OP_UNLOCK:
		if (i->fn == HOW_MUTEX)
			store(search, &next, t, i->cell, 0);
		else if (empty)
			change_lock(search, &next, t, i->cell, lock_freed(i->fn, old));
		break;
	case OP_RMW:
		if (empty)
			read_modify_write(search, &next, t, i);
		break;
	case OP_CAS:
		if (old == operand_value(i->expected, reg) && !empty)
			break; /* only a failing one reads past its buffer */
		learn_from(&next, t, i->cell);
		if (old == operand_value(i->expected, reg)) {
			next.tso.cell[i->cell] = (int8_t)operand_value(i->arg, reg);
			next.tso.cell_marks[i->cell] = next.tso.known[t];
		}
		reg[i->reg] = old == operand_value(i->expected, s->t[t].reg);
		reg[i->reg2] = old;
		search_emit(search, &next, t, true);
		break;
	case OP_LOCK:
		if (empty && passes)
			change_lock(search, &next, t, i->cell, lock_taken(i->fn, old));
		break;
	case OP_TRYLOCK:
		if (passes && !empty)
			break;
		reg[i->reg] = passes;
		if (passes) {
			change_lock(search, &next, t, i->cell, lock_taken(i->fn, old));
			break;
		}
		learn_from(&next, t, i->cell);
		search_emit(search, &next, t, true);
		break;
	case OP_FENCE:
		if (i->order != SC || empty)
			search_emit(search, &next, t, true);
		break;
	default:
		if (empty)
			search_emit(search, &next, t, true);
		break;
	}
}

static void step(struct search *search, const struct state *s, int t)
{
	const struct insn *i = next_insn(search, s, t);
	const bool waits = i->op == OP_WAIT || i->op == OP_WOKEN || i->op == OP_SIGNAL ||
			   i->op == OP_BROADCAST;

	if (s->tso.n[t])
		drain(search, s, t);
	if (!waits)
		act(search, s, t, i);
	else if (i->op == OP_WOKEN || !s->tso.n[t] || (i->op != OP_WAIT && !anybody_waits(s)))
		machine_cond(search, s, t);
}

static void tidy(const struct search *search, struct state *s)
{
	for (int t = 0; t < search->p->nthreads; t++)
		if (s->t[t].done)
			s->tso.known[t] = 0;
}

static uint8_t *pack(const struct search *search, const struct state *s, uint8_t *to)
{
	memcpy(to, s->tso.cell, MAX_CELLS);
	to += MAX_CELLS;
	for (int c = 0; c < MAX_CELLS; c++)
		to = pack_marks(search, s->tso.cell_marks[c], to);
	for (int t = 0; t < MAX_THREADS; t++)
		to = pack_marks(search, s->tso.known[t], to);
	for (int t = 0; buffers(search) && t < search->p->nthreads; t++) {
		const uint8_t n = s->tso.n[t];

		*to++ = n;
		memcpy(to, s->tso.to[t], n);
		memcpy(to + n, s->tso.value[t], n);
		to += 2 * n;
		for (int i = 0; i < n; i++)
			to = pack_marks(search, s->tso.buffer_marks[t][i], to);
	}
	return to;
}

static const uint8_t *unpack(const struct search *search, struct state *s, const uint8_t *from)
{
	memset(&s->tso, 0, sizeof(s->tso));
	memcpy(s->tso.cell, from, MAX_CELLS);
	from += MAX_CELLS;
	for (int c = 0; c < MAX_CELLS; c++)
		from = unpack_marks(search, &s->tso.cell_marks[c], from);
	for (int t = 0; t < MAX_THREADS; t++)
		from = unpack_marks(search, &s->tso.known[t], from);
	for (int t = 0; buffers(search) && t < search->p->nthreads; t++) {
		const uint8_t n = s->tso.n[t] = *from++;

		memcpy(s->tso.to[t], from, n);
		memcpy(s->tso.value[t], from + n, n);
		from += 2 * n;
		for (int i = 0; i < n; i++)
			from = unpack_marks(search, &s->tso.buffer_marks[t][i], from);
	}
	return from;
}

static void finish(struct search *search, const struct state *s, tell_fn tell)
{
	tell(search, s, s->tso.cell);
}

static marks_t known(const struct state *s, int t)
{
	return s->tso.known[t];
}

static void note(struct state *s, int t, marks_t mark)
{
	for (int c = 0; c < MAX_CELLS; c++)
		s->tso.cell_marks[c] &= ~mark;
	for (int u = 0; u < MAX_THREADS; u++) {
		s->tso.known[u] &= ~mark;
		for (int i = 0; i < s->tso.n[u]; i++)
			s->tso.buffer_marks[u][i] &= ~mark;
	}
	s->tso.known[t] |= mark;
}

const struct machine machine_memory = {
	start, step, tidy, pack, unpack, finish, known, note, NULL
};

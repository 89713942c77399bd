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
	m->n[t]--;
	memmove(m->to[t], m->to[t] + 1, m->n[t]);
	memmove(m->value[t], m->value[t] + 1, m->n[t]);
	search_emit(search, &next, t, false);
}

static void store(struct search *search, struct state *next, int t, int cell, int8_t value)
{
	struct tso_memory *m = &next->tso;

	if (!buffers(search)) {
		m->cell[cell] = value;
	} else if (m->n[t] == MAX_BUFFER) {
		search->cut = true;
		return;
	} else {
		m->to[t][m->n[t]] = (uint8_t)cell;
		m->value[t][m->n[t]++] = value;
	}
	search_emit(search, next, t, true);
}

static void read_modify_write(struct search *search, struct state *next, int t,
			      const struct insn *i)
{
	int8_t *reg = next->t[t].reg, old = next->tso.cell[i->cell];

	next->tso.cell[i->cell] = (int8_t)rmw_value(i->fn, old, operand_value(i->arg, reg));
	reg[i->reg] = old;
	search_emit(search, next, t, true);
}

/* Instructions that go to memory; the buffer is empty where they write. */
static void act(struct search *search, const struct state *s, int t, const struct insn *i)
{
	struct state next = *s;
	int8_t *reg = next.t[t].reg, old = seen(s, t, i->cell);
	const bool empty = !s->tso.n[t];

	switch (i->op) {
	case OP_LOAD:
		reg[i->reg] = old;
		search_emit(search, &next, t, true);
		break;
	case OP_STORE:
		if (i->order == SC && empty) {
			next.tso.cell[i->cell] = (int8_t)operand_value(i->arg, reg);
			search_emit(search, &next, t, true);
		} else if (i->order != SC) {
			store(search, &next, t, i->cell, (int8_t)operand_value(i->arg, reg));
		}
		break;
	case OP_UNLOCK:
		store(search, &next, t, i->cell, 0);
		break;
	case OP_RMW:
		if (empty)
			read_modify_write(search, &next, t, i);
		break;
	case OP_CAS:
		if (old == operand_value(i->expected, reg) && !empty)
			break; /* only a failing one reads past its buffer */
		if (old == operand_value(i->expected, reg))
			next.tso.cell[i->cell] = (int8_t)operand_value(i->arg, reg);
		reg[i->reg] = old == operand_value(i->expected, s->t[t].reg);
		reg[i->reg2] = old;
		search_emit(search, &next, t, true);
		break;
	case OP_LOCK:
		if (!empty || old)
			break;
		next.tso.cell[i->cell] = 1;
		search_emit(search, &next, t, true);
		break;
	case OP_TRYLOCK:
		if (!old && !empty)
			break;
		reg[i->reg] = !old;
		next.tso.cell[i->cell] = old ? s->tso.cell[i->cell] : 1;
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
	(void)search;
	(void)s;
}

static uint8_t *pack(const struct search *search, const struct state *s, uint8_t *to)
{
	memcpy(to, s->tso.cell, MAX_CELLS);
	to += MAX_CELLS;
	for (int t = 0; buffers(search) && t < search->p->nthreads; t++) {
		const uint8_t n = s->tso.n[t];

		*to++ = n;
		memcpy(to, s->tso.to[t], n);
		memcpy(to + n, s->tso.value[t], n);
		to += 2 * n;
	}
	return to;
}

static const uint8_t *unpack(const struct search *search, struct state *s, const uint8_t *from)
{
	memset(&s->tso, 0, sizeof(s->tso));
	memcpy(s->tso.cell, from, MAX_CELLS);
	from += MAX_CELLS;
	for (int t = 0; buffers(search) && t < search->p->nthreads; t++) {
		const uint8_t n = s->tso.n[t] = *from++;

		memcpy(s->tso.to[t], from, n);
		memcpy(s->tso.value[t], from + n, n);
		from += 2 * n;
	}
	return from;
}

static void finish(struct search *search, const struct state *s, tell_fn tell)
{
	tell(search, s, s->tso.cell);
}

const struct machine machine_memory = { start, step, tidy, pack, unpack, finish };

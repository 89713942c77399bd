/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_order.h - mo as far as it is decided, and whether psc is acyclic for it
 */
#ifndef HEDDLE_OFFLINE_PSC_ORDER_H
#define HEDDLE_OFFLINE_PSC_ORDER_H

#include "offline/coherence.h"
#include "offline/psc.h"

/* The order of one location's chains, closed transitively. */
struct chain_matrix {
	uint32_t n, words;
	uint64_t *after; /* [a] bit b: chain b comes after chain a */
	uint32_t *first; /* write of each chain; EX_NONE: chain 0 has no event but init */
};

struct psc_order {
	const struct execution *x;
	struct psc psc;
	struct chain_order order;
	struct chain_matrix *at; /* of each location */
	size_t words;            /* of all matrices */
	uint32_t *next;          /* of each write: the read-modify-write of it, or EX_NONE */
	struct verdict *v;
};

/* From s->order: what coherence demands. False: too large. */
bool psc_order_build(struct psc_order *s);
void psc_order_release(struct psc_order *s);

static inline bool chain_before(const struct chain_matrix *m, uint32_t a, uint32_t b)
{
	return m->after[(size_t)a * m->words + b / 64] >> (b % 64) & 1;
}

/* Chain a before chain b, and what follows from that. */
void chain_put(struct chain_matrix *m, uint32_t a, uint32_t b);

/* Is psc acyclic for mo and fr as far as they are decided? */
bool psc_order_acyclic(struct psc_order *s);

/*
 * Decides the pairs of which psc allows one order only, until there are no more. False: psc is
 * cyclic. O(c n k) for c chains a round; beyond what that is worth, only the question itself.
 */
bool psc_order_saturate(struct psc_order *s);

/* The next chains a and b of a location that are open, from where the caller stands. */
bool psc_order_open(const struct psc_order *s, uint32_t *loc, uint32_t *a, uint32_t *b);

/* All that is decided, to be freed; and back to that. */
uint64_t *psc_order_save(const struct psc_order *s);
void psc_order_restore(struct psc_order *s, const uint64_t *copy);

/* psc_order_acyclic() said no: a case of v says along which cycle. */
struct psc_put {
	uint32_t from, to, by; /* writes */
	enum reason_kind kind;
};
void psc_refute(const struct psc_order *s, const struct psc_put *puts, uint32_t nputs);

/* No mo will do: cases of v say why. */
void psc_explain(struct psc_order *s);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness.h - one modification order that shows the current graph consistent
 *
 * sc, tso, sra and the psc of rc11 ask whether some modification order exists that makes an
 * order acyclic: NP-hard when mo is not part of the graph. But the graph is known to be
 * consistent, and one such order, the witness, answers most questions about the next read:
 *
 *	A read, the last event of its thread, may observe the write that is last in the
 *	witness: it comes after everything and nothing after it, so it closes no cycle. The
 *	same holds for a read-modify-write, and in every cut of the graph for the write that
 *	is last there.
 *
 * Restricted to a cut it is a witness of the cut, and of the cut without one read that
 * nothing comes after. So for a write that is not the last, too, it is enough to follow what
 * the read's new edges lead to (witness_extends()).
 *
 * A new write is appended to it. When a read observes another write than the last one, the
 * witness is in doubt from there on, until a search (model.h, consistent()) finds a new one.
 * Taking events away leaves a witness of what remains.
 *
 * It is kept in the lists of graph_place(), which `mo` equivalence uses for the order
 * that counts; here it only speeds up.
 */
#ifndef HEDDLE_ENGINE_WITNESS_H
#define HEDDLE_ENGINE_WITNESS_H

#include "engine/model/model.h"

/* Does any modification order do, for want of what the model is about? (psc without sc events) */
bool witness_is_idle(const struct graph *g, const struct model *model);

/* A write was added: it comes last, or right behind what it read. */
void witness_add(struct graph *g, uint32_t write);

/* The read at pos observes what it observes from now on. Keeps what was promised of it. */
void witness_observed(struct graph *g, const struct model *model, uint32_t pos);

/* The witness is in doubt: finds another; the graph is consistent. */
void witness_search(struct graph *g, const struct model *model);
/* The same, if it is in doubt. */
static inline void witness_settle(struct graph *g, const struct model *model)
{
	if (g->witness.kept && g->witness.doubt != NO_POS)
		witness_search(g, model);
}

/* Does the witness show that this read may observe this write in the cut? False says nothing. */
bool witness_shows(const struct graph *g, const uint32_t *cut, uint32_t read, uint32_t write);

/*
 * Is the witness one of the cut with the read, the last event of its thread there, observing
 * what it does now? It need not be the last write. False says nothing (witness_ask.c).
 */
bool witness_extends(struct graph *g, const uint32_t *cut, uint32_t read,
		     const struct model *model);

/*
 * Is it one of the graph with the read, the last event of its thread, observing what it does now, when that write is made the last one of its location? It stays
 * so if wanted (keep), else where it was. False says nothing; not where there are sc fences.
 */
bool witness_moves(struct graph *g, uint32_t read, const struct model *model, bool keep);

/*
 * Is the cut, with the read, the last event of its thread there, observing what it does now, wrong in every modification order? whole: it is the graph, and the
 * order of that is up to date for the read (hbmo_ask()). False says nothing.
 */
bool witness_refutes(struct graph *g, const uint32_t *cut, uint32_t read, bool whole,
		     const struct model *model);

/*
 * Of each thread, from which event on all come behind what the read observes in every order of sc events, as far as that is soon
 * seen; where the read may observe it.
 */
void witness_behind(struct graph *g, const uint32_t *cut, uint32_t read, const struct model *model,
		    uint32_t *from);

/*
 * For the searches, when one was made by witness_settle() (g->witness.wanted): the order found,
 * write by write; each location's in its order.
 */
void witness_begin(struct graph *g);
void witness_append(struct graph *g, uint32_t write);
/* The same for one location: its chains, in the order given by sorted. */
void witness_append_chains(struct graph *g, const struct coherence *o, const uint32_t *sorted);

#endif

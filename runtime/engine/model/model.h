/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.h - memory models, as answers to one question
 *
 * The question: in this cut, whose events but for one read are known to be consistent, may
 * that read (the last event of its thread in the cut) observe this write?
 *
 *	model_ask(&q, model, g, cut, read);
 *	n = model_coherent(&q, writes);
 *	for each of those writes:
 *		if (model_agrees(&q, write)) ...
 *	model_asked(&q);
 *
 * or model_admits(), both in one, for a single write. About the whole graph coherence is
 * answered by the order that hbmo.c keeps up to date, about a part of it by one built for
 * the question (coherence.c).
 *
 * A read-modify-write that is to write as well is asked about with model_admits_rmw().
 * The answer is exact: yes iff the cut with the read observing w is consistent, with some
 * modification order, by the axioms of models.txt. Whether a read-modify-write
 * that reads w can write as well is another question, taken_in_cut(): only one may follow.
 *
 * Adding a write, a fence or a thread event to a consistent graph never makes it
 * inconsistent (put last in all orders it breaks no axiom), so nothing asks about those.
 *
 * A model is one file: its row in model.c, and model_<name>.c where it needs more than
 * coherence.
 */
#ifndef HEDDLE_ENGINE_MODEL_H
#define HEDDLE_ENGINE_MODEL_H

#include "engine/model/coherence.h"
#include "wire/search.h"

struct question;

struct model {
	const char *name;
	enum sync_mode sync;
	/* In place of coherence, for a model without modification order; else NULL. Of a
	 * thread's writes it admits the latest ones, as coherence does. */
	bool (*admits)(struct question *q, uint32_t write);
	/* Can a read be consistent where the read-modify-write is not? */
	bool rmw_differs;
	/*
	 * Beyond coherence: is the cut consistent now that the read's rf and clocks are set?
	 * NULL when coherence is all. `ends`: see model_may_end().
	 */
	bool (*consistent)(struct graph *g, const uint32_t *cut, const uint32_t *ends,
			   uint32_t nends);
	/* consistent() leaves a witness when it is wanted (witness.h), of this kind. */
	enum {
		NO_WITNESS,
		WITNESS_OF_SC,
		WITNESS_OF_TSO,
		WITNESS_OF_SRA,
		WITNESS_OF_PSC
	} witness;
};

struct question {
	const struct model *model;
	struct graph *g;
	const uint32_t *cut;
	uint32_t read;
	bool whole; /* it is about the whole graph: view is set, else order, once needed */
	bool built;
	uint32_t floor; /* with a total modification order: see hbmo_floor() */
	struct hbmo_view view;
	struct coherence order;
	char *mark;
};

/* NULL for a model that is not available. */
const struct model *model_find(enum engine_model which);

void model_ask(struct question *q, const struct model *model, struct graph *g, const uint32_t *cut,
	       uint32_t read);
bool model_admits(struct question *q, uint32_t write);
/* Does coherence alone let the read observe this write? O(k) */
bool model_is_coherent(struct question *q, uint32_t write);
/* The writes it lets the read observe, into out (room for graph.n + 1), the latest inserted
 * first and RF_INIT last; returns how many; the whole graph only. O(k) each */
uint32_t model_coherent(struct question *q, uint32_t *out);
/* Does the rest of the model agree that it observes this one of them? */
bool model_agrees(struct question *q, uint32_t write);
bool model_agrees_rmw(struct question *q, uint32_t write);
/* The same as model_admits() for a read-modify-write that reads it and writes; nobody else
 * has taken it. */
bool model_admits_rmw(struct question *q, uint32_t write);
void model_asked(struct question *q);

/*
 * May the execution, whole as it is, have a modification order in which for each of the
 * given events the write that it reads, or is, is the last of its location? Then a thread that repeats
 * those reads for ever never sees anything else (await-stuck; explore.txt, S).
 */
bool model_may_end(const struct model *model, struct graph *g, const uint32_t *reads, uint32_t n);

/* model_sc.c: is there one total order of all events in the cut? */
bool sc_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends);
/* model_tso.c: is there a run of the machine with store buffers? */
bool tso_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends);
/* model_sra.c: is there an order of all writes that contains hb and a modification order? */
bool sra_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends);
/* model_wra.c */
bool wra_admits(struct question *q, uint32_t write);
/* psc.c: can the modification orders be chosen so that psc is acyclic? */
bool psc_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends);

#endif

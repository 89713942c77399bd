/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * online.h - what random testing keeps of the execution that it makes
 *
 * An execution is made forward only. Its modification order, and what else its model needs, is drawn
 * as it goes on (modification.h, sc_order.h, buffers.h), so that the execution is always one of the model and
 * each read is a choice from a list. Every execution of the model has a positive probability: online.txt.
 */
#ifndef HEDDLE_ENGINE_ONLINE_ONLINE_H
#define HEDDLE_ENGINE_ONLINE_ONLINE_H

#include "engine/online/buffers.h"
#include "engine/online/guide.h"
#include "engine/online/sc_order.h"
#include "engine/run/state.h"

/* How the executions of a model are made (online.txt). */
enum online_way {
	WAY_MEMORY,   /* sc: a read observes the last write */
	WAY_BUFFERS,  /* tso: or its thread's own that is in its buffer */
	WAY_APPEND,   /* sra: writes come last in mo; a read observes what coherence lets it */
	WAY_COHERENT, /* ra, relaxed, rc20: writes come anywhere in mo where coherence lets them */
	WAY_RC11,     /* the same, and the order of sc events agrees */
	WAY_WEAK,     /* wra: no mo */
};

struct online {
	enum online_way way;
	uint32_t
		stays; /* of 16 times that a thread could be drawn, it is the one that moved last */
	uint32_t moved; /* that one, or NO_POS */
	struct modification mo;
	struct sc_order sc;
	struct moments moments;
	struct buffers buffers;
	struct guide guide;
	/* When nothing let a thread pass: its events, and the last one of the location it waits at. */
	struct {
		uint32_t done, last;
	} vain[HEDDLE_MAX_THREADS];
};

size_t online_bytes(uint32_t capacity);
void online_init(struct engine *e, struct arena *a, uint32_t capacity);
/* An execution begins. */
void online_restart(struct engine *e);

/* Can the thread's operation, which waits, happen now? */
bool online_able(struct engine *e, uint32_t tid);
/* Makes it happen, as drawn: its event, or two, are added. */
void online_happens(struct engine *e, uint32_t tid, const struct op *op);
/* When nobody can move: does time let somebody? */
bool online_wait(struct engine *e);

#endif

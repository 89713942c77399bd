/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workers_lost.c - a worker that dies, and what becomes of its work (workers.c)
 *
 * It may have died anywhere, so each word that it and the others share says of itself how far it was (wire/exchange.h).
 */
#include "config.h"

#include <string.h>
#include <sys/wait.h>

#include "controller/base/message.h"
#include "controller/run/salvage.h"
#include "controller/search/workers_state.h"

static uint32_t kind_of(struct slot *s)
{
	return (uint32_t)atomic_load(&s->state);
}

/* The totals a dead worker committed last. */
struct commit workers_committed(const struct workers *w, uint32_t i)
{
	struct worker *d = &w->x->worker[i];
	uint32_t which = atomic_load(&d->committed);

	return which == 1 || which == 2 ? d->commit[which - 1] : (struct commit){ 0 };
}

/* A slot that the dead worker was copying from: is the copy the one that counts? */
static void settle_slot(struct workers *w, uint32_t i, struct slot *s)
{
	struct worker *d = &w->x->worker[i];
	uint64_t taking = (uint64_t)i << 32 | SLOT_TAKING;

	if (atomic_load(&s->state) != taking)
		return;
	if (kind_of(&d->work) == SLOT_WORKING && d->work.serial == s->serial)
		atomic_store(&s->state, SLOT_EMPTY);
	else
		atomic_store(&s->state, SLOT_FULL);
}

/* Puts the subtree that the dead worker was busy with up for taking, without what it gave away. */
static bool put_back(struct worker *d, uint64_t ngiven)
{
	struct slot *s = &d->work;
	uint64_t skip = s->nskip * sizeof(struct engine_id);
	uint64_t more = ngiven * sizeof(struct engine_id);

	if (ngiven > EXCHANGE_GIVEN || s->nskip > EXCHANGE_DATA / sizeof(struct engine_id) ||
	    s->len > EXCHANGE_DATA - skip || more > EXCHANGE_DATA - skip - s->len ||
	    s->tries + 1 >= EXCHANGE_TRIES)
		return false;
	memmove(s->data + skip + more, s->data + skip, s->len);
	memcpy(s->data + skip, d->given, more);
	s->nskip += ngiven;
	s->tries++;
	atomic_store(&s->state, SLOT_FULL);
	return true;
}

/* Do workers explore by values, and share that? Then nobody knows what is left of the dead worker's subtree. */
static bool is_shared_by_values(const struct workers *w)
{
	struct fact f;

	for (uint32_t i = 0; i < facts_count(&w->x->facts); i++)
		if (facts_get(&w->x->facts, i, &f) && f.kind == FACT_BY_READS)
			return false;
	return w->part[0].config.equivalence == EQUIV_VALUE && atomic_load(&w->x->open);
}

/* All start again, by reads-from: then the next one that dies loses less. */
static bool start_anew(struct workers *w)
{
	const struct place nowhere = { .kind = PLACE_UNKNOWN };

	if (!facts_add(&w->x->facts, FACT_BY_READS, &nowhere, 0, 0))
		return false;
	atomic_store(&w->x->restart, 1);
	atomic_store(&w->x->stop, 1);
	return true;
}

/* What the dead worker leaves to be done; false if some of it is lost. */
static bool recover_subtree(struct workers *w, uint32_t i)
{
	struct worker *d = &w->x->worker[i];
	uint64_t ngiven = atomic_load(&d->ngiven);
	struct result *r = &w->part[i].result;
	struct commit c = workers_committed(w, i);
	bool ok = true;

	if (kind_of(&d->offer) == SLOT_FILLING) { /* not given away after all */
		ngiven = d->offer.given_at < ngiven ? d->offer.given_at : ngiven;
		atomic_store(&d->offer.state, SLOT_EMPTY);
	}
	for (uint32_t j = 0; j < w->n; j++) {
		settle_slot(w, i, &w->x->worker[j].offer);
		settle_slot(w, i, &w->x->worker[j].work);
	}
	if (kind_of(&d->work) == SLOT_WORKING) {
		if (c.serial == d->work.serial)
			atomic_store(&d->work.state, SLOT_EMPTY);
		else
			ok = is_shared_by_values(w) ? start_anew(w) : put_back(d, ngiven);
	}
	/* The limit counts what counts. */
	atomic_fetch_sub(&w->x->executions,
			 r->executions + r->blocked - c.stats.executions - c.stats.blocked);
	return ok;
}

static bool recover_number(struct workers *w, uint32_t i)
{
	struct worker *d = &w->x->worker[i];
	uint64_t number = atomic_load(&d->number);

	if (number && workers_committed(w, i).serial != number)
		atomic_store(&d->redo, number);
	return true;
}

static bool anyone_left(const struct workers *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->run[i].pid > 0 && !w->x->worker[i].elsewhere)
			return true;
	return false;
}

/* Is there a subtree that nobody works on? */
bool workers_left_undone(const struct workers *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (kind_of(&w->x->worker[i].work) != SLOT_EMPTY ||
		    kind_of(&w->x->worker[i].offer) != SLOT_EMPTY || w->x->worker[i].redo)
			return true;
	return false;
}

/* Of a worker whose work others do again only what it committed counts, and no bug. */
static void count_committed(struct workers *w, uint32_t i)
{
	struct result *r = &w->part[i].result;
	struct engine_stats c = workers_committed(w, i).stats;

	r->executions = c.executions;
	r->blocked = c.blocked;
	r->wasted = c.wasted;
	r->events = c.events;
	r->cut = c.cut;
	r->ledger = c.ledger;
}

/* The worker died of a signal; false: the others need not go on. */
bool workers_died(struct workers *w, uint32_t i)
{
	struct result *r = &w->part[i].result;
	bool explore = w->part[i].config.mode == ENGINE_EXPLORE;
	int sig = WTERMSIG(r->wait_status);
	bool again = signal_from_outside(sig) && !r->damaged && r->phase >= PHASE_LOADED;

	if (again)
		again = explore ? recover_subtree(w, i) : recover_number(w, i);
	again = again && (anyone_left(w) || !workers_left_undone(w));
	atomic_store(&w->x->worker[i].state, WORKER_DEAD);
	if (again) {
		w->part[i].lost = true;
		count_committed(w, i);
		if (!w->s->options->quiet)
			say("note: worker %u was killed by SIG%s; what it was doing is done again by "
			    "another",
			    i + 1, sigabbrev_np(sig));
		return true;
	}
	w->incomplete = true;
	w->out_of_memory |= !salvage(&w->run[i], r);
	return w->part[i].config.keep_going && !signal_from_outside(sig);
}

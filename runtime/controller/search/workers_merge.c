/* SPDX-License-Identifier: BSD-2-Clause */
/* workers_merge.c - what several workers found, as the result of one search */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/run/covered.h"
#include "controller/run/estimate.h"
#include "controller/search/corpus.h"
#include "controller/search/workers_state.h"

/* Which of two results says more about why the search ended. */
static int weight(const struct part *p)
{
	const struct result *r = &p->result;

	if (r->damaged)
		return 6;
	if (r->phase > PHASE_DONE)
		return 5;
	if (r->end == RUN_HUNG)
		return 4;
	if (r->phase < PHASE_DONE && r->end == RUN_OVER && !p->lost)
		return 3;
	if (r->end == RUN_INTERRUPTED || r->end == RUN_TIMEOUT)
		return 2;
	return r->end == RUN_STOPPED || p->lost ? 0 : 1;
}

static const struct part *telling(const struct workers *w)
{
	const struct part *best = &w->part[0];

	for (uint32_t i = 1; i < w->n; i++)
		if (weight(&w->part[i]) > weight(best))
			best = &w->part[i];
	return best;
}

static bool exhausted(const struct workers *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct part *p = &w->part[i];

		if (!p->lost && !w->x->worker[i].elsewhere && !p->result.exhausted)
			return false;
	}
	return !w->incomplete;
}

static void add_up(struct workers *w, struct result *out)
{
	out->uninstrumented = true;
	memcpy(out->foreign, w->part[0].result.foreign, sizeof(out->foreign));
	for (uint32_t i = 0; i < w->n; i++) {
		const struct result *r = &w->part[i].result;

		out->executions += r->executions;
		out->blocked += r->blocked;
		out->wasted += r->wasted;
		out->events += r->events;
		out->restarts += r->restarts;
		out->cut += r->cut;
		out->strayed += r->strayed;
		for (unsigned s = 0; s < STRATEGY_COUNT; s++)
			out->drawn[s] += r->drawn[s];
		ledger_add(&out->ledger, &r->ledger);
		for (unsigned c = 0; c < VALUE_COUNTS; c++)
			out->values[c] += r->values[c];
		for (unsigned c = 0; c < MEMO_COUNTS; c++)
			out->memo[c] += r->memo[c];
		out->bugs_more += r->bugs_more;
		estimate_add(&out->estimate, &r->estimate);
		out->uninstrumented &= r->uninstrumented;
		out->rooted |= r->rooted;
		out->not_followed |= r->not_followed;
		out->doubtful |= r->doubtful;
		out->synchronised |= r->synchronised;
		if (r->bare[0])
			memcpy(out->bare, r->bare, sizeof(out->bare));
		if (r->met_in[0])
			memcpy(out->met_in, r->met_in, sizeof(out->met_in));
		/* What executions load some may not have met. */
		if (strlen(r->foreign) > strlen(out->foreign))
			memcpy(out->foreign, r->foreign, sizeof(out->foreign));
		out->peak_rss_kib += r->peak_rss_kib;
		out->lost += w->part[i].lost;
		out->elsewhere += w->x->worker[i].elsewhere;
		if (r->backend > out->backend) /* one that had no work has none */
			out->backend = r->backend;
		if (r->seconds > out->seconds)
			out->seconds = r->seconds;
	}
}

/* The findings of a worker join the others. What comes before the first thread all workers do: that counts once. */
static void take_findings(struct result *out, struct result *r, bool *before_threads)
{
	for (size_t k = 0; k < r->nfindings; k++) {
		if (!r->rooted && *before_threads)
			finding_release(&r->findings[k]);
		else
			out->findings[out->nfindings++] = r->findings[k];
	}
	*before_threads |= !r->rooted && r->nfindings;
	r->nfindings = 0;
}

/* All findings; of a search that stops at the first bug, the first. */
static bool gather_findings(struct workers *w, struct result *out)
{
	bool online = w->part[0].config.mode == ENGINE_ONLINE, before_threads = false;
	size_t n = 0;

	for (uint32_t i = 0; i < w->n; i++)
		n += w->part[i].result.nfindings;
	out->findings = calloc(n + 1, sizeof(*out->findings));
	if (!out->findings)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		take_findings(out, &w->part[i].result, &before_threads);
	for (uint32_t i = 0; i < w->n; i++)
		if (!corpus_join(&out->corpus, w->part[i].result.corpus))
			return false;
	findings_sort(out->findings, out->nfindings, online);
	while (!w->part[0].config.keep_going && out->nfindings > 1)
		finding_release(&out->findings[--out->nfindings]);
	return true;
}

/* A worker that the first one did not make: it ended before that, or could not. */
static void settle_unborn(struct workers *w)
{
	for (uint32_t i = 1; i < w->n; i++)
		if (!w->part[i].ended)
			w->part[i].result = (struct result){ .phase = PHASE_DONE,
							     .end = RUN_OVER,
							     .exhausted = true,
							     .uninstrumented = true };
}

/*
 * Work that others were to do again, and did not, though they say that nothing is left: they were not at
 * the right addresses to do any.
 */
static void settle_lost(struct workers *w)
{
	bool undone =
		w->part[0].config.mode == ENGINE_EXPLORE && exhausted(w) && workers_left_undone(w);

	for (uint32_t i = 0; undone && i < w->n; i++) {
		w->incomplete |= w->part[i].lost;
		w->part[i].lost = false;
	}
}

bool workers_merge(struct workers *w, struct result *out)
{
	const struct part *best;
	struct part *named = &w->part[0];

	settle_unborn(w);
	settle_lost(w);
	best = telling(w);

	memset(out, 0, sizeof(*out));
	out->end = best->result.end == RUN_STOPPED && !w->s->dumper ? RUN_OVER : best->result.end;
	out->wait_status = best->result.wait_status;
	out->phase = best->result.phase;
	out->damaged = best->result.damaged;
	out->current_thread = best->result.current_thread;
	out->accesses_only = best->result.accesses_only;
	memcpy(out->text, best->result.text, sizeof(out->text));
	memcpy(out->note, best->result.note, sizeof(out->note));
	for (uint32_t i = 0; i < w->n && !out->note[0]; i++)
		memcpy(out->note, w->part[i].result.note, sizeof(out->note));
	/* Each has a memo of its own; the first that has none any more says why. */
	for (uint32_t i = 0; i < w->n && !out->memo_over[0]; i++)
		memcpy(out->memo_over, w->part[i].result.memo_over, sizeof(out->memo_over));
	for (uint32_t i = 0; i < w->n && !out->values_over[0]; i++)
		memcpy(out->values_over, w->part[i].result.values_over, sizeof(out->values_over));
	out->exhausted = exhausted(w);
	add_up(w, out);
	/* Those that executions load are known to whoever has loaded one. */
	for (uint32_t i = 0; i < w->n; i++)
		if (w->part[i].result.modules.n > named->result.modules.n)
			named = &w->part[i];
	out->modules = named->result.modules;
	memset(&named->result.modules, 0, sizeof(named->result.modules));
	out->coverage = w->part[0].result.coverage;
	w->part[0].result.coverage = NULL;
	for (uint32_t i = 1; i < w->n; i++)
		covered_join(out, &w->part[i].result);
	/* All of them went by the same. */
	out->facts = named->result.facts;
	out->nfacts = named->result.nfacts;
	named->result.facts = NULL;
	/* Each of them made the same ones. */
	out->offspring = w->part[0].result.offspring;
	out->noffspring = w->part[0].result.noffspring;
	out->more_offspring = w->part[0].result.more_offspring;
	w->part[0].result.offspring = NULL;
	memcpy(out->left, w->part[0].result.left, sizeof(out->left));
	for (uint32_t i = 0; i < w->n; i++)
		out->leaves |= w->part[i].result.leaves;
	return gather_findings(w, out);
}

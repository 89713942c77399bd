/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workers.c - one search by several processes (-j N)
 *
 * The workers share the search among themselves (preload/loop/steal.c, wire/exchange.h). Here they
 * are started, each with a mapping of its own, and watched; what they leave is added up. The
 * totals do not depend on who did what, unless the search stops early.
 *
 * A worker that somebody kills loses its subtree: the totals it had committed count, and the
 * subtree goes to the others, without the parts that they have already. One that dies of the
 * program's own doing has found a bug, as with one worker alone. The two look the same when the
 * program kills itself, so a subtree that EXCHANGE_TRIES workers died of is given up, and the
 * last death is looked at as a bug. By values all start again, by reads-from.
 */
#include "config.h"

#include "controller/search/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/report/dump.h"
#include "controller/run/salvage.h"
#include "controller/search/corpus.h"
#include "controller/search/follow.h"
#include "controller/search/workers_state.h"

/* ---- Start and end ------------------------------------------------------------------------------ */

static int exchange_open(struct workers *w, bool explore)
{
	size_t size = exchange_size(w->n);
	void *p = MAP_FAILED;

	w->fd = memfd_create("heddle-exchange", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (w->fd >= 0 && memory_sized(w->fd, (off_t)size))
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, w->fd, 0);
	if (p == MAP_FAILED)
		return fail(STATUS_INTERNAL, "cannot create the memory common to %u workers: %s",
			    w->n, strerror(errno));
	w->x = p;
	w->x->workers = w->n;
	w->x->limit = w->s->options->executions;
	known_give(w->known, &w->x->facts);
	if (!explore)
		return 0;
	/* The first worker has everything. */
	w->x->serials = w->x->worker[0].work.serial = 1;
	w->x->worker[0].work.state = SLOT_WORKING;
	w->x->worker[0].state = WORKER_BUSY;
	return 0;
}

static int prepare(struct workers *w, uint32_t i, const struct shared_config *config)
{
	struct run *run = &w->run[i];
	int status = i ? run_open_another(run) : run_open(run);

	if (status)
		return status;
	w->part[i].config = *config;
	w->part[i].config.worker = i;
	w->part[i].config.workers = w->n;
	w->part[i].config.exchange_fd = (uint32_t)w->fd;
	/* They count together; of descents each has its part. */
	w->part[i].config.max_executions =
		config->estimate == ESTIMATE_ONLY ? (config->max_executions + w->n - 1) / w->n : 0;
	run->shared->config = w->part[i].config;
	corpus_tell(w->s, &run->shared->corpus);
	follow_tell(w->s, run, !i && !w->again);
	run->exchange_fd = w->fd;
	run->facts = &w->x->facts;
	return 0;
}

/* Those whose memory the first worker is given, who makes them (preload/loop/siblings.c). */
static void expect_siblings(struct workers *w)
{
	for (uint32_t i = 1; i < w->n; i++) {
		w->sibling_fd[i - 1] = w->run[i].fd;
		w->x->worker[i].memory = (uint32_t)w->run[i].fd;
		w->run[i].born = &w->x->worker[i].pid;
	}
	w->run[0].sibling_fd = w->sibling_fd;
	w->run[0].nsiblings = w->n - 1;
	w->x->siblings = 1;
	w->x->facts.by_name = 1;
}

static int start_all(struct workers *w, const struct shared_config *config,
		     const struct launch *launch)
{
	int status = 0;

	/* A process that the program makes has no controller for a parent, so neither has its sibling. */
	w->siblings = addresses_vary() && !config->setting[SETTING_CHILD];
	for (uint32_t i = 0; !status && i < w->n; i++)
		status = prepare(w, i, config);
	if (!status && w->siblings)
		expect_siblings(w);
	for (uint32_t i = 0; !status && i < (w->siblings ? 1 : w->n); i++)
		status = run_start(&w->run[i], launch);
	return status;
}

static void workers_release(struct workers *w)
{
	for (uint32_t i = 0; w->run && w->part && i < w->n; i++) {
		if (w->run[i].shared)
			run_release(&w->run[i]);
		result_release(&w->part[i].result);
	}
	if (w->x)
		munmap(w->x, exchange_size(w->n));
	if (w->fd >= 0)
		close(w->fd);
	free(w->run);
	free(w->part);
	free(w->sibling_fd);
}

/* ---- While they run --------------------------------------------------------------------------- */

static bool worker_ended(void *ctx, size_t which)
{
	struct workers *w = ctx;
	uint32_t i = (uint32_t)which;
	struct part *p = &w->part[i];
	struct result *r = &p->result;

	p->ended = true;
	if (!collect(&w->run[i], &p->config, r)) {
		w->out_of_memory = true;
		return false;
	}
	if (r->leaves)
		return false;
	if (r->phase == PHASE_DONE || r->end != RUN_OVER)
		return true;
	if (r->phase < PHASE_DONE && WIFSIGNALED(r->wait_status))
		return workers_died(w, i);
	w->incomplete = true;
	w->out_of_memory |= !salvage(&w->run[i], r); /* that says nothing, unless it is damaged */
	return false;
}

static enum watch_look look(void *ctx, struct run *run)
{
	struct workers *w = ctx;

	return w->outer->look(w->outer->ctx, run);
}

/* ---- Together ---------------------------------------------------------------------------------- */

/*
 * Each worker asks of what others note whether its own executions conflict with that (preload/await/rounds.c). A dead one cannot: of those of it that
 * count nobody knows.
 */
static bool may_conflict(const struct workers *w)
{
	bool any_lost = false, any_noted = false;
	struct fact f;

	for (uint32_t i = 0; i < w->n; i++)
		any_lost |= w->part[i].lost && workers_committed(w, i).stats.executions;
	for (uint32_t i = w->x->known_to_all; any_lost && i < facts_count(&w->x->facts); i++)
		any_noted |= facts_get(&w->x->facts, i, &f) && f.kind == FACT_TOUCHED;
	return any_noted;
}

/* What those that are gone have found out is for the next ones. */
static int learn(struct known *known, const struct workers *w)
{
	switch (known_take(known, &w->x->facts, w->siblings)) {
	case 1:
		return 0;
	case 0:
		return fail(STATUS_INTERNAL,
			    "the workers are to start again, but have learned nothing");
	default:
		return fail(STATUS_INTERNAL, "out of memory");
	}
}

/* One search by all workers; *again: it is to be started again, with what *known says now. */
static int search_once(struct session *s, const struct shared_config *config, struct known *known,
		       const struct launch *launch, const struct watch *watch, bool *again)
{
	struct workers w = {
		.s = s,
		.outer = watch,
		.known = known,
		.again = *again,
		.n = (uint32_t)s->options->jobs,
		.fd = -1,
	};
	struct watch inner = *watch;
	int status = 0;

	w.run = calloc(w.n, sizeof(*w.run));
	w.part = calloc(w.n, sizeof(*w.part));
	w.sibling_fd = calloc(w.n, sizeof(*w.sibling_fd));
	if (!w.run || !w.part || !w.sibling_fd)
		status = fail(STATUS_INTERNAL, "out of memory");
	if (!status)
		status = exchange_open(&w, config->mode == ENGINE_EXPLORE);
	if (!status)
		status = start_all(&w, config, launch);
	inner.ended = worker_ended;
	inner.look = watch->look ? look : NULL;
	inner.ctx = &w;
	if (!status)
		status = supervise_all(w.run, w.n, &inner);
	for (uint32_t i = 0; !status && i < w.n; i++)
		w.out_of_memory |= !collect_orphans(&w.run[i], &w.part[i].result);
	for (uint32_t i = 0; !status && s->dumper && i < w.n; i++)
		dump_left(s->dumper, w.run[i].shared);
	if (!status && (w.out_of_memory || !workers_merge(&w, &s->search)))
		status = fail(STATUS_INTERNAL, "out of memory");
	*again = !status && (w.x->restart || may_conflict(&w)) && s->search.phase == PHASE_DONE &&
		 s->search.end == RUN_OVER && !w.incomplete &&
		 (config->keep_going || !s->search.nfindings);
	if (*again)
		status = learn(known, &w);
	workers_release(&w);
	return status;
}

int workers_search(struct session *s, const struct shared_config *config,
		   const struct launch *launch, const struct watch *watch)
{
	struct known known = { 0 };
	struct watch rest = *watch;
	char note[SHARED_TEXT] = "";
	uint64_t restarts = 0;
	double spent = 0;
	bool again = false;
	int status;

	/* Where one engine alone starts again, all of them do. */
	while (!(status = search_once(s, config, &known, launch, &rest, &again)) && again) {
		spent += s->search.seconds;
		restarts += s->search.restarts + 1;
		if (s->search.note[0])
			memcpy(note, s->search.note, sizeof(note));
		result_release(&s->search);
		if (s->dumper)
			dump_forget(s->dumper);
		if (watch->timeout_s > 0)
			rest.timeout_s =
				watch->timeout_s > spent ? watch->timeout_s - spent : 0.001;
	}
	s->search.seconds += spent;
	s->search.restarts += restarts;
	if (!s->search.note[0])
		memcpy(s->search.note, note, sizeof(note));
	known_release(&known);
	return status;
}

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
#include "controller/run/covered.h"
#include "controller/run/estimate.h"
#include "controller/run/known.h"
#include "controller/run/salvage.h"
#include "controller/search/corpus.h"
#include "controller/search/follow.h"
#include "wire/exchange.h"

struct part {
	struct shared_config config;
	struct result result;
	bool ended, lost; /* lost: its work was given to others */
};

struct workers {
	struct session *s;
	const struct watch *outer; /* its look is called on */
	uint32_t n;
	struct run *run;
	struct part *part;
	struct exchange *x;
	struct known *known;
	int fd;
	bool again;    /* what was started is not to be followed once more */
	bool siblings; /* the first makes the others */
	int *sibling_fd;
	bool incomplete; /* something was lost that nobody does again */
	bool out_of_memory;
};

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

/* ---- A worker died ------------------------------------------------------------------------------ */

static uint32_t kind_of(struct slot *s)
{
	return (uint32_t)atomic_load(&s->state);
}

/* The totals a dead worker committed last. */
static struct commit committed(const struct workers *w, uint32_t i)
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
	struct commit c = committed(w, i);
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

	if (number && committed(w, i).serial != number)
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
static bool left_undone(const struct workers *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (kind_of(&w->x->worker[i].work) != SLOT_EMPTY ||
		    kind_of(&w->x->worker[i].offer) != SLOT_EMPTY || w->x->worker[i].redo)
			return true;
	return false;
}

/* Signals that somebody else may have sent. */
static bool from_outside(int sig)
{
	return sig == SIGKILL || sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT;
}

/* Of a worker whose work others do again only what it committed counts, and no bug. */
static void count_committed(struct workers *w, uint32_t i)
{
	struct result *r = &w->part[i].result;
	struct engine_stats c = committed(w, i).stats;

	r->executions = c.executions;
	r->blocked = c.blocked;
	r->wasted = c.wasted;
	r->events = c.events;
	r->cut = c.cut;
	r->ledger = c.ledger;
}

/* The worker died of a signal; false: the others need not go on. */
static bool died(struct workers *w, uint32_t i)
{
	struct result *r = &w->part[i].result;
	bool explore = w->part[i].config.mode == ENGINE_EXPLORE;
	int sig = WTERMSIG(r->wait_status);
	bool again = from_outside(sig) && !r->damaged && r->phase >= PHASE_LOADED;

	if (again)
		again = explore ? recover_subtree(w, i) : recover_number(w, i);
	again = again && (anyone_left(w) || !left_undone(w));
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
	return w->part[i].config.keep_going && !from_outside(sig);
}

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
		return died(w, i);
	w->incomplete = true;
	w->out_of_memory |= !salvage(&w->run[i], r); /* that says nothing, unless it is damaged */
	return false;
}

static enum watch_look look(void *ctx, struct run *run)
{
	struct workers *w = ctx;

	return w->outer->look(w->outer->ctx, run);
}

/* ---- Together --------------------------------------------------------------------------------------- */

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

/* All findings; of a search that stops at the first bug, the first. */
static bool gather_findings(struct workers *w, struct result *out)
{
	bool online = w->part[0].config.mode == ENGINE_ONLINE;
	size_t n = 0;

	for (uint32_t i = 0; i < w->n; i++)
		n += w->part[i].result.nfindings;
	out->findings = calloc(n + 1, sizeof(*out->findings));
	if (!out->findings)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		struct result *r = &w->part[i].result;

		for (size_t k = 0; k < r->nfindings; k++)
			out->findings[out->nfindings++] = r->findings[k];
		r->nfindings = 0;
	}
	for (uint32_t i = 0; i < w->n; i++)
		if (!corpus_join(&out->corpus, w->part[i].result.corpus))
			return false;
	findings_sort(out->findings, n, online);
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
	bool undone = w->part[0].config.mode == ENGINE_EXPLORE && exhausted(w) && left_undone(w);

	for (uint32_t i = 0; undone && i < w->n; i++) {
		w->incomplete |= w->part[i].lost;
		w->part[i].lost = false;
	}
}

static bool merge(struct workers *w, struct result *out)
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

/*
 * Each worker asks of what others note whether its own executions conflict with that (preload/await/rounds.c). A dead one cannot: of those of it that
 * count nobody knows.
 */
static bool may_conflict(const struct workers *w)
{
	bool any_lost = false, any_noted = false;
	struct fact f;

	for (uint32_t i = 0; i < w->n; i++)
		any_lost |= w->part[i].lost && committed(w, i).stats.executions;
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
	if (!status && (w.out_of_memory || !merge(&w, &s->search)))
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect.c - copies what a run left in the shared mapping, and checks all of it
 *
 * The program under test can write anywhere, also into this mapping. So everything is copied
 * once, by value, and each number is bounded in the copy before it is used; text is made
 * printable. Nonsense costs the user a detail of a report, never the controller.
 *
 * The process is gone when this runs, so nothing changes meanwhile.
 */
#include "config.h"

#include "controller/run/collect.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/run/covered.h"

static uint64_t get64(_Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed); /* the writer is dead */
}

static uint32_t get32(_Atomic uint32_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static void copy_text(char *out, const char *in)
{
	memcpy(out, in, SHARED_TEXT);
	text_sanitize(out, SHARED_TEXT);
}

bool collect_modules(const struct shared *s, struct loaded_list *out)
{
	uint32_t n = s->nmodules < SHARED_MAX_MODULES ? s->nmodules : SHARED_MAX_MODULES;

	memset(out, 0, sizeof(*out));
	out->at = calloc(n + 1, sizeof(*out->at));
	if (!out->at)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct loaded *l = &out->at[i];
		char path[SHARED_TEXT];

		copy_text(path, s->modules[i].path);
		l->base = s->modules[i].base;
		build_id_text(s->modules[i].build_id, s->modules[i].build_id_len, l->id);
		l->path = strdup(path[0] ? path : "?");
		if (!l->path)
			return false;
		out->n++;
	}
	return true;
}

bool collect_place_ok(const struct place *p, const struct loaded_list *modules)
{
	switch (p->kind) {
	case PLACE_UNKNOWN:
		return true;
	case PLACE_GLOBAL:
		return p->module < modules->n;
	case PLACE_HEAP:
	case PLACE_STACK:
	case PLACE_MAPPED:
		return p->thread < HEDDLE_MAX_THREADS;
	default:
		return false;
	}
}

static struct place checked_place(const struct place *in, const struct loaded_list *modules)
{
	struct place p = *in;

	return collect_place_ok(&p, modules) ? p : (struct place){ .kind = PLACE_UNKNOWN };
}

static bool record_ok(const struct engine_step_record *r)
{
	return r->tid < HEDDLE_MAX_THREADS && r->index < SHARED_STEPS && r->kind < OP_KINDS &&
	       r->order <= ORDER_SC && r->size <= 16 && r->rf_tid >= -2 &&
	       r->rf_tid < HEDDLE_MAX_THREADS &&
	       ((r->kind != OP_CREATE && r->kind != OP_JOIN) || r->peer < HEDDLE_MAX_THREADS);
}

/*
 * Does a step fit behind those kept so far? One that was half made when the process was killed
 * may not, and whatever follows it is worth nothing either. next: the least index to come of
 * each thread.
 */
static bool fits(const struct engine_step_record *r, const uint32_t *next)
{
	if (r->index < next[r->tid] || (r->size & (r->size - 1)))
		return false;
	return !(r->flags & STEP_READ) || r->rf_tid < 0 || r->rf_index < next[r->rf_tid];
}

size_t collect_records(const struct engine_step_record *record, const struct place *place,
		       uint64_t n, const struct loaded_list *modules, struct step **out)
{
	uint32_t next[HEDDLE_MAX_THREADS] = { 0 };
	struct step *steps = calloc(n ? n : 1, sizeof(*steps));
	size_t kept = 0;

	*out = steps;
	if (!steps)
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		struct step *step = &steps[kept];

		step->record = record[i];
		if (!record_ok(&step->record))
			break;
		/* A read of nothing is an operation that still waits: it did not happen. */
		if (step->record.flags & STEP_READ && step->record.rf_tid == -2)
			continue;
		if (!fits(&step->record, next))
			break;
		if (step_is_woken(&step->record) &&
		    step->record.rf_index >= next[step->record.rf_tid])
			step->record.rf_tid = -2;
		next[step->record.tid] = step->record.index + step_happened(&step->record);
		step->place = checked_place(&place[i], modules);
		step->code = place_of_code(modules, step->record.pc);
		kept++;
	}
	return kept;
}

/* Do a thread's steps begin with one that is not its first? */
static bool lacks_steps(const struct shared *s, uint64_t first, uint64_t n)
{
	bool began[HEDDLE_MAX_THREADS] = { false };

	if (first > SHARED_STEPS || n > SHARED_STEPS - first)
		return false;
	for (uint64_t i = first; i < first + n; i++) {
		const struct engine_step_record *r = &s->steps[i];

		if (!record_ok(r))
			break;
		if (!began[r->tid] && r->index)
			return true;
		began[r->tid] = true;
	}
	return false;
}

size_t collect_steps(const struct shared *s, uint64_t first, uint64_t n,
		     const struct loaded_list *modules, struct step **out)
{
	*out = NULL;
	if (first > SHARED_STEPS || n > SHARED_STEPS - first)
		return 0;
	return collect_records(&s->steps[first], &s->places[first], n, modules, out);
}

static void collect_side(const struct bug_side *in, const struct loaded_list *modules,
			 struct side *out)
{
	out->thread = in->thread < HEDDLE_MAX_THREADS ? in->thread : 0;
	out->is_write = in->is_write != 0;
	out->is_atomic = in->is_atomic != 0;
	out->size = in->size;
	out->call = in->call < SIDE_CALLS ? in->call : SIDE_ACCESSES;
	out->behind = in->behind;
	out->blocked_on = in->blocked_on && in->blocked_on <= OP_KINDS ? in->blocked_on - 1 : -1;
	out->peer = in->peer < HEDDLE_MAX_THREADS ? in->peer : 0;
	out->waits = checked_place(&in->waits, modules);
	out->pc = in->pc;
	out->code = place_of_code(modules, in->pc);
	out->frames = in->frames < SHARED_MAX_FRAMES ? in->frames : SHARED_MAX_FRAMES;
	memcpy(out->frame, in->frame, out->frames * sizeof(out->frame[0]));
	out->created = in->created < SHARED_MAX_FRAMES ? in->created : SHARED_MAX_FRAMES;
	memcpy(out->creation, in->creation, out->created * sizeof(out->creation[0]));
}

static bool is_kind(uint32_t kind)
{
	return kind > BUG_NONE && kind < BUG_KINDS;
}

/* The modules with the addresses of the execution that has the bug; paths are borrowed. */
static bool modules_of_bug(const struct bug *in, const struct loaded_list *modules,
			   struct loaded_list *out)
{
	out->n = modules->n;
	out->at = calloc(out->n + 1, sizeof(*out->at));
	for (size_t i = 0; out->at && i < out->n; i++) {
		out->at[i] = modules->at[i];
		out->at[i].base = in->base[i];
	}
	return out->at;
}

static bool collect_bug_with(const struct shared *s, const struct bug *in,
			     const struct loaded_list *modules, struct finding *out)
{
	memset(out, 0, sizeof(*out));
	out->kind = is_kind(in->kind) ? in->kind : BUG_CRASH;
	copy_text(out->message, in->message);
	out->addr = in->addr;
	out->place = checked_place(&in->place, modules);
	out->execution = in->execution;
	out->seed = in->seed;
	out->strategy = in->strategy < STRATEGY_COUNT ? in->strategy : s->config.strategy;
	out->times = in->times;
	out->counted_only = in->counted_only != 0;
	out->nsides = in->nsides < HEDDLE_MAX_THREADS ? in->nsides : HEDDLE_MAX_THREADS;
	out->sides = calloc(out->nsides + 1, sizeof(*out->sides));
	if (!out->sides)
		return false;
	for (uint32_t i = 0; i < out->nsides; i++)
		collect_side(&in->side[i], modules, &out->sides[i]);
	out->lacks_steps = lacks_steps(s, in->steps_at, in->steps);
	out->nsteps = collect_steps(s, in->steps_at, in->steps, modules, &out->steps);
	return true;
}

static bool collect_bug(const struct shared *s, const struct bug *in,
			const struct loaded_list *modules, struct finding *out)
{
	struct loaded_list then;
	bool ok = modules_of_bug(in, modules, &then) && collect_bug_with(s, in, &then, out);

	free(then.at);
	return ok;
}

/* Signs that the program wrote into the mapping: what it holds that heddle never puts there. */
static const char *find_damage(struct shared *s, const struct shared_config *given)
{
	if (s->magic != SHARED_MAGIC || s->protocol != SHARED_PROTOCOL ||
	    memcmp(&s->config, given, sizeof(*given)))
		return "the settings of the run";
	if (get32(&s->phase) > PHASE_INTERNAL || get32(&s->backend) > BACKEND_FORK ||
	    get32(&s->exhausted) > 1 || get32(&s->uninstrumented) > 1 || get32(&s->roots) > 1 ||
	    get32(&s->current_thread) >= HEDDLE_MAX_THREADS)
		return "the state of the run";
	if (get32(&s->nbugs) > SHARED_MAX_BUGS || s->nsteps > SHARED_STEPS)
		return "the list of bugs";
	for (uint32_t i = 0; i < get32(&s->nbugs); i++) {
		if (s->bugs[i].kind <= BUG_NONE || s->bugs[i].kind >= BUG_KINDS)
			return "the list of bugs";
	}
	if (s->nmodules > SHARED_MAX_MODULES)
		return "the list of libraries";
	if (s->engine && (s->engine < SHARED_ADDR + SHARED_ENGINE_AT ||
			  s->engine >= SHARED_ADDR + SHARED_SIZE || s->engine % 16))
		return "the state of the exploration";
	return NULL;
}

/* Has it what belongs to it? Then it was not written over, as far as one can tell. */
static bool fact_ok(const struct fact *f, const struct loaded_list *modules)
{
	if (f->kind == FACT_EXPLORED || f->kind == FACT_SPLIT)
		return f->place.kind != PLACE_UNKNOWN && collect_place_ok(&f->place, modules) &&
		       f->arg && f->arg <= 8;
	if (f->kind == FACT_STREAM_HELD)
		return f->place.kind != PLACE_UNKNOWN && collect_place_ok(&f->place, modules);
	if (f->kind == FACT_INTERRUPTED || f->kind == FACT_FENCES || f->kind == FACT_ACTIONS ||
	    f->kind == FACT_ANYBODY)
		return f->place.kind == PLACE_THREAD && f->place.thread < HEDDLE_MAX_THREADS;
	return true;
}

/*
 * How many of the facts that a replay needs are among the first n of the table. Keeps them in
 * *out, if that is not NULL.
 */
static uint32_t collect_first(const struct fact_table *t, uint32_t n, const struct result *r,
			      struct fact *out)
{
	uint32_t all = facts_count(t), kept = 0;
	struct fact f;

	for (uint32_t i = 0; i < n && i < all; i++) {
		if (!facts_get(t, i, &f) || !fact_is_replayed(f.kind) || !fact_ok(&f, &r->modules))
			continue;
		if (out)
			out[kept] = f;
		kept++;
	}
	return kept;
}

static bool collect_facts(const struct fact_table *t, struct result *out)
{
	/* relaxed: the writers are dead */
	uint32_t used = atomic_load_explicit(&t->used, memory_order_relaxed);

	out->nfacts = collect_first(t, used, out, NULL);
	out->facts = calloc(out->nfacts + 1, sizeof(*out->facts));
	if (!out->facts)
		return false;
	collect_first(t, used, out, out->facts);
	return true;
}

static bool collect_variables(struct shared *s, struct result *out)
{
	uint32_t used = get32(&s->environment.used);

	if (out->damaged || !used || used > sizeof(s->environment.name))
		return true;
	out->variables = calloc((size_t)used + 2, 1); /* the last name may lack its 0 */
	if (!out->variables)
		return false;
	memcpy(out->variables, s->environment.name, used);
	return true;
}

/* Numbers may be anything; entries that cannot be are left out. */
static bool collect_corpus(const struct shared *s, struct result *out)
{
	const struct corpus *from = &s->corpus;

	if (out->damaged || !from->n)
		return true;
	out->corpus = calloc(1, sizeof(*out->corpus));
	for (uint64_t i = 0; out->corpus && i < from->n && i < CORPUS_MOST; i++) {
		struct corpus_entry *e = &out->corpus->entry[out->corpus->n];

		*e = from->entry[i];
		out->corpus->n += e->n && e->n <= CORPUS_PAIRS;
	}
	return out->corpus;
}

static bool collect_offspring(struct shared *s, struct result *out)
{
	struct children *c = &s->children;
	uint32_t n = get32(&c->n);

	out->more_offspring = n > SHARED_MAX_CHILDREN;
	out->leaves = get32(&c->starts.leave) == 1;
	if (!n || out->damaged)
		return true;
	if (n > SHARED_MAX_CHILDREN)
		n = SHARED_MAX_CHILDREN;
	free(out->offspring);
	out->offspring = calloc(n, sizeof(*out->offspring));
	if (!out->offspring)
		return false;
	for (uint32_t i = 0; i < n; i++)
		out->offspring[i] = (struct offspring){
			.threads = get32(&c->at[i].threads) != 0,
			.ended = (int)get32(&c->at[i].ended) - 1,
		};
	out->noffspring = n;
	return true;
}

/* Numbers that may be anything where the program has written over them. */
static void collect_counts(struct shared *s, struct result *out)
{
	out->executions = get64(&s->executions);
	out->blocked = get64(&s->blocked);
	out->wasted = get64(&s->wasted);
	out->events = get64(&s->events);
	out->restarts = get64(&s->restarts);
	out->cut = get64(&s->cut);
	out->strayed = get64(&s->strayed);
	for (unsigned i = 0; i < STRATEGY_COUNT; i++)
		out->drawn[i] = get64(&s->drawn[i]);
	out->ledger = s->ledger;
	memcpy(out->values, s->values, sizeof(out->values));
	memcpy(out->memo, s->memo, sizeof(out->memo));
	out->estimate = s->estimate;
	out->bugs_more = get64(&s->bugs_more);
	out->guided = s->guided;
}

static void collect_texts(struct shared *s, struct result *out)
{
	if (get32(&s->children.refused)) {
		out->phase = PHASE_REFUSED;
		copy_text(out->text, s->children.text);
	} else {
		copy_text(out->text, s->text);
	}
	copy_text(out->note, s->note);
	copy_text(out->memo_over, s->memo_over);
	copy_text(out->values_over, s->values_over);
	copy_text(out->foreign, s->foreign);
	copy_text(out->bare, get32(&s->is_bare) ? s->bare : (char[SHARED_TEXT]){ 0 });
	copy_text(out->met_in, get32(&s->met) ? s->met_in : (char[SHARED_TEXT]){ 0 });
}

bool collect(const struct run *run, const struct shared_config *given, struct result *out)
{
	struct shared *s = run->shared;
	uint32_t n = get32(&s->nbugs);

	memset(out, 0, sizeof(*out));
	out->damaged = find_damage(s, given);
	out->end = run->end;
	out->wait_status = run->wait_status;
	out->seconds = run->seconds;
	out->peak_rss_kib = run->peak_rss_kib;
	memcpy(out->left, run->left, sizeof(out->left));
	out->phase = get32(&s->phase);
	if (out->damaged)
		out->phase = PHASE_RUNNING;
	out->exhausted = get32(&s->exhausted) != 0;
	out->uninstrumented = get32(&s->uninstrumented) != 0;
	out->synchronised = get32(&s->synchronised) != 0;
	out->doubtful = get32(&s->doubtful) != 0;
	out->not_followed = get32(&s->not_followed);
	out->rooted = get32(&s->roots) != 0;
	out->backend = get32(&s->backend);
	if (out->damaged)
		out->backend = BACKEND_AUTO;
	out->current_thread = get32(&s->current_thread);
	if (out->current_thread >= HEDDLE_MAX_THREADS)
		out->current_thread = 0;
	out->accesses_only = run->accesses_only;
	if (run->end == RUN_HUNG && run->hung_thread < HEDDLE_MAX_THREADS)
		out->current_thread = run->hung_thread;
	if (!out->damaged) {
		collect_counts(s, out);
		collect_texts(s, out);
	}
	if (!collect_modules(s, &out->modules) || !collect_offspring(s, out) ||
	    !collect_variables(s, out) || !collect_corpus(s, out) ||
	    !collect_facts(run->facts, out))
		return false;
	if (given->mode == ENGINE_ONLINE && !out->damaged && !(out->coverage = covered_collect(s)))
		return false;
	if (n > SHARED_MAX_BUGS)
		n = out->damaged ? 0 : SHARED_MAX_BUGS;
	out->findings = calloc(n + 1, sizeof(*out->findings)); /* room for a death */
	if (!out->findings)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!is_kind(s->bugs[i].kind))
			continue; /* written over */
		if (!collect_bug(s, &s->bugs[i], &out->modules, &out->findings[out->nfindings]))
			return false;
		if (given->mode == ENGINE_REPLAY && !out->damaged &&
		    !collect_said(s, &out->modules, &out->findings[out->nfindings].said))
			return false;
		out->findings[out->nfindings].nfacts =
			collect_first(run->facts, s->bugs[i].facts, out, NULL);
		out->nfindings++;
	}
	return true;
}

bool collect_orphans(const struct run *run, struct result *out)
{
	struct shared *s = run->shared;

	memcpy(out->left, run->left, sizeof(out->left));
	if (!out->damaged && get32(&s->children.refused))
		collect_texts(s, out);
	return collect_offspring(s, out);
}

void result_release(struct result *r)
{
	for (size_t i = 0; i < r->nfindings; i++)
		finding_release(&r->findings[i]);
	free(r->findings);
	free(r->offspring);
	free(r->variables);
	free(r->corpus);
	free(r->coverage);
	free(r->facts);
	loaded_release(&r->modules);
	memset(r, 0, sizeof(*r));
}

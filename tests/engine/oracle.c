/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle.c - see oracle.h
 *
 * A state is a graph closed under po and rf in which every thread stands before an operation
 * that reads (writes and fences happen at once). It grows by giving one such operation any
 * write of its location that exists already, so po and rf stay acyclic; the many ways to
 * reach one graph are told apart by `seen`. Pruned are only graphs that no model allows
 * whatever follows: two read-modify-writes of one write, or a read of a write that another
 * write of the location hides by program order alone.
 *
 * Cost: one step per graph and read; a few hundred graphs for the programs of the tests.
 */
#include "engine/oracle.h"

#include <stddef.h>
#include <string.h>

#include "engine/engine.h"

enum {
	MAX_OPS = 31
}; /* named operations of one thread */

struct thread_state {
	struct interp it;
	struct action act; /* what it wants, while status is IT_OP */
	bool cut;
	int named;                 /* operations with a name so far */
	int8_t event[MAX_OPS + 1]; /* name to event, -1 for a choice */
	int8_t last;               /* its last event, -1: none */
	struct class_key key;      /* its own part of the key */
};

struct state {
	struct ax_graph g;
	int64_t stored[AX_EVENTS], read[AX_EVENTS];
	uint8_t name[AX_EVENTS];  /* index in its thread */
	bool passes[AX_EVENTS];   /* a thread goes on: who let it is no value that it reads */
	uint64_t pred[AX_EVENTS]; /* po and library edges before each event, closed */
	struct thread_state th[SCRIPT_THREADS];
	struct rounds rounds[SCRIPT_THREADS]; /* only with the rule */
};

struct run {
	struct oracle *o;
	const struct script *s;
	const struct oracle_options *opt;
};

static bool plain(const struct action *act)
{
	return (act->op == OP_LOAD || act->op == OP_STORE) && act->order == ORDER_NA;
}

static bool has_name(const struct action *act)
{
	return act->op != OP_FENCE && act->op != OP_COND_WOKEN && act->op != OP_BARRIER_PASS &&
	       !plain(act);
}

void oracle_init(struct oracle *o)
{
	memset(o, 0, sizeof(*o));
	class_set_init(&o->classes);
	class_set_init(&o->finals);
	class_set_init(&o->values);
	class_set_init(&o->deadlocks);
	class_set_init(&o->seen);
}

void oracle_release(struct oracle *o)
{
	class_set_release(&o->classes);
	class_set_release(&o->finals);
	class_set_release(&o->values);
	class_set_release(&o->deadlocks);
	class_set_release(&o->seen);
}

/* The order in which an operation counts, once it is known whether it writes. */
static unsigned order_in_force(const struct action *act, bool wrote)
{
	switch (act->op) {
	case OP_LOAD:
	case OP_STORE:
	case OP_RMW:
	case OP_FENCE:
		return act->order;
	case OP_CAS:
		return wrote ? act->order : act->order_fail;
	case OP_UNLOCK:
		return ORDER_REL;
	case OP_LOCK:
		return ORDER_ACQ;
	case OP_COND_LEAVE:
		return wrote ? ORDER_ACQ_REL : ORDER_ACQ;
	case OP_TRYLOCK:
		return wrote ? ORDER_ACQ : ORDER_RLX;
	case OP_SEM_TRYWAIT:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		return wrote ? ORDER_ACQ_REL : ORDER_RLX;
	case OP_FUTEX_LOOK:
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_COUNT_LOOK:
	case OP_COUNT_AWAIT:
	case OP_READY_TRYTAKE:
		return wrote ? ORDER_ACQ_REL : ORDER_ACQ;
	default:
		return ORDER_ACQ_REL;
	}
}

/* Adds the event of an operation that reads from event `rf` (-1: nothing); false when full. */
static bool add_event(struct state *st, int t, const struct action *act, int rf,
		      const struct effect *eff)
{
	struct thread_state *th = &st->th[t];
	struct ax_graph *g = &st->g;
	int i = g->n;

	if (i == AX_EVENTS || th->named == MAX_OPS)
		return false;
	bool reads = rf >= 0;
	unsigned order = order_in_force(act, eff->wrote);
	bool sync = action_is_library(act) && reads && order != ORDER_RLX;
	/* Who is woken does not look at what has become of the futex since. */
	bool fence = act->op == OP_FENCE || (act->op == OP_COND_WOKEN && act->fn);
	g->ev[i] = (struct ax_event){
		.tid = (int8_t)t,
		.loc = fence ? -1 : act->loc,
		.rf = (int8_t)rf,
		.kind = fence ? AX_F : (uint8_t)((reads ? AX_R : 0) | (eff->wrote ? AX_W : 0)),
		.order = fence && reads ? ORDER_RLX : (uint8_t)order,
		.sync = sync,
	};
	st->stored[i] = eff->stored;
	st->read[i] = eff->read;
	st->name[i] = (uint8_t)th->named;
	st->passes[i] = act->op == OP_COND_WOKEN || act->op == OP_BARRIER_PASS;
	st->pred[i] = 0;
	if (th->last >= 0)
		st->pred[i] |= st->pred[(int)th->last] | (uint64_t)1 << th->last;
	if (sync && rf >= g->nlocs)
		st->pred[i] |= st->pred[rf] | (uint64_t)1 << rf;
	th->last = (int8_t)i;
	if (has_name(act))
		th->event[th->named++] = (int8_t)i;
	g->n++;
	return true;
}

/* Performs one operation; eff->wrote and stored are already known. */
static bool perform(const struct run *r, struct state *st, int t, int rf, const struct effect *eff)
{
	struct thread_state *th = &st->th[t];
	struct action act = th->act;

	if (act.op == OP_CHOOSE) {
		if (th->named == MAX_OPS)
			return false;
		key_push(&th->key, 0x80 | eff->choice, 0xfe);
		th->event[th->named++] = -1;
	} else {
		if (rf >= 0 && has_name(&act)) {
			bool init = rf < st->g.nlocs;
			key_push(&th->key, init ? 0 : (unsigned)st->g.ev[rf].tid + 1,
				 init ? 0 : st->name[rf]);
			if (action_has_choice(&act, eff->read))
				key_push(&th->key, 0x80 | eff->choice,
					 action_is_futex(&act) ? 0xfd : 0xfe);
		}
		if (!add_event(st, t, &act, rf, eff))
			return false;
	}
	interp_done(&th->it, r->opt->rule ? &st->rounds[t] : NULL, &act, eff);
	return true;
}

/* Runs a thread to its next operation that reads or chooses. */
static bool run_thread(const struct run *r, struct state *st, int t)
{
	struct thread_state *th = &st->th[t];

	while (interp_next(&th->it, &th->act) == IT_OP) {
		struct effect eff = { .wrote = th->act.op != OP_FENCE };
		if (action_reads(&th->act) || th->act.op == OP_CHOOSE) {
			th->cut = r->opt->max_reads && th->it.reads >= r->opt->max_reads &&
				  th->act.op != OP_CHOOSE;
			return true;
		}
		action_apply(&th->act, t, 0, 0, &eff.stored);
		if (!perform(r, st, t, -1, &eff))
			return false;
	}
	return true;
}

/* No model allows this read: its source is taken, or hidden by program order. */
static bool hopeless(const struct state *st, int e)
{
	const struct ax_graph *g = &st->g;
	int w = g->ev[e].rf;
	bool takes = g->ev[e].kind == AX_U;

	for (int i = g->nlocs; i < g->n; i++) {
		if (i == e || g->ev[i].loc != g->ev[e].loc)
			continue;
		if (takes && g->ev[i].kind == AX_U && g->ev[i].rf == w)
			return true;
		bool hides = g->ev[i].kind & AX_W && i != w && st->pred[e] >> i & 1;
		if (hides && (w < g->nlocs || st->pred[i] >> w & 1))
			return true;
	}
	return false;
}

static void copy_state(const struct run *r, struct state *to, const struct state *from)
{
	memcpy(to, from, r->opt->rule ? sizeof(*from) : offsetof(struct state, rounds));
}

static void whole_key(const struct run *r, const struct state *st, struct class_key *key)
{
	key->len = 0;
	for (int t = 0; t < r->s->nthreads; t++) {
		const struct thread_state *th = &st->th[t];
		for (int i = 0; i < th->key.len; i += 2)
			key_push(key, th->key.b[i], th->key.b[i + 1]);
		key_end_thread(key, th->cut ? 'C'
				    : th->it.status == IT_OP && action_is_void(&th->act)
					    ? 'T'
					    : key_letter(th->it.status));
	}
}

/* Plain and woken reads have no name, so graphs must be told apart by them too. */
static void state_key(const struct run *r, const struct state *st, struct class_key *key)
{
	whole_key(r, st, key);
	for (int t = 0; t < r->s->nthreads; t++)
		if (st->th[t].it.phase)
			key_push(key, (unsigned)t, st->th[t].it.phase);
	for (int t = 0; t < r->s->nthreads; t++)
		if (st->th[t].it.status == IT_OP && st->th[t].act.op == OP_COND_WOKEN)
			key_push(key, (unsigned)t, 0x40);
	if (!r->s->plain)
		return;
	for (int t = 0; t < r->s->nthreads; t++)
		for (int i = st->g.nlocs; i < st->g.n; i++)
			if (st->g.ev[i].tid == t && st->g.ev[i].order == ORDER_NA &&
			    st->g.ev[i].rf >= 0) {
				int w = st->g.ev[i].rf, rank = 0;
				for (int k = st->g.nlocs; k < w; k++)
					rank += st->g.ev[k].tid == st->g.ev[w].tid;
				key_push(key, (unsigned)st->g.ev[w].tid + 1, (unsigned)rank);
			}
}

static void note_final(const struct run *r, const struct state *st, unsigned models)
{
	struct class_key key = { .len = 0 };

	for (int t = 0; t < r->s->nthreads; t++)
		for (int i = 0; i < r->s->thread[t].nregs; i++)
			if (r->s->thread[t].reg_name[i][0] == 'r')
				key_push(&key, (unsigned)i, (uint8_t)st->th[t].it.reg[i]);
	class_set_add(&r->o->finals, &key)->models |= models;
}

/* The value that an event read, as one of a vector: of a futex it is who sleeps, wherever. */
static int64_t value_in_vector(const struct run *r, const struct state *st, int i)
{
	if (r->s->loc[(int)st->g.ev[i].loc].kind == LOC_FUTEX)
		return (int64_t)futex_sleepers(st->read[i]);
	return st->read[i];
}

/* Whom it woke is told by who sleeps behind it. */
static void note_sleepers(const struct run *r, const struct state *st, int i, struct class_key *key)
{
	const struct ax_event *ev = &st->g.ev[i];

	if (ev->kind == AX_U && r->s->loc[(int)ev->loc].kind == LOC_FUTEX)
		key_push(key, (unsigned)ev->tid,
			 class_value((int64_t)futex_sleepers(st->stored[i])));
}

static void note_values(const struct run *r, const struct state *st, struct class_set *set,
			unsigned models)
{
	struct class_key key = { .len = 0 };

	for (int t = 0; t < r->s->nthreads; t++) {
		const struct class_key *chosen = &st->th[t].key;

		for (int i = st->g.nlocs; i < st->g.n; i++)
			if (st->g.ev[i].tid == t && st->g.ev[i].rf >= 0 && !st->passes[i]) {
				key_push(&key, (unsigned)t, class_value(value_in_vector(r, st, i)));
				note_sleepers(r, st, i, &key);
			}
		for (int i = 0; i + 1 < chosen->len; i += 2)
			if (chosen->b[i + 1] == 0xfe)
				key_push(&key, chosen->b[i], 0xfe);
	}
	class_set_add(set, &key)->models |= models;
}

/* The models in which the threads that the rule stopped can never go on. */
static unsigned stuck_for_good(const struct run *r, const struct state *st, unsigned models)
{
	struct ax_graph g = st->g;
	struct ax_result res;

	for (int t = 0; t < r->s->nthreads; t++) {
		int left = st->th[t].it.round;
		if (st->th[t].it.status == IT_STUCK && !left)
			return 0;
		for (int i = g.n - 1; i >= g.nlocs && left; i--) {
			if (g.ev[i].tid != t)
				continue;
			left--;
			if (g.ev[i].kind & AX_R)
				g.latest |= (uint64_t)1 << i;
		}
	}
	for (int i = g.nlocs; i < g.n; i++)
		if (g.ev[i].kind == AX_U && st->stored[i] == st->read[i])
			g.quiet |= (uint64_t)1 << i;
	if (!g.latest)
		return 0;
	ax_judge(&g, models, false, &res);
	return res.consistent;
}

static bool only_stuck(const struct class_key *key)
{
	bool stuck = false;

	for (int i = 0; i + 1 < key->len; i += 2)
		if (key->b[i] == 0xff) {
			stuck |= key->b[i + 1] == 'S';
			if (key->b[i + 1] == 'B')
				return false;
		}
	return stuck;
}

/* Graph with nothing left to do but what waits: count it where nothing can go on. */
static void finish(const struct run *r, const struct state *st, unsigned extendable)
{
	struct ax_result res;
	struct class_key key;
	struct oracle *o = r->o;

	ax_judge(&st->g, r->opt->models & ~extendable, r->opt->count_mo, &res);
	if (!res.consistent)
		return;
	whole_key(r, st, &key);
	enum class_kind kind = key_kind(&key);
	struct class *c = class_set_add(&o->classes, &key);
	o->racy |= res.racy;
	for (int m = 0; m < AX_MODELS; m++) {
		if (!(res.consistent >> m & 1) || c->models >> m & 1)
			continue;
		o->count[kind][m]++;
		c->orders[m] = (unsigned)res.mos[m];
		if (kind == CLASS_COMPLETE)
			o->mos[m] += res.mos[m];
	}
	c->models |= res.consistent;
	c->state = 0;
	for (int t = 0; t < r->s->nthreads; t++)
		c->state += interp_state(&st->th[t].it);
	if (r->opt->rule && only_stuck(&key))
		c->stuck |= stuck_for_good(r, st, res.consistent);
	if (kind == CLASS_COMPLETE)
		note_final(r, st, res.consistent);
	if (kind == CLASS_COMPLETE && r->opt->count_mo)
		note_values(r, st, &o->values, res.consistent);
	if (kind == CLASS_DEADLOCK && r->opt->count_mo)
		note_values(r, st, &o->deadlocks, res.consistent);
}

static void visit(const struct run *r, struct state *st);

/* Is write w of a futex behind the latest that the thread did to it (to go to sleep)? */
static bool behind_sleep(const struct ax_graph *g, int w, int t)
{
	int last = -1;

	for (int i = g->nlocs; i < g->n; i++)
		if (g->ev[i].tid == t && g->ev[i].loc == g->ev[w].loc)
			last = i;
	while (w >= g->nlocs && w != last)
		w = g->ev[w].rf;
	return w == last;
}

/* Is write w what took out the thread, which waited before it? (That it waits no more is known.) */
static bool took_out(const struct state *st, const struct action *act, int w, int t)
{
	if (!act->fn)
		return st->read[w] >> (t + 1) & 1;
	return (futex_sleepers(st->read[w]) >> (t + 1) & 1) && behind_sleep(&st->g, w, t);
}

/* Is the futex as the thread saw it, if it had to look first? */
static bool follows_look(const struct ax_graph *g, const struct action *act, int w, int t)
{
	int last = -1;

	if (act->op != OP_FUTEX_WAIT && act->op != OP_FUTEX_REQUEUE)
		return true;
	for (int i = g->nlocs; i < g->n; i++)
		if (g->ev[i].tid == t && g->ev[i].loc == act->loc)
			last = i;
	return last >= 0 && g->ev[last].kind == AX_R && g->ev[last].rf == w;
}

/* Gives the wanted operation of thread t the source w, in a copy, and goes on from there. */
static unsigned extend(const struct run *r, const struct state *st, int t, int w, uint32_t choice,
		       bool judge)
{
	struct state next;
	struct effect eff = { .choice = choice };
	const struct action *act = &st->th[t].act;

	if (w >= 0)
		eff.read = w < st->g.nlocs ? r->s->loc[w].init : st->stored[w];
	enum action_result res = action_apply(act, t, eff.read, choice, &eff.stored);
	if (res == ACT_WAITS)
		return 0;
	if (act->op == OP_COND_WOKEN && (w < st->g.nlocs || !took_out(st, act, w, t)))
		return 0; /* only the signal that took it out wakes it */
	if (!follows_look(&st->g, act, w, t))
		return 0;
	eff.wrote = res == ACT_READS_AND_WRITES;
	copy_state(r, &next, st);
	int e = next.g.n;
	if (!perform(r, &next, t, w, &eff)) {
		r->o->gave_up = true;
		return 0;
	}
	if (w >= 0 && hopeless(&next, e))
		return 0;
	if (!run_thread(r, &next, t)) {
		r->o->gave_up = true;
		return 0;
	}
	unsigned consistent = 0;
	if (judge) {
		struct ax_result ax;
		ax_judge(&next.g, r->opt->models, false, &ax);
		consistent = ax.consistent;
	}
	visit(r, &next);
	return consistent;
}

/* All ways to perform what thread t wants; the models in which one is consistent, if asked. */
static unsigned extend_all(const struct run *r, const struct state *st, int t, bool judge)
{
	const struct action *act = &st->th[t].act;
	unsigned models = 0;

	if (act->op == OP_CHOOSE) {
		for (uint32_t c = 0; c < act->n; c++)
			models |= extend(r, st, t, -1, c, judge);
		return models;
	}
	for (int w = 0; w < st->g.n && !r->o->gave_up; w++) {
		if (st->g.ev[w].loc != act->loc || !(st->g.ev[w].kind & AX_W))
			continue;
		int64_t v = w < st->g.nlocs ? r->s->loc[w].init : st->stored[w];
		for (uint32_t c = 0; c < action_choices(act, v); c++)
			models |= extend(r, st, t, w, c, judge);
	}
	return models;
}

static bool may_wait(const struct action *act)
{
	return act->op == OP_LOCK || act->op == OP_SEM_WAIT || act->op == OP_COND_WOKEN ||
	       act->op == OP_RDLOCK || act->op == OP_WRLOCK || act->op == OP_BARRIER_PASS ||
	       act->op == OP_COUNT_TAKE || act->op == OP_COUNT_ADD || act->op == OP_COUNT_AWAIT ||
	       act->op == OP_READY_TAKE || act->op == OP_READY_TRYTAKE ||
	       act->op == OP_READY_LOCK || action_is_void(act);
}

static void visit(const struct run *r, struct state *st)
{
	struct class_key key;
	bool final = true;
	unsigned extendable = 0;

	state_key(r, st, &key);
	struct class *c = class_set_add(&r->o->seen, &key);
	if (c->visits++ || r->o->gave_up)
		return;
	if (r->opt->max_states && ++r->o->states > (uint64_t)r->opt->max_states) {
		r->o->gave_up = true;
		return;
	}
	for (int t = 0; t < r->s->nthreads; t++)
		if (st->th[t].it.status == IT_OP && !st->th[t].cut && !may_wait(&st->th[t].act))
			final = false;
	for (int t = 0; t < r->s->nthreads; t++)
		if (st->th[t].it.status == IT_OP && !st->th[t].cut)
			extendable |= extend_all(r, st, t, final);
	if (final && !r->o->gave_up)
		finish(r, st, extendable);
}

void oracle_run(struct oracle *o, const struct script *s, const struct oracle_options *opt)
{
	struct run r = { .o = o, .s = s, .opt = opt };
	static struct state st;

	class_set_clear(&o->classes);
	class_set_clear(&o->finals);
	class_set_clear(&o->values);
	class_set_clear(&o->deadlocks);
	class_set_clear(&o->seen);
	memset(o->count, 0, sizeof(o->count));
	memset(o->mos, 0, sizeof(o->mos));
	o->racy = 0;
	o->states = 0;
	o->gave_up = false;
	memset(&st, 0, sizeof(st));
	st.g.nlocs = st.g.n = s->nlocs;
	for (int l = 0; l < s->nlocs; l++)
		st.g.ev[l] = (struct ax_event){
			.tid = -1, .loc = (int8_t)l, .rf = -1, .kind = AX_W, .order = ORDER_NA
		};
	for (int t = 0; t < s->nthreads; t++) {
		interp_init(&st.th[t].it, s, t);
		st.rounds[t].no_mo = opt->models == 1u << MODEL_WRA;
		st.th[t].last = -1;
		if (!run_thread(&r, &st, t))
			o->gave_up = true;
	}
	if (!o->gave_up)
		visit(&r, &st);
}

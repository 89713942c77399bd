/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refusal.c - see refusal.h
 *
 * From the axioms, sharing nothing with the checkers: hb comes from the brute-force oracle. Of
 * mo only this is known: the initial write comes first, a read-modify-write follows its
 * write at once, what is given, and what the reasons of the case say, each of which must hold by
 * those before it. Each step of a path or cycle must be in its relation, and together they must be
 * what the axiom forbids.
 *
 * A reason is a path from one write to another: the opposite order would close a cycle. A
 * cycle that assumes an order refutes it, and cases after it may build upon the opposite.
 */
#include "offline/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offline/random_execution.h"

#define BIT(i) ((ax_row)1 << (i))

struct facts {
	const struct execution *x;
	enum engine_model m;
	const uint32_t *rank; /* of each write in mo, if that is given */
	struct ax_graph g;
	uint32_t at[AX_EVENTS]; /* where each event is in g; the initial writes come first */
	ax_row hb[AX_EVENTS], mo[AX_EVENTS];
	char wrong[256];
};

static bool is_write(const struct execution *x, uint32_t e)
{
	return e == EX_INIT || (e < x->n && x->kind[e] & EX_WRITE);
}

static bool is_read(const struct execution *x, uint32_t e)
{
	return e < x->n && x->kind[e] & EX_READ;
}

static bool is_rmw(const struct execution *x, uint32_t e)
{
	return is_read(x, e) && is_write(x, e);
}

static bool is_fence(const struct execution *x, uint32_t e)
{
	return e < x->n && x->kind[e] & EX_FENCE;
}

/* Of two events, of which one may be an initial write. */
static bool same_location(const struct execution *x, uint32_t a, uint32_t b)
{
	if (is_fence(x, a) || is_fence(x, b))
		return false;
	return a == EX_INIT || b == EX_INIT || x->loc[a] == x->loc[b];
}

static uint32_t place(const struct facts *f, uint32_t e, uint32_t loc)
{
	return e == EX_INIT ? loc : f->at[e];
}

/* ---- mo -------------------------------------------------------------------------------------- */

static bool close_once(struct facts *f)
{
	bool changed = false;

	for (int i = 0; i < f->g.n; i++) {
		ax_row old = f->mo[i];

		for (int k = 0; k < f->g.n; k++)
			if (f->mo[i] & BIT(k))
				f->mo[i] |= f->mo[k];
		for (int u = 0; u < f->g.n; u++) {
			int w = f->g.ev[u].rf;

			if (f->g.ev[u].kind != AX_U || w < 0)
				continue;
			if (i == w)
				f->mo[u] |= f->mo[w] & ~BIT(u);
			else if (f->mo[i] & BIT(u))
				f->mo[i] |= BIT(w);
		}
		changed |= old != f->mo[i];
	}
	return changed;
}

static void close_mo(struct facts *f)
{
	while (close_once(f))
		;
}

/* All of mo, if it is given. */
static void give_mo(struct facts *f)
{
	for (uint32_t a = 0; a < f->x->n; a++)
		for (uint32_t b = 0; b < f->x->n; b++)
			if (f->rank[a] && f->rank[a] < f->rank[b] && f->x->loc[a] == f->x->loc[b])
				f->mo[f->at[a]] |= BIT(f->at[b]);
}

static void begin_mo(struct facts *f)
{
	memset(f->mo, 0, sizeof(f->mo));
	if (f->rank)
		give_mo(f);
	for (int i = f->g.nlocs; i < f->g.n; i++) {
		if (!(f->g.ev[i].kind & AX_W) || f->g.ev[i].kind == AX_F)
			continue;
		f->mo[(int)f->g.ev[i].loc] |= BIT(i);
		if (f->g.ev[i].kind == AX_U && f->g.ev[i].rf >= 0)
			f->mo[(int)f->g.ev[i].rf] |= BIT(i);
	}
	close_mo(f);
}

static bool mo_holds(const struct facts *f, uint32_t a, uint32_t b)
{
	uint32_t loc;

	if (!is_write(f->x, a) || b >= f->x->n || !is_write(f->x, b) || !same_location(f->x, a, b))
		return false;
	loc = f->x->loc[b];
	return f->mo[place(f, a, loc)] >> place(f, b, loc) & 1;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static bool po_holds(const struct execution *x, uint32_t a, uint32_t b)
{
	return a < x->n && b < x->n && x->tid[a] == x->tid[b] && a < b;
}

/* x86: a write may be delayed behind later reads, but not across these. */
static bool ppo_holds(const struct execution *x, uint32_t a, uint32_t b)
{
	if (!po_holds(x, a, b))
		return false;
	if (is_read(x, a) || is_write(x, b) || !is_write(x, a) || x->order[a] == ORDER_SC)
		return true;
	for (uint32_t e = a + 1; e < b; e++)
		if (is_rmw(x, e) || (is_fence(x, e) && x->order[e] == ORDER_SC))
			return true;
	return false;
}

static bool hb_holds(const struct facts *f, uint32_t a, uint32_t b)
{
	if (b >= f->x->n || (a != EX_INIT && a >= f->x->n))
		return false;
	if (a == EX_INIT)
		return true;
	return f->hb[f->at[a]] >> f->at[b] & 1;
}

static bool holds(const struct facts *f, const char *r, uint32_t a, uint32_t b)
{
	const struct execution *x = f->x;

	if (!strcmp(r, "po"))
		return po_holds(x, a, b);
	if (!strcmp(r, "rf"))
		return is_read(x, b) && x->rf[b] == a;
	if (!strcmp(r, "rf^-1"))
		return is_read(x, a) && x->rf[a] == b;
	if (!strcmp(r, "hb"))
		return hb_holds(f, a, b);
	if (!strcmp(r, "mo"))
		return mo_holds(f, a, b);
	if (!strcmp(r, "fr"))
		return is_read(x, a) && a != b && x->rf[a] != b && mo_holds(f, x->rf[a], b);
	return false;
}

/* Is a step one that the global axiom of the model orders? */
static bool in_global(const struct facts *f, const char *r, uint32_t a, uint32_t b)
{
	bool po = !strcmp(r, "po"), rf = !strcmp(r, "rf"), fr = !strcmp(r, "fr");

	if (f->m == MODEL_TSO && po)
		return ppo_holds(f->x, a, b);
	if (f->m == MODEL_TSO && rf)
		return f->x->tid[a] != f->x->tid[b] || ppo_holds(f->x, a, b);
	if (f->m == MODEL_SRA && fr)
		return is_rmw(f->x, a); /* nothing comes between it and its write */
	if (f->m == MODEL_SRA && !strcmp(r, "hb"))
		return true;
	return po || rf || fr || !strcmp(r, "mo");
}

static bool is(const struct verdict_step *s, const char *relation)
{
	return s->relation && !strcmp(s->relation, relation);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* (rf)? hb (rf^-1)?, n steps between the ends. */
static bool is_coherence(const struct verdict_step *s, uint32_t n)
{
	if (n && is(s, "rf")) {
		s++;
		n--;
	}
	if (!n || !is(s, "hb"))
		return false;
	return n == 1 || (n == 2 && is(s + 1, "rf^-1"));
}

/* tso: the thread's own writes and reads of a location. */
static bool is_own(const struct facts *f, const struct verdict_step *s, uint32_t n)
{
	return f->m == MODEL_TSO && n && is(s, "po") &&
	       same_location(f->x, s[0].event, s[1].event) &&
	       (n == 1 || (n == 2 && is(s + 1, "rf^-1")));
}

/* Steps of the global axiom, and at the end perhaps what a read observes. */
static bool is_global(const struct facts *f, const struct verdict_step *s, uint32_t n)
{
	bool hb = true;

	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 == n && i && is(&s[i], "rf^-1"))
			return f->m != MODEL_SRA || hb || is_rmw(f->x, s[i].event);
		if (!in_global(f, s[i].relation, s[i].event, s[i + 1].event))
			return false;
		hb &= is(&s[i], "po") || is(&s[i], "rf") || is(&s[i], "hb");
	}
	return n > 0;
}

static bool has_global(const struct facts *f)
{
	return f->m == MODEL_SC || f->m == MODEL_TSO || f->m == MODEL_SRA;
}

static bool path_holds(struct facts *f, const struct verdict *v, const struct verdict_reason *r)
{
	const struct verdict_step *s = v->steps + r->path;

	if (r->npath < 2 || s[0].event != r->from || s[r->npath - 1].event != r->to)
		return false;
	for (uint32_t i = 0; i + 1 < r->npath; i++)
		if (!s[i].relation || !holds(f, s[i].relation, s[i].event, s[i + 1].event))
			return false;
	if (is_own(f, s, r->npath - 1))
		return true;
	if (has_global(f))
		return is_global(f, s, r->npath - 1);
	return is_coherence(s, r->npath - 1);
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

static uint32_t after(const struct verdict_case *c, uint32_t i)
{
	return (i + 1) % c->ncycle;
}

static bool only(const struct verdict_step *s, uint32_t n, const char *words)
{
	for (uint32_t i = 0; i < n; i++) {
		char word[16];

		snprintf(word, sizeof(word), " %s ", s[i].relation);
		if (!strstr(words, word))
			return false;
	}
	return true;
}

static bool two_takers(const struct execution *x, const struct verdict_step *s, uint32_t n)
{
	return n == 3 && is(s, "rf^-1") && is(s + 1, "rf") && s[0].event != s[2].event &&
	       is_rmw(x, s[0].event) && is_rmw(x, s[2].event) &&
	       x->rf[s[0].event] == x->rf[s[2].event] && x->rf[s[0].event] == s[1].event &&
	       same_location(x, s[0].event, s[2].event);
}

/* A pair of psc from s[0] to s[n]: left; scb; right, or hb, or hb;eco;hb between fences. */
static bool is_scb(const struct execution *x, const struct verdict_step *s, uint32_t n)
{
	bool loc = same_location(x, s[0].event, s[1].event);

	if (n == 1)
		return is(s, "po") || is(s, "mo") || is(s, "fr") || (is(s, "hb") && loc);
	return n == 3 && is(s, "po") && is(s + 1, "hb") && is(s + 2, "po") && !loc &&
	       !same_location(x, s[2].event, s[3].event);
}

static bool is_psc(const struct execution *x, const struct verdict_step *s, uint32_t n)
{
	bool from = is_fence(x, s[0].event), to = is_fence(x, s[n].event);

	if (x->order[s[0].event] != ORDER_SC || x->order[s[n].event] != ORDER_SC)
		return false;
	for (uint32_t l = 0; l <= (from && is(s, "hb")); l++)
		for (uint32_t r = 0; r <= (to && is(s + n - 1, "hb")); r++)
			if (l + r < n && is_scb(x, s + l, n - l - r))
				return true;
	if (!from || !to || !is(s, "hb"))
		return false;
	return n == 1 || (n > 2 && is(s + n - 1, "hb") && only(s + 1, n - 2, " rf mo fr "));
}

static bool psc_holds_along(const struct execution *x, const struct verdict_step *cycle, uint32_t n)
{
	struct verdict_step *s = offline_room((size_t)n * 2 + 1, sizeof(*s));
	uint32_t first = 0, from;
	bool ok;

	while (first < n && !cycle[first].psc)
		first++;
	ok = first < n;
	for (uint32_t i = 0; ok && i <= n; i++)
		s[i] = cycle[(first + i) % n];
	from = 0;
	for (uint32_t i = 1; ok && i <= n; i++) {
		if (!s[i].psc)
			continue;
		ok = is_psc(x, s + from, i - from);
		from = i;
	}
	free(s);
	return ok;
}

/* Is this what the axiom forbids? The steps are known to hold. */
static bool violates(const struct facts *f, const char *axiom, const struct verdict_step *s,
		     uint32_t n)
{
	const char *last = s[n - 1].relation;
	bool rest;

	if (!strcmp(axiom, "weak read coherence"))
		return n == 3 && is(s, "hb") && is(s + 1, "hb") && !strcmp(last, "rf^-1") &&
		       is_write(f->x, s[0].event) && is_write(f->x, s[1].event) &&
		       same_location(f->x, s[1].event, s[2].event);
	if (!strcmp(axiom, "write coherence") || !strcmp(axiom, "read coherence")) {
		rest = f->m == MODEL_SRA ? only(s, n - 1, " po rf hb ") : is_coherence(s, n - 1);
		return rest && !strcmp(last, *axiom == 'w' ? "mo" : "fr") && n > 1 &&
		       !is(&s[n - 2], "rf^-1");
	}
	if (!strcmp(axiom, "sc per location"))
		return n == 3 && is(s, "mo") && is(s + 1, "po") && !strcmp(last, "rf^-1") &&
		       same_location(f->x, s[1].event, s[2].event);
	if (!strcmp(axiom, "acyclic(psc)"))
		return psc_holds_along(f->x, s, n);
	if (!strcmp(axiom, "acyclic(hb u mo)"))
		return f->m == MODEL_SRA && only(s, n, " po rf hb mo ");
	if (!strncmp(axiom, "acyclic(", 8) && has_global(f)) {
		for (uint32_t i = 0; i < n; i++)
			if (!in_global(f, s[i].relation, s[i].event, s[(i + 1) % n].event))
				return false;
		return true;
	}
	return false;
}

static const char *check_case(struct facts *f, const struct verdict *v, uint32_t number)
{
	const struct verdict_case *c = &v->cases[number];
	const struct verdict_step *s = v->steps + c->cycle;

	begin_mo(f);
	for (uint32_t i = 0; i < c->nreasons; i++) {
		const struct verdict_reason *r = &v->reasons[c->reasons + i], *first;

		if (r->to >= f->x->n || !is_write(f->x, r->to) || !is_write(f->x, r->from) ||
		    !same_location(f->x, r->from, r->to) || r->from == r->to)
			return "a reason is not about two writes of a location";
		if (r->kind == REASON_SINCE && !path_holds(f, v, r))
			return "a reason does not hold";
		if (r->kind == REASON_REFUTED) {
			if (r->by >= number)
				return "a reason names a later case";
			first = NULL;
			for (uint32_t k = 0; k < v->cases[r->by].nreasons; k++)
				if (v->reasons[v->cases[r->by].reasons + k].kind == REASON_ASSUMED)
					first = &v->reasons[v->cases[r->by].reasons + k];
			if (!first || first->from != r->to || first->to != r->from)
				return "a reason is not the opposite of what was refuted";
		}
		f->mo[place(f, r->from, f->x->loc[r->to])] |= BIT(f->at[r->to]);
		close_mo(f);
	}
	if (!c->ncycle)
		return "there is no cycle";
	if (!strcmp(v->axiom, "atomicity") || !strcmp(v->axiom, "weak atomicity"))
		return two_takers(f->x, s, c->ncycle) ? NULL : "it is no violation of atomicity";
	for (uint32_t i = 0; i < c->ncycle; i++)
		if (!holds(f, s[i].relation, s[i].event, s[after(c, i)].event)) {
			snprintf(f->wrong, sizeof(f->wrong),
				 "step %u (%s) of a cycle does not hold", i, s[i].relation);
			return f->wrong;
		}
	return violates(f, v->axiom, s, c->ncycle) ? NULL : "a cycle is none of its axiom";
}

static uint32_t count_assumed(const struct verdict *v, const struct verdict_case *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nreasons; i++)
		n += v->reasons[c->reasons + i].kind == REASON_ASSUMED;
	return n;
}

/* Without the oracle, which knows no such executions. */
static const char *check_porf(const struct execution *x, const struct verdict_step *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = s[i].event, b = s[(i + 1) % n].event;

		if (!(is(&s[i], "po") && po_holds(x, a, b)) &&
		    !(is(&s[i], "rf") && is_read(x, b) && x->rf[b] == a))
			return "a step of po or rf is none";
	}
	return n ? NULL : "there is no cycle";
}

const char *refute_refusal(const struct execution *x, enum engine_model m, const uint32_t *rank,
			   const struct verdict *v)
{
	static struct facts f;
	const char *wrong = NULL;

	f.x = x;
	f.m = m;
	f.rank = rank;
	if (!v->axiom || !v->ncases)
		return "it names no axiom or has no case";
	if (!strcmp(v->axiom, "acyclic(po u rf)"))
		return v->ncases == 1 ? check_porf(x, v->steps + v->cases->cycle, v->cases->ncycle)
				      : "it has several cases";
	to_axioms(x, &f.g, f.at);
	ax_happens_before(&f.g, m, f.hb);
	for (uint32_t i = 0; i < v->ncases && !wrong; i++) {
		uint32_t assumed = count_assumed(v, &v->cases[i]);

		wrong = check_case(&f, v, i);
		if (!wrong && rank && v->cases[i].nreasons)
			wrong = "what is given needs no reason";
		if (!wrong && v->searched && v->ncases > 1)
			wrong = "one order is enough";
		if (!wrong && !v->searched && assumed != (i + 1 < v->ncases))
			wrong = "a case assumes too much or nothing";
	}
	return wrong;
}

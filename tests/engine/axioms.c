/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * axioms.c - see axioms.h
 *
 * Relations are rows of bits: row[a] holds the b with a -> b. Since events stand in an order
 * that extends po and rf, the closure of anything made of them is one pass from the back.
 *
 * Modification orders are built one write at a time, location by location. The coherence
 * axioms speak of two writes of one location at a time, so `before[b]`, the writes that may
 * not come before b, is computed once per hb; a read-modify-write must follow its source.
 * The global axioms (sc, tso, sra, psc) are acyclicity conditions, monotone in mo, checked
 * whenever a location is complete, and in large graphs after each write.
 */
#include "engine/axioms.h"

#include <string.h>

#include "engine/engine.h"

typedef ax_row row_t;

struct rel {
	row_t row[AX_EVENTS];
};

enum {
	LARGE = 40
};

#define BIT(i) ((row_t)1 << (i))

struct judge {
	const struct ax_graph *g;
	int n;
	row_t all, reads, writes, rmws, fences, rel, acq, sc, na;
	row_t at[AX_LOCS];
	struct rel po, rf, poloc;
	struct rel hbpo, hbra, hb20, hb11;
};

/* One search over modification orders. */
struct search {
	const struct judge *j;
	const struct rel *hb;
	row_t before
		[AX_EVENTS]; /* [a]: writes that may not be placed after a, that is: must precede a */
	bool (*global)(const struct search *s);
	bool count_all, alone; /* alone: one location, without the global axiom */
	uint64_t found;
	struct rel mo;
	/* fixed part of the global condition */
	struct rel base;
};

static int lowest(row_t set)
{
#ifdef AX_WIDE
	if (!(uint64_t)set)
		return 64 + __builtin_ctzll((uint64_t)(set >> 64));
#endif
	return __builtin_ctzll((uint64_t)set);
}

#define EACH(i, set) \
	for (row_t i##_ = (set), i = 0; i##_ && (i = (row_t)lowest(i##_), 1); i##_ &= i##_ - 1)

static void compose(struct rel *out, const struct rel *a, const struct rel *b, int n)
{
	struct rel res;
	for (int i = 0; i < n; i++) {
		res.row[i] = 0;
		EACH(k, a->row[i])
		res.row[i] |= b->row[k];
	}
	memcpy(out->row, res.row, (size_t)n * sizeof(row_t));
}

static void restrict_to(struct rel *r, row_t from, row_t to, int n)
{
	for (int i = 0; i < n; i++)
		r->row[i] = from & BIT(i) ? r->row[i] & to : 0;
}

static void join(struct rel *r, const struct rel *with, int n)
{
	for (int i = 0; i < n; i++)
		r->row[i] |= with->row[i];
}

static void reflexive(struct rel *r, int n)
{
	for (int i = 0; i < n; i++)
		r->row[i] |= BIT(i);
}

/* Transitive closure of edges that all go forward. */
static void close_forward(struct rel *r, int n)
{
	for (int i = n - 1; i >= 0; i--) {
		row_t out = r->row[i];
		EACH(k, out)
		r->row[i] |= r->row[k];
	}
}

static void close_any(struct rel *r, int n)
{
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			if (r->row[i] & BIT(k))
				r->row[i] |= r->row[k];
}

static bool acyclic(const struct rel *r, int n)
{
	row_t left = n == 8 * (int)sizeof(row_t) ? ~(row_t)0 : BIT(n) - 1;

	while (left) {
		row_t entered = 0;
		EACH(i, left)
		entered |= r->row[i];
		if (!(left & ~entered))
			return false;
		left &= entered;
	}
	return true;
}

static bool irreflexive(const struct rel *r, int n)
{
	for (int i = 0; i < n; i++)
		if (r->row[i] & BIT(i))
			return false;
	return true;
}

static void same_loc(const struct judge *j, const struct rel *in, struct rel *out)
{
	for (int i = 0; i < j->n; i++)
		out->row[i] = j->g->ev[i].loc >= 0 ? in->row[i] & j->at[j->g->ev[i].loc] : 0;
}

static void classify(struct judge *j)
{
	const struct ax_graph *g = j->g;

	for (int i = 0; i < j->n; i++) {
		const struct ax_event *e = &g->ev[i];
		row_t b = BIT(i);
		j->all |= b;
		if (e->kind == AX_F)
			j->fences |= b;
		else
			j->at[e->loc] |= b;
		j->reads |= e->kind & AX_R ? b : 0;
		j->writes |= e->kind & AX_W ? b : 0;
		j->rmws |= e->kind == AX_U ? b : 0;
		j->rel |= e->order >= ORDER_REL ? b : 0;
		j->acq |= e->order == ORDER_ACQ || e->order >= ORDER_ACQ_REL ? b : 0;
		j->sc |= e->order == ORDER_SC ? b : 0;
		j->na |= e->order == ORDER_NA && e->tid >= 0 ? b : 0;
		for (int k = i + 1; k < j->n; k++)
			if (g->ev[k].tid >= 0 && (e->tid < 0 || e->tid == g->ev[k].tid))
				j->po.row[i] |= BIT(k);
		if (e->rf >= 0 && e->kind == AX_F) /* only ordered behind it */
			j->po.row[(int)e->rf] |= b;
		else if (e->rf >= 0)
			j->rf.row[(int)e->rf] |= b;
	}
}

/* ([F]; po)?; chain; (po; [F])?, from a release to an acquire. */
static void synchronises(const struct judge *j, struct rel *chain)
{
	struct rel left = j->po, right = j->po;

	restrict_to(&left, j->fences, j->all, j->n);
	reflexive(&left, j->n);
	restrict_to(&right, j->all, j->fences, j->n);
	reflexive(&right, j->n);
	compose(chain, &left, chain, j->n);
	compose(chain, chain, &right, j->n);
	restrict_to(chain, j->rel, j->acq, j->n);
}

static void happens_before(struct judge *j)
{
	const int n = j->n;
	struct rel lib = { { 0 } }, sw, rseq, rfu = j->rf;

	for (int i = 0; i < n; i++)
		if (j->g->ev[i].sync && j->g->ev[i].rf >= 0)
			lib.row[(int)j->g->ev[i].rf] |= BIT(i);
	same_loc(j, &j->po, &j->poloc);
	j->hbpo = j->po;
	join(&j->hbpo, &lib, n);
	close_forward(&j->hbpo, n);
	j->hbra = j->po;
	join(&j->hbra, &j->rf, n);
	close_forward(&j->hbra, n);

	sw = j->rf; /* C++20: rf through read-modify-writes */
	close_forward(&sw, n);
	synchronises(j, &sw);
	j->hb20 = j->hbpo;
	join(&j->hb20, &sw, n);
	close_forward(&j->hb20, n);

	rseq = j->poloc; /* C11: [W]; po-loc?; [atomic W]; (rf; [U])*; rf; [atomic R] */
	reflexive(&rseq, n);
	restrict_to(&rseq, j->writes, j->writes & ~j->na, n);
	restrict_to(&rfu, j->all, j->rmws, n);
	close_forward(&rfu, n);
	reflexive(&rfu, n);
	compose(&sw, &rseq, &rfu, n);
	compose(&sw, &sw, &j->rf, n);
	restrict_to(&sw, j->all, j->reads & ~j->na, n);
	synchronises(j, &sw);
	j->hb11 = j->hbpo;
	join(&j->hb11, &sw, n);
	close_forward(&j->hb11, n);
}

static bool weakly_atomic(const struct judge *j)
{
	for (int i = 0; i < j->n; i++) {
		row_t taken = j->rf.row[i] & j->rmws;

		if (taken & (taken - 1))
			return false;
	}
	return true;
}

/* Weak read coherence: no write between a read and its source in hb. */
static bool wra(const struct judge *j)
{
	struct rel a;

	same_loc(j, &j->hbra, &a);
	restrict_to(&a, j->all, j->writes, j->n);
	compose(&a, &a, &j->hbra, j->n);
	for (int i = 0; i < j->n; i++)
		if (a.row[i] & j->rf.row[i])
			return false;
	return true;
}

/*
 * Coherence of one pair: a before b in mo violates irreflexive(mo; rf?; hb?) or
 * irreflexive(fr; rf?; hb).
 */
static void precompute_pairs(struct search *s)
{
	const struct judge *j = s->j;

	for (int a = 0; a < j->n; a++)
		s->before[a] = 0;
	EACH(b, j->writes)
	{
		row_t strictly = s->hb->row[b], reach;
		EACH(c, j->rf.row[b])
		strictly |= s->hb->row[c];
		reach = strictly | BIT(b) | j->rf.row[b];
		EACH(a, j->writes & j->at[j->g->ev[b].loc])
		{
			if (a == b)
				continue;
			if (reach & BIT(a) || strictly & j->rf.row[a] & ~BIT(b))
				s->before[a] |= BIT(b);
		}
	}
}

static void reads_before(const struct judge *j, const struct rel *mo, struct rel *fr)
{
	for (int r = 0; r < j->n; r++)
		fr->row[r] = j->g->ev[r].rf >= 0 && !(j->fences & BIT(r))
				     ? mo->row[(int)j->g->ev[r].rf] & ~BIT(r)
				     : 0;
}

static bool global_acyclic(const struct search *s)
{
	struct rel r = s->base, fr;

	reads_before(s->j, &s->mo, &fr);
	join(&r, &fr, s->j->n);
	join(&r, &s->mo, s->j->n);
	return acyclic(&r, s->j->n);
}

static bool global_sra(const struct search *s)
{
	struct rel r = s->base;

	join(&r, &s->mo, s->j->n);
	return acyclic(&r, s->j->n);
}

/* TSO: also sc per location (acyclic(po-loc, rf, mo, fr)). */
static bool global_tso(const struct search *s)
{
	struct rel r = s->j->poloc, fr;

	reads_before(s->j, &s->mo, &fr);
	join(&r, &s->j->rf, s->j->n);
	join(&r, &fr, s->j->n);
	join(&r, &s->mo, s->j->n);
	return acyclic(&r, s->j->n) && global_acyclic(s);
}

/* RC11 (Lahav et al., PLDI 2017): irreflexive(eco; hb) and acyclic(psc). */
static bool global_psc(const struct search *s)
{
	const struct judge *j = s->j;
	const int n = j->n;
	const struct rel *hb = &j->hb11;
	struct rel eco = s->mo, fr, r, pon = { { 0 } }, scb, left = { { 0 } }, right = { { 0 } };
	struct rel ff, hbloc;
	row_t esc = j->sc & ~j->fences, fsc = j->sc & j->fences;

	reads_before(j, &s->mo, &fr);
	join(&eco, &j->rf, n);
	join(&eco, &fr, n);
	close_any(&eco, n);
	compose(&r, &eco, hb, n);
	if (!irreflexive(&r, n))
		return false;
	for (int i = 0; i < n; i++)
		pon.row[i] = j->po.row[i] & ~j->poloc.row[i];
	compose(&scb, &pon, hb, n);
	compose(&scb, &scb, &pon, n);
	same_loc(j, hb, &hbloc);
	join(&scb, &j->po, n);
	join(&scb, &hbloc, n);
	join(&scb, &s->mo, n);
	join(&scb, &fr, n);
	for (int i = 0; i < n; i++) {
		row_t hbq = hb->row[i] | BIT(i);
		left.row[i] = (esc & BIT(i)) | (fsc & BIT(i) ? hbq : 0);
		right.row[i] = (esc & BIT(i)) | (hbq & fsc);
	}
	compose(&r, &left, &scb, n);
	compose(&r, &r, &right, n);
	compose(&ff, hb, &eco, n);
	compose(&ff, &ff, hb, n);
	join(&ff, hb, n);
	restrict_to(&ff, fsc, fsc, n);
	join(&r, &ff, n);
	return acyclic(&r, n);
}

static void place(struct search *s, int loc, row_t placed, int last);

/* Do the reads that must have the latest value have it? */
static bool ends_here(const struct search *s, int loc)
{
	const struct judge *j = s->j;

	EACH(r, j->g->latest & j->at[loc])
	if (s->mo.row[(int)j->g->ev[r].rf] & ~j->g->quiet)
		return false;
	return true;
}

static void next_loc(struct search *s, int loc)
{
	if (s->alone) {
		s->found++;
		return;
	}
	if (loc > 0 && s->j->g->latest && !ends_here(s, loc - 1))
		return;
	if (loc > 0 && s->global && !s->global(s))
		return;
	if (loc == s->j->g->nlocs) {
		s->found++;
		return;
	}
	place(s, loc, BIT(loc), loc);
}

/* Places one more write of the location behind `last`. */
static void place(struct search *s, int loc, row_t placed, int last)
{
	const struct judge *j = s->j;
	row_t left = j->writes & j->at[loc] & ~placed, taker = j->rf.row[last] & j->rmws;

	if (!left) {
		next_loc(s, loc + 1);
		return;
	}
	EACH(w, left)
	{
		if (s->found && !s->count_all)
			return;
		bool rmw = j->rmws >> w & 1;
		if (taker ? !(taker >> w & 1) : rmw)
			continue;
		if (s->before[w] & left & ~BIT(w))
			continue;
		EACH(p, placed)
		s->mo.row[p] |= BIT(w);
		if (!s->global || s->alone || j->n <= LARGE || s->global(s))
			place(s, loc, placed | BIT(w), (int)w);
		EACH(q, placed)
		s->mo.row[q] &= ~BIT(w);
	}
}

/* Has each location an order by itself? If not, those of the others need not be tried. */
static bool orders_alone(struct search *s)
{
	bool ok = true;

	s->alone = true;
	for (int loc = 0; loc < s->j->g->nlocs && ok; loc++) {
		s->found = 0;
		place(s, loc, BIT(loc), loc);
		ok = s->found > 0;
	}
	s->alone = false;
	s->found = 0;
	return ok;
}

/* The initial write is before every other by po; how many orders are there? */
static uint64_t orders(const struct judge *j, const struct rel *hb,
		       bool (*global)(const struct search *), const struct rel *base,
		       bool count_all)
{
	struct search s = { .j = j, .hb = hb, .global = global, .count_all = count_all };

	if (base)
		s.base = *base;
	precompute_pairs(&s);
	EACH(w, j->writes)
	if (s.before[j->g->ev[w].loc] & BIT(w) && (int)w != j->g->ev[w].loc)
		return 0;
	if (j->n > LARGE && !orders_alone(&s))
		return 0;
	next_loc(&s, 0);
	return s.found;
}

static uint64_t orders_tso(const struct judge *j, bool count_all)
{
	const struct ax_graph *g = j->g;
	row_t full = j->rmws | (j->fences & j->sc), light = j->fences & ~j->sc;
	struct rel base = { { 0 } };

	EACH(f, light)
	light &= g->ev[f].rf >= 0 ? ~BIT(f) : ~(row_t)0;

	for (int a = 0; a < j->n; a++) {
		if (light & BIT(a))
			continue;
		EACH(b, j->po.row[a] & ~light)
		{
			bool delayed = g->ev[a].kind == AX_W && g->ev[b].kind == AX_R &&
				       g->ev[a].tid >= 0 && g->ev[a].order != ORDER_SC;
			EACH(k, j->po.row[a] & full)
			delayed &= !(j->po.row[k] >> b & 1);
			if (!delayed)
				base.row[a] |= BIT(b);
		}
		EACH(r, j->rf.row[a])
		if (g->ev[r].tid != g->ev[a].tid)
			base.row[a] |= BIT(r);
	}
	return orders(j, &j->hbpo, global_tso, &base, count_all);
}

static uint64_t orders_of(const struct judge *j, enum engine_model model, bool all)
{
	switch (model) {
	case MODEL_SC: {
		struct rel base = j->po;
		join(&base, &j->rf, j->n);
		return orders(j, &j->hbpo, global_acyclic, &base, all);
	}
	case MODEL_TSO:
		return orders_tso(j, all);
	case MODEL_SRA:
		return orders(j, &j->hbra, global_sra, &j->hbra, all);
	case MODEL_RA:
		return orders(j, &j->hbra, NULL, NULL, all);
	case MODEL_WRA:
		return wra(j);
	case MODEL_RELAXED:
		return orders(j, &j->hbpo, NULL, NULL, all);
	case MODEL_RC20:
		return orders(j, &j->hb20, NULL, NULL, all);
	default:
		return orders(j, &j->hb11, j->sc ? global_psc : NULL, NULL, all);
	}
}

static bool races(const struct judge *j, const struct rel *hb)
{
	EACH(a, j->na)
	{
		EACH(b, j->at[j->g->ev[a].loc])
		{
			bool conflict = j->g->ev[b].tid >= 0 &&
					j->g->ev[b].tid != j->g->ev[a].tid &&
					(j->writes & (BIT(a) | BIT(b)));
			if (conflict && !(hb->row[a] >> b & 1) && !(hb->row[b] >> a & 1))
				return true;
		}
	}
	return false;
}

static const struct rel *race_hb(const struct judge *j, enum engine_model model, struct rel *buf)
{
	if (model == MODEL_RC20)
		return &j->hb20;
	if (model == MODEL_RC11)
		return &j->hb11;
	if (model == MODEL_RELAXED)
		return &j->hbpo;
	*buf = j->rf; /* rf between atomic accesses */
	restrict_to(buf, j->all & ~j->na, j->all & ~j->na, j->n);
	join(buf, &j->po, j->n);
	close_forward(buf, j->n);
	return buf;
}

void ax_judge(const struct ax_graph *g, unsigned models, bool count_mo, struct ax_result *res)
{
	struct judge j = { .g = g, .n = g->n };
	struct rel buf;

	memset(res, 0, sizeof(*res));
	classify(&j);
	if (!weakly_atomic(&j))
		return;
	happens_before(&j);
	for (int m = 0; m < AX_MODELS; m++) {
		if (!(models >> m & 1))
			continue;
		res->mos[m] = orders_of(&j, m, count_mo);
		if (!res->mos[m])
			continue;
		res->consistent |= 1u << m;
		if (j.na && races(&j, race_hb(&j, m, &buf)))
			res->racy |= 1u << m;
	}
}

void ax_happens_before(const struct ax_graph *g, int model, ax_row after[AX_EVENTS])
{
	struct judge j = { .g = g, .n = g->n };
	const struct rel *hb = &j.hbra;

	classify(&j);
	happens_before(&j);
	if (model == MODEL_RELAXED)
		hb = &j.hbpo;
	else if (model == MODEL_RC20 || model == MODEL_RC11)
		hb = model == MODEL_RC20 ? &j.hb20 : &j.hb11;
	memcpy(after, hb->row, sizeof(hb->row));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate.c - how many executions there are: mean and standard error of random descents
 *
 * A descent has a weight that grows with what was known before it (engine/explore/estimate.c), so these are a weighted
 * mean and its error. The error is taken from the descents themselves: what none of them has met, it does not know of.
 */
#include "config.h"

#include "controller/run/estimate.h"

#include <math.h>
#include <stdio.h>

/* Newton's method, to be rid of libm, which every start would load. */
static double root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; i < 2000 && r > x / r * (1 + 1e-12); i++)
		r = (r + x / r) / 2;
	return r;
}

static void add_place(struct engine_estimate *sum, const struct estimate_place *p)
{
	for (size_t i = 0; p->ways > 0 && i < ESTIMATE_PLACES; i++) {
		if (!(sum->place[i].ways > 0))
			sum->place[i] = (struct estimate_place){ p->pc, 0 };
		if (sum->place[i].pc == p->pc) {
			sum->place[i].ways += p->ways;
			return;
		}
	}
}

void estimate_add(struct engine_estimate *sum, const struct engine_estimate *x)
{
	sum->descents += x->descents;
	sum->runs += x->runs;
	sum->weight += x->weight;
	sum->weight2 += x->weight2;
	sum->complete += x->complete;
	sum->blocked += x->blocked;
	sum->all2 += x->all2;
	sum->square2 += x->square2;
	sum->ways += x->ways;
	for (size_t i = 0; i < ESTIMATE_PLACES; i++)
		add_place(sum, &x->place[i]);
}

bool estimate_known(const struct engine_estimate *x, struct estimate *out)
{
	double variance;

	if (!(x->descents >= 1) || !(x->weight > 0) || !isfinite(x->weight))
		return false;
	out->descents = x->descents;
	out->complete = x->complete / x->weight;
	out->blocked = x->blocked / x->weight;
	out->all = out->complete + out->blocked;
	variance = (x->square2 - 2 * out->all * x->all2 + out->all * out->all * x->weight2) /
		   (x->weight * x->weight);
	out->error = variance > 0 && isfinite(variance) ? root(variance) : 0;
	return isfinite(out->all) && out->all > 0 && isfinite(out->error);
}

bool estimate_holds(const struct estimate *x, uint64_t visited)
{
	return x->descents >= 100 && (double)visited < x->all;
}

void estimate_text(double n, char out[ESTIMATE_TEXT])
{
	static const struct {
		double of;
		const char *name;
	} words[] = { { 1e12, "trillion" }, { 1e9, "billion" }, { 1e6, "million" } };

	if (n >= 1e15 || n < 1e6) {
		snprintf(out, ESTIMATE_TEXT, n < 1e6 ? "%.0f" : "%.1e", n);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (n >= words[i].of) {
			snprintf(out, ESTIMATE_TEXT, "%.3g %s", n / words[i].of, words[i].name);
			return;
		}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_orders.c - see random_orders.h
 *
 * What sra forbids and ra allows is that the orders of two locations' writes make a cycle with hb. In programs of other
 * styles few executions, one of thousands, are such ones: threads have to write to two locations each, in different orders, and
 * others to see which of those writes came last. So each thread here first writes, each time to another location than before,
 * and then reads; or only reads. In half of the programs some of the writes are read-modify-writes.
 */
#include "engine/random_orders.h"

#include "engine/random_gen.h"

/* Values differ, so that reads tell writes apart, but for those that an addition makes. */
static void add_writes(struct gen *g, int t, int n, int rmws)
{
	const int from = gen_below(g, g->nlocs), step = 1 + gen_below(g, g->nlocs - 1);

	for (int i = 0; i < n; i++) {
		const int l = gen_mem_at(g, from + i * step), value = 1 + t * 4 + i;

		if (gen_below(g, 100) >= rmws) {
			script_write(g->s, t, l, expr_const(value), gen_order(g, false, true));
			continue;
		}
		const int reg = gen_reg(g, t, 'r'), fai = gen_below(g, 2);

		script_rmw(g->s, t, fai ? I_FAI : I_XCHG, reg, l, expr_const(value),
			   gen_order(g, true, true));
	}
}

static void add_reads(struct gen *g, int t, int n)
{
	const int from = gen_below(g, g->nlocs);

	for (int i = 0; i < n; i++) {
		const int l = gen_mem_at(g, from + i), reg = gen_reg(g, t, 'r');

		script_read(g->s, t, reg, l, gen_order(g, true, false));
	}
}

void orders_script(struct script *s, uint64_t seed)
{
	struct gen g = { .s = s, .state = seed * 0x2545f4914f6cdd1du + 99, .orders = ORD_RA };
	int threads, rmws;

	gen_begin(&g, "orders", seed);
	threads = 2 + (gen_below(&g, 3) > 0);
	g.nlocs = 2 + (gen_below(&g, 4) == 0);
	rmws = gen_below(&g, 2) ? 0 : 20 + 10 * gen_below(&g, 4);
	if (gen_below(&g, 4) == 0)
		g.orders = ORD_MIX;
	for (int t = 0; t < threads; t++) {
		int writes = t < 2 ? 2 + (gen_below(&g, 3) == 0) : gen_below(&g, 3);
		int reads = gen_below(&g, threads == 2 ? 3 : 2) + (t > 1 && writes < 2);

		script_thread(s);
		add_writes(&g, t, writes, rmws);
		add_reads(&g, t, reads);
	}
	gen_end(&g);
}

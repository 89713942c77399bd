/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_plain.c - see random_plain.h
 */
#include "engine/random_plain.h"

#include "suite.h"

#include "base/prng.h"

/* Mostly strong enough: d is handed over by x, e by y, or both are in sections of a mutex. */
static enum mem_order order_of(uint64_t *random, enum mem_order strong)
{
	return prng_below(random, 10) ? strong : ORDER_RLX;
}

/* What a plain read finds is seen by others, and decides how the thread goes on. */
static void add_plain(struct script *s, int t, const int *loc, int which, uint64_t *random)
{
	const int plain = loc[2 + which], r = script_reg(s, t, "r2");

	if (!prng_below(random, 4)) {
		script_write(s, t, plain, expr_const(1 + (int)prng_below(random, 3)), ORDER_NA);
		return;
	}
	script_read(s, t, r, plain, ORDER_NA);
	switch (prng_below(random, 4)) {
	case 0:
		script_write(s, t, plain, expr_reg(r, 1), ORDER_NA);
		break;
	case 1:
		script_write(s, t, loc[!which], expr_reg(r, 3), order_of(random, ORDER_REL));
		break;
	case 2:
		script_cond(s, t, I_IF, CMP_EQ, expr_reg(r, 0),
			    expr_const((int)prng_below(random, 3)));
		script_write(s, t, loc[which], expr_const(5), order_of(random, ORDER_REL));
		script_add(s, t, I_ENDIF);
		break;
	default:
		script_cond(s, t, I_ASSUME, CMP_LT, expr_reg(r, 0),
			    expr_const(1 + (int)prng_below(random, 4)));
	}
}

/* What another operation has found meanwhile, and what an earlier plain read has. */
static void add_late(struct script *s, int t, const int *loc, int which, uint64_t *random)
{
	script_read(s, t, script_reg(s, t, "r3"), loc[!which], ORDER_RLX);
	script_write(s, t, loc[which], expr_reg(script_reg(s, t, "r2"), 1),
		     order_of(random, ORDER_REL));
}

/* Behind an atomic read, if it found that. */
static void add_guarded(struct script *s, int t, const int *loc, int which, uint64_t *random)
{
	const int r = script_reg(s, t, which ? "r0" : "r1");

	if (prng_below(random, 3))
		script_read(s, t, r, loc[which], order_of(random, ORDER_ACQ));
	else
		script_rmw(s, t, I_FAI, r, loc[which], expr_const(1),
			   order_of(random, ORDER_ACQ_REL));
	script_cond(s, t, I_IF, CMP_EQ, expr_reg(r, 0), expr_const(1));
	add_plain(s, t, loc, which, random);
	script_add(s, t, I_ENDIF);
}

void plain_script(struct script *s, uint64_t seed)
{
	uint64_t random = seed * 77 + 5;
	const int threads = 2 + (int)prng_below(&random, 2), mutex = seed % 3 == 0;
	char name[32];
	int loc[5];

	snprintf(name, sizeof(name), "plain-%llu", (unsigned long long)seed);
	script_init(s, name);
	loc[0] = script_loc(s, LOC_MEM, "x", 0);
	loc[1] = script_loc(s, LOC_MEM, "y", 0);
	loc[2] = script_loc(s, LOC_MEM, "d", 0);
	loc[3] = script_loc(s, LOC_MEM, "e", 1);
	if (mutex)
		loc[4] = script_loc(s, LOC_MUTEX, "m", 0);
	for (int t = 0; t < threads; t++) {
		script_thread(s);
		if (t < 2 && !mutex) {
			script_write(s, t, loc[2 + t], expr_const(2), ORDER_NA);
			script_write(s, t, loc[t], expr_const(1), order_of(&random, ORDER_REL));
		}
		for (uint32_t n = 1 + prng_below(&random, 3); n; n--) {
			const int which = (int)prng_below(&random, 2);

			if (mutex && prng_below(&random, 3)) {
				script_lib(s, t, I_LOCK, -1, loc[4]);
				add_plain(s, t, loc, which, &random);
				script_lib(s, t, I_UNLOCK, -1, loc[4]);
			} else if (!prng_below(&random, 3)) {
				add_late(s, t, loc, which, &random);
			} else if (mutex || !prng_below(&random, 4)) {
				script_write(s, t, loc[which],
					     expr_const(1 + (int)prng_below(&random, 2)),
					     order_of(&random, ORDER_REL));
			} else {
				add_guarded(s, t, loc, which, &random);
			}
		}
	}
	ck_assert(script_link(s));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tail.c - see tail.h */
#include "preload/liveness/tail.h"

#include "preload/code/modules.h"
#include "preload/core/reset.h"
#include "preload/liveness/flow_code.h"
#include "preload/liveness/stretch_memory.h"

enum {
	PLACES = 64 /* that jumps lead to, one by the other; more are who knows where */
};

static struct flow_code code;
KEPT(code);

/* Where jumps lead. */
struct places {
	uint64_t at[PLACES];
	uint32_t n;
};

/* False: there is no room. */
static bool add(struct places *p, uint64_t at)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i] == at)
			return true;
	if (p->n == PLACES)
		return false;
	p->at[p->n++] = at;
	return true;
}

/* The jumps that lead out of the function that begins or goes on at `at`; false: it is not known where they do. */
static bool add_jumps(struct places *p, uint64_t at, bool careful)
{
	const bool lost = careful || memory_from_program(at);

	flow_make(&code, FLOW_NODES, FLOW_CODE);
	code.lenient = true;
	if (!function_of(at + 1, &code.function))
		return !lost;
	code.function.start = at;
	if (flow_size(&code) > FLOW_CODE || !flow_decode(&code))
		return !lost;
	for (uint64_t o = 0; o < flow_size(&code); o++) {
		const struct node *node = flow_node(&code, o);
		const struct insn *in = node ? &node->in : NULL;

		if (!in || !(flow_jumps(in) || node->odd) ||
		    (in->target && in->target - at < flow_size(&code)))
			continue;
		if ((node->odd || !memory_target_of(in)) && lost)
			return false;
		if (!node->odd && memory_target_of(in) && !add(p, memory_target_of(in)))
			return false;
	}
	return true;
}

bool tail_comes_back(uint64_t at, const struct function *to, bool careful)
{
	struct places p = { .at = { at }, .n = 1 };

	for (uint32_t i = 0; i < p.n; i++) {
		if (p.at[i] - to->start < to->end - to->start)
			return true;
		if (!in_runtime(p.at[i]) && !add_jumps(&p, p.at[i], careful))
			return true;
	}
	return false;
}

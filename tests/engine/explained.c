/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explained.c - see explained.h
 */
#include "engine/explained.h"

#include "suite.h"
#include <stdlib.h>
#include <string.h>

#include "offline/random_execution.h"
#include "offline/refusal.h"

const char *const explained_models[MODEL_COUNT] = { "sc",  "tso",     "sra",  "ra",
						    "wra", "relaxed", "rc20", "rc11" };
/* What each model's axioms are called; a refusal may name several, "a, b and c". */
static const char *const axioms[MODEL_COUNT][5] = {
	[MODEL_SC] = { "acyclic(po u rf u mo u fr)", "atomicity" },
	[MODEL_TSO] = { "acyclic(ppo u rfe u mo u fr)", "sc per location", "atomicity" },
	[MODEL_SRA] = { "acyclic(hb u mo)", "read coherence", "write coherence", "atomicity" },
	[MODEL_RA] = { "write coherence", "read coherence", "atomicity" },
	[MODEL_WRA] = { "weak read coherence", "weak atomicity" },
	[MODEL_RELAXED] = { "write coherence", "read coherence", "atomicity" },
	[MODEL_RC20] = { "write coherence", "read coherence", "atomicity" },
	[MODEL_RC11] = { "write coherence", "read coherence", "atomicity", "acyclic(psc)" },
};

static bool names_axiom(enum engine_model m, const char *name, size_t len)
{
	for (int i = 0; i < 5 && axioms[m][i]; i++)
		if (strlen(axioms[m][i]) == len && !strncmp(axioms[m][i], name, len))
			return true;
	return false;
}

static bool names_axioms(enum engine_model m, const char *name)
{
	for (;;) {
		const char *comma = strstr(name, ", "), *and = strstr(name, " and ");
		const char *end = comma && (!and || comma < and) ? comma : and;

		if (!names_axiom(m, name, end ? (size_t)(end - name) : strlen(name)))
			return false;
		if (!end)
			return true;
		name = end + (end == comma ? 2 : 5);
	}
}

void explained_line(const struct explanation *e, enum engine_model m)
{
	char line[4000];
	size_t n = explanation_line(e, line, sizeof(line)), len = strlen(e->v.axiom);

	ck_assert_msg(names_axioms(m, e->v.axiom), "%s: not an axiom of %s", e->v.axiom,
		      explained_models[m]);
	ck_assert(n > len + 2 && !strncmp(line, e->v.axiom, len) && line[len] == ':');
	ck_assert_msg(strstr(line, "-> "), "no cycle: %s", line);
	ck_assert_msg(!strchr(line, '\n'), "more than one line: %s", line);
}

/* What brute force says of the execution that the explanation is about. */
void explained_by_force(struct explanation *e, enum engine_model m, bool admitted,
			struct asked *count)
{
	static struct ax_graph g;
	struct ax_result r;
	uint32_t at[AX_EVENTS];
	const char *wrong = NULL;

	if (e->x.n + e->x.nlocs > AX_EVENTS || e->x.nlocs > AX_LOCS)
		return;
	to_axioms(&e->x, &g, at);
	ax_judge(&g, 1u << m, false, &r);
	/* With mo given, others may do where that one does not. */
	count->mo += r.consistent && !admitted;
	if (e->rank && m != MODEL_WRA ? admitted && !r.consistent : r.consistent >> m != admitted)
		wrong = "brute force says otherwise";
	else if (!admitted)
		wrong = refute_refusal(&e->x, m, e->rank, &e->v);
	if (wrong)
		ck_abort_msg("%s: %s\n%s", explained_models[m], wrong, to_text(&e->x));
	count->judged++;
}

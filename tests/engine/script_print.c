/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_print.c - a script as readable text, one instruction per line
 */
#include "script.h"

#include <string.h>

const char *order_name(enum mem_order order)
{
	static const char *const names[] = { "na", "rlx", "acq", "rel", "acq_rel", "sc" };
	return order < sizeof(names) / sizeof(names[0]) ? names[order] : "?";
}

static const char *reg_name(const struct script_thread *th, int reg)
{
	return reg >= 0 && reg < th->nregs ? th->reg_name[reg] : "_";
}

static const char *expr_text(const struct script_thread *th, const struct expr *e, char *buf,
			     size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (int i = 0; i < 2; i++)
		if (e->reg[i] >= 0)
			at += snprintf(buf + at, size - at, "%s%s", at ? "+" : "",
				       reg_name(th, e->reg[i]));
	if (e->k || !at)
		snprintf(buf + at, size - at, at ? "%+d" : "%d", e->k);
	return buf;
}

static const char *const insn_text[I_KINDS] = {
	[I_FAI] = "fai",
	[I_XCHG] = "xchg",
	[I_IF] = "if",
	[I_ELSE] = "else",
	[I_ENDIF] = "endif",
	[I_LOOP] = "loop",
	[I_ENDLOOP] = "endloop",
	[I_BREAK_IF] = "break-if",
	[I_ASSUME] = "assume",
	[I_ASSERT] = "assert",
	[I_LOCK] = "lock",
	[I_UNLOCK] = "unlock",
	[I_TRYLOCK] = "trylock",
	[I_SEM_WAIT] = "sem-wait",
	[I_SEM_TRYWAIT] = "sem-trywait",
	[I_SEM_POST] = "sem-post",
	[I_COND_WAIT] = "wait",
	[I_SIGNAL] = "signal",
	[I_BROADCAST] = "broadcast",
	[I_RDLOCK] = "rdlock",
	[I_WRLOCK] = "wrlock",
	[I_TRYRDLOCK] = "tryrdlock",
	[I_TRYWRLOCK] = "trywrlock",
	[I_RWUNLOCK] = "rwunlock",
	[I_WRASK] = "wrlock-ask",
	[I_WRASKED] = "wrlock-asked",
	[I_TAKE] = "take",
	[I_TRYTAKE] = "try-take",
	[I_ADD] = "add",
	[I_TRYADD] = "try-add",
	[I_CLOSE] = "close",
	[I_OPEN] = "open",
	[I_LOOK] = "look",
	[I_READY] = "ready",
	[I_SET_TAKE] = "set-take",
	[I_SET_TRYTAKE] = "set-try-take",
	[I_SET_LOCK] = "set-lock",
	[I_SET_MARK] = "set-mark",
	[I_SET_RELEASE] = "set-release",
	[I_FUTEX_LOOK] = "futex-look",
	[I_FUTEX_WAIT] = "futex-wait",
	[I_FUTEX_WOKEN] = "futex-woken",
	[I_FUTEX_WAKE] = "futex-wake",
	[I_FUTEX_MOVE] = "futex-move",
};

static void print_insn(const struct script *s, const struct script_thread *th,
		       const struct insn *in, FILE *f)
{
	static const char *const cmps[] = { "==", "!=", "<", "<=" };
	char a[48], b[48];
	const char *loc = in->loc >= 0 ? s->loc[in->loc].name : "?", *order = order_name(in->order);
	const char *reg = reg_name(th, in->reg), *name = insn_text[in->kind];

	expr_text(th, &in->a, a, sizeof(a));
	expr_text(th, &in->b, b, sizeof(b));
	switch (in->kind) {
	case I_READ:
		fprintf(f, "%s := %s.%s", reg, loc, order);
		break;
	case I_WRITE:
		fprintf(f, "%s.%s := %s", loc, order, a);
		break;
	case I_FAI:
	case I_XCHG:
		fprintf(f, "%s := %s(%s, %s).%s", reg, name, loc, a, order);
		break;
	case I_CAS:
		fprintf(f, "%s := cas(%s, %s, %s).%s.%s", reg, loc, a, b, order,
			order_name(in->order_fail));
		break;
	case I_FENCE:
		fprintf(f, "fence.%s", order);
		break;
	case I_SET:
		fprintf(f, "%s := %s", reg, a);
		break;
	case I_IF:
	case I_BREAK_IF:
	case I_ASSUME:
	case I_ASSERT:
		fprintf(f, "%s %s %s %s", name, a, cmps[in->cmp], b);
		break;
	case I_TRYLOCK:
	case I_SEM_TRYWAIT:
	case I_TRYRDLOCK:
	case I_TRYWRLOCK:
		fprintf(f, "%s := %s(%s)", reg, name, loc);
		break;
	case I_COND_WAIT:
		fprintf(f, "wait(%s, %s)", loc, s->loc[in->loc2].name);
		break;
	case I_TIMEDWAIT:
		fprintf(f, "%s := timedwait(%s, %s)", reg, loc, s->loc[in->loc2].name);
		break;
	case I_BARRIER:
		fprintf(f, "barrier(%s, %d)", loc, in->a.k);
		break;
	case I_TAKE:
	case I_TRYTAKE:
	case I_ADD:
	case I_TRYADD:
	case I_CLOSE:
	case I_OPEN:
	case I_LOOK:
	case I_READY:
	case I_SET_TAKE:
	case I_SET_TRYTAKE:
	case I_SET_LOCK:
	case I_SET_MARK:
	case I_SET_RELEASE:
		fprintf(f, "%s := %s(%s, %s, %s, %u)", reg, name, loc, a, b, in->order);
		break;
	case I_FUTEX_LOOK:
	case I_FUTEX_WAIT:
	case I_FUTEX_WOKEN:
	case I_FUTEX_WAKE:
	case I_FUTEX_MOVE:
		fprintf(f, "%s(%s, %s, %s, %u, %u)", name, loc, a, b, in->order, in->order_fail);
		break;
	case I_CHOOSE:
		fprintf(f, "%s := choose(%d)", reg, in->a.k);
		break;
	default:
		if (in->loc >= 0)
			fprintf(f, "%s(%s)", name, loc);
		else
			fprintf(f, "%s", name);
	}
}

void script_print(const struct script *s, FILE *f)
{
	fprintf(f, "program %s:", s->name);
	for (int l = 0; l < s->nlocs; l++)
		fprintf(f, " %s=%d", s->loc[l].name, s->loc[l].init);
	fputc('\n', f);
	for (int t = 0; t < s->nthreads; t++) {
		const struct script_thread *th = &s->thread[t];
		int depth = 2;
		fprintf(f, "  thread %d\n", t + 1);
		for (int i = 0; i < th->n; i++) {
			int k = th->code[i].kind;
			if (k == I_ENDIF || k == I_ENDLOOP || k == I_ELSE)
				depth--;
			fprintf(f, "%*s", 2 * depth, "");
			print_insn(s, th, &th->code[i], f);
			fputc('\n', f);
			if (k == I_IF || k == I_LOOP || k == I_ELSE)
				depth++;
		}
	}
}

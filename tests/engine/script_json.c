/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_json.c - see script_json.h
 *
 * The format is described in tests/conformance/README.md; beyond it ["LOOP", [...]],
 * ["BREAK_IF", [cmp, a, b]] and ["SET", reg, value], as in tests/reference/awaits.py.
 */
#include "engine/script_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const model_names[MODEL_COUNT] = {
	[MODEL_SC] = "sc",     [MODEL_TSO] = "tso",   [MODEL_SRA] = "sra",
	[MODEL_RA] = "ra",     [MODEL_WRA] = "wra",   [MODEL_RELAXED] = "relaxed",
	[MODEL_RC20] = "rc20", [MODEL_RC11] = "rc11",
};

static enum mem_order parse_order(const json_t *j)
{
	const char *name = json_string_value(j);
	for (enum mem_order o = ORDER_NA; name && o <= ORDER_SC; o++)
		if (!strcmp(order_name(o), name))
			return o;
	fprintf(stderr, "litmus: unknown order %s\n", name ? name : "(none)");
	abort();
}

/* A number, a register or ["+", a, b]. */
static struct expr parse_expr(struct script *s, int t, const json_t *j)
{
	struct expr e = expr_const(0);

	if (json_is_integer(j)) {
		e.k = (int32_t)json_integer_value(j);
	} else if (json_is_string(j)) {
		e.reg[0] = (int8_t)script_reg(s, t, json_string_value(j));
	} else {
		for (size_t i = 1; i <= 2; i++) {
			struct expr part = parse_expr(s, t, json_array_get(j, i));
			e.k += part.k;
			for (int r = 0; r < 2; r++)
				if (part.reg[r] >= 0)
					e.reg[e.reg[0] < 0 ? 0 : 1] = part.reg[r];
		}
	}
	return e;
}

static int parse_loc(struct script *s, const json_t *j)
{
	return script_loc(s, LOC_MEM, json_string_value(j), 0);
}

static void parse_cond(struct script *s, int t, enum insn_kind kind, const json_t *c)
{
	static const char *const cmps[] = { "==", "!=", "<", "<=" };
	const char *text = json_string_value(json_array_get(c, 0));
	enum cmp cmp = CMP_EQ;

	for (int i = 0; i < 4; i++)
		if (!strcmp(cmps[i], text))
			cmp = (enum cmp)i;
	script_cond(s, t, kind, cmp, parse_expr(s, t, json_array_get(c, 1)),
		    parse_expr(s, t, json_array_get(c, 2)));
}

static void parse_code(struct script *s, int t, const json_t *code);

static void parse_if(struct script *s, int t, const json_t *op)
{
	parse_cond(s, t, I_IF, json_array_get(op, 1));
	parse_code(s, t, json_array_get(op, 2));
	if (json_array_size(op) > 3) {
		script_add(s, t, I_ELSE);
		parse_code(s, t, json_array_get(op, 3));
	}
	script_add(s, t, I_ENDIF);
}

static void parse_loop(struct script *s, int t, const json_t *op)
{
	script_add(s, t, I_LOOP);
	parse_code(s, t, json_array_get(op, 1));
	script_add(s, t, I_ENDLOOP);
}

static void parse_set(struct script *s, int t, const json_t *op)
{
	int reg = script_reg(s, t, json_string_value(json_array_get(op, 1)));

	script_set(s, t, reg, parse_expr(s, t, json_array_get(op, 2)));
}

/* An operation that reads into a register. */
static void parse_reading(struct script *s, int t, const char *k, const json_t *op)
{
	int reg = script_reg(s, t, json_string_value(json_array_get(op, 1)));
	int loc = parse_loc(s, json_array_get(op, 2));
	const json_t *a3 = json_array_get(op, 3), *a4 = json_array_get(op, 4);

	if (!strcmp(k, "R"))
		script_read(s, t, reg, loc, parse_order(a3));
	else if (!strcmp(k, "CAS"))
		script_cas(s, t, reg, loc, parse_expr(s, t, a3), parse_expr(s, t, a4),
			   parse_order(json_array_get(op, 5)), parse_order(json_array_get(op, 6)));
	else
		script_rmw(s, t, !strcmp(k, "FAI") ? I_FAI : I_XCHG, reg, loc, parse_expr(s, t, a3),
			   parse_order(a4));
}

/*
 * Operations on library objects: ["LOCK", loc], ["TRYLOCK", reg, loc], ["COND_WAIT", c, m],
 * ["FUTEX_WAKE", loc, a, b, wakes, moves] (script.h).
 */
static const struct lib_name {
	const char *name;
	enum insn_kind kind;
	enum loc_kind loc;
	bool reg;
} lib_names[] = {
	{ "LOCK", I_LOCK, LOC_MUTEX, false },
	{ "UNLOCK", I_UNLOCK, LOC_MUTEX, false },
	{ "TRYLOCK", I_TRYLOCK, LOC_MUTEX, true },
	{ "SEM_WAIT", I_SEM_WAIT, LOC_SEM, false },
	{ "SEM_TRYWAIT", I_SEM_TRYWAIT, LOC_SEM, true },
	{ "SEM_POST", I_SEM_POST, LOC_SEM, false },
	{ "COND_WAIT", I_COND_WAIT, LOC_COND, false },
	{ "SIGNAL", I_SIGNAL, LOC_COND, false },
	{ "BROADCAST", I_BROADCAST, LOC_COND, false },
	{ "TIMEDWAIT", I_TIMEDWAIT, LOC_COND, true },
	{ "RDLOCK", I_RDLOCK, LOC_RWLOCK, false },
	{ "WRLOCK", I_WRLOCK, LOC_RWLOCK, false },
	{ "TRYRDLOCK", I_TRYRDLOCK, LOC_RWLOCK, true },
	{ "TRYWRLOCK", I_TRYWRLOCK, LOC_RWLOCK, true },
	{ "RWUNLOCK", I_RWUNLOCK, LOC_RWLOCK, false },
	{ "WRASK", I_WRASK, LOC_RWLOCK, false },
	{ "WRASKED", I_WRASKED, LOC_RWLOCK, false },
	{ "BARRIER", I_BARRIER, LOC_BARRIER, false },
	{ "TAKE", I_TAKE, LOC_COUNT, true },
	{ "TRYTAKE", I_TRYTAKE, LOC_COUNT, true },
	{ "ADD", I_ADD, LOC_COUNT, true },
	{ "TRYADD", I_TRYADD, LOC_COUNT, true },
	{ "CLOSE", I_CLOSE, LOC_COUNT, true },
	{ "OPEN", I_OPEN, LOC_COUNT, true },
	{ "LOOK", I_LOOK, LOC_COUNT, true },
	{ "READY", I_READY, LOC_COUNT, true },
	{ "SET_TAKE", I_SET_TAKE, LOC_SET, true },
	{ "SET_TRYTAKE", I_SET_TRYTAKE, LOC_SET, true },
	{ "SET_LOCK", I_SET_LOCK, LOC_SET, true },
	{ "SET_MARK", I_SET_MARK, LOC_SET, true },
	{ "SET_RELEASE", I_SET_RELEASE, LOC_SET, true },
	{ "FUTEX_LOOK", I_FUTEX_LOOK, LOC_FUTEX, false },
	{ "FUTEX_WAIT", I_FUTEX_WAIT, LOC_FUTEX, false },
	{ "FUTEX_WOKEN", I_FUTEX_WOKEN, LOC_FUTEX, false },
	{ "FUTEX_WAKE", I_FUTEX_WAKE, LOC_FUTEX, false },
	{ "FUTEX_MOVE", I_FUTEX_MOVE, LOC_FUTEX, false },
};

static bool parse_lib(struct script *s, int t, const char *k, const json_t *op)
{
	for (size_t i = 0; i < sizeof(lib_names) / sizeof(lib_names[0]); i++) {
		const struct lib_name *n = &lib_names[i];
		if (strcmp(n->name, k))
			continue;
		int reg = n->reg ? script_reg(s, t, json_string_value(json_array_get(op, 1))) : -1;
		int loc = parse_loc(s, json_array_get(op, n->reg ? 2 : 1));
		s->loc[loc].kind = (uint8_t)n->loc;
		if (n->loc == LOC_COUNT || n->loc == LOC_SET) {
			int arg[3];
			for (size_t at = 0; at < 3; at++)
				arg[at] = (int)json_integer_value(json_array_get(op, 3 + at));
			script_count(s, t, n->kind, reg, loc, arg);
			return true;
		}
		if (n->loc == LOC_FUTEX) {
			int arg[4];
			for (size_t at = 0; at < 4; at++)
				arg[at] = (int)json_integer_value(json_array_get(op, 2 + at));
			script_futex(s, t, n->kind, loc, arg);
			return true;
		}
		script_lib(s, t, n->kind, reg, loc);
		struct insn *in = &s->thread[t].code[s->thread[t].n - 1];
		if (n->kind == I_COND_WAIT || n->kind == I_TIMEDWAIT) {
			int mutex = parse_loc(s, json_array_get(op, n->reg ? 3 : 2));
			in->loc2 = (int8_t)mutex;
			s->loc[mutex].kind = LOC_MUTEX;
		}
		if (n->kind == I_BARRIER)
			in->a = parse_expr(s, t, json_array_get(op, 2));
		return true;
	}
	return false;
}

static void parse_code(struct script *s, int t, const json_t *code)
{
	for (size_t i = 0; i < json_array_size(code); i++) {
		const json_t *op = json_array_get(code, i);
		const char *k = json_string_value(json_array_get(op, 0));
		if (!strcmp(k, "W"))
			script_write(s, t, parse_loc(s, json_array_get(op, 1)),
				     parse_expr(s, t, json_array_get(op, 2)),
				     parse_order(json_array_get(op, 3)));
		else if (!strcmp(k, "F"))
			script_fence(s, t, parse_order(json_array_get(op, 1)));
		else if (!strcmp(k, "IF"))
			parse_if(s, t, op);
		else if (!strcmp(k, "ASSUME"))
			parse_cond(s, t, I_ASSUME, json_array_get(op, 1));
		else if (!strcmp(k, "ASSERT"))
			parse_cond(s, t, I_ASSERT, json_array_get(op, 1));
		else if (!strcmp(k, "BREAK_IF"))
			parse_cond(s, t, I_BREAK_IF, json_array_get(op, 1));
		else if (!strcmp(k, "LOOP"))
			parse_loop(s, t, op);
		else if (!strcmp(k, "SET"))
			parse_set(s, t, op);
		else if (!strcmp(k, "CHOOSE"))
			script_choose(s, t,
				      script_reg(s, t, json_string_value(json_array_get(op, 1))),
				      (int)json_integer_value(json_array_get(op, 2)));
		else if (!parse_lib(s, t, k, op))
			parse_reading(s, t, k, op);
	}
}

static bool parse_program(const json_t *p, struct litmus *l)
{
	const char *name;
	json_t *v;

	script_init(&l->script, json_string_value(json_object_get(p, "name")));
	json_object_foreach(json_object_get(p, "init"), name, v)
		script_loc(&l->script, LOC_MEM, name, (int32_t)json_integer_value(v));
	const json_t *threads = json_object_get(p, "threads");
	l->script.gives_any = json_is_true(json_object_get(p, "gives_any"));
	for (size_t t = 0; t < json_array_size(threads); t++)
		parse_code(&l->script, script_thread(&l->script), json_array_get(threads, t));
	for (int m = 0; m < MODEL_COUNT; m++) {
		const json_t *e = json_object_get(json_object_get(p, "expect"), model_names[m]);
		const json_t *mo = json_object_get(e, "mo");
		l->expect[m] = (struct litmus_expect){
			.rf = (uint64_t)json_integer_value(json_object_get(e, "rf")),
			.mo = (uint64_t)json_integer_value(mo),
			.has_mo = json_is_integer(mo),
			.blocked = (uint64_t)json_integer_value(json_object_get(e, "blocked")),
			.values = (uint64_t)json_integer_value(json_object_get(e, "values")),
			.assertion = json_is_true(json_object_get(e, "assertion")),
			.race = json_is_true(json_object_get(e, "race")),
		};
	}
	return script_link(&l->script);
}

bool litmus_load(const char *path, struct litmus **out, int *n)
{
	json_error_t err;
	json_t *root;

	*out = NULL;
	*n = 0;
	root = json_load_file(path, 0, &err);
	if (!root) {
		fprintf(stderr, "%s:%d: %s\n", path, err.line, err.text);
		return false;
	}
	size_t size = json_array_size(root);
	*out = calloc(size ? size : 1, sizeof(**out));
	for (size_t i = 0; *out && i < size; i++)
		if (parse_program(json_array_get(root, i), &(*out)[*n]))
			++*n;
		else
			fprintf(stderr, "%s: program %zu makes no sense\n", path, i);
	json_decref(root);
	return *out && (size_t)*n == size;
}

void script_parse(struct script *s, const char *text)
{
	json_error_t err;
	json_t *root = json_loads(text, 0, &err);
	struct litmus l;

	if (!root || !parse_program(root, &l)) {
		fprintf(stderr, "script: %s\n", root ? "makes no sense" : err.text);
		abort();
	}
	*s = l.script;
	json_decref(root);
}

/* ---- writing ---- */

static json_t *write_expr(const struct script_thread *th, const struct expr *e)
{
	json_t *j = NULL;

	if (e->k || e->reg[0] < 0)
		j = json_integer(e->k);
	for (int r = 0; r < 2; r++)
		if (e->reg[r] >= 0) {
			json_t *reg = json_string(th->reg_name[(int)e->reg[r]]);
			j = j ? json_pack("[soo]", "+", reg, j) : reg;
		}
	return j;
}

static json_t *write_cond(const struct script_thread *th, const struct insn *in)
{
	static const char *const cmps[] = { "==", "!=", "<", "<=" };

	return json_pack("[soo]", cmps[in->cmp], write_expr(th, &in->a), write_expr(th, &in->b));
}

static json_t *write_lib(const struct script *s, const struct script_thread *th,
			 const struct insn *in)
{
	const char *loc = s->loc[(int)in->loc].name;

	for (size_t i = 0; i < sizeof(lib_names) / sizeof(lib_names[0]); i++) {
		const struct lib_name *n = &lib_names[i];
		if (n->kind != in->kind)
			continue;
		if (n->kind == I_TIMEDWAIT)
			return json_pack("[ssss]", n->name, th->reg_name[(int)in->reg], loc,
					 s->loc[(int)in->loc2].name);
		if (n->kind == I_BARRIER)
			return json_pack("[ssi]", n->name, loc, in->a.k);
		if (n->loc == LOC_COUNT || n->loc == LOC_SET)
			return json_pack("[sssiii]", n->name, th->reg_name[(int)in->reg], loc,
					 in->a.k, in->b.k, in->order);
		if (n->reg)
			return json_pack("[sss]", n->name, th->reg_name[(int)in->reg], loc);
		if (n->loc == LOC_FUTEX)
			return json_pack("[ssiiii]", n->name, loc, in->a.k, in->b.k, in->order,
					 in->order_fail);
		if (n->kind == I_COND_WAIT)
			return json_pack("[sss]", n->name, loc, s->loc[(int)in->loc2].name);
		return json_pack("[ss]", n->name, loc);
	}
	abort();
}

static json_t *write_simple(const struct script *s, const struct script_thread *th,
			    const struct insn *in)
{
	const char *reg = in->reg >= 0 ? th->reg_name[(int)in->reg] : "";
	const char *loc = in->loc >= 0 ? s->loc[(int)in->loc].name : "";
	const char *order = order_name(in->order);

	switch (in->kind) {
	case I_READ:
		return json_pack("[ssss]", "R", reg, loc, order);
	case I_WRITE:
		return json_pack("[ssos]", "W", loc, write_expr(th, &in->a), order);
	case I_FAI:
	case I_XCHG:
		return json_pack("[sssos]", in->kind == I_FAI ? "FAI" : "XCHG", reg, loc,
				 write_expr(th, &in->a), order);
	case I_CAS:
		return json_pack("[sssooss]", "CAS", reg, loc, write_expr(th, &in->a),
				 write_expr(th, &in->b), order, order_name(in->order_fail));
	case I_FENCE:
		return json_pack("[ss]", "F", order);
	case I_SET:
		return json_pack("[sso]", "SET", reg, write_expr(th, &in->a));
	case I_CHOOSE:
		return json_pack("[ssi]", "CHOOSE", reg, in->a.k);
	case I_BREAK_IF:
		return json_pack("[so]", "BREAK_IF", write_cond(th, in));
	case I_ASSUME:
		return json_pack("[so]", "ASSUME", write_cond(th, in));
	case I_ASSERT:
		return json_pack("[so]", "ASSERT", write_cond(th, in));
	default:
		return write_lib(s, th, in);
	}
}

static json_t *write_code(const struct script *s, const struct script_thread *th, int from, int to)
{
	json_t *code = json_array();

	for (int i = from; i < to; i++) {
		const struct insn *in = &th->code[i];
		json_t *op;
		if (in->kind == I_IF) {
			int middle = in->jump, end = middle;
			op = json_pack("[soo]", "IF", write_cond(th, in),
				       write_code(s, th, i + 1, middle));
			if (th->code[middle].kind == I_ELSE) {
				end = th->code[middle].jump;
				json_array_append_new(op, write_code(s, th, middle + 1, end));
			}
			i = end;
		} else if (in->kind == I_LOOP) {
			op = json_pack("[so]", "LOOP", write_code(s, th, i + 1, in->jump));
			i = in->jump;
		} else {
			op = write_simple(s, th, in);
		}
		json_array_append_new(code, op);
	}
	return code;
}

void script_to_json(const struct script *s, FILE *f)
{
	json_t *init = json_object(), *threads = json_array(), *root;

	for (int l = 0; l < s->nlocs; l++)
		json_object_set_new(init, s->loc[l].name, json_integer(s->loc[l].init));
	for (int t = 0; t < s->nthreads; t++)
		json_array_append_new(threads, write_code(s, &s->thread[t], 0, s->thread[t].n));
	root = json_pack("{sssoso}", "name", s->name, "init", init, "threads", threads);
	json_dumpf(root, f, JSON_COMPACT);
	fputc('\n', f);
	json_decref(root);
}

const char *litmus_path(const char *file)
{
	static char buf[1024];

	snprintf(buf, sizeof(buf), "%s/%s", CONFORMANCE, file);
	return buf;
}

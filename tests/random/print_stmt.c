/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print_stmt.c - statements
 */
#include <stdlib.h>

#include "random/print.h"

static void term(const struct printer *pr, const struct term *t, char *to, size_t size)
{
	static const char *const cmp[] = { "==", "!=", ">=", "<" };

	snprintf(to, size, "%s %s %s", register_get(pr, t->reg), cmp[t->cmp],
		 print_operand(pr, t->with));
}

static void cond(const struct printer *pr, const struct cond *c, char *to, size_t size)
{
	char a[200], b[200];

	term(pr, &c->a, a, sizeof(a));
	term(pr, &c->b, b, sizeof(b));
	if (c->join == ALONE)
		snprintf(to, size, "%s", a);
	else
		snprintf(to, size, "%s %s %s", a, c->join == AND ? "&&" : "||", b);
}

static const char *const order_names[] = { "rlx", "acq", "rel", "acq_rel", "memory_order_seq_cst" };

static void location(const struct printer *pr, const struct stmt *s, char *to, size_t size)
{
	const int home = pr->p->home[s->loc];

	if (home == HOME_STATIC)
		snprintf(to, size, "p%d_x%d", pr->number, s->loc);
	else
		snprintf(to, size, "*p%d_x%d", pr->number, s->loc);
}

static void print_load(struct printer *pr, const struct stmt *s)
{
	char x[32], value[96];

	location(pr, s, x, sizeof(x));
	if (s->order == PLAIN)
		snprintf(value, sizeof(value), "(int)*(volatile %s *)&%s",
			 type_names[pr->p->type[s->loc]], x);
	else if (s->order == SC)
		snprintf(value, sizeof(value), "atomic_load(&%s)", x);
	else
		snprintf(value, sizeof(value), "atomic_load_explicit(&%s, %s)", x,
			 order_names[s->order]);
	register_set(pr, s->reg, value);
}

static void print_store(struct printer *pr, const struct stmt *s)
{
	char x[32];

	location(pr, s, x, sizeof(x));
	if (s->order == PLAIN)
		print_line(pr, "*(volatile %s *)&%s = %s;", type_names[pr->p->type[s->loc]], x,
			   print_operand(pr, s->arg));
	else if (s->order == SC)
		print_line(pr, "atomic_store(&%s, %s);", x, print_operand(pr, s->arg));
	else
		print_line(pr, "atomic_store_explicit(&%s, %s, %s);", x, print_operand(pr, s->arg),
			   order_names[s->order]);
}

static void print_rmw(struct printer *pr, const struct stmt *s)
{
	static const char *const fn[] = { "exchange", "fetch_add", "fetch_or", "fetch_and",
					  "fetch_xor" };
	char x[32], value[160];

	location(pr, s, x, sizeof(x));
	if (s->order == SC)
		snprintf(value, sizeof(value), "atomic_%s(&%s, %s)", fn[s->fn], x,
			 print_operand(pr, s->arg));
	else
		snprintf(value, sizeof(value), "atomic_%s_explicit(&%s, %s, %s)", fn[s->fn], x,
			 print_operand(pr, s->arg), order_names[s->order]);
	register_set(pr, s->reg, value);
}

const char *const type_names[] = { "int", "unsigned", "unsigned char", "long", "short" };

static void print_cas(struct printer *pr, const struct stmt *s)
{
	char x[32];

	location(pr, s, x, sizeof(x));
	print_line(pr, "{");
	pr->indent++;
	print_line(pr, "%s e = (%s)%s;", type_names[pr->p->type[s->loc]],
		   type_names[pr->p->type[s->loc]], print_operand(pr, s->expected));
	if (s->order == SC && s->order_fail == SC)
		print_line(pr, "int s = atomic_compare_exchange_strong(&%s, &e, %s);", x,
			   print_operand(pr, s->arg));
	else
		print_line(pr,
			   "int s = atomic_compare_exchange_strong_explicit(&%s, &e, %s, %s, %s);",
			   x, print_operand(pr, s->arg), order_names[s->order],
			   order_names[s->order_fail]);
	register_set(pr, s->reg, "s");
	register_set(pr, s->reg2, "(int)e");
	pr->indent--;
	print_line(pr, "}");
}

static void print_set(struct printer *pr, const struct stmt *s)
{
	char value[256];
	const char *a = print_operand(pr, s->arg), *b = print_operand(pr, s->expected);

	switch (s->fn) {
	case SET_ADD:
		snprintf(value, sizeof(value), "(%s + %s) & 7", a, b);
		break;
	case SET_XOR:
		snprintf(value, sizeof(value), "%s ^ %s", a, b);
		break;
	case SET_UP:
		snprintf(value, sizeof(value), "%s < %s ? %s + 1 : %s", a, b, a, b);
		break;
	case SET_SAME:
		snprintf(value, sizeof(value), "%s == %s", a, b);
		break;
	default:
		snprintf(value, sizeof(value), "%s", a);
		break;
	}
	register_set(pr, s->reg, value);
}

static void print_body(struct printer *pr, int first, const char *leave)
{
	pr->indent++;
	print_list(pr, first, leave);
	pr->indent--;
}

/* Begins a function of its own; what was printed to before. */
static FILE *begin_function(struct printer *pr, const char *name, bool inlined, bool *inside,
			    int *indent, char **text, size_t *size)
{
	FILE *f = pr->f;

	*inside = pr->inside;
	*indent = pr->indent;
	pr->f = open_memstream(text, size);
	if (!pr->f)
		abort();
	pr->inside = true;
	pr->indent = 1;
	fprintf(pr->f, "%sstatic void %s(struct p%d_f%d *f)\n{\n\t(void)f;\n",
		inlined ? "" : "NOINLINE ", name, pr->number, pr->thread);
	return f;
}

static void end_function(struct printer *pr, FILE *f, bool inside, int indent, char **text)
{
	fputs("}\n", pr->f);
	fclose(pr->f);
	fputs(*text, pr->before);
	free(*text);
	pr->f = f;
	pr->inside = inside;
	pr->indent = indent;
}

static const char *frame_argument(const struct printer *pr)
{
	return pr->inside ? "f" : "&f";
}

static void print_round(struct printer *pr, const struct stmt *s, const char *leave)
{
	char value[80];

	if (s->bound)
		print_line(pr, "if (!(%s < %d))\n%.*s\t%s", register_get(pr, s->reg), s->bound,
			   pr->indent, "\t\t\t\t\t\t\t\t", leave);
	print_list(pr, s->body, leave);
	if (s->bound) {
		snprintf(value, sizeof(value), "%s + 1", register_get(pr, s->reg));
		register_set(pr, s->reg, value);
	}
}

static void print_function_loop(struct printer *pr, const struct stmt *s, bool recursion)
{
	char name[40], *text = NULL;
	size_t size;
	bool inside;
	int indent;
	FILE *f;

	snprintf(name, sizeof(name), "p%d_t%d_f%d", pr->number, pr->thread, pr->labels++);
	f = begin_function(pr, name, false, &inside, &indent, &text, &size);
	if (!recursion)
		print_line(pr, "for (;;) {");
	pr->indent += !recursion;
	print_round(pr, s, "return;");
	pr->indent -= !recursion;
	print_line(pr, "%s%s", recursion ? name : "}", recursion ? "(f);" : "");
	end_function(pr, f, inside, indent, &text);
	print_line(pr, "%s(%s);", name, frame_argument(pr));
}

static void print_goto_loop(struct printer *pr, const struct stmt *s)
{
	char leave[40];
	const int label = pr->labels++;

	snprintf(leave, sizeof(leave), "goto out%d;", label);
	print_line(pr, "again%d:;", label);
	print_round(pr, s, leave);
	print_line(pr, "goto again%d;", label);
	print_line(pr, "out%d:;", label);
}

static void print_switch_loop(struct printer *pr, const struct stmt *s)
{
	char leave[40];
	const int label = pr->labels++;

	snprintf(leave, sizeof(leave), "goto out%d;", label);
	print_line(pr, "for (int go%d = 1;; go%d = 2)", label, label);
	print_line(pr, "switch (go%d) {", label);
	print_line(pr, "case 1:");
	print_line(pr, "default:");
	pr->indent++;
	print_round(pr, s, leave);
	pr->indent--;
	print_line(pr, "}");
	print_line(pr, "out%d:;", label);
}

static void print_loop(struct printer *pr, const struct stmt *s)
{
	if (s->bound)
		register_set(pr, s->reg, "0");
	if (s->form == LOOP_HELPER || (s->form == LOOP_RECURSION && s->bound)) {
		print_function_loop(pr, s, s->form == LOOP_RECURSION);
	} else if (s->form == LOOP_GOTO) {
		print_goto_loop(pr, s);
	} else if (s->form == LOOP_SWITCH) {
		print_switch_loop(pr, s);
	} else {
		print_line(pr, s->form == LOOP_DO      ? "do {"
			       : s->form == LOOP_WHILE ? "while (1) {"
						       : "for (;;) {");
		pr->indent++;
		print_round(pr, s, "break;");
		pr->indent--;
		print_line(pr, s->form == LOOP_DO ? "} while (1);" : "}");
	}
}

static void print_call(struct printer *pr, const struct stmt *s)
{
	char name[40], *text = NULL;
	size_t size;
	bool inside;
	int indent;
	FILE *f;

	snprintf(name, sizeof(name), "p%d_t%d_f%d", pr->number, pr->thread, pr->labels++);
	f = begin_function(pr, name, s->form, &inside, &indent, &text, &size);
	print_list(pr, s->body, NULL);
	end_function(pr, f, inside, indent, &text);
	print_line(pr, "%s(%s);", name, frame_argument(pr));
}

struct lock_calls {
	const char *takes, *tries, *frees;
};

static const struct lock_calls *lock_calls(const struct printer *pr, const struct stmt *s)
{
	static const struct lock_calls calls[] = {
		[LOCK_MUTEX] = { "pthread_mutex_lock", "pthread_mutex_trylock",
				 "pthread_mutex_unlock" },
		[LOCK_SPIN] = { "pthread_spin_lock", "pthread_spin_trylock",
				"pthread_spin_unlock" },
		[LOCK_RW] = { "pthread_rwlock_wrlock", "pthread_rwlock_trywrlock",
			      "pthread_rwlock_unlock" },
		[LOCK_SEM] = { "sem_wait", "sem_trywait", "sem_post" },
	};
	static const struct lock_calls reads = { "pthread_rwlock_rdlock",
						 "pthread_rwlock_tryrdlock",
						 "pthread_rwlock_unlock" };

	switch (pr->p->lock[s->loc]) {
	case LOCK_RW:
	case LOCK_RW_WRITERS:
		return s->fn == SHARE_READ ? &reads : &calls[LOCK_RW];
	case LOCK_SEM_TWO:
		return &calls[LOCK_SEM];
	default:
		return &calls[pr->p->lock[s->loc]];
	}
}

static void print_trylock(struct printer *pr, const struct stmt *s, const char *leave)
{
	char value[80];

	snprintf(value, sizeof(value), "!%s(&p%d_m%d)", lock_calls(pr, s)->tries, pr->number,
		 s->loc);
	register_set(pr, s->reg, value);
	print_line(pr, "if (%s) {", register_get(pr, s->reg));
	print_body(pr, s->body, NULL);
	print_line(pr, "\t%s(&p%d_m%d);", lock_calls(pr, s)->frees, pr->number, s->loc);
	print_line(pr, "} else {");
	print_body(pr, s->other, leave);
	print_line(pr, "}");
}

static void print_if(struct printer *pr, const struct stmt *s, const char *leave)
{
	char text[420];

	cond(pr, &s->cond, text, sizeof(text));
	print_line(pr, "if (%s) {", text);
	print_body(pr, s->body, leave);
	if (s->other) {
		print_line(pr, "} else {");
		print_body(pr, s->other, leave);
	}
	print_line(pr, "}");
}

static void print_break(struct printer *pr, const struct stmt *s, const char *leave)
{
	char text[420];

	cond(pr, &s->cond, text, sizeof(text));
	print_line(pr, "if (%s)", text);
	print_line(pr, "\t%s", leave ? leave : "abort();");
}

static void print_shared(struct printer *pr, const struct stmt *s)
{
	char value[40];

	switch (s->kind) {
	case ST_LOCKED:
		print_line(pr, "%s(&p%d_m%d);", lock_calls(pr, s)->takes, pr->number, s->loc);
		print_list(pr, s->body, NULL);
		print_line(pr, "%s(&p%d_m%d);", lock_calls(pr, s)->frees, pr->number, s->loc);
		break;
	case ST_WAIT:
		print_line(pr, "pthread_cond_wait(&p%d_c, &p%d_m0);", pr->number, pr->number);
		break;
	case ST_SIGNAL:
		print_line(pr, "pthread_cond_signal(&p%d_c);", pr->number);
		break;
	case ST_BROADCAST:
		print_line(pr, "pthread_cond_broadcast(&p%d_c);", pr->number);
		break;
	case ST_PLOAD:
		snprintf(value, sizeof(value), "p%d_p%d", pr->number, s->loc);
		register_set(pr, s->reg, value);
		break;
	default:
		print_line(pr, "p%d_p%d = %s;", pr->number, s->loc, print_operand(pr, s->arg));
		break;
	}
}

static void print_stmt(struct printer *pr, const struct stmt *s, const char *leave)
{
	switch (s->kind) {
	case ST_NONE:
		break;
	case ST_LOAD:
		print_load(pr, s);
		break;
	case ST_STORE:
		print_store(pr, s);
		break;
	case ST_RMW:
		print_rmw(pr, s);
		break;
	case ST_CAS:
		print_cas(pr, s);
		break;
	case ST_FENCE:
		print_line(pr, "atomic_thread_fence(%s);", order_names[s->order]);
		break;
	case ST_SET:
		print_set(pr, s);
		break;
	case ST_IF:
		print_if(pr, s, leave);
		break;
	case ST_LOOP:
		print_loop(pr, s);
		break;
	case ST_BREAK:
		print_break(pr, s, leave);
		break;
	case ST_TRYLOCK:
		print_trylock(pr, s, leave);
		break;
	case ST_CALL:
		print_call(pr, s);
		break;
	case ST_YIELD:
		print_line(pr, "sched_yield();");
		break;
	case ST_CROWD:
		print_line(pr, "CROWD((void)atomic_load_explicit(&p%d_w[0], rlx);)", pr->number);
		break;
	case ST_REQUEUE:
		print_line(pr,
			   "syscall(SYS_futex, &p%d_w[1], FUTEX_CMP_REQUEUE, 0, 1, &p%d_w[2], 0);",
			   pr->number, pr->number);
		break;
	case ST_PUBLISH:
		print_line(pr, "p%d_x%d = &x%d;", pr->number, s->loc, s->loc);
		break;
	default:
		print_shared(pr, s);
		break;
	}
}

void print_list(struct printer *pr, int first, const char *leave)
{
	for (int i = first; i; i = pr->p->s[i].next)
		print_stmt(pr, &pr->p->s[i], leave);
}

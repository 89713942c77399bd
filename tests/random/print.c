/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print.c - a program as C
 *
 * Several programs stand in one file, to be compiled once; the first argument says which one is
 * run. Each complete execution appends a line with its final state to the file that EXOUT names,
 * by a raw system call that nobody sees.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "random/program.h"

struct printer {
	const struct program *p;
	int number, thread;
	FILE *f;      /* where statements go */
	FILE *before; /* functions that must come first */
	bool framed;  /* registers stand in a structure, since functions share them */
	bool inside;  /* in such a function */
	int indent, labels;
};

static const char head[] =
	"#define _GNU_SOURCE\n"
	"#include <fcntl.h>\n"
	"#include <math.h>\n"
	"#include <pthread.h>\n"
	"#include <sched.h>\n"
	"#include <search.h>\n"
	"#include <stdatomic.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <sys/mman.h>\n"
	"#include <threads.h>\n"
	"#include <unistd.h>\n"
	"#include <wchar.h>\n"
	"#define rlx memory_order_relaxed\n"
	"#define acq memory_order_acquire\n"
	"#define rel memory_order_release\n"
	"#define acq_rel memory_order_acq_rel\n"
	"#define NOINLINE __attribute__((noinline))\n"
	"#define UNSEEN __attribute__((noinline, no_sanitize(\"thread\")))\n"
	"static int exfd = -1;\n"
	"static inline void ex_put(const char *s, long n)\n"
	"{\n"
	"\tlong r;\n"
	"\tif (exfd < 0)\n"
	"\t\treturn;\n"
	"\t__asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(1), \"D\"((long)exfd), \"S\"(s), \"d\"(n)\n"
	"\t\t: \"rcx\", \"r11\", \"memory\");\n"
	"}\n"
	"static int ex_num(char *b, long v)\n"
	"{\n"
	"\tchar t[24];\n"
	"\tint n = 0, k = 0;\n"
	"\tif (v < 0)\n"
	"\t\tb[k++] = '-', v = -v;\n"
	"\tdo\n"
	"\t\tt[n++] = (char)('0' + v % 10);\n"
	"\twhile (v /= 10);\n"
	"\twhile (n)\n"
	"\t\tb[k++] = t[--n];\n"
	"\tb[k++] = ' ';\n"
	"\treturn k;\n"
	"}\n"
	"NOINLINE static void out_of_here(void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
	"NOINLINE static void put_int(int *p, int v) { *p = v; }\n"
	"UNSEEN static int unseen_get(const int *p) { return *p; }\n"
	"UNSEEN static void unseen_put(int *p, int v) { *p = v; }\n"
	"static inline int key_get(pthread_key_t k) { return (int)(long)pthread_getspecific(k); }\n"
	"static inline void key_put(pthread_key_t k, int v) { pthread_setspecific(k, (void *)(long)v); }\n"
	"static inline int tss_read(tss_t k) { return (int)(long)tss_get(k); }\n"
	"static inline void tss_write(tss_t k, int v) { tss_set(k, (void *)(long)v); }\n"
	"static inline void asm_put(int *p, int v) { __asm__ volatile(\"movl %1, %0\" : \"=m\"(*p) : \"r\"(v)); }\n"
	"static inline void wide_put(wchar_t *w, int v) { swprintf(w, 4, L\"%c\", v + '!'); }\n"
	"static inline void mbs_put(wchar_t *w, int v) { char c[2] = { (char)(v + '!'), 0 }; mbstowcs(w, c, 2); }\n"
	"static inline int wide_get(const wchar_t *w) { return *w ? (int)*w - '!' : 0; }\n"
	"static inline int seek_get(int fd) { return (int)lseek(fd, 0, SEEK_CUR); }\n"
	"static inline void seek_put(int fd, int v) { lseek(fd, v, SEEK_SET); }\n"
	"static inline int stream_get(FILE *f) { return (int)ftell(f); }\n"
	"static inline void stream_put(FILE *f, int v) { fseek(f, v, SEEK_SET); }\n"
	"struct node { struct node *next, *prev; };\n"
	"static inline int queue_get(struct node *q) { return q->next ? (int)(q->next - q) - 1 : 0; }\n"
	"static inline void queue_put(struct node *q, int v) { q->next = q->prev = NULL; insque(q + 1 + v, q); }\n"
	"static inline void frexp_put(int *p, int v) { frexp(ldexp(0.5, v), p); }\n"
	"static inline int swab_get(const char *p) { return p[1]; }\n"
	"static inline void swab_put(char *p, int v) { char a[2] = { (char)v, 0 }; swab(a, p, 2); }\n";

void print_head(FILE *f)
{
	fputs(head, f);
}

void print_main(FILE *f, int nprograms)
{
	fputs("int main(int argc, char **argv)\n{\n\tconst char *p = getenv(\"EXOUT\");\n"
	      "\tif (p)\n\t\texfd = open(p, O_WRONLY | O_APPEND | O_CREAT, 0644);\n"
	      "\tswitch (argc > 1 ? atoi(argv[1]) : 0) {\n",
	      f);
	for (int i = 0; i < nprograms; i++)
		fprintf(f, "\tcase %d:\n\t\treturn p%d_main();\n", i, i);
	fputs("\t}\n\treturn 2;\n}\n", f);
}

static void __attribute__((format(printf, 2, 3))) line(struct printer *pr, const char *format, ...)
{
	va_list ap;

	for (int i = 0; i < pr->indent; i++)
		fputc('\t', pr->f);
	va_start(ap, format);
	vfprintf(pr->f, format, ap);
	va_end(ap);
	fputc('\n', pr->f);
}

static const struct thread *thread_of(const struct printer *pr)
{
	return &pr->p->t[pr->thread];
}

/* Is a register of this kind a variable of the function, or of the frame that functions share? */
static bool is_automatic(int place)
{
	return place <= IN_BITS || place == IN_HEAP;
}

static const char *frame_of(const struct printer *pr)
{
	return !pr->framed ? "" : pr->inside ? "f->" : "f.";
}

/* The value of a register. */
static const char *get(const struct printer *pr, int r)
{
	static char text[4][64];
	static int turn;
	char *to = text[turn++ % 4];
	const int place = thread_of(pr)->place[r];
	const char *frame = frame_of(pr);
	char var[32];

	snprintf(var, sizeof(var), "p%d_v%d%d", pr->number, pr->thread, r);
	switch (place) {
	case IN_ARRAY:
		snprintf(to, 64, "%sa[%d]", frame, r);
		break;
	case IN_BITS:
		snprintf(to, 64, "(int)%sb.r%d", frame, r);
		break;
	case IN_HEAP:
		snprintf(to, 64, "*%sh%d", frame, r);
		break;
	case IN_LOCAL:
	case IN_VOLATILE:
	case IN_ADDRESSED:
		snprintf(to, 64, "%sr%d", frame, r);
		break;
	case IN_KEY:
		snprintf(to, 64, "key_get(%s)", var);
		break;
	case IN_TSS:
		snprintf(to, 64, "tss_read(%s)", var);
		break;
	case IN_UNSEEN:
		snprintf(to, 64, "unseen_get(&%s)", var);
		break;
	case IN_WIDE:
	case IN_MBS:
		snprintf(to, 64, "wide_get(%s)", var);
		break;
	case IN_SEEK:
		snprintf(to, 64, "seek_get(%s)", var);
		break;
	case IN_STREAM:
		snprintf(to, 64, "stream_get(%s)", var);
		break;
	case IN_QUEUE:
		snprintf(to, 64, "queue_get(%s)", var);
		break;
	case IN_SWAB:
		snprintf(to, 64, "swab_get(%s)", var);
		break;
	default:
		snprintf(to, 64, "%s", var);
		break;
	}
	return to;
}

static void set(struct printer *pr, int r, const char *value)
{
	const int place = thread_of(pr)->place[r];
	char var[32];

	snprintf(var, sizeof(var), "p%d_v%d%d", pr->number, pr->thread, r);
	switch (place) {
	case IN_BITS:
		line(pr, "%sb.r%d = (unsigned)(%s) & 127;", frame_of(pr), r, value);
		break;
	case IN_ADDRESSED:
		line(pr, "put_int(&%sr%d, %s);", frame_of(pr), r, value);
		break;
	case IN_KEY:
		line(pr, "key_put(%s, %s);", var, value);
		break;
	case IN_TSS:
		line(pr, "tss_write(%s, %s);", var, value);
		break;
	case IN_UNSEEN:
		line(pr, "unseen_put(&%s, %s);", var, value);
		break;
	case IN_ASM:
		line(pr, "asm_put(&%s, %s);", var, value);
		break;
	case IN_WIDE:
		line(pr, "wide_put(%s, %s);", var, value);
		break;
	case IN_MBS:
		line(pr, "mbs_put(%s, %s);", var, value);
		break;
	case IN_SEEK:
		line(pr, "seek_put(%s, %s);", var, value);
		break;
	case IN_STREAM:
		line(pr, "stream_put(%s, %s);", var, value);
		break;
	case IN_QUEUE:
		line(pr, "queue_put(%s, %s);", var, value);
		break;
	case IN_FREXP:
		line(pr, "frexp_put(&%s, %s);", var, value);
		break;
	case IN_SWAB:
		line(pr, "swab_put(%s, %s);", var, value);
		break;
	default:
		line(pr, "%s = %s;", get(pr, r), value);
		break;
	}
}

static const char *operand(const struct printer *pr, struct operand o)
{
	static char text[2][16];
	static int turn;
	char *to = text[turn++ % 2];

	if (o.is_reg)
		return get(pr, o.v);
	snprintf(to, 16, "%d", o.v);
	return to;
}

static void term(const struct printer *pr, const struct term *t, char *to, size_t size)
{
	static const char *const cmp[] = { "==", "!=", ">=", "<" };

	snprintf(to, size, "%s %s %s", get(pr, t->reg), cmp[t->cmp], operand(pr, t->with));
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
	if (s->order == SC)
		snprintf(value, sizeof(value), "atomic_load(&%s)", x);
	else
		snprintf(value, sizeof(value), "atomic_load_explicit(&%s, %s)", x,
			 order_names[s->order]);
	set(pr, s->reg, value);
}

static void print_store(struct printer *pr, const struct stmt *s)
{
	char x[32];

	location(pr, s, x, sizeof(x));
	if (s->order == SC)
		line(pr, "atomic_store(&%s, %s);", x, operand(pr, s->arg));
	else
		line(pr, "atomic_store_explicit(&%s, %s, %s);", x, operand(pr, s->arg),
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
			 operand(pr, s->arg));
	else
		snprintf(value, sizeof(value), "atomic_%s_explicit(&%s, %s, %s)", fn[s->fn], x,
			 operand(pr, s->arg), order_names[s->order]);
	set(pr, s->reg, value);
}

static const char *const type_names[] = { "int", "unsigned", "unsigned char", "long", "short" };

static void print_cas(struct printer *pr, const struct stmt *s)
{
	char x[32];

	location(pr, s, x, sizeof(x));
	line(pr, "{");
	pr->indent++;
	line(pr, "%s e = (%s)%s;", type_names[pr->p->type[s->loc]], type_names[pr->p->type[s->loc]],
	     operand(pr, s->expected));
	if (s->order == SC && s->order_fail == SC)
		line(pr, "int s = atomic_compare_exchange_strong(&%s, &e, %s);", x,
		     operand(pr, s->arg));
	else
		line(pr, "int s = atomic_compare_exchange_strong_explicit(&%s, &e, %s, %s, %s);", x,
		     operand(pr, s->arg), order_names[s->order], order_names[s->order_fail]);
	set(pr, s->reg, "s");
	set(pr, s->reg2, "(int)e");
	pr->indent--;
	line(pr, "}");
}

static void print_set(struct printer *pr, const struct stmt *s)
{
	char value[256];
	const char *a = operand(pr, s->arg), *b = operand(pr, s->expected);

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
	set(pr, s->reg, value);
}

/* How the loop around a statement is left. */
static void print_list(struct printer *pr, int first, const char *leave);

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
		line(pr, "if (!(%s < %d))\n%.*s\t%s", get(pr, s->reg), s->bound, pr->indent,
		     "\t\t\t\t\t\t\t\t", leave);
	print_list(pr, s->body, leave);
	if (s->bound) {
		snprintf(value, sizeof(value), "%s + 1", get(pr, s->reg));
		set(pr, s->reg, value);
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
		line(pr, "for (;;) {");
	pr->indent += !recursion;
	print_round(pr, s, "return;");
	pr->indent -= !recursion;
	line(pr, "%s%s", recursion ? name : "}", recursion ? "(f);" : "");
	end_function(pr, f, inside, indent, &text);
	line(pr, "%s(%s);", name, frame_argument(pr));
}

static void print_goto_loop(struct printer *pr, const struct stmt *s)
{
	char leave[40];
	const int label = pr->labels++;

	snprintf(leave, sizeof(leave), "goto out%d;", label);
	line(pr, "again%d:;", label);
	print_round(pr, s, leave);
	line(pr, "goto again%d;", label);
	line(pr, "out%d:;", label);
}

static void print_switch_loop(struct printer *pr, const struct stmt *s)
{
	char leave[40];
	const int label = pr->labels++;

	snprintf(leave, sizeof(leave), "goto out%d;", label);
	line(pr, "for (int go%d = 1;; go%d = 2)", label, label);
	line(pr, "switch (go%d) {", label);
	line(pr, "case 1:");
	line(pr, "default:");
	pr->indent++;
	print_round(pr, s, leave);
	pr->indent--;
	line(pr, "}");
	line(pr, "out%d:;", label);
}

static void print_loop(struct printer *pr, const struct stmt *s)
{
	if (s->bound)
		set(pr, s->reg, "0");
	if (s->form == LOOP_HELPER || (s->form == LOOP_RECURSION && s->bound)) {
		print_function_loop(pr, s, s->form == LOOP_RECURSION);
	} else if (s->form == LOOP_GOTO) {
		print_goto_loop(pr, s);
	} else if (s->form == LOOP_SWITCH) {
		print_switch_loop(pr, s);
	} else {
		line(pr, s->form == LOOP_DO      ? "do {"
			 : s->form == LOOP_WHILE ? "while (1) {"
						 : "for (;;) {");
		pr->indent++;
		print_round(pr, s, "break;");
		pr->indent--;
		line(pr, s->form == LOOP_DO ? "} while (1);" : "}");
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
	line(pr, "%s(%s);", name, frame_argument(pr));
}

static void print_trylock(struct printer *pr, const struct stmt *s, const char *leave)
{
	char value[80];

	snprintf(value, sizeof(value), "!pthread_mutex_trylock(&p%d_m%d)", pr->number, s->loc);
	set(pr, s->reg, value);
	line(pr, "if (%s) {", get(pr, s->reg));
	print_body(pr, s->body, NULL);
	line(pr, "\tpthread_mutex_unlock(&p%d_m%d);", pr->number, s->loc);
	line(pr, "} else {");
	print_body(pr, s->other, leave);
	line(pr, "}");
}

static void print_if(struct printer *pr, const struct stmt *s, const char *leave)
{
	char text[420];

	cond(pr, &s->cond, text, sizeof(text));
	line(pr, "if (%s) {", text);
	print_body(pr, s->body, leave);
	if (s->other) {
		line(pr, "} else {");
		print_body(pr, s->other, leave);
	}
	line(pr, "}");
}

static void print_break(struct printer *pr, const struct stmt *s, const char *leave)
{
	char text[420];

	cond(pr, &s->cond, text, sizeof(text));
	line(pr, "if (%s)", text);
	line(pr, "\t%s", leave ? leave : "abort();");
}

static void print_shared(struct printer *pr, const struct stmt *s)
{
	char value[40];

	switch (s->kind) {
	case ST_LOCKED:
		line(pr, "pthread_mutex_lock(&p%d_m%d);", pr->number, s->loc);
		print_list(pr, s->body, NULL);
		line(pr, "pthread_mutex_unlock(&p%d_m%d);", pr->number, s->loc);
		break;
	case ST_WAIT:
		line(pr, "pthread_cond_wait(&p%d_c, &p%d_m0);", pr->number, pr->number);
		break;
	case ST_SIGNAL:
		line(pr, "pthread_cond_signal(&p%d_c);", pr->number);
		break;
	case ST_BROADCAST:
		line(pr, "pthread_cond_broadcast(&p%d_c);", pr->number);
		break;
	case ST_PLOAD:
		snprintf(value, sizeof(value), "p%d_p%d", pr->number, s->loc);
		set(pr, s->reg, value);
		break;
	default:
		line(pr, "p%d_p%d = %s;", pr->number, s->loc, operand(pr, s->arg));
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
		line(pr, "atomic_thread_fence(%s);", order_names[s->order]);
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
		line(pr, "sched_yield();");
		break;
	case ST_PUBLISH:
		line(pr, "p%d_x%d = &x%d;", pr->number, s->loc, s->loc);
		break;
	default:
		print_shared(pr, s);
		break;
	}
}

static void print_list(struct printer *pr, int first, const char *leave)
{
	for (int i = first; i; i = pr->p->s[i].next)
		print_stmt(pr, &pr->p->s[i], leave);
}

static bool has_function(const struct program *p, int first)
{
	for (int i = first; i; i = p->s[i].next) {
		const struct stmt *s = &p->s[i];

		if (s->kind == ST_CALL || (s->kind == ST_LOOP && s->form >= LOOP_RECURSION) ||
		    has_function(p, s->body) || has_function(p, s->other))
			return true;
	}
	return false;
}

/* Which registers a thread uses at all, as a set of bits. */
static unsigned registers(const struct program *p, int first);

static unsigned of_operand(struct operand o)
{
	return o.is_reg ? 1u << o.v : 0;
}

static unsigned of_stmt(const struct program *p, const struct stmt *s)
{
	unsigned set = 0;

	switch (s->kind) {
	case ST_CAS:
		set |= 1u << s->reg2;
		/* fall through */
	case ST_RMW:
	case ST_SET:
		set |= 1u << s->reg | of_operand(s->arg) | of_operand(s->expected);
		break;
	case ST_STORE:
	case ST_PSTORE:
		set |= of_operand(s->arg);
		break;
	case ST_LOAD:
	case ST_PLOAD:
	case ST_TRYLOCK:
		set |= 1u << s->reg;
		break;
	case ST_LOOP:
		set |= s->bound ? 1u << s->reg : 0;
		break;
	case ST_IF:
	case ST_BREAK:
		set |= 1u << s->cond.a.reg | of_operand(s->cond.a.with);
		if (s->cond.join != ALONE)
			set |= 1u << s->cond.b.reg | of_operand(s->cond.b.with);
		break;
	default:
		break;
	}
	return set | registers(p, s->body) | registers(p, s->other);
}

static unsigned registers(const struct program *p, int first)
{
	unsigned set = 0;

	for (int i = first; i; i = p->s[i].next)
		set |= of_stmt(p, &p->s[i]);
	return set;
}

static void declare_static(const struct printer *pr, FILE *f, int r)
{
	const char *form = "";

	switch (thread_of(pr)->place[r]) {
	case IN_STATIC:
	case IN_UNSEEN:
	case IN_ASM:
	case IN_FREXP:
		form = "static int p%d_v%d%d;\n";
		break;
	case IN_TLS:
		form = "static _Thread_local int p%d_v%d%d;\n";
		break;
	case IN_KEY:
		form = "static pthread_key_t p%d_v%d%d;\n";
		break;
	case IN_TSS:
		form = "static tss_t p%d_v%d%d;\n";
		break;
	case IN_WIDE:
	case IN_MBS:
		form = "static wchar_t p%d_v%d%d[4];\n";
		break;
	case IN_SEEK:
		form = "static int p%d_v%d%d;\n";
		break;
	case IN_STREAM:
		form = "static FILE *p%d_v%d%d;\n";
		break;
	case IN_QUEUE:
		form = "static struct node p%d_v%d%d[130];\n";
		break;
	case IN_SWAB:
		form = "static char p%d_v%d%d[2];\n";
		break;
	default:
		return;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	fprintf(f, form, pr->number, pr->thread, r);
#pragma GCC diagnostic pop
}

/* The variables of a thread's function, as members of a structure or by themselves. */
static void declare_automatic(const struct printer *pr, FILE *f, unsigned used)
{
	const struct thread *t = thread_of(pr);
	const char *zero = pr->framed ? "" : " = 0", *zeros = pr->framed ? "" : " = { 0 }";
	bool array = false, bits = false;

	for (int r = 0; r < MAX_REGS; r++) {
		if (!(used >> r & 1))
			continue;
		array |= t->place[r] == IN_ARRAY;
		bits |= t->place[r] == IN_BITS;
		if (t->place[r] == IN_LOCAL || t->place[r] == IN_ADDRESSED)
			fprintf(f, "\tint r%d%s;\n", r, zero);
		else if (t->place[r] == IN_VOLATILE)
			fprintf(f, "\tvolatile int r%d%s;\n", r, zero);
		else if (t->place[r] == IN_HEAP)
			fprintf(f, "\tint *h%d%s;\n", r,
				pr->framed ? "" : " = calloc(1, sizeof(int))");
	}
	if (array)
		fprintf(f, "\tint a[%d]%s;\n", MAX_REGS, zeros);
	if (bits) {
		fprintf(f, "\tstruct {\n\t\tunsigned first : 3;\n");
		for (int r = 0; r < MAX_REGS; r++)
			if ((used >> r & 1) && t->place[r] == IN_BITS)
				fprintf(f, "\t\tunsigned r%d : 7;\n", r);
		fprintf(f, "\t} b%s;\n", zeros);
	}
}

static void print_begin(struct printer *pr, unsigned used)
{
	if (pr->framed)
		fprintf(pr->f, "\tstruct p%d_f%d f = { 0 };\n\t(void)f;\n", pr->number, pr->thread);
	else
		declare_automatic(pr, pr->f, used);
	fprintf(pr->f, "\t(void)arg;\n");
	for (int l = 0; l < pr->p->nlocs; l++)
		if (pr->p->home[l] == HOME_THREAD + pr->thread)
			line(pr, "_Atomic %s x%d = %d;", type_names[pr->p->type[l]], l,
			     pr->p->init[l]);
	for (int r = 0; r < MAX_REGS; r++) {
		if (!(used >> r & 1))
			continue;
		if (thread_of(pr)->place[r] == IN_HEAP && pr->framed)
			line(pr, "f.h%d = calloc(1, sizeof(int));", r);
		if (thread_of(pr)->place[r] == IN_ADDRESSED)
			line(pr, "out_of_here(&%sr%d);", frame_of(pr), r);
	}
}

static void print_end(struct printer *pr, unsigned used)
{
	const struct thread *t = thread_of(pr);
	int n = 0;

	for (int r = 0; r < MAX_REGS; r++)
		if (t->outs >> r & 1)
			line(pr, "p%d_o%d[%d] = %s;", pr->number, pr->thread, n++, get(pr, r));
	for (int r = 0; r < MAX_REGS; r++) {
		if (!(used >> r & 1) || (t->outs >> r & 1))
			continue;
		line(pr, "(void)%s;", get(pr, r));
	}
	for (int r = 0; r < MAX_REGS; r++)
		if ((used >> r & 1) && t->place[r] == IN_HEAP)
			line(pr, "free(%sh%d);", frame_of(pr), r);
	line(pr, "return NULL;");
}

static void print_thread(FILE *f, const struct program *p, int number, int t)
{
	struct printer pr = { .p = p,
			      .number = number,
			      .thread = t,
			      .indent = 1,
			      .framed = has_function(p, p->t[t].body) };
	const unsigned used = registers(p, p->t[t].body) | p->t[t].outs;
	char *body = NULL, *before = NULL;
	size_t nbody, nbefore;

	for (int r = 0; r < MAX_REGS; r++)
		if (used >> r & 1 && !is_automatic(p->t[t].place[r]))
			declare_static(&pr, f, r);
	fprintf(f, "static int p%d_o%d[%d];\n", number, t, MAX_REGS);
	if (pr.framed) {
		fprintf(f, "struct p%d_f%d {\n\tint first;\n", number, t);
		declare_automatic(&pr, f, used);
		fprintf(f, "};\n");
	}
	pr.f = open_memstream(&body, &nbody);
	pr.before = open_memstream(&before, &nbefore);
	if (!pr.f || !pr.before)
		abort();
	print_begin(&pr, used);
	print_list(&pr, p->t[t].body, NULL);
	print_end(&pr, used);
	fclose(pr.f);
	fclose(pr.before);
	fprintf(f, "%sstatic void *p%d_t%d(void *arg)\n{\n%s}\n", before, number, t, body);
	free(body);
	free(before);
}

static void print_setup(FILE *f, const struct program *p, int number)
{
	for (int l = 0; l < p->nlocs; l++)
		if (p->home[l] == HOME_MAIN)
			fprintf(f, "\t_Atomic %s x%d = %d;\n\tp%d_x%d = &x%d;\n",
				type_names[p->type[l]], l, p->init[l], number, l, l);
		else if (p->home[l] == HOME_HEAP)
			fprintf(f,
				"\tp%d_x%d = malloc(sizeof(*p%d_x%d));\n"
				"\tatomic_init(p%d_x%d, %d);\n",
				number, l, number, l, number, l, p->init[l]);
	for (int t = 0; t < p->nthreads; t++) {
		const unsigned used = registers(p, p->t[t].body) | p->t[t].outs;

		for (int r = 0; r < MAX_REGS; r++) {
			const int place = p->t[t].place[r];

			if (!(used >> r & 1))
				continue;
			if (place == IN_KEY)
				fprintf(f, "\tpthread_key_create(&p%d_v%d%d, NULL);\n", number, t,
					r);
			else if (place == IN_TSS)
				fprintf(f, "\ttss_create(&p%d_v%d%d, NULL);\n", number, t, r);
			else if (place == IN_SEEK)
				fprintf(f, "\tp%d_v%d%d = memfd_create(\"p\", 0);\n", number, t, r);
			else if (place == IN_STREAM)
				fprintf(f, "\tp%d_v%d%d = fmemopen(NULL, 200, \"w+\");\n", number,
					t, r);
		}
	}
}

void print_program(FILE *f, const struct program *p, int number)
{
	fprintf(f, "\n/* ---- %d: %s, seed %lu ---- */\n", number, p->style,
		(unsigned long)p->seed);
	for (int l = 0; l < p->nlocs; l++)
		if (p->home[l] == HOME_STATIC)
			fprintf(f, "static _Atomic %s p%d_x%d = %d;\n", type_names[p->type[l]],
				number, l, p->init[l]);
		else
			fprintf(f, "static _Atomic %s *p%d_x%d;\n", type_names[p->type[l]], number,
				l);
	for (int m = 0; m < p->nmutexes; m++)
		fprintf(f, "static pthread_mutex_t p%d_m%d = PTHREAD_MUTEX_INITIALIZER;\n", number,
			m);
	if (p->cond)
		fprintf(f, "static pthread_cond_t p%d_c = PTHREAD_COND_INITIALIZER;\n", number);
	for (int v = 0; v < p->nplain; v++)
		fprintf(f, "static int p%d_p%d;\n", number, v);
	for (int t = 0; t < p->nthreads; t++)
		print_thread(f, p, number, t);
	fprintf(f,
		"static int p%d_main(void)\n{\n\tpthread_t t[%d];\n\tchar b[256];\n\tint n = 0;\n",
		number, p->nthreads);
	print_setup(f, p, number);
	for (int t = 0; t < p->nthreads; t++)
		fprintf(f, "\tpthread_create(&t[%d], NULL, p%d_t%d, NULL);\n", t, number, t);
	for (int t = 0; t < p->nthreads; t++)
		fprintf(f, "\tpthread_join(t[%d], NULL);\n", t);
	for (int t = 0; t < p->nthreads; t++)
		for (int r = 0, n = 0; r < MAX_REGS; r++)
			if (p->t[t].outs >> r & 1)
				fprintf(f, "\tn += ex_num(b + n, p%d_o%d[%d]);\n", number, t, n++);
	fprintf(f, "\tb[n++] = '|';\n\tb[n++] = ' ';\n");
	for (int l = 0; l < p->nlocs; l++)
		if (p->home[l] < HOME_THREAD)
			fprintf(f,
				"\tn += ex_num(b + n, (long)atomic_load_explicit(%sp%d_x%d, rlx));\n",
				p->home[l] == HOME_STATIC ? "&" : "", number, l);
	fprintf(f, "\tb[n - 1] = '\\n';\n\tex_put(b, n);\n\treturn 0;\n}\n");
}

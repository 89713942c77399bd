/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print_registers.c - registers, wherever they are kept
 */
#include <stdarg.h>

#include "random/print.h"

void print_line(struct printer *pr, const char *format, ...)
{
	va_list ap;

	for (int i = 0; i < pr->indent; i++)
		fputc('\t', pr->f);
	va_start(ap, format);
	vfprintf(pr->f, format, ap);
	va_end(ap);
	fputc('\n', pr->f);
}

const struct thread *printer_thread(const struct printer *pr)
{
	return &pr->p->t[pr->thread];
}

/* Is a register of this kind a variable of the function, or of the frame that functions share? */
bool is_automatic(int place)
{
	return place <= IN_BITS || place == IN_HEAP;
}

const char *printer_frame(const struct printer *pr)
{
	return !pr->framed ? "" : pr->inside ? "f->" : "f.";
}

/* The value of a register. */
const char *register_get(const struct printer *pr, int r)
{
	static char text[4][64];
	static int turn;
	char *to = text[turn++ % 4];
	const int place = printer_thread(pr)->place[r];
	const char *frame = printer_frame(pr);
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

void register_set(struct printer *pr, int r, const char *value)
{
	const int place = printer_thread(pr)->place[r];
	char var[32];

	snprintf(var, sizeof(var), "p%d_v%d%d", pr->number, pr->thread, r);
	switch (place) {
	case IN_BITS:
		print_line(pr, "%sb.r%d = (unsigned)(%s) & 127;", printer_frame(pr), r, value);
		break;
	case IN_ADDRESSED:
		print_line(pr, "put_int(&%sr%d, %s);", printer_frame(pr), r, value);
		break;
	case IN_KEY:
		print_line(pr, "key_put(%s, %s);", var, value);
		break;
	case IN_TSS:
		print_line(pr, "tss_write(%s, %s);", var, value);
		break;
	case IN_UNSEEN:
		print_line(pr, "unseen_put(&%s, %s);", var, value);
		break;
	case IN_ASM:
		print_line(pr, "asm_put(&%s, %s);", var, value);
		break;
	case IN_WIDE:
		print_line(pr, "wide_put(%s, %s);", var, value);
		break;
	case IN_MBS:
		print_line(pr, "mbs_put(%s, %s);", var, value);
		break;
	case IN_SEEK:
		print_line(pr, "seek_put(%s, %s);", var, value);
		break;
	case IN_STREAM:
		print_line(pr, "stream_put(%s, %s);", var, value);
		break;
	case IN_QUEUE:
		print_line(pr, "queue_put(%s, %s);", var, value);
		break;
	case IN_FREXP:
		print_line(pr, "frexp_put(&%s, %s);", var, value);
		break;
	case IN_SWAB:
		print_line(pr, "swab_put(%s, %s);", var, value);
		break;
	default:
		print_line(pr, "%s = %s;", register_get(pr, r), value);
		break;
	}
}

const char *print_operand(const struct printer *pr, struct operand o)
{
	static char text[2][16];
	static int turn;
	char *to = text[turn++ % 2];

	if (o.is_reg)
		return register_get(pr, o.v);
	snprintf(to, 16, "%d", o.v);
	return to;
}
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
	return set | registers_used(p, s->body) | registers_used(p, s->other);
}

unsigned registers_used(const struct program *p, int first)
{
	unsigned set = 0;

	for (int i = first; i; i = p->s[i].next)
		set |= of_stmt(p, &p->s[i]);
	return set;
}
void declare_static(const struct printer *pr, FILE *f, int r)
{
	const char *form = "";

	switch (printer_thread(pr)->place[r]) {
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
void declare_automatic(const struct printer *pr, FILE *f, unsigned used)
{
	const struct thread *t = printer_thread(pr);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print.c - a program as C
 *
 * Several programs stand in one file, to be compiled once; the first argument says which one is
 * run. Each complete execution appends a line with its final state to the file that EXOUT names,
 * by a raw system call that nobody sees.
 */
#include <stdlib.h>

#include "random/print.h"

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
static void print_begin(struct printer *pr, unsigned used)
{
	if (pr->framed)
		fprintf(pr->f, "\tstruct p%d_f%d f = { 0 };\n\t(void)f;\n", pr->number, pr->thread);
	else
		declare_automatic(pr, pr->f, used);
	fprintf(pr->f, "\t(void)arg;\n");
	for (int l = 0; l < pr->p->nlocs; l++)
		if (pr->p->home[l] == HOME_THREAD + pr->thread)
			print_line(pr, "_Atomic %s x%d = %d;", type_names[pr->p->type[l]], l,
				   pr->p->init[l]);
	for (int r = 0; r < MAX_REGS; r++) {
		if (!(used >> r & 1))
			continue;
		if (printer_thread(pr)->place[r] == IN_HEAP && pr->framed)
			print_line(pr, "f.h%d = calloc(1, sizeof(int));", r);
		if (printer_thread(pr)->place[r] == IN_ADDRESSED)
			print_line(pr, "out_of_here(&%sr%d);", printer_frame(pr), r);
	}
}

static void print_end(struct printer *pr, unsigned used)
{
	const struct thread *t = printer_thread(pr);
	int n = 0;

	for (int r = 0; r < MAX_REGS; r++)
		if (t->outs >> r & 1)
			print_line(pr, "p%d_o%d[%d] = %s;", pr->number, pr->thread, n++,
				   register_get(pr, r));
	for (int r = 0; r < MAX_REGS; r++) {
		if (!(used >> r & 1) || (t->outs >> r & 1))
			continue;
		print_line(pr, "(void)%s;", register_get(pr, r));
	}
	for (int r = 0; r < MAX_REGS; r++)
		if ((used >> r & 1) && t->place[r] == IN_HEAP)
			print_line(pr, "free(%sh%d);", printer_frame(pr), r);
	print_line(pr, "return NULL;");
}

static void print_thread(FILE *f, const struct program *p, int number, int t)
{
	struct printer pr = { .p = p,
			      .number = number,
			      .thread = t,
			      .indent = 1,
			      .framed = has_function(p, p->t[t].body) };
	const unsigned used = registers_used(p, p->t[t].body) | p->t[t].outs;
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
		const unsigned used = registers_used(p, p->t[t].body) | p->t[t].outs;

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

static void print_locks(FILE *f, const struct program *p, int number)
{
	static const char *const type[] = { [LOCK_MUTEX] = "pthread_mutex_t",
					    [LOCK_SPIN] = "pthread_spinlock_t",
					    [LOCK_RW] = "pthread_rwlock_t",
					    [LOCK_RW_WRITERS] = "pthread_rwlock_t",
					    [LOCK_SEM] = "sem_t",
					    [LOCK_SEM_TWO] = "sem_t" };
	static const char *const init[LOCKS] = {
		[LOCK_MUTEX] = " = PTHREAD_MUTEX_INITIALIZER",
		[LOCK_RW] = " = PTHREAD_RWLOCK_INITIALIZER",
		[LOCK_RW_WRITERS] = " = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP"
	};

	for (int m = 0; m < p->nmutexes; m++)
		fprintf(f, "static %s p%d_m%d%s;\n", type[p->lock[m]], number, m,
			init[p->lock[m]] ? init[p->lock[m]] : "");
}

static void print_lock_setup(FILE *f, const struct program *p, int number)
{
	for (int m = 0; m < p->nmutexes; m++)
		if (p->lock[m] == LOCK_SPIN)
			fprintf(f, "\tpthread_spin_init(&p%d_m%d, 0);\n", number, m);
		else if (p->lock[m] == LOCK_SEM || p->lock[m] == LOCK_SEM_TWO)
			fprintf(f, "\tsem_init(&p%d_m%d, 0, %d);\n", number, m,
				p->lock[m] == LOCK_SEM ? 1 : 2);
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
	print_locks(f, p, number);
	if (p->cond)
		fprintf(f, "static pthread_cond_t p%d_c = PTHREAD_COND_INITIALIZER;\n", number);
	if (p->crowd)
		fprintf(f, "static atomic_int p%d_w[3];\n", number);
	for (int v = 0; v < p->nplain; v++)
		fprintf(f, "static %sint p%d_p%d;\n", p->races ? "volatile " : "", number, v);
	for (int t = 0; t < p->nthreads; t++)
		print_thread(f, p, number, t);
	fprintf(f,
		"static int p%d_main(void)\n{\n\tpthread_t t[%d];\n\tchar b[256];\n\tint n = 0;\n",
		number, p->nthreads);
	print_setup(f, p, number);
	print_lock_setup(f, p, number);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print_head.c - what all printed programs have in common
 */
#include "random/program.h"

static const char head[] =
	"#define _GNU_SOURCE\n"
	"#include <fcntl.h>\n"
	"#include <linux/futex.h>\n"
	"#include <math.h>\n"
	"#include <pthread.h>\n"
	"#include <sched.h>\n"
	"#include <search.h>\n"
	"#include <semaphore.h>\n"
	"#include <stdatomic.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <sys/mman.h>\n"
	"#include <sys/syscall.h>\n"
	"#include <threads.h>\n"
	"#include <unistd.h>\n"
	"#include <wchar.h>\n"
	"#define rlx memory_order_relaxed\n"
	"#define acq memory_order_acquire\n"
	"#define rel memory_order_release\n"
	"#define acq_rel memory_order_acq_rel\n"
	"#define NOINLINE __attribute__((noinline))\n"
	"#define UNSEEN __attribute__((noinline, no_sanitize(\"thread\")))\n"
	"#define FIVE(x) x x x x x\n"
	"#define CROWD(x) FIVE(FIVE(FIVE(FIVE(x x x) x x)))\n"
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

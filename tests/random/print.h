/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print.h - what the parts of the printer share
 */
#ifndef TESTS_RANDOM_PRINT_H
#define TESTS_RANDOM_PRINT_H

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

extern const char *const type_names[];

/* ---- print_registers.c ---- */

void print_line(struct printer *pr, const char *format, ...) __attribute__((format(printf, 2, 3)));

const struct thread *printer_thread(const struct printer *pr);

/* "", or what stands before a member of the frame that a thread's functions share. */
const char *printer_frame(const struct printer *pr);

/* Is a register in such a place a variable of the function, or of that frame? */
bool is_automatic(int place);

/* The value of a register, and a line that sets it. */
const char *register_get(const struct printer *pr, int r);
void register_set(struct printer *pr, int r, const char *value);
const char *print_operand(const struct printer *pr, struct operand o);

/* Which registers a list of statements uses, as a set of bits. */
unsigned registers_used(const struct program *p, int first);

void declare_static(const struct printer *pr, FILE *f, int r);

/* The variables of a thread's function, as members of a structure or by themselves. */
void declare_automatic(const struct printer *pr, FILE *f, unsigned used);

/* ---- print_stmt.c ---- */

/* leave: how the loop around the statements is left. */
void print_list(struct printer *pr, int first, const char *leave);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* said.h - what the program says of its execution, and how it names things, for reports (wire/said.h) */
#ifndef HEDDLE_PRELOAD_SAID_H
#define HEDDLE_PRELOAD_SAID_H

#include <stdarg.h>
#include <stdint.h>

#include "wire/search.h"

#pragma GCC visibility push(hidden)

/* The calling thread says that, as vsnprintf() makes it. Nothing where nobody would read it. */
void say_text(const char *format, va_list ap, uint64_t pc);

/* A name for the calling thread, or for memory. */
void say_thread(const char *name);
void say_object(uint64_t addr, uint64_t size, const char *name);

/* An execution ends with a bug: where do the values of its steps point to? */
void say_pointers(const struct engine_step_record *steps, uint64_t n);

/* The calling thread has just done an operation: where did its program call for that? */
void say_call(void);

#pragma GCC visibility pop

#endif

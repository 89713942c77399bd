/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judged.h - what a must() of the engine that fails does to a scripted run: it ends, with that error
 *
 *	if (setjmp(judged_escape))
 *		... judged_error says why; the engine is worth nothing any more
 *	judged_begin();
 *	... the engine works
 *	judged_end();
 *
 * With --enable-checks the graphs of the engine are judged by runtime/offline, too, which shares no
 * code with it.
 */
#ifndef HEDDLE_TESTS_JUDGED_H
#define HEDDLE_TESTS_JUDGED_H

#include <setjmp.h>

extern jmp_buf judged_escape;
extern char judged_error[400];

void judged_begin(void);
void judged_end(void);

#endif

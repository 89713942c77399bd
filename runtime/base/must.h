/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * must.h - checks that stay on in every build
 *
 * must(cond) states what has to hold whatever the program under test does. assert() would be
 * intercepted inside the target, so the runtime never uses it. A failed must() calls
 * must_failed(), which base provides weakly (abort); the target overrides it to tell the
 * controller.
 */
#ifndef HEDDLE_BASE_MUST_H
#define HEDDLE_BASE_MUST_H

_Noreturn void must_failed(const char *what, const char *file, int line);

#define must(cond) ((cond) ? (void)0 : must_failed(#cond, __FILE__, __LINE__))

#endif

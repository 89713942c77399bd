/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * must.c - what a failed must() does where nobody says otherwise
 */
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) _Noreturn void must_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "heddle: internal error: %s does not hold (%s:%d)\n", what, file, line);
	abort();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native_heddle.c - the functions of heddle.h, run natively
 *
 * What each does without heddle is part of its contract; see include/heddle.h.
 */
#include "heddle.h"
#include "native.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

HEDDLE_API void heddle_assume(int condition)
{
	if (!condition)
		_exit(0);
}

HEDDLE_API int heddle_choose(int n)
{
	(void)n;
	return 0;
}

HEDDLE_API int heddle_running(void)
{
	return 0;
}

HEDDLE_API void heddle_fail(const char *expression, const char *file, unsigned int line,
			    const char *function)
{
	fflush(stdout);
	fprintf(stderr, "%s:%u: %s: heddle_assert(%s) failed\n", file, line, function, expression);
	abort();
}

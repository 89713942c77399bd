/* SPDX-License-Identifier: BSD-2-Clause */
/* depart.h - the program is about to start another program */
#ifndef HEDDLE_PRELOAD_DEPART_H
#define HEDDLE_PRELOAD_DEPART_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* May not come back: a program that only starts others is to run as it is. */
void depart(void);

/* Of an environment with what a program needs to be followed: bytes, 0: it is not to have that. */
size_t depart_size(char *const *envp);
char **depart_environment(char *const *envp, void *room);

/* envp as the new program is to find it, in the caller's frame. */
#define DEPARTING(envp)                                                                    \
	(depart_size(envp) ? depart_environment(envp, __builtin_alloca(depart_size(envp))) \
			   : (char **)(envp))

#pragma GCC visibility pop

#endif

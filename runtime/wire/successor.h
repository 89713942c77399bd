/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * successor.h - the environment of a program that is started, so that it is followed, too
 *
 *	char room[successor_size(envp, &how)];
 *
 *	execve(path, argv, successor_environment(envp, &how, room));
 *
 * Used in programs that may have threads, and between vfork() and exec: takes no memory and no lock.
 */
#ifndef HEDDLE_WIRE_SUCCESSOR_H
#define HEDDLE_WIRE_SUCCESSOR_H

#include <stddef.h>

struct successor {
	const char *library; /* goes to the front of LD_PRELOAD, unless it is in it */
	const char *session; /* the value of HEDDLE_FOLLOW */
};

/* How many bytes successor_environment() needs. */
size_t successor_size(char *const *envp, const struct successor *how);

/* envp with both (and an option for AddressSanitizer), made in room, which is aligned for pointers. Strings of envp are borrowed. */
char **successor_environment(char *const *envp, const struct successor *how, void *room);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.h - what is mapped in this process: /proc/self/maps, a line at a time, without libc's stdio */
#ifndef HEDDLE_PRELOAD_MAPS_H
#define HEDDLE_PRELOAD_MAPS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct maps_line {
	uint64_t start, end;
	const char *perms; /* four letters, say rw-p; offset, device, inode and path follow */
	const char *newline;
};

/* What is mapped there. */
struct maps_file {
	uint64_t offset, device, inode;
};
struct maps_file maps_file(const struct maps_line *line);

/* Calls take() for each mapping, in order of address. Ends the run where there is no /proc. Not to be nested. */
void maps_each(void (*take)(const struct maps_line *line, void *arg), void *arg);

#pragma GCC visibility pop

#endif

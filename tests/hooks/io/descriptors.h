/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * descriptors.h - a process that may open no more descriptors
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <assert.h>
#include <sys/resource.h>
#include <unistd.h>

/* From now on; returns what it might before, for setrlimit(). */
static inline struct rlimit no_more_descriptors(void)
{
	struct rlimit before, now;
	int next = dup(0);

	assert(next > 0 && close(next) == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
	now = before;
	now.rlim_cur = (rlim_t)next;
	assert(setrlimit(RLIMIT_NOFILE, &now) == 0);
	return before;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * real.c - the functions that ours stand in front of
 *
 * dlsym() may allocate on an error only, and never runs a hook that waits; `current` is
 * cleared meanwhile so that what it does is not taken for the program's.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>

#include "preload/core/context.h"
#include "preload/core/real.h"
#include "preload/core/refuse.h"

static void *find(const char *name, const char *version)
{
	struct self *caller = current;
	void *p;

	current = NULL;
	p = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
	current = caller;
	return p;
}

void *real_find(const char *name)
{
	return find(name, NULL);
}

void *real_lookup(const char *name, const char *version)
{
	void *p = find(name, version);

	if (!p)
		refuse("the program's libraries have no ", name,
		       "(): heddle needs a dynamically linked glibc", NULL);
	return p;
}

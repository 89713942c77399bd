/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * real.c - the functions that ours stand in front of
 *
 * dlsym() may allocate on an error only, and never runs a hook that waits; `current` is
 * cleared meanwhile so that what it does is not taken for the program's. dlsym() itself, which ours stands in front of as
 * well (hooks/libc/hook_lookup.c), is looked for in the symbols of the modules behind us.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>

#include "preload/code/imports.h"
#include "preload/code/modules.h"
#include "preload/code/real.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"

struct search {
	const char *name;
	void *found;
	bool behind_us;
};

static int look_behind_us(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	if (!s->behind_us)
		s->behind_us = in_runtime(info->dlpi_addr);
	else
		s->found = module_defines(info, s->name);
	return s->found != NULL;
}

static void *find_by_symbols(const char *name)
{
	struct search s = { .name = name };

	dl_iterate_phdr(look_behind_us, &s);
	if (!s.found)
		refuse("the program's libraries have no ", name,
		       "(): heddle needs a dynamically linked glibc", NULL);
	return s.found;
}

real_dlsym_t *real_dlsym(void)
{
	static real_dlsym_t *real;
	KEPT(real);

	if (unlikely(!real))
		real = (real_dlsym_t *)(uintptr_t)find_by_symbols("dlsym");
	return real;
}

real_dlvsym_t *real_dlvsym(void)
{
	static real_dlvsym_t *real;
	KEPT(real);

	if (unlikely(!real))
		real = (real_dlvsym_t *)(uintptr_t)find_by_symbols("dlvsym");
	return real;
}

void *real_find(const char *name, const char *version)
{
	struct self *caller = current;
	void *p;

	current = NULL;
	p = version ? real_dlvsym()(RTLD_NEXT, name, version) : real_dlsym()(RTLD_NEXT, name);
	current = caller;
	return p;
}

void *real_lookup(const char *name, const char *version)
{
	void *p = real_find(name, version);

	if (!p)
		refuse("the program's libraries have no ", name,
		       "(): heddle needs a dynamically linked glibc", NULL);
	return p;
}

void *real_or(void **found, const char *name, const char *otherwise)
{
	if (unlikely(!*found))
		*found = real_find(name, NULL);
	if (unlikely(!*found))
		*found = real_lookup(otherwise, NULL);
	return *found;
}

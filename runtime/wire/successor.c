/* SPDX-License-Identifier: BSD-2-Clause */
/* successor.c - see successor.h */
#include "wire/successor.h"

#include <stdbool.h>
#include <string.h>

#include "wire/follow.h"

static const char preload[] = "LD_PRELOAD=", session[] = FOLLOW_ENV "=";
/* AddressSanitizer refuses to run with a library before its own. */
static const char asan[] = "ASAN_OPTIONS=", any_order[] = "verify_asan_link_order=0";

static size_t count(char *const *envp)
{
	size_t n = 0;

	while (envp && envp[n])
		n++;
	return n;
}

/* The value of the variable whose name, with its =, is given; "" without one. */
static const char *value_of(char *const *envp, const char *name)
{
	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, strlen(name)))
			return *envp + strlen(name);
	return "";
}

size_t successor_size(char *const *envp, const struct successor *how)
{
	return (count(envp) + 4) * sizeof(char *) + sizeof(preload) + strlen(how->library) + 1 +
	       strlen(value_of(envp, preload)) + sizeof(session) + strlen(how->session) +
	       sizeof(asan) + strlen(value_of(envp, asan)) + 1 + sizeof(any_order);
}

/* Appends text to *at, and returns where that is. */
static char *put(char **at, const char *text)
{
	char *begin = *at;
	size_t n = strlen(text);

	memcpy(begin, text, n + 1);
	*at += n;
	return begin;
}

static bool is_ours(const char *entry)
{
	return !strncmp(entry, preload, strlen(preload)) ||
	       !strncmp(entry, session, strlen(session)) || !strncmp(entry, asan, strlen(asan));
}

/* "NAME=first:old", one of them alone, or no first where it is in the old one. */
static char *put_joined(char **at, const char *name, const char *first, const char *old)
{
	char *begin = put(at, name);

	if (!strstr(old, first)) {
		put(at, first);
		if (*old)
			put(at, ":");
	}
	put(at, old);
	++*at;
	return begin;
}

char **successor_environment(char *const *envp, const struct successor *how, void *room)
{
	char **out = room, *at = (char *)(out + count(envp) + 4);
	const char *libraries = value_of(envp, preload), *options = value_of(envp, asan);
	size_t n = 0;

	for (; envp && *envp; envp++)
		if (!is_ours(*envp))
			out[n++] = *envp;
	out[n++] = put_joined(&at, preload, how->library, libraries);
	out[n++] = put_joined(&at, asan, any_order, options);
	out[n++] = put(&at, session);
	put(&at, how->session);
	out[n] = NULL;
	return out;
}

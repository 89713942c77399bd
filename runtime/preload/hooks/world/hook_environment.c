/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_environment.c - which environment variables the program looks at
 *
 * A trace has their values, or it would show its bug only where they are the same. Not those of all
 * others: traces are attached to bug reports, and environments hold passwords. What is noted is
 * the name; the controller knows the value that the process was given (confirm.c). A program that
 * reads environ by itself is not noticed.
 *
 * Only in a replay, since every bug is replayed before it is reported.
 */
/*
 * intercepts: The world outside
 *
 * deterministic getenv secure_getenv setlocale newlocale __newlocale - as libc has them; the trace of a bug
 *	records what they read of the environment, and a replay finds it again. When instrumented code calls getenv(), it
 *	is a plain read of environ
 * checked setenv putenv unsetenv clearenv - plain writes of environ, when instrumented code calls them:
 *	as POSIX has it, no thread may call getenv() or these meanwhile
 */
#include "preload/hooks/announce.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/facts/values.h"
#include "preload/hooks/world/environment.h"

enum {
	LONGEST = 256
};

/* Is the name among the first `used` bytes, each of which ends with a 0? */
static bool is_noted(const char *names, uint32_t used, const char *name)
{
	for (uint32_t at = 0; at < used; at += (uint32_t)strlen(names + at) + 1)
		if (!strcmp(names + at, name))
			return true;
	return false;
}

void environment_note(const char *name)
{
	struct environment_names *e;
	size_t size = strlen(name) + 1;
	uint32_t used;

	if (!init_active() || shared->config.mode != ENGINE_REPLAY || size == 1 || size > LONGEST ||
	    strchr(name, '='))
		return;
	e = &shared->environment;
	/* relaxed: the controller looks when the process is gone */
	used = atomic_load_explicit(&e->used, memory_order_relaxed);
	if (used > sizeof(e->name) || size > sizeof(e->name) - used ||
	    is_noted(e->name, used, name))
		return;
	memcpy(e->name + used, name, size);
	atomic_store_explicit(&e->used, used + (uint32_t)size, memory_order_relaxed);
}

/* As libc finds it, whose own functions look there as well. */
static char *find(const char *name)
{
	size_t n = strlen(name);

	environment_note(name);
	for (char **v = environ; n && v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

/* One location stands for all of the environment. */
static char *look(const char *name, uint64_t pc)
{
	if (seen(pc))
		reads(&environ, sizeof(environ), pc);
	return find(name);
}

HEDDLE_HOOK char *getenv(const char *name)
{
	return look(name, CALLER());
}

/* Programs with other privileges than their user's are not run. */
HEDDLE_HOOK char *secure_getenv(const char *name)
{
	return look(name, CALLER());
}

/* ---- What the program sets ------------------------------------------------------------------------ */

static void about_to_set(uint64_t pc)
{
	if (under_engine()) {
		values_give_up(
			"the environment or the locale is changed"); /* environ may stay what it is */
		note_hidden_state();
	}
	if (seen(pc))
		writes(&environ, sizeof(environ), pc);
}

#define SETS(name, params, args)        \
	HEDDLE_HOOK int name params     \
	{                               \
		about_to_set(CALLER()); \
		return REAL(name) args; \
	}
SETS(setenv, (const char *name, const char *value, int replace), (name, value, replace))
SETS(putenv, (char *text), (text))
SETS(unsetenv, (const char *name), (name))
SETS(clearenv, (void), ())

/* ---- Locales: the empty name is that of the environment ---------------------------------------- */

static void note_locale(const char *locale)
{
	static const char *const names[] = {
		"LC_ALL",       "LC_CTYPE",       "LC_COLLATE",        "LC_MONETARY", "LC_NUMERIC",
		"LC_TIME",      "LC_MESSAGES",    "LC_PAPER",          "LC_NAME",     "LC_ADDRESS",
		"LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION", "LANG",
	};

	if (!locale || *locale)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		environment_note(names[i]);
}

HEDDLE_HOOK char *setlocale(int category, const char *locale)
{
	values_give_up(
		"the environment or the locale is changed"); /* others depend on it that tell all they do */
	note_locale(locale);
	return REAL(setlocale)(category, locale);
}

HEDDLE_HOOK locale_t newlocale(int mask, const char *locale, locale_t base)
{
	note_locale(locale);
	return REAL(newlocale)(mask, locale, base);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__newlocale, newlocale);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdw.c - the functions of elfutils' libdw, loaded when a report first needs them
 *
 * The library stays loaded. Its soname has been the same since 2005, and every function here is
 * older than the DWARF 5 that gcc and clang write.
 */
#include "config.h"

#include "controller/elf/libdw.h"

#include <dlfcn.h>
#include <stddef.h>

#include "controller/base/message.h"
#include "controller/base/status.h"

static const char soname[] = "libdw.so.1";

static const struct {
	const char *name;
	size_t at; /* in struct libdw */
} function[] = {
#define LIBDW_ENTRY(name) { #name, offsetof(struct libdw, name) },
	LIBDW_FUNCTIONS(LIBDW_ENTRY)
};

const struct libdw *libdw_load(void)
{
	static struct libdw dw;
	static bool loaded;
	void *lib;

	if (loaded)
		return &dw;
	lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		fail(STATUS_INTERNAL, "cannot load %s, which names the places of a bug: %s", soname,
		     dlerror());
		return NULL;
	}
	for (size_t i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
		void *p = dlsym(lib, function[i].name);

		if (!p) {
			fail(STATUS_INTERNAL, "%s has no %s(): install elfutils 0.180 or later",
			     soname, function[i].name);
			return NULL;
		}
		*(void **)((char *)&dw + function[i].at) = p;
	}
	loaded = true;
	return &dw;
}

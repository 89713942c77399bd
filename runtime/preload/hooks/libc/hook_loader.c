/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_loader.c - libraries that the program loads and unloads, and the lock of the loader
 *
 * ld.so has a recursive lock, which dlopen() and dlclose() hold while constructors and destructors run. So these of two
 * threads never run at once, and who loads a library that another thread has loaded finds its constructors done. libc takes that
 * lock without a call that we see, and a constructor that comes to an operation would leave it taken: who else asks for it waits in
 * the kernel for ever. So each of these calls takes a mutex of the engine first (dlopen_lock), and then finds ld.so's lock free.
 *
 * dlsym() takes the lock as well, for a moment. While nobody comes to an operation with it, nobody can tell, and it is no
 * operation. It is one, to take the mutex and give it back, from the start of the next search on when a thread has come to an operation
 * with it, or has found it taken: as with the lock of a stream (stream.c, FACT_STREAM_HELD).
 *
 * The loader looks for a library where the caller of dlopen() has it (DT_RUNPATH), and the caller is who it returns to. That would be
 * the hook, so the hook looks in these folders itself.
 */
/*
 * intercepts: Files and descriptors
 *
 * undone dlopen dlclose - libraries are loaded, and unloaded, anew in each execution; who does so first is explored, while the
 *	others wait until constructors and destructors have run
 */
#include "preload/hooks/hook.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "engine/engine.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/facts/needs.h"
#include "preload/hooks/libc/loader.h"
#include "preload/hooks/libc/stream_lock.h"
#include "preload/image/entered.h"

/* ---- The lock ------------------------------------------------------------------------------------- */

/* A mutex of the engine; taken at the root point if a constructor creates the first thread. */
static HEDDLE_IMAGE_SELDOM struct stream_lock dlopen_lock = { 0 };
static HEDDLE_IMAGE_SELDOM uint64_t taken_at = 0; /* so many operations had been done by then */

static void take(uint64_t pc)
{
	if (!dlopen_lock.taken || !stream_is_mine(&dlopen_lock)) {
		if (under_engine())
			object_op(OP_LOCK, &dlopen_lock, pc);
		dlopen_lock.owner = __builtin_thread_pointer();
		dlopen_lock.taken = 1;
		if (under_engine())
			taken_at = engine_progress(engine);
		else
			modules_root_in_loader = true;
	}
	dlopen_lock.depth++;
}

static void give_back(uint64_t pc)
{
	if (--dlopen_lock.depth)
		return;
	/* Threads are switched in operations only: nobody else has done any unless the thread did. */
	if (under_engine() && engine_progress(engine) != taken_at)
		stream_explore(&dlopen_lock);
	if (under_engine())
		object_op(OP_UNLOCK, &dlopen_lock,
			  pc); /* which may be the first to ask what it was */
	else
		modules_root_in_loader = false;
	dlopen_lock.taken = 0;
	dlopen_lock.owner = NULL;
}

void loader_asked(uint64_t pc)
{
	if (!under_engine() || (dlopen_lock.taken && stream_is_mine(&dlopen_lock)))
		return;
	if (!stream_explored(&dlopen_lock)) {
		if (!dlopen_lock.taken)
			return;
		stream_explore(&dlopen_lock);
	}
	note_hidden_state();
	object_op(OP_LOCK, &dlopen_lock, pc);
	object_op(OP_UNLOCK, &dlopen_lock, pc);
}

/* ---- Where it looks -------------------------------------------------------------------------------- */

enum {
	FOLDERS =
		1
		<< 13 /* bytes of what is known of the folders; where they take more, those of the caller are not looked at */
};

/* Where libraries for the module are looked for, but for ld.so.cache; NULL: unknown. */
static const Dl_serinfo *folders_of(const void *in_module, void *room)
{
	Dl_serinfo *info = room;
	Dl_serinfo size;
	struct link_map *map;
	Dl_info about;

	if (!dladdr1(in_module, &about, (void **)&map, RTLD_DL_LINKMAP) ||
	    dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0 || size.dls_size > FOLDERS)
		return NULL;
	memcpy(info, &size, offsetof(Dl_serinfo, dls_serpath));
	return dlinfo(map, RTLD_DI_SERINFO, info) == 0 ? info : NULL;
}

static bool is_there(const char *folder, const char *name, char path[PATH_MAX])
{
	struct text t = text_in(path, PATH_MAX);

	if (strlen(folder) + strlen(name) + 2 > PATH_MAX)
		return false;
	text_str(&t, folder);
	text_str(&t, "/");
	text_str(&t, name);
	return sys3(SYS_access, (long)path, R_OK, 0) == 0;
}

/* $ORIGIN is the folder of the module that calls. */
static const char *from_origin(uint64_t caller, const char *name, char path[PATH_MAX])
{
	char folder[PATH_MAX];
	struct link_map *map;
	Dl_info about;

	name += name[1] == '{' ? strlen("${ORIGIN}/") : strlen("$ORIGIN/");
	if (!dladdr1((const void *)caller, &about, (void **)&map, RTLD_DL_LINKMAP) ||
	    dlinfo(map, RTLD_DI_ORIGIN, folder) != 0)
		return name;
	is_there(folder, name, path);
	return path;
}

/* The library of that name that the caller finds, and the hook would not; else the name. */
static const char *found_by(uint64_t caller, const char *name, char path[PATH_MAX])
{
	_Alignas(Dl_serinfo) char room[2][FOLDERS];
	const Dl_serinfo *its, *ours;
	uint32_t n, same = 0;

	if (name && (!strncmp(name, "$ORIGIN/", 8) || !strncmp(name, "${ORIGIN}/", 10)))
		return from_origin(caller, name, path);
	if (!name || strchr(name, '/') || !*name)
		return name;
	its = folders_of((const void *)caller, room[0]);
	ours = folders_of(&dlopen_lock, room[1]);
	if (!its || !ours)
		return name;
	/* Those at the end are where everybody looks, behind the cache. */
	for (n = its->dls_cnt; n && same < ours->dls_cnt; n--, same++)
		if (strcmp(its->dls_serpath[n - 1].dls_name,
			   ours->dls_serpath[ours->dls_cnt - 1 - same].dls_name) != 0)
			break;
	for (uint32_t i = 0; i < n; i++)
		if (is_there(its->dls_serpath[i].dls_name, name, path))
			return path;
	return name;
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

static void about_to_change(const char *what)
{
	note_hidden_state(); /* what is loaded, and how often */
	needs_fork_of_memory(what);
}

HEDDLE_HOOK void *dlopen(const char *name, int mode)
{
	const uint64_t pc = CALLER();
	char path[PATH_MAX];
	void *handle;

	if (under_engine()) {
		about_to_change("loads a library");
		modules_load();
	}
	take(pc);
	entered_is_in |= under_engine();
	handle = REAL(dlopen)(found_by(pc, name, path), mode);
	give_back(pc);
	return handle;
}

/* What is mapped no more cannot be put back. */
HEDDLE_HOOK int dlclose(void *handle)
{
	const uint64_t pc = CALLER();
	int error;

	if (under_engine())
		about_to_change("unloads a library");
	take(pc);
	error = REAL(dlclose)(handle);
	give_back(pc);
	return error;
}

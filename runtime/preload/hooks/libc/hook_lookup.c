/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_lookup.c - functions that the program looks for by their names
 *
 * Who asks libc.so.6 for pthread_mutex_lock(), or a library for the next one behind its own, would get a function that
 * ours stands in front of, and call that unseen. So where libc finds the one that ours stands in front of, it is ours
 * that the program gets. All else is libc's to say: it is jumped to, so that it finds the program's return address,
 * by which it knows what is behind the caller (RTLD_NEXT).
 *
 * A library that has such a function itself, and asks for the next one, gets that of libc: ours may call the library's.
 */
/*
 * intercepts: Libraries
 *
 * checked dlsym dlvsym - a function of this list is found as it is called by name; all others are looked for as ever
 */
#include "preload/hooks/hook.h"

#include <dlfcn.h>
#include <link.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/code/imports.h"
#include "preload/code/modules.h"
#include "preload/code/real.h"
#include "preload/core/context.h"
#include "preload/hooks/libc/loader.h"

/* next: whom to ask; NULL: it is known what is found. */
struct lookup {
	void *next, *found;
};

struct own_search {
	const char *name;
	void *found;
};

static int look_in_ours(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct own_search *s = arg;

	(void)size;
	if (!in_runtime(info->dlpi_addr))
		return 0;
	s->found = module_defines(info, s->name);
	return 1;
}

/* Ours of that name; or NULL. */
static void *own_function(const char *name)
{
	struct own_search s = { .name = name };

	dl_iterate_phdr(look_in_ours, &s);
	return s.found;
}

/* What is behind the caller, in the order in which modules were loaded. */
struct next_search {
	const char *name;
	uint64_t caller, real;
	bool past_ours, past_caller, past_real, is_real;
};

static int look_behind(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct next_search *s = arg;
	const bool has_real = module_has(info, s->real);

	(void)size;
	if (s->past_caller && module_defines(info, s->name)) {
		s->is_real = has_real;
		s->past_real = false;
		return 1;
	}
	s->past_ours |= in_runtime(info->dlpi_addr);
	if (module_has(info, s->caller)) {
		s->past_caller = true;
		return !s->past_ours || has_real;
	}
	s->past_real |= has_real;
	return 0;
}

/*
 * Is what ours stands in front of the next one behind the caller? Of a library that was loaded later nothing comes behind it
 * but what was loaded with it, and then those that it shares with the program.
 */
static bool comes_next(const char *name, const char *version, uint64_t caller)
{
	struct next_search s = {
		.name = name,
		.caller = caller,
		.real = (uint64_t)(uintptr_t)real_find(name, version),
	};

	if (!s.real)
		return false;
	dl_iterate_phdr(look_behind, &s);
	return s.past_ours && s.past_caller && (s.is_real || s.past_real);
}

static bool is_what_ours_hides(void *found, const char *name, const char *version)
{
	void *real = found ? real_find(name, version) : NULL;

	if (found && !real)
		dlerror(); /* that was our question */
	return found && found == real;
}

static struct lookup lookup(void *handle, const char *name, const char *version, uint64_t caller)
{
	void *next = version ? (void *)(uintptr_t)real_dlvsym() : (void *)(uintptr_t)real_dlsym();
	struct lookup as_ever = { .next = next }, l = { .next = NULL };
	void *own;

	if (in_runtime(caller))
		return as_ever;
	loader_asked(caller);
	if (!rooted)
		program_asked(name);
	own = own_function(name);
	if (!own || (handle == RTLD_DEFAULT && !version))
		return as_ever;
	if (handle == RTLD_NEXT) {
		l.found = own;
		return comes_next(name, version, caller) ? l : as_ever;
	}
	l.found = version ? real_dlvsym()(handle, name, version) : real_dlsym()(handle, name);
	if (is_what_ours_hides(l.found, name, version))
		l.found = own;
	else if (handle == RTLD_DEFAULT)
		return as_ever;
	return l;
}

ENTERED static struct lookup lookup_plain(void *handle, const char *name, const void *unused,
					  uint64_t caller)
{
	(void)unused;
	return lookup(handle, name, NULL, caller);
}

ENTERED static struct lookup lookup_versioned(void *handle, const char *name, const char *version,
					      uint64_t caller)
{
	return lookup(handle, name, version, caller);
}

/* The function is asked first, with where the call returns to. */
#define LOOKUP(name, first)                                \
	__asm__(".text\n"                                  \
		".p2align 4\n.globl " #name "\n"           \
		".type " #name ", @function\n" #name ":\n" \
		".cfi_startproc\n"                         \
		"	pushq %rdi\n.cfi_adjust_cfa_offset 8\n"  \
		"	pushq %rsi\n.cfi_adjust_cfa_offset 8\n"  \
		"	pushq %rdx\n.cfi_adjust_cfa_offset 8\n"  \
		"	movq 24(%rsp), %rcx\n"                   \
		"	call " #first "\n"                 \
		"	movq %rdx, %rcx\n"                       \
		"	popq %rdx\n.cfi_adjust_cfa_offset -8\n"  \
		"	popq %rsi\n.cfi_adjust_cfa_offset -8\n"  \
		"	popq %rdi\n.cfi_adjust_cfa_offset -8\n"  \
		"	testq %rax, %rax\n"                      \
		"	jz 1f\n"                                 \
		"	jmp *%rax\n"                             \
		"1:	movq %rcx, %rax\n"                     \
		"	ret\n"                                   \
		".cfi_endproc\n"                           \
		".size " #name ", .-" #name "\n")

LOOKUP(dlsym, lookup_plain);
LOOKUP(dlvsym, lookup_versioned);

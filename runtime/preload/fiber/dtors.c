/* SPDX-License-Identifier: BSD-2-Clause */
/* dtors.c - destructors of C++ thread_local objects */
/*
 * intercepts: Thread-specific data
 *
 * internal __cxa_thread_atexit_impl - destructors of thread_local objects run at the end
 *	of their thread
 */
#include "preload/fiber/dtors.h"

#include "preload/code/real.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"

enum {
	MAX_DTORS = 4096
};

struct dtor {
	void (*fn)(void *);
	void *obj;
	struct dtor *older;
};

/* Those registered before the root point stay below dtors_kept. */
static struct dtor dtor_pool[MAX_DTORS];
KEPT(dtor_pool);
static uint32_t dtors_used, dtors_kept;
static struct dtor *main_dtors;

/*
 * Registers the destructor of a thread_local object of the calling thread (called by the
 * code compilers emit; libc runs them for real threads, we for fibers).
 */
int __cxa_thread_atexit_impl(void (*fn)(void *), void *obj, void *dso);

HEDDLE_HOOK int __cxa_thread_atexit_impl(void (*fn)(void *), void *obj, void *dso)
{
	struct fiber *f = current ? fiber_self() : &fibers[0];

	(void)dso;
	if (!shared)
		return REAL(__cxa_thread_atexit_impl)(fn, obj, dso);
	if (dtors_used == MAX_DTORS)
		refuse("more than 4096 thread_local objects with destructors in one execution: make the program smaller",
		       NULL);
	dtor_pool[dtors_used] = (struct dtor){ .fn = fn, .obj = obj, .older = f->dtors };
	f->dtors = &dtor_pool[dtors_used++];
	return 0;
}

void run_thread_local_dtors(void)
{
	struct fiber *f = current ? fiber_self() : &fibers[0];
	struct dtor *d;

	while ((d = f->dtors) != NULL) {
		f->dtors = d->older;
		d->fn(d->obj);
	}
}

static void dtors_root(void)
{
	dtors_kept = dtors_used;
	main_dtors = fibers[0].dtors;
}

AT_ROOT(dtors_root);

static void dtors_begin(void)
{
	dtors_used = dtors_kept;
	fibers[0].dtors = main_dtors;
}

AT_BEGIN(dtors_begin);

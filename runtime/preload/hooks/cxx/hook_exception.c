/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_exception.c - who is the last to let go of a C++ exception
 *
 * An exception that std::exception_ptr points to, as promises, tasks and futures hand them on, belongs to
 * all who point to it or handle it, in any thread. Whoever lets go of it last destroys it. The count of
 * them is in libstdc++, which is not instrumented, and orders what the others did with the
 * exception before its destructor; without that order the end of each exception that went from
 * thread to thread was a data race. So letting go is an operation of the engine: a
 * read-modify-write of a number of our own, beside the library's count, which the library then
 * counts down. There is none where an exception was never shared, nor where it is certain that the
 * thread is not the last: while it handles that exception itself, or has thrown it again.
 *
 * Our number and a mark are in the bytes between the count and what follows it at a multiple of
 * 16 (Itanium C++ ABI; libstdc++'s unwind-cxx.h). The library clears them when it makes an exception.
 */
/*
 * intercepts: Memory
 *
 * explored __cxa_end_catch std::exception_ptr=_ZNSt15__exception_ptr13exception_ptr*
 *	- who lets go of an exception last and destroys it, when several threads have it
 * ignored __cxa_begin_catch std::rethrow_exception=_ZSt17rethrow_exception* - but for that
 */
#include "preload/hooks/hook.h"

#include <unwind.h>

#include "preload/access/atomic.h"

/* In front of what was thrown. */
struct exception_head {
	int count;  /* libstdc++'s */
	int shared; /* an exception_ptr has pointed to it */
	int gone;   /* our number: how many have let go of it */
};

/* What a thread handles, latest first; on top of a stack in struct globals. */
struct handled {
	void *type_or_primary; /* what it stands for, if another one was thrown again */
	void *unused[3];
	struct handled *next;
	int handlers;
	int unused_int;
	void *unused_too[4];
	struct _Unwind_Exception unwind;
};

struct globals {
	struct handled *top;
};

static const uint64_t class_of_gxx = 0x474e5543432b2b00; /* "GNUCC++\0"; \1: thrown again */

static struct exception_head *head_of(const void *object)
{
	enum {
		HEAD = 16 /* bytes of it */
	};

	return (struct exception_head *)((uintptr_t)object - sizeof(struct handled) - HEAD);
}

static void lets_go(const void *object, uint64_t pc)
{
	struct op op = {
		.kind = OP_RMW,
		.fn = RMW_ADD,
		.order = ORDER_ACQ_REL,
		.size = sizeof(int),
		.addr = (uint64_t)(uintptr_t)&head_of(object)->gone,
		.pc = pc,
		.arg = value_of(1),
	};
	struct op_result res;

	atomic_op(&op, &res);
}

/* What each thread has thrown again and not caught yet. */
static HEDDLE_IMAGE_SELDOM const void *thrown_again[HEDDLE_MAX_THREADS] = { NULL };

static bool of_gxx(const struct handled *h)
{
	return (h->unwind.exception_class & ~0xfful) == class_of_gxx;
}

static const void *object_of(const struct handled *h)
{
	return h->unwind.exception_class == class_of_gxx ? h + 1 : h->type_or_primary;
}

struct globals *__cxa_get_globals(void);
void *__cxa_begin_catch(void *unwind);
void __cxa_end_catch(void);

/* Whatever of it goes now, the thread has more. */
static bool has_more(const void *object)
{
	const struct handled *h = REAL(__cxa_get_globals)()->top;

	while (h && of_gxx(h) && object_of(h) != object)
		h = h->next;
	return thrown_again[self_id()] == object || (h && of_gxx(h));
}

/* What the end of the caller's handler lets go of, if others may have it; or NULL. */
static const void *handled_to_its_end(void)
{
	const struct handled *h = REAL(__cxa_get_globals)()->top;

	if (!h || !of_gxx(h) || h->handlers != 1 || !head_of(object_of(h))->shared)
		return NULL;
	return object_of(h);
}

HEDDLE_HOOK void *__cxa_begin_catch(void *unwind)
{
	const struct handled *h =
		(const struct handled *)((struct _Unwind_Exception *)unwind + 1) - 1;

	if (under_engine() && of_gxx(h) && object_of(h) == thrown_again[self_id()])
		thrown_again[self_id()] = NULL;
	return REAL(__cxa_begin_catch)(unwind);
}

HEDDLE_HOOK void __cxa_end_catch(void)
{
	const void *object = under_engine() ? handled_to_its_end() : NULL;

	if (object)
		lets_go(object, CALLER());
	REAL(__cxa_end_catch)();
}

/* exception_ptr::_M_addref() and _M_release() */
struct exception_ptr {
	const void *object;
};

void addref(struct exception_ptr *p) __asm__("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
HEDDLE_HOOK void addref(struct exception_ptr *p)
{
	if (p->object)
		head_of(p->object)->shared = 1;
	REAL_BY_NAME(addref, "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv")(p);
}

void release(struct exception_ptr *p) __asm__(
	"_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
HEDDLE_HOOK void release(struct exception_ptr *p)
{
	if (under_engine() && p->object && !has_more(p->object))
		lets_go(p->object, CALLER());
	REAL_BY_NAME(release, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv")(p);
}

/* The argument is passed by reference, as it has a destructor, which runs when this leaves. */
void rethrow(struct exception_ptr *p) __asm__(
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
HEDDLE_HOOK void rethrow(struct exception_ptr *p)
{
	if (under_engine())
		thrown_again[self_id()] = p->object;
	REAL_BY_NAME(rethrow, "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE")(p);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_new.c - operator new and operator delete, in all their forms
 *
 * The C++ library's own would do: they call malloc() and free(). These know who called, for
 * reports, and that new and delete belong together, as new[] and delete[] do. A program that
 * defines its own has them called instead.
 *
 * When memory runs out the C++ library's operator is called, which calls the handler and throws.
 */
/*
 * intercepts: Memory
 *
 * checked operator_new=_Znw* operator_new[]=_Zna* operator_delete=_Zdl*
 *	operator_delete[]=_Zda* - as malloc() and free(); new, new[] and malloc() each have
 *	a way of freeing of their own. A program that defines its own operators has those
 *	called
 */
#include "preload/hooks/hook.h"

#include "preload/access/heap_free.h"
#include "preload/core/active.h"
#include "preload/memory/heap.h"

/* nothrow_t and align_val_t as the calling convention has them. */
struct nothrow;
typedef uint64_t align_val;

#define NEW(name, params, args, size, align, family)                                          \
	void *name params;                                                                    \
	HEDDLE_HOOK void *name params                                                         \
	{                                                                                     \
		void *p = init_our_heap() ? heap_alloc(size, align, family, CALLER()) : NULL; \
                                                                                              \
		return p ? p : REAL(name) args;                                               \
	}

#define DELETE(name, params, args, p, family)           \
	void name params;                               \
	HEDDLE_HOOK void name params                    \
	{                                               \
		if (init_our_heap())                    \
			heap_free(p, family, CALLER()); \
		else                                    \
			REAL(name) args;                \
	}

#define FAMILY(new, delete, family)                                                             \
	NEW(new##m, (uint64_t n), (n), n, 16, family)                                           \
	NEW(new##mRKSt9nothrow_t, (uint64_t n, const struct nothrow *t), (n, t), n, 16, family) \
	NEW(new##mSt11align_val_t, (uint64_t n, align_val a), (n, a), n, a, family)             \
	NEW(new##mSt11align_val_tRKSt9nothrow_t,                                                \
	    (uint64_t n, align_val a, const struct nothrow *t), (n, a, t), n, a, family)        \
	DELETE(delete##Pv, (void *p), (p), p, family)                                           \
	DELETE(delete##Pvm, (void *p, uint64_t n), (p, n), p, family)                           \
	DELETE(delete##PvRKSt9nothrow_t, (void *p, const struct nothrow *t), (p, t), p, family) \
	DELETE(delete##PvSt11align_val_t, (void *p, align_val a), (p, a), p, family)            \
	DELETE(delete##PvmSt11align_val_t, (void *p, uint64_t n, align_val a), (p, n, a), p,    \
	       family)                                                                          \
	DELETE(delete##PvSt11align_val_tRKSt9nothrow_t,                                         \
	       (void *p, align_val a, const struct nothrow *t), (p, a, t), p, family)

FAMILY(_Znw, _Zdl, HEAP_NEW)
FAMILY(_Zna, _Zda, HEAP_ARRAY)

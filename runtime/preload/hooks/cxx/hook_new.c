/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_new.c - operator new and operator delete, in all their forms
 *
 * The C++ library's own would do: they call malloc() and free(). These know who called, for
 * reports, and that new and delete belong together, as new[] and delete[] do. A program that
 * defines its own has them called instead. It need not define all: libstdc++'s new[] calls new, and what takes nothrow or
 * a size calls what does not, whoever that is of. So where the program has one of these, libstdc++'s are called.
 *
 * When memory runs out the C++ library's operator is called, which calls the handler and throws.
 */
/*
 * intercepts: Memory
 *
 * checked operator_new=_Znw* operator_new[]=_Zna* operator_delete=_Zdl*
 *	operator_delete[]=_Zda* - as malloc() and free(); new, new[] and malloc() each have
 *	a way of freeing of their own. A program that defines its own operators has those
 *	called, also by the forms that come to them
 */
#include "preload/hooks/hook.h"

#include "preload/access/heap_free.h"
#include "preload/core/active.h"
#include "preload/memory/heap.h"

/* nothrow_t and align_val_t as the calling convention has them. */
struct nothrow;
typedef uint64_t align_val;

/* Those that the others come to. */
void *_Znwm(uint64_t n);
void *_Znam(uint64_t n);
void *_ZnwmSt11align_val_t(uint64_t n, align_val a);
void *_ZnamSt11align_val_t(uint64_t n, align_val a);
void _ZdlPv(void *p);
void _ZdaPv(void *p);
void _ZdlPvSt11align_val_t(void *p, align_val a);
void _ZdaPvSt11align_val_t(void *p, align_val a);

/* What the dynamic linker makes of the name: ours, if the program has none. */
#define LOOKED_UP(name)                                                                         \
	extern __typeof__(name) own_##name __attribute__((alias(#name), visibility("hidden"))); \
	static void *const volatile found_##name = (void *)name

LOOKED_UP(_Znwm);
LOOKED_UP(_Znam);
LOOKED_UP(_ZnwmSt11align_val_t);
LOOKED_UP(_ZnamSt11align_val_t);
LOOKED_UP(_ZdlPv);
LOOKED_UP(_ZdaPv);
LOOKED_UP(_ZdlPvSt11align_val_t);
LOOKED_UP(_ZdaPvSt11align_val_t);

#define IS_THEIRS(name) unlikely(found_##name != (void *)own_##name)

/* Passes: does libstdc++'s come to one that the program has? */
#define NEW(name, params, args, size, align, family, passes)                                       \
	void *name params;                                                                         \
	HEDDLE_HOOK void *name params                                                              \
	{                                                                                          \
		void *p = init_our_heap() && !(passes) ? heap_alloc(size, align, family, CALLER()) \
						       : NULL;                                     \
                                                                                                   \
		return p ? p : REAL(name) args;                                                    \
	}

#define DELETE(name, params, args, p, family, passes)   \
	void name params;                               \
	HEDDLE_HOOK void name params                    \
	{                                               \
		if (init_our_heap() && !(passes))       \
			heap_free(p, family, CALLER()); \
		else                                    \
			REAL(name) args;                \
	}

/* first: what the plain form passes on to; any: what others do. */
#define FAMILY(new, delete, family, first, any)                                                 \
	NEW(new##m, (uint64_t n), (n), n, 16, family, first(_Znwm))                             \
	NEW(new##mRKSt9nothrow_t, (uint64_t n, const struct nothrow *t), (n, t), n, 16, family, \
	    any(_Znwm, _Znam))                                                                  \
	NEW(new##mSt11align_val_t, (uint64_t n, align_val a), (n, a), n, a, family,             \
	    first(_ZnwmSt11align_val_t))                                                        \
	NEW(new##mSt11align_val_tRKSt9nothrow_t,                                                \
	    (uint64_t n, align_val a, const struct nothrow *t), (n, a, t), n, a, family,        \
	    any(_ZnwmSt11align_val_t, _ZnamSt11align_val_t))                                    \
	DELETE(delete##Pv, (void *p), (p), p, family, first(_ZdlPv))                            \
	DELETE(delete##Pvm, (void *p, uint64_t n), (p, n), p, family, any(_ZdlPv, _ZdaPv))      \
	DELETE(delete##PvRKSt9nothrow_t, (void *p, const struct nothrow *t), (p, t), p, family, \
	       any(_ZdlPv, _ZdaPv))                                                             \
	DELETE(delete##PvSt11align_val_t, (void *p, align_val a), (p, a), p, family,            \
	       first(_ZdlPvSt11align_val_t))                                                    \
	DELETE(delete##PvmSt11align_val_t, (void *p, uint64_t n, align_val a), (p, n, a), p,    \
	       family, any(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t))                       \
	DELETE(delete##PvSt11align_val_tRKSt9nothrow_t,                                         \
	       (void *p, align_val a, const struct nothrow *t), (p, a, t), p, family,           \
	       any(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t))

/* Of one object none passes on to the form for arrays. */
#define NOWHERE(one)       false
#define TO_ONE(one, array) IS_THEIRS(one)
FAMILY(_Znw, _Zdl, HEAP_NEW, NOWHERE, TO_ONE)

#define TO_PLAIN(one)         IS_THEIRS(one)
#define TO_EITHER(one, array) (IS_THEIRS(one) || IS_THEIRS(array))
FAMILY(_Zna, _Zda, HEAP_ARRAY, TO_PLAIN, TO_EITHER)

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook.h - what every hook of the program's calls begins with
 *
 * A hook of an operation looks like this; operate() settles a pending plain store first:
 *
 *	HEDDLE_HOOK int pthread_mutex_unlock(pthread_mutex_t *m)
 *	{
 *		uint64_t pc = CALLER();
 *
 *		if (!under_engine())
 *			return native_unlock(m);
 *		return object_op(OP_UNLOCK, (uint64_t)m, pc).wrote ? 0 : EPERM;
 *	}
 *
 * Hooks that perform no operation call settle() when they look at the program's memory.
 */
#ifndef HEDDLE_PRELOAD_HOOK_H
#define HEDDLE_PRELOAD_HOOK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* so it is the first include of each hook_*.c */
#endif

#include "preload/access/promote.h"
#include "preload/access/shadow_atomic.h"
#include "preload/access/shadow_plain.h"
#include "preload/core/kin.h"
#include "preload/core/refuse.h"
#include "preload/core/touch.h"
#include "preload/core/wipe.h"
#include "preload/race/shadow.h"
#include "preload/report/report.h"
#include "preload/step/perform.h"

#define likely(x) __builtin_expect(!!(x), 1)

/* An operation on a library object, by the program at pc. */
static inline struct op_result object_op(enum op_kind kind, const volatile void *object,
					 uint64_t pc)
{
	struct op op = { .kind = kind, .addr = (uint64_t)(uintptr_t)object, .pc = pc };
	struct op_result res;

	operate(&op, &res);
	return res;
}

/* A call that heddle does not know how to explore: ends the program, naming the cure. */
#define NOT_YET(call, cure) refuse(call, " is not supported yet: ", cure, NULL)

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native_annotate.c - what programs call by hand when they know they run under ThreadSanitizer
 *
 * Such programs test __SANITIZE_THREAD__ or __has_feature(thread_sanitizer), which are true
 * under heddle-cc, and call the functions of <sanitizer/tsan_interface.h> or the older
 * dynamic annotations. They must link, and natively they mean nothing. Arguments are left
 * out: the C calling convention lets the callee ignore them.
 */
/*
 * intercepts: Annotations for ThreadSanitizer
 *
 * ignored Annotate* __tsan_acquire __tsan_release __tsan_mutex_* __tsan_external_*
 *	__tsan_flush_memory - what they tell, heddle sees by itself
 * ignored __tsan_create_fiber __tsan_destroy_fiber __tsan_switch_to_fiber
 *	__tsan_get_current_fiber __tsan_set_fiber_name - nothing is done for fibers of the
 *	program's own
 */
#include "native.h"

#include <stddef.h>

#define NOTHING(name)            \
	NATIVE(void, name, void) \
	{                        \
	}

#define NULL_RESULT(name)          \
	NATIVE(void *, name, void) \
	{                          \
		return NULL;       \
	}

NOTHING(__tsan_acquire)
NOTHING(__tsan_release)
NOTHING(__tsan_mutex_create)
NOTHING(__tsan_mutex_destroy)
NOTHING(__tsan_mutex_pre_lock)
NOTHING(__tsan_mutex_post_lock)
NULL_RESULT(__tsan_mutex_pre_unlock) /* in truth an int */
NOTHING(__tsan_mutex_post_unlock)
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_mutex_post_signal)
NOTHING(__tsan_mutex_pre_divert)
NOTHING(__tsan_mutex_post_divert)
NULL_RESULT(__tsan_external_register_tag)
NOTHING(__tsan_external_register_header)
NOTHING(__tsan_external_assign_tag)
NOTHING(__tsan_external_read)
NOTHING(__tsan_external_write)
NULL_RESULT(__tsan_get_current_fiber)
NULL_RESULT(__tsan_create_fiber)
NOTHING(__tsan_destroy_fiber)
NOTHING(__tsan_switch_to_fiber)
NOTHING(__tsan_set_fiber_name)
NOTHING(__tsan_flush_memory)

NOTHING(AnnotateHappensBefore)
NOTHING(AnnotateHappensAfter)
NOTHING(AnnotateCondVarSignal)
NOTHING(AnnotateCondVarSignalAll)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateRWLockCreate)
NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateRWLockDestroy)
NOTHING(AnnotateRWLockAcquired)
NOTHING(AnnotateRWLockReleased)
NOTHING(AnnotateBenignRace)
NOTHING(AnnotateBenignRaceSized)
NOTHING(AnnotateIgnoreReadsBegin)
NOTHING(AnnotateIgnoreReadsEnd)
NOTHING(AnnotateIgnoreWritesBegin)
NOTHING(AnnotateIgnoreWritesEnd)
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotateThreadName)
NOTHING(AnnotateTraceMemory)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)

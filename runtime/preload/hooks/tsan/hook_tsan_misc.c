/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_tsan_misc.c - the rest of the ThreadSanitizer interface that compilers call, and
 * what the core calls when executions begin
 */
/*
 * intercepts: Plain accesses
 *
 * internal __tsan_init - tells that a file was instrumented
 * ignored __tsan_func_entry __tsan_func_exit - call stacks come from the unwinder
 * ignored __tsan_ignore_thread_begin __tsan_ignore_thread_end - heddle looks at everything
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/hooks.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/ready.h"
#include "preload/hooks/signal/interrupt.h"
#include "preload/hooks/signal/sent.h"
#include "preload/hooks/sync/mutex.h"
#include "preload/hooks/world/process.h"
#include "preload/image/unseen.h"
#include "preload/report/racereport.h"
#include "preload/step/explored.h"

bool tsan_seen;

/* Called by a constructor of every instrumented file. */
HEDDLE_HOOK void __tsan_init(void)
{
	tsan_seen = true;
	if (rooted)
		memory_modules(); /* one was loaded */
}

/* Call stacks come from libunwind: these need to do nothing. */
HEDDLE_HOOK void __tsan_func_entry(void *pc)
{
	(void)pc;
}

HEDDLE_HOOK void __tsan_func_exit(void)
{
}

/* Around code that ThreadSanitizer is not to look at; heddle looks at everything. */
HEDDLE_HOOK void __tsan_ignore_thread_begin(void)
{
}

HEDDLE_HOOK void __tsan_ignore_thread_end(void)
{
}

/* ---- Called by the core ----------------------------------------------------------------- */

void hooks_root(void)
{
	shadow_init();
	keys_root();
	joins_root();
	cancel_root();
	sent_root();
	words_root();
	unwinder_root();
	memory_root();
	string_root();
	unseen_root();
	atomic_store_explicit(&shared->uninstrumented, !tsan_seen, memory_order_relaxed);
}

void hooks_begin_execution(void)
{
	pending_store.size = 0;
	shadow_begin_execution();
	watch_begin_execution();
	explored_begin();
	interrupts_begin();
	unseen_begin();
	process_begin_execution();
	futex_begin_execution();
	yields_begin();
}

void hooks_id_again(uint32_t tid)
{
	keys_id_again(tid);
	words_id_again(tid);
	timeouts_id_again(tid);
	cancel_id_again(tid);
	cas_id_again(tid);
}

void hooks_thread_created(uint32_t tid)
{
	sent_thread_created(tid);
	futex_thread_created(tid);
}

void hooks_thread_started(uint32_t tid)
{
	random_thread_started(tid);
	time_thread_started(tid);
}

struct value hooks_object_initial(uint64_t addr, enum op_kind kind)
{
	switch (kind) {
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
		return value_of(mutex_native_state(addr));
	case OP_ONCE_ENTER:
	case OP_ONCE_DONE:
		return value_of(once_native_state(addr));
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_LOAD: /* sem_getvalue() */
		return value_of(sem_native_state(addr));
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
		return value_of(rwlock_native_state(addr));
	case OP_BARRIER_ARRIVE:
		return value_of(barrier_native_state(addr));
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_COUNT_CLOSE:
	case OP_COUNT_OPEN:
	case OP_COUNT_LOOK:
	case OP_COUNT_AWAIT:
		return value_of(channel_native_state(addr));
	case OP_READY_TAKE:
	case OP_READY_TRYTAKE:
	case OP_READY_LOCK:
	case OP_READY_MARK:
	case OP_READY_RELEASE:
		return ready_native_state(addr);
	default:
		return value_of(0);
	}
}

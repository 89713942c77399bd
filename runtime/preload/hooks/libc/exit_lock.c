/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exit_lock.c - of the threads that call exit(), one runs the handlers and ends the process
 *
 * Another one that calls exit() or quick_exit() meanwhile waits until the process has ended (POSIX.1-2024, and glibc since 2.41). An older
 * libc, called again, finds no handlers left, and ends the process while they run.
 *
 * Who comes first is explored. As long as nobody comes second the lock is no operation, as that of a stream (stream.c, FACT_STREAM_HELD).
 */
#include "preload/hooks/hook.h"

#include "preload/core/lifecycle.h"
#include "preload/hooks/libc/stream_lock.h"
#include "preload/hooks/thread/exit.h"

static HEDDLE_IMAGE_SELDOM struct stream_lock exit_lock = { 0 };

static void lock_exit(uint64_t pc)
{
	if (stream_is_mine(&exit_lock))
		return; /* a handler exits */
	if (exit_lock.taken)
		stream_explore(&exit_lock);
	if (exit_lock.taken || stream_explored(&exit_lock))
		object_op(OP_LOCK, &exit_lock, pc);
	exit_lock.owner = __builtin_thread_pointer();
	exit_lock.taken = 1;
}

static void exit_lock_root(void)
{
	wait_for_who_exits = lock_exit;
}

AT_ROOT(exit_lock_root);

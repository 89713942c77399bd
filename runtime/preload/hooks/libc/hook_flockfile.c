/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_flockfile.c - streams that the program locks itself
 *
 * What a thread does until funlockfile() may be operations, so the lock is explored (stream.c) from the first flockfile()
 * on.
 */
/*
 * intercepts: Streams
 *
 * explored flockfile _IO_flockfile funlockfile _IO_funlockfile ftrylockfile _IO_ftrylockfile - the recursive lock of a stream: who gets it next, and
 *	both outcomes of a try. All calls that lock the stream (putc() to setvbuf(), of those in this table) take
 *	it, too. To unlock what another thread has is lock-misuse
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <stdio.h>

#include "preload/hooks/libc/stream_lock.h"
#include "preload/hooks/world/timeout.h"

/* That of the stream, explored; libc is about to change it. */
static struct stream_lock *lock_of(FILE *f)
{
	struct stream_lock *l;

	touch_to_write(f);
	l = f->_lock;
	if (!stream_is_mine(l))
		stream_explore(l);
	return l;
}

static void changes(struct stream_lock *l)
{
	note_plain_write((uintptr_t)l, sizeof(*l));
}

HEDDLE_HOOK void flockfile(FILE *f)
{
	struct stream_lock *l;

	if (under_engine()) {
		l = lock_of(f);
		if (!stream_is_mine(l))
			object_op(OP_LOCK, l, CALLER());
		changes(l);
	}
	REAL(flockfile)(f);
}

HEDDLE_HOOK int ftrylockfile(FILE *f)
{
	struct stream_lock *l;

	if (under_engine()) {
		l = lock_of(f);
		if (!stream_is_mine(l) && !object_op(OP_TRYLOCK, l, CALLER()).wrote) {
			try_failed(l, CALLER());
			return EBUSY;
		}
		changes(l);
	}
	return REAL(ftrylockfile)(f);
}

HEDDLE_HOOK void funlockfile(FILE *f)
{
	struct stream_lock *l;
	bool last;

	if (!under_engine()) {
		REAL(funlockfile)(f);
		return;
	}
	touch_to_write(f);
	l = f->_lock;
	if (!stream_is_mine(l))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, CALLER(),
				l->taken ? "unlock of a stream that another thread has locked"
					 : "unlock of a stream that is not locked");
	last = l->depth == 1;
	if (last) /* before there were threads it was locked without one */
		stream_explore(l);
	changes(l);
	REAL(funlockfile)(f);
	if (last)
		object_op(OP_UNLOCK, l, CALLER());
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(_IO_flockfile, flockfile);
ALSO_CALLED(_IO_ftrylockfile, ftrylockfile);
ALSO_CALLED(_IO_funlockfile, funlockfile);

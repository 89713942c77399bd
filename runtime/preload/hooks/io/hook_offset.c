/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_offset.c - reads and writes of a file at some place, and where the next ones are to be
 */
/*
 * intercepts: Files and descriptors
 *
 * explored pread pread64 __pread64 __pread_chk __pread64_chk - made as they are: the offset of the file stays. Where another thread writes to the
 *	file, before and after that
 * undone pwrite __pwrite64 pwrite64 - made as it is; what it does to the file stays
 * explored lseek __lseek lseek64 - made as they are; where other threads read, write or ask for the place, before and
 *	after that
 */
#include "preload/hooks/hook.h"

#include <sys/uio.h>
#include <unistd.h>

#include "preload/facts/needs.h"
#include "preload/facts/values.h"
#include "preload/hooks/io/buffers.h"
#include "preload/hooks/io/file_order.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/image/snapshot.h"

HEDDLE_HOOK ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	struct iovec v = { (void *)(uintptr_t)buf, n };

	if (under_engine() && fd != 1 && fd != 2) {
		needs_fork("writes to a descriptor");
		file_used(fd, FILE_WRITES, CALLER());
	}
	buffers_sent(&v, 1, CALLER());
	return REAL(pwrite)(fd, buf, n, at);
}

/* Of a file, at some place: nobody waits, and the offset stays. */
static void about_to_pread(int fd, void *buf, size_t n, uint64_t pc)
{
	cancellation_point(pc);
	if (!under_engine())
		return;
	file_used(fd, FILE_LOOKS, pc);
	values_give_up("files are used");
	note_hidden_state();
	snapshot_expect((uintptr_t)buf, n);
}

HEDDLE_HOOK ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	struct iovec v = { buf, n };

	about_to_pread(fd, buf, n, CALLER());
	return buffers_received(&v, 1, REAL(pread)(fd, buf, n, at), CALLER());
}

HEDDLE_HOOK ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
	struct iovec v = { buf, n };

	about_to_pread(fd, buf, n, CALLER());
	return buffers_received(&v, 1, REAL(pread64)(fd, buf, n, at), CALLER());
}

/* As -D_FORTIFY_SOURCE calls these. */
#define PREAD_CHK(name, type)                                                               \
	ssize_t name(int fd, void *buf, size_t n, type at, size_t room);                    \
	HEDDLE_HOOK ssize_t name(int fd, void *buf, size_t n, type at, size_t room)         \
	{                                                                                   \
		struct iovec v = { buf, n };                                                \
                                                                                            \
		if (n <= room)                                                              \
			about_to_pread(fd, buf, n, CALLER());                               \
		return buffers_received(&v, 1, REAL(name)(fd, buf, n, at, room), CALLER()); \
	}
PREAD_CHK(__pread_chk, off_t)
PREAD_CHK(__pread64_chk, off64_t)

static void about_to_move(int fd, uint64_t pc)
{
	if (!under_engine())
		return;
	values_give_up("files are used");
	note_hidden_state();
	file_used(fd, FILE_MOVES, pc);
}

HEDDLE_HOOK off_t lseek(int fd, off_t to, int from)
{
	about_to_move(fd, CALLER());
	return REAL(lseek)(fd, to, from);
}

HEDDLE_HOOK off64_t lseek64(int fd, off64_t to, int from)
{
	about_to_move(fd, CALLER());
	return REAL(lseek64)(fd, to, from);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__lseek, lseek);
ALSO_CALLED(__pread64, pread64);
ALSO_CALLED(pwrite64, pwrite);
ALSO_CALLED(__pwrite64, pwrite);

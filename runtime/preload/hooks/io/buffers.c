/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffers.c - the memory that read(), write() and their like work on (see buffers.h)
 *
 * How much a call receives is known when it has: that is announced behind it, and what was there
 * before is kept by whoever stores it, if the thread is only tried out (channel.c).
 */
#include "preload/hooks/announce.h"

#include <errno.h>

#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/touch.h"
#include "preload/hooks/io/buffers.h"

void buffers_sent(const struct iovec *v, int n, uint64_t pc)
{
	if (!seen(pc))
		return;
	for (int i = 0; i < n; i++)
		if (!module_constant((uintptr_t)v[i].iov_base) &&
		    memory_readable(v[i].iov_base, v[i].iov_len))
			reads(v[i].iov_base, v[i].iov_len, pc);
}

ssize_t buffers_received(const struct iovec *v, int n, ssize_t got, uint64_t pc)
{
	size_t left = got > 0 ? (size_t)got : 0;
	int error = errno;

	if (!left || !seen(pc))
		return got;
	for (int i = 0; i < n && left; i++) {
		size_t part = v[i].iov_len < left ? v[i].iov_len : left;

		writes(v[i].iov_base, part, pc);
		left -= part;
	}
	errno = error;
	return got;
}

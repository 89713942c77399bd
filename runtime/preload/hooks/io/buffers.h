/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffers.h - the memory that read(), write() and their like work on, as plain accesses
 *
 * Only for calls from instrumented code.
 */
#ifndef HEDDLE_PRELOAD_BUFFERS_H
#define HEDDLE_PRELOAD_BUFFERS_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

/* A call at pc is about to write these n buffers to somewhere; what the kernel cannot read is left out. */
void buffers_sent(const struct iovec *v, int n, uint64_t pc);
/* One has received `got` bytes in them, or failed; returns got, and keeps errno. */
ssize_t buffers_received(const struct iovec *v, int n, ssize_t got, uint64_t pc);

#pragma GCC visibility pop

#endif

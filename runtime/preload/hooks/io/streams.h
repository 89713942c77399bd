/* SPDX-License-Identifier: BSD-2-Clause */
/* streams.h - descriptors of streams (stream_calls.c) */
#ifndef HEDDLE_PRELOAD_STREAMS_H
#define HEDDLE_PRELOAD_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* From the root point on: are reads and writes of streams seen? */
extern bool streams_seen;

/* hook_file.c: the descriptor is about to be closed. */
void descriptor_forget(int fd, uint64_t pc);

#pragma GCC visibility pop

#endif

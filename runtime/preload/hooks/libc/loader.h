/* SPDX-License-Identifier: BSD-2-Clause */
/* loader.h - the lock of ld.so, for who looks functions up by their names; see hook_loader.c */
#ifndef HEDDLE_PRELOAD_LOADER_H
#define HEDDLE_PRELOAD_LOADER_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The running thread is about to take it for a moment: it waits here while another one has it. */
void loader_asked(uint64_t pc);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* nameless.h - open files that were unlinked (tmpfile(), memfd_create()) are put back */
#ifndef HEDDLE_PRELOAD_NAMELESS_H
#define HEDDLE_PRELOAD_NAMELESS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* At the root point: nothing is kept; this one is. Its size is in bytes. */
void nameless_forget(void);
void nameless_keep(int fd, uint64_t size);
/* Before each execution. */
void nameless_reset(void);

#pragma GCC visibility pop

#endif

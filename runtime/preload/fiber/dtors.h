/* SPDX-License-Identifier: BSD-2-Clause */
/* dtors.h - destructors of C++ thread_local objects */
#ifndef HEDDLE_PRELOAD_DTORS_H
#define HEDDLE_PRELOAD_DTORS_H

#pragma GCC visibility push(hidden)

/* Runs the destructors of the calling thread's C++ thread_local objects, newest first. To be
 * called at the end of a thread, before the key destructors. */
void run_thread_local_dtors(void);

#pragma GCC visibility pop

#endif

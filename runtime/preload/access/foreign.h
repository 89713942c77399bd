/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foreign.h - accesses to the stacks of other threads, and to their thread-local memory
 *
 * What lies on a stack is gone with the function that it belongs to, and with the thread. An access by another
 * thread has to come before that, and not by chance: the owner must know of it (happens-before)
 * when it leaves the function, or ends. Else the bug is use-after-return.
 *
 * A frame has been left when the owner, who is in a hook while another thread runs, has its stack
 * pointer above it. So the two ways to find out are
 *
 *	at the access	the owner is above the address, or has ended: the access is too late;
 *	at the owner's	next operation it is above an address that was accessed, and does not know of the
 *			access: that was too early, by chance.
 *
 * Thread-local memory is gone when its thread has ended, destructors of thread_local objects and of keys included; of main's, and of
 * what libraries have that are loaded later, nothing is said.
 *
 * Both are certain. Nothing is said of what has become of memory within a function (the variables of a
 * block, say), of stacks that the program has given its threads, of main's behind its pthread_exit(), and where a
 * program may change stacks by itself (makecontext() and its kin, sigaltstack()), since "above" means
 * nothing then. Nor of an owner who does not know of an access, with --plain=explore, since what orders there is
 * no happens-before; or of an atomic write to what the owner has looked at itself.
 */
#ifndef HEDDLE_PRELOAD_FOREIGN_H
#define HEDDLE_PRELOAD_FOREIGN_H

#include "preload/core/context.h"
#include "preload/memory/access.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* The calling thread touches what may_be_on_stack(); its own entry of clocks is known to be at then. */
void foreign_access(const struct access *access, uint32_t at);
/* It has performed that operation there. */
void foreign_atomic(const struct op *op, bool wrote);
/* It is about to end the process: what it leaves is no matter. */
void foreign_exit(void);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* identity.h - ids of processes and threads that the program is told (hook_identity.c) */
#ifndef HEDDLE_PRELOAD_IDENTITY_H
#define HEDDLE_PRELOAD_IDENTITY_H

#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The thread that the program knows by this id; -1: none of it. And the id of that thread. */
int identity_thread(pid_t id);
pid_t identity_of(uint32_t tid);
/* What the program is told of an id that the kernel knows: of a process, a group, or a session. */
pid_t identity_shown(pid_t real);
/* The kernel's process id, or group (negative), for one that the program was told, or the same. */
pid_t identity_real(pid_t id);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* sem.h - semaphores (hook_sem.c) */
#ifndef HEDDLE_PRELOAD_SEM_H
#define HEDDLE_PRELOAD_SEM_H

#include <semaphore.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Initialises a semaphore, for the caller at pc. */
void sem_begin(sem_t *s, unsigned count, uint64_t pc);

#pragma GCC visibility pop

#endif

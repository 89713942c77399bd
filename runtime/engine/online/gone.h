/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gone.h - locations of a random execution whose memory was freed
 *
 * Nobody comes to them any more (who does has a bug), so when memory is given back (give_back.h) their writes leave mo and
 * their events the lists, as if nothing had happened there: where a program allocates nodes and frees them, memory goes with what is
 * allocated and not with the length of the execution (online.txt, G9).
 *
 * Callers: engine.c; the rest give_back.c.
 */
#ifndef HEDDLE_ENGINE_ONLINE_GONE_H
#define HEDDLE_ENGINE_ONLINE_GONE_H

#include "engine/online/online.h"

/* As engine_gone(). */
void gone_note(struct engine *e, uint64_t addr);
/* Before memory is given back: the lists of such locations are emptied. goes_on: the threads that may do anything yet. */
void gone_bury(struct engine *e, const struct thread_set *goes_on);

#endif

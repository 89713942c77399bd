/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ahead.h - the search goes on without the program (ahead.c)
 */
#ifndef HEDDLE_ENGINE_VALUE_AHEAD_H
#define HEDDLE_ENGINE_VALUE_AHEAD_H

#include "engine/value/value.h"

/* The event at pos was added to the graph; if it creates a thread, that is noted. */
void ahead_note_create(struct engine *e, uint32_t pos);

/*
 * Adds to the graph what the threads do up to their next reads, and says in value_search.next what comes then. False: of some thread that
 * is not known, and the program has to run.
 */
bool ahead_go(struct engine *e);

/* Is there room for one more operation? */
bool ahead_has_room(const struct engine *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * racereport.h - turns a race into a bug with both sides
 *
 * In replay of a bug with a known place (shared->config.watch) the call stacks of the
 * accesses to that place are kept, so that the earlier side of a race has one as well.
 */
#ifndef HEDDLE_PRELOAD_RACEREPORT_H
#define HEDDLE_PRELOAD_RACEREPORT_H

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/memory/access.h"
#include "preload/race/race.h"

#pragma GCC visibility push(hidden)

/* True in a replay that keeps call stacks. */
extern bool watching;

/* Before each execution. */
/* Keeps the call stack of an access, when it touches the watched place. */
void watch_access(const struct access *access);

/*
 * The access races with an earlier plain one of the granule. Returns where the race does not end the
 * execution (enum races): the access is to be done then as if there were none.
 */
void report_race_plain(const struct access *access, uint64_t granule,
		       const struct race_prior *prior);
/* The plain access races with an event of the location at addr. Likewise. */
void report_race_event(const struct access *access, uint64_t addr,
		       const struct engine_step_record *event);

/* The side of a bug that an access by the running thread is, and "a plain write" and so on. */
void side_of(struct bug_side *side, const struct access *access);
/* By enum heap_family. */
extern const char *const giving_back[];
const char *kind_of(bool is_write, bool is_atomic);

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_shared.h - which memory threads share, for executions that the engine makes (facts/memo.h)
 *
 * A granule that one thread has written plainly and another one has accessed, in the same execution or not, is shared: from then
 * on the engine is told of all that is done there, also by atomic operations. Who allocates memory, or frees it, writes there.
 */
#ifndef HEDDLE_PRELOAD_MEMO_SHARED_H
#define HEDDLE_PRELOAD_MEMO_SHARED_H

#include <stdbool.h>
#include <stdint.h>

struct access;
struct fiber;
struct op;

#pragma GCC visibility push(hidden)

/* The calling thread does that, while objects_watched. */
void memo_plain(const struct access *access);
/* It comes to an operation, while objects_watched, and not memo_watched. */
void memo_looks_at(const struct op *op);
/* It uses an object of a library that is these bytes; what its hooks keep there nobody announces. */
void memo_uses(uint64_t addr, uint64_t size);
/* The same of what is done once: who writes to it does it anew. */
void memo_does_once(uint64_t addr, uint64_t size);
/* It begins to wait for the condition variable, with that mutex. */
void memo_waits_with(uint64_t cond, uint64_t mutex);
/* It joins the thread, or detaches it. */
void memo_joins(uint32_t tid);
/* It frees the block, or asks for its size. */
void memo_frees(uint64_t addr);
void memo_asks_size(uint64_t addr);
/* A probe that goes on does that, and where the thread itself has read it since it had so many events, reads the same (UINT32_MAX: nowhere). */
void memo_tries(const struct access *access, uint32_t behind);
/* Rounds of a thread that are left out do that there. May others have come behind them in executions that were made, which nobody watched? */
bool memo_leaves_out(uint64_t granule, uint32_t tid, bool is_write);
/* The granule that the engine knows by a number. */
uint64_t memo_granule_at(uint32_t number);
/* Before an operation, whether it is in the graph or not, with the program's stack pointer there (0: not known); and before one that is not. */
void memo_arrives(const struct op *op, uint64_t sp);
void memo_op(const struct op *op);
/* Another thread reads a variable of main there; a thread comes to an operation, with its stack there: main may have left that variable. */
void memo_is_read_at(uint64_t addr);
void memo_note_depth(const struct op *op, uint64_t sp);
/* memo_shared.c: where an operation that is known is. */
void memo_place(const struct op *op);
/*
 * access/bare_frame.c: are these variables of the first function of the main thread, which is there for as long as the program runs, and is
 * everything announced that the owner does there?
 */
extern bool (*memo_is_first)(const struct fiber *owner, const struct access *access);
/* Does the engine know who accesses that? */
bool memo_shares(uint64_t addr);
/* It has a bug instead, by itself, or together with others: the execution ends there. */
void memo_has_bug(bool by_itself, uint64_t pc);
#pragma GCC visibility pop

#endif

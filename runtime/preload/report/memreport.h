/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memreport.h - turns an error of the program's with memory into a bug
 *
 * Each names the access or call, and the block of the heap with the place where it was
 * allocated or freed as the second side.
 */
#ifndef HEDDLE_PRELOAD_MEMREPORT_H
#define HEDDLE_PRELOAD_MEMREPORT_H

#include "preload/memory/access.h"
#include "preload/memory/heap.h"
#include "preload/race/shadow.h"

#pragma GCC visibility push(hidden)

heddle_noreturn void report_use_after_free(const struct access *access);
heddle_noreturn void report_out_of_bounds(const struct access *access);
/* Does the access touch bytes of the cell that are freed, or in no block? */
void check_marks(const struct shadow_cell *cell, uint8_t mask, const struct access *access);

/*
 * The access is to the stack of a thread that has ended, or to its thread-local memory; or to a function's frame that the thread has
 * left.
 */
heddle_noreturn void report_use_after_end(const struct access *access, uint32_t owner,
					  bool on_stack);
heddle_noreturn void report_use_after_return(const struct access *access, uint32_t owner);
/*
 * The calling thread, at pc, has left that frame, or is about to end, and does not know of the access by
 * another thread: that might have been later.
 */
heddle_noreturn void report_unknown_use(const struct access *access, uint32_t tid, uint64_t pc,
					bool ends);

/* free() or the like, called at pc with what is not the start of a live block. */
heddle_noreturn void report_bad_free(uint64_t addr, enum heap_family family, uint64_t pc);

/*
 * A block of one family, allocated at alloc_pc, is freed by another one's function at pc. A
 * bug if both calls are of instrumented code: a library may have a reason that nobody sees.
 */
void check_family(uint64_t addr, enum heap_family family, uint64_t alloc_pc,
		  enum heap_family freeing, uint64_t pc);

/*
 * An atomic operation returned what a fresh block of the heap is filled with. A bug if that
 * is the initial value of its location and nobody is known to have written it.
 */
void check_initialised(const struct op *op, const struct op_result *res);
/* The same of one that the only thread is about to perform, before the root point, by what is there. */
void check_initialised_early(const struct access *access);

#pragma GCC visibility pop

#endif

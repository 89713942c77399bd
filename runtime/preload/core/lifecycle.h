/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lifecycle.h - what begins, and who is to know
 *
 * A family that keeps something for the program, an execution or a thread names a function of its own at
 * the top level of its file:
 *
 *	AT_ROOT(fn);		void fn(void): at the root point, before the first execution
 *	AT_BEGIN(fn);		void fn(void): an execution begins
 *	AT_CREATED(fn);		void fn(uint32_t tid): the calling thread has created thread tid
 *	AT_STARTED(fn);		void fn(uint32_t tid): thread tid, the calling one, begins
 *	AT_ID_AGAIN(fn);	void fn(uint32_t tid): the id is given to another thread, in the same execution
 *	AT_END(fn);		void fn(void): nothing moves any more; before engine_end()
 *	AT_OUTSET(fn);		void fn(void): before the root point; or the program ends, or has a bug, before it
 *	AT_HIDDEN(fn);		void fn(void): the calling thread changes what nobody compares; may not return
 *	AT_LEAKS(fn);		void fn(uint32_t tid): lost blocks are looked for; says by leak_keep() what the family
 *				holds for a thread
 *	AT_DETACH(fn);		void fn(uint32_t goes_on): in a process that is about to let go of heddle: a child, or one
 *				that goes on
 *	INITIAL_VALUE(fn, kinds); struct value fn(uint64_t addr): the state of an object before its first
 *				operation, if that is of one of these kinds (KIND(OP_LOCK) | ...)
 *
 * In what order they are called is not said: none may need another one to have been called.
 */
#ifndef HEDDLE_PRELOAD_LIFECYCLE_H
#define HEDDLE_PRELOAD_LIFECYCLE_H

#include "preload/core/context.h"
#include "wire/op.h"

#define LIFECYCLE_(moment, argument, fn)                                                           \
	static void(*const at_##fn) argument __attribute__((section("heddle_at_" moment), used)) = \
		fn

#define AT_ROOT(fn)     LIFECYCLE_("root", (void), fn)
#define AT_BEGIN(fn)    LIFECYCLE_("begin", (void), fn)
#define AT_END(fn)      LIFECYCLE_("end", (void), fn)
#define AT_OUTSET(fn)   LIFECYCLE_("outset", (void), fn)
#define AT_HIDDEN(fn)   LIFECYCLE_("hidden", (void), fn)
#define AT_DETACH(fn)   LIFECYCLE_("detach", (uint32_t), fn)
#define AT_LEAKS(fn)    LIFECYCLE_("leaks", (uint32_t), fn)
#define AT_CREATED(fn)  LIFECYCLE_("created", (uint32_t), fn)
#define AT_STARTED(fn)  LIFECYCLE_("started", (uint32_t), fn)
#define AT_ID_AGAIN(fn) LIFECYCLE_("id_again", (uint32_t), fn)

struct initial_value {
	struct value (*fn)(uint64_t addr);
	uint64_t kinds; /* KIND(OP_LOCK) | ... */
};

#define KIND(kind) (1ul << (kind))
#define INITIAL_VALUE(fn, kinds)                       \
	static const struct initial_value initial_##fn \
		__attribute__((section("heddle_initial"), used)) = { fn, kinds }

#pragma GCC visibility push(hidden)

void lifecycle_root(void);
void lifecycle_begin(void);
void lifecycle_outset(void);
void lifecycle_end(void);
/* A library call with hidden state (time, random numbers, input): before it does anything else. */
void lifecycle_hidden(void);
void lifecycle_detach(bool goes_on);
void lifecycle_leaks(uint32_t tid);
void lifecycle_created(uint32_t tid);
void lifecycle_started(uint32_t tid);
void lifecycle_id_again(uint32_t tid);
/* Found at the root point: may one thread have the id of another that was joined? */
extern bool lifecycle_reuses_ids;
/* Found at the end: a thread may have stopped too early to hear of a signal. */
extern bool lifecycle_may_hear;
/* 0 if no family says so. */
struct value lifecycle_initial(uint64_t addr, enum op_kind kind);

#pragma GCC visibility pop

#endif

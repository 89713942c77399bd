/* SPDX-License-Identifier: BSD-2-Clause */
/* lifecycle.c - see lifecycle.h; the linker knows where the functions of a moment begin and end */
#include "preload/core/lifecycle.h"

_Static_assert(OP_KINDS <= 64, "bits of initial_value.kinds");

bool lifecycle_reuses_ids, lifecycle_may_hear;

/* Calls all functions of a moment. */
#define CALL_ALL(name, type, ...)                                                             \
	do {                                                                                  \
		extern type __start_heddle_at_##name[], __stop_heddle_at_##name[];            \
                                                                                              \
		for (type *fn = __start_heddle_at_##name; fn < __stop_heddle_at_##name; fn++) \
			(*fn)(__VA_ARGS__);                                                   \
	} while (0)

typedef void (*const plain_fn)(void);
typedef void (*const thread_fn)(uint32_t);
typedef void (*const detach_fn)(bool);

void lifecycle_root(void)
{
	CALL_ALL(root, plain_fn, );
}

void lifecycle_begin(void)
{
	CALL_ALL(begin, plain_fn, );
}

void lifecycle_outset(void)
{
	CALL_ALL(outset, plain_fn, );
}

void lifecycle_end(void)
{
	lifecycle_may_hear = false;
	CALL_ALL(end, plain_fn, );
}

void lifecycle_hidden(void)
{
	hidden_calls++;
	if (unlikely(current && current->window))
		CALL_ALL(hidden, plain_fn, );
}

void lifecycle_detach(bool goes_on)
{
	CALL_ALL(detach, detach_fn, goes_on);
}

void lifecycle_created(uint32_t tid)
{
	CALL_ALL(created, thread_fn, tid);
}

void lifecycle_started(uint32_t tid)
{
	CALL_ALL(started, thread_fn, tid);
}

void lifecycle_id_again(uint32_t tid)
{
	CALL_ALL(id_again, thread_fn, tid);
}

extern const struct initial_value __start_heddle_initial[], __stop_heddle_initial[];

struct value lifecycle_initial(uint64_t addr, enum op_kind kind)
{
	for (const struct initial_value *i = __start_heddle_initial; i < __stop_heddle_initial; i++)
		if (i->kinds & KIND(kind))
			return i->fn(addr);
	return value_of(0);
}

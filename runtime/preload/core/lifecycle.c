/* SPDX-License-Identifier: BSD-2-Clause */
/* lifecycle.c - see lifecycle.h; the linker knows where the functions of a moment begin and end */
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"

_Static_assert(OP_KINDS <= 64, "bits of initial_value.kinds");

typedef void (*const plain_fn)(void);
typedef void (*const thread_fn)(uint32_t);

extern plain_fn __start_heddle_at_root[], __stop_heddle_at_root[];
extern plain_fn __start_heddle_at_begin[], __stop_heddle_at_begin[];
extern plain_fn __start_heddle_at_outset[], __stop_heddle_at_outset[];
extern plain_fn __start_heddle_at_end[], __stop_heddle_at_end[];
extern plain_fn __start_heddle_at_hidden[], __stop_heddle_at_hidden[];
extern thread_fn __start_heddle_at_detach[], __stop_heddle_at_detach[];
extern thread_fn __start_heddle_at_leaks[], __stop_heddle_at_leaks[];
extern thread_fn __start_heddle_at_created[], __stop_heddle_at_created[];
extern thread_fn __start_heddle_at_started[], __stop_heddle_at_started[];
extern thread_fn __start_heddle_at_id_again[], __stop_heddle_at_id_again[];

static void call_all(plain_fn *from, plain_fn *to)
{
	while (from < to)
		(*from++)();
}

static void call_for(thread_fn *from, thread_fn *to, uint32_t tid)
{
	while (from < to)
		(*from++)(tid);
}

bool lifecycle_reuses_ids, lifecycle_may_hear;
FRESH(lifecycle_may_hear);

void lifecycle_root(void)
{
	call_all(__start_heddle_at_root, __stop_heddle_at_root);
}

void lifecycle_begin(void)
{
	call_all(__start_heddle_at_begin, __stop_heddle_at_begin);
}

void lifecycle_outset(void)
{
	call_all(__start_heddle_at_outset, __stop_heddle_at_outset);
}

void lifecycle_end(void)
{
	lifecycle_may_hear = false;
	call_all(__start_heddle_at_end, __stop_heddle_at_end);
}

void lifecycle_hidden(void)
{
	hidden_calls++;
	if (unlikely(current && (current->window || current->polls || current->cancels)))
		call_all(__start_heddle_at_hidden, __stop_heddle_at_hidden);
}

void lifecycle_detach(bool goes_on)
{
	call_for(__start_heddle_at_detach, __stop_heddle_at_detach, goes_on);
}

void lifecycle_leaks(uint32_t tid)
{
	call_for(__start_heddle_at_leaks, __stop_heddle_at_leaks, tid);
}

void lifecycle_created(uint32_t tid)
{
	call_for(__start_heddle_at_created, __stop_heddle_at_created, tid);
}

void lifecycle_started(uint32_t tid)
{
	call_for(__start_heddle_at_started, __stop_heddle_at_started, tid);
}

void lifecycle_id_again(uint32_t tid)
{
	call_for(__start_heddle_at_id_again, __stop_heddle_at_id_again, tid);
}

extern const struct initial_value __start_heddle_initial[], __stop_heddle_initial[];

struct value lifecycle_initial(uint64_t addr, enum op_kind kind)
{
	for (const struct initial_value *i = __start_heddle_initial; i < __stop_heddle_initial; i++)
		if (i->kinds & KIND(kind))
			return i->fn(addr);
	return value_of(0);
}

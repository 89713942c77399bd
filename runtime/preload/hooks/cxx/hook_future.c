/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_future.c - futures that become ready when the thread ends that sets them
 *
 * std::promise::set_value_at_thread_exit() and its kin leave a note in a list of the thread, and
 * libstdc++, which is not instrumented, works it off behind the destructors of thread_local objects: it
 * writes that the future is ready, and wakes who waits. That write was no operation to the engine, so
 * who waited did so for ever. The note names the function to be called; here another one is put in
 * its place that does the same by operations.
 *
 * The structures are those of libstdc++.so.6: <future>, <bits/shared_ptr_base.h>.
 */
/*
 * intercepts: Threads
 *
 * explored std::promise::set_value_at_thread_exit=_ZNSt13__future_base13_State_baseV211_Make_ready*
 *	- when the future becomes ready, as the thread ends
 */
#include "preload/hooks/hook.h"

#include "preload/access/atomic.h"
#include "preload/core/reset.h"

enum {
	READY = 1
};
#define WAITERS 0x80000000u

/* What a shared_ptr counts by: of the owners, and of all that point to it. */
struct counts {
	void (*const *virtual)(struct counts *);
	uint32_t use, weak;
};

enum virtual {
	DISPOSE = 2,
	DESTROY
};

struct state {
	void *virtual, *result;
	uint32_t status;
};

struct note {
	struct note *next;
	void (*run)(void *note);
	struct state *state;
	struct counts *counts;
};

/* What libstdc++ would call. */
static void (*real_run)(void *note);
KEPT(real_run);

static struct op_result do_op(struct op op, uint32_t *at)
{
	struct op_result res;

	op.size = sizeof(*at);
	op.addr = (uint64_t)(uintptr_t)at;
	op.pc = CALLER();
	atomic_op(&op, &res);
	return res;
}

/* weak_ptr::lock() */
static bool lock(struct counts *c)
{
	struct op op = { .kind = OP_LOAD, .order = ORDER_RLX };
	struct op_result res = do_op(op, &c->use);

	while (res.value.lo && !res.wrote) {
		op = (struct op){ .kind = OP_CAS, .order = ORDER_ACQ_REL, .order_fail = ORDER_RLX };
		op.expected = res.value;
		op.arg = value_of((uint32_t)res.value.lo + 1);
		res = do_op(op, &c->use);
	}
	return res.wrote;
}

/* Was that the last one? */
static bool count_down(uint32_t *count)
{
	struct op op = {
		.kind = OP_RMW, .fn = RMW_SUB, .order = ORDER_ACQ_REL, .arg = value_of(1)
	};

	return do_op(op, count).value.lo == 1;
}

static void leave(struct counts *c)
{
	if (count_down(&c->weak))
		c->virtual[DESTROY](c);
}

static void unlock(struct counts *c)
{
	if (!count_down(&c->use))
		return;
	c->virtual[DISPOSE](c);
	leave(c);
}

void notify_all(uint32_t *status) __asm__(
	"_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj");
void operator_delete(void *p) __asm__("_ZdlPv");

static void run(void *arg)
{
	struct op op = {
		.kind = OP_RMW, .fn = RMW_XCHG, .order = ORDER_REL, .arg = value_of(READY)
	};
	struct note *n = arg;

	if (!under_engine()) {
		real_run(arg);
		return;
	}
	if (n->counts && lock(n->counts)) {
		if (do_op(op, &n->state->status).value.lo & WAITERS)
			REAL_BY_NAME(notify_all,
				     "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj")
		(&n->state->status);
		unlock(n->counts);
	}
	if (n->counts)
		leave(n->counts);
	operator_delete(n);
}

void set(struct note *n) __asm__("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv");
HEDDLE_HOOK void set(struct note *n)
{
	REAL_BY_NAME(set, "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv")(n);
	real_run = n->run;
	n->run = run;
}

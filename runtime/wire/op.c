/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * op.c - names of operations
 */
#include "wire/op.h"

const char *op_kind_name(enum op_kind kind)
{
	static const char *const names[OP_KINDS] = {
		[OP_LOAD] = "load",
		[OP_STORE] = "store",
		[OP_RMW] = "rmw",
		[OP_CAS] = "cas",
		[OP_FENCE] = "fence",
		[OP_CREATE] = "create",
		[OP_START] = "start",
		[OP_END] = "end",
		[OP_JOIN] = "join",
		[OP_EXIT] = "exit",
		[OP_LOCK] = "lock",
		[OP_TRYLOCK] = "trylock",
		[OP_UNLOCK] = "unlock",
		[OP_COND_BEGIN] = "cond-wait",
		[OP_COND_WOKEN] = "cond-woken",
		[OP_COND_SIGNAL] = "signal",
		[OP_COND_BROADCAST] = "broadcast",
		[OP_FUTEX_LOOK] = "futex-look",
		[OP_FUTEX_WAIT] = "futex-wait",
		[OP_FUTEX_WAKE] = "futex-wake",
		[OP_FUTEX_REQUEUE] = "futex-requeue",
		[OP_ONCE_ENTER] = "once",
		[OP_ONCE_DONE] = "once-done",
		[OP_SEM_WAIT] = "sem-wait",
		[OP_SEM_TRYWAIT] = "sem-trywait",
		[OP_SEM_POST] = "sem-post",
		[OP_COND_LEAVE] = "cond-leave",
		[OP_RDLOCK] = "rdlock",
		[OP_TRYRDLOCK] = "tryrdlock",
		[OP_WRLOCK] = "wrlock",
		[OP_TRYWRLOCK] = "trywrlock",
		[OP_RWUNLOCK] = "rwunlock",
		[OP_RW_ASK] = "wrlock-ask",
		[OP_BARRIER_ARRIVE] = "barrier-arrive",
		[OP_BARRIER_PASS] = "barrier-pass",
		[OP_COUNT_TAKE] = "take",
		[OP_COUNT_TRYTAKE] = "try-take",
		[OP_COUNT_ADD] = "add",
		[OP_COUNT_TRYADD] = "try-add",
		[OP_COUNT_CLOSE] = "close",
		[OP_COUNT_OPEN] = "open",
		[OP_COUNT_LOOK] = "look",
		[OP_COUNT_AWAIT] = "await-ready",
		[OP_READY_TAKE] = "epoll-wait",
		[OP_READY_TRYTAKE] = "epoll-look",
		[OP_READY_LOCK] = "epoll-begin",
		[OP_READY_MARK] = "epoll-mark",
		[OP_READY_RELEASE] = "epoll-end",
		[OP_CHOOSE] = "choose",
		[OP_BLOCK] = "assume",
		[OP_STUCK] = "stuck",
		[OP_YIELD] = "yield",
		[OP_PAUSE] = "pause",
	};

	return (unsigned)kind < OP_KINDS ? names[kind] : "unknown";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* opnames.c - see opnames.h; every table is as long as its enum */
#include "wire/opnames.h"

#include <stddef.h>

#include "wire/op.h"

const char *const names_order[] = { "na", "rlx", "acq", "rel", "acq_rel", "sc", NULL };
const char *const names_op[] = {
	"load",          "store",
	"rmw",           "cas",
	"fence",         "create",
	"start",         "end",
	"join",          "exit",
	"lock",          "trylock",
	"unlock",        "cond-begin",
	"woken",         "signal",
	"broadcast",     "futex-look",
	"futex-wait",    "futex-wake",
	"futex-requeue", "once-enter",
	"once-done",     "sem-wait",
	"sem-trywait",   "sem-post",
	"cond-leave",    "rdlock",
	"tryrdlock",     "wrlock",
	"trywrlock",     "rwunlock",
	"wrlock-ask",    "barrier-arrive",
	"barrier-pass",  "take",
	"try-take",      "add",
	"try-add",       "close",
	"open",          "look",
	"await-ready",   "epoll-wait",
	"epoll-look",    "epoll-begin",
	"epoll-mark",    "epoll-end",
	"choose",        "block",
	"stuck",         "yield",
	"pause",         NULL,
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]) - 1)
_Static_assert(LENGTH(names_op) == OP_KINDS, "one word for each operation");
_Static_assert(LENGTH(names_order) == ORDER_SC + 1, "one word for each order");

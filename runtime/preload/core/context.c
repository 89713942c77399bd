/* SPDX-License-Identifier: BSD-2-Clause */
/* context.c - see context.h */
#include "preload/core/context.h"
#include "preload/core/reset.h"

struct self *current;
struct shared *shared;
struct engine *engine;
bool rooted;
uint64_t main_stack_low, main_stack_top;
uint64_t hidden_calls;
KEPT(hidden_calls);

/* SPDX-License-Identifier: BSD-2-Clause */
/* window.c - the window of each thread, and how it is lost (await.c says what is in it) */
#include "preload/await/await.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"

struct await await_of[HEDDLE_MAX_THREADS];
KEPT(await_of);

void await_forget(struct fiber *f)
{
	struct await *a = &await_of[f->self.tid];

	if (!f->self.window)
		return; /* and a->log is empty, and so on */
	f->self.window = a->nforeign = 0;
	a->open = false;
	a->log.n = a->log.used = 0;
	a->any = a->let_go_first = a->fenced = a->released = false;
	a->kept = 0;
	f->self.ntouch = 0;
	a->arena_used = 0;
}

void await_lose_window(struct fiber *f)
{
	await_of[f->self.tid].lost++;
	await_forget(f);
}

uint32_t told_from(const struct await *a)
{
	uint32_t r1 = fiber_self()->self.window;

	if (unseen_partly)
		return 0; /* it was compared all the time */
	while (r1 && a->ops[r1 - 1].stretch == STRETCH_TOLD)
		r1--;
	return r1;
}

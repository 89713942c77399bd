/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_frames.c - the functions that a thread is in, and which of them it has been in between two operations
 *
 * What a thread may do from an operation on, whatever it reads, is more than what it has done when it is at the
 * next one. Behind a loop that waits its function may return, up to the first one of the thread, and each of
 * those may do what nobody sees. If the thread's next operation is in the loop again, it has done nothing
 * of this. So there are two answers: for a run that is yet to be made (stretch_ahead()), which can be stopped
 * where it returns from the last function that is known to be safe; and for one that has been made
 * (stretch_between()).
 *
 * For the latter: a frame is known by its address and its function. Let i be the outermost function that the thread
 * has returned to. It has not returned from that one, so the call in which it was at the second operation is on a way
 * in its code from where it was called back to. In all functions further in, it has come by a way to the return.
 * Whoever throws an exception or calls longjmp() ends the window by that, so ways are all there are.
 */
#include <unwind.h>

#include "preload/core/context.h"
#include "preload/core/modules.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/stretch.h"

/* A frame that is looked for, and its canonical frame address when it was found. */
struct sought {
	uint64_t pc, sp, cfa;
	bool met;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	struct sought *s = arg;

	if (s->met) { /* the frame behind it begins where it ends */
		s->cfa = _Unwind_GetCFA(context);
		return _URC_NORMAL_STOP;
	}
	s->met = _Unwind_GetIP(context) == s->pc && _Unwind_GetCFA(context) == s->sp;
	return _URC_NO_REASON;
}

/*
 * A function that aligns its stack, for a variable that wants a cache line of its own, say, keeps no known distance
 * from where it began. The tables of exceptions know where that was. 0: they do not.
 */
static uint64_t unwound(uint64_t pc, uint64_t sp)
{
	struct sought s = { .pc = pc, .sp = sp };
	struct self *caller = current;

	current = NULL; /* the unwinder's calls are not the program's */
	_Unwind_Backtrace(visit, &s);
	current = caller;
	return s.cfa;
}

/* Where the frame of the calling thread begins that is at pc with this stack pointer; 0: not known. */
static uint64_t frame_begins(uint64_t pc, uint64_t sp)
{
	int32_t depth = stretch_known(pc)->sp;

	if (!sp)
		return 0;
	return depth ? sp - (uint64_t)(int64_t)depth : unwound(pc, sp);
}

/* Up to the first that is not the program's. The last may be one of which only the code is known. */
void stretch_arrival(struct frames *f, uint64_t pc, uint64_t sp)
{
	f->n = 0;
	f->whole = false;
	while (pc && !in_runtime(pc)) {
		if (f->n == STRETCH_FRAMES)
			return;
		sp = frame_begins(pc, sp);
		f->at[f->n].pc = pc;
		f->at[f->n++].cfa = sp;
		if (!sp)
			return;
		pc = *(const uint64_t *)(sp - 8);
	}
	f->whole = true;
}

void stretch_ahead(struct frames *f, uint64_t pc, uint64_t sp, enum stretch most)
{
	const struct stretch_known *k;
	bool ended = false;

	stretch_arrival(f, pc, sp);
	f->safe = f->n;
	f->worst = STRETCH_TOLD;
	for (uint32_t i = 0; i < f->n && !ended; i++) {
		k = stretch_known(f->at[i].pc);
		if (f->safe == f->n && (k->worst > most || !f->at[i].cfa))
			f->safe = i;
		if (f->worst < k->worst)
			f->worst = (enum stretch)k->worst;
		ended = !k->returns || f->worst == STRETCH_HIDDEN;
	}
	/* Else it is not known where it returns to then. */
	if (!f->whole && !ended && f->worst < STRETCH_UNSEEN)
		f->worst = STRETCH_UNSEEN;
}

/* Are these two places in one call of one function? */
static bool same_frame(const struct frames *a, uint32_t i, const struct frames *b, uint32_t j)
{
	uint64_t start = stretch_known(a->at[i].pc)->start;

	return a->at[i].cfa == b->at[j].cfa && start && start == stretch_known(b->at[j].pc)->start;
}

/* How many functions, from the first one of the thread on, both are in? */
static uint32_t in_common(const struct frames *a, const struct frames *b)
{
	uint32_t n = 0;

	while (n < a->n && n < b->n && same_frame(a, a->n - 1 - n, b, b->n - 1 - n))
		n++;
	return n;
}

enum stretch stretch_between(const struct frames *from, const struct frames *to)
{
	uint32_t common = in_common(from, to);
	enum stretch worst = STRETCH_TOLD;
	bool back = !to->n; /* once returned from: is there a way to the other place? */

	if (!from->whole || !to->whole || !from->n)
		return from->worst;
	for (uint32_t i = from->n; i-- > 0;) {
		uint32_t inside = from->n - 1 - i;
		struct stretch_way here = { 0 }, out = { 0 };

		if (inside < common)
			here = stretch_way(from->at[i].pc, to->at[to->n - 1 - inside].pc);
		if (back)
			out = stretch_way(from->at[i].pc, 0);
		if (worst < here.worst)
			worst = (enum stretch)here.worst;
		if (worst < out.worst)
			worst = (enum stretch)out.worst;
		back = here.there_is || out.there_is;
	}
	return back ? worst
		    : from->worst; /* no way is known: it came by one that is not in the code */
}

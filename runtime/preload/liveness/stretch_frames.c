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
 * Or nobody has returned to i: the outermost of those further in was left by a jump, to a function that has
 * its frame now, or to a hook. What is jumped to is followed like what is called. Where a function may be jumped back to
 * (tail.h), with the same frame, the way may lead through others: a jump that may come back counts as one to the second place.
 * Whoever throws an exception or calls longjmp() ends the window by that, so ways are all there are.
 */
#include <unwind.h>

#include "base/insn.h"
#include "preload/code/code.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/stretch.h"
#include "preload/liveness/stretch_memory.h"

enum {
	JUMPS = 8 /* from one to the other */
};

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

uint64_t stretch_caller(uint64_t pc, uint64_t sp)
{
	const uint64_t begins = frame_begins(pc, sp);

	return begins ? *(const uint64_t *)(begins - 8) : 0;
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
	uint64_t start = stretch_start(a->at[i].pc);

	return a->at[i].cfa == b->at[j].cfa && start && start == stretch_start(b->at[j].pc);
}

/* How many functions, from the first one of the thread on, both are in? */
static uint32_t in_common(const struct frames *a, const struct frames *b)
{
	uint32_t n = 0;

	while (n < a->n && n < b->n && same_frame(a, a->n - 1 - n, b, b->n - 1 - n))
		n++;
	return n;
}

/* The ways of stretch_between(), and the worst on them; false: there are none. */
static bool ways_out(const struct frames *from, const struct frames *to, enum stretch *worst)
{
	const uint32_t common = in_common(from, to);
	bool back = !to->n; /* once returned from: is there a way to the other place? */
	bool left = true;

	*worst = STRETCH_TOLD;
	for (uint32_t i = from->n; i-- > 0;) {
		const uint32_t inside = from->n - 1 - i;
		struct stretch_way here = { 0 }, out = { 0 };

		if (inside < common)
			here = stretch_way(from->at[i].pc, to->at[to->n - 1 - inside].pc);
		if (inside == common) {
			left = back || stretch_way(from->at[i].pc, WAY_JUMPS).there_is;
			back = true;
		}
		if (back)
			out = stretch_way(from->at[i].pc, WAY_OUT);
		if (*worst < here.worst)
			*worst = (enum stretch)here.worst;
		if (*worst < out.worst)
			*worst = (enum stretch)out.worst;
		back = here.there_is || out.there_is;
	}
	return left && back;
}

/* Are the two places one call? */
static bool same_call(const struct frames *a, const struct frames *b)
{
	for (uint32_t i = 0; i < a->n && a->n == b->n; i++)
		if (a->at[i].pc != b->at[i].pc || a->at[i].cfa != b->at[i].cfa)
			return false;
	return a->n == b->n;
}

enum stretch stretch_between(const struct frames *from, const struct frames *to)
{
	enum stretch worst;

	if (!from->whole || !to->whole || !from->n)
		return from->worst;
	if (ways_out(from, to, &worst))
		return worst;
	/* From one operation of a hook to its next one; or it came by a way that is not in the code. */
	return same_call(from, to) ? STRETCH_TOLD : from->worst;
}

/* The function itself that begins there, if that is no more than a jump to it. */
static uint64_t behind_jumps(uint64_t start)
{
	for (int i = 0; i < JUMPS; i++) {
		uint8_t room[CODE_ROOM];
		uint64_t left = INSN_LONGEST;
		struct insn in;

		if (!insn_decode(code_at(start, &left, room), left, start, &in) ||
		    in.kind != INSN_JUMP || !memory_target_of(&in))
			break;
		start = memory_target_of(&in);
	}
	return start;
}

/* The place behind the first instruction of a function, if that does nothing that others see, or 0: what is known is known of places behind one. */
static uint64_t behind_first(uint64_t start)
{
	uint8_t room[CODE_ROOM];
	uint64_t left = INSN_LONGEST;
	struct insn in;

	if (!start || !insn_decode(code_at(start, &left, room), left, start, &in))
		return 0;
	if (in.kind == INSN_LEA || (in.kind <= INSN_ADD && !in.memory) ||
	    (in.kind == INSN_PUSH && !in.memory))
		return start + in.length;
	return 0;
}

enum stretch stretch_since_begin(uint64_t start, const struct frames *to)
{
	struct frames first = { .n = 1, .whole = true, .worst = STRETCH_UNSEEN };

	start = behind_jumps(start);
	if (to->n && to->whole && stretch_start(to->at[to->n - 1].pc) == start)
		first.at[0].cfa = to->at[to->n - 1].cfa;
	first.at[0].pc = behind_first(start);
	return first.at[0].pc ? stretch_between(&first, to) : STRETCH_UNSEEN;
}

enum stretch stretch_from_begin(uint64_t start)
{
	const uint64_t first = behind_first(behind_jumps(start));

	return first ? (enum stretch)stretch_known(first)->worst : STRETCH_UNSEEN;
}

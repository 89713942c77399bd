/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_frame.c - see bare_frame.h
 *
 * The owner is in a hook. Which of the functions that it is in has the bytes in its frame is known from the code and the return addresses, and whether it touches
 * them, from its code: all of it counts, whatever of it the thread has executed or will. Arguments are in the frame of the function that
 * has put them there, which nobody announces.
 *
 * Cost: a walk of the owner's frames, and of a function, the code of which was not looked at last, for each such access.
 */
#include "preload/access/bare_frame.h"

#include <sys/auxv.h>

#include "preload/await/arrival.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/facts/values.h"
#include "preload/liveness/stretch.h"
#include "preload/race/memo_shared.h"

/* Does the function that the owner is in there touch them? */
static bool touches(const struct frames *f, uint32_t which, const struct access *access,
		    bool hidden)
{
	const int64_t from = (int64_t)(access->addr - f->at[which].cfa);

	return stretch_touches(stretch_start(f->at[which].pc), from, from + (int64_t)access->size,
			       hidden);
}

static bool may_be_bare(const struct frames *f, const struct access *access)
{
	for (uint32_t i = 0; i < f->n && f->at[i].cfa; i++)
		if (access->addr + access->size <= f->at[i].cfa)
			return touches(f, i, access, false);
	return true; /* for all that is known */
}

/* Where the owner has called the hook that it is in. False: that is not known. */
static bool find_program(const struct fiber *owner, struct arrival *at)
{
	const struct self *s = &owner->self;

	if (s->entry.sp) {
		at->pc = *(const uint64_t *)s->entry.sp;
		at->sp = s->entry.sp + 8;
		return true;
	}
	at->pc = s->plain.pc;
	at->sp = s->plain.sp;
	return at->pc && owner->context.sp < at->sp && *(const uint64_t *)(at->sp - 8) == at->pc;
}

/* The functions that the owner is in there, in which it has called a hook; false: that is not known. */
static bool find_frames(const struct fiber *owner, struct frames *f)
{
	struct arrival at = { 0 };

	if (!find_program(owner, &at))
		return false;
	arrival_of_program(&at);
	stretch_arrival(f, at.pc, at.sp);
	return true;
}

void bare_frame_visited(const struct fiber *owner, const struct access *access)
{
	struct frames f;

	if (!find_frames(owner, &f) || may_be_bare(&f, access))
		values_give_up("a variable on the stack of another thread is not announced");
}

/* Is the function the first of the program? What comes before it belongs to libc, and to the file that begins it. */
static bool is_first(const struct frames *f, uint32_t which)
{
	const uint64_t entry = getauxval(AT_ENTRY);
	bool is_known = f->whole;

	for (uint32_t i = which + 1; i < f->n; i++) {
		const bool begins = stretch_start(f->at[i].pc) == entry;

		if (!begins && memory_from_program(f->at[i].pc))
			return false;
		is_known |= begins;
	}
	return is_known;
}

/* memo_is_first */
static bool is_of_first(const struct fiber *owner, const struct access *access)
{
	struct frames f;

	if (owner->self.tid || !find_frames(owner, &f))
		return false;
	for (uint32_t i = 0; i < f.n && f.at[i].cfa; i++)
		if (access->addr + access->size <= f.at[i].cfa)
			return is_first(&f, i) && !touches(&f, i, access, true);
	return false;
}

static void bare_frame_root(void)
{
	memo_is_first = is_of_first;
}

AT_ROOT(bare_frame_root);

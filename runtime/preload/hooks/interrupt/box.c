/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * box.c - see box.h
 *
 * What came with the signals lies in one list for all boxes, in the order in which they were sent.
 */
#include "preload/hooks/interrupt/box.h"

#include <signal.h>
#include <string.h>

#include "preload/core/refuse.h"
#include "preload/core/sys.h"

enum {
	BOXES = BOX_PROCESS + 1,
	LETTERS = 64
};

static HEDDLE_IMAGE_SELDOM uint64_t pending[BOXES] = { 0 };
static HEDDLE_IMAGE_SELDOM struct letter {
	int box, sig;
	struct sent with;
} letters[LETTERS] = { { .sig = 0 } };
static HEDDLE_IMAGE_SELDOM uint64_t nletters = 0;

void box_root(void)
{
	sys4(SYS_rt_sigpending, (long)&pending[BOX_PROCESS], sizeof(pending[0]), 0, 0);
}

uint64_t box_pending(int box)
{
	return pending[box];
}

/* The oldest one; NULL: there is none. */
static struct letter *letter(int box, int sig)
{
	for (uint64_t i = 0; i < nletters; i++)
		if (letters[i].sig == sig && letters[i].box == box)
			return &letters[i];
	return NULL;
}

void box_put(int box, int sig, const struct sent *with)
{
	struct letter *l = &letters[nletters];

	if (pending[box] & signal_bit(sig) && sig < SIGRTMIN)
		return;
	if (nletters == LETTERS)
		refuse("more than 64 signals wait to be taken", NULL);
	note_plain_write((uintptr_t)l, sizeof(*l));
	*l = (struct letter){ .box = box, .sig = sig, .with = *with };
	write_noted(&nletters, nletters + 1);
	write_noted(&pending[box], pending[box] | signal_bit(sig));
}

static void throw_away(struct letter *l)
{
	const char *end = (const char *)&letters[nletters];

	note_plain_write((uintptr_t)l, (size_t)(end - (char *)l));
	memmove(l, l + 1, (size_t)(end - (char *)(l + 1)));
	write_noted(&nletters, nletters - 1);
}

/* What was pending at the root point has no letter. */
int box_take(int box, uint64_t wanted, struct sent *with)
{
	int sig = __builtin_ffsl((long)(pending[box] & wanted));
	struct letter *l = sig ? letter(box, sig) : NULL;

	if (!sig)
		return 0;
	if (with)
		*with = l ? l->with : (struct sent){ .code = SI_USER };
	if (l)
		throw_away(l);
	if (!letter(box, sig))
		write_noted(&pending[box], pending[box] & ~signal_bit(sig));
	return sig;
}

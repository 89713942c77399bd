/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch.h - the code between two operations of a thread: is all that it does told?
 *
 * A stretch is that code. A way is a path in the control flow graph of a function. Code tells what it
 * does if a hook announces each access that it makes.
 *
 * Internal to runtime/preload: await.c, await_ask.c and probe.c.
 */
#ifndef HEDDLE_PRELOAD_STRETCH_H
#define HEDDLE_PRELOAD_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The worst that it may do. */
enum stretch {
	STRETCH_TOLD,   /* what it reads and writes but its own frames is announced */
	STRETCH_UNSEEN, /* it may read and write memory that nobody announces */
	STRETCH_HIDDEN  /* it may change what is not in memory: it may ask the kernel */
};

/* A pointer to a function in memory that the program may write to, and what it held. */
struct stretch_word {
	uint64_t at; /* 0: none */
	uint64_t held;
};

/* What is known of the code of one function from a place on, where a call returns to. */
struct stretch_known {
	uint64_t pc;
	uint64_t taken; /* hash of what was known of its calls beyond the code; 0: nothing */
	uint64_t start; /* of the function; 0: not known */
	uint8_t worst;  /* enum stretch, until the next operation, or the function's return */
	bool returns;
	int32_t sp;               /* there, less the canonical frame address; 0: not known */
	struct stretch_word word; /* by which it calls */
};

/*
 * A function of the code alone, and of stretch_ask(). Valid until the next call. Cost: code is looked at once for each pc, some 10 us
 * for 100 instructions.
 */
const struct stretch_known *stretch_known(uint64_t pc);

/*
 * How it is asked until the next call. strictly: a word of memory that the program may write to says nothing of whom it calls; else what it holds
 * when that is looked at counts, until it holds something else when somebody asks. taken, strictly only: all is about a stretch
 * that the thread has behind it, and calls and jumps that the code knows no target of went where it says, and no others were reached (taken.h). Those that
 * nobody watches go anywhere, and are to be watched. NULL: the code alone.
 */
struct taken;
void stretch_ask(bool strictly, const struct taken *taken);

/* Where the function begins that pc is in, as in struct stretch_known. */
uint64_t stretch_start(uint64_t pc);

/* The ways in a function from pc, without an operation, to the call that returns to `site`; or */
enum {
	WAY_OUT,   /* out of the function: by return, or by a jump */
	WAY_JUMPS, /* by a jump */
};
struct stretch_way {
	uint64_t pc, site, taken;
	bool there_is;
	uint8_t worst; /* enum stretch, on such a way */
	struct stretch_word word;
};

/* Likewise. */
struct stretch_way stretch_way(uint64_t pc, uint64_t site);

/*
 * Does the function that begins there access those bytes of its frame, by offsets from the canonical frame address, anywhere in it, where no hook
 * announces that? (What its caller has put on the stack is at 0 and above.) True, too, if that is not known.
 * hidden: that counts as not known where the function has code to which only the unwinder knows the way, or that is in another place.
 */
bool stretch_touches(uint64_t start, int64_t from, int64_t to, bool hidden);

enum {
	STRETCH_FRAMES = 32
};

/* stretch_frames.c: the functions that a thread is in at an operation, from the one that called its hook. */
struct frames {
	uint32_t n;
	bool whole;    /* they are all, up to the thread's first one */
	uint32_t safe; /* so many of them do nothing that is worse than was asked for; n: all */
	enum stretch worst; /* of all that may come until the next operation, whatever it reads */
	struct {
		uint64_t pc;  /* where the call returns to */
		uint64_t cfa; /* the stack pointer behind the function's return */
	} at[STRETCH_FRAMES];
};

/*
 * What may a thread do from pc on, where a hook of an operation returns to with this stack pointer,
 * until its next operation? `most` is the worst that f->safe allows. A function of the code and of the return addresses on
 * the stack.
 */
void stretch_ahead(struct frames *f, uint64_t pc, uint64_t sp, enum stretch most);
/* The functions that it is in there. pc 0: the thread's first one has returned. */
void stretch_arrival(struct frames *f, uint64_t pc, uint64_t sp);
/* Where the function returns to that is at pc with this stack pointer; 0: not known. */
uint64_t stretch_caller(uint64_t pc, uint64_t sp);
/* And what may it have done, if its next operation was at the other place? */
enum stretch stretch_between(const struct frames *from, const struct frames *to);
/* From the begin of a function to that place, in it, or, if `to` is not, until the thread has left it. */
enum stretch stretch_since_begin(uint64_t start, const struct frames *to);
/* From there to its return, or to an operation. */
enum stretch stretch_from_begin(uint64_t start);

/* stretch_hook.c: what is known of a function of libheddle-rt.so, or of another library, by its name. */
enum hook_class {
	HOOK_OTHER,     /* nothing */
	HOOK_OPERATION, /* it is one, always */
	HOOK_TELLS,     /* all that it does is an operation, announced, or noted as hidden state */
	HOOK_CALLS,     /* likewise, and calls functions of the program */
	HOOK_ENDS,      /* as HOOK_TELLS, and it never returns */
	/* Likewise, functions of the C++ library: */
	HOOK_OWN,    /* also while a thread is in it */
	HOOK_TAKES,  /* also, and it makes a thread */
	HOOK_THROWS, /* it has to do with exceptions */
	HOOK_LEAVES  /* also, and it never returns */
};
enum hook_class stretch_hook(const char *name);
/* The same of the function that begins there. */
enum hook_class stretch_hook_at(uint64_t address);

#pragma GCC visibility pop

#endif

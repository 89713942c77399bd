/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * polling.h - threads of a random execution that spin
 *
 * A thread spins when it looks at the same places again and again, reads the same values there, and does nothing else.
 * What it reads then is no news, until somebody writes something else. So it stands aside: the others go first, until
 * one of these places holds another value, or none of the others can move. Of several that spin the one that has waited for longest
 * looks first.
 *
 * That is for the time that an execution takes, and decides nothing else: who stands aside is drawn now and then all the
 * same (polling_drawn_aside()), the less the longer it spins, since it may count its looks, and give up. So all executions stay
 * possible, and none is cut short. That
 * a loop is one that nobody can end is for others to find out (preload/await/quiet.h).
 *
 * Of code that looks some times and then sleeps until it is woken (std::atomic's wait() looks 16 times), what comes behind the last
 * look would hardly ever be seen so, where the others have little to do. So in one of POLLING_INSISTS_IN executions, as it is drawn, a
 * thread that spins goes on alone for some rounds before it stands aside; POLLING_INSISTS rounds at most, of all threads.
 *
 * A thread that has read an old value again and again, where the model lets it, sees the last one soon (polling_wants_last()),
 * also if it does something else in each round.
 *
 * Cost: O(1) for an operation; O(looks) for each thread that stands aside whenever a thread is drawn.
 */
#ifndef HEDDLE_ENGINE_ONLINE_POLLING_H
#define HEDDLE_ENGINE_ONLINE_POLLING_H

#include "engine/run/state.h"

enum {
	POLLING_LOOKS = 16, /* of a round; a longer one is not known as such */
	POLLING_LUCK_FIRST =
		4,         /* a thread that stands aside is drawn one in so many times as often, */
	POLLING_LUCK = 32, /* and later in so many */
	POLLING_INSISTS_IN = 16,
	POLLING_INSISTS = 1024
};

/* A read that did nothing else: where, and what it saw. */
struct look {
	uint64_t pc;
	struct value value;
	uint32_t loc;
	uint32_t times; /* that it saw the same as before, with nothing but looks in between; */
	uint32_t works; /* with something else */
	uint32_t done;  /* what its thread had done by then */
};

struct spinner {
	struct look look[POLLING_LOOKS]; /* since it saw anything new */
	uint32_t n;
	uint32_t done;   /* operations that did more than look */
	uint32_t stood;  /* how often it has stood aside since it saw anything new */
	uint32_t yields; /* since its last event */
	uint64_t wakes;  /* then: when the execution has so many events; 0: by what it looks at */
	uint64_t since;  /* it stands aside; a number that grows */
};

struct polling {
	struct thread_set aside;
	uint64_t
		asked; /* the locations hold what they held when it was asked last who is woken: a number of that */
	uint64_t now;
	uint32_t rounds;  /* that a thread goes on spinning for */
	uint32_t left;    /* of all such rounds */
	uint32_t goes_on; /* the thread whose turn it is again; NO_POS: none */
	struct spinner of[HEDDLE_MAX_THREADS];
};

/* random: what this execution draws from; it is only looked at. */
void polling_begin(struct polling *p, uint64_t random);
/* A thread has done an operation, whose first event is at pos. Does it spin? */
bool polling_happened(struct polling *p, const struct graph *g, uint32_t pos);
/* What it did was more than to look. */
static inline void polling_works(struct polling *p, uint32_t tid)
{
	struct spinner *s = &p->of[tid];

	p->goes_on = NO_POS;
	s->yields = 0;
	s->done++;
	s->wakes = 0;
	if (thread_set_any(&p->aside))
		thread_set_remove(&p->aside, tid);
}
/* It has called sched_yield() or the like. */
void polling_yields(struct polling *p, const struct graph *g, uint32_t tid);

/*
 * still becomes those that stand aside now, without those that are drawn all the same, this time. holds: a number that is another one
 * when any location holds something else than before.
 */
void polling_drawn_aside(struct polling *p, const struct graph *g, uint64_t holds, uint64_t *random,
			 struct thread_set *still);
/* Of the set, all of which stand aside, the one that has done so for longest. */
uint32_t polling_longest(const struct polling *p, const struct thread_set *set);

/* Has the thread read there again and again what is not the last? Then it is to see that. */
bool polling_wants_last(struct polling *p, const struct graph *g, const struct event *read);

#endif

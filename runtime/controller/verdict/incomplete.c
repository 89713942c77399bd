/* SPDX-License-Identifier: BSD-2-Clause */
/* incomplete.c - see incomplete.h */
#include "config.h"

#include "controller/verdict/incomplete.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "controller/base/names.h"
#include "controller/describe/describe_text.h"
#include "controller/elf/locked.h"
#include "controller/run/supervise.h"

static bool died(const struct result *r)
{
	return r->end == RUN_OVER && r->phase < PHASE_DONE;
}

/* Why it may have done something all the same. */
static const char *why_unseen(const struct session *s)
{
	uint64_t offset;

	if (s->search.uninstrumented)
		return "; it may wait for memory that is not seen, since the program is not instrumented "
		       "(build it with heddle-cc)";
	if (locked_find(s->program.path, &offset, 1))
		return "; its atomic instructions in inline assembly are not seen (let it use the atomics "
		       "of the compiler, see heddle-programs(7), LIMITS)";
	return "";
}

/* Threads of a program that is not instrumented, and nothing of how they synchronise. */
static bool saw_nothing(const struct session *s)
{
	const struct result *r = &s->search;

	return r->uninstrumented && r->rooted && !r->synchronised;
}

static void say_nothing_seen(struct session *s)
{
	snprintf(s->why, sizeof(s->why),
		 "there are threads, and nothing was seen by which they synchronise, in a "
		 "program that is not instrumented (build it with heddle-cc)");
}

static void say_death(struct session *s)
{
	const struct result *r = &s->search;
	size_t size = sizeof(s->why);

	if (s->nbugs)
		snprintf(s->why, size, "the process died before the whole space was visited");
	else if (WIFEXITED(r->wait_status))
		snprintf(
			s->why, size,
			"the process left with status %d in thread T%u, past the functions that end a "
			"program",
			WEXITSTATUS(r->wait_status), r->current_thread);
	else
		snprintf(
			s->why, size,
			"the process was killed by SIG%s, not by a bug of its own (out of memory?)",
			sigabbrev_np(WTERMSIG(r->wait_status)));
}

/* Code of an instrumented program that is not. */
static void say_bare(struct session *s)
{
	char where[2 * SHARED_TEXT];

	describe_text(&s->search.modules, s->search.bare, where, sizeof(where));
	snprintf(
		s->why, sizeof(s->why),
		"%.600s, in code that is not instrumented, so what threads do there is not explored (build it "
		"with heddle-cc; let inline assembly be atomics of the compiler)",
		where);
}

/* What was left out of a search that came to its end; false when nothing was. */
static bool say_left_out(struct session *s)
{
	const struct result *r = &s->search;
	const struct options *o = s->options;
	char *why = s->why;
	size_t size = sizeof(s->why);

	if (r->strayed)
		snprintf(
			why, size,
			"%llu orders of calls could not be had, since threads act on memory that is "
			"not seen in a program that is not instrumented (build it with heddle-cc)",
			(unsigned long long)r->strayed);
	else if (r->not_followed & CUT_PARTS)
		snprintf(
			why, size,
			"where atomic accesses of several sizes meet, executions were left out of which "
			"it could not be said whether accesses are torn there: access each object in one "
			"size (heddle-models(7), ACCESSES OF SEVERAL SIZES)");
	else if (r->not_followed & CUT_UNROLLED)
		snprintf(why, size, "loops were cut after %llu round%s (--unroll)",
			 (unsigned long long)o->unroll, o->unroll == 1 ? "" : "s");
	else if (r->not_followed & CUT_TIME)
		snprintf(
			why, size,
			"a loop that asks for the time was followed for 256 rounds only: let it sleep in "
			"each round, or end earlier, so that it has fewer (heddle-calls(7), SYSTEM CALLS)");
	else if (r->not_followed & CUT_ROUNDS)
		snprintf(
			why, size,
			"a loop was followed for 256 rounds only, since a call in it, or code in it "
			"that is not instrumented, may change what heddle does not see");
	else if (r->not_followed & CUT_CANCELS)
		snprintf(
			why, size,
			"threads were stopped in loops whose atomic operations cancel out, and it is not "
			"known whether they can end each other's");
	else if (r->doubtful)
		snprintf(why, size,
			 "a thread waits in a loop that may look at memory, which is not seen in a "
			 "program that is not instrumented (build it with heddle-cc)");
	else if (r->met_in[0])
		snprintf(
			why, size,
			"threads were in %.64s at once, which is not instrumented and has locks or data "
			"of its own: in which orders is not seen (build it with heddle-cc)",
			r->met_in);
	else if (r->bare[0])
		say_bare(s);
	else if (saw_nothing(s))
		say_nothing_seen(s);
	else if (r->left[0])
		snprintf(why, size, "%s", r->left);
	else
		return false;
	return true;
}

/*
 * Is it for the bound on time-outs that no execution has come to its end? Then nothing was seen of what the program does
 * behind its first waits, and that is no "no bug".
 */
static bool never_ended(struct session *s)
{
	const struct result *r = &s->search;

	if (r->executions || !r->blocked || !(r->not_followed & (CUT_TIMEOUTS | CUT_TRIES)))
		return false;
	snprintf(
		s->why, sizeof(s->why),
		"no execution comes to its end within %llu time-outs of a call, or rounds that change "
		"nothing (--timeouts)",
		(unsigned long long)s->options->timeouts);
	return true;
}

/* Was there no memory for an execution? That ends an exploration; a test, where all executions are cut. */
static bool is_full(const struct session *s)
{
	const struct result *r = &s->search;

	return (r->not_followed & CUT_FULL) &&
	       (s->options->command != COMMAND_TEST || r->cut >= r->executions + r->blocked);
}

/* Random testing came to what was asked for. Could it have found anything? */
static bool tested_in_vain(struct session *s)
{
	if (!saw_nothing(s))
		return never_ended(s);
	say_nothing_seen(s);
	return true;
}

bool incomplete(struct session *s)
{
	const struct result *r = &s->search;
	const struct options *o = s->options;
	bool test = o->command == COMMAND_TEST;
	char *why = s->why;
	size_t size = sizeof(s->why);

	if (r->phase == PHASE_DONE && r->exhausted && !r->cut && !r->strayed && !r->doubtful &&
	    !(r->not_followed & (CUT_ROUNDS | CUT_UNROLLED | CUT_CANCELS | CUT_PARTS)) &&
	    !saw_nothing(s) && !r->met_in[0] && !r->bare[0] && !r->left[0])
		return never_ended(s);
	if (r->left[0] && r->phase == PHASE_DONE && r->exhausted && say_left_out(s))
		return true;
	if (r->end == RUN_HUNG)
		snprintf(
			why, size,
			"the program hangs in a loop without operations: thread T%u did nothing %s for "
			"%g s (%s--watchdog)%s",
			r->current_thread,
			r->accesses_only ? "but plain accesses" : "that heddle can see",
			(r->accesses_only ? SUPERVISE_PATIENCE : 1) * o->watchdog_s,
			r->accesses_only ? "ten times " : "",
			r->accesses_only ? "" : why_unseen(s));
	else if (r->end == RUN_INTERRUPTED)
		snprintf(why, size, "interrupted");
	else if (o->estimate && r->estimate.descents >= 1 &&
		 (r->end == RUN_TIMEOUT || (r->phase == PHASE_DONE && r->end == RUN_OVER)))
		snprintf(why, size, "only an estimate was asked for (--estimate)");
	else if (r->end == RUN_TIMEOUT && test && (!o->executions || o->time_s > 0) &&
		 r->executions + r->blocked)
		/* Else what was asked for: as many as there is time for. */
		return tested_in_vain(s);
	else if (r->end == RUN_TIMEOUT)
		snprintf(why, size, "the time limit of %g s was reached (--timeout)", o->timeout_s);
	else if (died(r))
		say_death(s);
	else if (is_full(s))
		snprintf(
			why, size,
			"an execution%s filled the memory for executions (--max-events, such as 1000, cuts those of loops "
			"without end)",
			test ? "" : ", with what is left to explore on the way there,");
	else if (r->cut && (!test || r->cut >= r->executions + r->blocked))
		snprintf(why, size, "executions were cut at %llu events (--max-events)",
			 (unsigned long long)o->max_events);
	else if (r->exhausted && say_left_out(s))
		return true;
	else if (!test)
		snprintf(why, size, "the limit of %llu executions was reached (-n)",
			 (unsigned long long)o->executions);
	else
		return tested_in_vain(s);
	return true;
}

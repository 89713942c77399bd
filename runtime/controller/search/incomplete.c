/* SPDX-License-Identifier: BSD-2-Clause */
/* incomplete.c - see incomplete.h */
#include "config.h"

#include "controller/search/incomplete.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "controller/elf/locked.h"
#include "controller/report/describe_text.h"
#include "controller/run/supervise.h"

bool search_died(const struct result *r)
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
		       "of the compiler, see heddle(1), LIMITS)";
	return "";
}

/* Threads of a program that is not instrumented, and nothing of how they synchronise. */
static bool saw_nothing(const struct session *s)
{
	const struct result *r = &s->search;

	return s->options->command == COMMAND_EXPLORE && r->uninstrumented && r->rooted &&
	       !r->synchronised;
}

/*
 * Code of the program that does what heddle does not see: the atomic instructions of threads, or system calls, by
 * which threads, and what they wait for, may be made as well.
 */
static bool has_untold_code(const struct session *s, char *why, size_t size)
{
	const struct result *r = &s->search;
	bool atomics = !r->uninstrumented && r->rooted;
	struct untold_code found;
	bool has = false;

	if (s->options->command != COMMAND_EXPLORE)
		return false;
	has = untold_find(s->program.path, atomics, false, &found);
	for (size_t i = 1; i < r->modules.n && !has; i++)
		has = untold_find(r->modules.at[i].path, atomics, true, &found);
	if (!has)
		return false;
	if (found.system_call)
		snprintf(
			why, size,
			"%.128s() has system calls in machine code of its own, which are not seen: let it "
			"call libc, syscall() for instance",
			found.function);
	else
		snprintf(
			why, size,
			"%.128s() has atomic instructions that are not seen: let it use the atomics of the "
			"compiler, and build all of the program with heddle-cc",
			found.function);
	return true;
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

/*
 * A variable changed, and nobody announced that. libc does so for a program as well (setjmp(), stat()), so it counts where
 * there is other code that may have done it: a file of the program, or a library, that is not instrumented.
 */
static bool has_untold_variable(const struct session *s, char *why, size_t size)
{
	const struct result *r = &s->search;
	char where[2 * SHARED_TEXT], source[SHARED_TEXT];

	if (!r->untold[0])
		return false;
	if (!untold_source(s->program.path, source, sizeof(source))) {
		if (!r->foreign[0])
			return false;
		snprintf(source, sizeof(source), "%s", r->foreign);
	}
	describe_text(&r->modules, r->untold, where, sizeof(where));
	snprintf(
		why, size,
		"%.400s was written to by code that is not instrumented (%.128s?), so what threads do there is not "
		"seen: build all of the program with heddle-cc",
		where, source);
	return true;
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
			"size (heddle(1), ACCESSES OF SEVERAL SIZES)");
	else if (r->not_followed & CUT_UNROLLED)
		snprintf(why, size, "loops were cut after %llu round%s (--unroll)",
			 (unsigned long long)o->unroll, o->unroll == 1 ? "" : "s");
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
	else if (saw_nothing(s))
		snprintf(why, size,
			 "there are threads, and nothing was seen by which they synchronise, in a "
			 "program that is not instrumented (build it with heddle-cc)");
	else
		return false;
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
	    !saw_nothing(s) && !r->met_in[0])
		return has_untold_code(s, why, size) || has_untold_variable(s, why, size);
	if (r->end == RUN_HUNG)
		snprintf(
			why, size,
			"the program hangs in a loop without operations: thread T%u did nothing %s for "
			"%g s (%s--watchdog)%s",
			r->current_thread,
			!r->accesses_only ? "that heddle can see"
			: r->rooted       ? "but plain accesses"
					  : "but accesses and calls, without creating a thread,",
			(r->accesses_only ? SUPERVISE_PATIENCE : 1) * o->watchdog_s,
			r->accesses_only ? "ten times " : "",
			r->accesses_only ? "" : why_unseen(s));
	else if (r->end == RUN_INTERRUPTED)
		snprintf(why, size, "interrupted");
	else if (r->end == RUN_TIMEOUT && test && (!o->executions || o->time_s > 0) &&
		 r->executions + r->blocked)
		return false; /* what was asked for: as many as there is time for */
	else if (r->end == RUN_TIMEOUT)
		snprintf(why, size, "the time limit of %g s was reached (--timeout)", o->timeout_s);
	else if (search_died(r))
		say_death(s);
	else if (r->cut && (!test || r->cut >= r->executions + r->blocked))
		snprintf(why, size, "executions were cut at %llu events (--max-events)",
			 (unsigned long long)o->max_events);
	else if (r->exhausted && say_left_out(s))
		return true;
	else if (!test)
		snprintf(why, size, "the limit of %llu executions was reached (-n)",
			 (unsigned long long)o->executions);
	else
		return false;
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children.c - processes that the program makes before it has threads
 *
 * Test frameworks run each test in a child. Each child that created a thread in the plain run is
 * explored like a program of its own, under its number: the first child of the program is 1, the
 * second one's first child 2.1. Children without threads do in the plain run all that they can.
 *
 * How has a child to end? With status 0, unless the program made do with another one: it exited with 0
 * itself after it was told of the other status (tests that are to exit so). A child that died of a
 * signal to the program's content is not explored.
 *
 * The status of the program itself is looked at last, since what its children do in the plain run,
 * where they run alone, is up to chance. It is a bug if none of them has one that explains it.
 */
#include "config.h"

#include "controller/search/children.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/run/covered.h"
#include "controller/run/supervise.h"
#include "controller/search/search.h"

enum {
	NUMBER_BITS = 16, /* as in preload/loop/children.c */
	NUMBER = (1 << NUMBER_BITS) - 1
};

void child_name(uint64_t child, char name[CHILD_NAME])
{
	unsigned first = child & NUMBER, second = child >> NUMBER_BITS & NUMBER;

	name[0] = 0;
	if (second)
		snprintf(name, CHILD_NAME, "%u.%u", first, second);
	else if (first)
		snprintf(name, CHILD_NAME, "%u", first);
}

/* The whole of it, while s->search is that of one process. */
struct sum {
	struct result first; /* of the program itself */
	int status;          /* the worst of those without a verdict */
	char why[1024];
	double begun;
	bool contented; /* the program itself exited with 0 */
};

static void say_result(const struct session *s, const struct child_result *c)
{
	char more[96] = "";

	if (s->options->quiet)
		return;
	if (c->blocked)
		snprintf(more, sizeof(more), " and %llu blocked", (unsigned long long)c->blocked);
	if (c->nbugs)
		say("child %s: %zu bug%s found", c->name, c->nbugs, c->nbugs == 1 ? "" : "s");
	else if (c->why[0])
		say("child %s: inconclusive: %s", c->name, c->why);
	else
		say("child %s: no bug in %llu execution%s%s%s", c->name,
		    (unsigned long long)c->executions, c->executions == 1 ? "" : "s", more,
		    s->options->command == COMMAND_TEST ? "" : ", which is all of them");
}

static void add_up(struct sum *all, const struct result *r)
{
	struct result *t = &all->first;

	t->executions += r->executions;
	t->blocked += r->blocked;
	t->wasted += r->wasted;
	t->events += r->events;
	t->restarts += r->restarts;
	t->cut += r->cut;
	t->bugs_more += r->bugs_more;
	ledger_add(&t->ledger, &r->ledger);
	for (unsigned c = 0; c < VALUE_COUNTS; c++)
		t->values[c] += r->values[c];
	for (unsigned c = 0; c < MEMO_COUNTS; c++)
		t->memo[c] += r->memo[c];
	covered_join(t, r);
	t->uninstrumented &= r->uninstrumented;
	t->rooted |= r->rooted;
	t->not_followed |= r->not_followed;
	t->lost += r->lost;
	if (r->peak_rss_kib > t->peak_rss_kib)
		t->peak_rss_kib = r->peak_rss_kib;
	if (r->backend > t->backend)
		t->backend = r->backend;
}

/* A verdict of one process that is no bug. */
static void note_why(struct session *s, struct sum *all)
{
	if (s->verdict != VERDICT_INCONCLUSIVE || s->status <= all->status)
		return;
	all->status = s->status;
	snprintf(all->why, sizeof(all->why), "%s%s%.900s", s->child_name[0] ? "child " : "",
		 s->child_name, s->child_name[0] ? ": " : "");
	snprintf(all->why + strlen(all->why), sizeof(all->why) - strlen(all->why), "%s", s->why);
}

/* True when there is time for another one. */
static bool go_on(struct session *s, const struct sum *all)
{
	if (was_interrupted())
		return false;
	if (s->options->timeout_s <= 0)
		return true;
	s->timeout_s = s->options->timeout_s - (now_s() - all->begun);
	return s->timeout_s > 0;
}

static void search_children(struct session *s, uint32_t mode, struct sum *all, uint64_t parent,
			    const struct result *of);

static bool keep(struct session *s, const struct child_result *c)
{
	struct child_result *grown =
		realloc(s->children, (s->nchildren + 1) * sizeof(*s->children));

	if (!grown)
		return false;
	s->children = grown;
	grown[s->nchildren++] = *c;
	return true;
}

/* The process to look at. */
static void at(struct session *s, uint64_t child, int expected)
{
	s->child = child;
	s->expected = (uint64_t)expected;
	child_name(child, s->child_name);
}

/* The child has children, and its own exit status is looked at behind theirs. */
static void search_below(struct session *s, uint32_t mode, struct sum *all, struct child_result *c)
{
	struct session own = *s;
	size_t before = s->nbugs;

	memset(&s->search, 0, sizeof(s->search));
	search_children(s, mode, all, own.child, &own.search);
	at(s, own.child, c->expected);
	s->search = own.search;
	s->verdict = own.verdict;
	s->status = own.status;
	memcpy(s->why, own.why, sizeof(s->why));
	if (s->nbugs > before)
		return;
	search_again(s);
	c->nbugs += s->nbugs - before;
}

static void search_child(struct session *s, uint32_t mode, struct sum *all, uint64_t child,
			 int expected)
{
	struct child_result c = { .expected = expected };
	size_t before = s->nbugs;

	at(s, child, expected);
	search_process(s, mode);
	c.nbugs = s->nbugs - before;
	if (search_has_children(&s->search))
		search_below(s, mode, all, &c);
	add_up(all, &s->search);
	note_why(s, all);
	snprintf(c.name, sizeof(c.name), "%s", s->child_name);
	c.verdict = verdict_name(s);
	c.executions = s->search.executions;
	c.blocked = s->search.blocked;
	if (s->verdict == VERDICT_INCONCLUSIVE)
		snprintf(c.why, sizeof(c.why), "%s", s->why);
	say_result(s, &c);
	if (!keep(s, &c))
		all->status = fail(STATUS_INTERNAL, "out of memory");
	result_release(&s->search);
}

static void search_children(struct session *s, uint32_t mode, struct sum *all, uint64_t parent,
			    const struct result *of)
{
	unsigned shift = parent ? NUMBER_BITS : 0;

	if (parent > NUMBER) { /* deeper than numbers go */
		if (search_has_children(of) && all->status < STATUS_INCONCLUSIVE) {
			all->status = STATUS_INCONCLUSIVE;
			snprintf(
				all->why, sizeof(all->why),
				"children of child %s have threads: it is not explored how children of "
				"children make children",
				s->child_name);
		}
		return;
	}
	for (size_t i = 0; i < of->noffspring; i++) {
		const struct offspring *o = &of->offspring[i];
		bool told = o->ended >= 0 && all->contented;
		uint64_t child = parent | (uint64_t)(i + 1) << shift;
		char name[CHILD_NAME];

		if (!o->threads)
			continue;
		child_name(child, name);
		if (told && WIFSIGNALED(o->ended)) {
			if (!s->options->quiet)
				say("note: child %s dies of SIG%s, as the program wants it: it is not "
				    "explored",
				    name, sigabbrev_np(WTERMSIG(o->ended)));
			continue;
		}
		if (!go_on(s, all)) {
			if (!all->status)
				snprintf(all->why, sizeof(all->why),
					 "child %s and those behind it were not explored: %s", name,
					 was_interrupted() ? "interrupted"
							   : "there is no time left (--timeout)");
			if (all->status < STATUS_INCONCLUSIVE)
				all->status = STATUS_INCONCLUSIVE;
			return;
		}
		search_child(s, mode, all, child, told ? WEXITSTATUS(o->ended) : 0);
	}
}

void children_search(struct session *s, uint32_t mode)
{
	struct sum all = { .begun = now_s() - s->search.seconds, .first = s->search };

	all.contented = s->search.phase == PHASE_DONE && !s->search.nfindings;
	memset(&s->search, 0, sizeof(s->search));
	note_why(s, &all);
	search_children(s, mode, &all, 0, &all.first);
	s->child = s->expected = 0;
	s->child_name[0] = 0;
	s->search = all.first;
	s->verdict = VERDICT_OK;
	s->status = STATUS_OK;
	s->why[0] = 0;
	if (!s->nbugs) {
		search_again(s);
		note_why(s, &all);
	}
	s->search.seconds = now_s() - all.begun;
	if (s->search.more_offspring && !all.status) {
		all.status = STATUS_INCONCLUSIVE;
		snprintf(all.why, sizeof(all.why), "the program makes more than %d children",
			 SHARED_MAX_CHILDREN);
	}
	if (s->nbugs) {
		s->verdict = VERDICT_BUG;
		s->status = STATUS_BUG;
	} else if (all.status) {
		s->verdict = VERDICT_INCONCLUSIVE;
		s->status = all.status;
		snprintf(s->why, sizeof(s->why), "%s", all.why);
	}
}

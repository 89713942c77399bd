/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.c - one execution and the bug it ends in, in terms that hold in every run
 *
 * Caller: all parts of the controller that keep, write, read, compare or print a bug.
 */
#include "config.h"

#include "controller/trace/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/names.h"

void finding_release(struct finding *f)
{
	free(f->sides);
	free(f->steps);
	said_release(&f->said);
	memset(f, 0, sizeof(*f));
}

void loaded_release(struct loaded_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i].path);
	free(l->at);
	memset(l, 0, sizeof(*l));
}

struct place place_of_code(const struct loaded_list *l, uint64_t pc)
{
	struct place p = { .kind = PLACE_UNKNOWN };

	for (size_t i = 0; pc && i < l->n; i++) {
		uint64_t base = l->at[i].base;

		if (base > pc || (p.kind && l->at[p.module].base > base))
			continue;
		p.kind = PLACE_GLOBAL;
		p.module = (uint32_t)i;
		p.offset = pc - base;
	}
	return p;
}

uint64_t place_address(const struct loaded_list *l, const struct place *p)
{
	if (p->kind != PLACE_GLOBAL || p->module >= l->n)
		return 0;
	return l->at[p->module].base + p->offset;
}

static bool same_code(const struct side *a, const struct side *b)
{
	return a->code.kind == b->code.kind && a->code.module == b->code.module &&
	       a->code.offset == b->code.offset;
}

/*
 * Where the earlier access of a race was made is only known in a replay. While executions are
 * searched, one place stands for all bytes of a granule that a thread touched in one stretch (race.c).
 */
static bool is_vague(const struct finding *f, const struct side *s)
{
	return f->kind == BUG_DATA_RACE && s != &f->sides[0] && !s->is_atomic;
}

/* Is there a side of f that is the same as s? */
static bool has_side(const struct finding *f, const struct side *s, bool vague)
{
	for (uint32_t i = 0; i < f->nsides; i++) {
		const struct side *t = &f->sides[i];

		if (t->thread == s->thread && t->is_write == s->is_write &&
		    t->is_atomic == s->is_atomic && (same_code(s, t) || (vague && is_vague(f, t))))
			return true;
	}
	return false;
}

bool finding_same_access(const struct finding *a, const struct finding *b)
{
	const struct side *p = a->sides, *q = b->sides;

	return a->kind == BUG_DATA_RACE && b->kind == BUG_DATA_RACE && a->nsides == 2 &&
	       b->nsides == 2 && p->thread == q->thread && p->is_write == q->is_write &&
	       p->is_atomic == q->is_atomic && same_code(p, q) && a->place.kind == b->place.kind &&
	       a->place.module == b->place.module && a->place.offset == b->place.offset;
}

bool finding_same(const struct finding *a, const struct finding *b, char *why, size_t size)
{
	if (a->kind != b->kind) {
		snprintf(why, size, "recorded: %s; now: %s", bug_title(a->kind),
			 bug_title(b->kind));
		return false;
	}
	if (a->signal != b->signal) {
		snprintf(why, size, "recorded: death by signal %d; now: %d", a->signal, b->signal);
		return false;
	}
	if (a->kind == BUG_EXIT_CODE && strcmp(a->message, b->message)) {
		snprintf(why, size, "recorded: %s; now: %s", a->message, b->message);
		return false;
	}
	if (a->nsides != b->nsides) {
		snprintf(why, size, "recorded: %u threads take part in the %s; now: %u", a->nsides,
			 bug_title(a->kind), b->nsides);
		return false;
	}
	for (uint32_t i = 0; i < a->nsides; i++) {
		const struct side *p = &a->sides[i], *q = &b->sides[i];

		if (has_side(b, p, is_vague(a, p)))
			continue;
		snprintf(why, size,
			 "recorded: %s of thread T%u at %u+0x%llx; now: thread T%u at %u+0x%llx",
			 bug_title(a->kind), p->thread, p->code.module,
			 (unsigned long long)p->code.offset, q->thread, q->code.module,
			 (unsigned long long)q->code.offset);
		return false;
	}
	return true;
}

static int compare_places(const struct place *a, const struct place *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* An order that does not depend on who found what when: by kind, words and place in the code. */
static int compare_findings(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;
	int d = strcmp(a->message, b->message);

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (uint32_t i = 0; !d && i < a->nsides && i < b->nsides; i++)
		d = compare_places(&a->sides[i].code, &b->sides[i].code);
	return d;
}

static int compare_numbers(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	return (a->execution > b->execution) - (a->execution < b->execution);
}

void findings_sort(struct finding *f, size_t n, bool by_number)
{
	qsort(f, n, sizeof(*f), by_number ? compare_numbers : compare_findings);
}

bool finding_repeats(const struct finding *a, const struct finding *b)
{
	if (a->kind != b->kind || a->nsides != b->nsides)
		return false;
	if (a->kind == BUG_EXIT_CODE && strcmp(a->message, b->message)) /* it names the status */
		return false;
	for (uint32_t i = 0; i < a->nsides; i++) {
		const struct place *p = &a->sides[i].code, *q = &b->sides[i].code;

		if (p->kind != q->kind || p->module != q->module || p->offset != q->offset)
			return false;
	}
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_search.c - tables and trees of <search.h>, as plain accesses
 *
 * What libc does to a tree or a table is as one access of what the program knows it by: the root, the table, or something of
 * ours that stands for the one table of hsearch(). Nodes are libc's own, and balanced anew also where nothing is added. Functions
 * of the program that compare are instrumented themselves.
 */
/*
 * intercepts: Memory
 *
 * checked hcreate hdestroy hsearch - plain accesses of the table, which is the same for all threads: a read, where hsearch() only looks,
 *	else a write; when instrumented code calls them
 * checked hcreate_r hdestroy_r hsearch_r - likewise of the program's table, and a plain write of what was found
 * checked tsearch tdelete tfind - a plain read of the root, and a write by those that change the tree
 * checked insque remque - plain accesses of the elements
 */
#include "preload/hooks/announce.h"

#define entry search_entry /* which is one of ours */
#include <search.h>
#undef entry

/* ---- Tables --------------------------------------------------------------------------------------- */

/* In the place of libc's. */
HEDDLE_IMAGE_SELDOM static char table_of_hsearch;

static void uses(const void *table, size_t size, bool changes, uint64_t pc)
{
	note_hidden_state();
	if (!seen(pc))
		return;
	if (changes)
		writes(table, size, pc);
	else
		reads(table, size, pc);
}

HEDDLE_HOOK int hcreate(size_t n)
{
	uses(&table_of_hsearch, 1, true, CALLER());
	return REAL(hcreate)(n);
}

HEDDLE_HOOK void hdestroy(void)
{
	uses(&table_of_hsearch, 1, true, CALLER());
	REAL(hdestroy)();
}

HEDDLE_HOOK ENTRY *hsearch(ENTRY item, ACTION action)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_text(item.key, SIZE_MAX, pc);
	uses(&table_of_hsearch, 1, action == ENTER, pc);
	return REAL(hsearch)(item, action);
}

HEDDLE_HOOK int hcreate_r(size_t n, struct hsearch_data *table)
{
	if (table)
		uses(table, sizeof(*table), true, CALLER());
	return REAL(hcreate_r)(n, table);
}

HEDDLE_HOOK void hdestroy_r(struct hsearch_data *table)
{
	if (table)
		uses(table, sizeof(*table), true, CALLER());
	REAL(hdestroy_r)(table);
}

HEDDLE_HOOK int hsearch_r(ENTRY item, ACTION action, ENTRY **found, struct hsearch_data *table)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_text(item.key, SIZE_MAX, pc);
	uses(table, sizeof(*table), action == ENTER, pc);
	if (seen(pc))
		writes(found, sizeof(*found), pc);
	return REAL(hsearch_r)(item, action, found, table);
}

/* ---- Trees ---------------------------------------------------------------------------------------- */

HEDDLE_HOOK void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	if (root)
		uses(root, sizeof(*root), true, CALLER());
	return REAL(tsearch)(key, root, compare);
}

HEDDLE_HOOK void *tdelete(const void *restrict key, void **restrict root,
			  int (*compare)(const void *, const void *))
{
	if (root)
		uses(root, sizeof(*root), true, CALLER());
	return REAL(tdelete)(key, root, compare);
}

HEDDLE_HOOK void *tfind(const void *key, void *const *root,
			int (*compare)(const void *, const void *))
{
	if (root)
		uses(root, sizeof(*root), false, CALLER());
	return REAL(tfind)(key, root, compare);
}

/* ---- Lists ---------------------------------------------------------------------------------------- */

struct element {
	struct element *next, *previous;
};

HEDDLE_HOOK void insque(void *element, void *behind)
{
	uint64_t pc = CALLER();
	struct element *e = element, *p = behind;

	if (seen(pc)) {
		if (p) {
			reads(&p->next, sizeof(p->next), pc);
			if (p->next)
				writes(&p->next->previous, sizeof(e->previous), pc);
			writes(&p->next, sizeof(p->next), pc);
		}
		writes(e, sizeof(*e), pc);
	}
	REAL(insque)(element, behind);
}

HEDDLE_HOOK void remque(void *element)
{
	uint64_t pc = CALLER();
	struct element *e = element;

	if (seen(pc)) {
		reads(e, sizeof(*e), pc);
		if (e->next)
			writes(&e->next->previous, sizeof(e->previous), pc);
		if (e->previous)
			writes(&e->previous->next, sizeof(e->next), pc);
	}
	REAL(remque)(element);
}

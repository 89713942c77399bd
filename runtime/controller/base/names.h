/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.h - the words for models, operations, orders and kinds of bugs
 *
 * The same words stand on the command line, in traces, in reports and in JSON, so each is
 * written down once. Tables end with NULL and are indexed by the enum they name.
 */
#ifndef HEDDLE_CONTROLLER_NAMES_H
#define HEDDLE_CONTROLLER_NAMES_H

#include <stddef.h>

#include "wire/op.h"
#include "wire/opnames.h"

extern const char *const names_model[];       /* enum engine_model */
extern const char *const names_equivalence[]; /* enum engine_equivalence */
extern const char *const names_strategy[];    /* enum search_strategy */
extern const char *const names_volatile[];    /* SETTING_VOLATILE */
extern const char *const names_plain[];       /* SETTING_PLAIN */
extern const char *const names_setting[];     /* enum setting, as in traces */
extern const char *const names_backend[];     /* enum backend */
extern const char *const names_bug[];         /* enum bug_kind, as in JSON */
extern const char *const names_side_call[];   /* enum side_call; "": it accesses memory */
extern const char *const names_fact[];        /* enum fact_kind, as in traces */
extern const char *const names_when[];        /* enum when */
extern const char *const names_format[];      /* enum show_format */

enum when {
	WHEN_AUTO,
	WHEN_ALWAYS,
	WHEN_NEVER
};

enum show_format {
	FORMAT_TEXT,
	FORMAT_DOT,
	FORMAT_SVG,
	FORMAT_HTML,
	FORMAT_JSON
};

/* The word at index i, or "?" beyond the end of the table. */
const char *name_of(const char *const *table, size_t i);

/* The index of word in the table, or -1. */
int name_find(const char *const *table, const char *word);

/* A kind of bug in prose: "data race", "use after free". */
const char *bug_title(unsigned kind);

/* What a thread blocked in this operation waits for: "to lock a mutex". */
const char *waiting_for(enum op_kind kind);

#endif

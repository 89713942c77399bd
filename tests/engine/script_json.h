/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_json.h - litmus files of the conformance suite as scripts
 */
#ifndef HEDDLE_TESTS_SCRIPT_JSON_H
#define HEDDLE_TESTS_SCRIPT_JSON_H

#include "engine/engine.h"
#include "engine/script.h"

struct litmus_expect {
	uint64_t rf, mo, blocked, values;
	bool has_mo, assertion, race;
};

struct litmus {
	struct script script;
	struct litmus_expect expect[MODEL_COUNT];
};

/*
 * Reads the file into *out (freed with free()) and *n. False when it is not there or makes
 * no sense; a line on stderr says which, unless it is just not there.
 */
bool litmus_load(const char *path, struct litmus **out, int *n);

/* One program from text, for cases written down in tests; aborts when it makes no sense. */
void script_parse(struct script *s, const char *text);

/* The program in the same format, on one line, without expectations. */
void script_to_json(const struct script *s, FILE *f);

/* Path of a file of tests/conformance. */
const char *litmus_path(const char *file);

extern const char *const model_names[MODEL_COUNT];

#endif

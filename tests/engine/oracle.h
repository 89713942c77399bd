/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle.h - every execution of a script, by brute force
 *
 *	struct oracle o;
 *	oracle_init(&o);
 *	oracle_run(&o, &script, &(struct oracle_options){ .models = 1u << MODEL_RC11 });
 *	... o.classes.v[i].models says in which models class i exists ...
 *	oracle_release(&o);
 *
 * All graphs in which po and rf together are acyclic are enumerated, each judged by the
 * axioms (axioms.h). A guarded operation (lock, semaphore wait) that no consistent source
 * lets pass makes its thread wait for ever.
 */
#ifndef HEDDLE_TESTS_ORACLE_H
#define HEDDLE_TESTS_ORACLE_H

#include "engine/axioms.h"
#include "engine/classes.h"

struct oracle_options {
	unsigned models;
	bool count_mo;  /* also all modification orders and the vectors of values read */
	bool rule;      /* the redundant-round rule */
	int max_reads;  /* per thread, 0: none; a thread stops there (CLASS_CUT) */
	int max_states; /* give up after so many, 0: never */
};

struct oracle {
	struct class_set classes;   /* models: where it exists */
	struct class_set finals;    /* final registers r* of complete executions, as keys */
	struct class_set values;    /* vectors of values read, complete executions (count_mo), */
	struct class_set deadlocks; /* and of those that end in a deadlock */
	uint64_t count[CLASS_KINDS][AX_MODELS], mos[AX_MODELS];
	unsigned racy;   /* models in which some execution has a race */
	uint64_t states; /* graphs looked at */
	bool gave_up;    /* too large: the results mean nothing */
	struct class_set seen;
};

void oracle_init(struct oracle *o);
void oracle_release(struct oracle *o);
void oracle_run(struct oracle *o, const struct script *s, const struct oracle_options *opt);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guided.h - random executions of a program that follow a list of steps as far as they can (engine/online/guide.h)
 */
#ifndef HEDDLE_CONTROLLER_GUIDED_H
#define HEDDLE_CONTROLLER_GUIDED_H

#include "controller/options/options.h"
#include "controller/run/collect.h"
#include "controller/trace/trace.h"

struct guided_how {
	const struct options *options;
	uint32_t backend;
	uint64_t executions; /* so many */
	bool all;            /* also behind a bug */
	uint64_t seed;
	double timeout_s;
};

/*
 * Runs them in a process of their own, with the program, its input and what is known of it from the trace. n is not 0.
 * Collects what that left: findings, and out->guided. Returns 0 or an exit status after a message. *out is to be released
 * even then.
 */
int guided_run(const struct trace *t, const struct program *program, const struct step *steps,
	       size_t n, const struct guided_how *how, struct result *out);

#endif

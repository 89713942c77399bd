/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shorten.h - how large an execution is, and how it could be smaller
 *
 * What is made here is no execution, but the guide of one (engine/online/guide.h): steps in another order, or fewer.
 */
#ifndef HEDDLE_CONTROLLER_SHORTEN_H
#define HEDDLE_CONTROLLER_SHORTEN_H

#include "controller/trace/recording.h"

struct trace_size {
	size_t operations;
	size_t switches;  /* from one thread to another */
	size_t old_reads; /* of another write than the last one to the same place so far */
};

struct trace_size shorten_measure(const struct step *steps, size_t n);

/*
 * Less than 0: a is smaller. Switches come first, then old reads, then operations; or old reads, if reads_first: an
 * execution without any happens in the order of its steps, one with some in another.
 */
int shorten_compare(const struct trace_size *a, const struct trace_size *b, bool reads_first);

/* Where the piece ends that one thread does in a row from `from` on. */
size_t shorten_piece(const struct step *steps, size_t n, size_t from);

/*
 * The piece that begins at `from` joined with the next one of its thread: that comes earlier, or this one later.
 * Into out, of n steps. False: there is no next one.
 */
bool shorten_join(const struct step *steps, size_t n, size_t from, bool later, struct step *out);

/* Without the steps of its thread from `from` on; returns how many are left. */
size_t shorten_end(const struct step *steps, size_t n, size_t from, struct step *out);

/* The old reads number [first, first + count) read what is newest; returns how many of these there are. */
size_t shorten_read_newest(const struct step *steps, size_t n, size_t first, size_t count,
			   struct step *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.h - the trace file (.hdt): one recorded execution and its bug
 *
 * Text, one line for each step, in the order in which the program executed them.
 * Nothing in it is an address, so it can be read, compared and attached to a
 * report, and replays from any folder:
 *
 *	heddle-trace 3
 *	program /home/me/t
 *	build-id 0123456789abcdef
 *	argument ./t
 *	command explore
 *	model rc11
 *	equivalence rf
 *	backend auto
 *	set volatile 1
 *	seed 0
 *	folder /home/me/tests
 *	variable HOME=/home/me
 *	module 0 0123456789abcdef /home/me/t
 *	bug data-race
 *	message two accesses ...
 *	object 0:x+0x0
 *	fact explored 0:y+0x0/4
 *	side 2 write plain 4 at 0+0x11f2
 *	side 1 read atomic 4 at 3+0x99e0 in 0+0x11e0
 *	says 2 1 0+0x11c4 taken 5
 *	named 24 heap:0.0[24]+0x0 the queue
 *	named 0 thread:1 consumer
 *	steps 4
 *	0.0 create thread 1 at 0+0x1180
 *	1.0 start
 *	0.1 yield thread 2
 *	1.1 rmw.acq_rel 0:y+0x0/4 from init read 0x0 wrote 0x1 at 0+0x11d0
 *	end data-race checksum 0123456789abcdef
 *
 * A side is at a place, in own code (or what it called is). What thread 1 says stands behind 2 steps. A program that another one started has a folder. A variable without = was not set. A step is named thread.index. A
 * yield is no step: it stands where the thread went on, before its step of that index, behind so many yields (2); with
 * `choice 1` it did not go on, nor did one in a pause. A step that another one let go on, which woke it or was the last at a barrier, is `after` that. Locations: module:symbol+offset, module+offset,
 * heap:thread.rank[size]+offset, stack:thread-offset, ? (unknown); after a slash the size of
 * the access. Facts are those of wire/facts.h that a replay needs; the place of an interrupted
 * thread is signal:thread.signal, that of one that asks for fences thread:thread. Rest-of-line texts have control characters and backslashes as \xNN.
 *
 * The reader accepts nothing else: a trace is data from somewhere, perhaps truncated, edited
 * or made to harm. Every error is one line with the file and the line.
 */
#ifndef HEDDLE_CONTROLLER_TRACE_H
#define HEDDLE_CONTROLLER_TRACE_H

#include <stdio.h>

#include "controller/trace/recording.h"
#include "controller/trace/variables.h"

#define TRACE_VERSION 3

enum {
	TRACE_MAX_ARGUMENTS = 4096,
	TRACE_MAX_VARIABLES = 4096,
	TRACE_LOCATION = 512, /* longest location in text form */
};

struct trace {
	char *program; /* absolute path */
	char build_id[BUILD_ID_TEXT];
	char **arguments; /* with argv[0]; ends with NULL */
	size_t narguments;
	uint32_t command, model, equivalence, backend;
	uint64_t seed;
	uint64_t setting[SETTINGS];
	char *folder;     /* where it runs; NULL: anywhere */
	char *stdin_file; /* NULL: empty input */
	struct variable_list environment;
	struct loaded_list modules; /* base is 0 in a trace that was read */
	struct fact *facts;         /* bug.nfacts of them */
	struct finding bug;
};

void trace_release(struct trace *t);

/* How locations in modules get names, and back; the tests use their own. */
struct trace_symbols {
	/* "name+0x8" for an offset of a module; false: written as a bare offset. */
	bool (*name)(void *ctx, uint32_t module, uint64_t offset, char *out, size_t size);
	/* The offset of a name in a module; false: no such name. */
	bool (*offset)(void *ctx, uint32_t module, const char *name, uint64_t *out);
	void *ctx;
};

/* Writes the trace. Returns 0 or -errno (a full disk shows at the latest here). */
int trace_write(FILE *f, const struct trace *t, const struct trace_symbols *symbols);

/* A location in text form. */
void trace_location(const struct place *p, const struct trace_symbols *symbols, char *out,
		    size_t size);

/*
 * A value in text form: 0x1, or for 16 bytes high:low, 0x1:0x0.
 */
void trace_value(struct value v, char out[40]);

struct trace_reader {
	const char *path; /* for messages */
	char *text;
	size_t size;
	char *at; /* next line */
	unsigned line;
	char error[1024]; /* "path:line: what is wrong" */
};

/*
 * Reads a file, checks that it is complete and unchanged, and reads its header into t.
 * Returns false with r->error set. Release both in any case.
 */
bool trace_open(struct trace_reader *r, const char *path, struct trace *t);
/* The same for text in memory (copied). */
bool trace_open_text(struct trace_reader *r, const char *path, const char *text, size_t size,
		     struct trace *t);
/*
 * Reads the bug and the steps. The caller has checked the build-id before, so that names of
 * symbols mean what they meant.
 */
bool trace_read_steps(struct trace_reader *r, struct trace *t, const struct trace_symbols *symbols);
void trace_close(struct trace_reader *r);

#endif

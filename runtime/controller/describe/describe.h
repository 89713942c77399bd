/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.h - places, steps and call stacks in words, for reports
 */
#ifndef HEDDLE_CONTROLLER_DESCRIBE_H
#define HEDDLE_CONTROLLER_DESCRIBE_H

#include "controller/elf/symbolize.h"
#include "controller/trace/recording.h"
#include "controller/trace/trace.h"

struct scene_memory;

/* A run to describe: its modules, and a symbolizer that knows them. */
struct scene {
	const struct loaded_list *modules;
	struct symbolizer *symbolizer;
	struct scene_memory *memory;
	const struct said_list *
		said; /* names that the program has given; NULL: none. Set by the caller, and its own */
};

/* False when memory is short. modules must live as long as the scene. */
bool scene_init(struct scene *s, const struct loaded_list *modules);
void scene_release(struct scene *s);

/* "x", "x+0x8", "heap block 3 of T1+0x8": how a step names its location. */
void describe_place(struct scene *s, const struct place *p, char *out, size_t size);

/* "m", "T1 to end": for what a thread waits, or "" if that is not known. */
void describe_awaited(struct scene *s, const struct side *side, char *out, size_t size);

/* "thread T1", "main thread (T0)", "thread T2 (consumer)", if the program has named it; said may be NULL. */
void describe_thread(const struct said_list *said, uint32_t tid, char *out, size_t size);

/* "global 'x' of size 4 (t+0x4040)": the sentence behind "Location is". */
void describe_location(struct scene *s, const struct place *p, char *out, size_t size);

/*
 * A value as people read it best (value.c): small ones, of either sign, in decimal, pointers by the name of what they
 * point to ("&pool[2]", "heap block 0 of T1"), others in hexadecimal.
 */
enum {
	DESCRIBED_VALUE = 128
};
void describe_value(struct scene *s, struct value v, unsigned size, char out[DESCRIBED_VALUE]);

/* What a value of so many bytes points to; false: it is no pointer, or that is not known. */
bool describe_pointer(struct scene *s, struct value v, unsigned size, char out[DESCRIBED_VALUE]);

/* "load rlx x = 0x1 (from 1.2)" */
void describe_step(struct scene *s, const struct step *step, char *out, size_t size);

/*
 * Is it code of the program, or of a library that has its sources beside it? Not what is in headers of the system (std::atomic's
 * operations, inlined), nor in a library without lines.
 */
bool frame_is_own(const struct scene *s, const struct frame *f);
/* What is at a return address: of what is inlined there the innermost own frame, or else the innermost; and its short name (cxx_name.h), "". */
void describe_frame(struct scene *s, uint64_t pc, struct frame *out, char *name, size_t size);

/* "t.c:31 worker", or "t+0x11f2" without debug information; "" when nothing is known. */
void describe_site(struct scene *s, uint64_t pc, const char *between, char *out, size_t size);

/*
 * The frames of a side: its call stack if it was taken, else just its place in the code.
 * Frames of the runtime and of what starts a thread are left out.
 */
struct stack_line {
	struct frame frame;
	uint64_t pc;
};
size_t describe_stack(struct scene *s, const uint64_t *pcs, size_t n, struct stack_line *out,
		      size_t max);

/* "atomic write" */
const char *describe_access(const struct side *side);

/* What the program called to free a block; NULL: it did something else. */
const char *describe_freeing(const struct side *side);

/* The place in the program that stands for a side: its innermost frame with a source line in own code, or else in any. */
uint64_t site_of(struct scene *s, const struct side *side);

/* Names for trace files. */
struct trace_symbols scene_trace_symbols(struct scene *s);

#endif

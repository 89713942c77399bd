/* SPDX-License-Identifier: BSD-2-Clause */
/* report_stack.c - see report_stack.h */
#include "config.h"

#include "controller/report/report_stack.h"

#include <stdio.h>
#include <string.h>

#include "controller/describe/cxx_name.h"
#include "controller/report/excerpt.h"

enum {
	FOLDED_LEAST = 2 /* frames: to say that one is left out takes a line as well */
};

static void print_frame(const struct frame *f, size_t number, bool whole)
{
	const char *module = f->module ? strrchr(f->module, '/') : NULL;
	const char *function = f->function ? f->function : "<unknown>";
	char name[512];

	if (!whole) {
		cxx_name_short(function, CXX_NAME_SHORT, name, sizeof(name));
		function = name;
	}
	fprintf(stderr, "    #%zu %s", number, function);
	if (f->file && f->line)
		fprintf(stderr, " %s:%d", path_short(f->file), f->line);
	if (f->module)
		fprintf(stderr, " (%s+0x%llx)", module ? module + 1 : f->module,
			(unsigned long long)f->offset);
	fputc('\n', stderr);
}

/*
 * How many frames from the i-th on are left out: those of libraries that call each other, but the innermost of all, and the one that own
 * code has called.
 */
static size_t folded_at(const struct scene *scene, const struct stack_line *lines, size_t n,
			size_t i)
{
	size_t k = i;

	while (k < n && !frame_is_own(scene, &lines[k].frame))
		k++;
	k -= k < n && k > i;
	return i && k - i >= FOLDED_LEAST ? k - i : 0;
}

/* The first frame of own code; where there is none, the first of which a line can be shown. */
static bool print_excerpt(struct source_list *sources, const struct frame *f, bool own, bool any)
{
	return sources && f->file && (own || !any) && excerpt_print(sources, f);
}

void report_stack(struct scene *scene, const struct side *side, struct source_list *sources,
		  bool all)
{
	struct stack_line lines[SHARED_MAX_FRAMES];
	size_t n = describe_stack(scene, side->frame, side->frames, lines, SHARED_MAX_FRAMES);
	const char *call = describe_freeing(side);
	bool any = false, shown = false;

	if (!n && side->pc)
		n = describe_stack(scene, &side->pc, 1, lines, SHARED_MAX_FRAMES);
	for (size_t i = 0; i < n; i++)
		any |= frame_is_own(scene, &lines[i].frame);
	/* It is heddle's own function that runs, and not in the stack. */
	if (call)
		fprintf(stderr, "    #0 %s\n", call);
	for (size_t i = 0; i < n; i++) {
		const bool own = frame_is_own(scene, &lines[i].frame);
		const size_t folded = all ? 0 : folded_at(scene, lines, n, i);

		if (folded) {
			fprintf(stderr, "    (%zu frames of libraries: -v shows them)\n", folded);
			i += folded - 1;
			continue;
		}
		print_frame(&lines[i].frame, i + (call != NULL), all);
		if (!shown)
			shown = print_excerpt(sources, &lines[i].frame, own, any);
	}
	if (!n)
		fprintf(stderr, "    (no place in the program is known)\n");
	fputc('\n', stderr);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * draw.h - an execution in the forms in which it is shown
 *
 * Each writes all of it to f. Where f ran out of room or memory, ferror(f) says so.
 */
#ifndef HEDDLE_CONTROLLER_SHOW_DRAW_H
#define HEDDLE_CONTROLLER_SHOW_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "controller/show/model.h"

struct text_style {
	size_t width; /* columns */
	bool utf8;    /* lanes are drawn with characters that are not ASCII */
	bool color;
};

void draw_text(FILE *f, const struct model *m, const struct text_style *style);

/* Of all events those with in[i], without what stands before and behind them: for a report. */
void draw_some(FILE *f, const struct model *m, const struct text_style *style, const bool *in);

/* For graphviz. */
void draw_dot(FILE *f, const struct model *m);
/* boxed: threads are clusters. */
void draw_dot_lanes(FILE *f, const struct model *m, bool boxed);

/* The picture that graphviz makes of that. 0, or an exit status after a message. */
int draw_svg(FILE *f, const struct model *m);

/* Everything, as fields (heddle-formats(5)). False: memory is short. */
bool draw_json(FILE *f, const struct model *m);
json_t *model_json(const struct model *m);

/* One page that needs nothing else. False: memory is short. */
bool draw_html(FILE *f, const struct model *m);

#endif

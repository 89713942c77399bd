/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.h - a recorded execution as it is shown: lanes, events, and the edges between them
 *
 * All forms (text, dot, svg, html, json) are drawn from this, so they show the same.
 *
 *	struct model m;
 *
 *	if (!model_init(&m, &trace, "bug-0.hdt", &sources, 0, why, sizeof(why)))
 *		return fail(STATUS_USAGE, "%s", why);
 *	draw_text(f, &m, 80);
 *	model_release(&m);
 *
 * Every text in it can be printed as it is: text_sanitize() has gone over names, which come from a trace that
 * somebody may have made, and over source lines.
 */
#ifndef HEDDLE_CONTROLLER_SHOW_MODEL_H
#define HEDDLE_CONTROLLER_SHOW_MODEL_H

#include <stdio.h>

#include "controller/describe/describe.h"
#include "controller/describe/why.h"
#include "controller/show/source.h"
#include "controller/trace/trace.h"

enum {
	MODEL_TEXT = 640,
	MODEL_NAME = 32,
	MODEL_NONE = -1
};

/* Where in the program something happened; line 0: that is not known. */
struct model_site {
	char file[256]; /* its name alone: "t.c" */
	char function[256];
	char code[256]; /* "t+0x11f2", "": in no module */
	int line;
	const struct source *source; /* NULL: it is not there, or may not be shown */
};

enum event_kind {
	EVENT_STEP,
	EVENT_ACCESS, /* no operation: the earlier access of a data race, behind the operation before it */
	EVENT_SAYS, /* no operation: heddle_trace() */
	EVENT_FAILS, /* no operation: here the thread did what is the bug, behind its last operation; */
	EVENT_WAITS /* or waits for ever */
};

struct model_event {
	enum event_kind kind;
	uint32_t tid, index;
	char name[MODEL_NAME];   /* "1.2"; of what is no operation "T1" */
	const struct step *step; /* EVENT_STEP */
	char text[MODEL_TEXT];   /* "load acq ready = 1 (from 0.1)" */
	char location[256];      /* "": it has none */
	char read_points_to[DESCRIBED_VALUE],
		wrote_points_to[DESCRIBED_VALUE]; /* "": nowhere that is known */
	struct model_site site;
	int from;          /* the event that it reads from, MODEL_NONE */
	bool initial;      /* it reads the initial value */
	bool synchronises; /* what it reads from happens before it */
	int side;          /* EVENT_ACCESS: of the bug, which it is */
	bool is_side;      /* the bug names it, or is it */
};

enum edge_kind {
	EDGE_PO, /* of one thread, to the next one */
	EDGE_RF, /* from what writes to what reads it */
	EDGE_MO, /* to the next write of the location */
	EDGE_FR, /* from what reads to the next write behind what it reads */
	EDGE_SW, /* happens-before that is news, and follows from no other edge: see edges.c */
	EDGE_HB, /* from the last event of another thread that happens before, where that is news */
	EDGE_KINDS
};

extern const char *const edge_names[];    /* "po", ... ends with NULL */
extern const char *const edge_meanings[]; /* one line each */

struct model_edge {
	int from, to; /* events */
};

struct model_edges {
	struct model_edge *at;
	size_t n, room;
};

/* Which modification order is shown. */
enum model_mo {
	MO_RECORDED, /* writes in the order in which they were executed, which the model allows */
	MO_WITNESS,  /* another one, with which the execution is consistent */
	MO_NONE      /* the memory model has none, or none was found: mo_why */
};

extern const char *const mo_names[];

struct model_lane {
	uint32_t tid;
	char name[MODEL_NAME];              /* "T1" */
	char title[MODEL_NAME + SAID_NAME]; /* "main thread (T0)", "thread T1 (consumer)" */
	char function[256];                 /* what it began with, "" */
	char created[MODEL_NAME];           /* the event that created it, "" */
};

struct model_side {
	char text[MODEL_TEXT]; /* "Read of size 4 at message by thread T1" */
	struct model_site site;
	uint32_t tid;
	int event; /* MODEL_NONE: which it is was not recorded */
};

struct model {
	const struct trace *trace; /* its steps are in turn */
	struct trace
		reordered; /* that, if there was memory for it: its steps and texts are the model's own */
	const char *path; /* of the trace */
	char headline[MODEL_TEXT + 64];
	char message[SHARED_TEXT];  /* "" where the sides say it */
	struct why why;             /* model_why(): sentences; each can be printed as it is */
	struct model_event *events; /* in turn (in_turn.h) */
	size_t nevents;
	size_t first; /* those before it are left out */
	struct model_edges edges[EDGE_KINDS];
	uint32_t *
		clock; /* nlanes for each event: how many events of a lane are it or happen before it */
	struct model_lane *lanes;
	size_t nlanes;
	int lane_of[HEDDLE_MAX_THREADS]; /* MODEL_NONE: that thread did nothing */
	struct model_side *sides;
	size_t nsides;
	enum model_mo mo;
	char mo_why[320]; /* MO_NONE */
	char note[512];   /* about sources, "" */
	struct scene scene;
	struct source_list *sources;
};

/*
 * A trace has no addresses. This gives its steps and sides some: of code those that its modules have for symbolizing, of
 * data others for each place, as far from each other as these are.
 */
void model_addresses(struct trace *t);

/*
 * The steps of t have been read (recorded_steps()), and have addresses. last: how many events are shown, 0: all. False with a line in
 * error. Release in any case. t, path and sources must stay.
 */
bool model_init(struct model *m, const struct trace *t, const char *path,
		struct source_list *sources, size_t last, char *error, size_t size);
/* Fills why, which takes as long as all the rest: a report has said it already. */
void model_why(struct model *m);
void model_release(struct model *m);

/* reordered.c: t with its steps in turn; steps and texts of *out are the caller's, all else is that of t. False when memory is short. */
bool model_reorder(const struct trace *t, struct trace *out);

/* edges.c: fills edges, clock and mo. False with a line in error. */
bool model_edges(struct model *m, char *error, size_t size);
void model_edge(struct model *m, enum edge_kind kind, int from, int to);

/* sides.c: the bug, and where in the execution it is. */
/* Behind which step of the trace (1: the first) a side stands that is no operation, and is not at the end of its thread; 0: none. */
size_t model_access(const struct finding *b, uint32_t side);
void model_add_access(struct model *m, struct model_event *e, uint32_t side);
void model_bug(struct model *m);
bool model_sides(struct model *m);

/* Where a return address is, and the function's own where it starts a thread. */
void model_site(struct model *m, uint64_t pc, struct model_site *out);

/* "t.c:30 main", or "t+0x11f2" without debug information. */
void model_site_text(const struct model_site *s, char *out, size_t size);

/* slice.c: in[i]: event i explains the bug. in has room for all events. */
void model_slice(const struct model *m, bool *in);

static inline const char *model_source(const struct model_site *s)
{
	return s->source ? source_line(s->source, s->line) : NULL;
}

static inline size_t model_lane(const struct model *m, const struct model_event *e)
{
	return (size_t)m->lane_of[e->tid];
}

#endif

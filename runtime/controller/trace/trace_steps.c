/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_steps.c - reads the bug and the steps of a trace
 *
 * The steps of each thread must stand in their order, and what it reads from must be a step before
 * it, so the graph that a trace describes is always well-formed; whether the program does the
 * same is for the replay to say.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/trace/trace_steps.h"

/* Splits "a<sep>b" in place; NULL when sep is missing. */
static char *split(char *text, char sep)
{
	char *p = strchr(text, sep);

	if (!p)
		return NULL;
	*p = 0;
	return p + 1;
}

/* ---- Places ------------------------------------------------------------------------------- */

static bool parse_block(char *text, enum place_kind kind, struct place *p)
{
	char *rank = split(text, '.'), *size = rank ? split(rank, '[') : NULL;
	char *rest = size ? split(size, ']') : NULL;
	uint64_t thread, count;

	if (!rest || *rest != '+' || !trace_number(text, 0, HEDDLE_MAX_THREADS - 1, &thread) ||
	    !trace_number(rank, 0, UINT32_MAX, &count) ||
	    !trace_number(size, 0, UINT64_MAX, &p->size) ||
	    !trace_number(rest + 1, 0, UINT64_MAX, &p->offset))
		return false;
	p->kind = (uint8_t)kind;
	p->thread = (uint32_t)thread;
	p->count = (uint32_t)count;
	return true;
}

static bool parse_stack(char *text, struct place *p)
{
	char *offset = split(text, '-');
	uint64_t thread;

	if (!offset || !trace_number(text, 0, HEDDLE_MAX_THREADS - 1, &thread) ||
	    !trace_number(offset, 0, UINT64_MAX, &p->offset))
		return false;
	p->kind = PLACE_STACK;
	p->thread = (uint32_t)thread;
	return true;
}

static bool parse_thread(const char *text, struct place *p)
{
	uint64_t thread;

	if (!trace_number(text, 0, HEDDLE_MAX_THREADS - 1, &thread))
		return false;
	p->kind = PLACE_THREAD;
	p->thread = (uint32_t)thread;
	return true;
}

/* thread.signal */
static bool parse_signal(char *text, struct place *p)
{
	char *sig = split(text, '.');
	uint64_t number;

	if (!sig || !parse_thread(text, p) || !trace_number(sig, 1, 64, &number))
		return false;
	p->count = (uint32_t)number;
	return true;
}

/* module+offset or module:symbol+offset */
static bool parse_global(struct steps_reader *s, char *text, struct place *p)
{
	char *plus = strrchr(text, '+'), *symbol;
	uint64_t module, start = 0;

	if (!plus)
		return false;
	*plus = 0;
	symbol = split(text, ':');
	if (!trace_number(text, 0, s->t->modules.n - 1, &module) ||
	    !trace_number(plus + 1, 0, UINT64_MAX, &p->offset))
		return false;
	if (symbol &&
	    (!s->symbols || !s->symbols->offset(s->symbols->ctx, (uint32_t)module, symbol, &start)))
		return trace_wrong(s->r, "no symbol '%.128s' in '%.256s'", symbol,
				   s->t->modules.at[module].path);
	p->kind = PLACE_GLOBAL;
	p->module = (uint32_t)module;
	p->offset += start;
	return true;
}

bool trace_place(struct steps_reader *s, char *text, struct place *p)
{
	bool ok;

	memset(p, 0, sizeof(*p));
	if (!strcmp(text, "?"))
		return true;
	if (!strncmp(text, "heap:", 5))
		ok = parse_block(text + 5, PLACE_HEAP, p);
	else if (!strncmp(text, "mapped:", 7))
		ok = parse_block(text + 7, PLACE_MAPPED, p);
	else if (!strncmp(text, "stack:", 6))
		ok = parse_stack(text + 6, p);
	else if (!strncmp(text, "signal:", 7))
		ok = parse_signal(text + 7, p);
	else if (!strncmp(text, "thread:", 7))
		ok = parse_thread(text + 7, p);
	else
		ok = parse_global(s, text, p);
	if (!ok && !s->r->error[0])
		trace_wrong(s->r, "'%.128s' is not a location", text);
	return ok;
}

bool trace_code(struct steps_reader *s, char *text, struct place *p)
{
	if (strchr(text, ':') || !trace_place(s, text, p) || p->kind != PLACE_GLOBAL)
		return s->r->error[0] ? false
				      : trace_wrong(s->r, "'%.128s' is not module+offset", text);
	return true;
}

/* ---- One step ------------------------------------------------------------------------------- */

static bool parse_value(char *text, struct value *v)
{
	char *low = split(text, ':');

	v->hi = 0;
	if (low && !trace_number(text, 0, UINT64_MAX, &v->hi))
		return false;
	return trace_number(low ? low : text, 0, UINT64_MAX, &v->lo);
}

static bool parse_name(char *text, uint64_t *tid, uint64_t *index)
{
	char *dot = split(text, '.');

	return dot && trace_number(text, 0, HEDDLE_MAX_THREADS - 1, tid) &&
	       trace_number(dot, 0, SHARED_STEPS - 1, index);
}

/* A step before this one. */
static bool parse_earlier(struct steps_reader *s, char *text, struct engine_step_record *r)
{
	uint64_t tid, index;

	if (!parse_name(text, &tid, &index) || index >= s->next[tid])
		return false;
	r->rf_tid = (int32_t)tid;
	r->rf_index = (uint32_t)index;
	return true;
}

static bool parse_source(struct steps_reader *s, char *text, struct engine_step_record *r)
{
	r->flags |= STEP_READ;
	if (!strcmp(text, "init")) {
		r->rf_tid = -1;
		return true;
	}
	return !strcmp(text, "none") || parse_earlier(s, text, r);
}

static bool parse_kind(char *text, struct engine_step_record *r)
{
	char *order = split(text, '.');
	int kind = name_find(names_op, text);
	int o = order ? name_find(names_order, order) : ORDER_NA;

	if (kind < 0 || o < 0)
		return false;
	r->kind = (uint8_t)kind;
	r->order = (uint8_t)o;
	return true;
}

static bool parse_location(struct steps_reader *s, char *text, struct step *out)
{
	char *slash = strrchr(text, '/');
	uint64_t size = 0;

	if (slash) {
		*slash = 0;
		if (!trace_number(slash + 1, 1, 16, &size) || (size & (size - 1)))
			return trace_wrong(s->r, "'%.64s' is not a size", slash + 1);
	}
	out->record.size = (uint8_t)size;
	return trace_place(s, text, &out->place);
}

/* A pair of words behind the location. */
static bool parse_pair(struct steps_reader *s, const char *key, char *text, struct step *out)
{
	struct engine_step_record *r = &out->record;
	uint64_t n = 0;
	bool ok = false;

	if (!strcmp(key, "from")) {
		ok = parse_source(s, text, r);
	} else if (!strcmp(key, "after")) {
		ok = parse_earlier(s, text, r) && step_is_woken(r);
	} else if (!strcmp(key, "read")) {
		ok = parse_value(text, &r->value);
	} else if (!strcmp(key, "wrote")) {
		ok = parse_value(text, &r->stored);
		r->flags |= STEP_WROTE;
	} else if (!strcmp(key, "thread")) {
		ok = trace_number(text, 0,
				  r->kind == OP_CREATE || r->kind == OP_JOIN
					  ? HEDDLE_MAX_THREADS - 1
					  : UINT32_MAX,
				  &n);
		r->peer = (uint32_t)n;
	} else if (!strcmp(key, "choice")) {
		ok = trace_number(text, 0, UINT32_MAX, &n);
		r->choice = (uint32_t)n;
	} else if (!strcmp(key, "at")) {
		return trace_code(s, text, &out->code);
	}
	return ok || trace_wrong(s->r, "'%.32s %.64s' does not belong here", key, text);
}

static bool is_key(const char *word)
{
	static const char *const keys[] = { "from",   "after",  "read", "wrote",
					    "thread", "choice", "at",   NULL };

	return name_find(keys, word) >= 0;
}

static bool parse_step(struct steps_reader *s, char *line, struct step *out)
{
	char *name = trace_word(&line), *kind = trace_word(&line), *word;
	uint64_t tid, index;

	memset(out, 0, sizeof(*out));
	out->record.rf_tid = -2;
	if (!name || !kind || !parse_name(name, &tid, &index) || !parse_kind(kind, &out->record))
		return trace_wrong(s->r, "not a step: thread.index and an operation");
	if (index < s->next[tid])
		return trace_wrong(s->r, "step %u.%u stands after a later one of its thread",
				   (unsigned)tid, (unsigned)index);
	out->record.tid = (uint32_t)tid;
	out->record.index = (uint32_t)index;
	for (bool first = true; *line; first = false) {
		char *text;

		word = trace_word(&line);
		if (first && word && !is_key(word)) {
			if (!parse_location(s, word, out))
				return false;
			if (out->place.kind == PLACE_THREAD)
				return trace_wrong(s->r, "a signal is no location of a step");
			continue;
		}
		text = word ? trace_word(&line) : NULL;
		if (!text)
			return trace_wrong(s->r, "the line is incomplete");
		if (!parse_pair(s, word, text, out))
			return false;
	}
	s->next[tid] = (uint32_t)index + step_happened(&out->record);
	return true;
}

/* ---- The bug ---------------------------------------------------------------------------------- */

/* A pair of words behind what a side did; false, perhaps with an error: it is none. */
static bool parse_side_pair(struct steps_reader *s, const char *word, char *value,
			    struct side *side)
{
	uint64_t step;
	int call;

	if (!strcmp(word, "blocked")) {
		side->blocked_on = name_find(names_op, value);
	} else if (!strcmp(word, "before")) {
		if (!trace_number(value, 0, UINT32_MAX - 1, &step))
			return false;
		side->behind = (uint32_t)step + 1;
	} else if (!strcmp(word, "calls")) {
		call = name_find(names_side_call, value);
		if (call <= 0)
			return false;
		side->call = (uint8_t)call;
	} else if (!strcmp(word, "thread")) {
		if (!trace_number(value, 0, HEDDLE_MAX_THREADS - 1, &step))
			return false;
		side->peer = (uint32_t)step;
	} else if (!strcmp(word, "for")) {
		return trace_place(s, value, &side->waits);
	} else if (!strcmp(word, "in")) {
		return trace_code(s, value, &side->own);
	} else {
		return !strcmp(word, "at") && trace_code(s, value, &side->code);
	}
	return true;
}

static bool parse_side(struct steps_reader *s, char *text)
{
	struct finding *b = &s->t->bug;
	char *thread = trace_word(&text), *access = trace_word(&text), *how = trace_word(&text);
	char *size = trace_word(&text), *word;
	uint64_t tid, bytes;
	struct side *side;

	if (b->nsides >= HEDDLE_MAX_THREADS || !size ||
	    !trace_number(thread, 0, HEDDLE_MAX_THREADS - 1, &tid) ||
	    !trace_number(size, 0, 255, &bytes))
		return trace_wrong(s->r,
				   "not a side: thread, read or write, atomic or plain, size");
	side = &b->sides[b->nsides++];
	memset(side, 0, sizeof(*side));
	side->thread = (uint32_t)tid;
	side->is_write = !strcmp(access, "write");
	side->is_atomic = !strcmp(how, "atomic");
	side->size = (uint8_t)bytes;
	side->blocked_on = -1;
	side->peer = SIDE_NO_PEER;
	while ((word = trace_word(&text))) {
		char *value = trace_word(&text);

		if (!value || !parse_side_pair(s, word, value, side))
			return s->r->error[0]
				       ? false
				       : trace_wrong(s->r, "'%.64s' does not belong here", word);
	}
	return true;
}

/* Has a fact of that kind what belongs to it? */
static bool is_fact(uint32_t kind, const struct place *p, uint32_t size)
{
	if (kind == FACT_EXPLORED || kind == FACT_SPLIT)
		return p->kind != PLACE_UNKNOWN && p->kind != PLACE_THREAD && size && size <= 8 &&
		       !(size & (size - 1));
	if (kind == FACT_STREAM_HELD)
		return p->kind != PLACE_UNKNOWN && p->kind != PLACE_THREAD && !size;
	if (kind == FACT_INTERRUPTED || kind == FACT_ACTIONS || kind == FACT_ANYBODY)
		return p->kind == PLACE_THREAD && p->count && !size;
	if (kind == FACT_FENCES)
		return p->kind == PLACE_THREAD && !p->count && !size;
	return p->kind == PLACE_UNKNOWN && !size;
}

static struct fact *another_fact(struct steps_reader *s)
{
	uint32_t n = s->t->bug.nfacts;
	struct fact *grown = n & (n - 1) ? s->t->facts : NULL;

	if (n >= FACTS_MAX) {
		trace_wrong(s->r, "more than %d facts", FACTS_MAX);
		return NULL;
	}
	if (!grown)
		grown = realloc(s->t->facts, (n ? 2 * n : 1) * sizeof(*grown));
	if (!grown) {
		trace_wrong(s->r, "out of memory");
		return NULL;
	}
	s->t->facts = grown;
	s->t->bug.nfacts++;
	memset(&grown[n], 0, sizeof(*grown));
	return &grown[n];
}

/* Where a fact about a block of the heap lay in the run that found it, or 0: nobody says. */
static bool parse_fact_address(struct steps_reader *s, char *text, uint64_t *addr)
{
	const char *word = trace_word(&text), *value = word ? trace_word(&text) : NULL;

	*addr = 0;
	if (!word)
		return true;
	if (strcmp(word, "at") || !value || *text || !trace_number(value, 1, UINT64_MAX, addr))
		return trace_wrong(s->r, "not where a fact was found");
	return true;
}

static bool parse_fact(struct steps_reader *s, char *text)
{
	char *name = trace_word(&text), *location = trace_word(&text);
	int kind = name ? name_find(names_fact, name) : -1;
	struct step at = { .record.size = 0 };
	struct fact *f;
	uint64_t addr;

	if (kind < 0 || !fact_is_replayed((uint32_t)kind))
		return trace_wrong(s->r, "not a fact that a replay needs");
	if (location && !parse_location(s, location, &at))
		return false;
	if (!parse_fact_address(s, text, &addr))
		return false;
	if (!is_fact((uint32_t)kind, &at.place, at.record.size))
		return trace_wrong(s->r, "not the place of a fact '%.64s'", name);
	f = another_fact(s);
	if (!f)
		return false;
	f->kind = (uint32_t)kind;
	f->place = at.place;
	f->addr = addr;
	f->arg = at.record.size;
	return true;
}

static bool bug_line(struct steps_reader *s, const char *key, char *text, bool *last)
{
	struct finding *b = &s->t->bug;
	trace_line *said = trace_said(key);
	uint64_t n = 0;

	if (!strcmp(key, "bug")) {
		int kind = name_find(names_bug, text);

		if (kind <= 0 || b->kind)
			return trace_wrong(s->r, "unknown kind of bug '%.64s', or a second one",
					   text);
		b->kind = (enum bug_kind)kind;
		return true;
	}
	if (!strcmp(key, "message")) {
		if (!trace_unescape(text))
			return trace_wrong(s->r, "a bad escape");
		snprintf(b->message, sizeof(b->message), "%s", text);
		text_sanitize(b->message, sizeof(b->message));
		return true;
	}
	if (!strcmp(key, "execution"))
		return trace_number(text, 0, UINT64_MAX, &b->execution) ||
		       trace_wrong(s->r, "'%.64s' is not a number", text);
	if (!strcmp(key, "signal")) {
		if (!trace_number(text, 1, 64, &n))
			return trace_wrong(s->r, "'%.64s' is not a signal", text);
		b->signal = (int)n;
		return true;
	}
	if (!strcmp(key, "object"))
		return trace_place(s, text, &b->place);
	if (!strcmp(key, "fact"))
		return parse_fact(s, text);
	if (!strcmp(key, "side"))
		return parse_side(s, text);
	if (said)
		return said(s, text);
	if (strcmp(key, "steps"))
		return trace_wrong(s->r, "unknown key '%.64s'", key);
	if (!trace_number(text, 0, SHARED_STEPS, &n))
		return trace_wrong(s->r, "'%.64s' is not a number of steps up to %u", text,
				   SHARED_STEPS);
	b->nsteps = n;
	*last = true;
	return true;
}

static bool read_bug(struct steps_reader *s)
{
	struct finding *b = &s->t->bug;
	bool last = false;

	b->sides = calloc(HEDDLE_MAX_THREADS, sizeof(*b->sides));
	if (!b->sides)
		return trace_wrong(s->r, "out of memory");
	while (!last) {
		char *text = trace_next_line(s->r);
		char *key = text ? trace_word(&text) : NULL;

		if (!key)
			return trace_wrong(s->r, "the description of the bug is incomplete");
		if (!bug_line(s, key, text, &last))
			return false;
	}
	return b->kind || trace_wrong(s->r, "there is no bug");
}

bool trace_read_steps(struct trace_reader *r, struct trace *t, const struct trace_symbols *symbols)
{
	struct steps_reader s = { .r = r, .t = t, .symbols = symbols };
	struct finding *b = &t->bug;
	size_t want;
	char *line;

	if (!read_bug(&s))
		return false;
	want = b->nsteps;
	b->nsteps = 0;
	/* Each step takes a line of at least 8 bytes, so a lie costs nothing. */
	if (want > r->size / 8)
		return trace_wrong(r, "fewer lines than steps");
	b->steps = calloc(want ? want : 1, sizeof(*b->steps));
	if (!b->steps)
		return trace_wrong(r, "out of memory");
	for (; b->nsteps < want; b->nsteps++) {
		line = trace_next_line(r);
		if (!line)
			return trace_wrong(r, "fewer lines than steps");
		if (!parse_step(&s, line, &b->steps[b->nsteps]))
			return false;
	}
	line = trace_next_line(r);
	if (!line || strncmp(line, "end ", 4))
		return trace_wrong(r, "more lines than steps");
	return true;
}

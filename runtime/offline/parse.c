/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parse.c - reads an execution in the compact line format, trusting nothing in it
 *
 *	heddle-execution 1
 *	# comment
 *	thread 0
 *	w x rlx
 *	r y acq 1.0
 *	thread 1
 *	u y acq_rel init
 *	f sc
 *
 * One event a line, in blocks of one thread; a thread's block may be continued later. Words
 * are separated by one or more blanks or tabs. Grammar in heddle-formats(5).
 *
 * Cost: one pass, a few tens of nanoseconds a line; the text is not copied.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "offline/execution.h"

struct parser {
	struct execution *x;
	struct execution_error *e;
	const char *p, *end;
	uint32_t line, tid;
	bool in_thread;
};

struct word {
	const char *at;
	size_t len;
};

static bool expected(struct parser *s, const struct word *got, const char *what)
{
	char shown[48];
	size_t n = 0;

	for (; n < got->len && n < sizeof(shown) - 1; n++)
		shown[n] = got->at[n] > 32 && got->at[n] < 127 ? got->at[n] : '?';
	shown[n] = 0;
	s->e->line = s->line;
	if (got->len)
		snprintf(s->e->text, sizeof(s->e->text), "'%s%s' where %s was expected", shown,
			 n < got->len ? "..." : "", what);
	else
		snprintf(s->e->text, sizeof(s->e->text), "the line ends where %s was expected",
			 what);
	return false;
}

/* The next word of the line; empty at its end. */
static struct word next_word(struct parser *s)
{
	struct word w;

	while (*s->p == ' ' || *s->p == '\t')
		s->p++;
	w.at = s->p;
	while ((unsigned char)*s->p > 32)
		s->p++;
	w.len = (size_t)(s->p - w.at);
	if (!w.len && s->p < s->end && *s->p != '\n' && *s->p != '\r')
		w.len = 1; /* a control character: not a word, not an end */
	return w;
}

static bool word_is(const struct word *w, const char *text)
{
	return strlen(text) == w->len && !memcmp(w->at, text, w->len);
}

static bool number(const char **p, uint32_t max, uint32_t *out)
{
	uint64_t v = 0;
	const char *start = *p;

	for (; **p >= '0' && **p <= '9' && *p - start < 10; ++*p)
		v = v * 10 + (uint64_t)(**p - '0');
	if (*p == start || v > max || (*start == '0' && *p - start > 1))
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool end_of_line(struct parser *s)
{
	struct word w = next_word(s);

	if (w.len)
		return expected(s, &w, "the end of the line");
	if (*s->p == '\r')
		s->p++;
	if (s->p < s->end && *s->p != '\n') {
		w.len = 1;
		return expected(s, &w, "the end of the line");
	}
	s->p += s->p < s->end;
	return true;
}

static bool thread_line(struct parser *s)
{
	struct word w = next_word(s);
	const char *p = w.at;

	if (!w.len || !number(&p, EX_MAX_THREADS - 1, &s->tid) || p != w.at + w.len)
		return expected(s, &w, "a thread number from 0 to 65535");
	s->in_thread = true;
	return true;
}

static bool parse_order(struct parser *s, struct execution_event *ev)
{
	static const char *const names[] = { "na", "rlx", "acq", "rel", "acq_rel", "sc" };
	struct word w = next_word(s);
	uint32_t o = 0;

	if (word_is(&w, "sync") && !(ev->kind & EX_FENCE)) {
		ev->kind |= EX_SYNC;
		ev->order = ORDER_RLX;
		return true;
	}
	while (o <= ORDER_SC && !word_is(&w, names[o]))
		o++;
	ev->order = o;
	if ((ev->kind & EX_FENCE) && (o < ORDER_ACQ || o > ORDER_SC))
		return expected(s, &w, "the order of a fence (acq, rel, acq_rel or sc)");
	if (o > ORDER_SC || (ev->kind == EX_READ && (o == ORDER_REL || o == ORDER_ACQ_REL)) ||
	    (ev->kind == EX_WRITE && (o == ORDER_ACQ || o == ORDER_ACQ_REL)) ||
	    (ev->kind == EX_RMW && o == ORDER_NA))
		return expected(
			s, &w,
			ev->kind == EX_READ    ? "the order of a read (na, rlx, acq, sc or sync)"
			: ev->kind == EX_WRITE ? "the order of a write (na, rlx, rel, sc or sync)"
					       : "the order of a read-modify-write (rlx, acq, "
						 "rel, acq_rel, sc or sync)");
	return true;
}

static bool parse_source(struct parser *s, struct execution_event *ev)
{
	struct word w = next_word(s);
	const char *p = w.at;

	if (word_is(&w, "init")) {
		ev->rf_tid = EX_INIT;
		return true;
	}
	if (!w.len || !number(&p, EX_MAX_THREADS - 1, &ev->rf_tid) || *p++ != '.' ||
	    !number(&p, EX_MAX_EVENTS, &ev->rf_index) || p != w.at + w.len)
		return expected(s, &w, "what it reads from (thread.index, or init)");
	return true;
}

static bool event_line(struct parser *s, uint32_t kind)
{
	struct execution_event ev = { .tid = s->tid, .kind = kind, .line = s->line };
	struct word w;

	if (!(kind & EX_FENCE)) {
		w = next_word(s);
		if (!w.len || (unsigned char)*w.at <= 32 || w.len > EX_MAX_NAME)
			return expected(s, &w, "the name of a location (1 to 255 characters)");
		ev.loc = execution_location(s->x, w.at, w.len);
	}
	if (!parse_order(s, &ev) || ((kind & EX_READ) && !parse_source(s, &ev)))
		return false;
	if (s->x->n >= EX_MAX_EVENTS - 1)
		return expected(s, &(struct word){ 0 }, "an end: there are too many events and it");
	execution_add(s->x, &ev);
	return true;
}

static bool parse_line(struct parser *s)
{
	struct word w = next_word(s);
	uint32_t kind;

	if (!w.len)
		return end_of_line(s);
	if (*w.at == '#') {
		const char *nl = memchr(w.at, '\n', (size_t)(s->end - w.at));

		s->p = nl ? nl + 1 : s->end;
		return true;
	}
	if (word_is(&w, "thread"))
		return thread_line(s) && end_of_line(s);
	kind = w.len != 1     ? 0
	       : *w.at == 'r' ? EX_READ
	       : *w.at == 'w' ? EX_WRITE
	       : *w.at == 'u' ? EX_RMW
	       : *w.at == 'f' ? EX_FENCE
			      : 0;
	if (!kind)
		return expected(s, &w, "an event (r, w, u or f) or 'thread'");
	if (!s->in_thread)
		return expected(s, &w, "a 'thread' line before the first event");
	return event_line(s, kind) && end_of_line(s);
}

bool execution_parse(struct execution *x, const char *text, size_t size, struct execution_error *e)
{
	struct parser s = { .x = x, .e = e, .p = text, .end = text + size, .line = 1 };
	struct word w;

	execution_init(x);
	w = next_word(&s);
	if (!word_is(&w, "heddle-execution"))
		return expected(&s, &w, "'heddle-execution 1'");
	w = next_word(&s);
	if (!word_is(&w, "1"))
		return expected(&s, &w, "format version 1");
	if (!end_of_line(&s))
		return false;
	while (s.p < s.end) {
		s.line++;
		if (!parse_line(&s))
			return false;
	}
	return execution_finish(x, e);
}

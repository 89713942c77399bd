/* SPDX-License-Identifier: BSD-2-Clause */
/* suppress.c - see suppress.h */
#include "config.h"

#include "controller/verdict/suppress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/content.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/describe/describe.h"
#include "controller/report/json_bug.h"
#include "controller/verdict/confirm.h"

enum {
	ANY_KIND = -1, /* called_from_lib */
	NO_KIND = -2   /* of ThreadSanitizer, and no bug of heddle */
};

enum where {
	ANY_FRAME,
	INNERMOST,
	LIBRARY /* the innermost frame's */
};

struct type {
	const char *name;
	int kind; /* enum bug_kind */
	enum where where;
};

/* Those of ThreadSanitizer; others are the kinds of bugs, by their names. */
static const struct type types[] = {
	{ "race", BUG_DATA_RACE, ANY_FRAME },       { "race_top", BUG_DATA_RACE, INNERMOST },
	{ "deadlock", BUG_DEADLOCK, ANY_FRAME },    { "mutex", BUG_LOCK_MISUSE, ANY_FRAME },
	{ "thread", BUG_THREAD_MISUSE, ANY_FRAME }, { "signal", NO_KIND, ANY_FRAME },
	{ "called_from_lib", ANY_KIND, LIBRARY },
};

struct rule {
	struct type type;
	const char *text, *pattern;
};

struct suppressions {
	char *content; /* the file, cut into lines */
	struct rule *rules;
	size_t n;
};

/* ---- The file ------------------------------------------------------------------------------------- */

static bool find_type(const char *name, struct type *out)
{
	int kind = name_find(names_bug, name);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].name, name)) {
			*out = types[i];
			return true;
		}
	}
	*out = (struct type){ .kind = kind, .where = ANY_FRAME };
	return kind >= 0;
}

static int bad_type(const char *path, size_t line, const char *name)
{
	char list[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s, ", types[i].name);
	for (size_t i = 0; names_bug[i] && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      names_bug[i]);
	return fail(STATUS_USAGE, "%s:%zu: unknown type '%.40s'; accepted: %s", path, line, name,
		    list);
}

/* One line, which is changed and stays. 0 or an exit status after a message. */
static int add_line(struct suppressions *all, const char *path, size_t line, char *text)
{
	char *end, *colon, name[41];
	struct rule rule = { .text = NULL }, *grown;

	text += strspn(text, " \t");
	for (end = text + strlen(text); end > text && strchr(" \t\r", end[-1]);)
		*--end = 0;
	if (!*text || *text == '#')
		return 0;
	colon = strchr(text, ':');
	if (!colon || !colon[1])
		return fail(STATUS_USAGE, "%s:%zu: '%.100s' is not of the form TYPE:PATTERN", path,
			    line, text);
	snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	if (!find_type(name, &rule.type))
		return bad_type(path, line, name);
	rule.text = text;
	rule.pattern = colon + 1;
	grown = realloc(all->rules, (all->n + 1) * sizeof(*grown));
	if (!grown)
		return fail(STATUS_INTERNAL, "out of memory");
	all->rules = grown;
	all->rules[all->n++] = rule;
	return 0;
}

struct suppressions *suppressions_read(const char *path, int *status)
{
	struct suppressions *all = calloc(1, sizeof(*all));
	size_t size, line = 0;

	if (!all) {
		*status = fail(STATUS_INTERNAL, "out of memory");
		return NULL;
	}
	all->content = content_of(path, &size);
	*status = all->content ? 0
			       : fail(STATUS_USAGE, "--suppressions: cannot read '%s': %s", path,
				      strerror(errno));
	for (char *at = all->content, *end; at && !*status; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = 0;
		*status = add_line(all, path, ++line, at);
	}
	if (!*status)
		return all;
	suppressions_free(all);
	return NULL;
}

void suppressions_free(struct suppressions *all)
{
	if (!all)
		return;
	free(all->content);
	free(all->rules);
	free(all);
}

/* ---- Patterns ------------------------------------------------------------------------------------- */

/* Does name begin like that? What stands behind is any text, unless the pattern ends with $. */
static bool begins(const char *pattern, const char *name)
{
	for (; *pattern; pattern++, name++) {
		if (*pattern == '*') {
			for (;; name++) {
				if (begins(pattern + 1, name))
					return true;
				if (!*name)
					return false;
			}
		}
		if (*pattern == '$' && !pattern[1])
			return !*name;
		if (*pattern != *name)
			return false;
	}
	return true;
}

static bool is_like(const char *name, const char *pattern)
{
	if (!name)
		return false;
	if (*pattern == '^')
		return begins(pattern + 1, name);
	do {
		if (begins(pattern, name))
			return true;
	} while (*name++);
	return false;
}

/* ---- Bugs ------------------------------------------------------------------------------------------ */

static bool frame_is_like(const struct frame *f, const struct rule *rule)
{
	if (rule->type.where == LIBRARY)
		return is_like(f->module, rule->pattern);
	return is_like(f->function, rule->pattern) || is_like(f->module, rule->pattern) ||
	       (f->file &&
		(is_like(f->file, rule->pattern) || is_like(path_short(f->file), rule->pattern)));
}

static bool side_is_like(struct scene *scene, const struct side *side, const struct rule *rule)
{
	struct stack_line lines[SHARED_MAX_FRAMES];
	size_t n = describe_stack(scene, side->frames ? side->frame : &side->pc,
				  side->frames ? side->frames : side->pc != 0, lines,
				  SHARED_MAX_FRAMES);

	for (size_t i = 0; i < n; i++) {
		if (frame_is_like(&lines[i].frame, rule))
			return true;
		if (rule->type.where != ANY_FRAME)
			break;
	}
	return false;
}

/* The variable that is raced for. */
static bool object_is_like(struct scene *scene, const struct finding *f, const struct rule *rule)
{
	struct variable v;

	return f->kind == BUG_DATA_RACE && rule->type.where == ANY_FRAME &&
	       f->place.kind == PLACE_GLOBAL &&
	       symbolize_data(scene->symbolizer, place_address(scene->modules, &f->place), &v) &&
	       is_like(v.name, rule->pattern);
}

static bool applies(struct scene *scene, const struct reported *r, const struct rule *rule)
{
	if (rule->type.kind != ANY_KIND && rule->type.kind != (int)r->bug.kind)
		return false;
	for (uint32_t i = 0; i < r->bug.nsides; i++)
		if (side_is_like(scene, &r->bug.sides[i], rule))
			return true;
	return object_is_like(scene, &r->bug, rule);
}

/* The line that suppresses it; NULL: none does, or there are none. */
static const char *find(const struct suppressions *all, const struct reported *r)
{
	const char *found = NULL;
	struct scene scene;

	if (!all || !scene_init(&scene, &r->modules))
		return NULL;
	for (size_t i = 0; i < all->n && !found; i++)
		if (applies(&scene, r, &all->rules[i]))
			found = all->rules[i].text;
	scene_release(&scene);
	return found;
}

bool suppress(struct session *s, struct reported *r)
{
	const char *by = find(s->suppressions, r);
	struct suppressed *grown;

	if (!by)
		return false;
	unlink(r->trace);
	if (!s->options->output_given) /* made for it; fails where something is in it */
		rmdir(s->options->output_dir);
	for (size_t i = 0; i < s->nsuppressed; i++) {
		if (s->suppressed[i].kind != r->bug.kind ||
		    !finding_repeats(&s->suppressed[i].bug, &r->bug))
			continue;
		s->suppressed[i].bug.times += r->bug.times;
		reported_release(r);
		return true;
	}
	grown = realloc(s->suppressed, (s->nsuppressed + 1) * sizeof(*grown));
	if (!grown)
		return false; /* so it is reported */
	s->suppressed = grown;
	grown += s->nsuppressed++;
	r->trace[0] = 0; /* it is gone */
	*grown = (struct suppressed){
		.kind = r->bug.kind, .json = json_bug(s, r), .bug = r->bug, .by = by
	};
	snprintf(grown->site, sizeof(grown->site), "%s", r->site);
	memset(&r->bug, 0, sizeof(r->bug)); /* what it owns is another one's */
	reported_release(r);
	return true;
}

/* An execution ends with its bug, and nobody has seen what others come to behind it. */
void suppressed_say(struct session *s, size_t n)
{
	snprintf(s->why, sizeof(s->why),
		 "%zu bug%s suppressed, and what comes behind %s was not seen", n,
		 n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
}

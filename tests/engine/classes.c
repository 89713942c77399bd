/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * classes.c - see classes.h
 */
#include "engine/classes.h"

#include <stdlib.h>
#include <string.h>

void class_set_init(struct class_set *cs)
{
	memset(cs, 0, sizeof(*cs));
	cs->table_size = 64;
	cs->table = calloc(cs->table_size, sizeof(cs->table[0]));
	cs->room = 32;
	cs->v = malloc((size_t)cs->room * sizeof(cs->v[0]));
	if (!cs->table || !cs->v)
		abort();
}

void class_set_release(struct class_set *cs)
{
	free(cs->v);
	free(cs->table);
	memset(cs, 0, sizeof(*cs));
}

void class_set_clear(struct class_set *cs)
{
	cs->n = 0;
	memset(cs->table, 0, cs->table_size * sizeof(cs->table[0]));
}

static uint32_t hash(const struct class_key *key)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (int i = 0; i < key->len; i++)
		h = (h ^ key->b[i]) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 29);
}

static uint32_t slot(const struct class_set *cs, const struct class_key *key)
{
	uint32_t i = hash(key) & (cs->table_size - 1);
	while (cs->table[i]) {
		const struct class_key *k = &cs->v[cs->table[i] - 1].key;
		if (k->len == key->len && !memcmp(k->b, key->b, key->len))
			break;
		i = (i + 1) & (cs->table_size - 1);
	}
	return i;
}

static void grow(struct class_set *cs)
{
	cs->table_size *= 2;
	free(cs->table);
	cs->table = calloc(cs->table_size, sizeof(cs->table[0]));
	if (!cs->table)
		abort();
	for (int i = 0; i < cs->n; i++)
		cs->table[slot(cs, &cs->v[i].key)] = i + 1;
}

struct class *class_set_find(const struct class_set *cs, const struct class_key *key)
{
	int32_t at = cs->table[slot(cs, key)];
	return at ? &cs->v[at - 1] : NULL;
}

struct class *class_set_add(struct class_set *cs, const struct class_key *key)
{
	struct class *c = class_set_find(cs, key);
	if (c)
		return c;
	if ((uint32_t)cs->n * 2 >= cs->table_size)
		grow(cs);
	if (cs->n == cs->room) {
		cs->room *= 2;
		cs->v = realloc(cs->v, (size_t)cs->room * sizeof(cs->v[0]));
		if (!cs->v)
			abort();
	}
	cs->table[slot(cs, key)] = cs->n + 1;
	c = &cs->v[cs->n++];
	memset(c, 0, sizeof(*c));
	c->key = *key;
	return c;
}

void key_push(struct class_key *key, unsigned a, unsigned b)
{
	if (key->len + 2u > sizeof(key->b)) {
		fprintf(stderr, "an execution too long for its key\n");
		abort();
	}
	key->b[key->len++] = (uint8_t)a;
	key->b[key->len++] = (uint8_t)b;
}

void key_end_thread(struct class_key *key, char status)
{
	key_push(key, 0xff, (unsigned char)status);
}

char key_letter(enum interp_status status)
{
	return "WEBFS"[status];
}

enum class_kind key_kind(const struct class_key *key)
{
	bool seen[256] = { false };
	for (int i = 0; i + 1 < key->len; i += 2)
		if (key->b[i] == 0xff)
			seen[key->b[i + 1]] = true;
	if (seen['F'])
		return CLASS_ERROR;
	if (seen['C'])
		return CLASS_CUT;
	if (seen['B'] || seen['S'] || seen['A'] || seen['T'])
		return CLASS_BLOCKED;
	return seen['W'] ? CLASS_DEADLOCK : CLASS_COMPLETE;
}

/* ---- printing: run the threads again with the values that the sources stored ---- */

enum {
	PRINT_EVENTS = 64
};

struct replay {
	const struct script *s;
	FILE *f;
	struct interp it[SCRIPT_THREADS];
	int at[SCRIPT_THREADS]; /* in the key */
	int n[SCRIPT_THREADS];
	bool known[SCRIPT_THREADS][PRINT_EVENTS], over[SCRIPT_THREADS];
	int64_t stored[SCRIPT_THREADS][PRINT_EVENTS];
	char text[SCRIPT_THREADS][PRINT_EVENTS * 48];
};

static const char *op_text(unsigned op)
{
	static const char *const names[OP_KINDS] = {
		[OP_LOAD] = "R",
		[OP_STORE] = "W",
		[OP_RMW] = "RMW",
		[OP_CAS] = "CAS",
		[OP_LOCK] = "LOCK",
		[OP_UNLOCK] = "UNLOCK",
		[OP_TRYLOCK] = "TRYLOCK",
		[OP_SEM_WAIT] = "SEM-WAIT",
		[OP_SEM_POST] = "SEM-POST",
		[OP_COND_BEGIN] = "BEGIN",
		[OP_COND_WOKEN] = "WOKEN",
		[OP_COND_SIGNAL] = "SIGNAL",
		[OP_CHOOSE] = "CHOOSE",
		[OP_FENCE] = "F",
		[OP_SEM_TRYWAIT] = "SEM-TRYWAIT",
		[OP_COND_BROADCAST] = "BROADCAST",
		[OP_COND_LEAVE] = "LEAVE",
		[OP_RDLOCK] = "RDLOCK",
		[OP_WRLOCK] = "WRLOCK",
		[OP_TRYRDLOCK] = "TRYRDLOCK",
		[OP_TRYWRLOCK] = "TRYWRLOCK",
		[OP_RWUNLOCK] = "RWUNLOCK",
		[OP_RW_ASK] = "WRLOCK-ASK",
		[OP_BARRIER_ARRIVE] = "ARRIVE",
		[OP_BARRIER_PASS] = "PASS",
		[OP_COUNT_TAKE] = "TAKE",
		[OP_COUNT_TRYTAKE] = "TRYTAKE",
		[OP_COUNT_ADD] = "ADD",
		[OP_COUNT_TRYADD] = "TRYADD",
		[OP_COUNT_CLOSE] = "CLOSE",
		[OP_COUNT_OPEN] = "OPEN",
		[OP_COUNT_LOOK] = "LOOK",
		[OP_COUNT_AWAIT] = "READY",
		[OP_READY_TAKE] = "SET-TAKE",
		[OP_READY_TRYTAKE] = "SET-TRYTAKE",
		[OP_READY_LOCK] = "SET-LOCK",
		[OP_READY_MARK] = "SET-MARK",
		[OP_READY_RELEASE] = "SET-RELEASE",
		[OP_FUTEX_LOOK] = "FUTEX-LOOK",
		[OP_FUTEX_WAIT] = "FUTEX-WAIT",
		[OP_FUTEX_WAKE] = "FUTEX-WAKE",
		[OP_FUTEX_REQUEUE] = "FUTEX-REQUEUE",
	};
	return names[op] ? names[op] : "?";
}

/* What it reads is not in the key. */
static bool is_wake(const struct action *act)
{
	return act->op == OP_COND_WOKEN || act->op == OP_BARRIER_PASS;
}

static void note(struct replay *r, int t, const struct action *act, const struct effect *eff,
		 const char *source)
{
	size_t at = strlen(r->text[t]), room = sizeof(r->text[t]) - at;
	const char *loc = act->loc >= 0 ? r->s->loc[(int)act->loc].name : "";
	bool plain = (act->op == OP_LOAD || act->op == OP_STORE) && act->order == ORDER_NA;
	bool counted = act->op != OP_FENCE && !is_wake(act) && !plain;
	char name[16] = "", wrote[32] = "";

	if (counted)
		snprintf(name, sizeof(name), "%d.%d:", t + 1, r->n[t]);
	if (eff->wrote)
		snprintf(wrote, sizeof(wrote), "=>%lld", (long long)eff->stored);
	snprintf(r->text[t] + at, room, "  %s%s %s%s%s", name, op_text(act->op), loc, source,
		 wrote);
	if (counted && r->n[t] < PRINT_EVENTS) {
		r->known[t][r->n[t]] = true;
		r->stored[t][r->n[t]++] = eff->stored;
	}
}

/* The source of the reading operation that thread t wants; false when not yet known. */
static bool source_of(struct replay *r, const struct class_key *key, int t,
		      const struct action *act, struct effect *eff, char *text, size_t size)
{
	const uint8_t *b = &key->b[r->at[t]];

	snprintf(text, size, " = %d<-init", r->s->loc[(int)act->loc].init);
	eff->read = r->s->loc[(int)act->loc].init;
	if (b[0]) {
		if (!r->known[b[0] - 1][b[1]])
			return false;
		eff->read = r->stored[b[0] - 1][b[1]];
		snprintf(text, size, " = %lld<-%d.%d", (long long)eff->read, b[0], b[1]);
	}
	r->at[t] += 2;
	if (action_has_choice(act, eff->read)) {
		eff->choice = key->b[r->at[t]] & 0x7f;
		r->at[t] += 2;
	}
	return true;
}

/* Performs the next operation of thread t, if its source is known. */
static bool replay_step(struct replay *r, const struct class_key *key, int t)
{
	struct effect eff = { .wrote = false };
	const uint8_t *b = &key->b[r->at[t]];
	struct action act;
	char text[32] = "";

	if (r->over[t])
		return false;
	if (interp_next(&r->it[t], &act) != IT_OP ||
	    (b[0] == 0xff && (action_reads(&act) || act.op == OP_CHOOSE) &&
	     (!is_wake(&act) || b[1] == 'W' || b[1] == 'T'))) {
		r->over[t] = true;
		return true;
	}
	if (act.op == OP_CHOOSE) {
		eff.choice = b[0] & 0x7f;
		r->at[t] += 2;
		snprintf(text, sizeof(text), "%u", eff.choice);
	} else if (act.op == OP_LOAD && act.order == ORDER_NA) {
		snprintf(text, sizeof(text), " = ?"); /* what it reads is not in the key */
	} else if (action_reads(&act) && !is_wake(&act)) {
		if (!source_of(r, key, t, &act, &eff, text, sizeof(text)))
			return false;
	}
	enum action_result res = action_apply(&act, t, eff.read, eff.choice, &eff.stored);
	eff.wrote = res == ACT_WRITES || res == ACT_READS_AND_WRITES;
	note(r, t, &act, &eff, text);
	interp_done(&r->it[t], NULL, &act, &eff);
	return true;
}

void key_print(const struct class_key *key, const struct script *s, FILE *f)
{
	static struct replay r;
	int at = 0;

	memset(&r, 0, sizeof(r));
	r.s = s;
	r.f = f;
	for (int t = 0; t < s->nthreads; t++) {
		interp_init(&r.it[t], s, t);
		r.at[t] = at;
		while (at < key->len && key->b[at] != 0xff)
			at += 2;
		at += 2;
	}
	for (bool moved = true; moved;) {
		moved = false;
		for (int t = 0; t < s->nthreads; t++)
			moved |= replay_step(&r, key, t);
	}
	for (int t = 0; t < s->nthreads; t++) {
		int end = r.at[t];
		while (end + 1 < key->len && key->b[end] != 0xff)
			end += 2;
		fprintf(f, "    thread %d:%s  (%c)\n", t + 1, r.text[t],
			end + 1 < key->len ? key->b[end + 1] : '?');
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sketch.c - see sketch.h
 */
#include "engine/sketch.h"

#include "suite.h"
#include <string.h>
#include <sys/mman.h>

#include "engine/model/model.h"

enum {
	EVENTS = 256
};

static const struct {
	char letter;
	uint8_t kind, flags;
} words[] = {
	{ 'W', OP_STORE, EV_WRITE }, { 'R', OP_LOAD, EV_READ },   { 'U', OP_RMW, EV_READ },
	{ 'K', OP_CAS, EV_READ },    { 'F', OP_FENCE, EV_FENCE }, { 'C', OP_CREATE, 0 },
	{ 'S', OP_START, 0 },
};

static struct event event_from(struct sketch *k, uint32_t t, const char *word)
{
	static const char orders[] = "nralbs";
	struct event ev = { .tid = (uint8_t)t, .loc = NO_LOC, .rf = RF_NONE };
	const char *order;
	size_t i = 0;

	while (i < sizeof(words) / sizeof(words[0]) && words[i].letter != *word)
		i++;
	ck_assert_uint_lt(i, sizeof(words) / sizeof(words[0]));
	ev.kind = words[i].kind;
	ev.flags = words[i].flags;
	ev.peer = (uint32_t)(word[1] - '0');
	if (!ev.flags)
		return ev;
	order = strchr(orders, word[*word == 'F' ? 1 : 2]);
	ck_assert_ptr_nonnull(order);
	ev.order = ev.order_success = ev.order_fail = (uint8_t)(order - orders);
	if (*word == 'F')
		return ev;
	if (*word == 'K') { /* all values are 0, so that it fails */
		ev.order_fail = ORDER_RLX;
		ev.expected = value_of(1);
	}
	ev.size = 4;
	ev.loc = graph_location(&k->g, 0x1000u + 16u * (unsigned)word[1], 4);
	return ev;
}

/* Where the write that a word reads from is: false if it is not there yet. */
static bool find_source(const struct sketch *k, const char *word, uint32_t *at)
{
	const char *from = strpbrk(word, "0123456789i");

	*at = RF_INIT;
	if (*from == 'i')
		return true;
	if ((uint32_t)(from[2] - '0') >= k->steps[from[0] - '0'])
		return false;
	*at = k->written[from[0] - '0'][from[2] - '0'];
	return true;
}

/* Adds the next event of a thread, or what is asked about; false if it has to wait. */
static bool add_next(struct sketch *k, uint32_t t)
{
	const char *word = k->next[t] + strspn(k->next[t], " "), *end = word + strcspn(word, " |");
	struct event ev = event_from(k, t, word);
	uint32_t pos;
	bool asked = memchr(word, '?', (size_t)(end - word));

	if (asked && !k->all)
		return false;
	if (((ev.flags & EV_READ) || *word == 'S') &&
	    !find_source(k, word, asked ? &k->write : &ev.rf))
		return false;
	if (asked)
		ev.rf = RF_NONE;
	if (*word == 'U' && !asked)
		ev.flags |= EV_EXCLUSIVE;
	pos = graph_add(&k->g, &ev);
	if (*word == 'U' && !asked) {
		ev.flags = EV_WRITE | EV_EXCLUSIVE;
		ev.rf = RF_NONE;
		pos = graph_add(&k->g, &ev);
	}
	if (asked) {
		k->read = pos;
		k->rmw = *word == 'U';
	}
	k->written[t][k->steps[t]++] = pos;
	k->next[t] = end + strspn(end, " ");
	return true;
}

static void add_all(struct sketch *k)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t t = 0; t < k->nthreads; t++)
			while (*k->next[t] && *k->next[t] != '|' && add_next(k, t))
				moved = true;
	}
}

void sketch_begin(struct sketch *k, enum engine_model m, const char *text)
{
	size_t size = graph_bytes(EVENTS, HEDDLE_EXPLORED_THREADS) + (1 << 20);
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct arena a = { mem, mem + size };

	memset(k, 0, sizeof(*k));
	ck_assert_ptr_ne(mem, MAP_FAILED);
	graph_init(&k->g, &a, model_find(m)->sync, EVENTS, HEDDLE_EXPLORED_THREADS);
	k->g.hbmo.weak = m == MODEL_WRA;
	k->next[k->nthreads++] = text;
	while ((text = strchr(text, '|')))
		k->next[k->nthreads++] = ++text;
	graph_widen(&k->g, k->nthreads);
	k->read = NO_POS;
	add_all(k);
	k->all = true;
	add_all(k);
	for (uint32_t t = 0; t < k->nthreads; t++)
		ck_assert_msg(!*k->next[t] || *k->next[t] == '|', "%s: stays behind", k->next[t]);
	ck_assert_msg(k->read != NO_POS, "%s: nothing is asked", k->next[0]);
}

void sketch_end(struct sketch *k)
{
	munmap(k->g.pool, graph_bytes(EVENTS, HEDDLE_EXPLORED_THREADS) + (1 << 20));
}

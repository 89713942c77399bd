/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle.c - see oracle.h
 *
 * States are kept packed, one behind the other, and found by a hash table of their numbers. The
 * search goes into depth with a stack of its own, since paths are as long as there are states.
 */
#include "random/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "random/machine.h"

enum {
	MAX_KEY = 8192
};

struct node {
	size_t key; /* where its packed form begins */
	uint32_t length, low;
	bool on_path, leaves;
};

struct frame {
	uint32_t node;
	size_t first, next, end; /* its successors */
};

struct visited {
	uint8_t *keys;
	size_t nkeys, room_keys;
	struct node *node;
	uint32_t n, room;
	uint32_t *table; /* numbers of nodes, plus 1 */
	uint32_t size;
	uint32_t *succ;
	size_t nsucc, room_succ;
	uint32_t *path; /* Tarjan's stack */
	uint32_t npath;
	struct frame *frame;
	uint32_t nframes, room_frames;
	long max;
};

static void *grown(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size);
	if (!p)
		abort();
	return p;
}

static uint64_t hash(const uint8_t *key, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ key[i]) * 1099511628211u;
	return h ^ h >> 29;
}

static void rehash(struct visited *v)
{
	v->size = v->size ? 2 * v->size : 1024;
	v->table = grown(v->table, v->size, sizeof(*v->table));
	memset(v->table, 0, v->size * sizeof(*v->table));
	for (uint32_t i = 0; i < v->n; i++) {
		uint64_t at = hash(v->keys + v->node[i].key, v->node[i].length);

		while (v->table[at % v->size])
			at++;
		v->table[at % v->size] = i + 1;
	}
}

/* The number of the state with this key; states have numbers in the order in which they are met. */
static uint32_t lookup(struct visited *v, const uint8_t *key, size_t n)
{
	uint64_t at = hash(key, n);

	for (; v->table[at % v->size]; at++) {
		const struct node *node = &v->node[v->table[at % v->size] - 1];

		if (node->length == n && !memcmp(v->keys + node->key, key, n))
			return v->table[at % v->size] - 1;
	}
	if (v->n == v->room) {
		v->room = v->room ? 2 * v->room : 1024;
		v->node = grown(v->node, v->room, sizeof(*v->node));
		v->path = grown(v->path, v->room, sizeof(*v->path));
	}
	while (v->nkeys + n > v->room_keys) {
		v->room_keys = v->room_keys ? 2 * v->room_keys : 1 << 16;
		v->keys = grown(v->keys, v->room_keys, 1);
	}
	memcpy(v->keys + v->nkeys, key, n);
	v->node[v->n] = (struct node){ .key = v->nkeys, .length = (uint32_t)n, .low = UINT32_MAX };
	v->nkeys += n;
	v->table[at % v->size] = v->n + 1;
	v->n++;
	if (2 * v->n > v->size)
		rehash(v);
	return v->n - 1;
}

static uint8_t *pack_threads(const struct search *search, const struct state *s, uint8_t *to)
{
	for (int t = 0; t < search->p->nthreads; t++) {
		*to++ = s->t[t].pc;
		*to++ = (uint8_t)(s->t[t].done | s->t[t].waits << 1);
		memcpy(to, s->t[t].reg, search->p->t[t].nregs);
		to += search->p->t[t].nregs;
	}
	memcpy(to, s->plain, MAX_PLAIN);
	return pack_marks(search, s->happened, to + MAX_PLAIN);
}

static const uint8_t *unpack_threads(const struct search *search, struct state *s,
				     const uint8_t *from)
{
	memset(s, 0, sizeof(*s));
	for (int t = 0; t < search->p->nthreads; t++) {
		s->t[t].pc = *from++;
		s->t[t].done = *from & 1;
		s->t[t].waits = *from++ >> 1;
		memcpy(s->t[t].reg, from, search->p->t[t].nregs);
		from += search->p->t[t].nregs;
	}
	memcpy(s->plain, from, MAX_PLAIN);
	return unpack_marks(search, &s->happened, from + MAX_PLAIN);
}

static uint32_t number_of(struct search *search, struct state *s)
{
	struct visited *v = search->visited;
	uint8_t key[MAX_KEY], *end;

	search->machine->tidy(search, s);
	end = search->machine->pack(search, s, pack_threads(search, s, key));
	return lookup(v, key, (size_t)(end - key));
}

const struct insn *next_insn(const struct search *search, const struct state *s, int t)
{
	return &search->code[t].i[s->t[t].pc];
}

/* What a thread that is done shows is all of it that is still of interest. */
static void end_thread(struct search *search, struct thread_state *thread, int t)
{
	thread->done = true;
	for (int r = 0; r < MAX_REGS; r++)
		if (!(search->p->t[t].outs >> r & 1))
			thread->reg[r] = 0;
}

/* Whose plain accesses are asked about. */
struct watched {
	struct search *search;
	struct state *state;
	int thread;
};

static void plain_access(void *arg, int variable, bool write)
{
	struct watched *w = arg;

	if (w->search->machine->plain)
		w->search->machine->plain(w->search, w->state, w->thread, variable, write);
	else
		race_plain(w->search, w->state, w->thread, variable, write);
}

static void run_local(struct search *search, struct state *s, int t)
{
	struct watched w = { search, s, t };
	const struct plain_watch watch = { plain_access, &w };

	if (!code_local(&search->code[t], &s->t[t], s->plain, search->p->races ? &watch : NULL))
		search->too_large = true;
}

static void go_on(struct search *search, struct state *s, int t)
{
	if (next_insn(search, s, t)->op == OP_END) {
		end_thread(search, &s->t[t], t);
		return;
	}
	s->t[t].pc++;
	run_local(search, s, t);
	if (!search->too_large && next_insn(search, s, t)->op == OP_END &&
	    search->model != TSO_MODEL)
		end_thread(search, &s->t[t], t);
}

void search_emit(struct search *search, struct state *s, int t, bool moved)
{
	struct visited *v = search->visited;

	if (moved)
		go_on(search, s, t);
	if (v->nsucc == v->room_succ) {
		v->room_succ = v->room_succ ? 2 * v->room_succ : 1024;
		v->succ = grown(v->succ, v->room_succ, sizeof(*v->succ));
	}
	v->succ[v->nsucc] = number_of(search, s);
	v->nsucc++;
}

bool anybody_waits(const struct state *s)
{
	for (int t = 0; t < MAX_THREADS; t++)
		if (s->t[t].waits)
			return true;
	return false;
}

void machine_cond(struct search *search, const struct state *s, int t)
{
	const int op = next_insn(search, s, t)->op;
	struct state next = *s;

	if (op == OP_WOKEN && s->t[t].waits)
		return;
	if (op == OP_WAIT)
		next.t[t].waits = true;
	if (op == OP_SIGNAL && anybody_waits(s)) {
		for (int u = 0; u < MAX_THREADS; u++) {
			if (!s->t[u].waits)
				continue;
			next = *s;
			next.t[u].waits = false;
			search_emit(search, &next, t, true);
		}
		return;
	}
	for (int u = 0; op == OP_BROADCAST && u < MAX_THREADS; u++)
		next.t[u].waits = false;
	search_emit(search, &next, t, true);
}

/* One final state as the printed program writes it. */
static void tell(struct search *search, const struct state *s, const int8_t *last)
{
	char line[256];
	int n = 0;

	for (int t = 0; t < search->p->nthreads; t++)
		for (int r = 0; r < MAX_REGS; r++)
			if (search->p->t[t].outs >> r & 1)
				n += sprintf(line + n, "%d ", s->t[t].reg[r]);
	n += sprintf(line + n, "|");
	for (int l = 0; l < search->p->nlocs; l++)
		if (search->p->home[l] < HOME_THREAD)
			n += sprintf(line + n, " %d", last[l]);
	outcomes_add(search->out, line);
}

static bool all_done(const struct search *search, const struct state *s)
{
	for (int t = 0; t < search->p->nthreads; t++)
		if (!s->t[t].done)
			return false;
	return true;
}

static void enter(struct search *search, uint32_t node)
{
	struct visited *v = search->visited;
	struct state s;
	size_t first = v->nsucc;

	if (v->nframes == v->room_frames) {
		v->room_frames = v->room_frames ? 2 * v->room_frames : 1024;
		v->frame = grown(v->frame, v->room_frames, sizeof(*v->frame));
	}
	search->machine->unpack(search, &s,
				unpack_threads(search, &s, v->keys + v->node[node].key));
	search->cut = false;
	if (all_done(search, &s)) {
		search->machine->finish(search, &s, tell);
	} else {
		for (int t = 0; t < search->p->nthreads; t++) {
			struct state now = s;

			if (s.t[t].done)
				continue;
			if (search->p->races && search->machine->known)
				race_atomic(search, &now, t, next_insn(search, &now, t));
			search->machine->step(search, &now, t);
		}
	}
	/* Who was not let go on is not stuck. */
	v->node[node].leaves = search->cut;
	search->out->partial |= search->cut;
	v->frame[v->nframes++] = (struct frame){ node, first, first, v->nsucc };
	v->path[v->npath] = node;
	v->node[node].low = v->npath++;
	v->node[node].on_path = true;
}

/* In a bottom component: whoever is left in it will never get on. */
static void judge(struct search *search, uint32_t node)
{
	struct visited *v = search->visited;
	struct state s;

	search->machine->unpack(search, &s,
				unpack_threads(search, &s, v->keys + v->node[node].key));
	if (all_done(search, &s))
		return;
	for (int t = 0; t < search->p->nthreads; t++) {
		const int op = next_insn(search, &s, t)->op;

		if (!s.t[t].done && op != OP_LOCK && op != OP_WOKEN)
			search->out->stuck |= STUCK_SPIN;
	}
	search->out->stuck |= search->out->stuck & STUCK_SPIN ? 0 : STUCK_LOCK;
}

static void leave(struct search *search)
{
	struct visited *v = search->visited;
	const struct frame *f = &v->frame[--v->nframes];
	struct node *node = &v->node[f->node];
	/* A node is the first of its component where its place on the path is as low as it gets. */
	const bool first = v->path[node->low] == f->node;
	const bool leaves = node->leaves;
	const uint32_t low = node->low;

	v->nsucc = f->first;
	if (first) {
		if (!leaves)
			judge(search, f->node);
		while (v->npath > low)
			v->node[v->path[--v->npath]].on_path = false;
	}
	if (v->nframes) {
		struct node *parent = &v->node[v->frame[v->nframes - 1].node];

		parent->leaves |= first || leaves;
		if (!first && low < parent->low)
			parent->low = low;
	}
}

static void walk(struct search *search, uint32_t start)
{
	struct visited *v = search->visited;

	enter(search, start);
	while (v->nframes && !search->too_large && !search->out->race) {
		struct frame *f = &v->frame[v->nframes - 1];
		struct node *node = &v->node[f->node];
		const struct node *to;

		if (f->next == f->end) {
			leave(search);
			continue;
		}
		to = &v->node[v->succ[f->next]];
		if (to->low == UINT32_MAX) {
			enter(search, v->succ[f->next++]);
		} else {
			if (!to->on_path)
				node->leaves = true;
			else if (to->low < node->low)
				node->low = to->low;
			f->next++;
		}
		if (v->n > v->max)
			search->too_large = true;
	}
}

static bool has_acquire_fence(const struct program *p)
{
	for (int i = 1; i < p->nstmts; i++)
		if (p->s[i].kind == ST_FENCE)
			return true;
	return false;
}

/* Which locks are tried, as a set of bits? */
static unsigned tried_locks(const struct program *p)
{
	unsigned set = 0;

	for (int i = 1; i < p->nstmts; i++)
		if (p->s[i].kind == ST_TRYLOCK)
			set |= 1u << p->s[i].loc;
	return set;
}

static bool is_silent_cas(const struct stmt *s)
{
	return s->kind == ST_CAS && !s->arg.is_reg && !s->expected.is_reg &&
	       s->arg.v == s->expected.v;
}

static bool is_silent_store(const struct stmt *s)
{
	return s->kind == ST_RMW || is_silent_cas(s);
}

static bool is_section(const struct stmt *s)
{
	return s->kind == ST_LOCKED;
}

static bool is_section_or_try(const struct stmt *s)
{
	return is_section(s) || s->kind == ST_TRYLOCK;
}

/* Some locks are no mutexes. */
static bool has_other_locks(const struct program *p)
{
	for (int m = 0; m < MAX_MUTEXES; m++)
		if (p->lock[m] > LOCK_SPIN)
			return true;
	return false;
}

/* Has the program a loop without a bound around one of these? */
static bool loops_around(const struct program *p, int first, bool inside,
			 bool (*is_it)(const struct stmt *s))
{
	for (int i = first; i; i = p->s[i].next) {
		const struct stmt *s = &p->s[i];

		if ((inside && is_it(s)) ||
		    loops_around(p, s->body, inside || (s->kind == ST_LOOP && !s->bound), is_it) ||
		    loops_around(p, s->other, inside, is_it))
			return true;
	}
	return false;
}

static bool any_loops_around(const struct program *p, bool (*is_it)(const struct stmt *s))
{
	for (int t = 0; t < p->nthreads; t++)
		if (loops_around(p, p->t[t].body, false, is_it))
			return true;
	return false;
}

bool locks_in_loop(const struct program *p)
{
	return any_loops_around(p, has_other_locks(p) ? is_section_or_try : is_section);
}

static bool is_change(const struct stmt *s)
{
	return s->kind == ST_RMW && (s->fn == FN_ADD || s->fn == FN_XOR) && s->arg.v;
}

bool changes_in_loop(const struct program *p)
{
	return any_loops_around(p, is_change);
}

/* Around a read-modify-write that may always succeed, or a lock. */
static bool loops_exchange(const struct program *p)
{
	return any_loops_around(p, is_silent_store) || locks_in_loop(p);
}

static bool has_sc_fence(const struct program *p, uint8_t list)
{
	for (int i = list; i; i = p->s[i].next)
		if ((p->s[i].kind == ST_FENCE && p->s[i].order == SC) ||
		    has_sc_fence(p, p->s[i].body) || has_sc_fence(p, p->s[i].other))
			return true;
	return false;
}

/* Under rc11, by execution graphs? */
static bool takes_graphs(const struct program *p)
{
	return p->sc_accesses || p->as_graph;
}

bool views_may_miss(const struct program *p, enum model model)
{
	int threads = 0;

	for (int t = 0; t < p->nthreads; t++)
		threads += has_sc_fence(p, p->t[t].body);
	return model == RC11_MODEL && !takes_graphs(p) && p->nthreads > 2 && threads > 1;
}

static const struct machine *machine_of(const struct program *p, enum model model)
{
	switch (model) {
	case WRA_MODEL:
		return &machine_past;
	case SC_MODEL:
	case TSO_MODEL:
		return &machine_memory;
	case RC11_MODEL:
		return takes_graphs(p) ? &machine_graph : &machine_views;
	default:
		return &machine_views;
	}
}

bool oracle_knows(const struct program *p, enum model model)
{
	/* The address of what stands on a stack is no atomic: nothing but sw hands it over. */
	for (int l = 0; l < p->nlocs; l++)
		if (p->home[l] >= HOME_THREAD && model == RELAXED_MODEL)
			return false;
	/* Two of the machines know of mutexes only. */
	if (has_other_locks(p) && (model == WRA_MODEL || (model == RC11_MODEL && takes_graphs(p))))
		return false;
	/* Messages that nobody is certain not to read any more stay. */
	if (changes_in_loop(p) && model != SC_MODEL && model != TSO_MODEL)
		return false;
	return model != RC11_MODEL || !takes_graphs(p) || !loops_exchange(p);
}

bool is_endless(const struct program *p, enum model model)
{
	return model == WRA_MODEL && loops_exchange(p);
}

void oracle_run(struct outcomes *o, const struct program *p, enum model model, long max_states)
{
	struct visited v = { .max = max_states };
	struct search search = { .p = p,
				 .machine = machine_of(p, model),
				 .model = model,
				 .out = o,
				 .visited = &v,
				 .acquire_fences = has_acquire_fence(p),
				 .tried = tried_locks(p) };
	struct state s;

	/* A state of this one takes a hundred times as long. */
	if (search.machine == &machine_graph)
		v.max /= 10;
	outcomes_init(o);
	rehash(&v);
	memset(&s, 0, sizeof(s));
	search.machine->start(&search, &s);
	for (int t = 0; t < p->nthreads; t++) {
		s.t[t].pc = 0;
		if (!code_make(&search.code[t], p, t))
			search.too_large = true;
		else
			run_local(&search, &s, t);
	}
	if (!search.too_large)
		walk(&search, number_of(&search, &s));
	o->states = v.n;
	o->too_large = search.too_large && !o->race;
	outcomes_sort(o);
	free(v.keys);
	free(v.node);
	free(v.table);
	free(v.succ);
	free(v.path);
	free(v.frame);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interp.c - see interp.h
 *
 * The redundant-round rule (design, Section 5; design/awaits_reference.py): after a silent
 * read r2 of value v, for each earlier silent read r1 of the same location with nothing but
 * silent reads and fences between them and an order no stronger, run from r1 with v to the
 * next read. The same operations, then the same place with the same live registers, mean
 * that the rounds between did nothing: the thread stops.
 *
 * It is stuck for good, and not just redundant, only when r1 read v already: then the same
 * reads bring it back to the same place for ever. Otherwise v may have been what it waited
 * for, and the execution in which r1 reads it goes on; `round` is 0 then.
 */
#include "engine/interp.h"

#include <string.h>

enum {
	MAX_LOCAL = 1000,
	MAX_SINCE = 12
};

void interp_init(struct interp *it, const struct script *s, int t)
{
	memset(it, 0, sizeof(*it));
	it->s = s;
	it->t = (int8_t)t;
}

static int64_t eval(const struct interp *it, const struct expr *e)
{
	int64_t v = e->k;
	for (int i = 0; i < 2; i++)
		if (e->reg[i] >= 0)
			v += it->reg[(int)e->reg[i]];
	return v;
}

static bool holds(const struct interp *it, const struct insn *in)
{
	int64_t a = eval(it, &in->a), b = eval(it, &in->b);
	switch (in->cmp) {
	case CMP_EQ:
		return a == b;
	case CMP_NE:
		return a != b;
	case CMP_LT:
		return a < b;
	default:
		return a <= b;
	}
}

static void want_futex(const struct insn *in, struct action *act)
{
	act->order = act->order_fail = 0;
	act->fn = in->kind == I_FUTEX_WOKEN;
	act->word = (uint8_t)in->a.k;
	act->bits = in->kind == I_FUTEX_MOVE ? 15 : (uint8_t)in->b.k;
	act->to = (uint8_t)in->b.k;
	act->arg = 0;
	if (in->kind == I_FUTEX_WAKE || in->kind == I_FUTEX_MOVE)
		act->n = in->order;
	if (in->kind == I_FUTEX_WOKEN)
		act->n = (uint32_t)in->a.k;
	if (in->kind == I_FUTEX_MOVE)
		act->moves = in->order_fail;
}

static void want(const struct interp *it, const struct insn *in, struct action *act)
{
	static const uint8_t kinds[I_KINDS] = {
		[I_READ] = OP_LOAD,
		[I_WRITE] = OP_STORE,
		[I_FAI] = OP_RMW,
		[I_XCHG] = OP_RMW,
		[I_CAS] = OP_CAS,
		[I_FENCE] = OP_FENCE,
		[I_LOCK] = OP_LOCK,
		[I_UNLOCK] = OP_UNLOCK,
		[I_TRYLOCK] = OP_TRYLOCK,
		[I_SEM_WAIT] = OP_SEM_WAIT,
		[I_SEM_POST] = OP_SEM_POST,
		[I_SEM_TRYWAIT] = OP_SEM_TRYWAIT,
		[I_SIGNAL] = OP_COND_SIGNAL,
		[I_BROADCAST] = OP_COND_BROADCAST,
		[I_RDLOCK] = OP_RDLOCK,
		[I_WRLOCK] = OP_WRLOCK,
		[I_TRYRDLOCK] = OP_TRYRDLOCK,
		[I_TRYWRLOCK] = OP_TRYWRLOCK,
		[I_RWUNLOCK] = OP_RWUNLOCK,
		[I_WRASK] = OP_RW_ASK,
		[I_WRASKED] = OP_WRLOCK,
		[I_BARRIER] = OP_BARRIER_ARRIVE,
		[I_CHOOSE] = OP_CHOOSE,
		[I_TAKE] = OP_COUNT_TAKE,
		[I_TRYTAKE] = OP_COUNT_TRYTAKE,
		[I_ADD] = OP_COUNT_ADD,
		[I_TRYADD] = OP_COUNT_TRYADD,
		[I_CLOSE] = OP_COUNT_CLOSE,
		[I_OPEN] = OP_COUNT_OPEN,
		[I_LOOK] = OP_COUNT_LOOK,
		[I_READY] = OP_COUNT_AWAIT,
		[I_FUTEX_LOOK] = OP_FUTEX_LOOK,
		[I_FUTEX_WAIT] = OP_FUTEX_WAIT,
		[I_FUTEX_WOKEN] = OP_COND_WOKEN,
		[I_FUTEX_WAKE] = OP_FUTEX_WAKE,
		[I_FUTEX_MOVE] = OP_FUTEX_REQUEUE,
	};
	static const uint8_t wait[] = { OP_COND_BEGIN, OP_UNLOCK, OP_COND_WOKEN, OP_LOCK };

	memset(act, 0, sizeof(*act));
	act->op = kinds[in->kind];
	act->order = in->order;
	act->order_fail = in->order_fail;
	act->loc = in->loc;
	act->fn = in->kind == I_FAI ? RMW_ADD : RMW_XCHG;
	act->arg = eval(it, in->kind == I_CAS ? &in->b : &in->a);
	if (in->kind == I_CAS)
		act->expected = eval(it, &in->a);
	if (in->kind == I_WRASKED)
		act->arg = 1;
	if (in->kind == I_CHOOSE)
		act->n = (uint32_t)act->arg;
	if (in->kind >= I_TAKE && in->kind <= I_READY) {
		act->order = ORDER_NA;
		act->expected = in->b.k;
		if (in->kind == I_CLOSE)
			act->arg = (int64_t)((uint64_t)in->order << 62);
		if (in->kind == I_READY)
			act->arg = in->order;
	}
	if (in->kind >= I_FUTEX_LOOK && in->kind <= I_FUTEX_MOVE)
		want_futex(in, act);
	if (in->kind == I_COND_WAIT || in->kind == I_TIMEDWAIT) {
		act->op = wait[it->phase];
		act->loc = it->phase & 1 ? in->loc2 : in->loc;
	}
	if (in->kind == I_TIMEDWAIT && act->op == OP_COND_WOKEN)
		act->op = OP_COND_LEAVE;
	if (in->kind == I_BARRIER && it->phase) {
		act->op = OP_BARRIER_PASS;
		act->expected = (it->arrived / act->arg + 1) * act->arg;
	}
}

enum interp_status interp_next(struct interp *it, struct action *act)
{
	const struct script_thread *th = &it->s->thread[(int)it->t];

	for (int steps = 0; it->status == IT_OP; steps++) {
		if (it->pc >= th->n) {
			it->status = IT_END;
			break;
		}
		const struct insn *in = &th->code[it->pc];
		switch (in->kind) {
		case I_SET:
			it->reg[(int)in->reg] = eval(it, &in->a);
			it->pc++;
			break;
		case I_IF:
			it->pc = holds(it, in) ? it->pc + 1 : in->jump + 1;
			break;
		case I_ELSE:
		case I_ENDLOOP:
			it->pc = in->jump;
			break;
		case I_BREAK_IF:
			it->pc = holds(it, in) ? in->jump + 1 : it->pc + 1;
			break;
		case I_LOOP:
		case I_ENDIF:
			it->pc++;
			break;
		case I_ASSUME:
		case I_ASSERT:
			if (!holds(it, in))
				it->status = in->kind == I_ASSUME ? IT_BLOCKED : IT_FAILED;
			it->pc++;
			break;
		default:
			want(it, in, act);
			return IT_OP;
		}
		if (steps > MAX_LOCAL)
			it->status = IT_BLOCKED;
	}
	return it->status;
}

/* Consumes the operation, without the rule. */
static void advance(struct interp *it, const struct action *act, const struct effect *eff)
{
	const struct insn *in = &it->s->thread[(int)it->t].code[it->pc];

	it->ops++;
	if (action_reads(act))
		it->reads++;
	if (in->kind == I_BARRIER && !it->phase && eff->stored % act->arg) {
		it->arrived = eff->stored;
		it->phase = 1;
		return;
	}
	if (in->kind == I_BARRIER) {
		it->phase = 0;
		it->pc++;
		return;
	}
	if (in->kind == I_TIMEDWAIT && it->phase == 2)
		it->reg[(int)in->reg] = eff->wrote;
	if (in->kind == I_COND_WAIT || in->kind == I_TIMEDWAIT) {
		it->phase = (it->phase + 1) % 4;
		it->pc += it->phase == 0;
		return;
	}
	if (in->kind == I_TRYLOCK || in->kind == I_SEM_TRYWAIT || in->kind == I_TRYRDLOCK ||
	    in->kind == I_TRYWRLOCK)
		it->reg[(int)in->reg] = eff->wrote;
	else if (in->kind == I_CHOOSE)
		it->reg[(int)in->reg] = eff->choice;
	else if (in->reg >= 0)
		it->reg[(int)in->reg] = eff->read;
	it->pc++;
}

/* The effect of a read of v, when it is silent; the order in force. */
static bool silent(const struct interp *it, const struct action *act, int64_t v, struct effect *eff,
		   unsigned *order)
{
	memset(eff, 0, sizeof(*eff));
	eff->read = v;
	if (action_is_library(act) || !action_reads(act))
		return false;
	eff->wrote = action_apply(act, it->t, v, 0, &eff->stored) == ACT_READS_AND_WRITES;
	*order = act->op == OP_CAS && !eff->wrote ? act->order_fail : act->order;
	return !eff->wrote || (eff->stored == v && (*order == ORDER_RLX || *order == ORDER_ACQ));
}

/* Runs to the next read or library operation, noting what was emitted on the way. */
static int run_on(struct interp *it, struct action *since, struct action *next,
		  enum interp_status *status)
{
	int n = 0;

	while ((*status = interp_next(it, next)) == IT_OP) {
		if ((next->op != OP_STORE && next->op != OP_FENCE) || n == MAX_SINCE)
			break;
		since[n++] = *next;
		advance(it, next, &(struct effect){ .wrote = next->op == OP_STORE });
	}
	return n;
}

static bool same_end(const struct interp *a, const struct interp *b, enum interp_status sa,
		     enum interp_status sb)
{
	if (sa != sb || sa != IT_OP)
		return sa == sb;
	if (a->pc != b->pc || a->phase != b->phase)
		return false;
	uint32_t live = a->s->thread[(int)a->t].live[a->pc];
	for (int r = 0; r < SCRIPT_REGS; r++)
		if (live & 1u << r && a->reg[r] != b->reg[r])
			return false;
	return true;
}

static unsigned strength(unsigned order)
{
	static const uint8_t rank[] = { 0, 0, 1, 1, 2, 3 };
	return rank[order];
}

/* `now` has just read v with this order: would the earlier read have led to the same place? */
static bool redundant(const struct interp *now, const struct interp *earlier, int loc, int64_t v,
		      unsigned order)
{
	struct action act, since1[MAX_SINCE], since2[MAX_SINCE], next1, next2;
	struct interp it1 = *earlier, it2 = *now;
	enum interp_status s1, s2;
	struct effect eff;
	unsigned order1;

	interp_next(&it1, &act);
	if (act.loc != loc || !silent(&it1, &act, v, &eff, &order1))
		return false;
	if (strength(order1) > strength(order))
		return false;
	advance(&it1, &act, &eff);
	int n1 = run_on(&it1, since1, &next1, &s1), n2 = run_on(&it2, since2, &next2, &s2);
	if (n1 != n2 || memcmp(since1, since2, (size_t)n1 * sizeof(since1[0])))
		return false;
	return same_end(&it1, &it2, s1, s2);
}

/*
 * `now` has just read something silently: does it come back to where it was before the earlier
 * read, having written nothing on the way?
 */
static bool comes_back(const struct interp *now, const struct interp *earlier)
{
	struct action since[MAX_SINCE], next;
	struct interp it = *now;
	enum interp_status status;
	int n = run_on(&it, since, &next, &status);

	for (int i = 0; i < n; i++)
		if (since[i].op != OP_FENCE)
			return false;
	return status == IT_OP && same_end(&it, earlier, IT_OP, IT_OP);
}

void interp_done(struct interp *it, struct rounds *rounds, const struct action *act,
		 const struct effect *eff)
{
	struct interp before = *it, after;
	struct effect quiet;
	unsigned order;

	advance(it, act, eff);
	after = *it;
	if (!rounds || act->op == OP_FENCE)
		return;
	if (!silent(&before, act, eff->read, &quiet, &order)) {
		rounds->n = 0;
		return;
	}
	const int most = sizeof(rounds->at) / sizeof(rounds->at[0]);
	if (rounds->n == most) {
		memmove(rounds->at, rounds->at + 1, sizeof(rounds->at) - sizeof(rounds->at[0]));
		memmove(rounds->value, rounds->value + 1,
			sizeof(rounds->value) - sizeof(rounds->value[0]));
		rounds->n--;
	}
	rounds->value[rounds->n] = eff->read;
	rounds->at[rounds->n++] = before;
	for (int i = rounds->n - 1; i >= 0 && !it->round; i--) {
		if (!comes_back(&after, &rounds->at[i]))
			continue;
		it->status = IT_STUCK;
		it->round = (uint16_t)(it->ops - rounds->at[i].ops);
	}
	for (int i = rounds->n - 2; i >= 0 && !it->round; i--) {
		if (!redundant(&after, &rounds->at[i], act->loc, eff->read, order))
			continue;
		it->status = IT_STUCK;
		if (rounds->value[i] == eff->read)
			it->round = (uint16_t)(it->ops - rounds->at[i].ops - 1);
	}
}

bool interp_fails(const struct interp *it, const struct rounds *rounds, const struct action *act,
		  int64_t v, uint32_t *round)
{
	struct interp after = *it;
	struct rounds since = *rounds;

	interp_done(&after, &since, act, &(struct effect){ .read = v });
	*round = after.status == IT_STUCK ? after.round : 0;
	return after.status == IT_STUCK;
}

bool action_reads(const struct action *act)
{
	return act->op != OP_STORE && act->op != OP_FENCE && act->op != OP_UNLOCK &&
	       act->op != OP_CHOOSE;
}

bool action_is_library(const struct action *act)
{
	return act->op > OP_CAS && act->op != OP_FENCE;
}

bool action_is_futex(const struct action *act)
{
	return act->op >= OP_FUTEX_WAIT && act->op <= OP_FUTEX_REQUEUE;
}

bool action_is_void(const struct action *act)
{
	return (act->op == OP_COND_WOKEN && act->fn && act->n) || act->op == OP_FUTEX_WAIT ||
	       act->op == OP_FUTEX_REQUEUE;
}

static unsigned sleep_of(int64_t state, int t)
{
	return (unsigned)(state >> (8 * t)) & 0xff;
}

uint64_t futex_sleepers(int64_t state)
{
	uint64_t set = 0;

	for (int t = 0; t < SCRIPT_THREADS; t++)
		set |= (uint64_t) !!sleep_of(state, t) << (t + 1);
	return set;
}

uint64_t futex_moved(int64_t before, int64_t after)
{
	uint64_t set = 0;

	for (int t = 0; t < SCRIPT_THREADS; t++)
		if (sleep_of(after, t) && sleep_of(after, t) != sleep_of(before, t))
			set |= (uint64_t)1 << (t + 1);
	return set;
}

/* Whom a futex operation takes out, and whom it moves. */
struct pick {
	unsigned wake, move;
};

static bool is_subset(unsigned a, unsigned b)
{
	return !(a & ~b);
}

/* As many as there are, at most n. */
static bool fills(unsigned a, unsigned b, unsigned n)
{
	unsigned most = (unsigned)__builtin_popcount(b);

	return is_subset(a, b) && (unsigned)__builtin_popcount(a) == (n < most ? n : most);
}

/* The choice of this rank; false if there is none. */
static bool futex_pick(const struct action *act, int64_t state, uint32_t rank, struct pick *p)
{
	unsigned all = 0, end = 1u << SCRIPT_THREADS;

	for (int t = 0; t < SCRIPT_THREADS; t++) {
		unsigned s = sleep_of(state, t);

		if (s && (s & 15) == act->word + 1u && (s >> 4 & act->bits))
			all |= 1u << t;
	}
	for (p->wake = 0; p->wake < end; p->wake++) {
		if (!fills(p->wake, all, act->n))
			continue;
		for (p->move = 0; p->move < end; p->move++)
			if (fills(p->move, all & ~p->wake, act->moves) && !rank--)
				return true;
	}
	return false;
}

static int64_t futex_after(const struct action *act, int64_t state, uint32_t choice)
{
	struct pick p = { 0 };

	futex_pick(act, state, choice, &p);
	for (int t = 0; t < SCRIPT_THREADS; t++) {
		if (p.wake >> t & 1)
			state &= ~((int64_t)0xff << (8 * t));
		if (p.move >> t & 1)
			state = (state & ~((int64_t)0x0f << (8 * t))) | (int64_t)(act->to + 1)
										<< (8 * t);
	}
	return state;
}

uint32_t action_choices(const struct action *act, int64_t v)
{
	if (act->op == OP_CHOOSE)
		return act->n;
	if (act->op == OP_COND_SIGNAL && v)
		return (uint32_t)__builtin_popcountll((uint64_t)v);
	if (act->op == OP_FUTEX_WAKE || act->op == OP_FUTEX_REQUEUE) {
		uint32_t n = 0;
		while (futex_pick(act, v, n, &(struct pick){ 0 }))
			n++;
		return n;
	}
	return 1;
}

bool action_has_choice(const struct action *act, int64_t v)
{
	return act->op == OP_COND_SIGNAL ? v != 0
					 : action_is_futex(act) && action_choices(act, v) > 1;
}

/* Takes the member of this rank out of a set. */
static int64_t without(int64_t set, uint32_t rank)
{
	for (int bit = 0; bit < 64; bit++)
		if (set >> bit & 1 && !rank--)
			return set & ~((int64_t)1 << bit);
	return set;
}

/* A pipe: how much is in it, and whether either side is closed for good (bits 62 and 63). */
static enum action_result apply_count(const struct action *act, int64_t v, int64_t *stored)
{
	int64_t held = v & 0xffff;
	bool closed = v >> 62 & 1, broken = v >> 63 & 1, tries = false;

	switch (act->op) {
	case OP_COUNT_TRYTAKE:
		tries = true;
		/* fallthrough */
	case OP_COUNT_TAKE:
		*stored = held > act->arg ? v - act->arg : v - held;
		return held ? ACT_READS_AND_WRITES : tries || closed ? ACT_READS : ACT_WAITS;
	case OP_COUNT_TRYADD:
		tries = true;
		/* fallthrough */
	case OP_COUNT_ADD:
		*stored = v + act->arg;
		if (broken)
			return ACT_READS;
		if (held + act->arg > act->expected)
			return tries ? ACT_READS : ACT_WAITS;
		return ACT_READS_AND_WRITES;
	default:
		return (act->arg & 1 && (held || closed)) ||
				       (act->arg & 2 && (broken || held < act->expected))
			       ? ACT_READS
			       : ACT_WAITS;
	}
}

enum action_result action_apply(const struct action *act, int t, int64_t v, uint32_t choice,
				int64_t *stored)
{
	int64_t me = (int64_t)1 << (t + 1); /* the engine's number of scripted thread t */

	if (act->op == OP_COND_WOKEN && act->fn)
		me = (int64_t)0xff << (8 * t);
	switch (act->op) {
	case OP_LOAD:
		return ACT_READS;
	case OP_STORE:
		*stored = act->arg;
		return ACT_WRITES;
	case OP_UNLOCK:
		*stored = 0;
		return ACT_WRITES;
	case OP_RMW:
		*stored = act->fn == RMW_ADD ? v + act->arg : act->arg;
		return ACT_READS_AND_WRITES;
	case OP_CAS:
		*stored = act->arg;
		return v == act->expected ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_LOCK:
	case OP_TRYLOCK:
		*stored = 1;
		return v == 0 ? ACT_READS_AND_WRITES : act->op == OP_LOCK ? ACT_WAITS : ACT_READS;
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
		*stored = v - 1;
		return v > 0                    ? ACT_READS_AND_WRITES
		       : act->op == OP_SEM_WAIT ? ACT_WAITS
						: ACT_READS;
	case OP_SEM_POST:
		*stored = v + 1;
		return ACT_READS_AND_WRITES;
	case OP_COND_LEAVE:
		*stored = v & ~me;
		return v & me ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
		*stored = v + 1;
		return v < OP_RW_WRITER       ? ACT_READS_AND_WRITES
		       : act->op == OP_RDLOCK ? ACT_WAITS
					      : ACT_READS;
	case OP_WRLOCK:
		*stored = (v - (act->arg ? OP_RW_ASKED : 0)) | OP_RW_WRITER;
		return v == 0 || (act->arg && !(v & (OP_RW_ASKED - 1))) ? ACT_READS_AND_WRITES
									: ACT_WAITS;
	case OP_TRYWRLOCK:
		*stored = OP_RW_WRITER;
		return v == 0 ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_RWUNLOCK:
		*stored = v & OP_RW_WRITER ? v & ~OP_RW_WRITER : v & (OP_RW_WRITER - 1) ? v - 1 : v;
		return ACT_READS_AND_WRITES;
	case OP_RW_ASK:
		*stored = v + OP_RW_ASKED;
		return ACT_READS_AND_WRITES;
	case OP_BARRIER_ARRIVE:
		*stored = v + 1;
		return ACT_READS_AND_WRITES;
	case OP_BARRIER_PASS:
		return v == act->expected ? ACT_READS : ACT_WAITS;
	case OP_COND_BEGIN:
		*stored = v | me;
		return ACT_READS_AND_WRITES;
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_COUNT_AWAIT:
		return apply_count(act, v, stored);
	case OP_COUNT_CLOSE:
		*stored = v | act->arg;
		return ACT_READS_AND_WRITES;
	case OP_COUNT_OPEN:
		*stored = 0;
		return ACT_READS_AND_WRITES;
	case OP_COUNT_LOOK:
	case OP_FUTEX_LOOK:
		return ACT_READS;
	case OP_FUTEX_WAIT:
		*stored = (v & ~((int64_t)0xff << (8 * t))) |
			  (int64_t)(act->word + 1 + 16 * act->bits) << (8 * t);
		return ACT_READS_AND_WRITES;
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
		*stored = futex_after(act, v, choice);
		return ACT_READS_AND_WRITES;
	case OP_COND_WOKEN:
		return v & me ? ACT_WAITS : ACT_READS;
	case OP_COND_SIGNAL:
		*stored = without(v, choice);
		return v ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_COND_BROADCAST:
		*stored = 0;
		return v ? ACT_READS_AND_WRITES : ACT_READS;
	default:
		return ACT_NEITHER;
	}
}

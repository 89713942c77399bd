/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interp.c - see interp.h
 *
 * The redundant-round rule (runtime/preload/await/await.txt; tests/reference/awaits.py): after a silent
 * read r2 of value v, for each earlier silent read r1 of the same location with nothing but
 * silent reads and fences between them and which orders no more, run from r1 with v to the
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
		[I_SET_TAKE] = OP_READY_TAKE,
		[I_SET_TRYTAKE] = OP_READY_TRYTAKE,
		[I_SET_LOCK] = OP_READY_LOCK,
		[I_SET_MARK] = OP_READY_MARK,
		[I_SET_RELEASE] = OP_READY_RELEASE,
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
	if (in->kind >= I_SET_TAKE && in->kind <= I_SET_RELEASE) {
		act->fn = in->order;
		act->order = ORDER_NA;
		act->expected = in->b.k;
		act->n = in->kind == I_SET_TAKE && in->b.k;
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
/* What a register keeps of a value that was read: as much as a place in memory may hold. */
static int64_t kept(const struct action *act, int64_t v)
{
	uint64_t state = (uint64_t)v;

	if (act->op < OP_COUNT_TAKE || act->op > OP_COUNT_AWAIT)
		return v;
	return (int64_t)(COUNT_OF(state) | state / COUNT_NO_WRITER << 16);
}

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
		it->reg[(int)in->reg] = kept(act, eff->read);
	it->pc++;
}

/* What an operation orders: the parts of its order that are in force. */
struct parts {
	bool stores, acquires, releases, sc;
};

/* The effect of a read of v, when it is silent; and what it orders. */
static bool silent(const struct interp *it, const struct action *act, int64_t v, bool no_mo,
		   struct effect *eff, struct parts *parts)
{
	unsigned order;

	memset(eff, 0, sizeof(*eff));
	eff->read = v;
	if (action_is_library(act) || !action_reads(act))
		return false;
	eff->wrote = action_apply(act, it->t, v, 0, &eff->stored) == ACT_READS_AND_WRITES;
	order = act->op == OP_CAS && !eff->wrote ? act->order_fail : act->order;
	parts->stores = eff->wrote;
	parts->acquires = order == ORDER_ACQ || order == ORDER_ACQ_REL || order == ORDER_SC;
	parts->releases =
		eff->wrote && (order == ORDER_REL || order == ORDER_ACQ_REL || order == ORDER_SC);
	parts->sc = order == ORDER_SC;
	return !eff->wrote || (!no_mo && eff->stored == v);
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

static bool no_more(const struct parts *a, const struct parts *b)
{
	return (!a->stores || b->stores) && (!a->acquires || b->acquires) &&
	       (!a->releases || b->releases) && (!a->sc || b->sc);
}

/* `now` has just read v so: would the earlier read, ordering no more, have led to the same place? */
static bool redundant(const struct interp *now, const struct interp *earlier, int loc, int64_t v,
		      const struct parts *parts)
{
	struct action act, since1[MAX_SINCE], since2[MAX_SINCE], next1, next2;
	struct interp it1 = *earlier, it2 = *now;
	enum interp_status s1, s2;
	struct effect eff;
	struct parts parts1;

	interp_next(&it1, &act);
	if (act.loc != loc || !silent(&it1, &act, v, false, &eff, &parts1) ||
	    !no_more(&parts1, parts))
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
	struct parts parts;

	advance(it, act, eff);
	after = *it;
	if (!rounds || act->op == OP_FENCE)
		return;
	if (!silent(&before, act, eff->read, rounds->no_mo, &quiet, &parts)) {
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
		if (!redundant(&after, &rounds->at[i], act->loc, eff->read, &parts))
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

uint64_t interp_state(const struct interp *it)
{
	struct interp at = *it;
	struct action act;
	uint64_t hash = (uint64_t)it->t * 1000 + (uint64_t)it->status;
	uint32_t live = UINT32_MAX;

	if (it->status == IT_STUCK) {
		at.status = IT_OP;
		interp_next(&at, &act);
		live = at.s->thread[(int)at.t].live[at.pc];
		hash += (uint64_t)at.pc * 10 + at.phase;
	}
	for (int r = 0; r < SCRIPT_REGS; r++)
		if (live & 1u << r)
			hash = (hash ^ (uint64_t)at.reg[r]) * 0x9e3779b97f4a7c15u + (uint64_t)r;
	return hash;
}

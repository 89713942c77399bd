/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch.c - the code between two operations of a thread: is all that it does told?
 *
 * The redundant-round rule compares the state of a thread at two of its operations (await.c). What
 * it compares is the stack, the registers, and the memory that somebody has announced. So it is right
 * only if the code between them does nothing else: no function without instrumentation, no inline
 * assembly that stores, no call of a library that keeps something. Whether that is so is decided here
 * from the code itself, and what is not known is not told.
 *
 *	1. The code that can be reached from pc without an operation is followed: within its function,
 *	   into the functions that it calls, and where it returns, on in the function that called it.
 *	2. An instruction that reads or writes memory has to be about the frame of its function, or
 *	   about constants, or to come behind the call of a hook that announces an access of that kind
 *	   and of so many bytes. Compilers put that call right in front of the access, and move no
 *	   access across a call, but of a copy (*p = *q, of structures) the write is announced first, then the read, and
 *	   both come behind that. What was announced is used up: a second store behind one announcement
 *	   is not told. What compilers do not announce are reads of constants, by their address or by a
 *	   register that the code has put it in: tables, of jumps and others.
 *	3. A hook of ours tells all if it is listed as one that does (stretch_hook.c). Any other
 *	   function is followed like the program's own.
 *	4. A jump or call to who knows where, and an instruction that is not understood, may read and
 *	   write anything. One that enters the kernel may do worse, and so may a hook that is not listed.
 *	5. Of a stretch that the thread has behind it such jumps and calls may be known (stretch_ask(), taken.h): then the
 *	   functions are followed to which they went, and where they went nowhere nothing comes behind them.
 *
 * What only the unwinder knows the way to is not followed: whoever throws an exception allocates
 * memory, which is hidden state that malloc() notes.
 *
 * Invariant: but for 5 an outcome depends on the code alone, so all workers have the same.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/liveness/stretch.h"

#include <dlfcn.h>
#include <string.h>

#include "base/table.h"
#include "preload/core/context.h"
#include "preload/core/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/flow_code.h"
#include "preload/liveness/stretch_memory.h"
#include "preload/liveness/tail.h"
#include "preload/liveness/taken.h"

enum {
	NODES = 1 << 15, /* instructions of a function */
	CODE = 1 << 18,  /* bytes of it */
	KNOWN_BITS = 11, /* of the tables of places, and of ways, that are remembered */
	STRICT = 2,      /* none of those of struct taken */
	FUNCTIONS = 256, /* that one place may lead to */
};

static struct flow_code fn;
KEPT(fn);
static struct told *told;
KEPT(told);
static struct stretch_known *known;
KEPT(known);
static uint32_t nknown;
KEPT(nknown);
static struct stretch_way *ways;
KEPT(ways);
static uint32_t nways;
KEPT(nways);
static bool strict;
static const struct taken *resolved;

/* stretch_touches(): bytes of the frame that others access as well. */
static struct {
	int64_t from, to;
	bool touched;
} slot;
FRESH(slot);

/* Where code begins that is still to be followed, and has been. */
static struct {
	uint64_t at[FUNCTIONS];
	uint32_t n, done;
	enum stretch worst;
	bool mute; /* only the ways are looked for */
	bool open; /* places were met that are not watched */
	struct stretch_word word;
} todo;
FRESH(todo);

static void worse(enum stretch what)
{
	if (todo.worst < what && !todo.mute)
		todo.worst = what;
}

static void add_code(uint64_t at)
{
	for (uint32_t i = 0; i < todo.n; i++)
		if (todo.at[i] == at)
			return;
	if (todo.mute)
		return;
	if (todo.n == FUNCTIONS)
		worse(STRETCH_UNSEEN);
	else
		todo.at[todo.n++] = at;
}

/* ---- Memory ------------------------------------------------------------------------------------ */

/* An access by an instruction. */
static void access_memory(const struct node *node, struct told *left)
{
	const struct insn *in = &node->in;

	if (slot.from < slot.to) {
		slot.touched |= memory_pushes_over(node, slot.from, slot.to);
		if (memory_overlaps(node, slot.from, slot.to)) {
			slot.touched |= !memory_take(in, left);
			return;
		}
	}
	if (!in->memory || in->kind == INSN_LEA || memory_needs_no_telling(node) ||
	    memory_reads_constant(in, left->constants))
		return;
	if (!memory_take(in, left))
		worse(STRETCH_UNSEEN);
}

/* ---- Calls ------------------------------------------------------------------------------------- */

/*
 * What comes back from a call: true, with what it has announced; false for an operation, at which
 * the stretch ends, and where nothing comes back.
 */
static bool call_function(uint64_t address, struct told *left)
{
	enum hook_class what;
	uint16_t reads, writes;

	if (address && callee_announces(address, &reads, &writes)) {
		left->reads = memory_bytes(reads);
		if (writes ||
		    !reads) /* of a copy the write is announced before the read, and both before the copy */
			left->writes = memory_bytes(writes);
		return true;
	}
	left->reads = left->writes = 0;
	what = stretch_hook_at(address);
	if (in_runtime(address) && (what == HOOK_OPERATION || what == HOOK_ENDS))
		return false;
	if (in_runtime(address) && what != HOOK_TELLS && what != HOOK_OWN)
		worse(what == HOOK_CALLS ? STRETCH_UNSEEN : STRETCH_HIDDEN);
	else if (!in_runtime(address) && what < HOOK_OWN)
		add_code(address);
	return what != HOOK_LEAVES;
}

/* Of a call or a jump; 0: the code does not say. */
static uint64_t target_of(const struct insn *in)
{
	const uint64_t to = memory_target_of(in), word = (uint64_t)in->disp;

	if (to || strict || in->target || !callee_address(in))
		return to;
	if (todo.word.at && todo.word.at != word)
		return 0; /* one is kept an eye on */
	todo.word.at = word;
	todo.word.held = *(const uint64_t *)word;
	return callee_address(in);
}

/* Is it known where the thread went from there, in the stretch that is asked about? */
static bool is_known(uint64_t site)
{
	if (!resolved || taken_is_watched(site))
		return resolved;
	if (!todo.mute) {
		todo.open = true;
		taken_watch(site);
	}
	return false;
}

/* As call_function(), of a call or a jump at the site. */
static bool go(const struct insn *in, uint64_t site, struct told *left)
{
	const uint64_t address = target_of(in);
	bool comes_back = false;
	struct told over;

	if (address)
		return call_function(address, left);
	left->reads = left->writes = 0;
	if (!is_known(site)) {
		worse(STRETCH_UNSEEN);
		return true;
	}
	for (uint32_t i = 0; i < resolved->n; i++)
		if (resolved->at[i].site == site && call_function(resolved->at[i].to, &over))
			comes_back = true;
	return comes_back;
}

/* ---- A function ---------------------------------------------------------------------------------- */

/* Control comes to a node with so much announced; true if that is less than was known. */
static bool meet(struct node *node, const struct told *left)
{
	struct told *t;

	if (!node)
		return false;
	t = &told[node - fn.node];
	if (t->met && t->reads <= left->reads && t->writes <= left->writes &&
	    !(t->constants & ~left->constants))
		return false;
	t->constants = t->met ? t->constants & left->constants : left->constants;
	if (!t->met || t->reads > left->reads)
		t->reads = left->reads;
	if (!t->met || t->writes > left->writes)
		t->writes = left->writes;
	t->met = true;
	return true;
}

/* Where a jump leads: into the function, out of it, or who knows. True if it is news. */
static bool jump(const struct node *node, uint64_t offset, const struct told *left, bool *returns)
{
	const struct insn *in = &node->in;
	const uint64_t to = in->target - fn.function.start;
	struct told over;

	if (in->target && to < flow_size(&fn))
		return meet(flow_node(&fn, to), left);
	/* The last thing that the function does is a call; or its code goes on elsewhere. */
	if (go(in, fn.function.start + offset, &over))
		*returns = true;
	return false;
}

/* What an instruction does, and where it leads. */
static bool follow_node(const struct node *node, uint64_t offset, bool *returns)
{
	const struct insn *in = &node->in;
	struct told left = told[node - fn.node];
	bool news = false, goes_on = flow_goes_on(in);

	if (node->odd)
		worse(node->odd == ODD_SYSCALL ? STRETCH_HIDDEN : STRETCH_UNSEEN);
	if (in->kind == INSN_RETURN)
		*returns = true;
	if (in->kind != INSN_CALL && in->kind != INSN_JUMP)
		access_memory(node, &left);
	if (in->kind == INSN_CALL)
		goes_on = go(in, fn.function.start + offset, &left);
	told[node - fn.node].ends = !goes_on; /* or it jumps, or returns */
	left.constants = memory_constants_behind(in, left.constants);
	if (flow_jumps(in))
		news = jump(node, offset, &left, returns);
	if (goes_on)
		news = meet(flow_node(&fn, offset + in->length), &left) || news;
	return news;
}

/*
 * What is known behind that call, of a hook that performs an operation and may announce an access as well. Behind an atomic load clang may
 * leave the one there was, whose result nobody uses.
 */
static void comes_back(const struct node *call, uint64_t offset, struct told *left)
{
	const uint64_t to = callee_address(&call->in);
	uint16_t reads, writes;

	if (call->callee.kind == CALLEE_LOAD)
		left->reads = call->callee.size;
	if (!to || !callee_announces(to, &reads, &writes))
		return;
	if (left->reads < memory_bytes(reads))
		left->reads = memory_bytes(reads);
	left->writes =
		writes || !reads ? memory_bytes(writes) : memory_announced_before(&fn, offset);
}

/* Follows the code of a function from one of its instructions on; true: it may return. */
static bool follow_from(uint64_t offset)
{
	struct told none = { .reads = 0 };
	bool returns = false, news = true;

	for (uint64_t back = offset < INSN_LONGEST ? offset : INSN_LONGEST; back; back--) {
		const struct node *call = flow_node(&fn, offset - back);

		if (call && call->in.kind == INSN_CALL && call->in.length == back)
			comes_back(call, offset - back, &none);
	}
	memset(told, 0, fn.nodes * sizeof(*told));
	meet(flow_node(&fn, offset), &none);
	while (news) {
		news = false;
		for (uint64_t o = 0; o < flow_size(&fn); o++) {
			struct node *node = flow_node(&fn, o);

			if (node && told[node - fn.node].met)
				news = follow_node(node, o, &returns) || news;
		}
	}
	return returns;
}

/* Decodes the function that pc, a place behind its first byte, is in. From there on, if `rest`. */
static bool decode(uint64_t pc, bool rest)
{
	static uint64_t last, last_end; /* what fn is about */
	KEPT(last);
	KEPT(last_end);
	struct function function;

	flow_make(&fn, NODES, CODE);
	if (!told)
		told = map_own(NODES * sizeof(*told));
	fn.lenient = true;
	if (!function_of(pc, &function))
		return false;
	if (rest)
		function.start = pc - 1;
	if (function.start == last && function.end == last_end)
		return true;
	fn.function = function;
	last = last_end = 0;
	if (flow_size(&fn) > CODE || !flow_decode(&fn))
		return false;
	flow_addresses(&fn);
	last = function.start;
	last_end = function.end;
	return true;
}

/*
 * Decodes the function that pc is in, behind a call, or, where only a jump by a table leads there, from pc on: *offset is where pc is in what was decoded, *start
 * where the function begins. False: it is not understood.
 */
static bool decode_at(uint64_t pc, uint64_t *offset, uint64_t *start)
{
	if (!decode(pc, false))
		return false;
	*start = fn.function.start;
	*offset = pc - *start;
	if (flow_node(&fn, *offset))
		return true;
	*offset = 0;
	return decode(pc + 1, true) && flow_node(&fn, 0);
}

/* All that the functions do that were met in the one that begins there. */
static void follow_functions(uint64_t start)
{
	if (stretch_hook_at(start) == HOOK_OWN || stretch_hook_at(start) == HOOK_TAKES) {
		todo.worst = STRETCH_TOLD;
		return;
	}
	for (; todo.done < todo.n && todo.worst < STRETCH_HIDDEN; todo.done++)
		if (decode(todo.at[todo.done] + 1, true))
			follow_from(0);
		else
			worse(STRETCH_UNSEEN);
}

/* The stack pointer at the place, behind a call, or 0. */
static int32_t sp_at(const struct node *node)
{
	return node->met && in_frame(node->reg[INSN_RSP]) ? node->reg[INSN_RSP] : 0;
}

static void look_at(struct stretch_known *k)
{
	uint64_t offset;

	todo.n = todo.done = 0;
	todo.worst = STRETCH_TOLD;
	todo.mute = todo.open = false;
	todo.word.at = 0;
	if (decode_at(k->pc, &offset, &k->start)) {
		k->returns = follow_from(offset);
		k->sp = offset ? sp_at(flow_node(&fn, offset)) : 0;
		follow_functions(k->start);
	} else {
		todo.worst = STRETCH_UNSEEN;
	}
	k->worst = (uint8_t)todo.worst;
}

void stretch_ask(bool strictly, const struct taken *taken)
{
	strict = strictly;
	resolved = taken;
}

static uint64_t asked(void)
{
	return resolved ? resolved->hash : strict ? STRICT : 0;
}

/* What was called by a word that holds something else now may be anything, for good. */
static void look_again(struct stretch_word *w, uint8_t *worst)
{
	if (!w->at || *(const uint64_t *)w->at == w->held)
		return;
	w->at = 0;
	if (*worst < STRETCH_UNSEEN)
		*worst = STRETCH_UNSEEN;
}

const struct stretch_known *stretch_known(uint64_t pc)
{
	static struct stretch_known last;
	KEPT(last);
	const uint64_t taken = asked();
	struct self *caller = current;
	struct stretch_known *k, found = { .pc = pc, .taken = taken };

	if (!known)
		known = map_own(table_slots(KNOWN_BITS) * sizeof(*known));
	TABLE_FIND(k, known, KNOWN_BITS, table_mix(table_hash(pc), taken),
		   !k->pc || (k->pc == pc && k->taken == taken));
	if (k->pc) {
		look_again(&k->word, &k->worst);
		return k;
	}
	current = NULL; /* libraries may come back to our hooks */
	look_at(&found);
	found.word = todo.word;
	current = caller;
	if (table_full(nknown, KNOWN_BITS) || todo.open)
		k = &last; /* is found out again each time */
	else
		nknown++;
	*k = found;
	return k;
}

uint64_t stretch_start(uint64_t pc)
{
	const struct taken *taken = resolved;
	uint64_t start;

	resolved = NULL;
	start = stretch_known(pc)->start;
	resolved = taken;
	return start;
}

/* ---- A frame that others look into --------------------------------------------------------------------- */

/* The function in fn, all of it. */
static bool touches(int64_t from, int64_t to)
{
	todo.n = todo.done = 0;
	todo.mute = true;
	slot.from = from;
	slot.to = to;
	slot.touched = false;
	follow_from(0);
	slot.from = slot.to = 0;
	todo.mute = false;
	for (uint32_t i = 0; i < fn.nodes && !slot.touched; i++)
		slot.touched = fn.node[i].odd ||
			       (fn.node[i].in.kind == INSN_JUMP && !target_of(&fn.node[i].in));
	return slot.touched;
}

bool stretch_touches(uint64_t start, int64_t from, int64_t to)
{
	static struct {
		uint64_t start;
		int64_t from, to;
		bool touched;
	} last;
	KEPT(last);
	struct self *caller = current;

	if (last.start == start && last.from == from && last.to == to)
		return last.touched;
	current = NULL; /* libraries may come back to our hooks */
	last.touched = !start || !decode(start + 1, false) || fn.function.start != start ||
		       touches(from, to);
	current = caller;
	last.start = start;
	last.from = from;
	last.to = to;
	return last.touched;
}

/* ---- Ways ---------------------------------------------------------------------------------------- */

/* Does control leave the function there for who knows where? */
static bool is_lost(const struct node *node, uint64_t site)
{
	const struct insn *in = &node->in;

	if (!flow_jumps(in) || target_of(in))
		return node->odd;
	for (uint32_t i = 0; resolved && taken_is_watched(site); i++)
		if (i == resolved->n || resolved->at[i].site == site)
			return i < resolved->n;
	return true;
}

static bool jumps_out(const struct node *node, uint64_t site)
{
	const struct insn *in = &node->in;

	return is_lost(node, site) || (flow_jumps(in) && target_of(in) &&
				       in->target - fn.function.start >= flow_size(&fn));
}

/* May control come back into the function by jumps? */
static bool jumps_back(const struct node *node, uint64_t site)
{
	return jumps_out(node, site) &&
	       (is_lost(node, site) ||
		tail_comes_back(target_of(&node->in), &fn.function, resolved));
}

static bool leads(const struct node *node)
{
	return node && told[node - fn.node].leads;
}

/* Does a way go on from the instruction, which control comes to, if one does from those behind it? */
static bool leads_on(const struct node *node, uint64_t offset)
{
	const struct insn *in = &node->in;

	return (!told[node - fn.node].ends && leads(flow_node(&fn, offset + in->length))) ||
	       (flow_jumps(in) && in->target &&
		leads(flow_node(&fn, in->target - fn.function.start)));
}

/* Does a way end there? */
static bool is_there(const struct node *node, uint64_t offset, uint64_t site)
{
	const uint64_t at = fn.function.start + offset;

	if (site == WAY_OUT)
		return node->in.kind == INSN_RETURN || jumps_out(node, at);
	if (site == WAY_JUMPS)
		return jumps_out(node, at);
	return (node->in.kind == INSN_CALL && at + node->in.length == site) || jumps_back(node, at);
}

/* Marks the instructions from which a way leads there. Are there any? */
static bool mark_ways(uint64_t site)
{
	bool any = false, news = true;

	for (uint64_t o = 0; o < flow_size(&fn); o++) {
		const struct node *node = flow_node(&fn, o);

		if (node && told[node - fn.node].met)
			told[node - fn.node].leads = is_there(node, o, site);
	}
	while (news) {
		news = false;
		for (uint64_t o = flow_size(&fn); o-- > 0;) {
			const struct node *node = flow_node(&fn, o);
			struct told *t;

			if (!node || !told[node - fn.node].met)
				continue;
			t = &told[node - fn.node];
			any |= t->leads;
			if (t->leads || !leads_on(node, o))
				continue;
			t->leads = news = true;
		}
	}
	return any;
}

/* The worst on such a way; false: there is none. */
static bool worst_way(uint64_t pc, uint64_t site, uint8_t *worst)
{
	uint64_t start, offset;
	bool any, returns;

	*worst = STRETCH_UNSEEN;
	todo.n = todo.done = 0;
	todo.worst = STRETCH_TOLD;
	todo.open = false;
	todo.word.at = 0;
	if (!decode_at(pc, &offset, &start))
		return true; /* for all that is known */
	todo.mute = offset;
	follow_from(offset);
	todo.mute = false;
	any = !offset || mark_ways(site); /* else all ways count */
	for (uint64_t o = 0; o < flow_size(&fn) && offset; o++) {
		struct node *node = flow_node(&fn, o);

		if (leads(node))
			follow_node(node, o, &returns);
	}
	follow_functions(start);
	*worst = (uint8_t)todo.worst;
	return any;
}

struct stretch_way stretch_way(uint64_t pc, uint64_t site)
{
	struct self *caller = current;
	struct stretch_way *w, found = { .pc = pc, .site = site, .taken = asked() };
	uint64_t hash = table_mix(table_mix(found.taken, pc), site);

	if (!ways)
		ways = map_own(table_slots(KNOWN_BITS) * sizeof(*ways));
	TABLE_FIND(w, ways, KNOWN_BITS, hash,
		   !w->pc || (w->pc == pc && w->site == site && w->taken == found.taken));
	if (w->pc) {
		look_again(&w->word, &w->worst);
		return *w;
	}
	current = NULL; /* libraries may come back to our hooks */
	found.there_is = worst_way(pc, site, &found.worst);
	found.word = todo.word;
	current = caller;
	if (!table_full(nways, KNOWN_BITS) &&
	    !todo.open) { /* else it is found out again each time */
		nways++;
		*w = found;
	}
	return found;
}

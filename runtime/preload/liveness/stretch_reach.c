/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_reach.c - the code between two operations of a thread is followed (stretch.c)
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
 */
#include "preload/liveness/stretch_reach.h"

#include <string.h>

#include "preload/code/code.h"
#include "preload/code/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/liveness/tail.h"
#include "preload/liveness/taken.h"

enum {
	NODES = 1 << 15, /* instructions of a function */
	CODE = 1 << 18,  /* bytes of it */
};

struct flow_code reach_fn;
KEPT(reach_fn);
struct told *reach_told;
KEPT(reach_told);
struct reach_now reach_now;
FRESH(reach_now);
bool reach_strict;
const struct taken *reach_resolved;

/* stretch_touches(): bytes of the frame that others access as well. */
static struct {
	int64_t from, to;
	bool touched;
} slot;
FRESH(slot);

static void worse(enum stretch what)
{
	if (reach_now.worst < what && !reach_now.mute)
		reach_now.worst = what;
}

static void add_code(uint64_t at)
{
	for (uint32_t i = 0; i < reach_now.n; i++)
		if (reach_now.at[i] == at)
			return;
	if (reach_now.mute)
		return;
	if (reach_now.n == REACH_FUNCTIONS)
		worse(STRETCH_UNSEEN);
	else
		reach_now.at[reach_now.n++] = at;
}

void reach_begin(void)
{
	reach_now.n = reach_now.done = 0;
	reach_now.worst = STRETCH_TOLD;
	reach_now.mute = reach_now.open = false;
	reach_now.word.at = 0;
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
	if (in_runtime(address) && what == HOOK_ENDS)
		return false;
	/* Of a frame that others look into all of the function counts, on whatever stretch it is. */
	if (in_runtime(address) && what == HOOK_OPERATION)
		return slot.from < slot.to;
	if (in_runtime(address) && what != HOOK_TELLS && what != HOOK_OWN)
		worse(what == HOOK_CALLS ? STRETCH_UNSEEN : STRETCH_HIDDEN);
	else if (!in_runtime(address) && what < HOOK_OWN)
		add_code(address);
	return what != HOOK_LEAVES;
}

uint64_t reach_target_of(const struct insn *in)
{
	const uint64_t to = memory_target_of(in), word = (uint64_t)in->disp;

	if (to || reach_strict || in->target || !callee_address(in))
		return to;
	if (reach_now.word.at && reach_now.word.at != word)
		return 0; /* one is kept an eye on */
	reach_now.word.at = word;
	reach_now.word.held = *(const uint64_t *)word;
	return callee_address(in);
}

/* Is it known where the thread went from there, in the stretch that is asked about? */
static bool is_known(uint64_t site)
{
	if (!reach_resolved || taken_is_watched(site))
		return reach_resolved;
	if (!reach_now.mute) {
		reach_now.open = true;
		taken_watch(site);
	}
	return false;
}

/* As call_function(), of a call or a jump at the site. */
static bool go(const struct insn *in, uint64_t site, struct told *left)
{
	const uint64_t address = reach_target_of(in);
	bool comes_back = false;
	struct told over;

	if (address)
		return call_function(address, left);
	left->reads = left->writes = 0;
	if (!is_known(site)) {
		worse(STRETCH_UNSEEN);
		return true;
	}
	for (uint32_t i = 0; i < reach_resolved->n; i++)
		if (reach_resolved->at[i].site == site &&
		    call_function(reach_resolved->at[i].to, &over))
			comes_back = true;
	return comes_back;
}

/* What a hook announces of the frame of its function is needless, and says nothing of what comes behind it. */
static void leave_out_frame(const struct node *call, struct told *left)
{
	uint16_t reads, writes;

	if (slot.from < slot.to || !in_frame(call->reg[INSN_RDI]) ||
	    !callee_announces(callee_address(&call->in), &reads, &writes))
		return;
	if (reads)
		left->reads = 0;
	if (writes)
		left->writes = 0;
}

/* ---- A function ---------------------------------------------------------------------------------- */

/* Control comes to a node with so much announced; true if that is less than was known. */
static bool meet(struct node *node, const struct told *left)
{
	struct told *t;

	if (!node)
		return false;
	t = &reach_told[node - reach_fn.node];
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
	const uint64_t to = in->target - reach_fn.function.start;
	struct told over;

	if (in->target && to < flow_size(&reach_fn))
		return meet(flow_node(&reach_fn, to), left);
	/* The last thing that the function does is a call; or its code goes on elsewhere. */
	if (go(in, reach_fn.function.start + offset, &over))
		*returns = true;
	return false;
}

bool reach_node(const struct node *node, uint64_t offset, bool *returns)
{
	const struct insn *in = &node->in;
	struct told left = reach_told[node - reach_fn.node];
	bool news = false, goes_on = flow_goes_on(in);

	if (node->odd)
		worse(node->odd == ODD_SYSCALL ? STRETCH_HIDDEN : STRETCH_UNSEEN);
	if (in->kind == INSN_RETURN)
		*returns = true;
	/* As the call of a hook for it would be. */
	if (node->operates && slot.from >= slot.to) {
		reach_told[node - reach_fn.node].ends = true;
		return false;
	}
	if (in->kind != INSN_CALL && in->kind != INSN_JUMP && !node->operates)
		access_memory(node, &left);
	if (in->kind == INSN_CALL) {
		goes_on = go(in, reach_fn.function.start + offset, &left);
		leave_out_frame(node, &left);
	}
	reach_told[node - reach_fn.node].ends = !goes_on; /* or it jumps, or returns */
	left.constants = memory_constants_behind(in, left.constants);
	if (flow_jumps(in))
		news = jump(node, offset, &left, returns);
	if (goes_on)
		news = meet(flow_node(&reach_fn, offset + in->length), &left) || news;
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
	left->writes = writes || !reads ? memory_bytes(writes)
					: memory_announced_before(&reach_fn, offset);
}

bool reach_from(uint64_t offset)
{
	struct told none = { .reads = 0 };
	bool returns = false, news = true;

	for (uint64_t back = offset < INSN_LONGEST ? offset : INSN_LONGEST; back; back--) {
		const struct node *call = flow_node(&reach_fn, offset - back);

		if (call && call->in.kind == INSN_CALL && call->in.length == back)
			comes_back(call, offset - back, &none);
	}
	memset(reach_told, 0, reach_fn.nodes * sizeof(*reach_told));
	meet(flow_node(&reach_fn, offset), &none);
	while (news) {
		news = false;
		for (uint64_t o = 0; o < flow_size(&reach_fn); o++) {
			struct node *node = flow_node(&reach_fn, o);

			if (node && reach_told[node - reach_fn.node].met)
				news = reach_node(node, o, &returns) || news;
		}
	}
	return returns;
}

bool reach_decode(uint64_t pc, bool rest)
{
	static uint64_t last, last_end; /* what fn is about */
	KEPT(last);
	KEPT(last_end);
	struct function function;

	flow_make(&reach_fn, NODES, CODE);
	if (!reach_told)
		reach_told = map_own(NODES * sizeof(*reach_told));
	reach_fn.lenient = true;
	if (!function_of(pc, &function))
		return false;
	if (rest)
		function.start = pc - 1;
	if (function.start == last && function.end == last_end)
		return true;
	reach_fn.function = function;
	last = last_end = 0;
	if (flow_size(&reach_fn) > CODE || !flow_decode(&reach_fn))
		return false;
	flow_addresses(&reach_fn);
	last = function.start;
	last_end = function.end;
	return true;
}

bool reach_decode_at(uint64_t pc, uint64_t *offset, uint64_t *start)
{
	if (!reach_decode(pc, false))
		return false;
	*start = reach_fn.function.start;
	*offset = pc - *start;
	if (flow_node(&reach_fn, *offset))
		return true;
	*offset = 0;
	return reach_decode(pc + 1, true) && flow_node(&reach_fn, 0);
}

void reach_functions(uint64_t start)
{
	if (stretch_hook_at(start) == HOOK_OWN || stretch_hook_at(start) == HOOK_TAKES) {
		reach_now.worst = STRETCH_TOLD;
		return;
	}
	for (; reach_now.done < reach_now.n && reach_now.worst < STRETCH_HIDDEN; reach_now.done++)
		if (reach_decode(reach_now.at[reach_now.done] + 1, true))
			reach_from(0);
		else
			worse(STRETCH_UNSEEN);
}

/* ---- A frame that others look into --------------------------------------------------------------------- */

enum {
	COLD = 16,       /* instructions */
	ENTERED_AT = -8, /* the stack pointer where a function begins */
};

/* Does the code that begins there come to a call that never returns, and do nothing before that? (The end of an assertion that fails.) */
static bool ends_soon(uint64_t at)
{
	for (unsigned i = 0; i < COLD; i++) {
		uint8_t room[CODE_ROOM];
		uint64_t left = INSN_LONGEST;
		struct insn in;

		if (!insn_decode(code_at(at, &left, room), left, at, &in))
			return false;
		if (in.kind == INSN_CALL)
			return stretch_hook_at(reach_target_of(&in)) == HOOK_ENDS;
		if (!flow_goes_on(&in) || flow_jumps(&in) || (in.memory && in.kind != INSN_LEA) ||
		    in.kind == INSN_PUSH)
			return false;
		at += in.length;
	}
	return false;
}

/* Does it go on in other code that has its frame? */
static bool goes_elsewhere(const struct node *node)
{
	const struct insn *in = &node->in;

	if (node->odd)
		return true;
	if (!flow_jumps(in) || in->target - reach_fn.function.start < flow_size(&reach_fn))
		return false;
	return node->reg[INSN_RSP] != ENTERED_AT && !(in->target && ends_soon(in->target));
}

/* How long is what stands there between functions, or in front of loops? 0: it is something else. */
static uint64_t padding_at(uint64_t offset)
{
	const uint64_t at = reach_fn.function.start + offset;
	uint64_t left = flow_size(&reach_fn) - offset;
	uint8_t room[CODE_ROOM];
	const uint8_t *code = code_at(at, &left, room);
	struct insn in;
	uint64_t i = 0;

	while (i < left && (code[i] == 0x66 || code[i] == 0x2e))
		i++;
	if (i < left && (code[i] == 0x90 || code[i] == 0xcc))
		return i + 1;
	if (i + 1 >= left || code[i] != 0x0f || code[i + 1] != 0x1f ||
	    !insn_decode(code, left, at, &in))
		return 0;
	return in.length;
}

/* Is there code in it to which only the unwinder knows the way, or that is in another place? */
static bool is_more(void)
{
	for (uint64_t o = 0, length; o < flow_size(&reach_fn); o += length) {
		const struct node *node = flow_node(&reach_fn, o);

		if (node && goes_elsewhere(node))
			return true;
		length = node ? node->in.length : padding_at(o);
		if (!length)
			return true;
	}
	return false;
}

bool reach_touches(int64_t from, int64_t to, bool hidden)
{
	reach_begin();
	reach_now.mute = true;
	slot.from = from;
	slot.to = to;
	slot.touched = false;
	reach_from(0);
	slot.from = slot.to = 0;
	reach_now.mute = false;
	for (uint32_t i = 0; i < reach_fn.nodes && !slot.touched; i++)
		slot.touched = reach_fn.node[i].odd || (reach_fn.node[i].in.kind == INSN_JUMP &&
							!reach_target_of(&reach_fn.node[i].in));
	return slot.touched || (hidden && is_more());
}

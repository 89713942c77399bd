/* SPDX-License-Identifier: BSD-2-Clause */
/* stretch_memory.c - see stretch_memory.h */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/liveness/stretch_memory.h"

#include <link.h>

#include "preload/code/modules.h"

enum {
	SELF = 0x10,   /* of the thread's control block: where that is */
	CANARY = 0x28, /* and where compilers read this */
};

static int find_relro(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uint64_t *addr = arg;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO &&
		    *addr - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return 1;
	}
	return 0;
}

bool memory_is_constant(uint64_t addr)
{
	return module_constant(addr) || dl_iterate_phdr(find_relro, &addr);
}

static bool frame_register(const struct node *node, uint8_t reg)
{
	return reg < FLOW_REGS && in_frame(node->reg[reg]);
}

bool memory_needs_no_telling(const struct node *node)
{
	const struct insn *in = &node->in;

	if (in->kind == INSN_STRING)
		return frame_register(node, in->base) && frame_register(node, in->index);
	if (in->base == INSN_SEGMENT)
		return in->disp == 0 || in->disp == SELF || in->disp == CANARY;
	if (in->base == INSN_RIP)
		return in->index == INSN_NONE && !in->writes_some && !in->write_size &&
		       memory_is_constant((uint64_t)in->disp);
	return in->base == INSN_RSP || frame_register(node, in->base) ||
	       (in->base == INSN_NONE && frame_register(node, in->index));
}

static bool meet(int64_t at, int64_t size, int64_t from, int64_t to)
{
	return at < to && at + size > from;
}

/* A copy, or what fills memory: nobody knows how far it goes. */
static bool string_overlaps(const struct node *node, int64_t to)
{
	const uint8_t reg[] = { node->in.base, node->in.index };
	bool any = false;

	for (int i = 0; i < 2; i++)
		any |= frame_register(node, reg[i]) && node->reg[reg[i]] < to;
	return any;
}

bool memory_overlaps(const struct node *node, int64_t from, int64_t to)
{
	const struct insn *in = &node->in;
	const int32_t at = flow_address(in, node->reg);
	int64_t size = in->read_size > in->write_size ? in->read_size : in->write_size;

	if (!in->memory || in->kind == INSN_LEA)
		return false;
	if (in->kind == INSN_STRING)
		return string_overlaps(node, to);
	if (!in_frame(at))
		return at != FOREIGN && memory_needs_no_telling(node);
	if (in->writes_some && !in->write_size)
		size = INSN_READ_MOST;
	return meet(at, size, from, to);
}

bool memory_pushes_over(const struct node *node, int64_t from, int64_t to)
{
	const int32_t sp = node->reg[INSN_RSP];

	return node->in.kind == INSN_PUSH && (!in_frame(sp) || meet((int64_t)sp - 8, 8, from, to));
}

/* Takes n of the bytes that were announced; false if there are not so many. */
static bool take(int16_t *left, unsigned n)
{
	if (*left < (int)n)
		return false;
	if (*left < TOLD_ALL)
		*left = (int16_t)(*left - (int)n);
	return true;
}

/* Of what it reads and writes at most is known. */
bool memory_take(const struct insn *in, struct told *left)
{
	bool ok = !in->locked;

	if (in->kind == INSN_STRING)
		return ok && (left->reads == TOLD_ALL || left->writes == TOLD_ALL);
	if (in->read_size)
		ok = take(&left->reads, in->read_size < INSN_READ_MOST ? in->read_size : 1) && ok;
	if (in->write_size || in->writes_some)
		ok = take(&left->writes, in->write_size ? in->write_size : 1) && ok;
	return ok;
}

uint64_t memory_target_of(const struct insn *in)
{
	if (!in->target && (in->base != INSN_RIP || !memory_is_constant((uint64_t)in->disp)))
		return 0;
	return callee_address(in);
}

static bool is_in(uint8_t reg, uint16_t set)
{
	return reg < FLOW_REGS && set >> reg & 1;
}

bool memory_reads_constant(const struct insn *in, uint16_t constants)
{
	return in->kind != INSN_STRING && !in->writes_some && !in->write_size && !in->locked &&
	       (is_in(in->base, constants) || is_in(in->index, constants) ||
		(in->base == INSN_NONE && module_constant((uint64_t)in->disp)));
}

uint16_t memory_constants_behind(const struct insn *in, uint16_t constants)
{
	const uint16_t kept = constants & ~in->writes;

	if (in->kind == INSN_CALL)
		return constants & CALLEE_SAVED;
	/* not what can be written to once in the program's life: the address may be one beside it there */
	if (in->kind == INSN_LEA && in->base == INSN_RIP && module_constant((uint64_t)in->disp))
		return kept | (uint16_t)(1u << in->dst);
	if (in->kind == INSN_MOVE && is_in(in->src, constants))
		return kept | (uint16_t)(1u << in->dst);
	return kept;
}

/* Does control come to there by the instruction before only? */
static bool comes_straight(const struct flow_code *fn, uint64_t offset)
{
	for (uint64_t o = 0; o < flow_size(fn); o++) {
		const struct node *node = flow_node(fn, o);

		if (node && flow_jumps(&node->in) && node->in.target == fn->function.start + offset)
			return false;
	}
	return true;
}

int16_t memory_announced_before(const struct flow_code *fn, uint64_t offset)
{
	uint16_t reads, writes;

	for (uint64_t o = offset; o-- > 0 && offset - o <= INSN_LONGEST;) {
		const struct node *node = flow_node(fn, o);

		if (!node || o + node->in.length != offset)
			continue;
		if (!comes_straight(fn, offset) || node->in.kind == INSN_JUMP ||
		    node->in.kind == INSN_BRANCH)
			return 0;
		if (node->in.kind != INSN_CALL)
			return node->in.memory && node->in.kind != INSN_LEA
				       ? 0
				       : memory_announced_before(fn, o);
		if (!callee_announces(callee_address(&node->in), &reads, &writes))
			return 0;
		return memory_bytes(writes);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_container.c - what libstdc++ does to the nodes of std::map, std::set and std::list
 *
 * These containers are templates, compiled with the program and so instrumented, but for the
 * functions that hang nodes in and out, which are in the library: `m[1] = 2` in one thread and
 * m.find(2) in another had no data race. So what they touch is announced here, as for
 * memcpy(), when instrumented code calls them; then the library does it.
 *
 * Of a list these are the exact accesses. Where a tree is rebalanced, only that much: its header,
 * which all insertions and removals may change, and the nodes next to the one in question. Nothing
 * that two threads may do at once touches these. And as not all bytes are told that were written,
 * no thread is run once more from before.
 */
/*
 * intercepts: Memory
 *
 * checked std::_Rb_tree_increment=_ZSt18_Rb_tree_increment*
 *	std::_Rb_tree_decrement=_ZSt18_Rb_tree_decrement*
 *	std::_Rb_tree_insert_and_rebalance=_ZSt29_Rb_tree_insert_and_rebalance*
 *	std::_Rb_tree_rebalance_for_erase=_ZSt28_Rb_tree_rebalance_for_erase*
 *	std::_List_node_base=_ZNSt8__detail15_List_node_base* - plain accesses to the nodes of
 *	maps, sets and lists, when instrumented code calls them
 */
#include "preload/hooks/announce.h"

struct tree_node {
	int colour;
	struct tree_node *parent, *left, *right;
};

struct list_node {
	struct list_node *next, *prev;
};

/* A function of the library by its linker's name, and a hook of that name. */
#define LIBRARY(type, name, symbol, ...)        \
	type name(__VA_ARGS__) __asm__(symbol); \
	HEDDLE_HOOK type name(__VA_ARGS__)

/* ---- Trees ------------------------------------------------------------------------------------- */

#define STEP(name, symbol)                                                      \
	LIBRARY(struct tree_node *, name, symbol, const struct tree_node *node) \
	{                                                                       \
		uint64_t pc = CALLER();                                         \
                                                                                \
		if (seen(pc))                                                   \
			reads(node, sizeof(*node), pc);                         \
		return REAL_BY_NAME(name, symbol)(node);                        \
	}
STEP(tree_increment, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base")
STEP(tree_increment_const, "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base")
STEP(tree_decrement, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base")
STEP(tree_decrement_const, "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base")

LIBRARY(void, tree_insert, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
	bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		note_hidden_state();
		writes(header, sizeof(*header), pc);
		writes(parent, sizeof(*parent), pc);
		writes(node, sizeof(*node), pc);
	}
	REAL_BY_NAME(tree_insert,
		     "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_")
	(left, node, parent, header);
}

LIBRARY(struct tree_node *, tree_erase,
	"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", struct tree_node *node,
	struct tree_node *header)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		note_hidden_state();
		writes(header, sizeof(*header), pc);
		writes(node, sizeof(*node), pc);
		writes(node->parent, sizeof(*node), pc);
		if (node->left)
			writes(node->left, sizeof(*node), pc);
		if (node->right)
			writes(node->right, sizeof(*node), pc);
	}
	return REAL_BY_NAME(tree_erase,
			    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_")(node,
											    header);
}

/* ---- Lists ------------------------------------------------------------------------------------- */

LIBRARY(void, list_hook, "_ZNSt8__detail15_List_node_base7_M_hookEPS0_", struct list_node *node,
	struct list_node *before)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		writes(&before->prev, sizeof(before->prev), pc);
		writes(&before->prev->next, sizeof(before->prev->next), pc);
		writes(node, sizeof(*node), pc);
	}
	REAL_BY_NAME(list_hook, "_ZNSt8__detail15_List_node_base7_M_hookEPS0_")(node, before);
}

/* The node's neighbours are made to point to each other, or to others. */
static void writes_around(const struct list_node *node, uint64_t pc)
{
	reads(node, sizeof(*node), pc);
	writes(&node->prev->next, sizeof(node->prev->next), pc);
	writes(&node->next->prev, sizeof(node->next->prev), pc);
}

LIBRARY(void, list_unhook, "_ZNSt8__detail15_List_node_base9_M_unhookEv", struct list_node *node)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		writes_around(node, pc);
	REAL_BY_NAME(list_unhook, "_ZNSt8__detail15_List_node_base9_M_unhookEv")(node);
}

LIBRARY(void, list_transfer, "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
	struct list_node *to, struct list_node *first, struct list_node *last)
{
	uint64_t pc = CALLER();

	if (seen(pc) && to != last) {
		writes(&last->prev, sizeof(last->prev), pc);
		writes(&last->prev->next, sizeof(last->prev->next), pc);
		writes(&first->prev, sizeof(first->prev), pc);
		writes(&first->prev->next, sizeof(first->prev->next), pc);
		writes(&to->prev, sizeof(to->prev), pc);
		writes(&to->prev->next, sizeof(to->prev->next), pc);
	}
	REAL_BY_NAME(list_transfer, "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_")
	(to, first, last);
}

LIBRARY(void, list_swap, "_ZNSt8__detail15_List_node_base4swapERS0_S1_", struct list_node *a,
	struct list_node *b)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		writes_around(a, pc);
		writes_around(b, pc);
		writes(a, sizeof(*a), pc);
		writes(b, sizeof(*b), pc);
	}
	REAL_BY_NAME(list_swap, "_ZNSt8__detail15_List_node_base4swapERS0_S1_")(a, b);
}

LIBRARY(void, list_reverse, "_ZNSt8__detail15_List_node_base10_M_reverseEv",
	struct list_node *header)
{
	struct list_node *node = header;
	uint64_t pc = CALLER();

	if (seen(pc)) {
		do {
			writes(node, sizeof(*node), pc);
			node = node->next;
		} while (node != header);
	}
	REAL_BY_NAME(list_reverse, "_ZNSt8__detail15_List_node_base10_M_reverseEv")(header);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * members.c - see members.h
 *
 * DWARF 5, Section 4.1 (variables), 5.5 (arrays), 5.7 (structures). Files may be damaged or made by
 * somebody: depth and numbers have bounds.
 */
#include "config.h"

#include "controller/elf/members.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"

enum {
	DEEPEST = 16,   /* parts in parts; scopes in scopes */
	DIMENSIONS = 8, /* of an array */
	MOST = 1 << 20  /* variables of a module */
};

struct variable_type {
	uint64_t start, size;
	Dwarf_Die type;
};

struct module_types {
	struct module_types *next;
	Dwfl_Module *module;
	struct variable_type *at; /* by address */
	size_t n, room;
};

struct members {
	const struct libdw *dw;
	struct module_types *modules;
};

/* ---- Variables ----------------------------------------------------------------------------------------- */

static bool type_of(const struct libdw *dw, Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die of;

	return dw->dwarf_attr_integrate(die, DW_AT_type, &attr) &&
	       dw->dwarf_formref_die(&attr, &of) && !dw->dwarf_peel_type(&of, type);
}

/* Where the variable lies, if that is one place in all threads. */
static bool address_of(const struct libdw *dw, Dwarf_Die *die, Dwarf_Addr *addr)
{
	Dwarf_Attribute attr, value;
	Dwarf_Op *op;
	size_t n;

	if (!dw->dwarf_attr(die, DW_AT_location, &attr) || dw->dwarf_getlocation(&attr, &op, &n) ||
	    n != 1)
		return false;
	if (op->atom == DW_OP_addr) {
		*addr = op->number;
		return true;
	}
	return op->atom == DW_OP_addrx && !dw->dwarf_getlocation_attr(&attr, op, &value) &&
	       !dw->dwarf_formaddr(&value, addr);
}

static void note(const struct libdw *dw, struct module_types *m, Dwarf_Die *die, Dwarf_Addr bias)
{
	struct variable_type v;
	struct variable_type *at;
	Dwarf_Word size;
	Dwarf_Addr addr;

	if (m->n == MOST || !address_of(dw, die, &addr) || !type_of(dw, die, &v.type) ||
	    dw->dwarf_aggregate_size(&v.type, &size))
		return;
	if (m->n == m->room) {
		at = realloc(m->at, (2 * m->room + 64) * sizeof(*at));
		if (!at)
			return;
		m->at = at;
		m->room = 2 * m->room + 64;
	}
	v.start = addr + bias;
	v.size = size;
	m->at[m->n++] = v;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static void look_through(const struct libdw *dw, struct module_types *m, Dwarf_Die *scope,
			 Dwarf_Addr bias, int depth)
{
	Dwarf_Die die;

	if (depth == DEEPEST || dw->dwarf_child(scope, &die))
		return;
	do {
		int tag = dw->dwarf_tag(&die);

		if (tag == DW_TAG_variable)
			note(dw, m, &die, bias);
		else if (is_scope(tag))
			look_through(dw, m, &die, bias, depth + 1);
	} while (!dw->dwarf_siblingof(&die, &die));
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct variable_type *)a)->start,
		 y = ((const struct variable_type *)b)->start;

	return x < y ? -1 : x > y;
}

static struct module_types *types_of(struct members *m, Dwfl_Module *mod)
{
	struct module_types *t;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	for (t = m->modules; t; t = t->next)
		if (t->module == mod)
			return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->module = mod;
	while ((cu = m->dw->dwfl_module_nextcu(mod, cu, &bias)))
		look_through(m->dw, t, cu, bias, 0);
	if (t->n)
		qsort(t->at, t->n, sizeof(*t->at), by_address);
	t->next = m->modules;
	m->modules = t;
	return t;
}

static struct variable_type *find(struct module_types *t, uint64_t addr)
{
	size_t low = 0, high = t ? t->n : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->at[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr - t->at[low - 1].start < t->at[low - 1].size ? &t->at[low - 1] : NULL;
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

struct path {
	const struct libdw *dw;
	char *out;
	size_t size, n;
	Dwarf_Die type;  /* what is left to look into, */
	uint64_t offset; /* and where in it */
};

static void put(struct path *p, const char *before, const char *text)
{
	int n = snprintf(p->out + p->n, p->size - p->n, "%s%s", before, text);

	p->n += n > 0 ? (size_t)n : 0;
	if (p->n >= p->size)
		p->n = p->size - 1;
}

static uint64_t number_of(const struct libdw *dw, Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dw->dwarf_attr_integrate(die, name, &attr) && !dw->dwarf_formudata(&attr, &v)
		       ? v
		       : otherwise;
}

/* How many elements each dimension has; the number of dimensions. */
static size_t dimensions(struct path *p, uint64_t count[DIMENSIONS])
{
	Dwarf_Die die;
	size_t n = 0;

	if (p->dw->dwarf_child(&p->type, &die))
		return 0;
	do {
		uint64_t last;

		if (p->dw->dwarf_tag(&die) != DW_TAG_subrange_type || n == DIMENSIONS)
			continue;
		last = number_of(p->dw, &die, DW_AT_upper_bound, 0);
		count[n++] = number_of(p->dw, &die, DW_AT_count, last + 1);
	} while (!p->dw->dwarf_siblingof(&die, &die));
	return n;
}

static bool into_array(struct path *p)
{
	uint64_t count[DIMENSIONS], whole = 1;
	size_t n = dimensions(p, count);
	Dwarf_Word size;
	Dwarf_Die element;
	char index[32];

	if (!n || !type_of(p->dw, &p->type, &element) ||
	    p->dw->dwarf_aggregate_size(&element, &size) || !size)
		return false;
	for (size_t i = n; i-- > 1;)
		whole *= count[i];
	for (size_t i = 0; i < n && whole; i++) {
		uint64_t one = size * whole;

		if (!one) /* no compiler says so */
			return false;
		snprintf(index, sizeof(index), "[%llu]", (unsigned long long)(p->offset / one));
		put(p, "", index);
		p->offset %= one;
		whole = i + 1 < n ? whole / (count[i + 1] ? count[i + 1] : 1) : whole;
	}
	p->type = element;
	return true;
}

/* Not meant for others: of the C++ library, say. */
static bool is_reserved(const char *name)
{
	return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

/* A member or base that has the place in it. */
static bool has_it(struct path *p, Dwarf_Die *die, Dwarf_Die *type, uint64_t *from)
{
	int tag = p->dw->dwarf_tag(die);
	Dwarf_Word size;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(p->dw, die, type) ||
	    p->dw->dwarf_aggregate_size(type, &size))
		return false;
	*from = number_of(p->dw, die, DW_AT_data_member_location, 0);
	return p->offset >= *from && p->offset - *from < size;
}

static bool into_struct(struct path *p)
{
	Dwarf_Die die, type;
	uint64_t from;

	if (p->dw->dwarf_child(&p->type, &die))
		return false;
	do {
		const char *name;

		if (!has_it(p, &die, &type, &from))
			continue;
		name = p->dw->dwarf_tag(&die) == DW_TAG_member ? p->dw->dwarf_diename(&die) : NULL;
		if (name && is_reserved(name))
			return false;
		if (name)
			put(p, ".", name);
		p->type = type;
		p->offset -= from;
		return true;
	} while (!p->dw->dwarf_siblingof(&die, &die));
	return false;
}

static bool into_part(struct path *p)
{
	switch (p->dw->dwarf_tag(&p->type)) {
	case DW_TAG_array_type:
		return into_array(p);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return into_struct(p);
	default:
		return false;
	}
}

bool members_path(struct members *m, Dwfl_Module *mod, uint64_t addr, char *out, size_t size)
{
	struct variable_type *v = find(types_of(m, mod), addr);
	struct path p = { .dw = m->dw, .out = out, .size = size };
	char rest[32];

	if (!v)
		return false;
	out[0] = 0;
	p.type = v->type;
	p.offset = addr - v->start;
	for (int depth = 0; depth < DEEPEST && into_part(&p); depth++)
		;
	snprintf(rest, sizeof(rest), "+0x%llx", (unsigned long long)p.offset);
	if (p.offset)
		put(&p, "", rest);
	text_sanitize(out, size);
	return true;
}

/* -------------------------------------------------------------------------------------------------------- */

struct members *members_new(const struct libdw *dw)
{
	struct members *m = calloc(1, sizeof(*m));

	if (m)
		m->dw = dw;
	return m;
}

void members_free(struct members *m)
{
	while (m && m->modules) {
		struct module_types *t = m->modules;

		m->modules = t->next;
		free(t->at);
		free(t);
	}
	free(m);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_index.c - the symbols of a file by name
 *
 * A trace names one in each step, and may have been made to name another each time.
 *
 * Cost: one pass over the symbols. Caller: symbolize.c, once for each module that is asked about.
 */
#include "config.h"

#include "controller/elf/symbol_index.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/table.h"

struct indexed_symbol {
	const char *name; /* NULL: free */
	uint64_t value;
	bool several;
};

static struct indexed_symbol *slot_of(struct indexed_symbol *slots, uint32_t bits, const char *name)
{
	struct indexed_symbol *s;

	TABLE_FIND(s, slots, bits, XXH3_64bits(name, strlen(name)),
		   !s->name || !strcmp(s->name, name));
	return s;
}

static bool widen(struct symbol_index *x)
{
	uint32_t bits = table_wider(x->bits, 8);
	struct indexed_symbol *slots =
		bits <= TABLE_BITS_MOST ? calloc(table_slots(bits), sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	for (uint64_t i = 0; i < table_slots(x->bits); i++)
		if (x->slot[i].name)
			*slot_of(slots, bits, x->slot[i].name) = x->slot[i];
	free(x->slot);
	x->slot = slots;
	x->bits = bits;
	return true;
}

bool symbol_index_add(struct symbol_index *x, const char *name, uint64_t value)
{
	struct indexed_symbol *s;

	if (table_full(x->n, x->bits) && !widen(x))
		return false;
	s = slot_of(x->slot, x->bits, name);
	if (s->name) {
		s->several |= s->value != value;
	} else {
		*s = (struct indexed_symbol){ .name = name, .value = value };
		x->n++;
	}
	return true;
}

bool symbol_index_find(const struct symbol_index *x, const char *name, uint64_t *value)
{
	const struct indexed_symbol *s = x->bits ? slot_of(x->slot, x->bits, name) : NULL;

	if (!s || !s->name || s->several)
		return false;
	*value = s->value;
	return true;
}

void symbol_index_release(struct symbol_index *x)
{
	free(x->slot);
	memset(x, 0, sizeof(*x));
}

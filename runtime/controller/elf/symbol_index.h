/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_index.h - the symbols of a file by name
 */
#ifndef HEDDLE_CONTROLLER_SYMBOL_INDEX_H
#define HEDDLE_CONTROLLER_SYMBOL_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct indexed_symbol;

/* Begins as zeros. */
struct symbol_index {
	struct indexed_symbol *slot;
	uint32_t n, bits;
};

/* The name is borrowed. False when memory is short. */
bool symbol_index_add(struct symbol_index *x, const char *name, uint64_t value);

/* False where there is no such name, or where it stands for several values. */
bool symbol_index_find(const struct symbol_index *x, const char *name, uint64_t *value);

void symbol_index_release(struct symbol_index *x);

#endif

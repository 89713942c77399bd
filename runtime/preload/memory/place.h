/* SPDX-License-Identifier: BSD-2-Clause */
/* place.h - the name of an address, the same in every run */
#ifndef HEDDLE_PRELOAD_PLACE_H
#define HEDDLE_PRELOAD_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/place.h"

#pragma GCC visibility push(hidden)

/* Names an address in terms that do not change from run to run. */
struct place place_of(uint64_t addr);
/* The address of a place in this run; addr, from some run, where the place does not tell. */
uint64_t address_of_place(const struct place *p, uint64_t addr);
/* Is it on the stack of a thread? Then that goes into *p. */
bool place_on_stack(uint64_t addr, struct place *p);

#pragma GCC visibility pop

#endif

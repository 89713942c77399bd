/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callee.h - functions of the program: where they begin and end, and which of our hooks they call
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_CALLEE_H
#define HEDDLE_PRELOAD_CALLEE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/insn.h"

#pragma GCC visibility push(hidden)

enum callee_kind {
	CALLEE_OTHER,
	CALLEE_PLAIN, /* announces an access at its first argument, and does nothing with it */
	CALLEE_LOAD,  /* an atomic load: it may acquire, but not release */
	CALLEE_ATOMIC,
	CALLEE_CAS,  /* with the address of what is expected as its second argument */
	CALLEE_TWICE /* may return a second time, to a frame as it was once */
};

struct callee {
	uint8_t kind; /* enum callee_kind */
	uint8_t size; /* bytes, of an atomic access */
};

/* The call that ends at pc, of one of the forms that name what they call; false if there is none. */
bool callee_called(uint64_t pc, struct insn *call);

/* What an INSN_CALL reaches. */
struct callee callee_of(const struct insn *call);

/* The address that it reaches, behind a stub of the procedure linkage table; 0: who knows. */
uint64_t callee_address(const struct insn *call);

/* Of the hook at an address: does it announce a plain access (reading, writing so many bytes; UINT16_MAX: any number)? */
bool callee_announces(uint64_t address, uint16_t *reads, uint16_t *writes);

struct function {
	uint64_t start, end;
	bool catches; /* it has code that only the unwinder knows the way to */
};

/* The function that the instruction at pc is part of; false if nobody knows. */
bool function_of(uint64_t pc, struct function *f);

#pragma GCC visibility pop

#endif

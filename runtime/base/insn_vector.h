/* SPDX-License-Identifier: BSD-2-Clause */
/* insn_vector.h - what newer instructions do to memory, whatever they do to registers */
#ifndef HEDDLE_BASE_INSN_VECTOR_H
#define HEDDLE_BASE_INSN_VECTOR_H

#include "base/insn.h"

/*
 * Decodes an instruction with an opcode of three bytes, or with VEX: SSSE3 to AVX2, FMA, BMI. Of *in these count: length,
 * memory, base, index, scale, disp, and the bytes that are read and written there. Masked loads and stores count as whole.
 * `elsewhere` is set, and memory is not, for those that gather, whose addresses are in vectors, and for those with EVEX (AVX-512)
 * that access memory. False: it is none of these.
 * `at`: the address that it runs at. Pure.
 */
bool insn_decode_vector(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in);

#endif

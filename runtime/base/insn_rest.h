/* SPDX-License-Identifier: BSD-2-Clause */
/* insn_rest.h - what a few instructions that compilers seldom use do to memory, whatever they do to registers */
#ifndef HEDDLE_BASE_INSN_REST_H
#define HEDDLE_BASE_INSN_REST_H

#include "base/insn.h"

/*
 * Decodes one of these: cmps, scas, lods, with rep or not; bt and its kin by a register; loop, jrcxz; the flags by themselves; control words;
 * transactions; cpuid, xgetbv, tpause. Of *in these count: length, opcode, locked, kind (INSN_STRING, INSN_BRANCH, else INSN_PLAIN), for branches target, and as
 * insn_vector.h has them what is read or written in memory. A string instruction reads one unit at rsi (cmps, lods) and at rdi (cmps, scas), in
 * each round. False: it is none of these. `at`: the address that it runs at. Pure.
 */
bool insn_decode_rest(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in);

#endif

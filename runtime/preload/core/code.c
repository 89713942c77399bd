/* SPDX-License-Identifier: BSD-2-Clause */
/* code.c - see code.h */
#include "preload/core/code.h"

#include "preload/core/reset.h"

void (*code_restores)(uint8_t *copy, uint64_t at, uint64_t n);
KEPT(code_restores);

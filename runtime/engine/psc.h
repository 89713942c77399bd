/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc.h - between the two halves of the check of the partial sc order
 */
#ifndef HEDDLE_ENGINE_PSC_H
#define HEDDLE_ENGINE_PSC_H

#include "engine/coherence.h"

/*
 * True only when psc of the cut, which has no sc fences then, is acyclic for some
 * modification order. False says nothing.
 */
bool psc_quick(struct graph *g, const uint32_t *cut);

#endif

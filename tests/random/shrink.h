/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shrink.h - a smaller program that still differs
 */
#ifndef TESTS_RANDOM_SHRINK_H
#define TESTS_RANDOM_SHRINK_H

#include "random/program.h"

/* Makes p smaller as long as differs() says so of what comes out. */
void shrink(struct program *p, bool (*differs)(void *arg, const struct program *p), void *arg);

#endif

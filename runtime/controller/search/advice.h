/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * advice.h - how large an exploration is, how much of it was seen, and what to do next
 */
#ifndef HEDDLE_CONTROLLER_ADVICE_H
#define HEDDLE_CONTROLLER_ADVICE_H

#include "controller/report/outcome.h"

/* Was nothing asked for but an estimate, and is there one? */
bool advice_is_estimate(const struct session *s);

/* Says it of an estimate, and of an exploration that a limit has ended; else nothing. */
void advice_say(const struct session *s);

#endif

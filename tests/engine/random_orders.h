/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_orders.h - seeded random scripts in which the orders of writes of several locations depend on each other
 */
#ifndef HEDDLE_TESTS_RANDOM_ORDERS_H
#define HEDDLE_TESTS_RANDOM_ORDERS_H

#include "engine/script.h"

/* Linked and ready to run. */
void orders_script(struct script *s, uint64_t seed);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "target/driver.h"
void await_reset(void) {}
bool await_before(const struct op *op) { (void)op; return false; }
void await_after(const struct op *op, const struct op_result *res) { (void)op; (void)res; }
void await_plain_write(void) {}

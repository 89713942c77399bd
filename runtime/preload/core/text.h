/* SPDX-License-Identifier: BSD-2-Clause */
/* text.h - lines for the user, put together without stdio */
#ifndef HEDDLE_PRELOAD_TEXT_H
#define HEDDLE_PRELOAD_TEXT_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct text {
	char *at, *end; /* end: the last byte, always kept for the final 0 */
};
struct text text_in(char *buf, size_t size);
void text_str(struct text *t, const char *s);
void text_int(struct text *t, int64_t n);
void text_hex(struct text *t, uint64_t n);

#pragma GCC visibility pop

#endif

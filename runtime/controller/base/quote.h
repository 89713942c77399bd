/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quote.h - words of a command as a shell takes them
 */
#ifndef HEDDLE_CONTROLLER_QUOTE_H
#define HEDDLE_CONTROLLER_QUOTE_H

#include <stddef.h>

/*
 * The word behind what stands in out, with a space between, in quotes where a shell needs them. Where
 * it does not fit, "..." stands at the end.
 */
void quote_word(char *out, size_t size, const char *word);

#endif

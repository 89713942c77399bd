/* SPDX-License-Identifier: BSD-2-Clause */
/* columns.h - UTF-8 text in so many columns, one for each character */
#ifndef HEDDLE_CONTROLLER_COLUMNS_H
#define HEDDLE_CONTROLLER_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

/* How many it needs. */
size_t text_columns(const char *text);

/* The bytes of the first n characters. */
size_t text_bytes(const char *text, size_t n);

/* The bytes of as many characters as fit into n columns, and not a word cut where that can be. */
size_t text_fitting(const char *text, size_t n);

/* In lines of at most width columns, all behind `indent` blanks, and behind those that the text begins with. */
void text_wrapped(FILE *f, const char *text, size_t indent, size_t width);

#endif

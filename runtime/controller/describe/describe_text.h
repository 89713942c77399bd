/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe_text.h - what the runtime wrote of places, with their names
 */
#ifndef HEDDLE_CONTROLLER_DESCRIBE_TEXT_H
#define HEDDLE_CONTROLLER_DESCRIBE_TEXT_H

#include <stddef.h>

#include "controller/trace/recording.h"

/* Copies text to out, with "(t.c:31 worker)" or "(variable+0x4)" behind each "module+0x123" of these modules. */
void describe_text(const struct loaded_list *modules, const char *text, char *out, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* json_text.h - text of unknown origin in JSON */
#ifndef HEDDLE_CONTROLLER_JSON_TEXT_H
#define HEDDLE_CONTROLLER_JSON_TEXT_H

#include <jansson.h>

/* What is not UTF-8, as JSON must be, has ? in the place of its bytes. NULL when memory is short. */
json_t *json_text(const char *s);

/* The string of that name in an object; "" without. Lives as long as the object. */
const char *json_text_at(const json_t *j, const char *name);

#endif

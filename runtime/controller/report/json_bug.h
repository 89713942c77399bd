/* SPDX-License-Identifier: BSD-2-Clause */
/* json_bug.h - a bug as JSON (heddle-formats(5), JSON) */
#ifndef HEDDLE_CONTROLLER_JSON_BUG_H
#define HEDDLE_CONTROLLER_JSON_BUG_H

#include <jansson.h>

#include "controller/report/outcome.h"

/* A new object; NULL when memory is short. */
json_t *json_bug(const struct session *s, const struct reported *r);

#endif

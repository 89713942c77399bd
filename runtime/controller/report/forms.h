/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forms.h - the result of a session in the forms that other tools read
 *
 * All are made of the JSON that report_json() writes, in which programs and children that were explored, too, have their place.
 */
#ifndef HEDDLE_CONTROLLER_FORMS_H
#define HEDDLE_CONTROLLER_FORMS_H

#include <jansson.h>

/* SARIF 2.1.0 (OASIS), one run; to be freed. NULL when memory is short. */
char *form_sarif(const json_t *session);

/* JUnit's XML: a test for each program, which fails with each bug, and is an error when its result is inconclusive; to be freed. NULL when memory is short. */
char *form_junit(const json_t *session);

#endif

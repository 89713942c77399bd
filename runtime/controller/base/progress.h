/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.h - the line that counts while heddle searches
 */
#ifndef HEDDLE_CONTROLLER_PROGRESS_H
#define HEDDLE_CONTROLLER_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Redraws the line, but not more than ten times a second. of: how many in all, 0 unknown. */
void progress_show(uint64_t complete, uint64_t blocked, double elapsed_s, uint64_t of);

/* "12.3 s", "4 min 12 s". */
void time_text(double seconds, char *out, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * times.h - times for calls that wait until some time
 */
#ifndef TIMES_H
#define TIMES_H

#include <time.h>

/* Long over on every clock, also before there were any clocks, and never to come. */
static const struct timespec past = { .tv_sec = 1 }, before = { .tv_sec = -1 },
			     never = { .tv_sec = 1l << 33 };

/* No times at all. */
static const struct timespec too_large = { .tv_sec = 1, .tv_nsec = 1000000000 },
			     negative = { .tv_sec = 1, .tv_nsec = -1 };

#endif

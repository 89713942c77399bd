/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status.h - what the exit statuses of `heddle` mean (heddle(1), EXIT STATUS)
 */
#ifndef HEDDLE_CONTROLLER_STATUS_H
#define HEDDLE_CONTROLLER_STATUS_H

enum exit_status {
	STATUS_OK = 0,           /* no bug; for explore, the whole space was visited */
	STATUS_BUG = 1,          /* a bug was found (--error-exitcode replaces it) */
	STATUS_USAGE = 2,        /* wrong usage, or an input file that cannot be used */
	STATUS_INCONCLUSIVE = 3, /* a limit was reached first */
	STATUS_CANNOT_RUN = 4,   /* the program cannot be run, or is non-deterministic */
	STATUS_INTERNAL = 5,     /* heddle itself failed */
	STATUS_SKIPPED = 77,     /* as Automake's and Meson's tests (--skip-exitcode replaces it) */
};

#endif

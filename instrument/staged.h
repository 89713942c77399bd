/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * staged.h - compile with clang so that accesses are announced before they are optimised
 */
#ifndef HEDDLE_INSTRUMENT_STAGED_H
#define HEDDLE_INSTRUMENT_STAGED_H

#include <stdbool.h>

/*
 * Does what the clang command argv (argc words, NULL behind them) asks for, C sources in
 * stages. Returns false, with nothing done, when no stage is needed or the command is not
 * understood: run it as it is. Else true, with the exit status in *status.
 */
bool staged_run(char *const argv[], int argc, int *status);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* blame.h - whether a fault in the runtime is the program's, which handed over a bad pointer */
#ifndef HEDDLE_PRELOAD_BLAME_H
#define HEDDLE_PRELOAD_BLAME_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/* The pointer of a fault leads to no address at all; si_addr says 0 then. */
static inline bool fault_is_wild(int sig, const siginfo_t *info)
{
	return (sig == SIGSEGV || sig == SIGBUS) && info->si_code == SI_KERNEL;
}

/*
 * From the handler of a fault in the runtime: true if the runtime did something for the program
 * there, with memory that the program named. Then *pc is where the program called it.
 */
bool fault_of_caller(int sig, const siginfo_t *info, const ucontext_t *uc, uint64_t *pc);

/* The function of the runtime that the call before pc calls by name; NULL if that is not known. */
const char *call_before(uint64_t pc);

#pragma GCC visibility pop

#endif

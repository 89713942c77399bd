/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_own.c - what a process asks of the kernel about itself that would stop the runtime in it
 *
 * A process that lets itself be traced stops at each signal, and faults are how the runtime finds out
 * what is written to. A filter of system calls judges the runtime's own as well.
 */
/*
 * intercepts: Processes
 *
 * refused ptrace prctl - PTRACE_TRACEME and PR_SET_SECCOMP; others are made as they are
 */
#include "preload/hooks/hook.h"

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "preload/core/active.h"
#include "preload/hooks/process/own_process.h"

void own_process_traced(void)
{
	if (init_active())
		refuse("the program lets itself be traced (PTRACE_TRACEME), and would stop at each "
		       "signal: leave that out",
		       NULL);
}

void own_process_filtered(void)
{
	if (init_active())
		refuse("the program installs a filter of system calls (seccomp), which would judge those of "
		       "heddle: leave that out",
		       NULL);
}

HEDDLE_HOOK long ptrace(enum __ptrace_request request, ...)
{
	pid_t pid;
	void *address, *data;
	va_list ap;

	va_start(ap, request);
	pid = va_arg(ap, pid_t);
	address = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	if (request == PTRACE_TRACEME)
		own_process_traced();
	return REAL(ptrace)(request, pid, address, data);
}

HEDDLE_HOOK int prctl(int option, ...)
{
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_SECCOMP)
		own_process_filtered();
	return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

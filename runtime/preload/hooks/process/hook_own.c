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
 * refused ptrace prctl - PTRACE_TRACEME and PR_SET_SECCOMP; names of threads are kept, and others made as they are
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "preload/core/active.h"
#include "preload/core/touch.h"
#include "preload/hooks/process/own_process.h"
#include "preload/hooks/world/thread_attributes.h"

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

enum {
	NAME_SIZE = 16
};

/* Threads are one to the kernel. 0, or -1 and errno. */
static int name_thread(const char *name)
{
	char copy[NAME_SIZE] = "";

	if (!memory_readable(name, 1)) {
		errno = EFAULT;
		return -1;
	}
	copy_safely(copy, name, NAME_SIZE - 1);
	thread_attributes_rename(copy);
	return 0;
}

/* Was it called anything? */
static bool tell_name(char *to)
{
	const char *name = thread_attributes_name(self_id());

	if (!name || !memory_writable(to, NAME_SIZE))
		return false;
	memset(to, 0, NAME_SIZE);
	memcpy(to, name, strlen(name));
	return true;
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
	if (option == PR_SET_NAME && init_active())
		return name_thread((const char *)a[0]);
	if (option == PR_GET_NAME && init_active() && tell_name((char *)a[0]))
		return 0;
	return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

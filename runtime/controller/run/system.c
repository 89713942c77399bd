/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * system.c - what heddle needs of the system that it runs on
 *
 * Containers may come without /proc or /dev, and limits are inherited. What is missing is said
 * before the program is started, where it would be hard to tell from a fault of the program's.
 */
#include "config.h"

#include "controller/run/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"

enum {
	ADDRESS_SPACE_GIB =
		560,    /* what the runtime reserves: mostly shadow memory, hardly any used */
	STACK = 8 << 20 /* as most systems have it; reports call libdw */
};

static int check_address_space(void)
{
	struct rlimit limit;
	rlim_t gib;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	gib = limit.rlim_cur >> 30;
	if (gib >= ADDRESS_SPACE_GIB)
		return 0;
	return fail(
		STATUS_CANNOT_RUN,
		"the address space is limited to %llu GiB, and heddle reserves %d, though it uses little "
		"of that: lift the limit (ulimit -v unlimited); the program may set its own",
		(unsigned long long)gib, ADDRESS_SPACE_GIB);
}

int system_check(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return fail(STATUS_CANNOT_RUN, "cannot open /dev/null: %s", strerror(errno));
	close(fd);
	if (access("/proc/self/maps", R_OK))
		return fail(STATUS_CANNOT_RUN,
			    "cannot read /proc/self/maps: %s (is /proc mounted?)", strerror(errno));
	return check_address_space();
}

/* ---- A stack ------------------------------------------------------------------------------------ */

static struct {
	int (*fn)(int argc, char **argv);
	int argc, status;
	char **argv;
} call;

static void make_call(void)
{
	call.status = call.fn(call.argc, call.argv);
}

int system_with_stack(int (*fn)(int argc, char **argv), int argc, char **argv)
{
	struct rlimit limit;
	ucontext_t here, there;
	void *stack;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK)
		return fn(argc, argv);
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || getcontext(&there))
		return fn(argc, argv);
	call.fn = fn;
	call.argc = argc;
	call.argv = argv;
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, make_call, 0);
	if (swapcontext(&here, &there))
		return fn(argc, argv);
	munmap(stack, STACK);
	return call.status;
}

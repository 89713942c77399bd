/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * init.c - the runtime wakes up inside the program
 *
 * Whichever comes first, the first malloc() of ld.so or our constructor, calls init_early():
 * HEDDLE_SHARED_FD in /proc/self/environ says whether the controller is there (the C
 * environment may not be set up yet). Then the shared memory is mapped at its fixed address
 * and checked.
 *
 * main is wrapped, so that its end is an exit() that goes through our hook.
 */
/*
 * intercepts: The program itself
 *
 * internal __libc_start_main - main() is called by heddle, so that its return is seen
 */
#include "preload/core/active.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/code/functions.h"
#include "preload/code/modules.h"
#include "preload/core/coverage.h"
#include "preload/core/sys.h"
#include "preload/hooks/thread/exit.h"
#include "preload/hooks/world/asks.h"
#include "preload/loop/driver.h"
#include "preload/loop/signals.h"
#include "preload/loop/steal.h"

static void wake(void)
{
	steal_map();
	facts_at(steal_facts(), shared->fact_index);
	modules_late = &steal_facts()->late;
	process_init();
}
AT_WAKING(wake);

/* Programs that this one starts are not ours. */
static void clean_environment(void)
{
	unsetenv("LD_PRELOAD");
	unsetenv(SHARED_FD_ENV);
	unsetenv(SHARED_STDIN_ENV);
	unsetenv("LD_BIND_NOW"); /* set by the controller, for the same stacks every time */
}

static void discard_output(void)
{
	int fd = sys_open("/dev/null", O_WRONLY);

	for (int to = 1; to <= 2; to++)
		if (fd >= 0 && fd != to)
			sys3(SYS_dup3, fd, to, 0);
	if (fd > 2)
		sys_close(fd);
}

/* gdb cannot redirect it without a shell between itself and the program. */
static void take_input(void)
{
	const char *path = getenv(SHARED_STDIN_ENV);
	int fd = path ? sys_open(path, O_RDONLY) : -1;

	if (fd > 0) {
		sys3(SYS_dup3, fd, 0, 0);
		sys_close(fd);
	}
}

__attribute__((constructor(101))) static void init(void)
{
	if (!init_active())
		return;
	take_input();
	clean_environment();
	if (!shared->config.show_output)
		discard_output();
	modules_fill();
	signals_init();
	functions_init();
	asks_init();
	/* release: partner is the controller's acquire */
	atomic_store_explicit(&shared->phase, PHASE_LOADED, memory_order_release);
}

/* ---- main ---------------------------------------------------------------------------------------- */

typedef int main_fn(int, char **, char **);
int __libc_start_main(main_fn *main, int argc, char **argv, void (*init_fn)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static main_fn *real_main;

static int wrapped_main(int argc, char **argv, char **envp)
{
	if (!rooted)
		main_stack_top = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	end_of_main(real_main(argc, argv, envp), (uint64_t)(uintptr_t)real_main + 1);
}

HEDDLE_HOOK int __libc_start_main(main_fn *main, int argc, char **argv, void (*init_fn)(void),
				  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	main_fn *run = main;

	if (init_active()) {
		real_main = main;
		run = wrapped_main;
	}
	return REAL(__libc_start_main)(run, argc, argv, init_fn, fini, rtld_fini, stack_end);
}

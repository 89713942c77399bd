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
#include "target/init.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/coverage.h"
#include "target/driver.h"
#include "target/process.h"
#include "target/steal.h"
#include "target/sys.h"

int init_state;
uint64_t main_stack_top, main_stack_low;

/* Value of SHARED_FD_ENV in the initial environment, or -1. */
static int shared_fd(void)
{
	static const char want[] = "\0" SHARED_FD_ENV "=";
	int fd = sys_open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	char buf[4096];
	size_t matched = 1; /* the first variable needs no 0 before it */
	int value = -1;
	long n;

	if (fd < 0)
		return -1;
	while ((n = sys_read(fd, buf, sizeof(buf))) > 0) {
		for (long i = 0; i < n; i++) {
			char c = buf[i];

			if (matched == sizeof(want) - 1) {
				if (c < '0' || c > '9')
					goto out;
				value = (value < 0 ? 0 : value) * 10 + (c - '0');
			} else if (c == want[matched]) {
				matched++;
			} else {
				matched = c == 0;
			}
		}
	}
out:
	sys_close(fd);
	return value;
}

static heddle_noreturn void early_death(const char *line)
{
	sys3(SYS_write, 2, (long)line, (long)strlen(line));
	sys_exit_group(5);
}

static void map_shared(int fd)
{
	struct shared *s = sys_mmap(SHARED_ADDR, SHARED_SIZE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd);

	if (sys_failed(s) || (uint64_t)(uintptr_t)s != SHARED_ADDR)
		early_death("heddle: cannot map the memory shared with the controller\n");
	if (s->magic != SHARED_MAGIC || s->protocol != SHARED_PROTOCOL)
		early_death("heddle: the controller and the runtime are of different versions\n");
	sys_close(fd);
	shared = s;
}

void init_early(void)
{
	int fd = shared_fd();

	if (fd < 0) {
		init_state = INIT_ALONE;
		return;
	}
	coverage_begin();
	map_shared(fd);
	steal_map();
	init_state = INIT_ACTIVE;
	state = sys_mmap(0x13f000000000ul, sizeof(*state), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
	must(!sys_failed(state));
	facts_at(&state->facts, steal_facts(), shared->fact_index);
	process_init();
}

void init_detach(void)
{
	signals_restore();
	shared = NULL;
	init_state = INIT_DETACHED;
	sys3(SYS_munmap, SHARED_ADDR, offsetof(struct shared, children), 0);
	sys3(SYS_munmap, SHARED_ADDR + sizeof(struct shared), SHARED_SIZE - sizeof(struct shared),
	     0);
}

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

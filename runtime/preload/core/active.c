/* SPDX-License-Identifier: BSD-2-Clause */
/* active.c - see active.h */
#include "preload/core/active.h"

#include <string.h>

#include "base/must.h"
#include "preload/core/coverage.h"
#include "preload/core/lasting.h"
#include "preload/core/sys.h"

int init_state;

/* What AT_WAKING() named; the linker knows where that begins and ends. */
extern void (*const __start_heddle_waking[])(void);
extern void (*const __stop_heddle_waking[])(void);

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
	init_state = INIT_ACTIVE;
	lasting_map();
	for (void (*const *fn)(void) = __start_heddle_waking; fn < __stop_heddle_waking; fn++)
		(*fn)();
}

void init_detach(void)
{
	shared = NULL;
	init_state = INIT_DETACHED;
	sys3(SYS_munmap, SHARED_ADDR, offsetof(struct shared, children), 0);
	sys3(SYS_munmap, SHARED_ADDR + sizeof(struct shared), SHARED_SIZE - sizeof(struct shared),
	     0);
}

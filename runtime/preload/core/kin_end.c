/* SPDX-License-Identifier: BSD-2-Clause */
/* kin_end.c - see kin_end.h */
#include "preload/core/kin_end.h"

#include <errno.h>
#include <string.h>

#include "preload/core/active.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"

enum {
	FLAGS = 7 /* fields between the name and it, with itself */
};

/* Of the whole family, mapped in children that run alone, too. NULL: not under heddle. */
static struct kin *kin;
KEPT(kin);
static struct kin_process *own;
KEPT(own);

static void wake(void)
{
	kin = &shared->children.kin;
	atomic_store_explicit(&kin->alone, 1, memory_order_relaxed);
}

AT_WAKING(wake);

bool kin_end_known(void)
{
	return kin != NULL;
}

static bool take(struct kin_process *p, int32_t pid)
{
	int32_t nobody = 0;

	/* relaxed: others compare the number, and learn it in another way */
	return !atomic_load_explicit(&p->pid, memory_order_relaxed) &&
	       atomic_compare_exchange_strong_explicit(&p->pid, &nobody, pid, memory_order_relaxed,
						       memory_order_relaxed);
}

/* Frees the place of a process that is over, or was another one of this number. True if its end was not seen. */
static bool give_up(struct kin_process *p)
{
	return kin_leave(p) == KIN_LIVES;
}

/* Nobody waits for the children of who ignores SIGCHLD, so there may be places of processes that are not there any more. */
static bool give_up_all(void)
{
	bool lost = false;

	for (uint32_t i = 0; i < KIN_MOST; i++) {
		int32_t pid = atomic_load_explicit(&kin->at[i].pid, memory_order_relaxed);

		if (pid && sys3(SYS_kill, pid, 0, 0) == -ESRCH)
			lost |= give_up(&kin->at[i]);
	}
	return lost;
}

static struct kin_process *find_place(int32_t pid)
{
	for (uint32_t i = 0; i < KIN_MOST; i++)
		if (take(&kin->at[i], pid))
			return &kin->at[i];
	return NULL;
}

void kin_end_enter(void)
{
	int32_t pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
	struct kin_process *before = kin ? kin_at(kin, pid) : NULL;
	bool lost = before && give_up(before);

	own = kin ? find_place(pid) : NULL;
	if (kin && !own) {
		lost |= give_up_all();
		own = find_place(pid);
	}
	if (kin && (lost || !own)) /* relaxed: looked at when all is over */
		atomic_store_explicit(&kin->lost, 1, memory_order_relaxed);
}

bool kin_end_entered(void)
{
	return own != NULL;
}

void kin_end_departs(void)
{
	if (kin) /* relaxed: looked at when a process is over */
		atomic_store_explicit(&kin->alone, 0, memory_order_relaxed);
}

static void say(enum kin_is is)
{
	/* relaxed: who waits for the process learns of its end from the kernel */
	if (own)
		atomic_store_explicit(&own->is, is, memory_order_relaxed);
}

void kin_end_execs(void)
{
	say(KIN_EXECS);
}

void kin_end_stays(void)
{
	say(KIN_LIVES);
}

void kin_end_says(void)
{
	if (own)
		give_up(own);
	own = NULL;
}

bool kin_end_execed(pid_t pid)
{
	struct kin_process *p = kin ? kin_at(kin, pid) : NULL;

	return p && atomic_load_explicit(&p->is, memory_order_relaxed) == KIN_EXECS;
}

/* ---- What the kernel knows ------------------------------------------------------------------------- */

/* The field, and the name; 0: it cannot be told. text: what is in /proc/PID/stat, the name in parentheses. */
static uint64_t flags_in(char *text, const char **name)
{
	char *from = strchr(text, '('), *to = strrchr(text, ')');
	uint64_t flags = 0;

	if (!from || !to)
		return 0;
	*name = from + 1;
	*to++ = 0;
	for (int field = 0; field < FLAGS && to; field++) {
		to = strchr(to, ' ');
		if (to)
			to++;
	}
	while (to && *to >= '0' && *to <= '9')
		flags = flags * 10 + (uint64_t)(*to++ - '0');
	return flags;
}

static uint64_t ask_kernel(pid_t pid, char *buf, size_t size, const char **name)
{
	struct text path = text_in(buf, size);
	int fd;
	long n;

	text_str(&path, "/proc/");
	text_int(&path, pid);
	text_str(&path, "/stat");
	fd = sys_open(buf, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : sys_read(fd, buf, size - 1);
	if (fd >= 0)
		sys_close(fd);
	buf[n > 0 ? n : 0] = 0;
	return flags_in(buf, name);
}

void kin_end_look(pid_t zombie)
{
	char buf[512];
	const char *name = "?";
	uint64_t flags;

	if (!kin)
		return;
	flags = ask_kernel(zombie, buf, sizeof(buf), &name);
	if (kin_over(kin, zombie, flags))
		refuse("a process that the program made became another program (", name,
		       ") by a system call of its own, which heddle does not see: call execve()",
		       NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc_file.c - comm, stat and status in /proc/self, and of threads in /proc/self/task
 *
 * They have names that the program has given to threads, which are one to the kernel (hook_thread_attributes.c), ids that the
 * program is told other ones for (hook_identity.c), and how many kernel threads there are, of which heddle has
 * its own. So the program is given a file with what it would find without heddle: its names and ids, and as many threads
 * as the caller cannot know to have ended: which have, is not for the order to say in which they are run. Other files there are
 * the kernel's.
 */
#include "preload/hooks/hook.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/graph/guard.h"
#include "preload/core/active.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/core/touch.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/proc_file.h"
#include "preload/hooks/world/thread_attributes.h"

#define PROC "/proc/"

enum {
	ROOM = 8192,
	ROOM_FOR_PATH = 64,
	/* Fields of stat that are ids, from 1 (proc(5)), and the number of threads. */
	STAT_PARENT = 4,
	STAT_GROUP = 5,
	STAT_SESSION = 6,
	STAT_FOREGROUND = 8,
	STAT_THREADS = 20
};

enum kind {
	NO_FILE,
	COMM,
	STAT,
	STATUS
};

/* Of the process, whose name is that of its first thread; or of one thread. */
struct asked {
	enum kind kind;
	uint32_t tid;
};

/* Does the path go on with that name, and a slash? Then it moves behind that. */
static bool passes(const char **at, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(*at, name, n) || (*at)[n] != '/')
		return false;
	*at += n + 1;
	return true;
}

static bool passes_id(const char **at, pid_t id)
{
	char name[16];
	struct text t = text_in(name, sizeof(name));

	text_int(&t, id);
	return passes(at, name);
}

/* "task/ID/", of a thread that is there. */
static bool passes_task(const char **at, uint32_t *tid)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		const char *to = *at;

		if ((t == self_id() || identity_thread(identity_of(t)) >= 0) &&
		    passes(&to, "task") && passes_id(&to, identity_of(t))) {
			*at = to;
			*tid = t;
			return true;
		}
	}
	return false;
}

/* Is it a path there? Then copy has as much of it as there is room for. It may be wild: that is the kernel's to say. */
static bool is_in_proc(const char *path, char copy[ROOM_FOR_PATH])
{
	memset(copy, 0, ROOM_FOR_PATH);
	copy_safely(copy, path, strlen(PROC));
	if (strcmp(copy, PROC) != 0)
		return false;
	copy_safely(copy, path, ROOM_FOR_PATH - 1);
	return true;
}

bool proc_lists_threads(const char *path)
{
	char copy[ROOM_FOR_PATH];
	const char *at = copy + strlen(PROC);

	if (!is_in_proc(path, copy) || (!passes(&at, "self") && !passes_id(&at, REAL(getpid)())))
		return false;
	return !strncmp(at, "task", 4) && !at[4 + strspn(at + 4, "/")];
}

static struct asked asked_for(const char *path)
{
	static const char *const names[] = {
		[COMM] = "comm", [STAT] = "stat", [STATUS] = "status"
	};
	const char *at = path + strlen(PROC);
	struct asked a = { NO_FILE, 0 };

	if (passes(&at, "thread-self"))
		a.tid = self_id();
	else if (!passes(&at, "self") && !passes_id(&at, getpid()))
		return a;
	if (!strncmp(at, "task/", 5) && !passes_task(&at, &a.tid))
		return a;
	for (enum kind k = COMM; k <= STATUS; k++)
		if (!strcmp(at, names[k]))
			a.kind = k;
	return a;
}

int proc_threads(void)
{
	uint32_t given[HEDDLE_MAX_THREADS];
	struct thread_set alive;

	if (!under_engine())
		return 1;
	values_give_up("it reads what the kernel says of the process");
	alive = engine_known_threads(engine, current->tid, given);
	thread_set_add(&alive, current->tid);
	return (int)thread_set_count(&alive);
}

/* Reads a number, and moves to what is behind it. */
static int64_t number(const char **at)
{
	bool minus = **at == '-';
	int64_t n = 0;

	for (*at += minus; **at >= '0' && **at <= '9'; ++*at)
		n = n * 10 + (**at - '0');
	return minus ? -n : n;
}

static void put_until(struct text *to, const char **from, const char *end)
{
	char one[2] = "";

	while (*from < end && **from) {
		one[0] = *(*from)++;
		text_str(to, one);
	}
}

/* What the thread was called; false: nothing. */
static bool tell_name(struct text *to, uint32_t tid)
{
	const char *name = thread_attributes_name(tid);

	text_str(to, name ? name : "");
	return name;
}

/* "id (name) state parent ...": the name may hold anything. */
static void tell_stat(struct text *to, const char *from, uint32_t tid)
{
	const char *name = strchr(from, '('), *behind = strrchr(from, ')');

	if (!name || !behind)
		return;
	text_int(to, identity_of(tid));
	from = name - 1;
	put_until(to, &from, name + 1);
	if (tell_name(to, tid))
		from = behind;
	put_until(to, &from, behind + 1);
	for (int field = 3; *from; field++) {
		put_until(to, &from, from + 1);
		if (field == STAT_PARENT || field == STAT_GROUP || field == STAT_SESSION ||
		    field == STAT_FOREGROUND) {
			text_int(to, identity_shown((pid_t)number(&from)));
		} else if (field == STAT_THREADS) {
			number(&from);
			text_int(to, proc_threads());
		}
		put_until(to, &from, strchrnul(from, ' '));
	}
}

static bool is_id(const char *line)
{
	static const char *const names[] = { "Tgid:\t",  "Pid:\t",    "PPid:\t", "NStgid:\t",
					     "NSpid:\t", "NSpgid:\t", "NSsid:\t" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(line, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

static void tell_status(struct text *to, const char *from, uint32_t tid)
{
	while (*from) {
		const char *end = strchrnul(from, '\n');
		bool id = is_id(from), count = begins(from, "Threads:\t");
		bool own = begins(from, "Pid:\t") || begins(from, "NSpid:\t");

		if (begins(from, "Name:\t")) {
			put_until(to, &from, strchrnul(from, '\t') + 1);
			if (tell_name(to, tid))
				from = end;
		} else if (id || count) {
			put_until(to, &from, strchrnul(from, '\t') + 1);
			if (own && number(&from))
				text_int(to, identity_of(tid));
			else if (id)
				text_int(to, identity_shown((pid_t)number(&from)));
			else if (number(&from))
				text_int(to, proc_threads());
		}
		put_until(to, &from, end + 1);
	}
}

/* What the kernel says; false when that cannot be had. */
static bool read_all(const char *path, char *out)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC);
	long n = 0, all = 0;

	if (fd < 0)
		return false;
	while (all < ROOM - 1 && (n = sys_read(fd, out + all, (size_t)(ROOM - 1 - all))) > 0)
		all += n;
	sys_close(fd);
	out[all] = 0;
	return n == 0;
}

static void tell_comm(struct text *to, const char *from, uint32_t tid)
{
	text_str(to, tell_name(to, tid) ? "\n" : from);
}

int proc_file(const char *path, const char *real, int flags)
{
	static void (*const tell[])(struct text *, const char *, uint32_t) = {
		[COMM] = tell_comm, [STAT] = tell_stat, [STATUS] = tell_status
	};
	char found[ROOM], told[ROOM + 256];
	struct text t = text_in(told, sizeof(told));
	char copy[ROOM_FOR_PATH];
	struct asked asked;
	int fd;

	if (!init_active() || (flags & O_ACCMODE) != O_RDONLY || flags & O_PATH)
		return -1;
	if (!is_in_proc(path, copy))
		return -1;
	asked = asked_for(copy);
	if (asked.kind == NO_FILE || !read_all(real, found))
		return -1;
	tell[asked.kind](&t, found, asked.tid);
	fd = (int)sys3(SYS_memfd_create, (long)"stat", flags & O_CLOEXEC ? MFD_CLOEXEC : 0, 0);
	if (fd < 0)
		return -1;
	sys3(SYS_write, fd, (long)told, t.at - told);
	sys3(SYS_lseek, fd, 0, SEEK_SET);
	return fd;
}

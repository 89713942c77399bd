/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc.c - what the kernel is asked by ids of the program
 *
 * case files_in_proc: ok 1
 * case links_in_proc: ok 1
 * case what_they_say: ok 1
 * case what_they_say --backend=fork: ok 1
 * case what_one_that_may_have_ended_counts: ok 1
 * case of_threads: ok 1
 * case a_list_of_threads_that_ended: ok 1
 * case a_list_of_threads_that_may_run: refused lists its threads in /proc/self/task
 * case a_list_of_threads_that_were_detached: refused lists its threads in /proc/self/task
 * case names_of_threads: ok 1
 * case names_of_threads --backend=fork: ok 1
 * case names_by_prctl: ok 1
 * case files_of_threads: ok 1
 * case names_that_are_no_ids: ok 1
 * case in_a_child: ok 1
 * case the_clock_of_the_process: ok 1
 * case a_descriptor_of_the_process: ok 1
 *
 * ways access: ENOENT
 * ways stat: ENOENT
 * ways stat64: ENOENT
 * ways lstat: ENOENT
 * ways lstat64: ENOENT
 * ways readlink: ENOENT EINVAL
 * ways opendir: ENOENT ENOTDIR; not EMFILE ENFILE (descriptor.c)
 * ways pidfd_open: ESRCH EINVAL
 * ways clock_getcpuclockid: ESRCH; not EPERM (Linux lets everybody ask)
 *
 * case access_ENOENT: ok 1
 * case stat_ENOENT: ok 1
 * case stat64_ENOENT: ok 1
 * case lstat_ENOENT: ok 1
 * case lstat64_ENOENT: ok 1
 * case readlink_ENOENT: ok 1
 * case readlink_EINVAL: ok 1
 * case opendir_ENOENT: ok 1
 * case opendir_ENOTDIR: ok 1
 * case pidfd_open_ESRCH: ok 1
 * case pidfd_open_EINVAL: ok 1
 * case clock_getcpuclockid_ESRCH: ok 1
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <heddle.h>

#include "hooks/fails.h"

enum {
	NOBODY = 100000000 /* more than ids of processes can be, and still part of a clock */
};

static char path[512];

static const char *of(const char *format, pid_t id, pid_t thread)
{
	snprintf(path, sizeof(path), format, id, thread);
	return path;
}

static void *look(void *arg)
{
	char exe[256] = "", mine[256] = "";
	struct stat a, b;
	DIR *dir;
	int fd;

	assert(access(of("/proc/%d/status", getpid(), 0), R_OK) == 0);
	assert(stat(of("/proc/%d", getpid(), 0), &a) == 0 && stat("/proc/self", &b) == 0);
	assert(a.st_ino == b.st_ino && lstat(path, &b) == 0 && a.st_ino == b.st_ino);
	assert(readlink(of("/proc/%d/exe", getpid(), 0), exe, sizeof(exe) - 1) > 0);
	assert(readlink("/proc/self/exe", mine, sizeof(mine) - 1) > 0 && !strcmp(exe, mine));
	assert((dir = opendir(of("/proc/%d/fd", getpid(), 0))) && closedir(dir) == 0);
	assert((fd = open(of("/proc/%d/maps", getpid(), 0), O_RDONLY)) >= 0 && close(fd) == 0);
	return arg;
}

static void leads_to(const char *link, const char *name, size_t room)
{
	char to[64];
	ssize_t n;

	memset(to, '-', sizeof(to));
	n = readlink(link, to, room);
	assert(n == (ssize_t)(strlen(name) < room ? strlen(name) : room));
	assert(!memcmp(to, name, (size_t)n) && to[n] == '-');
}

static void *follow(void *arg)
{
	leads_to("/proc/self", of("%d", getpid(), 0), 32);
	leads_to("/proc/self", path, 3);
	leads_to("/proc/thread-self", of("%d/task/%d", getpid(), gettid()), 48);
	return arg;
}

static void links_in_proc(void)
{
	char to[8];

	follow(NULL);
	FAILS(EINVAL, readlink("/proc/self", to, 0));
	FAILS(EFAULT, readlink("/proc/self", (char *)16, 8));
	THREADS(1, follow);
}

static void files_in_proc(void)
{
	FILE *f = fopen(of("/proc/%d/cmdline", getpid(), 0), "r");

	assert(f && fclose(f) == 0);
	look(NULL);
	THREADS(1, look);
}

static void says(int threads)
{
	static const char *const names[] = { "/proc/self/stat", "/proc/%d/stat" };
	int id, parent, group, session, terminal, foreground, n, rest = 0, found = 0;
	char line[512];
	FILE *f;

	for (int i = 0; i < 2; i++) {
		f = fopen(of(names[i], getpid(), 0), "r");
		assert(f && fgets(line, sizeof(line), f));
		fclose(f);
		assert(sscanf(line,
			      "%d (%*[^)]) %*c %d %d %d %d %d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			      "%*d %d %n",
			      &id, &parent, &group, &session, &terminal, &foreground, &n,
			      &rest) == 7);
		assert(id == getpid() && parent == getppid() && group == getpgrp());
		assert(session == getsid(0) && n == threads && rest && strlen(line + rest) > 20);
	}
	f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Pid: %d", &id) == 1 || sscanf(line, "Tgid: %d", &id) == 1)
			found += id == getpid();
		else if (sscanf(line, "PPid: %d", &id) == 1)
			found += id == getppid();
		else if (sscanf(line, "Threads: %d", &id) == 1)
			found += id == threads;
	}
	assert(f && fclose(f) == 0 && found == 4);
}

static void *ask(void *arg)
{
	says(2);
	return arg;
}

static void what_they_say(void)
{
	says(1);
	THREADS(1, ask);
	says(1);
}

static void *pass(void *arg)
{
	return arg;
}

/* Whether it has ended is not for the order to say in which threads are run: who has not joined it counts it. */
static void what_one_that_may_have_ended_counts(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, pass, NULL) == 0);
	THREADS(1, pass);
	if (heddle_running())
		says(2);
	assert(pthread_join(t, NULL) == 0);
	says(1);
}

static int tasks(const char *name)
{
	DIR *dir = opendir(name);
	struct dirent *e;
	int n = 0;

	assert(dir);
	while ((e = readdir(dir)))
		n += e->d_name[0] != '.';
	assert(closedir(dir) == 0);
	return n;
}

static void a_list_of_threads_that_ended(void)
{
	THREADS(1, pass);
	assert(tasks("/proc/self/task/") == 1 && tasks(of("/proc/%d/task", getpid(), 0)) == 1);
}

static void a_list_of_threads_that_may_run(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, pass, NULL) == 0);
	assert(tasks("/proc/self/task") <= 2);
	assert(pthread_join(t, NULL) == 0);
}

static void *lists(void *arg)
{
	assert(tasks(of("/proc/%d/task/", getpid(), 0)) > 1);
	return arg;
}

static void a_list_of_threads_that_were_detached(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, pass, NULL) == 0);
	assert(pthread_detach(t) == 0);
	THREADS(1, lists);
}

static void *look_at_thread(void *arg)
{
	assert(access(of("/proc/%d/task/%d", getpid(), gettid()), R_OK) == 0);
	assert(access(of("/proc/self/task/%2$d/stat", 0, gettid()), R_OK) == 0);
	assert(access(of("//proc/./self", 0, 0), R_OK) == 0);
	return arg;
}

static void of_threads(void)
{
	look_at_thread(NULL);
	THREADS(1, look_at_thread);
}

/* ---- What threads are called ---- */

static void read_file(const char *name, char *to, size_t size)
{
	int fd = open(name, O_RDONLY);
	ssize_t n;

	assert(fd >= 0 && (n = read(fd, to, size - 1)) > 0 && close(fd) == 0);
	to[n] = 0;
}

/* All who say how a thread is called. */
static void is_called(const char *name, pthread_t thread, pid_t id)
{
	char line[4096], called[18];

	assert(pthread_getname_np(thread, line, 16) == 0 && !strcmp(line, name));
	snprintf(called, sizeof(called), "%s\n", name);
	read_file(of("/proc/self/task/%2$d/comm", 0, id), line, sizeof(line));
	assert(!strcmp(line, called));
	read_file(of("/proc/%d/task/%d/comm", getpid(), id), line, sizeof(line));
	assert(!strcmp(line, called));
	read_file(of("/proc/self/task/%2$d/status", 0, id), line, sizeof(line));
	assert(!strncmp(line, "Name:\t", 6) && !strncmp(line + 6, called, strlen(called)));
	if (id != gettid())
		return;
	read_file("/proc/thread-self/comm", line, sizeof(line));
	assert(!strcmp(line, called));
	assert(prctl(PR_GET_NAME, line) == 0 && !strcmp(line, name));
}

static void process_is_called(const char *name)
{
	char line[512], called[18];

	snprintf(called, sizeof(called), "%s\n", name);
	read_file("/proc/self/comm", line, sizeof(line));
	assert(!strcmp(line, called));
	read_file(of("/proc/%d/comm", getpid(), 0), line, sizeof(line));
	assert(!strcmp(line, called));
	read_file("/proc/self/stat", line, sizeof(line));
	assert(strchr(line, '(') && !strncmp(strchr(line, '(') + 1, name, strlen(name)));
}

static pid_t child_id;
static sem_t renamed, seen;

static void *rename_self(void *arg)
{
	is_called("first", pthread_self(), gettid());
	assert(pthread_setname_np(pthread_self(), "second") == 0);
	is_called("second", pthread_self(), gettid());
	process_is_called("first");
	child_id = gettid();
	assert(sem_post(&renamed) == 0 && sem_wait(&seen) == 0);
	return arg;
}

static void names_of_threads(void)
{
	pthread_t thread;

	assert(sem_init(&renamed, 0, 0) == 0 && sem_init(&seen, 0, 0) == 0);
	assert(pthread_setname_np(pthread_self(), "first") == 0);
	is_called("first", pthread_self(), gettid());
	process_is_called("first");
	assert(pthread_create(&thread, NULL, rename_self, NULL) == 0);
	assert(sem_wait(&renamed) == 0);
	is_called("second", thread, child_id);
	assert(sem_post(&seen) == 0 && pthread_join(thread, NULL) == 0);
	is_called("first", pthread_self(), gettid());
	process_is_called("first");
}

static void *rename_by_number(void *arg)
{
	assert(prctl(PR_SET_NAME, "a name that is too long") == 0);
	is_called("a name that is ", pthread_self(), gettid());
	assert(syscall(SYS_prctl, PR_SET_NAME, "number") == 0);
	is_called("number", pthread_self(), gettid());
	assert(prctl(PR_SET_NAME, (void *)8) == -1 && errno == EFAULT);
	assert(prctl(PR_GET_NAME, (void *)8) == -1 && errno == EFAULT);
	is_called("number", pthread_self(), gettid());
	return arg;
}

static void names_by_prctl(void)
{
	assert(prctl(PR_SET_NAME, "main") == 0);
	THREADS(1, rename_by_number);
	is_called("main", pthread_self(), gettid());
	process_is_called("main");
}

/* What is said of a thread is its own id. */
static void *look_at_files(void *arg)
{
	int id = 0, process = 0;
	char line[4096];

	read_file(of("/proc/self/task/%2$d/stat", 0, gettid()), line, sizeof(line));
	assert(sscanf(line, "%d (", &id) == 1 && id == gettid());
	read_file("/proc/thread-self/status", line, sizeof(line));
	assert(sscanf(strstr(line, "\nPid:"), "\nPid: %d", &id) == 1 && id == gettid());
	assert(sscanf(strstr(line, "Tgid:"), "Tgid: %d", &process) == 1 && process == getpid());
	return arg;
}

static void files_of_threads(void)
{
	look_at_files(NULL);
	THREADS(1, look_at_files);
}

static void names_that_are_no_ids(void)
{
	assert(access(of("/proc/%dx", getpid(), 0), R_OK) == -1 && errno == ENOENT);
	assert(access(of("/proc/self/x%d", getpid(), 0), R_OK) == -1 && errno == ENOENT);
	assert(access(of("/proc/%d", NOBODY, 0), R_OK) == -1 && errno == ENOENT);
	assert(access("/proc/sys/kernel/", R_OK) == 0);
	memset(path, '/', sizeof(path) - 1);
	memcpy(path, "/proc", 5);
	assert(access(path, R_OK) == 0);
	THREADS(1, look);
}

/* A child that runs alone knows its parent by the id that it was told. */
static void in_a_child(void)
{
	int status = -1;
	pid_t me = getpid();

	if (fork() == 0)
		_exit(access(of("/proc/%d/status", me, 0), R_OK) == 0 &&
				      access(of("/proc/%d/status", getpid(), 0), R_OK) == 0
			      ? 0
			      : 1);
	assert(wait(&status) > 0 && status == 0);
	THREADS(1, look);
}

static void *ask_clocks(void *arg)
{
	struct timespec t;
	clockid_t c;

	GIVES(0, clock_getcpuclockid(getpid(), &c));
	assert(clock_gettime(c, &t) == 0);
	GIVES(0, clock_getcpuclockid(0, &c));
	assert(clock_gettime(c, &t) == 0);
	return arg;
}

static void the_clock_of_the_process(void)
{
	ask_clocks(NULL);
	THREADS(1, ask_clocks);
}

static void *open_itself(void *arg)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0), other = pidfd_open(getpid(), 0);

	assert((fd >= 0 && other >= 0) || errno == ENOSYS); /* some sandboxes have none */
	close(fd);
	close(other);
	return arg;
}

static void a_descriptor_of_the_process(void)
{
	open_itself(NULL);
	THREADS(1, open_itself);
}

/* --- how they fail ------------------------------------------------------------------------------- */

#define NOTHING "/proc/self/nothing"

EACH_FAILS(access_ENOENT, ENOENT, access(NOTHING, R_OK))
EACH_FAILS(readlink_ENOENT, ENOENT, readlink(NOTHING, path, sizeof(path)))
EACH_FAILS(readlink_EINVAL, EINVAL, readlink("/proc/self/status", path, sizeof(path)))
EACH_FAILS(pidfd_open_ESRCH, ESRCH, pidfd_open(NOBODY, 0))
EACH_FAILS(pidfd_open_EINVAL, EINVAL, pidfd_open(0, 0))

#define NO_STAT(name)                              \
	IN_EACH(name##_ENOENT)                     \
	{                                          \
		struct name to;                    \
                                                   \
		FAILS(ENOENT, name(NOTHING, &to)); \
		return arg;                        \
	}

NO_STAT(stat)
NO_STAT(stat64)

IN_EACH(lstat_ENOENT)
{
	struct stat to;

	FAILS(ENOENT, lstat(NOTHING, &to));
	return arg;
}

IN_EACH(lstat64_ENOENT)
{
	struct stat64 to;

	FAILS(ENOENT, lstat64(NOTHING, &to));
	return arg;
}

IN_EACH(opendir_ENOENT)
{
	NONE(ENOENT, opendir(NOTHING));
	return arg;
}

IN_EACH(opendir_ENOTDIR)
{
	NONE(ENOTDIR, opendir("/proc/self/status"));
	return arg;
}

IN_EACH(clock_getcpuclockid_ESRCH)
{
	clockid_t c;

	GIVES(ESRCH, clock_getcpuclockid(NOBODY, &c));
	return arg;
}

CASES(CASE(files_in_proc), CASE(links_in_proc), CASE(what_they_say),
      CASE(what_one_that_may_have_ended_counts), CASE(of_threads),
      CASE(a_list_of_threads_that_ended), CASE(a_list_of_threads_that_may_run),
      CASE(a_list_of_threads_that_were_detached), CASE(names_of_threads), CASE(names_by_prctl),
      CASE(files_of_threads), CASE(names_that_are_no_ids), CASE(in_a_child),
      CASE(the_clock_of_the_process), CASE(a_descriptor_of_the_process), CASE(access_ENOENT),
      CASE(stat_ENOENT), CASE(stat64_ENOENT), CASE(lstat_ENOENT), CASE(lstat64_ENOENT),
      CASE(readlink_ENOENT), CASE(readlink_EINVAL), CASE(opendir_ENOENT), CASE(opendir_ENOTDIR),
      CASE(pidfd_open_ESRCH), CASE(pidfd_open_EINVAL), CASE(clock_getcpuclockid_ESRCH))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch.c - starts the program with the runtime in it
 *
 * The program gets: the runtime through LD_PRELOAD, the shared mapping's descriptor in
 * HEDDLE_SHARED_FD, a process group of its own (so that Ctrl-C reaches only us, and we can
 * kill all it started), no address space randomisation (addresses are then the same in a
 * replay), an empty standard input, and death when we die.
 *
 * LD_BIND_NOW: else each execution would look up the same symbols again after its rollback.
 */
#include "config.h"

#include "controller/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/locate.h"
#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/run/gdb.h"
#include "controller/run/orphans.h"
#include "controller/run/system.h"
#include "wire/follow.h"
#include "wire/successor.h"

extern char **environ;

bool memory_sized(int fd, off_t size)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY }, most;
	bool ok;

	getrlimit(RLIMIT_FSIZE, &limit);
	most = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	setrlimit(RLIMIT_FSIZE, &most);
	ok = !ftruncate(fd, size);
	most.rlim_cur = limit.rlim_cur;
	setrlimit(RLIMIT_FSIZE, &most); /* leaves errno as it is */
	/* Nobody is to cut off what we look at: that would be a bus error of ours. */
	if (ok)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
	return ok;
}

static int open_at(struct run *run, void *at, int fixed)
{
	void *p;

	int status = system_check();

	memset(run, 0, sizeof(*run));
	run->fd = run->pidfd = run->exchange_fd = -1;
	if (status)
		return status;
	run->fd = memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (run->fd < 0 || !memory_sized(run->fd, (off_t)SHARED_SIZE)) {
		int err = errno;

		run_release(run);
		return fail(STATUS_INTERNAL, "cannot create shared memory: %s%s", strerror(err),
			    err == EFBIG ? " (see ulimit -H -f)" : "");
	}
	p = mmap(at, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | fixed,
		 run->fd, 0);
	if (p == MAP_FAILED) {
		int err = errno;

		run_release(run);
		return fail(err == ENOMEM ? STATUS_CANNOT_RUN : STATUS_INTERNAL,
			    "cannot map the shared memory (16 GiB of address space): %s%s",
			    strerror(err),
			    err == ENOMEM ? ": lift the limit (ulimit -v unlimited); the program "
					    "may set one"
					  : "");
	}
	run->shared = p;
	run->shared->magic = SHARED_MAGIC;
	run->shared->protocol = SHARED_PROTOCOL;
	facts_init(&run->shared->facts);
	run->facts = &run->shared->facts;
	return 0;
}

int run_open(struct run *run)
{
	return open_at(run, (void *)SHARED_ADDR, MAP_FIXED_NOREPLACE);
}

int run_open_another(struct run *run)
{
	return open_at(run, NULL, 0);
}

void run_kill(struct run *run)
{
	if (run->pid <= 0)
		return;
	kill(-run->pid, SIGKILL);
	kill(run->pid, SIGKILL);
}

void run_release(struct run *run)
{
	if (run->pid > 0) {
		run_kill(run);
		waitpid(run->pid, &run->wait_status, 0);
	}
	if (run->shared)
		munmap(run->shared, SHARED_SIZE);
	if (run->fd >= 0)
		close(run->fd);
	if (run->pidfd >= 0)
		close(run->pidfd);
	run->shared = NULL;
	run->fd = run->pidfd = -1;
	run->pid = 0;
}

bool addresses_vary(void)
{
	int now = personality(0xffffffff);

	if (now < 0 || now & ADDR_NO_RANDOMIZE)
		return now < 0;
	if (personality((unsigned)now | ADDR_NO_RANDOMIZE) < 0)
		return true;
	personality((unsigned)now);
	return false;
}

/* ---- Environment ------------------------------------------------------------------------- */

/* "NAME=first" or "NAME=first:old" where NAME was set before. */
static char *joined(const char *name, const char *first, const char *old)
{
	char *text = NULL;
	int n = old && *old ? asprintf(&text, "%s=%s:%s", name, first, old)
			    : asprintf(&text, "%s=%s", name, first);

	return n < 0 ? NULL : text;
}

static bool is_set_by_us(const char *entry)
{
	static const char *const names[] = { "LD_PRELOAD=", "LD_LIBRARY_PATH=", "LD_BIND_NOW=",
					     SHARED_FD_ENV "=", FOLLOW_ENV "=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strncmp(entry, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

struct environment {
	char **all;
	char **given; /* variables that are set for this run; ends with NULL */
	char *preload, *libraries;
	char fd[64];
};

static bool make_given(struct environment *e, const struct variable_list *l)
{
	size_t used = 0;

	e->given = calloc((l ? l->n : 0) + 1, sizeof(*e->given));
	for (size_t i = 0; e->given && l && i < l->n; i++) {
		if (!l->at[i].value)
			continue;
		e->given[used] = variable_text(&l->at[i]);
		if (!e->given[used++])
			return false;
	}
	return e->given != NULL;
}

/* Where it looks for libraries: what is set for this run, or else here. */
static const char *library_path(const struct launch *l)
{
	const struct env_variable *v =
		l->environment ? variables_find(l->environment, "LD_LIBRARY_PATH") : NULL;

	return v ? v->value : getenv("LD_LIBRARY_PATH");
}

static bool find_library(const char *name, char path[PATH_MAX])
{
	if (!locate_library(name, path, PATH_MAX))
		return true;
	fail(STATUS_INTERNAL, "%s is missing; the installation is damaged", name);
	return false;
}

/* Of a program that runs as it is: ours, with what those that it starts are to find. */
static bool environment_natively(struct environment *e, const char *session)
{
	char path[PATH_MAX];
	struct successor how = { .library = path, .session = session };
	void *room = NULL;

	if (find_library(FOLLOW_LIBRARY, path))
		room = malloc(successor_size(environ, &how));
	e->all = room ? successor_environment(environ, &how, room) : NULL;
	return room != NULL;
}

/* The program's environment; false when memory is short or the runtime is missing. */
static bool environment_of_runtime(struct environment *e, const struct launch *l, int fd)
{
	const struct program *program = l->program;
	char path[PATH_MAX], tsan[PATH_MAX];
	const char *old = library_path(l);
	size_t n = 0, used = 0;

	if (!find_library("libheddle-rt.so", path))
		return false;
	e->preload = joined("LD_PRELOAD", path, getenv("LD_PRELOAD"));
	if (program->wants_libtsan && !locate_library("tsan", tsan, sizeof(tsan)))
		e->libraries = joined("LD_LIBRARY_PATH", tsan, old);
	else if (old && asprintf(&e->libraries, "LD_LIBRARY_PATH=%s", old) < 0)
		e->libraries = NULL;
	while (environ[n])
		n++;
	e->all = calloc(n + 5 + (l->environment ? l->environment->n : 0), sizeof(*e->all));
	if (!e->all || !e->preload || !make_given(e, l->environment))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_set_by_us(environ[i]) &&
		    !(l->environment && variables_find(l->environment, environ[i])))
			e->all[used++] = environ[i];
	}
	for (char **v = e->given; *v; v++)
		if (!is_set_by_us(*v))
			e->all[used++] = *v;
	/* As long for each worker of a search, since the stack lies below it. */
	snprintf(e->fd, sizeof(e->fd), SHARED_FD_ENV "=%04d", fd);
	e->all[used++] = e->preload;
	e->all[used++] = e->fd;
	e->all[used++] = "LD_BIND_NOW=1";
	if (e->libraries)
		e->all[used] = e->libraries;
	return true;
}

static bool environment_init(struct environment *e, const struct launch *l, int fd)
{
	memset(e, 0, sizeof(*e));
	return l->natively ? environment_natively(e, l->natively)
			   : environment_of_runtime(e, l, fd);
}

static void environment_release(struct environment *e)
{
	for (char **v = e->given; v && *v; v++)
		free(*v);
	free(e->given);
	free(e->all);
	free(e->preload);
	free(e->libraries);
}

/* ---- The child ----------------------------------------------------------------------------- */

static bool move_fd(const char *path, int flags, int to)
{
	int fd = open(path, flags);

	if (fd < 0 || dup2(fd, to) < 0)
		return false;
	if (fd != to)
		close(fd);
	return true;
}

static bool place_output(const struct launch *l)
{
	if (!l->show_output)
		return move_fd("/dev/null", O_WRONLY, 1) && move_fd("/dev/null", O_WRONLY, 2);
	return !l->output_fd || (dup2(l->output_fd, 1) == 1 && dup2(l->output_fd, 2) == 2);
}

/* Without gdb this runs in our own memory: nothing but system calls. */
_Noreturn static void child(const struct launch *l, const struct environment *e,
			    const struct run *run, int report_fd, pid_t parent)
{
	sigset_t none;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGXFSZ, SIG_DFL); /* ignored by main() */
	if (!l->natively)
		fcntl(run->fd, F_SETFD, 0);
	if (run->exchange_fd >= 0)
		fcntl(run->exchange_fd, F_SETFD, 0);
	for (uint32_t i = 0; i < run->nsiblings; i++)
		fcntl(run->sibling_fd[i], F_SETFD, 0);
	/* Some containers forbid it; places in traces then still name the same things. */
	if (!l->natively)
		personality(personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	if (l->gdb) {
		const char *ours[] = { e->preload, e->fd, "LD_BIND_NOW=1", e->libraries, NULL };

		if (!l->folder || !chdir(l->folder))
			gdb_exec(l, ours, run);
	} else {
		setpgid(0, 0);
		if (move_fd(l->stdin_file ? l->stdin_file : "/dev/null", O_RDONLY, 0) &&
		    place_output(l) && !(l->folder && chdir(l->folder)))
			execve(l->program->path, l->argv, e->all);
	}
	err = errno;
	if (write(report_fd, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* The errno of a failed exec, 0 when it worked. */
static int exec_result(int fd)
{
	int err = 0;
	ssize_t n;

	do
		n = read(fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(fd);
	return n == (ssize_t)sizeof(err) ? err : 0;
}

/* To open a pipe would wait for a writer, and nothing comes from it a second time. */
static bool can_be_read(const char *path)
{
	struct stat st;

	if (!path)
		return true;
	if (access(path, R_OK) || stat(path, &st))
		return false;
	errno = ESPIPE;
	return S_ISREG(st.st_mode) || S_ISCHR(st.st_mode);
}

int run_start(struct run *run, const struct launch *l)
{
	struct environment e;
	int pipes[2], err;
	pid_t self = getpid(), pid;

	if (!can_be_read(l->stdin_file))
		return fail(STATUS_USAGE, "cannot read '%s': %s", l->stdin_file, strerror(errno));
	if (!environment_init(&e, l, run->fd)) {
		environment_release(&e);
		return STATUS_INTERNAL;
	}
	fflush(NULL);
	if (!l->gdb)
		orphans_adopt();
	if (pipe2(pipes, O_CLOEXEC)) {
		environment_release(&e);
		return fail(STATUS_INTERNAL, "cannot create a pipe: %s", strerror(errno));
	}
	/* vfork() need not copy our memory, which the child borrows. gdb's script takes malloc(). */
	pid = l->gdb ? fork() : vfork();
	if (pid == 0)
		child(l, &e, run, pipes[1], self);
	run->pid = pid;
	err = errno;
	close(pipes[1]);
	environment_release(&e);
	if (run->pid < 0) {
		run->pid = 0;
		close(pipes[0]);
		return fail(STATUS_INTERNAL, "cannot start a process: %s", strerror(err));
	}
	run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
	err = exec_result(pipes[0]);
	if (!err)
		return 0;
	waitpid(run->pid, &run->wait_status, 0);
	run->pid = 0;
	return fail(STATUS_CANNOT_RUN, "cannot run '%s': %s",
		    l->gdb ? gdb_command() : l->program->path, strerror(err));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unseen.c - makes processes, and calls the kernel by instructions of its own
 *
 *	unseen HOW [PROGRAM]
 *
 *	waited		a child is PROGRAM, and its parent waits for it
 *	waitid		likewise by waitid(), for any child
 *	later		a child is PROGRAM when its parent, which does not wait for it, has ended
 *	below		a child of a child is, and waited for
 *	beside		likewise, when another program was started by a call of the library
 *	bare		a child is PROGRAM, without an environment
 *	forked		a child that no hook sees being made is PROGRAM
 *	forked-later	likewise, when its parent has ended
 *	forked-exec	likewise, by execve() of the library
 *	failed		a child calls execve(), which fails, and is PROGRAM then
 *	nobody		nobody can wait for a child that kills itself
 *	ends		children end in all the ways that there are, or are PROGRAM by execve()
 *	ignored		children end, and nobody can wait for them
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long kernel(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void become(char **program, char **environment)
{
	kernel(SYS_execve, (long)program[0], (long)program, (long)environment);
	_exit(127);
}

static void outlive(pid_t parent)
{
	const struct timespec t = { .tv_nsec = 10000000 };

	while (getppid() == parent)
		nanosleep(&t, NULL);
}

static void *run(void *arg)
{
	return arg;
}

static void end_in(int way, char **program)
{
	switch (way) {
	case 0:
		_exit(0);
	case 1:
		exit(0);
	case 2:
		quick_exit(0);
	case 3:
		abort();
	case 4:
		kernel(SYS_exit_group, 0, 0, 0);
		break;
	case 5:
		raise(SIGKILL);
		break;
	case 6:
		if (!fork())
			_exit(0);
		wait(NULL);
		_exit(0);
	case 7:
		execv(program[0], program);
		break;
	default:
		syscall(SYS_execve, program[0], program, environ);
	}
	_exit(127);
}

/* Those that the program makes. ways: of end_in(). */
static void make(int ways, char **program)
{
	for (int way = 0; way < ways; way++)
		if (!fork())
			end_in(way, program);
	while (wait(NULL) > 0)
		;
}

static bool is(const char *how, const char *name)
{
	return !strcmp(how, name);
}

int main(int argc, char **argv)
{
	char *nothing[] = { NULL }, *none[] = { "./there-is-none", NULL }, **program = argv + 2;
	const char *how = argv[1];
	const pid_t parent = getpid();
	bool later = strstr(how, "later");
	pthread_t thread;

	(void)argc;
	if (is(how, "nobody") || is(how, "ignored"))
		signal(SIGCHLD, SIG_IGN);
	if (is(how, "beside") && system("true"))
		return 1;
	if (is(how, "ends") || is(how, "ignored")) {
		make(is(how, "ends") ? 9 : 3, program);
	} else if (strncmp(how, "forked", 6) ? !fork() : !kernel(SYS_fork, 0, 0, 0)) {
		if ((is(how, "below") || is(how, "beside")) && fork()) {
			wait(NULL);
			_exit(0);
		}
		if (is(how, "nobody"))
			raise(SIGKILL);
		if (is(how, "failed"))
			execv(none[0], none);
		if (is(how, "forked-exec"))
			execv(program[0], program);
		if (later)
			outlive(parent);
		become(program, is(how, "bare") ? nothing : environ);
	}
	if (is(how, "waitid"))
		waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED);
	else if (!later)
		wait(NULL);
	if (later)
		return 0;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}

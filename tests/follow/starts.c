/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * starts.c - starts a program, and explores two executions of its own
 *
 *	starts HOW PROGRAM [late]	late: when there is a thread
 *
 * Its status is 1 if the program's is not 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int x;

static void *run(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static int ended(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static int by_popen(const char *program)
{
	FILE *f = popen(program, "r");
	char line[64];

	while (fgets(line, sizeof(line), f))
		;
	return pclose(f);
}

static int by_spawn(const char *program, int along_path)
{
	char *argv[] = { (char *)program, NULL };
	pid_t pid;

	if (along_path)
		posix_spawnp(&pid, program, NULL, NULL, argv, environ);
	else
		posix_spawn(&pid, program, NULL, NULL, argv, environ);
	return ended(pid);
}

/* In a child: none of these comes back. */
static void become(const char *how, const char *program)
{
	char *argv[] = { (char *)program, NULL }, *nothing[] = { NULL };

	if (!strcmp(how, "execl"))
		execl(program, program, NULL);
	else if (!strcmp(how, "execlp"))
		execlp(program, program, NULL);
	else if (!strcmp(how, "execle"))
		execle(program, program, NULL, nothing);
	else if (!strcmp(how, "execv"))
		execv(program, argv);
	else if (!strcmp(how, "execvp"))
		execvp(program, argv);
	else if (!strcmp(how, "execve"))
		execve(program, argv, nothing);
	else if (!strcmp(how, "execvpe"))
		execvpe(program, argv, nothing);
	else if (!strcmp(how, "number"))
		syscall(SYS_execve, program, argv, nothing);
	else if (!strcmp(how, "number-at"))
		syscall(SYS_execveat, AT_FDCWD, program, argv, nothing, 0);
	else if (!strcmp(how, "fexecve"))
		fexecve(open(program, O_RDONLY | O_CLOEXEC), argv, nothing);
	_exit(127);
}

static int start(const char *how, const char *program)
{
	pid_t pid;

	if (!strcmp(how, "system"))
		return system(program);
	if (!strcmp(how, "forgetful")) {
		unsetenv("LD_PRELOAD");
		return system(program);
	}
	if (!strcmp(how, "popen"))
		return by_popen(program);
	if (!strncmp(how, "spawn", 5))
		return by_spawn(program, how[5] == 'p');
	pid = fork();
	if (!pid)
		become(how, program);
	return ended(pid);
}

int main(int argc, char **argv)
{
	int late = argc > 3, status = late ? 0 : start(argv[1], argv[2]);
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	if (late)
		status = start(argv[1], argv[2]);
	atomic_load(&x);
	pthread_join(thread, NULL);
	return status != 0;
}

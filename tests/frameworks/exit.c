/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exit.c - ends in one of the ways there are
 *
 *	exit WHO HOW STATUS	WHO: early (before there are threads), main, thread
 *
 * A line is written to the standard output first, which is still in the buffer when it ends.
 */
#define _GNU_SOURCE
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *who, *how;
static int status;

static void leave_by_handler(void)
{
	_exit(status);
}

static void leave(void)
{
	printf("it ends by %s\n", how);
	if (!strcmp(how, "exit"))
		exit(status);
	if (!strcmp(how, "_exit"))
		_exit(status);
	if (!strcmp(how, "_Exit"))
		_Exit(status);
	if (!strcmp(how, "quick_exit"))
		quick_exit(status);
	if (!strcmp(how, "err"))
		err(status, "that was that");
	if (!strcmp(how, "error"))
		error(status, 0, "that was that");
	if (!strcmp(how, "exit_group"))
		syscall(SYS_exit_group, status);
	if (!strcmp(how, "handler")) {
		atexit(leave_by_handler);
		exit(0);
	}
}

static void *run(void *arg)
{
	if (!strcmp(who, "thread"))
		leave();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 4)
		return 2;
	who = argv[1];
	how = argv[2];
	status = atoi(argv[3]);
	if (!strcmp(who, "early") && strcmp(how, "return"))
		leave();
	if (strcmp(who, "early")) {
		pthread_create(&thread, NULL, run, NULL);
		pthread_join(thread, NULL);
	}
	if (strcmp(how, "return"))
		leave();
	return status;
}

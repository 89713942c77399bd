/* SPDX-License-Identifier: BSD-2-Clause */
/* truncate.c - cuts off the memory that its parent shares with it: to be found among the parent's descriptors */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MOST = 64
};

static pid_t parent; /* getppid() says something else in each run natively, and the same one here */

static int cut(int fd)
{
	char path[64], name[256] = "";
	int opened, done;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", parent, fd);
	if (readlink(path, name, sizeof(name) - 1) < 0 || !strstr(name, "memfd:heddle"))
		return 0;
	opened = open(path, O_RDWR);
	if (opened < 0)
		return 0;
	done = ftruncate(opened, 0) == 0;
	close(opened);
	fprintf(stderr, "%s: %s\n", name, done ? "cut" : "kept");
	return done;
}

static void *cut_all(void *arg)
{
	int n = 0;

	for (int fd = 0; fd < MOST; fd++)
		n += cut(fd);
	if (n)
		abort();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	parent = (pid_t)(argc > 1 ? strtol(argv[1], NULL, 10) : 0);
	pthread_create(&t, NULL, cut_all, NULL);
	return pthread_join(t, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * service.c - a program that asks libc or the kernel for a service beside its threads
 *
 *	service CALL [early]	the call by its name, in a thread, or before there is one
 */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

static const char *call;

static int asked_for(const char *name)
{
	return !strcmp(call, name);
}

static void *serve(void *arg)
{
	char byte;
	struct aiocb block = { .aio_fildes = 0, .aio_buf = &byte, .aio_nbytes = 1 };
	struct aiocb *blocks[1] = { &block };

	if (asked_for("aio_read"))
		aio_read(&block);
	else if (asked_for("aio_write"))
		aio_write(&block);
	else if (asked_for("aio_fsync"))
		aio_fsync(O_SYNC, &block);
	else if (asked_for("lio_listio"))
		lio_listio(LIO_WAIT, blocks, 0, NULL);
	else if (asked_for("getaddrinfo_a"))
		getaddrinfo_a(GAI_WAIT, NULL, 0, NULL);
	else if (asked_for("mq_open"))
		mq_open("/heddle-service", O_RDONLY);
	else if (asked_for("msgget"))
		msgget(IPC_PRIVATE, 0);
	else if (asked_for("semget"))
		semget(IPC_PRIVATE, 1, 0);
	else
		fprintf(stderr, "service: no such call: %s\n", call);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	call = argc > 1 ? argv[1] : "";
	if (argc > 2)
		serve(NULL);
	pthread_create(&t, NULL, serve, NULL);
	return pthread_join(t, NULL);
}

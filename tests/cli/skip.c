/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skip.c - a test that exits with STATUS
 *
 *	skip STATUS early	before it has a thread
 *	skip STATUS late	behind its end
 *	skip STATUS racy	likewise, behind a data race, where the thread was seen
 *	skip STATUS seen	when the thread was seen, and else with 0
 *	skip STATUS unseen	when it was not
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int done;
static int plain;

static void *work(void *racy)
{
	atomic_store(&done, 1);
	if (racy)
		plain = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	int status = argc > 2 ? atoi(argv[1]) : 2, seen;
	const char *when = argc > 2 ? argv[2] : "";
	pthread_t thread;

	if (!strcmp(when, "early"))
		return status;
	pthread_create(&thread, NULL, work, strcmp(when, "racy") ? NULL : &plain);
	seen = atomic_load(&done);
	if (!strcmp(when, "racy") && seen)
		plain = 2;
	pthread_join(thread, NULL);
	if (!strcmp(when, "seen"))
		return seen ? status : 0;
	if (!strcmp(when, "unseen"))
		return seen ? 0 : status;
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boop.c - a driver that is opened by T threads and unloaded by one, after SV-COMP's 27_Boop
 *
 * Who opens it counts a user, and takes the driver if nobody has it. The other thread waits until it was taken,
 * gives it up and looks whether users are left. Each loop has U rounds at most.
 *
 * -DT=threads that open, -DU=rounds
 */
#include "threads.h"

#ifndef T
#define T 3
#endif
#ifndef U
#define U 2
#endif
static atomic_int users, held, taken, ready;

static int comes(atomic_int *flag)
{
	for (int i = 0; i < U; i++)
		if (atomic_load(flag))
			return 1;
	return 0;
}

static void *opens(void *arg)
{
	if (!comes(&ready))
		return arg;
	atomic_store(&users, atomic_load(&users) + 1);
	if (atomic_load(&held))
		return arg;
	atomic_store(&held, 1);
	atomic_store(&taken, 1);
	return arg;
}

static void *unloads(void *arg)
{
	atomic_store(&users, 0);
	atomic_store(&held, 0);
	atomic_store(&ready, 1);
	if (!comes(&taken))
		return arg;
	atomic_store(&users, atomic_load(&users) - 1);
	atomic_store(&held, 0);
	(void)atomic_load(&users);
	return arg;
}

int main(void)
{
	pthread_t t[T + 1];

	begin_all(t, 1, unloads);
	begin_all(t + 1, T, opens);
	join_all(t, T + 1);
	return 0;
}

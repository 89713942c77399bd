/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bank8.c - eight threads that move money between eight accounts
 *
 * The locks of two accounts are taken in the order of their numbers, but for the way back from the last one to the
 * first: the circle of all eight is a deadlock, and so are no two of them alone.
 */
#include "threads.h"

enum {
	ACCOUNTS = 8
};

static struct account {
	pthread_mutex_t lock;
	int balance;
} account[ACCOUNTS];

static void move(int from, int to)
{
	int first = from, second = to;

#ifdef FIXED
	if (first > second) {
		first = to;
		second = from;
	}
#endif
	pthread_mutex_lock(&account[first].lock);
	pthread_mutex_lock(&account[second].lock);
	account[from].balance--;
	account[to].balance++;
	pthread_mutex_unlock(&account[second].lock);
	pthread_mutex_unlock(&account[first].lock);
}

static void customer(int self)
{
	move(self, (self + 1) % ACCOUNTS);
}

int main(void)
{
	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_init(&account[i].lock, NULL);
	run_threads(ACCOUNTS, customer);
	return 0;
}

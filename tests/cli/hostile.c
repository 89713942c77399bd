/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile.c - a program that does what its argument says, mostly something bad
 *
 * Where it can, the bad thing happens only when thread 1 has read what main wrote, so that an
 * execution has to be found and repeated for it.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

int shared_int;
static atomic_int flag, counter;
static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static const char *what;

static int grow(int n)
{
	volatile char block[4096];

	block[0] = (char)n;
	return n < 0 ? 0 : grow(n + 1) + block[0];
}

/* All of the stack from here up: nobody finds the way back. */
static void smash(void)
{
	char block[16];

	memset(block, 'A', 64 << 20);
	__asm__ volatile("" : : "r"(block) : "memory");
}

/* A list that has become a ring. */
static void cycle(void)
{
	static struct node {
		struct node *next;
		int value;
	} a, b;
	struct node *volatile p;
	volatile int sum = 0;

	a.next = &b;
	b.next = &a;
	for (p = &a; p; p = p->next)
		sum += p->value;
}

static void spin(void)
{
	for (;;)
		__asm__ volatile("");
}

/* As no function of libc does it. */
static void leave_unseen(long status)
{
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
}

/* Where heddle keeps what it shares with the controller. */
static void write_wildly(void)
{
	memset((void *)(0x200000000000ul + 8), 0x5a, 256);
	*(volatile int *)8 = 1;
}

/* All that heddle keeps at its start, or the state of the exploration, or its list of bugs. */
static void write_all_over(void)
{
	char *at = (char *)0x200000000000ul;

	if (!strcmp(what, "wild-engine"))
		memset(at + (1ul << 30), 0x5a, 1 << 14);
	else if (!strcmp(what, "wild-text"))
		memset(at + 8, 0xf7, 1 << 20);
	else
		memset(at, 0xa5, 4 << 20);
}

static void on_flag(void)
{
	if (!strcmp(what, "segv"))
		*(volatile int *)8 = 1;
	else if (!strcmp(what, "kill"))
		syscall(SYS_kill, getpid(), SIGKILL);
	else if (!strcmp(what, "overflow"))
		shared_int = grow(0);
	else if (!strcmp(what, "abort"))
		abort();
	else if (!strcmp(what, "exit"))
		exit(3);
	else if (!strcmp(what, "leave"))
		leave_unseen(7);
	else if (!strcmp(what, "wild"))
		write_wildly();
	else if (!strncmp(what, "wild-", 5))
		write_all_over();
	else if (!strcmp(what, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	else if (!strcmp(what, "execvp"))
		execvp("true", (char *[]){ (char *)"true", NULL });
	else if (!strcmp(what, "spin"))
		spin();
	else if (!strcmp(what, "cycle"))
		cycle();
	else if (!strcmp(what, "smash"))
		smash();
}

static void *second(void *arg)
{
	char line[16] = "";

	if (!strcmp(what, "race")) {
		shared_int = 1;
	} else if (!strcmp(what, "deadlock")) {
		pthread_mutex_lock(&m2);
		pthread_mutex_lock(&m1);
		pthread_mutex_unlock(&m1);
		pthread_mutex_unlock(&m2);
	} else if (!strcmp(what, "close")) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	} else if (!strcmp(what, "input")) {
		assert(!fgets(line, sizeof(line), stdin));
	} else if (!strcmp(what, "long")) {
		for (int i = 0; i < 14; i++)
			atomic_fetch_add(&counter, 1);
	} else if (atomic_load(&flag)) {
		on_flag();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "spin-early"))
		spin();
	if (!strcmp(what, "sleep-early"))
		return epoll_wait(epoll_create1(0), &(struct epoll_event){ 0 }, 1, -1);
	if (!strcmp(what, "exec-early"))
		execl("/bin/true", "true", (char *)NULL);
	pthread_create(&t, NULL, second, NULL);
	atomic_store(&flag, 1);
	if (!strcmp(what, "race")) {
		shared_int = 2;
	} else if (!strcmp(what, "deadlock")) {
		pthread_mutex_lock(&m1);
		pthread_mutex_lock(&m2);
		pthread_mutex_unlock(&m2);
		pthread_mutex_unlock(&m1);
	} else if (!strcmp(what, "long")) {
		for (int i = 0; i < 14; i++)
			atomic_fetch_add(&counter, 1);
	}
	pthread_join(t, NULL);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * membarrier.c - a fence on every thread, which is not explored: it is not there, and never taken for nothing
 *
 * case asked_for: ok 3
 * case asked_for_before_threads: ok 3
 * case asked_for_in_vain: bug assertion
 * case not_asked_for: refused membarrier(), a fence on every thread
 * case registered_before_threads: refused membarrier(), a fence on every thread
 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

static atomic_int x, y;
static int seen;
static bool heavy; /* the kernel does it for both */

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static void light_fence(void)
{
	if (heavy)
		atomic_signal_fence(memory_order_seq_cst);
	else
		atomic_thread_fence(memory_order_seq_cst);
}

static void *reads(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	light_fence();
	seen = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

/* Store buffering with one fence that is cheap, and one that is dear. */
static int one_of_both(void)
{
	int saw;
	pthread_t t;

	pthread_create(&t, NULL, reads, NULL);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	if (heavy)
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	else
		atomic_thread_fence(memory_order_seq_cst);
	saw = atomic_load_explicit(&x, memory_order_relaxed);
	pthread_join(t, NULL);
	return saw + seen;
}

/* As libraries do. */
static void choose(void)
{
	long commands = membarrier(MEMBARRIER_CMD_QUERY);

	heavy = commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) &&
		membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

static void *chooses(void *arg)
{
	choose();
	return arg;
}

static void asked_for(void)
{
	THREADS(1, chooses);
	assert(one_of_both());
}

static void asked_for_before_threads(void)
{
	choose();
	assert(one_of_both());
}

/* Whoever does without a fence is told what that does. */
static void *reads_without(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	seen = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static void asked_for_in_vain(void)
{
	pthread_t t;
	int saw;

	choose();
	pthread_create(&t, NULL, reads_without, NULL);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	saw = atomic_load_explicit(&x, memory_order_relaxed);
	pthread_join(t, NULL);
	assert(saw + seen); /* bug: asked_for_in_vain */
}

static void not_asked_for(void)
{
	heavy = true;
	one_of_both();
}

static void registered_before_threads(void)
{
	heavy = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
	one_of_both();
}

CASES(CASE(asked_for), CASE(asked_for_before_threads), CASE(asked_for_in_vain), CASE(not_asked_for),
      CASE(registered_before_threads))

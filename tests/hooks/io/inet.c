/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inet.c - addresses of the Internet as text: what the functions return, and what they access
 *
 * case what_each_returns: ok 1
 * case no_more_than_the_address: ok 1
 * case in_order: ok 2
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case a_text_behind_the_end: bug out-of-bounds at IN_THREAD(a_text_behind_the_end,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case inet_pton_reads: bug data-race at RACE(inet_pton_reads,
 * case inet_pton_writes: bug data-race at RACE(inet_pton_writes,
 * case inet_pton_6_writes: bug data-race at RACE(inet_pton_6_writes,
 * case inet_ntop_reads: bug data-race at RACE(inet_ntop_reads,
 * case inet_ntop_writes: bug data-race at RACE(inet_ntop_writes,
 * case inet_aton_reads: bug data-race at RACE(inet_aton_reads,
 * case inet_aton_writes: bug data-race at RACE(inet_aton_writes,
 * case inet_addr_reads: bug data-race at RACE(inet_addr_reads,
 *
 * ways inet_ntop: EAFNOSUPPORT ENOSPC
 * ways inet_pton: EAFNOSUPPORT
 * never fails: inet_addr inet_aton
 *
 * case inet_ntop_EAFNOSUPPORT: ok 1
 * case inet_ntop_ENOSPC: ok 1
 * case inet_ntop_ENOSPC_of_6: ok 1
 * case inet_pton_EAFNOSUPPORT: ok 1
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

static char text[100] = "10.20.30.40";
static unsigned char address[20] = { 1, 2, 3, 4 };
static _Thread_local volatile int sink;

static void *check(void *arg)
{
	unsigned char b[16] = { 0 };
	struct in_addr in = { 0 };
	char own[50] = "";

	assert(inet_pton(AF_INET, "1.2.3.4", b) == 1 && b[0] == 1 && b[3] == 4 && !b[4]);
	assert(inet_ntop(AF_INET, b, own, sizeof(own)) == own && !strcmp(own, "1.2.3.4"));
	assert(inet_pton(AF_INET, "1.2.3", b) == 0 && inet_pton(AF_INET6, "x", b) == 0);
	assert(inet_pton(AF_INET6, "::102", b) == 1 && b[14] == 1 && b[15] == 2);
	assert(inet_ntop(AF_INET6, b, own, sizeof(own)) == own && !strcmp(own, "::102"));
	assert(inet_aton("1.2.3.4", &in) && in.s_addr == htonl(0x01020304));
	assert(!inet_aton("x", &in) && inet_addr("1.2.3.4") == htonl(0x01020304));
	assert(inet_addr("x") == INADDR_NONE);
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

static void *write_or_convert(void *arg)
{
	if (arg) {
		address[4] = text[8] = 1;
	} else {
		assert(inet_ntop(AF_INET, address, text, sizeof(text)) == text);
		assert(inet_pton(AF_INET, "1.2.3.4", address) == 1);
		assert(inet_pton(AF_INET6, "x", address) == 0);
		assert(!inet_ntop(AF_INET, address, text, 3));
	}
	return NULL;
}

static void no_more_than_the_address(void)
{
	THREADS(2, write_or_convert);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *convert_or_look(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		assert(inet_pton(AF_INET, text, address) == 1);
	else
		assert(address[0] == 1 || address[3] == 40);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, convert_or_look);
}

#define IN_THREAD(name, call) DO_IN_THREAD(name, sink = (call) != 0)

IN_THREAD(behind_the_end, inet_pton(AF_INET6, "::1", hide(malloc(15))))
IN_THREAD(a_text_behind_the_end, inet_ntop(AF_INET, address, hide(malloc(7)), 16))
IN_THREAD(of_a_freed_block, inet_ntop(AF_INET, freed(4), text, 16))

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		unsigned char own[16] = { 0 };   \
		struct in_addr in = { own[0] };  \
		char to[50];                     \
                                                 \
		(void)to;                        \
		(void)in;                        \
		if (arg)                         \
			access;                  \
		else                             \
			sink = (call) != 0;      \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}

RACE(inet_pton_reads, inet_pton(AF_INET, text, own), text[11] = 0)
RACE(inet_pton_writes, inet_pton(AF_INET, "1.2.3.4", address), sink = address[3])
RACE(inet_pton_6_writes, inet_pton(AF_INET6, "::1", address), sink = address[15])
RACE(inet_ntop_reads, inet_ntop(AF_INET, address, to, 50), address[3] = 1)
RACE(inet_ntop_writes, inet_ntop(AF_INET, address, text, 8), sink = text[7])
RACE(inet_aton_reads, inet_aton(text, &in), text[11] = 0)
RACE(inet_aton_writes, inet_aton("1.2.3.4", (struct in_addr *)(void *)address), sink = address[3])
RACE(inet_addr_reads, inet_addr(text), text[11] = 0)

/* --- how they fail ---------------------------------------------------------------------------- */

static const unsigned char long_address[16] = { 100, 100, 100, 100 };
static char written[100];

EACH_NONE(inet_ntop_EAFNOSUPPORT, EAFNOSUPPORT, inet_ntop(AF_UNIX, long_address, written, 100))
EACH_NONE(inet_ntop_ENOSPC, ENOSPC, inet_ntop(AF_INET, long_address, written, 15))
EACH_NONE(inet_ntop_ENOSPC_of_6, ENOSPC, inet_ntop(AF_INET6, long_address, written, 5))
EACH_FAILS(inet_pton_EAFNOSUPPORT, EAFNOSUPPORT, inet_pton(AF_UNIX, written, address))

CASES(CASE(what_each_returns), CASE(no_more_than_the_address), CASE(in_order), CASE(behind_the_end),
      CASE(a_text_behind_the_end), CASE(of_a_freed_block), CASE(inet_pton_reads),
      CASE(inet_pton_writes), CASE(inet_pton_6_writes), CASE(inet_ntop_reads),
      CASE(inet_ntop_writes), CASE(inet_aton_reads), CASE(inet_aton_writes), CASE(inet_addr_reads),
      CASE(inet_ntop_EAFNOSUPPORT), CASE(inet_ntop_ENOSPC), CASE(inet_ntop_ENOSPC_of_6),
      CASE(inet_pton_EAFNOSUPPORT))

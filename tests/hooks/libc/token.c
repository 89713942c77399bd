/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * token.c - strtok(), strsep() and their kin: what they return, and what they access
 *
 * case what_each_returns: ok 1
 * case tokens_end_where_they_end: ok 1
 * case each_its_own: ok 1
 * case in_order: ok 6
 * case strtok_begins_again: ok 2
 * case in_a_loop_that_waits: ok 5
 * case unterminated: bug out-of-bounds at IN_THREAD(unterminated,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case strtok_in_two_threads: bug data-race at sink = strtok
 * case strtok_reads: bug data-race at RACE(strtok_reads,
 * case strtok_cuts: bug data-race at RACE(strtok_cuts,
 * case strtok_r_reads: bug data-race at RACE(strtok_r_reads,
 * case strtok_r_cuts: bug data-race at RACE(strtok_r_cuts,
 * case strtok_r_next: bug data-race at RACE(strtok_r_next,
 * case strtok_r_reads_next: bug data-race at RACE(strtok_r_reads_next,
 * case strtok_r_ends: bug data-race at RACE(strtok_r_ends,
 * case internal_reads: bug data-race at RACE(internal_reads,
 * case strsep_reads: bug data-race at RACE(strsep_reads,
 * case strsep_cuts: bug data-race at RACE(strsep_cuts,
 * case strsep_next: bug data-race at RACE(strsep_next,
 * case strcasestr_reads: bug data-race at RACE(strcasestr_reads,
 * case strcasestr_reads_what: bug data-race at RACE(strcasestr_reads_what,
 * case strcoll_reads: bug data-race at RACE(strcoll_reads,
 * case strcoll_reads_the_other: bug data-race at RACE(strcoll_reads_the_other,
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"
#include "hooks/blocks.h"
#include "hooks/threads.h"

char *__strtok_r(char *s, const char *ends, char **next);

static char text[100] = "ab cd;ef";
static char *next = text;
static char ends[8] = " ";
static _Thread_local volatile int sink;

static void *check(void *arg)
{
	char s[] = "  one, two,,", *at = NULL, *p = s;

	assert(strtok_r(s, " ,", &at) == s + 2 && !strcmp(s + 2, "one"));
	assert(strtok_r(NULL, ",", &at) == s + 6 && !strcmp(s + 6, " two"));
	assert(!__strtok_r(NULL, ",", &at) && !strtok_r(NULL, ",", &at));
	memcpy(s, "a;;b", 5);
	assert(strsep(&p, ";") == s && p == s + 2 && strsep(&p, ";") == s + 2 && !s[2]);
	assert(strsep(&p, ";") == s + 3 && !p && !strsep(&p, ";"));
	memcpy(s, "x y", 4);
	assert(strtok(s, " ") == s && strtok(NULL, " ") == s + 2 && !strtok(NULL, " "));
	p = hide("abCDe");
	assert(strcasestr(p, "cd") == p + 2 && !strcasestr(p, "dc") && strcasestr(p, "") == p);
	assert(!strcoll(p, "abCDe") && strcoll(p, "abD") < 0 && strcoll("b", p) > 0);
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

/* One thread writes bytes 6 and 7, the other takes the tokens before. */
static void *write_or_take(void *arg)
{
	char *at, *p = text;

	if (arg) {
		text[6] = 'x';
		text[7] = 'y';
		return NULL;
	}
	assert(strcasestr(text, "CD") == text + 3);
	assert(strtok_r(text, " ", &at) == text && strtok_r(NULL, ";", &at) == text + 3);
	assert(strsep(&p, " ") == text && !p);
	return NULL;
}

static void tokens_end_where_they_end(void)
{
	THREADS(2, write_or_take);
}

static void *take_half(void *arg)
{
	char *at, *half = text + 4 * (long)arg;

	half[3] = 0;
	assert(strtok_r(half, " ", &at) && strtok_r(NULL, " ", &at) == half + 2);
	return NULL;
}

static void each_its_own(void)
{
	strcpy(text, "a b.c d.");
	THREADS(2, take_half);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take_next(void *arg)
{
	const char *token;

	pthread_mutex_lock(&mutex);
	token = strsep(&next, " ;");
	assert(token && strlen(token) == 2);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void in_order(void)
{
	THREADS(3, take_next);
	assert(!next && !strcmp(text + 6, "ef"));
}

/* What strtok() keeps must be what it was, before each execution. */
static void *take_token(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(strtok(NULL, " ;"));
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void strtok_begins_again(void)
{
	assert(strtok(text, " ;") == text);
	THREADS(2, take_token);
	assert(!strtok(NULL, " ;"));
}

static atomic_int flag;

static void *take_until(void *arg)
{
	int n = 0;

	while (!atomic_load(&flag) && n < 3) {
		assert(strsep(&next, " ;") == text + 3 * n);
		n++;
	}
	assert(next == (n == 3 ? NULL : text + 3 * n));
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(take_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, char *at; (void)at; sink = call != NULL)

static char *filled(void)
{
	char *p = hide(malloc(4));

	memset(p, 'x', 4);
	return p;
}

IN_THREAD(unterminated, strtok_r(filled(), " ", &at))
IN_THREAD(of_a_freed_block, strtok_r(freed(8), " ", &at))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		char *at = NULL, *p = text;      \
                                                 \
		(void)at;                        \
		(void)p;                         \
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

static void *tokens_of_own(void *arg)
{
	char own[] = "a b";

	sink = strtok(own, " ") && strtok(NULL, " ");
	return arg;
}

static void strtok_in_two_threads(void)
{
	THREADS(2, tokens_of_own);
}

RACE(strtok_reads, strtok(text, " "), text[1] = 'x')
RACE(strtok_cuts, strtok(text, " "), sink = text[2])
RACE(strtok_r_reads, strtok_r(text, " ", &at), text[1] = 'x')
RACE(strtok_r_cuts, strtok_r(text, " ", &at), sink = text[2])
RACE(strtok_r_next, strtok_r(text, " ", &next), sink = next != NULL)
RACE(strtok_r_reads_next, strtok_r(NULL, "", &next), next = NULL)
RACE(strtok_r_ends, strtok_r(text, ends, &at), ends[0] = ';')
RACE(internal_reads, __strtok_r(text, " ", &at), text[1] = 'x')
RACE(strsep_reads, strsep(&p, " "), text[1] = 'x')
RACE(strsep_cuts, strsep(&p, " "), sink = text[2])
RACE(strsep_next, strsep(&next, " "), sink = next != NULL)
RACE(strcasestr_reads, strcasestr(text, "xy"), text[8] = 'x')
RACE(strcasestr_reads_what, strcasestr("abc", ends), ends[0] = ';')
RACE(strcoll_reads, strcoll(text, "x"), text[8] = 'x')
RACE(strcoll_reads_the_other, strcoll("x", text), text[8] = 'x')

CASES(CASE(what_each_returns), CASE(tokens_end_where_they_end), CASE(each_its_own), CASE(in_order),
      CASE(strtok_begins_again), CASE(in_a_loop_that_waits), CASE(unterminated),
      CASE(of_a_freed_block), CASE(strtok_in_two_threads), CASE(strtok_reads), CASE(strtok_cuts),
      CASE(strtok_r_reads), CASE(strtok_r_cuts), CASE(strtok_r_next), CASE(strtok_r_reads_next),
      CASE(strtok_r_ends), CASE(internal_reads), CASE(strsep_reads), CASE(strsep_cuts),
      CASE(strsep_next), CASE(strcasestr_reads), CASE(strcasestr_reads_what), CASE(strcoll_reads),
      CASE(strcoll_reads_the_other))

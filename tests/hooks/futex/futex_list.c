/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_list.c - lists of robust futexes: what becomes of the words when their thread ends
 *
 * case owner_died: ok 1
 * case several_words: ok 1
 * case words_of_others_stay: ok 1
 * case the_one_that_is_pending: ok 1
 * case the_one_that_was_left: ok 4
 * case a_list_without_end: ok 1
 * case a_list_that_leads_nowhere: ok 1
 * case sleepers_are_woken: ok * (loops as compiled)
 * case sleepers_are_not_woken_privately: bug deadlock at end(begin(await_privately
 * case sleepers_who_do_not_say_so_are_not_woken: bug deadlock at end(begin(await_silently, NULL))
 * case one_sleeper_of_two_is_woken: bug deadlock
 * case what_is_not_in_the_list_stays: bug deadlock at end(begin(await_shared, NULL))
 * case what_the_owner_did_is_seen: ok 3
 * case with_priority_inheritance: ok 2
 * case with_priority_inheritance_later: ok 1
 * case lists_are_given_back: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

struct lock {
	struct robust_list entry;
	atomic_uint word;
};

static struct lock lock, another;
int data; /* not static: see futex.c */

#define futex(w, op, val) syscall(SYS_futex, w, op, val, NULL, NULL, 0)

/* Of the thread that asks: empty at first. */
static struct robust_list_head *my_list(void)
{
	static _Thread_local struct robust_list_head head;

	head.list.next = &head.list;
	head.futex_offset = offsetof(struct lock, word);
	head.list_op_pending = NULL;
	assert(syscall(SYS_set_robust_list, &head, sizeof(head)) == 0);
	return &head;
}

static void enlist(struct robust_list_head *head, struct lock *l, unsigned long inherits)
{
	l->entry.next = head->list.next;
	head->list.next = (struct robust_list *)((uintptr_t)&l->entry | inherits);
}

static void take(struct lock *l)
{
	unsigned c = 0;

	assert(atomic_compare_exchange_strong(&l->word, &c, (unsigned)gettid()));
}

static void *take_and_end(void *arg)
{
	struct robust_list_head *head = my_list();

	take(&lock);
	data = 1;
	enlist(head, &lock, 0);
	return arg;
}

static void owner_died(void)
{
	THREADS(1, take_and_end);
	assert(atomic_load(&lock.word) == FUTEX_OWNER_DIED);
}

static void *take_both_and_end(void *arg)
{
	struct robust_list_head *head = my_list();

	take(&lock);
	take(&another);
	enlist(head, &lock, 0);
	enlist(head, &another, 0);
	atomic_fetch_or(&lock.word, FUTEX_WAITERS);
	return arg;
}

static void several_words(void)
{
	THREADS(1, take_both_and_end);
	assert(atomic_load(&lock.word) == (FUTEX_OWNER_DIED | FUTEX_WAITERS));
	assert(atomic_load(&another.word) == FUTEX_OWNER_DIED);
}

static void *list_what_is_not_mine(void *arg)
{
	struct robust_list_head *head = my_list();

	enlist(head, &lock, 0);
	enlist(head, &another, 0);
	return arg;
}

static void words_of_others_stay(void)
{
	take(&lock);
	THREADS(1, list_what_is_not_mine);
	assert(atomic_load(&lock.word) == (unsigned)gettid());
	assert(atomic_load(&another.word) == 0);
}

static void *end_while_taking(void *arg)
{
	my_list()->list_op_pending = &lock.entry;
	take(&lock);
	return arg;
}

static void the_one_that_is_pending(void)
{
	THREADS(1, end_while_taking);
	assert(atomic_load(&lock.word) == FUTEX_OWNER_DIED);
}

static void *sleep_once(void *arg)
{
	unsigned seen = atomic_load(&lock.word);

	if (seen)
		futex(&lock.word, FUTEX_WAIT, seen);
	return arg;
}

/* It has stored 0, and was to wake somebody. */
static void *end_while_leaving(void *arg)
{
	my_list()->list_op_pending = &lock.entry;
	atomic_store(&lock.word, 0);
	return arg;
}

static void the_one_that_was_left(void)
{
	pthread_t t[2];

	atomic_store(&lock.word, 1);
	t[0] = begin(sleep_once, NULL);
	t[1] = begin(end_while_leaving, NULL);
	end(t[0]);
	end(t[1]);
}

static void *end_with_a_circle(void *arg)
{
	struct robust_list_head *head = my_list();

	take(&lock);
	take(&another);
	head->list.next = &lock.entry;
	lock.entry.next = &another.entry;
	another.entry.next = &lock.entry;
	return arg;
}

static void a_list_without_end(void)
{
	THREADS(1, end_with_a_circle);
	assert(atomic_load(&lock.word) == FUTEX_OWNER_DIED);
	assert(atomic_load(&another.word) == FUTEX_OWNER_DIED);
}

static void *end_with_a_wild_one(void *arg)
{
	struct robust_list_head *head = my_list();

	take(&lock);
	take(&another);
	head->list.next = &lock.entry;
	lock.entry.next = (struct robust_list *)8;
	return arg;
}

static void a_list_that_leads_nowhere(void)
{
	THREADS(1, end_with_a_wild_one);
	assert(atomic_load(&lock.word) == FUTEX_OWNER_DIED);
	assert((atomic_load(&another.word) & FUTEX_OWNER_DIED) == 0);
}

/* ---- Those who sleep ---- */

static void *await_word(int op, unsigned waiters)
{
	unsigned seen = 0;

	while (!atomic_compare_exchange_strong(&lock.word, &seen, (unsigned)gettid())) {
		if (seen & FUTEX_OWNER_DIED) {
			if (atomic_compare_exchange_strong(&lock.word, &seen, (unsigned)gettid()))
				break;
		} else if ((seen & waiters) == waiters ||
			   atomic_compare_exchange_strong(&lock.word, &seen, seen | waiters)) {
			futex(&lock.word, op, seen | waiters);
		}
		seen = 0;
	}
	assert(data <= 1);
	atomic_store(&lock.word, 0);
	return NULL;
}

static void *await_shared(void *arg)
{
	(void)arg;
	return await_word(FUTEX_WAIT, FUTEX_WAITERS);
}

static void sleepers_are_woken(void)
{
	pthread_t t[2] = { begin(take_and_end, NULL), 0 };

	while (!atomic_load(&lock.word))
		;
	t[1] = begin(await_shared, NULL);
	end(t[0]);
	end(t[1]);
}

static void *await_privately(void *arg)
{
	(void)arg;
	return await_word(FUTEX_WAIT_PRIVATE, FUTEX_WAITERS);
}

static void sleepers_are_not_woken_privately(void)
{
	pthread_t t = begin(take_and_end, NULL);

	while (!atomic_load(&lock.word))
		;
	end(begin(await_privately, NULL));
	end(t);
}

static void *await_silently(void *arg)
{
	(void)arg;
	return await_word(FUTEX_WAIT, 0);
}

static void sleepers_who_do_not_say_so_are_not_woken(void)
{
	pthread_t t = begin(take_and_end, NULL);

	while (!atomic_load(&lock.word))
		;
	end(begin(await_silently, NULL));
	end(t);
}

static void one_sleeper_of_two_is_woken(void)
{
	pthread_t t[2], owner = begin(take_and_end, NULL);

	while (!atomic_load(&lock.word))
		;
	t[0] = begin(sleep_once, NULL);
	t[1] = begin(sleep_once, NULL);
	atomic_fetch_or(&lock.word, FUTEX_WAITERS);
	end(owner);
	end(t[0]); /* bug: one_sleeper_of_two_is_woken */
	end(t[1]);
}

static void *take_and_say_nothing(void *arg)
{
	my_list();
	take(&lock);
	return arg;
}

static void what_is_not_in_the_list_stays(void)
{
	THREADS(1, take_and_say_nothing);
	end(begin(await_shared, NULL));
}

static void *look_at_data(void *arg)
{
	if (atomic_load(&lock.word) == FUTEX_OWNER_DIED)
		assert(data == 1);
	return arg;
}

/* To find that it has ended is to be behind all it did. */
static void what_the_owner_did_is_seen(void)
{
	pthread_t t[2] = { begin(take_and_end, NULL), begin(look_at_data, NULL) };

	end(t[0]);
	end(t[1]);
}

/* ---- With priority inheritance ---- */

static atomic_uint taken;

static void *lock_and_end(void *arg)
{
	struct robust_list_head *head = my_list();

	assert(futex(&lock.word, FUTEX_LOCK_PI, 0) == 0);
	enlist(head, &lock, 1);
	atomic_store(&taken, 1);
	return arg;
}

static void *lock_behind(void *arg)
{
	while (!atomic_load(&taken))
		;
	assert(futex(&lock.word, FUTEX_LOCK_PI, 0) == 0);
	assert((atomic_load(&lock.word) & ~FUTEX_WAITERS) ==
	       (FUTEX_OWNER_DIED | (unsigned)gettid()));
	assert(futex(&lock.word, FUTEX_UNLOCK_PI, 0) == 0);
	assert(atomic_load(&lock.word) == 0);
	return arg;
}

static void with_priority_inheritance(void)
{
	pthread_t t[2] = { begin(lock_and_end, NULL), begin(lock_behind, NULL) };

	end(t[0]);
	end(t[1]);
}

static void with_priority_inheritance_later(void)
{
	THREADS(1, lock_and_end);
	assert(atomic_load(&lock.word) == FUTEX_OWNER_DIED);
	lock_behind(NULL);
}

/* ---- The calls ---- */

static void *give_back(void *arg)
{
	struct robust_list_head *head = my_list(), *now = NULL;
	size_t size = 0;

	assert(syscall(SYS_set_robust_list, head, sizeof(*head) - 1) == -1 && errno == EINVAL);
	assert(syscall(SYS_get_robust_list, 0, &now, &size) == 0);
	assert(now == head && size == sizeof(*head));
	assert(syscall(SYS_get_robust_list, gettid(), &now, &size) == 0 && now == head);
	assert(syscall(SYS_get_robust_list, 0, (void *)8, &size) == -1 && errno == EFAULT);
	return arg;
}

static void lists_are_given_back(void)
{
	give_back(NULL);
	THREADS(1, give_back);
}

CASES(CASE(owner_died), CASE(several_words), CASE(words_of_others_stay),
      CASE(the_one_that_is_pending), CASE(the_one_that_was_left), CASE(a_list_without_end),
      CASE(a_list_that_leads_nowhere), CASE(sleepers_are_woken),
      CASE(sleepers_are_not_woken_privately), CASE(sleepers_who_do_not_say_so_are_not_woken),
      CASE(one_sleeper_of_two_is_woken), CASE(what_is_not_in_the_list_stays),
      CASE(what_the_owner_did_is_seen), CASE(with_priority_inheritance),
      CASE(with_priority_inheritance_later), CASE(lists_are_given_back))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value) one execution is visited for each vector of values, and no bug is lost by that
 *
 * also -O0: other stretches of code lie between the operations
 *
 * case all_write_the_same -e value: ok 1
 * case all_write_the_same -e value -j 2: ok 1
 * case all_write_the_same -e value --backend=fork: ok 1
 * case all_write_the_same -e value -m sc: ok 1
 * case all_write_the_same -e value -m wra: ok 1
 * case two_write_the_same -e value: ok 2
 * case two_write_the_same -e value -j 2: ok 2
 * case two_write_the_same -e value --backend=fork: ok 2
 * case two_write_the_same -e rf: ok 3
 * case plain_is_an_event -e value: ok 2
 * case plain_is_an_event -e value -m ra: ok 2
 * case one_is_ordered -e value: bug data-race at data = 1;
 * case one_is_ordered -e value -m sc: bug data-race at data = 1;
 * case one_is_ordered -e value -m wra -j 2: bug data-race at data = 1;
 * case one_is_ordered -e value --backend=fork: bug data-race at data = 1;
 * case atomic_and_plain -e value: bug data-race
 * case atomic_and_plain -e value -m wra: bug data-race
 * case one_allocates -e value: bug data-race at got = block->value
 * case one_frees -e value: bug use-after-free at one_block->value = 1
 * case one_frees_what_is_to_be_read -e value: bug data-race|use-after-free
 * case one_frees_beside_a_read -e value: bug data-race
 * case one_frees_beside_a_read -e value -m sc: bug data-race
 * case one_frees_beside_a_read -e value -m wra -j 2: bug data-race
 * case one_frees_what_races --plain=explore: bug use-after-free at racing_read = *to_be_read
 * case one_waits_for_long -e value: bug await-stuck
 * case one_waits_for_long -e value -m tso: bug await-stuck
 * case one_comes_too_late -e value: bug await-stuck
 * case one_comes_too_late -e rf: bug await-stuck
 * case one_of_two_ones_stays -e value: bug await-stuck
 * case one_of_two_ones_stays -e rf: bug await-stuck
 * case the_other_one_stays -e value: bug await-stuck at while (atomic_load_explicit(&x, RLX) == 1)
 * case one_behind_five_stays -e value: bug await-stuck at while (atomic_load_explicit(&x, RLX) == 1)
 * case one_and_nothing_stay -e value: bug await-stuck at while (atomic_load_explicit(&x, RLX) == 1)
 * case no_one_stays -e value: ok 2
 * case one_looks_for_ever -e value: bug await-stuck
 * case one_looks_for_ever -e value -m sra: bug await-stuck
 * case adds_up -e value: bug assertion
 * case adds_up -e value -j 2: bug assertion
 * case sleeps -e value: bug assertion
 * case memory_unseen -e value: bug assertion
 * case memory_unseen -e value -m sra -j 2: bug assertion
 * case memory_of_assembly -e value: bug assertion
 * case does_it_at_the_end -e value: ok 2
 * case environment -e value: bug assertion
 * case environment -e value --backend=fork: bug assertion
 * case place_in_a_stream -e value: bug assertion
 * case seldom_does_anything -e value: ok 2
 * case prints -e value: ok 1
 * case begins_with_what_was_read -e value: ok 4
 * case semaphore -e value: ok 2
 * case semaphore -e value --backend=fork: ok 2
 * case semaphore -e rf: ok 6
 * case reader_writer_lock -e value: ok 2
 * case reader_writer_lock -e rf: ok 6
 * case once -e value: ok 4
 * case once -e rf: ok 8
 * case at_barrier -e value: ok 4
 * case at_barrier -e value --backend=fork: ok 4
 * case at_barrier -e rf: ok 12
 * case nobody_else_comes -e value: bug deadlock at pthread_join(t[i]
 * case chooses -e value: ok 14
 * case chooses -e value -m wra --backend=fork: ok 14
 * case chooses -e rf: ok 27
 * case chooses_badly -e value: bug assertion
 * case chooses_badly -e value -m tso -j 2: bug assertion
 * case nobody_posts -e value: bug deadlock at pthread_join(t[i]
 * case nobody_posts -e value -m tso: bug deadlock at pthread_join(t[i]
 * case nearly_all_wait -e value: ok 1
 * case writes_many_words -e value --timeout=20: ok 2
 * case takes_it_often -e value --timeout=20: ok 65
 * case finds_it_soon -e value -n 100: bug assertion
 * case nobody_unlocks -e value: bug deadlock at pthread_join(t[i]
 * without notes: inline assembly stands for what nobody announces
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <heddle.h>

#include "cases.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release

static atomic_int x, flag;
static int data, got = -1;

static void run(int n, void *(*const fn[])(void *))
{
	pthread_t t[4];

	for (int i = 0; i < n; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < n; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

/* ---- Few vectors --------------------------------------------------------------------------------- */

static void *writes_one(void *arg)
{
	atomic_store(&x, 1);
	assert(atomic_load(&x) == 1);
	return arg;
}

/* By reads-from each of three reads any of three writes. */
static void all_write_the_same(void)
{
	THREADS(3, writes_one);
}

static void *raises(void *arg)
{
	atomic_store_explicit(&flag, 1, REL);
	return arg;
}

static void *looks(void *arg)
{
	got = atomic_load_explicit(&flag, ACQ);
	return arg;
}

static void two_write_the_same(void)
{
	run(3, (void *(*const[])(void *)){ raises, raises, looks });
}

static void *writes_data(void *arg)
{
	data = 1;
	return raises(arg);
}

static void *reads_data(void *arg)
{
	if (atomic_load_explicit(&flag, ACQ))
		got = data + 1;
	return arg;
}

/* Neither creation nor join orders the two, and yet they do not race. */
static void plain_is_an_event(void)
{
	run(2, (void *(*const[])(void *)){ writes_data, reads_data });
	assert(got == -1 || got == 2);
}

static void prints(void)
{
	THREADS(3, writes_one);
	printf("%d\n", x);
}

static void *may_return(void *arg)
{
	if (data)
		return arg;
	return looks(arg);
}

static void seldom_does_anything(void)
{
	run(2, (void *(*const[])(void *)){ raises, may_return });
}

static int first;

static void *finds_first(void *arg)
{
	assert(atomic_load_explicit(&x, RLX) == first);
	return arg;
}

static void *begins_another(void *arg)
{
	pthread_t t;

	first = atomic_load_explicit(&flag, RLX);
	*(volatile int *)&x = first;
	assert(pthread_create(&t, NULL, finds_first, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
	return arg;
}

/* What the location holds at first is a matter of another thread's history. */
static void begins_with_what_was_read(void)
{
	run(4, (void *(*const[])(void *)){ raises, raises, looks, begins_another });
}

static sem_t semaphore_of_one;

static void *writes_with_semaphore(void *arg)
{
	sem_wait(&semaphore_of_one);
	atomic_store_explicit(&flag, 1, RLX);
	sem_post(&semaphore_of_one);
	return arg;
}

/* Whoever comes first finds it free, and so does the other one. */
static void semaphore(void)
{
	sem_init(&semaphore_of_one, 0, 1);
	run(3, (void *(*const[])(void *)){ writes_with_semaphore, writes_with_semaphore, looks });
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *writes_with_rwlock(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	atomic_store_explicit(&flag, 1, RLX);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void reader_writer_lock(void)
{
	run(3, (void *(*const[])(void *)){ writes_with_rwlock, writes_with_rwlock, looks });
}

static void raises_flag(void)
{
	raises(NULL);
}

static void *does_once(void *arg)
{
	static pthread_once_t control = PTHREAD_ONCE_INIT;

	pthread_once(&control, raises_flag);
	atomic_store_explicit(&flag, 1, RLX);
	return arg;
}

static void once(void)
{
	run(3, (void *(*const[])(void *)){ does_once, does_once, looks });
}

static pthread_barrier_t barrier;

static void *meets(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	pthread_barrier_wait(&barrier);
	assert(atomic_load_explicit(&x, RLX) == 1); /* from either of two */
	return raises(arg);
}

static void at_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
	run(3, (void *(*const[])(void *)){ meets, meets, looks });
}

static void nobody_else_comes(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
	run(2, (void *(*const[])(void *)){ meets, meets });
}

static void *takes(void *arg)
{
	atomic_store_explicit(&flag, heddle_choose(3) == 2, REL);
	return arg;
}

static void chooses(void)
{
	run(3, (void *(*const[])(void *)){ takes, takes, looks });
}

static void *minds(void *arg)
{
	if (heddle_choose(2) && atomic_load_explicit(&flag, ACQ))
		assert(!heddle_choose(2)); /* bug: chooses_badly */
	return arg;
}

static void chooses_badly(void)
{
	run(2, (void *(*const[])(void *)){ takes, minds });
}

/* ---- Bugs of some executions with the same values ------------------------------------------------- */

/* Whose flag it was is no matter of values. */
static void one_is_ordered(void)
{
	run(3, (void *(*const[])(void *)){ raises, reads_data, writes_data });
}

static void *writes_plain(void *arg)
{
	*(volatile int *)&x = 1; /* bug: atomic_and_plain */
	return arg;
}

static void *reads_once(void *arg)
{
	atomic_load_explicit(&x, RLX);
	return arg;
}

static void atomic_and_plain(void)
{
	run(2, (void *(*const[])(void *)){ reads_once, writes_plain });
}

struct block {
	int value;
};

static struct block *_Atomic shown;

static void *shows(void *arg)
{
	struct block *b = malloc(sizeof(*b));

	b->value = 1;
	atomic_store_explicit(&shown, b, RLX);
	return arg;
}

static void *finds(void *arg)
{
	struct block *block = atomic_load_explicit(&shown, RLX);

	if (block)
		got = block->value;
	return arg;
}

static void one_allocates(void)
{
	run(2, (void *(*const[])(void *)){ shows, finds });
}

static struct block *one_block;

static void *uses_block(void *arg)
{
	one_block->value = 1;
	return raises(arg);
}

static void *frees_block(void *arg)
{
	if (atomic_load_explicit(&flag, ACQ))
		free(one_block); /* bug: one_frees */
	return arg;
}

static void one_frees(void)
{
	one_block = malloc(sizeof(*one_block));
	run(3, (void *(*const[])(void *)){ raises, frees_block, uses_block });
}

static void *writes_two(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	return arg;
}

static void *writes_just_one(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *waits_for_two(void *arg)
{
	while (atomic_load_explicit(&x, RLX) != 2) /* bug: one_waits_for_long */
		;
	return arg;
}

/* It reads 1 in the last round, whether that stays or not. */
static void one_waits_for_long(void)
{
	run(3, (void *(*const[])(void *)){ writes_just_one, waits_for_two, writes_two });
}

static void *writes_two_and_one(void *arg)
{
	atomic_store_explicit(&x, 2, RLX);
	return writes_just_one(arg);
}

static void *waits_for_the_two(void *arg)
{
	while (atomic_load_explicit(&x, RLX) != 2) /* bug: one_comes_too_late */
		;
	return arg;
}

/* The 1 is the last write, though its thread has written something else. */
static void one_comes_too_late(void)
{
	run(2, (void *(*const[])(void *)){ writes_two_and_one, waits_for_the_two });
}

static void *writes_one_and_three(void *arg)
{
	writes_just_one(arg);
	atomic_store_explicit(&x, 3, RLX);
	return arg;
}

static void *waits_till_it_is_not_one(void *arg)
{
	while (atomic_load_explicit(&x, RLX) == 1) /* bug: one_of_two_ones_stays */
		;
	return arg;
}

/* Of two writes of 1 one is followed by another one for certain. */
static void one_of_two_ones_stays(void)
{
	run(3, (void *(*const[])(void *)){ writes_one_and_three, writes_just_one,
					   waits_till_it_is_not_one });
}

/* The same, but the one that is read in the execution that is visited is the one that does not stay. */
static void the_other_one_stays(void)
{
	run(3, (void *(*const[])(void *)){ writes_just_one, writes_one_and_three,
					   waits_till_it_is_not_one });
}

static void *writes_five_and_one(void *arg)
{
	atomic_store_explicit(&x, 5, RLX);
	return writes_just_one(arg);
}

static void one_behind_five_stays(void)
{
	run(3, (void *(*const[])(void *)){ writes_five_and_one, writes_one_and_three,
					   waits_till_it_is_not_one });
}

static void *waits_and_tells(void *arg)
{
	waits_till_it_is_not_one(arg);
	atomic_store_explicit(&flag, 1, RLX);
	return arg;
}

static void *waits_to_be_told(void *arg)
{
	while (!atomic_load_explicit(&flag, RLX))
		;
	return arg;
}

/* Nobody writes to the flag if the one stays. */
static void one_and_nothing_stay(void)
{
	run(4, (void *(*const[])(void *)){ writes_just_one, writes_one_and_three, waits_and_tells,
					   waits_to_be_told });
}

static void no_one_stays(void)
{
	run(2, (void *(*const[])(void *)){ writes_one_and_three, waits_till_it_is_not_one });
}

static void *looks_for_ever(void *arg)
{
	for (;;)
		atomic_load_explicit(&x, RLX); /* bug: one_looks_for_ever */
	return arg;
}

static void *looks_till_it_is_so(void *arg)
{
	while (atomic_load_explicit(&x, RLX) != 0)
		;
	return arg;
}

/* The search comes behind the other's read once more when the first is stopped already. A trace says that it is. */
static void one_looks_for_ever(void)
{
	run(2, (void *(*const[])(void *)){ looks_for_ever, looks_till_it_is_so });
}

static void *adds(void *arg)
{
	int old = atomic_load(&x);

	atomic_store(&x, old + 1);
	return arg;
}

static void adds_up(void)
{
	THREADS(3, adds);
	assert(atomic_load(&x) == 3); /* bug: adds_up */
}

static void *waits_if_raised(void *arg)
{
	if (atomic_load(&flag))
		sem_wait(&semaphore_of_one);
	return arg;
}

static void nobody_posts(void)
{
	sem_init(&semaphore_of_one, 0, 1);
	run(3, (void *(*const[])(void *)){ waits_if_raised, waits_if_raised, raises });
}

static void *reads_and_keeps(void *arg)
{
	if (atomic_load(&flag))
		pthread_rwlock_rdlock(&rwlock);
	return arg;
}

static void *writes_alone(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void nobody_unlocks(void)
{
	run(3, (void *(*const[])(void *)){ reads_and_keeps, writes_alone, raises });
}

/* ---- What no read returns ------------------------------------------------------------------------- */

/* The first one has nothing to tell, the last one has: by values it is one execution in which the second one finds a flag. */
static void find_nothing(void *(*tells)(void *), void *(*finds_out)(void *))
{
	run(3, (void *(*const[])(void *)){ raises, finds_out, tells });
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static long started;

static void *sleeps_first(void *arg)
{
	usleep(5000);
	return raises(arg);
}

static void *looks_at_the_clock(void *arg)
{
	if (atomic_load_explicit(&flag, ACQ))
		assert(now_ms() - started >= 5); /* bug: sleeps */
	return arg;
}

static void sleeps(void)
{
	started = now_ms();
	find_nothing(sleeps_first, looks_at_the_clock);
}

static int unseen;

__attribute__((noinline, no_sanitize("thread"))) static void put_unseen(void)
{
	unseen = 1;
}

__attribute__((noinline, no_sanitize("thread"))) static int get_unseen(void)
{
	return unseen;
}

static void *puts_unseen(void *arg)
{
	put_unseen();
	return raises(arg);
}

static void *gets_unseen(void *arg)
{
	if (atomic_load_explicit(&flag, ACQ))
		assert(get_unseen() == 1); /* bug: memory_unseen */
	return arg;
}

static void memory_unseen(void)
{
	find_nothing(puts_unseen, gets_unseen);
}

static atomic_int over;

static void *raises_both(void *arg)
{
	atomic_store_explicit(&flag, 1, RLX);
	atomic_store_explicit(&over, 1, RLX);
	return arg;
}

static void *looks_and_is_over(void *arg)
{
	(void)atomic_load_explicit(&flag, RLX);
	atomic_store_explicit(&over, 1, RLX);
	return arg;
}

/* All others are joined, or not there yet: it is beside nobody. */
static void does_it_at_the_end(void)
{
	run(2, (void *(*const[])(void *)){ looks_and_is_over, raises_both });
	put_unseen();
	run(2, (void *(*const[])(void *)){ looks_and_is_over, raises_both });
}

static void *puts_by_assembly(void *arg)
{
	__asm__ volatile("movl $1, %0" : "=m"(unseen));
	return raises(arg);
}

static void *gets_by_assembly(void *arg)
{
	int value;

	if (!atomic_load_explicit(&flag, ACQ))
		return arg;
	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(unseen));
	assert(value == 1); /* bug: memory_of_assembly */
	return arg;
}

static void memory_of_assembly(void)
{
	find_nothing(puts_by_assembly, gets_by_assembly);
}

static void *sets_variable(void *arg)
{
	setenv("HEDDLE_SET", "1", 1);
	return raises(arg);
}

static void *gets_variable(void *arg)
{
	if (atomic_load_explicit(&flag, ACQ))
		assert(getenv("HEDDLE_SET")); /* bug: environment */
	return arg;
}

static void environment(void)
{
	unsetenv("HEDDLE_SET");
	find_nothing(sets_variable, gets_variable);
}

static FILE *stream;

static void *goes_on(void *arg)
{
	fputc('x', stream);
	return raises(arg);
}

static void *asks_where(void *arg)
{
	if (atomic_load_explicit(&flag, ACQ))
		assert(ftell(stream) == 1); /* bug: place_in_a_stream */
	return arg;
}

static void place_in_a_stream(void)
{
	static char text[10];

	stream = fmemopen(text, sizeof(text), "w+");
	find_nothing(goes_on, asks_where);
}

/* The read is an event, since another thread writes there; it has come when the block is freed, and is done behind that. */
static int *to_be_read;
static pthread_mutex_t reader_and_writer = PTHREAD_MUTEX_INITIALIZER;

static void *writes_what_is_read(void *arg)
{
	pthread_mutex_lock(&reader_and_writer);
	*to_be_read = 2;
	pthread_mutex_unlock(&reader_and_writer);
	return arg;
}

static void *frees_what_is_read(void *arg)
{
	free(to_be_read); /* bug: one_frees_what_is_to_be_read */
	return arg;
}

static void *reads_what_is_freed(void *arg)
{
	pthread_t t;

	pthread_mutex_lock(&reader_and_writer);
	pthread_create(&t, NULL, frees_what_is_read, NULL);
	got = *to_be_read;
	pthread_mutex_unlock(&reader_and_writer);
	pthread_join(t, NULL);
	return arg;
}

static void one_frees_what_is_to_be_read(void)
{
	to_be_read = malloc(sizeof(*to_be_read));
	*to_be_read = 1;
	run(2, (void *(*const[])(void *)){ writes_what_is_read, reads_what_is_freed });
}

/*
 * The read is ordered behind the write, but for it no plain access is beside the free: nothing else is in a race. It has always come
 * when the block is freed.
 */
static atomic_int was_written, comes_to_read;

static void *writes_then_frees(void *arg)
{
	*to_be_read = 1;
	atomic_store(&was_written, 1);
	if (atomic_load(&comes_to_read))
		free(to_be_read); /* bug: one_frees_beside_a_read */
	return arg;
}

static void *reads_what_was_written(void *arg)
{
	if (atomic_load(&was_written)) {
		atomic_store(&comes_to_read, 1);
		got = *to_be_read;
	}
	return arg;
}

static void one_frees_beside_a_read(void)
{
	to_be_read = malloc(sizeof(*to_be_read));
	run(2, (void *(*const[])(void *)){ writes_then_frees, reads_what_was_written });
}

/* If races are none, that the memory is freed by then is the bug. */
static int racing_read;

static void *frees_what_races(void *arg)
{
	*to_be_read = 1;
	if (atomic_load_explicit(&comes_to_read, RLX))
		free(to_be_read);
	return arg;
}

static void *reads_what_races(void *arg)
{
	atomic_store_explicit(&comes_to_read, 1, RLX);
	racing_read = *to_be_read;
	return arg;
}

static void one_frees_what_races(void)
{
	to_be_read = malloc(sizeof(*to_be_read));
	*to_be_read = 0;
	run(2, (void *(*const[])(void *)){ frees_what_races, reads_what_races });
}

/* By values each of them may look too early: 2^24 executions of which nothing comes. By reads-from there is none. */
static void *waits_for_flag(void *arg)
{
	while (!atomic_load_explicit(&flag, ACQ))
		;
	return arg;
}

static void nearly_all_wait(void)
{
	pthread_t waiter[24];

	for (size_t i = 0; i < 24; i++)
		assert(pthread_create(&waiter[i], NULL, waits_for_flag, NULL) == 0);
	raises(NULL);
	for (size_t i = 0; i < 24; i++)
		assert(pthread_join(waiter[i], NULL) == 0);
}

/* For each location that is found to be an event the search starts again. */
static long many_words[4000];

static void *adds_to_each(void *arg)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < 4000; i++)
		many_words[i]++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* What fails is seen where it is met, in one of a few executions: nobody has to look for it in those by reads-from. */
static void *looks_first(void *arg)
{
	int seen = atomic_load(&flag);

	atomic_store(&x, 1);
	assert(atomic_load(&x) && seen != 2); /* bug: finds_it_soon */
	return arg;
}

static void *raises_twice(void *arg)
{
	atomic_store(&flag, 1);
	atomic_store(&flag, 2);
	return arg;
}

static void finds_it_soon(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, looks_first, NULL) == 0);
	assert(pthread_create(&t[1], NULL, raises_twice, NULL) == 0);
	THREADS(8, writes_one);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* All that 65 sections do is in order, since an exchange begins each. Whether it is was looked for once: that took minutes. */
static void *takes_it(void *times)
{
	static atomic_int taken;

	for (long i = 0; i < (long)times; i++) {
		while (atomic_exchange_explicit(&taken, 1, ACQ))
			;
		got++;
		atomic_store_explicit(&taken, 0, REL);
	}
	return NULL;
}

static void takes_it_often(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, takes_it, (void *)64) == 0);
	takes_it((void *)1);
	assert(pthread_join(t, NULL) == 0);
}

static void writes_many_words(void)
{
	THREADS(2, adds_to_each);
	assert(many_words[0] == 2 && many_words[3999] == 2);
}

CASES(CASE(all_write_the_same), CASE(two_write_the_same), CASE(plain_is_an_event),
      CASE(one_is_ordered), CASE(atomic_and_plain), CASE(one_allocates), CASE(one_frees),
      CASE(one_waits_for_long), CASE(one_comes_too_late), CASE(one_of_two_ones_stays),
      CASE(the_other_one_stays), CASE(one_behind_five_stays), CASE(one_and_nothing_stay),
      CASE(no_one_stays), CASE(one_looks_for_ever), CASE(adds_up), CASE(sleeps),
      CASE(memory_unseen), CASE(does_it_at_the_end), CASE(memory_of_assembly), CASE(environment),
      CASE(place_in_a_stream), CASE(seldom_does_anything), CASE(prints),
      CASE(begins_with_what_was_read), CASE(semaphore), CASE(reader_writer_lock), CASE(once),
      CASE(nobody_posts), CASE(nobody_unlocks), CASE(at_barrier), CASE(nobody_else_comes),
      CASE(chooses), CASE(chooses_badly), CASE(one_frees_what_is_to_be_read),
      CASE(one_frees_beside_a_read), CASE(one_frees_what_races), CASE(nearly_all_wait),
      CASE(writes_many_words), CASE(takes_it_often), CASE(finds_it_soon))

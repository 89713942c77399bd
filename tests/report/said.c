/* SPDX-License-Identifier: BSD-2-Clause */
/* said.c - a program that says what it does, and names what it has (said.test) */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct box {
	atomic_int full;
	int value;
};

static struct box *box, *other;
static const char *what;
static atomic_int rounds;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static int is_ordered(void)
{
	return is("right") || is("late");
}

static void *consumer(void *arg)
{
	heddle_name_thread("taker");
	heddle_name_thread("consumer"); /* the later name counts */
	if (!atomic_load_explicit(&box->full,
				  is_ordered() ? memory_order_acquire : memory_order_relaxed)) {
		heddle_trace("nothing there");
		heddle_assert(!is("late"));
		return arg;
	}
	heddle_trace("value is 100 %% of %.1f\n", 0.5);
	return is("other") ? (other->value ? other : arg) : box->value ? box : arg;
}

static void *speaker(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		heddle_trace("round %d", i);
		if (i % 20 == 0)
			atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
	}
	heddle_trace("%0300d", 7);
	heddle_assert(is("none"));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	struct box local = { 0, 0 };

	what = argc > 1 ? argv[1] : "";
	box = is("stack") ? &local : calloc(1, sizeof(*box));
	other = calloc(1, sizeof(*other));
	heddle_name(box, is("part") ? sizeof(box->full) : sizeof(*box), "the box");
	heddle_name(&rounds, sizeof(rounds), "how often");
	heddle_trace("begins with '%s'", what);
	if (is("alone"))
		heddle_assert(!other->value && 0);
	pthread_create(&thread, NULL, is("many") ? speaker : consumer, NULL);
	if (!is("many")) {
		box->value = 1;
		heddle_trace("filled");
		other->value = 2;
		atomic_store_explicit(&box->full, 1,
				      is_ordered() ? memory_order_release : memory_order_relaxed);
	}
	pthread_join(thread, NULL);
	if (!is("stack"))
		free(box);
	free(other);
	return 0;
}

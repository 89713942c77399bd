/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * words.c - threads that access two words of memory in any sizes, as the command line says
 *
 *	words 'S0:2:rel:1 L4:4:acq' 'A0:4:acq_rel:65537 F:sc'
 *
 * An argument is a thread. Its operations: L load, W load until that is the value, S store, A fetch_add, X exchange,
 * C compare_exchange (expected, desired and the order of failure follow), F fence; offset:size:order:value. The words are the bytes
 * 0 to 3 and 8 to 11. Where MORE is set, there is a thread more, with more accesses of another word than can be judged. Each complete execution appends a line to the file that EXOUT names: what was
 * read, thread by thread, and the words in the end.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An order of failure that is stronger is asked for by nobody. */
#pragma GCC diagnostic ignored "-Winvalid-memory-model"

enum {
	THREADS = 3,
	OPS = 4
};

struct operation {
	char what;
	int offset, size, order, order_fail;
	uint32_t value, desired;
};

static struct operation ops[THREADS][OPS];
static int nops[THREADS];
static uint32_t seen[THREADS][OPS];
static _Alignas(8) unsigned char memory[16];

/* An order has to be a constant, or gcc takes seq_cst for it. */
#define BY_ORDER(order, f, ...)                           \
	switch (order) {                                  \
	case __ATOMIC_RELAXED:                            \
		f(__ATOMIC_RELAXED, ##__VA_ARGS__) break; \
	case __ATOMIC_ACQUIRE:                            \
		f(__ATOMIC_ACQUIRE, ##__VA_ARGS__) break; \
	case __ATOMIC_RELEASE:                            \
		f(__ATOMIC_RELEASE, ##__VA_ARGS__) break; \
	case __ATOMIC_ACQ_REL:                            \
		f(__ATOMIC_ACQ_REL, ##__VA_ARGS__) break; \
	default:                                          \
		f(__ATOMIC_SEQ_CST, ##__VA_ARGS__)        \
	}
#define LOAD(order)                                                                       \
	r = __atomic_load_n(p, (order) == __ATOMIC_RELEASE || (order) == __ATOMIC_ACQ_REL \
				       ? __ATOMIC_RELAXED                                 \
				       : (order));
#define STORE(order)                                                                \
	__atomic_store_n(p, v,                                                      \
			 (order) == __ATOMIC_ACQUIRE || (order) == __ATOMIC_ACQ_REL \
				 ? __ATOMIC_RELAXED                                 \
				 : (order));
#define ADD(order)   r = __atomic_fetch_add(p, v, order);
#define SWAP(order)  r = __atomic_exchange_n(p, v, order);
#define FENCE(order) __atomic_thread_fence(order);

/* Failure: relaxed, acquire or seq_cst. */
#define CAS_FAIL(order, fail) __atomic_compare_exchange_n(p, &e, d, 0, order, fail);
#define CAS(order)                                  \
	if (o->order_fail == __ATOMIC_RELAXED)      \
		CAS_FAIL(order, __ATOMIC_RELAXED)   \
	else if (o->order_fail == __ATOMIC_ACQUIRE) \
		CAS_FAIL(order, __ATOMIC_ACQUIRE)   \
	else                                        \
		CAS_FAIL(order, __ATOMIC_SEQ_CST)   \
	r = e;

#define OPERATION(type)                                                      \
	static uint32_t operate_##type(const struct operation *o)            \
	{                                                                    \
		type *p = (type *)(void *)(memory + o->offset);              \
		type v = (type)o->value, e = v, d = (type)o->desired, r = 0; \
                                                                             \
		switch (o->what) {                                           \
		case 'L':                                                    \
			BY_ORDER(o->order, LOAD)                             \
			break;                                               \
		case 'W':                                                    \
			do {                                                 \
				BY_ORDER(o->order, LOAD)                     \
			} while (r != v);                                    \
			break;                                               \
		case 'S':                                                    \
			BY_ORDER(o->order, STORE)                            \
			break;                                               \
		case 'A':                                                    \
			BY_ORDER(o->order, ADD)                              \
			break;                                               \
		case 'X':                                                    \
			BY_ORDER(o->order, SWAP)                             \
			break;                                               \
		case 'C':                                                    \
			BY_ORDER(o->order, CAS)                              \
			break;                                               \
		}                                                            \
		return r;                                                    \
	}
OPERATION(uint8_t)
OPERATION(uint16_t)
OPERATION(uint32_t)

static void *run(void *arg)
{
	int t = (int)(intptr_t)arg;

	for (int i = 0; i < nops[t]; i++) {
		const struct operation *o = &ops[t][i];

		if (o->what == 'F') {
			BY_ORDER(o->order, FENCE)
		} else if (o->size == 1) {
			seen[t][i] = operate_uint8_t(o);
		} else if (o->size == 2) {
			seen[t][i] = operate_uint16_t(o);
		} else {
			seen[t][i] = operate_uint32_t(o);
		}
	}
	return NULL;
}

static void *run_more(void *arg)
{
	static uint32_t other;

	for (int i = 0; i < 70; i++) {
		__atomic_fetch_add(&other, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add((uint16_t *)(void *)&other, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

static int order_of(const char *name)
{
	static const char *const names[] = { "rlx", "acq", "rel", "acq_rel" };
	static const int orders[] = { __ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
				      __ATOMIC_ACQ_REL };

	for (int i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return orders[i];
	return __ATOMIC_SEQ_CST;
}

static void parse(struct operation *o, char *text)
{
	char order[16] = "", fail[16] = "";

	o->what = text[0];
	if (o->what == 'F')
		sscanf(text + 1, ":%15[a-z_]", order);
	else
		sscanf(text + 1, "%d:%d:%15[a-z_]:%u:%u:%15[a-z_]", &o->offset, &o->size, order,
		       &o->value, &o->desired, fail);
	o->order = order_of(order);
	o->order_fail = order_of(fail);
}

/* By no call that heddle undoes. */
static void tell(const char *line, size_t length)
{
	const char *path = getenv("EXOUT");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0644) : -1;
	long r;

	if (fd < 0)
		return;
	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"((long)SYS_write), "D"((long)fd), "S"(line), "d"(length)
			 : "rcx", "r11", "memory");
	close(fd);
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS], more;
	bool is_more = getenv("MORE") != NULL;
	char line[400];
	int n = 0, threads = argc - 1 < THREADS ? argc - 1 : THREADS;

	for (int t = 0; t < threads; t++)
		for (char *op = strtok(argv[t + 1], " "); op; op = strtok(NULL, " "))
			if (nops[t] < OPS)
				parse(&ops[t][nops[t]++], op);
	for (int t = 0; t < threads; t++)
		pthread_create(&thread[t], NULL, run, (void *)(intptr_t)t);
	if (is_more)
		pthread_create(&more, NULL, run_more, NULL);
	for (int t = 0; t < threads; t++)
		pthread_join(thread[t], NULL);
	if (is_more)
		pthread_join(more, NULL);
	for (int t = 0; t < threads; t++)
		for (int i = 0; i < nops[t]; i++)
			n += sprintf(line + n, "%u ", seen[t][i]);
	for (int i = 0; i < 12; i += i == 3 ? 5 : 1)
		n += sprintf(line + n, "%02x", memory[i]);
	line[n++] = '\n';
	tell(line, (size_t)n);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_random.c - random numbers that depend on nothing but the thread
 *
 * libc's generators are shared by all threads, so what one gets depends on the schedule,
 * and the kernel's are different each time. Here every thread has one sequence (splitmix64)
 * for all of them, /dev/random and names of temporary files included. It begins with the thread's number and what the main thread passed to
 * srand() or its like before the first thread existed; a thread that seeds itself begins
 * again. Generators that keep their state in the program's memory (rand_r, random_r,
 * erand48 ...) are left alone.
 *
 * rand() and random() lock what they share. drand48() and its like do not: threads that call them without order race.
 */
/*
 * intercepts: Random numbers
 *
 * deterministic rand random lrand48 mrand48 drand48 getrandom getentropy arc4random
 *	arc4random_buf arc4random_uniform
 *	std::random_device=_ZNSt13random_device9_M_getvalEv - one sequence for each thread;
 *	it is the same in all executions. lrand48() and its like and srand48() are plain writes of what threads share, when
 *	instrumented code calls them
 * deterministic srand srandom srand48 - the calling thread's sequence begins anew; in
 *	main, before there are threads, those of all
 * undone mkstemp mkstemp64 mkostemp mkostemp64 mkdtemp - names are made from these numbers
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/hooks/world/random.h"
#include "preload/step/perform.h"

struct randoms {
	uint64_t seed; /* by the main thread, before the root point */
	uint64_t main; /* state of the main thread */
};

static HEDDLE_IMAGE struct randoms randoms = { .seed = 1, .main = 1 };
/* Of the others: set when they start. */
static uint64_t states[HEDDLE_MAX_THREADS];
FRESH(states);

static uint64_t *state_of(uint32_t tid)
{
	return tid ? &states[tid] : &randoms.main;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t random_number(void)
{
	uint64_t *own = state_of(self_id());

	note_hidden_state();
	*own += 0x9e3779b97f4a7c15;
	return mix(*own);
}

static void seed(uint64_t value)
{
	if (!current)
		randoms.seed = value;
	*state_of(self_id()) = mix(value);
}

static void random_thread_started(uint32_t tid)
{
	if (tid)
		states[tid] = mix(randoms.seed + ((uint64_t)tid << 32));
}

AT_STARTED(random_thread_started);

static int fail(int error)
{
	errno = error;
	return -1;
}

static void fill_random(void *buf, size_t size)
{
	for (size_t at = 0; at < size; at += 8) {
		uint64_t x = random_number();

		memcpy((char *)buf + at, &x, size - at < 8 ? size - at : 8);
	}
}

/* ---- The devices ------------------------------------------------------------------------ */

enum {
	MAX_FDS = 256,
	FILE_BYTES = 65536
};

static HEDDLE_IMAGE_SELDOM uint64_t device[MAX_FDS / 64] = { 0 };

bool random_is_device(const char *path)
{
	char start[16] = "";

	copy_safely(start, path, sizeof("/dev/urandom"));
	return !strcmp(start, "/dev/urandom") || !strcmp(start, "/dev/random");
}

void random_opened(int fd)
{
	if (fd >= 0 && fd < MAX_FDS)
		device[fd / 64] |= (uint64_t)1 << fd % 64;
}

void random_closed(int fd)
{
	if (fd >= 0 && fd < MAX_FDS)
		device[fd / 64] &= ~((uint64_t)1 << fd % 64);
}

bool random_is(int fd)
{
	return fd >= 0 && fd < MAX_FDS && device[fd / 64] >> fd % 64 & 1;
}

ssize_t random_read(const struct iovec *to, int n)
{
	ssize_t size = 0;

	for (int i = 0; i < n; i++)
		if (!memory_writable(to[i].iov_base, to[i].iov_len))
			return fail(EFAULT);
	for (int i = 0; i < n; i++) {
		note_plain_write((uintptr_t)to[i].iov_base, to[i].iov_len);
		fill_random(to[i].iov_base, to[i].iov_len);
		size += (ssize_t)to[i].iov_len;
	}
	return size;
}

int random_file(void)
{
	int fd = (int)sys3(SYS_memfd_create, (long)"random", MFD_CLOEXEC, 0);
	char bytes[4096];

	for (int n = 0; fd >= 0 && n < FILE_BYTES; n += (int)sizeof(bytes)) {
		fill_random(bytes, sizeof(bytes));
		sys3(SYS_write, fd, (long)bytes, sizeof(bytes));
	}
	sys3(SYS_lseek, fd, 0, SEEK_SET);
	random_opened(fd);
	return fd;
}

/* ---- Names of temporary files ------------------------------------------------------------- */

enum {
	TRIES = 100
};

/* Puts another name into the template. */
static void new_name(char *template)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t n = strlen(template);

	for (size_t i = n - 6; i < n; i++)
		template[i] = letters[random_number() % (sizeof(letters) - 1)];
}

static bool is_template(const char *name)
{
	size_t n = strlen(name);

	return n >= 6 && !strcmp(name + n - 6, "XXXXXX");
}

HEDDLE_HOOK int mkostemp(char *template, int flags)
{
	int fd = -1;

	if (!shared)
		return REAL(mkostemp)(template, flags);
	if (!is_template(template))
		return fail(EINVAL);
	errno = EEXIST;
	for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST; i++) {
		new_name(template);
		fd = open(template, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
	}
	return fd;
}

HEDDLE_HOOK int mkstemp(char *template)
{
	return mkostemp(template, 0);
}

HEDDLE_HOOK int mkstemp64(char *template)
{
	return mkostemp(template, 0);
}

HEDDLE_HOOK char *mkdtemp(char *template)
{
	int status = -1;

	if (!shared)
		return REAL(mkdtemp)(template);
	if (!is_template(template)) {
		errno = EINVAL;
		return NULL;
	}
	errno = EEXIST;
	for (int i = 0; i < TRIES && status && errno == EEXIST; i++) {
		new_name(template);
		status = mkdir(template, 0700);
	}
	return status ? NULL : template;
}

/* ---- Seeding ---------------------------------------------------------------------------- */

HEDDLE_HOOK void srand(unsigned value)
{
	if (!shared)
		REAL(srand)(value);
	else
		seed(value);
}

HEDDLE_HOOK void srandom(unsigned value)
{
	if (!shared)
		REAL(srandom)(value);
	else
		seed(value);
}

/* Stands for libc's, of drand48() and its like; a call at pc changes it. */
HEDDLE_IMAGE_SELDOM static char state_of_drand48;

static void changes_drand48(uint64_t pc)
{
	if (seen(pc))
		writes(&state_of_drand48, 1, pc);
}

HEDDLE_HOOK void srand48(long value)
{
	changes_drand48(CALLER());
	if (!shared)
		REAL(srand48)(value);
	else
		seed((uint64_t)value);
}

/* ---- Numbers ---------------------------------------------------------------------------- */

HEDDLE_HOOK int rand(void)
{
	return shared ? (int)(random_number() & RAND_MAX) : REAL(rand)();
}

HEDDLE_HOOK long random(void)
{
	return shared ? (long)(random_number() & RAND_MAX) : REAL(random)();
}

HEDDLE_HOOK long lrand48(void)
{
	changes_drand48(CALLER());
	return shared ? (long)(random_number() >> 33) : REAL(lrand48)();
}

HEDDLE_HOOK long mrand48(void)
{
	changes_drand48(CALLER());
	return shared ? (long)(int32_t)random_number() : REAL(mrand48)();
}

HEDDLE_HOOK double drand48(void)
{
	changes_drand48(CALLER());
	return shared ? (double)(random_number() >> 16) / (double)(1ul << 48) : REAL(drand48)();
}

HEDDLE_HOOK ssize_t getrandom(void *buf, size_t size, unsigned flags)
{
	if (!shared)
		return REAL(getrandom)(buf, size, flags);
	if (flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE) ||
	    (flags & (GRND_RANDOM | GRND_INSECURE)) == (GRND_RANDOM | GRND_INSECURE))
		return fail(EINVAL);
	if (size > INT_MAX)
		size = INT_MAX;
	if (!memory_writable(buf, size))
		return fail(EFAULT);
	fill_random(buf, size);
	return (ssize_t)size;
}

HEDDLE_HOOK int getentropy(void *buf, size_t size)
{
	if (!shared)
		return REAL(getentropy)(buf, size);
	if (size > 256)
		return fail(EIO);
	if (!memory_writable(buf, size))
		return fail(EFAULT);
	fill_random(buf, size);
	return 0;
}

/* std::random_device asks the processor. */
unsigned random_device_value(void *device_) __asm__("_ZNSt13random_device9_M_getvalEv");
HEDDLE_HOOK unsigned random_device_value(void *device_)
{
	return shared ? (unsigned)random_number()
		      : REAL_BY_NAME(random_device_value,
				     "_ZNSt13random_device9_M_getvalEv")(device_);
}

/* glibc 2.36 and later have these; an older one has nothing to fall back to. */
HEDDLE_HOOK uint32_t arc4random(void)
{
	return (uint32_t)random_number();
}

HEDDLE_HOOK void arc4random_buf(void *buf, size_t size)
{
	fill_random(buf, size);
}

HEDDLE_HOOK uint32_t arc4random_uniform(uint32_t bound)
{
	return bound ? (uint32_t)(random_number() % bound) : 0;
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(mkostemp64, mkostemp);

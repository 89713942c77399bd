/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random.c - how random numbers fail
 *
 * ways getrandom: EINVAL EFAULT; not EAGAIN EINTR ENOSYS (the kernel has random numbers once it runs)
 * ways getentropy: EIO EFAULT; not ENOSYS (likewise)
 * ways mkstemp: EINVAL ENOENT; not EEXIST (all names would have to be taken)
 * ways mkstemp64: EINVAL ENOENT
 * ways mkostemp: EINVAL ENOENT
 * ways mkdtemp: EINVAL ENOENT
 * never fails: arc4random arc4random_buf arc4random_uniform drand48 lrand48 mrand48 rand random
 *	srand srand48 srandom
 *
 * case getrandom_EINVAL: ok 1
 * case getrandom_EFAULT: ok 1
 * case getentropy_EIO: ok 1
 * case getentropy_EFAULT: ok 1
 * case mkstemp_EINVAL: ok 1
 * case mkstemp_ENOENT: ok 1
 * case mkstemp64_EINVAL: ok 1
 * case mkstemp64_ENOENT: ok 1
 * case mkostemp_EINVAL: ok 1
 * case mkostemp_ENOENT: ok 1
 * case mkdtemp_EINVAL: ok 1
 * case mkdtemp_ENOENT: ok 1
 * case ranges: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

#include "hooks/fails.h"

static char *volatile wild = (char *)8;

IN_EACH(getrandom_EINVAL)
{
	char bytes[8];

	FAILS(EINVAL, getrandom(bytes, sizeof(bytes), 0x100));
	FAILS(EINVAL, getrandom(bytes, sizeof(bytes), GRND_RANDOM | GRND_INSECURE));
	assert(getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) == sizeof(bytes));
	assert(getrandom(bytes, 0, 0) == 0);
	return arg;
}

EACH_FAILS(getrandom_EFAULT, EFAULT, getrandom(wild, 8, 0))

IN_EACH(getentropy_EIO)
{
	char bytes[257];

	FAILS(EIO, getentropy(bytes, sizeof(bytes)));
	assert(getentropy(bytes, 256) == 0);
	return arg;
}

EACH_FAILS(getentropy_EFAULT, EFAULT, getentropy(wild, 8))

#define NAMES(name, call)                                     \
	IN_EACH(name##_EINVAL)                                \
	{                                                     \
		char few[] = "fileXXXXX", none[] = "file";    \
                                                              \
		FAILS(EINVAL, call(few));                     \
		FAILS(EINVAL, call(none));                    \
		return arg;                                   \
	}                                                     \
	IN_EACH(name##_ENOENT)                                \
	{                                                     \
		char beneath[] = "no-such-folder/fileXXXXXX"; \
                                                              \
		FAILS(ENOENT, call(beneath));                 \
		return arg;                                   \
	}

#define make_file(template)   mkostemp(template, 0)
#define make_folder(template) (mkdtemp(template) ? 0 : -1)
NAMES(mkstemp, mkstemp)
NAMES(mkstemp64, mkstemp64)
NAMES(mkostemp, make_file)
NAMES(mkdtemp, make_folder)

IN_EACH(ranges)
{
	char bytes[3];

	srand(1);
	srandom(2);
	srand48(3);
	for (int i = 0; i < 10; i++) {
		double d = drand48();
		long l = lrand48(), m = mrand48();

		assert(rand() >= 0 && random() >= 0 && random() <= 0x7fffffff);
		assert(d >= 0 && d < 1 && l >= 0 && l <= 0x7fffffff);
		assert(m >= -0x80000000l && m <= 0x7fffffff);
		assert(arc4random_uniform(10) < 10 && arc4random_uniform(0) == 0);
	}
	arc4random();
	arc4random_buf(bytes, sizeof(bytes));
	return arg;
}

CASES(CASE(getrandom_EINVAL), CASE(getrandom_EFAULT), CASE(getentropy_EIO), CASE(getentropy_EFAULT),
      CASE(mkstemp_EINVAL), CASE(mkstemp_ENOENT), CASE(mkstemp64_EINVAL), CASE(mkstemp64_ENOENT),
      CASE(mkostemp_EINVAL), CASE(mkostemp_ENOENT), CASE(mkdtemp_EINVAL), CASE(mkdtemp_ENOENT),
      CASE(ranges))

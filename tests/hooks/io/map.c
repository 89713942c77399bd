/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map.c - how mapping memory fails
 *
 * ways mmap: EINVAL EBADF EACCES ENODEV ENOMEM EEXIST; not EAGAIN ENFILE ENXIO EPERM EOVERFLOW (locked
 *	memory, and limits of the system)
 * ways mmap64: EINVAL EBADF
 * ways munmap: EINVAL
 * ways mprotect: EINVAL ENOMEM EACCES; not EAGAIN ENOTSUP (no such protection here)
 * ways madvise: EINVAL ENOMEM; not EACCES EAGAIN EBADF EIO EPERM (advice for special memory and systems)
 * ways mlockall: EINVAL; not ENOMEM EPERM (limits of the system)
 * ways mremap: EINVAL EFAULT ENOMEM; not EAGAIN (locked memory)
 * ways shmat: EINVAL; not EACCES EIDRM ENOMEM (other users, and limits of the system)
 *
 * case mmap_EINVAL: ok 1
 * case mmap_EBADF: ok 1
 * case mmap_EACCES: ok 1
 * case mmap_ENODEV: ok 1
 * case mmap_ENOMEM: ok 1
 * case mmap_EEXIST: ok 1
 * case mmap64_EINVAL: ok 1
 * case mmap64_EBADF: ok 1
 * case munmap_EINVAL: ok 1
 * case mprotect_EINVAL: ok 1
 * case mprotect_ENOMEM: ok 1
 * case mprotect_EACCES: ok 1
 * case madvise_EINVAL: ok 1
 * case madvise_ENOMEM: ok 1
 * case mlockall_EINVAL: ok 1
 * case mlockall_of_all_that_comes: ok 1
 * case mremap_EINVAL: ok 1
 * case mremap_EFAULT: ok 1
 * case mremap_ENOMEM: ok 1
 * case shmat_EINVAL: ok 1
 * case shmat_in_threads: ok 2
 * case mapped_twice_a_flag: refused an atomic object in memory that it has mapped at two addresses
 * case mapped_twice_a_semaphore: refused a semaphore in memory that it has mapped at two addresses
 * case mapped_twice_to_be_read: refused an atomic object in memory that it has mapped at two addresses
 * case mapped_twice_by_a_thread: refused an atomic object in memory that it has mapped at two addresses
 * case mapped_twice_data: ok 1
 * case mapped_once_each_half: ok 2
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	PAGE = 4096
};

#define RW      (PROT_READ | PROT_WRITE)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define HUGE    ((size_t)1 << 60)
#define MOST    (((size_t)1 << 47) - 16 * PAGE) /* of all addresses; not all of them are free */

/* So many pages of the program's own. */
static char *pages(int n)
{
	char *p = mmap(NULL, (size_t)n * PAGE, RW, PRIVATE, -1, 0);

	assert(p != MAP_FAILED);
	return p;
}

IN_EACH(mmap_EINVAL)
{
	FAILS(EINVAL, mmap(NULL, 0, RW, PRIVATE, -1, 0));
	FAILS(EINVAL, mmap(NULL, PAGE, RW, MAP_ANONYMOUS, -1, 0));
	FAILS(EINVAL, mmap((void *)(0x600000000000 + 1), PAGE, RW, PRIVATE | MAP_FIXED, -1, 0));
	FAILS(EINVAL, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 0, 1));
	return arg;
}

IN_EACH(mmap_EBADF)
{
	FAILS(EBADF, mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0));
	FAILS(EBADF, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, 250, 0));
	return arg;
}

/* What is open for writing cannot be mapped at all, what is for reading not for writing. */
IN_EACH(mmap_EACCES)
{
	int in = open("program", O_RDONLY), out = open("/dev/zero", O_WRONLY);

	assert(in >= 0 && out >= 0);
	FAILS(EACCES, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, out, 0));
	FAILS(EACCES, mmap(NULL, PAGE, RW, MAP_SHARED, in, 0));
	close(in);
	close(out);
	return arg;
}

IN_EACH(mmap_ENODEV)
{
	int fd[2];

	assert(pipe(fd) == 0);
	FAILS(ENODEV, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd[0], 0));
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(mmap_ENOMEM)
{
	FAILS(ENOMEM, mmap(NULL, HUGE, RW, PRIVATE, -1, 0));
	FAILS(ENOMEM, mmap(NULL, SIZE_MAX, RW, PRIVATE, -1, 0));
	return arg;
}

IN_EACH(mmap_EEXIST)
{
	char *p = pages(1);

	FAILS(EEXIST, mmap(p, PAGE, RW, PRIVATE | MAP_FIXED_NOREPLACE, -1, 0));
	munmap(p, PAGE);
	return arg;
}

IN_EACH(mmap64_EINVAL)
{
	FAILS(EINVAL, mmap64(NULL, 0, RW, PRIVATE, -1, 0));
	return arg;
}

IN_EACH(mmap64_EBADF)
{
	FAILS(EBADF, mmap64(NULL, PAGE, RW, MAP_PRIVATE, -1, 0));
	return arg;
}

IN_EACH(munmap_EINVAL)
{
	char *p = pages(1);

	FAILS(EINVAL, munmap(p + 1, PAGE));
	FAILS(EINVAL, munmap(p, 0));
	*p = 1;
	assert(munmap(p, PAGE) == 0);
	assert(munmap(p, PAGE) == 0); /* it is no error that nothing is there */
	return arg;
}

IN_EACH(mprotect_EINVAL)
{
	char *p = pages(1);

	FAILS(EINVAL, mprotect(p + 1, PAGE, PROT_READ));
	FAILS(EINVAL, mprotect(p, PAGE, PROT_GROWSDOWN | PROT_GROWSUP));
	*p = 1;
	munmap(p, PAGE);
	return arg;
}

IN_EACH(mprotect_ENOMEM)
{
	char *p = pages(3);

	assert(munmap(p + PAGE, PAGE) == 0);
	FAILS(ENOMEM, mprotect(p, 3 * PAGE, RW));
	FAILS(ENOMEM, mprotect(p + PAGE, PAGE, RW));
	munmap(p, 3 * PAGE);
	return arg;
}

IN_EACH(mprotect_EACCES)
{
	int fd = open("program", O_RDONLY);
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	assert(p != MAP_FAILED);
	FAILS(EACCES, mprotect(p, PAGE, RW));
	munmap(p, PAGE);
	close(fd);
	return arg;
}

IN_EACH(madvise_EINVAL)
{
	char *p = pages(1);

	FAILS(EINVAL, madvise(p + 1, PAGE, MADV_DONTNEED));
	FAILS(EINVAL, madvise(p, PAGE, 7777));
	FAILS(EINVAL, madvise(p, SIZE_MAX, MADV_DONTNEED));
	munmap(p, PAGE);
	return arg;
}

IN_EACH(madvise_ENOMEM)
{
	char *p = pages(3);

	p[0] = p[2 * PAGE] = 1;
	assert(munmap(p + PAGE, PAGE) == 0);
	FAILS(ENOMEM, madvise(p, 3 * PAGE, MADV_DONTNEED));
	assert(!p[0] && !p[2 * PAGE]); /* what is there was emptied */
	munmap(p, 3 * PAGE);
	return arg;
}

IN_EACH(mlockall_EINVAL)
{
	FAILS(EINVAL, mlockall(0));
	FAILS(EINVAL, mlockall(MCL_ONFAULT));
	FAILS(EINVAL, mlockall(MCL_CURRENT | 1 << 20));
	return arg;
}

/* Of heddle there is more than any memory. Who may not lock so much is told so natively, and here not. */
IN_EACH(mlockall_of_all_that_comes)
{
	assert(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 || errno == ENOMEM || errno == EPERM);
	assert(munlockall() == 0);
	return arg;
}

IN_EACH(mremap_EINVAL)
{
	char *p = pages(2);

	FAILS(EINVAL, mremap(p + 1, PAGE, PAGE, 0));
	FAILS(EINVAL, mremap(p, PAGE, 0, MREMAP_MAYMOVE));
	FAILS(EINVAL, mremap(p, PAGE, 2 * PAGE, 64));
	FAILS(EINVAL, mremap(p, PAGE, PAGE, MREMAP_FIXED, p + PAGE));
	FAILS(EINVAL, mremap(p, 2 * PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, p));
	munmap(p, 2 * PAGE);
	return arg;
}

IN_EACH(mremap_EFAULT)
{
	char *p = pages(1);

	assert(munmap(p, PAGE) == 0);
	FAILS(EFAULT, mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	FAILS(EFAULT, mremap(p, PAGE, 2 * PAGE, 0));
	return arg;
}

/* What may not move cannot grow over its neighbour; what may cannot grow beyond what there is. */
IN_EACH(mremap_ENOMEM)
{
	char *p = pages(2), *q;

	FAILS(ENOMEM, mremap(p, PAGE, 3 * PAGE, 0));
	FAILS(ENOMEM, mremap(p, PAGE, MOST, MREMAP_MAYMOVE));
	strcpy(p, "contents");
	q = mremap(p, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	assert(q != MAP_FAILED && !strcmp(q, "contents"));
	munmap(q, 3 * PAGE);
	munmap(p + PAGE, PAGE);
	return arg;
}

EACH_FAILS(shmat_EINVAL, EINVAL, (intptr_t)shmat(-1, NULL, 0))

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *attach(void *arg)
{
	int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600), *at = shmat(id, NULL, 0);

	assert(id >= 0 && at != (void *)-1 && shmctl(id, IPC_RMID, NULL) == 0 && *at == 0);
	pthread_mutex_lock(&m);
	*at = ++x;
	pthread_mutex_unlock(&m);
	assert(*at == 1 || *at == 2);
	return arg;
}

static void shmat_in_threads(void)
{
	THREADS(2, attach);
	assert(x == 2);
}

/* ---- At two addresses ---- */

struct both {
	atomic_int flag;
	sem_t sem;
	int data;
};

static struct both *here, *there;

static struct both *map_it(int fd, int prot, off_t at)
{
	struct both *b = mmap(NULL, PAGE, prot, MAP_SHARED, fd, at);

	assert(b != MAP_FAILED);
	return b;
}

static int make_it(void)
{
	int fd = memfd_create("twice", 0);

	assert(fd >= 0 && ftruncate(fd, 2 * PAGE) == 0);
	return fd;
}

static void map_twice(int prot)
{
	int fd = make_it();

	here = map_it(fd, RW, 0);
	assert(sem_init(&here->sem, 0, 0) == 0);
	there = map_it(fd, prot, 0);
}

static void *set_flag(void *arg)
{
	here->data = 1;
	atomic_store(&here->flag, 1);
	return arg;
}

static void *post(void *arg)
{
	assert(sem_post(&here->sem) == 0);
	return arg;
}

static void *set_data(void *arg)
{
	here->data = 1;
	return arg;
}

static void mapped_twice_a_flag(void)
{
	map_twice(RW);
	THREADS(1, set_flag);
	assert(atomic_load(&there->flag) == 1);
}

static void mapped_twice_to_be_read(void)
{
	map_twice(PROT_READ);
	THREADS(1, set_flag);
	assert(atomic_load(&there->flag) == 1);
}

static void mapped_twice_a_semaphore(void)
{
	map_twice(RW);
	THREADS(1, post);
	assert(sem_wait(&there->sem) == 0);
}

static void *map_and_set(void *arg)
{
	map_twice(RW);
	return set_flag(arg);
}

static void mapped_twice_by_a_thread(void)
{
	THREADS(1, map_and_set);
	assert(atomic_load(&there->flag) == 1);
}

static void mapped_twice_data(void)
{
	map_twice(RW);
	THREADS(1, set_data);
	assert(there->data == 1);
}

/* One file, but not the same of it. */
static void mapped_once_each_half(void)
{
	int fd = make_it();
	pthread_t t;

	here = map_it(fd, RW, 0);
	there = map_it(fd, RW, PAGE);
	assert(pthread_create(&t, NULL, set_flag, NULL) == 0);
	assert(atomic_load(&here->flag) <= 1 && atomic_load(&there->flag) == 0);
	assert(pthread_join(t, NULL) == 0);
}

CASES(CASE(mmap_EINVAL), CASE(mmap_EBADF), CASE(mmap_EACCES), CASE(mmap_ENODEV), CASE(mmap_ENOMEM),
      CASE(mmap_EEXIST), CASE(mmap64_EINVAL), CASE(mmap64_EBADF), CASE(munmap_EINVAL),
      CASE(mprotect_EINVAL), CASE(mprotect_ENOMEM), CASE(mprotect_EACCES), CASE(madvise_EINVAL),
      CASE(madvise_ENOMEM), CASE(mlockall_EINVAL), CASE(mlockall_of_all_that_comes),
      CASE(mremap_EINVAL), CASE(mremap_EFAULT), CASE(mremap_ENOMEM), CASE(shmat_EINVAL),
      CASE(shmat_in_threads), CASE(mapped_twice_a_flag), CASE(mapped_twice_a_semaphore),
      CASE(mapped_twice_to_be_read), CASE(mapped_twice_by_a_thread), CASE(mapped_twice_data),
      CASE(mapped_once_each_half))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.c - shared memory, and process-shared objects in it
 *
 * case mmap_7_1: ok 1
 * case mmap_of_a_file_7_1: ok 1
 * case mmap_7_3: ok 1
 * case mmap_private_7_2: ok 1
 * case munmap_1_1: ok 1
 * case msync_writes: ok 1
 * case shm_open_1_1: ok 1
 * case shm_open_26_2: ok 1
 * case shm_unlink_1_1: ok 1
 * case pthread_mutex_shared: ok 2
 * case pthread_cond_shared: ok 2
 * case pthread_barrier_shared: ok 4
 * case pthread_spin_shared: ok 2
 * case pthread_rwlock_shared: ok 2
 * case sem_init_3_2: ok 2
 * case sem_open_1_1: ok 1
 * case atomics_in_shared_memory: ok 6
 * case fork_13_1: ok 2
 * case shared_memory_of_a_child: ok 2
 * case a_child_with_objects_of_its_own: ok 4
 * case sem_init_3_1: refused a semaphore in memory that processes share
 * case pthread_mutexattr_setpshared_1_1: refused a mutex in memory that processes share
 * case pthread_barrierattr_setpshared_1_1: refused a barrier in memory that processes share
 * case pthread_spin_init_2_1: refused a spin lock in memory that processes share
 * case sem_open_of_a_child: refused opens a named semaphore
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/posix.h"

enum {
	PAGE = 4096
};

struct objects {
	sem_t sem;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	pthread_spinlock_t spin;
	pthread_rwlock_t rwlock;
	atomic_int count;
	int value;
};

static struct objects *o;

static void *map_fd(int fd, int flags)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	assert(at != MAP_FAILED);
	return at;
}

static void *map_shared(void)
{
	return map_fd(-1, MAP_SHARED | MAP_ANONYMOUS);
}

/* A file of a page, without a name. */
static int make_file(void)
{
	char name[] = "/tmp/heddle-posix-XXXXXX";
	int fd = mkstemp(name);

	assert(fd >= 0 && unlink(name) == 0 && ftruncate(fd, PAGE) == 0);
	return fd;
}

static const char *own_name(void)
{
	static char name[40];

	if (!name[0]) /* a child has its parent's */
		snprintf(name, sizeof(name), "/heddle-posix-%d", (int)getpid());
	return name;
}

/* ---- mmap(), shm_open() ---- */

static void *write_value(void *arg)
{
	o->value = 42;
	return arg;
}

/* MAP_SHARED: what one writes, all see. */
static void mmap_7_1(void)
{
	o = map_shared();
	THREADS(1, write_value);
	assert(o->value == 42);
}

/* And the file has it. */
static void mmap_of_a_file_7_1(void)
{
	struct objects there;
	int fd = make_file();

	o = map_fd(fd, MAP_SHARED);
	THREADS(1, write_value);
	assert(msync(o, PAGE, MS_SYNC) == 0);
	assert(pread(fd, &there, sizeof(there), 0) == sizeof(there) && there.value == 42);
}

/* It is 0 in the beginning. */
static void mmap_7_3(void)
{
	o = map_shared();
	for (size_t i = 0; i < PAGE; i++)
		assert(((char *)o)[i] == 0);
	THREADS(1, write_value);
}

/* MAP_PRIVATE: the file has not. */
static void mmap_private_7_2(void)
{
	struct objects there;
	int fd = make_file();

	o = map_fd(fd, MAP_PRIVATE);
	THREADS(1, write_value);
	assert(pread(fd, &there, sizeof(there), 0) == sizeof(there) && there.value == 0);
}

/* What was unmapped and is mapped again is still in the file. */
static void munmap_1_1(void)
{
	int fd = make_file();

	o = map_fd(fd, MAP_SHARED);
	o->value = 7;
	assert(munmap(o, PAGE) == 0);
	o = map_fd(fd, MAP_SHARED);
	assert(o->value == 7);
	THREADS(1, write_value);
	assert(o->value == 42);
}

static void *write_and_sync(void *arg)
{
	o->value = 42;
	assert(msync(o, PAGE, MS_SYNC) == 0);
	return arg;
}

static void msync_writes(void)
{
	struct objects there;
	int fd = make_file();

	o = map_fd(fd, MAP_SHARED);
	THREADS(1, write_and_sync);
	assert(pread(fd, &there, sizeof(there), 0) == sizeof(there) && there.value == 42);
}

static int open_shared(int flags)
{
	return shm_open(own_name(), flags, 0600);
}

static void shm_open_1_1(void)
{
	int fd = open_shared(O_RDWR | O_CREAT | O_EXCL);

	assert(fd >= 0 && ftruncate(fd, PAGE) == 0);
	o = map_fd(fd, MAP_SHARED);
	assert(shm_unlink(own_name()) == 0);
	THREADS(1, write_value);
	assert(o->value == 42);
}

/* O_EXCL and O_CREAT: it must not be there. */
static void shm_open_26_2(void)
{
	int fd = open_shared(O_RDWR | O_CREAT | O_EXCL);

	assert(fd >= 0 && open_shared(O_RDWR | O_CREAT | O_EXCL) == -1 && errno == EEXIST);
	assert(shm_unlink(own_name()) == 0);
	THREADS(1, nothing);
}

static void shm_unlink_1_1(void)
{
	assert(open_shared(O_RDWR | O_CREAT | O_EXCL) >= 0 && shm_unlink(own_name()) == 0);
	assert(open_shared(O_RDWR) == -1 && errno == ENOENT);
	THREADS(1, nothing);
}

/* ---- Objects that processes may share, between threads ---- */

static void make_objects(void)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_barrierattr_t ba;
	pthread_rwlockattr_t ra;
	int shared;

	o = map_shared();
	assert(pthread_mutexattr_init(&ma) == 0 && pthread_condattr_init(&ca) == 0);
	assert(pthread_barrierattr_init(&ba) == 0 && pthread_rwlockattr_init(&ra) == 0);
	assert(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_mutexattr_getpshared(&ma, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
	assert(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_condattr_getpshared(&ca, &shared) == 0 && shared == PTHREAD_PROCESS_SHARED);
	assert(pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED) == 0);
	assert(sem_init(&o->sem, 1, 1) == 0 && pthread_mutex_init(&o->mutex, &ma) == 0);
	assert(pthread_cond_init(&o->cond, &ca) == 0);
	assert(pthread_barrier_init(&o->barrier, &ba, 2) == 0);
	assert(pthread_spin_init(&o->spin, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_rwlock_init(&o->rwlock, &ra) == 0);
}

#define ADDS(name, lock, unlock)            \
	static void *name##_adds(void *arg) \
	{                                   \
		assert(lock == 0);          \
		o->value++;                 \
		assert(unlock == 0);        \
		return arg;                 \
	}                                   \
	static void name(void)              \
	{                                   \
		make_objects();             \
		THREADS(2, name##_adds);    \
		assert(o->value == 2);      \
	}

ADDS(pthread_mutex_shared, pthread_mutex_lock(&o->mutex), pthread_mutex_unlock(&o->mutex))
ADDS(pthread_spin_shared, pthread_spin_lock(&o->spin), pthread_spin_unlock(&o->spin))
ADDS(pthread_rwlock_shared, pthread_rwlock_wrlock(&o->rwlock), pthread_rwlock_unlock(&o->rwlock))
ADDS(sem_init_3_2, sem_wait(&o->sem), sem_post(&o->sem))

static void *signal_cond(void *arg)
{
	pthread_mutex_lock(&o->mutex);
	o->value = 1;
	pthread_cond_signal(&o->cond);
	pthread_mutex_unlock(&o->mutex);
	return arg;
}

static void pthread_cond_shared(void)
{
	pthread_t t;

	make_objects();
	assert(pthread_create(&t, NULL, signal_cond, NULL) == 0);
	pthread_mutex_lock(&o->mutex);
	while (!o->value)
		pthread_cond_wait(&o->cond, &o->mutex);
	pthread_mutex_unlock(&o->mutex);
	assert(pthread_join(t, NULL) == 0);
}

static void *arrive(void *arg)
{
	int serial = pthread_barrier_wait(&o->barrier);

	atomic_fetch_add_explicit(&o->count, serial == PTHREAD_BARRIER_SERIAL_THREAD,
				  memory_order_relaxed);
	return arg;
}

static void pthread_barrier_shared(void)
{
	make_objects();
	THREADS(2, arrive);
	assert(atomic_load(&o->count) == 1);
}

static sem_t *named;

static void *open_named(void *arg)
{
	sem_t *s = sem_open(own_name(), 0);

	assert(s == named && sem_post(s) == 0);
	return arg;
}

/* All threads that open the name have the same semaphore. */
static void sem_open_1_1(void)
{
	named = sem_open(own_name(), O_CREAT | O_EXCL, 0600, 0);
	assert(named != SEM_FAILED);
	THREADS(1, open_named);
	assert(sem_wait(named) == 0 && sem_close(named) == 0 && sem_unlink(own_name()) == 0);
}

static void *add_atomically(void *arg)
{
	atomic_fetch_add(&o->count, 1);
	return arg;
}

static void atomics_in_shared_memory(void)
{
	make_objects();
	THREADS(3, add_atomically);
	assert(atomic_load(&o->count) == 3);
}

/* ---- With a child ---- */

static void ends_well(void)
{
	int status = -1;

	assert(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static atomic_int x;

static void *store(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

/* Two executions. */
static void look(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, store, NULL) == 0);
	(void)atomic_load(&x);
	assert(pthread_join(t, NULL) == 0);
}

#define PROCESSES(in_child, in_parent) \
	do {                           \
		pid_t pid_ = fork();   \
		assert(pid_ >= 0);     \
		if (!pid_) {           \
			in_child;      \
			_exit(0);      \
		}                      \
		in_parent;             \
		ends_well();           \
	} while (0)

/* What was mapped shared is so in the child; what was not is the child's own. */
static void fork_13_1(void)
{
	static int own;

	o = map_shared();
	PROCESSES(o->value = own = 1, );
	assert(o->value == 1 && own == 0);
	look();
}

static void shared_memory_of_a_child(void)
{
	int fd = open_shared(O_RDWR | O_CREAT | O_EXCL);

	assert(fd >= 0 && shm_unlink(own_name()) == 0 && ftruncate(fd, PAGE) == 0);
	PROCESSES(o = map_fd(fd, MAP_SHARED); o->value = 5, );
	o = map_fd(fd, MAP_SHARED);
	assert(o->value == 5);
	look();
}

static void a_child_with_objects_of_its_own(void)
{
	static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;

	PROCESSES(pthread_mutex_lock(&mine); look(); pthread_mutex_unlock(&mine), );
	assert(pthread_mutex_trylock(&mine) == 0);
	look();
}

#define BETWEEN(name, in_child, in_parent)      \
	static void name(void)                  \
	{                                       \
		make_objects();                 \
		PROCESSES(in_child, in_parent); \
	}

BETWEEN(sem_init_3_1, sem_wait(&o->sem); sem_post(&o->sem), sem_wait(&o->sem); sem_post(&o->sem))
BETWEEN(pthread_mutexattr_setpshared_1_1, pthread_mutex_lock(&o->mutex); o->value++;
	pthread_mutex_unlock(&o->mutex), pthread_mutex_lock(&o->mutex); o->value++;
	pthread_mutex_unlock(&o->mutex))
BETWEEN(pthread_barrierattr_setpshared_1_1, pthread_barrier_wait(&o->barrier),
	pthread_barrier_wait(&o->barrier))
BETWEEN(pthread_spin_init_2_1, pthread_spin_lock(&o->spin);
	pthread_spin_unlock(&o->spin), pthread_spin_lock(&o->spin); pthread_spin_unlock(&o->spin))

static void sem_open_of_a_child(void)
{
	own_name();
	PROCESSES(named = sem_open(own_name(), O_CREAT, 0600, 0); sem_post(named), sleep_ms(100);
		  named = sem_open(own_name(), O_CREAT, 0600, 0); sem_wait(named));
	sem_unlink(own_name());
}

CASES(CASE(mmap_7_1), CASE(mmap_of_a_file_7_1), CASE(mmap_7_3), CASE(mmap_private_7_2),
      CASE(munmap_1_1), CASE(msync_writes), CASE(shm_open_1_1), CASE(shm_open_26_2),
      CASE(shm_unlink_1_1), CASE(pthread_mutex_shared), CASE(pthread_cond_shared),
      CASE(pthread_barrier_shared), CASE(pthread_spin_shared), CASE(pthread_rwlock_shared),
      CASE(sem_init_3_2), CASE(sem_open_1_1), CASE(atomics_in_shared_memory), CASE(fork_13_1),
      CASE(shared_memory_of_a_child), CASE(a_child_with_objects_of_its_own), CASE(sem_init_3_1),
      CASE(pthread_mutexattr_setpshared_1_1), CASE(pthread_barrierattr_setpshared_1_1),
      CASE(pthread_spin_init_2_1), CASE(sem_open_of_a_child))

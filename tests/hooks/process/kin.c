/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin.c - a program that is several processes: what they do to each other is refused, what each does alone is not
 *
 * case a_semaphore_that_the_child_posts: refused uses a semaphore in memory that processes share
 * case a_semaphore_that_the_child_posts -j 2: refused uses a semaphore in memory that processes share
 * case a_semaphore_that_the_child_waits_for: refused uses a semaphore in memory that processes share
 * case a_semaphore_that_is_tried: refused uses a semaphore in memory that processes share
 * case a_semaphore_behind_a_thread: refused uses a semaphore in memory that processes share
 * case a_semaphore_of_a_thread: refused uses a semaphore in memory that processes share
 * case a_semaphore_of_a_child_with_threads: refused uses a semaphore in memory that processes share
 * case a_semaphore_of_two_children: refused uses a semaphore in memory that processes share
 * case a_semaphore_of_a_child_of_a_child: refused uses a semaphore in memory that processes share
 * case a_mutex: refused uses a mutex in memory that processes share
 * case a_condition_variable: refused in memory that processes share
 * case a_barrier: refused uses a barrier in memory that processes share
 * case a_spin_lock: refused uses a spin lock in memory that processes share
 * case a_read_write_lock: refused uses a read-write lock in memory that processes share
 * case a_futex: refused uses a futex in memory that processes share
 * case an_atomic_flag: refused uses an atomic object in memory that processes share
 * case a_volatile_flag: refused uses a volatile object in memory that processes share
 * case memory_of_shm_open: refused uses a semaphore in memory that processes share
 * case memory_of_shmat: refused uses a semaphore in memory that processes share
 * case memory_mapped_after_the_fork: refused uses a semaphore in memory that processes share
 * case memory_attached_after_the_fork: refused uses a semaphore in memory that processes share
 * case a_named_semaphore: refused uses a semaphore in memory that processes share
 * case a_named_semaphore_opened_by_the_child: refused opens a named semaphore while a process
 * case a_signal_to_a_child: refused sends a signal to a process
 * case a_signal_to_the_parent: refused sends a signal to a process
 * case a_signal_to_the_parent_that_has_threads: refused s a signal
 * case a_signal_to_the_group: refused sends a signal to a process
 * case a_child_that_lives_on: refused waits for a process after it created a thread
 * case a_child_that_waits_for_its_parent: refused waits for what another one does
 * case a_pipe_from_the_parent_to_a_thread: refused reads from a pipe or socket of several processes
 * case a_poll_of_a_pipe_from_the_parent: refused reads from a pipe or socket of several processes
 * case a_pipe_that_fills: refused fills a pipe or socket of several processes
 * case sigchld_in_a_thread: refused handles SIGCHLD and creates a thread
 * case a_result_in_shared_memory: ok 1
 * case a_mutex_when_the_child_has_ended: ok 2
 * case a_mutex_of_the_parent_while_the_child_execs: ok 2
 * case private_objects_in_a_child: ok 3
 * case a_pipe_from_the_child: ok 1
 * case a_pipe_to_the_child: ok 1
 * case a_pipe_from_a_child_with_threads: ok 3
 * case a_child_is_waited_for_by_a_thread: ok 2
 * case a_child_is_waited_for_by_a_thread --backend=fork: ok 2
 * case children_are_waited_for_in_each_way: ok 2
 * case a_child_is_killed: ok 1
 * case a_child_ends_while_the_parent_sleeps: ok 1
 * case a_parent_looks_now_and_then: ok 1
 * case sigchld_is_waited_for: ok 1
 * case sigchld_is_read: ok 1
 * case sigchld_is_read_in_a_thread: refused waits for a signal
 * case sigchld_is_polled_in_a_thread: refused waits for a signal
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

enum {
	PAGE = 4096,
	MS = 1000 /* of microseconds */
};

struct objects {
	sem_t sem;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	pthread_spinlock_t spin;
	pthread_rwlock_t rwlock;
	atomic_int flag;
	volatile int seen;
	uint32_t word;
	int result;
};

static struct objects *all;
static atomic_int x;
static volatile sig_atomic_t got;

static void *nothing(void *arg)
{
	return arg;
}

/* Two executions. */
static void *look(void *arg)
{
	(void)atomic_load(&x);
	return arg;
}

static void two_executions(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, look, NULL) == 0);
	atomic_store(&x, 1);
	assert(pthread_join(t, NULL) == 0);
}

static void handler(int sig)
{
	got = sig;
}

static void begin(struct objects *o)
{
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	pthread_barrierattr_t b;
	pthread_rwlockattr_t r;

	all = o;
	assert(pthread_mutexattr_init(&m) == 0 && pthread_condattr_init(&c) == 0);
	assert(pthread_barrierattr_init(&b) == 0 && pthread_rwlockattr_init(&r) == 0);
	assert(pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED) == 0);
	assert(sem_init(&o->sem, 1, 0) == 0 && pthread_mutex_init(&o->mutex, &m) == 0);
	assert(pthread_cond_init(&o->cond, &c) == 0);
	assert(pthread_barrier_init(&o->barrier, &b, 2) == 0);
	assert(pthread_spin_init(&o->spin, PTHREAD_PROCESS_SHARED) == 0);
	assert(pthread_rwlock_init(&o->rwlock, &r) == 0);
}

static void begin_mapped(void)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert(at != MAP_FAILED);
	begin(at);
}

static pid_t fork_it(void)
{
	pid_t pid = fork();

	assert(pid >= 0);
	return pid;
}

static void ends_well(void)
{
	int status = -1;

	assert(wait(&status) > 0 && status == 0);
}

/* The first of these is done by a child, and the second by its parent. */
#define PROCESSES(in_child, in_parent) \
	do {                           \
		if (!fork_it()) {      \
			in_child;      \
			_exit(0);      \
		}                      \
		in_parent;             \
		ends_well();           \
	} while (0)

#define SHARED(name, in_child, in_parent)       \
	static void name(void)                  \
	{                                       \
		begin_mapped();                 \
		PROCESSES(in_child, in_parent); \
	}

static void *wait_for_sem(void *arg)
{
	assert(sem_wait(&all->sem) == 0);
	return arg;
}

static void tried(void)
{
	while (sem_trywait(&all->sem))
		usleep(MS);
}

static void wait_for_result(void)
{
	assert(pthread_mutex_lock(&all->mutex) == 0);
	while (!all->result)
		assert(pthread_cond_wait(&all->cond, &all->mutex) == 0);
	assert(pthread_mutex_unlock(&all->mutex) == 0);
}

static void wait_for_word(void)
{
	do
		syscall(SYS_futex, &all->word, FUTEX_WAIT, 0, NULL, NULL, 0);
	while (!*(volatile uint32_t *)&all->word);
}

SHARED(a_semaphore_that_the_child_posts, sem_post(&all->sem), sem_wait(&all->sem))
SHARED(a_semaphore_that_the_child_waits_for, sem_wait(&all->sem), sem_post(&all->sem))
SHARED(a_semaphore_that_is_tried, sem_post(&all->sem), tried())
SHARED(a_semaphore_behind_a_thread, sem_post(&all->sem), THREADS(1, nothing); sem_wait(&all->sem))
SHARED(a_semaphore_of_a_thread, usleep(MS); sem_post(&all->sem), THREADS(1, wait_for_sem))
SHARED(a_semaphore_of_a_child_with_threads, THREADS(1, nothing); sem_post(&all->sem);
       sem_wait(&all->sem), sem_wait(&all->sem); sem_post(&all->sem))
SHARED(a_semaphore_of_two_children, sem_wait(&all->sem), PROCESSES(sem_post(&all->sem), ))
SHARED(a_semaphore_of_a_child_of_a_child, PROCESSES(sem_post(&all->sem), sem_wait(&all->sem)), )
SHARED(a_mutex, pthread_mutex_lock(&all->mutex);
       pthread_mutex_unlock(&all->mutex), pthread_mutex_lock(&all->mutex);
       pthread_mutex_unlock(&all->mutex))
SHARED(a_condition_variable, all->result = 1; pthread_cond_signal(&all->cond), wait_for_result())
SHARED(a_barrier, pthread_barrier_wait(&all->barrier), pthread_barrier_wait(&all->barrier))
SHARED(a_spin_lock, pthread_spin_lock(&all->spin);
       pthread_spin_unlock(&all->spin), pthread_spin_lock(&all->spin);
       pthread_spin_unlock(&all->spin))
SHARED(a_read_write_lock, pthread_rwlock_wrlock(&all->rwlock);
       pthread_rwlock_unlock(&all->rwlock), pthread_rwlock_rdlock(&all->rwlock);
       pthread_rwlock_unlock(&all->rwlock))
SHARED(a_futex, all->word = 1;
       syscall(SYS_futex, &all->word, FUTEX_WAKE, 1, NULL, NULL, 0), wait_for_word())
SHARED(an_atomic_flag, atomic_store(&all->flag, 1), while (!atomic_load(&all->flag)))
SHARED(a_volatile_flag, usleep(200 * MS); all->seen = 1, while (!all->seen))
static void a_result_in_shared_memory(void)
{
	begin_mapped();
	PROCESSES(all->result = 42, );
	assert(all->result == 42);
	THREADS(1, nothing);
}

static void memory_of_shm_open(void)
{
	char name[32];
	void *at;
	int fd;

	snprintf(name, sizeof(name), "/heddle-kin-%d", (int)getpid());
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert(fd >= 0 && shm_unlink(name) == 0 && ftruncate(fd, PAGE) == 0);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert(at != MAP_FAILED);
	begin(at);
	PROCESSES(sem_post(&all->sem), sem_wait(&all->sem));
}

static void memory_of_shmat(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
	void *at = shmat(id, NULL, 0);

	assert(id >= 0 && at != (void *)-1 && shmctl(id, IPC_RMID, NULL) == 0);
	begin(at);
	PROCESSES(sem_post(&all->sem), sem_wait(&all->sem));
}

static void *map_it(int fd)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void memory_mapped_after_the_fork(void)
{
	int fd = memfd_create("kin", 0);

	assert(fd >= 0 && ftruncate(fd, PAGE) == 0);
	PROCESSES(sem_post(&((struct objects *)map_it(fd))->sem), all = map_it(fd);
		  sem_wait(&all->sem));
}

static void memory_attached_after_the_fork(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);

	PROCESSES(sem_post(&((struct objects *)shmat(id, NULL, 0))->sem), all = shmat(id, NULL, 0);
		  shmctl(id, IPC_RMID, NULL); sem_wait(&all->sem));
}

static sem_t *open_named(int flags)
{
	sem_t *s = sem_open("/heddle-kin", flags, 0600, 0);

	assert(s != SEM_FAILED);
	return s;
}

static void a_named_semaphore(void)
{
	sem_t *s = open_named(O_CREAT);

	PROCESSES(sem_post(s), sem_wait(s));
	sem_unlink("/heddle-kin");
}

static void a_named_semaphore_opened_by_the_child(void)
{
	sem_t *s = open_named(O_CREAT);

	PROCESSES(sem_post(open_named(0)), usleep(100 * MS); sem_wait(s));
	sem_unlink("/heddle-kin");
}

/* ---- Signals ---- */

static sigset_t none;

static void a_signal_to_a_child(void)
{
	pid_t pid = fork_it();

	if (!pid) {
		signal(SIGUSR1, handler);
		sigsuspend(&none);
		_exit(got != SIGUSR1);
	}
	sleep(1);
	kill(pid, SIGUSR1);
	ends_well();
}

static void wait_for_usr1(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	signal(SIGUSR1, handler);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void a_signal_to_the_parent(void)
{
	wait_for_usr1();
	PROCESSES(usleep(MS); kill(getppid(), SIGUSR1), sigsuspend(&none));
}

static void a_signal_to_the_parent_that_has_threads(void)
{
	wait_for_usr1();
	PROCESSES(usleep(100 * MS); kill(getppid(), SIGUSR1), THREADS(1, nothing);
		  sigsuspend(&none));
}

static void a_signal_to_the_group(void)
{
	signal(SIGUSR1, SIG_IGN);
	PROCESSES(usleep(100 * MS), kill(0, SIGUSR1));
}

static void sigchld_in_a_thread(void)
{
	signal(SIGCHLD, handler);
	PROCESSES(usleep(600 * MS), THREADS(1, nothing));
}

static void sigchld_is_waited_for(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	PROCESSES(usleep(MS), assert(sigwait(&set, &sig) == 0 && sig == SIGCHLD));
	THREADS(1, nothing);
}

static int sigchld_fd;

static void sigchld_by_descriptor(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigchld_fd = signalfd(-1, &set, 0);
}

static void *read_sigchld(void *arg)
{
	struct signalfd_siginfo info;

	assert(read(sigchld_fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGCHLD);
	return arg;
}

static void *poll_sigchld(void *arg)
{
	struct pollfd p = { .fd = sigchld_fd, .events = POLLIN };

	assert(poll(&p, 1, -1) == 1);
	return arg;
}

static void sigchld_is_read(void)
{
	sigchld_by_descriptor();
	PROCESSES(usleep(MS), read_sigchld(NULL));
	THREADS(1, nothing);
}

static void sigchld_is_read_in_a_thread(void)
{
	sigchld_by_descriptor();
	PROCESSES(usleep(600 * MS), THREADS(1, read_sigchld));
}

static void sigchld_is_polled_in_a_thread(void)
{
	sigchld_by_descriptor();
	PROCESSES(usleep(600 * MS), THREADS(1, poll_sigchld));
}

/* ---- Waiting for each other ---- */

static int to_child[2], to_parent[2];

static void pipes(void)
{
	assert(pipe(to_child) == 0 && pipe(to_parent) == 0);
}

static void take(int fd)
{
	char c;

	assert(read(fd, &c, 1) == 1);
}

static void put(int fd)
{
	assert(write(fd, "x", 1) == 1);
}

static void a_child_that_lives_on(void)
{
	pipes();
	PROCESSES(take(to_child[0]), THREADS(1, nothing); put(to_child[1]));
}

static void a_child_that_waits_for_its_parent(void)
{
	pipes();
	PROCESSES(take(to_child[0]); THREADS(1, nothing), put(to_child[1]));
}

static void *take_it(void *arg)
{
	take(to_child[0]);
	return arg;
}

static void a_pipe_from_the_parent_to_a_thread(void)
{
	pipes();
	PROCESSES(THREADS(1, take_it), put(to_child[1]));
}

static void *poll_it(void *arg)
{
	struct pollfd p = { .fd = to_child[0], .events = POLLIN };

	assert(poll(&p, 1, -1) == 1);
	return arg;
}

static void a_poll_of_a_pipe_from_the_parent(void)
{
	pipes();
	PROCESSES(THREADS(1, poll_it), put(to_child[1]));
}

static void *fill_it(void *arg)
{
	static char much[3 * PAGE];

	for (int i = 0; i < 8; i++)
		assert(write(to_parent[1], much, sizeof(much)) == sizeof(much));
	return arg;
}

static void take_all(void)
{
	char much[PAGE];

	for (size_t n = 0; n < 8 * 3 * sizeof(much);)
		n += (size_t)read(to_parent[0], much, sizeof(much));
}

static void a_pipe_that_fills(void)
{
	pipes();
	PROCESSES(THREADS(1, fill_it), take_all());
}

static void a_pipe_from_the_child(void)
{
	pipes();
	PROCESSES(usleep(MS); put(to_parent[1]), take(to_parent[0]));
	THREADS(1, nothing);
}

static void a_pipe_to_the_child(void)
{
	pipes();
	PROCESSES(take(to_child[0]), put(to_child[1]));
	THREADS(1, nothing);
}

static void *put_it(void *arg)
{
	put(to_parent[1]);
	return arg;
}

static void a_pipe_from_a_child_with_threads(void)
{
	pipes();
	PROCESSES(THREADS(2, put_it), take(to_parent[0]); take(to_parent[0]));
	THREADS(1, nothing);
}

/* ---- What is a process's own ---- */

static void a_mutex_when_the_child_has_ended(void)
{
	begin_mapped();
	PROCESSES(all->result = 1, );
	assert(pthread_mutex_lock(&all->mutex) == 0 && pthread_mutex_unlock(&all->mutex) == 0);
	two_executions();
}

static void a_mutex_of_the_parent_while_the_child_execs(void)
{
	begin_mapped();
	if (!fork_it()) {
		execlp("sleep", "sleep", "2", NULL);
		_exit(1);
	}
	usleep(500 * MS);
	assert(pthread_mutex_lock(&all->mutex) == 0 && pthread_mutex_unlock(&all->mutex) == 0);
	two_executions();
}

static void private_objects_in_a_child(void)
{
	static sem_t own;

	assert(sem_init(&own, 0, 1) == 0);
	PROCESSES(sem_wait(&own); two_executions(); sem_post(&own), );
	assert(sem_wait(&own) == 0);
	THREADS(1, nothing);
}

static void *reap(void *arg)
{
	int status = -1;

	assert(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert(wait(&status) == -1 && errno == ECHILD);
	return arg;
}

static void a_child_is_waited_for_by_a_thread(void)
{
	if (!fork_it())
		_exit(7);
	THREADS(1, reap);
	two_executions();
}

static void children_are_waited_for_in_each_way(void)
{
	siginfo_t info = { 0 };
	struct rusage usage;
	int status = 0;
	pid_t pid[3];

	for (int i = 0; i < 3; i++) {
		pid[i] = fork_it();
		if (!pid[i])
			_exit(i + 1);
	}
	two_executions();
	assert(waitid(P_PID, (id_t)pid[1], &info, WEXITED | WNOWAIT) == 0);
	assert(info.si_pid == pid[1] && info.si_code == CLD_EXITED && info.si_status == 2);
	assert(waitpid(pid[1], &status, WNOHANG) == pid[1] && WEXITSTATUS(status) == 2);
	assert(waitpid(pid[1], &status, 0) == -1 && errno == ECHILD);
	assert(wait4(pid[2], &status, 0, &usage) == pid[2] && WEXITSTATUS(status) == 3);
	assert(wait3(&status, 0, NULL) == pid[0] && WEXITSTATUS(status) == 1);
	assert(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

static void a_child_is_killed(void)
{
	pid_t pid = fork_it();
	int status;

	if (!pid)
		for (;;)
			pause();
	assert(kill(pid, 0) == 0 && kill(pid, SIGKILL) == 0);
	assert(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	THREADS(1, nothing);
}

/* Time goes by for all of them. */
static void a_child_ends_while_the_parent_sleeps(void)
{
	signal(SIGCHLD, handler);
	PROCESSES(usleep(20 * MS), assert(sleep(30) > 0 && got == SIGCHLD));
	THREADS(1, nothing);
}

static void a_parent_looks_now_and_then(void)
{
	pid_t pid = fork_it(), ended = 0;
	int status = -1;

	if (!pid) {
		usleep(20 * MS);
		_exit(0);
	}
	for (int i = 0; i < 2000 && !ended; i++) {
		ended = waitpid(pid, &status, WNOHANG);
		usleep(10 * MS);
	}
	assert(ended == pid && status == 0);
	THREADS(1, nothing);
}

CASES(CASE(a_semaphore_that_the_child_posts), CASE(a_semaphore_that_the_child_waits_for),
      CASE(a_semaphore_that_is_tried), CASE(a_semaphore_behind_a_thread),
      CASE(a_semaphore_of_a_thread), CASE(a_semaphore_of_a_child_with_threads),
      CASE(a_semaphore_of_two_children), CASE(a_semaphore_of_a_child_of_a_child), CASE(a_mutex),
      CASE(a_condition_variable), CASE(a_barrier), CASE(a_spin_lock), CASE(a_read_write_lock),
      CASE(a_futex), CASE(an_atomic_flag), CASE(a_volatile_flag), CASE(memory_of_shm_open),
      CASE(memory_of_shmat), CASE(memory_mapped_after_the_fork),
      CASE(memory_attached_after_the_fork), CASE(a_named_semaphore),
      CASE(a_named_semaphore_opened_by_the_child), CASE(a_signal_to_a_child),
      CASE(a_signal_to_the_parent), CASE(a_signal_to_the_parent_that_has_threads),
      CASE(a_signal_to_the_group), CASE(a_child_that_lives_on),
      CASE(a_child_that_waits_for_its_parent), CASE(a_pipe_from_the_parent_to_a_thread),
      CASE(a_poll_of_a_pipe_from_the_parent), CASE(a_pipe_that_fills), CASE(sigchld_in_a_thread),
      CASE(a_result_in_shared_memory), CASE(a_mutex_when_the_child_has_ended),
      CASE(a_mutex_of_the_parent_while_the_child_execs), CASE(private_objects_in_a_child),
      CASE(a_pipe_from_the_child), CASE(a_pipe_to_the_child),
      CASE(a_pipe_from_a_child_with_threads), CASE(a_child_is_waited_for_by_a_thread),
      CASE(children_are_waited_for_in_each_way), CASE(a_child_is_killed),
      CASE(a_child_ends_while_the_parent_sleeps), CASE(a_parent_looks_now_and_then),
      CASE(sigchld_is_waited_for), CASE(sigchld_is_read), CASE(sigchld_is_read_in_a_thread),
      CASE(sigchld_is_polled_in_a_thread))

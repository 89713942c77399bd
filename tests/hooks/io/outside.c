/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside.c - what leads out of a program: descriptors that are no channels of its own, libraries, and
 * system calls by number
 *
 * case reads_what_nobody_writes: refused waits in read()
 * case readv_of_what_nobody_writes: refused waits in readv()
 * case writes_where_nobody_reads: refused waits in write()
 * case writev_where_nobody_reads: refused waits in writev()
 * case reads_what_is_there: ok 1
 * case opens_a_fifo: refused opens the FIFO fifo
 * case opens_a_fifo_in_a_folder: refused opens the FIFO fifo
 * case creates_what_is_a_fifo: refused opens the FIFO fifo
 * case a_stream_of_a_fifo: refused opens the FIFO fifo
 * case opens_fifos_without_waiting: ok 1
 * case opens_a_pipe_by_its_name: ok 1
 * case polls_what_never_comes: refused none is a pipe
 * case selects_what_never_comes: refused none is a pipe
 * case polls_it_for_some_time: ok 1
 * case a_stream_of_a_file: ok 1
 * case a_set_within_a_set: refused waiting for an epoll descriptor
 * case polls_a_set: refused waiting for an epoll descriptor
 * case duplicates_a_set: refused a second descriptor for one of epoll
 * case an_edge_from_outside: refused EPOLLET of a descriptor that is no pipe
 * case watches_before_it_connects: refused a socket that is connected, or listens, after
 * case watches_what_is_outside: ok 3
 * case passes_descriptors: refused passing descriptors
 * case files_by_all_calls: ok 2
 * case a_library: ok 2
 * case a_library_from_before: ok 2
 * case protected_memory: ok 2
 * case writes_to_protected_memory: bug crash at *(volatile char *)page = 2
 * case clone_by_number: refused makes a thread or process by syscall()
 * case clone3_by_number: refused makes a thread or process by syscall()
 * case fork_by_number: refused makes a thread or process by syscall()
 * case vfork_by_number: refused makes a thread or process by syscall()
 * case execve_by_number: refused replaces itself by syscall()
 * case execveat_by_number: refused replaces itself by syscall()
 * case exit_by_number: refused ends a thread by syscall()
 * case others_by_number: ok 2
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

#define IN_A_THREAD(name)                         \
	static void *name##_in_thread(void *arg); \
	static void name(void)                    \
	{                                         \
		THREADS(1, name##_in_thread);     \
	}                                         \
	static void *name##_in_thread(void *arg)

static char byte, bytes[65536];
static struct iovec one = { &byte, 1 };
static atomic_int flag;

/* A pipe by its name: heddle knows only those that are made. Nothing comes. */
static int empty_fifo(void)
{
	int fd;

	unlink("fifo");
	assert(mkfifo("fifo", 0600) == 0);
	fd = open("fifo", O_RDWR);
	assert(fd >= 0 && unlink("fifo") == 0);
	return fd;
}

static int full_fifo(void)
{
	int fd = empty_fifo();

	assert(write(fd, bytes, sizeof(bytes)) == sizeof(bytes));
	return fd;
}

IN_A_THREAD(reads_what_nobody_writes)
{
	assert(read(empty_fifo(), bytes, 8) != 8);
	return arg;
}

IN_A_THREAD(readv_of_what_nobody_writes)
{
	struct iovec v = { bytes, 8 };

	assert(readv(empty_fifo(), &v, 1) != 8);
	return arg;
}

IN_A_THREAD(writes_where_nobody_reads)
{
	assert(write(full_fifo(), "x", 1) != 1);
	return arg;
}

IN_A_THREAD(writev_where_nobody_reads)
{
	assert(writev(full_fifo(), &one, 1) != 1);
	return arg;
}

IN_A_THREAD(reads_what_is_there)
{
	int fd = full_fifo();

	assert(read(fd, bytes, 4096) == 4096 && write(fd, "x", 1) == 1);
	close(fd);
	return arg;
}

static void make_fifo(void)
{
	unlink("fifo");
	assert(mkfifo("fifo", 0600) == 0);
}

/* Nobody opens the other side. */
IN_A_THREAD(opens_a_fifo)
{
	make_fifo();
	assert(open("fifo", O_RDONLY) < 0);
	return arg;
}

IN_A_THREAD(opens_a_fifo_in_a_folder)
{
	int dir = open("/", O_PATH | O_DIRECTORY);

	make_fifo();
	assert(openat(dir, "fifo", O_WRONLY) < 0);
	close(dir);
	dir = open(".", O_PATH | O_DIRECTORY);
	assert(openat(dir, "fifo", O_WRONLY) < 0);
	return arg;
}

IN_A_THREAD(creates_what_is_a_fifo)
{
	make_fifo();
	assert(creat("fifo", 0600) < 0);
	return arg;
}

IN_A_THREAD(a_stream_of_a_fifo)
{
	make_fifo();
	assert(!fopen("fifo", "r"));
	return arg;
}

IN_A_THREAD(opens_fifos_without_waiting)
{
	int fd[3];
	FILE *f;

	make_fifo();
	fd[0] = open("fifo", O_PATH);
	fd[1] = open("fifo", O_RDONLY | O_NONBLOCK);
	fd[2] = open("fifo", O_RDWR);
	f = fopen("fifo", "r+");
	assert(fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 && f);
	fclose(f);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	unlink("fifo");
	return arg;
}

IN_A_THREAD(opens_a_pipe_by_its_name)
{
	char name[32];
	int p[2], fd;

	assert(pipe(p) == 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", p[1]);
	fd = open(name, O_WRONLY);
	assert(fd >= 0);
	close(fd);
	close(p[0]);
	close(p[1]);
	return arg;
}

IN_A_THREAD(polls_what_never_comes)
{
	struct pollfd p = { .fd = empty_fifo(), .events = POLLIN };

	assert(poll(&p, 1, -1) != 1);
	return arg;
}

IN_A_THREAD(selects_what_never_comes)
{
	int fd = empty_fifo();
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd, &in);
	assert(select(fd + 1, &in, NULL, NULL, NULL) != 1);
	return arg;
}

IN_A_THREAD(polls_it_for_some_time)
{
	struct pollfd p = { .fd = empty_fifo(), .events = POLLIN };

	assert(poll(&p, 1, 1) == 0 && p.revents == 0);
	close(p.fd);
	return arg;
}

/* ---- Streams ---- */

IN_A_THREAD(a_stream_of_a_file)
{
	FILE *f = fdopen(open("program", O_RDONLY), "r");

	assert(f && fgetc(f) == 0x7f);
	f = freopen("/dev/null", "r", f);
	assert(f && fgetc(f) == EOF && fclose(f) == 0);
	return arg;
}

/* ---- epoll ---- */

static struct epoll_event in = { .events = EPOLLIN };
static int set, ends[2];

IN_A_THREAD(a_set_within_a_set)
{
	int outer = epoll_create1(0), inner = epoll_create1(0);
	struct epoll_event e;

	assert(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &in) == 0);
	epoll_wait(outer, &e, 1, 0);
	return arg;
}

IN_A_THREAD(polls_a_set)
{
	struct pollfd p = { .fd = epoll_create1(0), .events = POLLIN };

	poll(&p, 1, 0);
	return arg;
}

IN_A_THREAD(duplicates_a_set)
{
	dup(epoll_create1(0));
	return arg;
}

IN_A_THREAD(an_edge_from_outside)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };

	set = epoll_create1(0);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, empty_fifo(), &e) == 0);
	epoll_wait(set, &e, 1, -1);
	return arg;
}

IN_A_THREAD(watches_before_it_connects)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int s = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);

	assert(bind(s, (struct sockaddr *)&at, size) == 0 && listen(s, 1) == 0);
	assert(getsockname(s, (struct sockaddr *)&at, &size) == 0);
	set = epoll_create1(0);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, client, &in) == 0);
	connect(client, (struct sockaddr *)&at, size);
	return arg;
}

static void *write_to_ends(void *arg)
{
	assert(write(ends[1], "x", 1) == 1);
	return arg;
}

/* Nothing comes from the timer; what is there in the file is told each time, or once if so asked. */
static void watches_what_is_outside(void)
{
	struct epoll_event once = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = 1 }, e;
	int fifo = full_fifo();
	pthread_t t;

	set = epoll_create1(0);
	assert(pipe(ends) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &in) == 0);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, empty_fifo(), &in) == 0);
	t = begin(write_to_ends, NULL);
	assert(epoll_wait(set, &e, 1, -1) == 1 && e.events == EPOLLIN && e.data.u64 == 0);
	end(t);
	assert(read(ends[0], bytes, 1) == 1 && epoll_wait(set, &e, 1, 0) == 0);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, fifo, &once) == 0);
	assert(epoll_wait(set, &e, 1, -1) == 1 && e.events == EPOLLIN && e.data.u64 == 1);
	assert(epoll_wait(set, &e, 1, 0) == 0);
	once.events = EPOLLIN;
	assert(epoll_ctl(set, EPOLL_CTL_MOD, fifo, &once) == 0);
	for (int i = 0; i < 2; i++)
		assert(epoll_wait(set, &e, 1, -1) == 1 && e.data.u64 == 1);
	close(fifo);
	assert(epoll_wait(set, &e, 1, 0) == 0);
}

/* ---- Sockets ---- */

IN_A_THREAD(passes_descriptors)
{
	struct msghdr m = { .msg_iov = &one,
			    .msg_iovlen = 1,
			    .msg_control = bytes,
			    .msg_controllen = CMSG_SPACE(sizeof(int)) };

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	sendmsg(ends[0], &m, 0);
	return arg;
}

/* ---- Files ---- */

static void *use_files(void *arg)
{
	int fd = creat("outside-1", 0600),
	    other = openat(AT_FDCWD, "outside-2", O_CREAT | O_RDWR, 0600);

	assert(fd >= 0 && other >= 0 && pwrite(fd, "abc", 3, 1) == 3);
	assert(lseek(fd, 0, SEEK_CUR) == 0 && write(fd, "x", 1) == 1);
	assert(dup2(fd, other) == other && write(other, "y", 1) == 1);
	assert(fcntl(other, F_GETFD) == 0 && dup3(fd, other, O_CLOEXEC) == other);
	assert(fcntl(other, F_GETFD) == FD_CLOEXEC);
	assert(close(fd) == 0 && close(other) == 0);
	assert(rename("outside-1", "outside-2") == 0);
	fd = open64("outside-2", O_RDONLY);
	assert(pread(fd, bytes, 9, 0) == 4 && !memcmp(bytes, "xybc", 4));
	assert(close(fd) == 0 && unlink("outside-2") == 0);
	assert(mkdir("outside-3", 0700) == 0 && rmdir("outside-3") == 0);
	atomic_fetch_add(&flag, 1);
	return arg;
}

/* In each execution anew, whoever comes first. */
static void files_by_all_calls(void)
{
	pthread_t t = begin(use_files, NULL);

	atomic_fetch_add(&flag, 1);
	end(t);
}

static void *use_library(void *arg)
{
	void *libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
	double (*root)(double);

	assert(libm);
	*(void **)&root = dlsym(libm, "sqrt");
	assert(root && root(16) == 4);
	atomic_fetch_add(&flag, 1);
	assert(dlclose(libm) == 0);
	return arg;
}

static void a_library(void)
{
	pthread_t t = begin(use_library, NULL);

	atomic_fetch_add(&flag, 1);
	end(t);
}

/* What an execution unloads is there again in the next one. */
static void a_library_from_before(void)
{
	void *libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
	pthread_t t = begin(use_library, NULL);

	assert(libm);
	atomic_fetch_add(&flag, 1);
	end(t);
	assert(dlclose(libm) == 0 && !dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD));
}

/* ---- Memory ---- */

static char *page;

static void *protect(void *arg)
{
	assert(mprotect(page, 4096, PROT_READ) == 0);
	atomic_fetch_add(&flag, 1);
	if (arg)
		*(volatile char *)page = 2;
	assert(*(volatile char *)page == 1 && mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
	*(volatile char *)page = 3;
	return NULL;
}

static void protect_in_a_thread(void *arg)
{
	pthread_t t;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(page != MAP_FAILED);
	*page = 1;
	t = begin(protect, arg);
	atomic_fetch_add(&flag, 1);
	end(t);
	assert(*page == 3 && munmap(page, 4096) == 0);
}

static void protected_memory(void)
{
	protect_in_a_thread(NULL);
}

static void writes_to_protected_memory(void)
{
	protect_in_a_thread(&flag);
}

/* ---- By number ---- */

#define BY_NUMBER(name, ...)          \
	IN_A_THREAD(name##_by_number) \
	{                             \
		syscall(__VA_ARGS__); \
		return arg;           \
	}

BY_NUMBER(clone, SYS_clone, 0, 0, 0, 0, 0)
BY_NUMBER(clone3, SYS_clone3, NULL, 0)
BY_NUMBER(fork, SYS_fork)
BY_NUMBER(vfork, SYS_vfork)
BY_NUMBER(execve, SYS_execve, "no-such-program", NULL, NULL)
BY_NUMBER(execveat, SYS_execveat, AT_FDCWD, "no-such-program", NULL, NULL, 0)
BY_NUMBER(exit, SYS_exit, 0)

/* What the kernel gives is the same each time: the descriptor of the last execution is gone. */
static void *make_file(void *arg)
{
	long fd = syscall(SYS_memfd_create, "file", 0);

	assert(fd >= 0);
	atomic_store(&flag, (int)fd);
	return arg;
}

static void others_by_number(void)
{
	int next = dup(0), seen;
	pthread_t t;

	close(next);
	t = begin(make_file, NULL);
	seen = atomic_load(&flag);
	assert(seen == 0 || seen == next);
	end(t);
}

CASES(CASE(reads_what_nobody_writes), CASE(readv_of_what_nobody_writes),
      CASE(writes_where_nobody_reads), CASE(writev_where_nobody_reads), CASE(reads_what_is_there),
      CASE(opens_a_fifo), CASE(opens_a_fifo_in_a_folder), CASE(creates_what_is_a_fifo),
      CASE(a_stream_of_a_fifo), CASE(opens_fifos_without_waiting), CASE(opens_a_pipe_by_its_name),
      CASE(polls_what_never_comes), CASE(selects_what_never_comes), CASE(polls_it_for_some_time),
      CASE(a_stream_of_a_file), CASE(watches_before_it_connects), CASE(watches_what_is_outside),
      CASE(a_set_within_a_set), CASE(polls_a_set), CASE(duplicates_a_set),
      CASE(an_edge_from_outside), CASE(passes_descriptors), CASE(files_by_all_calls),
      CASE(a_library), CASE(a_library_from_before), CASE(protected_memory),
      CASE(writes_to_protected_memory), CASE(clone_by_number), CASE(clone3_by_number),
      CASE(fork_by_number), CASE(vfork_by_number), CASE(execve_by_number), CASE(execveat_by_number),
      CASE(exit_by_number), CASE(others_by_number))

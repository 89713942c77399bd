/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_busy.c - does a process think, or does its program loop? (controller/run/busy.h)
 *
 * A child has a file of the runtime's name in memory, whose only function calls another one again and again.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/run/busy.h"
#include "suite.h"

enum {
	PAGE = 4096,
	LARGE = 16 << 20
};

typedef void *called(void *, const void *, size_t);

/* for (;;) fn(a, b, c); */
void again(called *fn, void *a, const void *b, size_t c);
extern const char again_end[];
__asm__(".text\n"
	"again:\n"
	"	push %rbp\n"
	"	mov %rdi, %rbx\n"
	"	mov %rsi, %r12\n"
	"	mov %rdx, %r13\n"
	"	mov %rcx, %r14\n"
	"1:	mov %r12, %rdi\n"
	"	mov %r13, %rsi\n"
	"	mov %r14, %rdx\n"
	"	call *%rbx\n"
	"	jmp 1b\n"
	"again_end:\n");

/* For ever, without the stack. */
void *loops(void *a, const void *b, size_t n);
__asm__(".text\n"
	"loops:	jmp loops\n");

static void *sleeps(void *a, const void *b, size_t n)
{
	(void)a;
	(void)b;
	(void)n;
	return (void *)(intptr_t)pause();
}

/* The function, as one of the runtime. */
static void *in_the_runtime(void)
{
	char folder[] = "check_busy.XXXXXX", name[64];
	size_t size = (size_t)(again_end - (const char *)(uintptr_t)again);
	void *at;
	int fd;

	ck_assert(mkdtemp(folder) != NULL);
	snprintf(name, sizeof(name), "%s/libheddle-rt.so", folder);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq((int)write(fd, (const void *)(uintptr_t)again, size), (int)size);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ck_assert(at != MAP_FAILED);
	close(fd);
	unlink(name);
	rmdir(folder);
	return at;
}

/* Is a child that calls fn again and again busy? */
static bool is_busy(void *by, called *fn)
{
	char *from = malloc(LARGE), *to = malloc(LARGE);
	void (*call)(called *, void *, const void *, size_t);
	pid_t child = fork();
	bool busy;

	memcpy(&call, &by, sizeof(call));
	ck_assert(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		memset(from, 1, LARGE);
		memset(to, 1, LARGE);
		call(fn, to, from, LARGE);
	}
	usleep(100000); /* it is there by then */
	busy = runtime_is_busy(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	free(from);
	free(to);
	return busy;
}

static void *own(void)
{
	void *at;
	void (*fn)(called *, void *, const void *, size_t) = again;

	memcpy(&at, &fn, sizeof(at));
	return at;
}

/* libc's, and not that of a sanitizer. */
static called *copies(void)
{
	void *at = dlsym(dlopen("libc.so.6", RTLD_NOW), "memcpy");
	called *fn;

	ck_assert(at != NULL);
	memcpy(&fn, &at, sizeof(fn));
	return fn;
}

START_TEST(the_runtime_copies)
{
	ck_assert(is_busy(in_the_runtime(), copies()));
}
END_TEST

START_TEST(the_program_copies)
{
	ck_assert(!is_busy(own(), copies()));
}
END_TEST

/* As that of a thread, which the runtime has called. */
START_TEST(a_function_of_the_program_loops)
{
	ck_assert(!is_busy(in_the_runtime(), loops));
}
END_TEST

START_TEST(the_runtime_waits_in_the_kernel)
{
	ck_assert(!is_busy(in_the_runtime(), sleeps));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("busy");
	TCase *tc = tcase_create("what a process does");

	tcase_add_test(tc, the_runtime_copies);
	tcase_add_test(tc, the_program_copies);
	tcase_add_test(tc, a_function_of_the_program_loops);
	tcase_add_test(tc, the_runtime_waits_in_the_kernel);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}

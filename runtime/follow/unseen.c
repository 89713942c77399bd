/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unseen.c - programs that the loader loads nothing into
 *
 * It ignores LD_PRELOAD in those that run with other privileges, and there is no loader in those that are
 * statically linked. Then nothing of them is seen, nor of what they start if they do not hand on their
 * environment. So they are noted before they begin.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "follow/follow.h"

enum {
	HEAD = 4096,
	SCRIPTS = 4 /* that run each other: more than the kernel follows */
};

static const char *unseen_elf(const unsigned char *head, size_t n)
{
	Elf64_Ehdr eh;

	if (n < sizeof(eh))
		return NULL;
	memcpy(&eh, head, sizeof(eh));
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != EM_X86_64)
		return "it is built for another machine";
	for (size_t i = 0; i < eh.e_phnum; i++) {
		size_t at = eh.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr ph;

		if (at > n || n - at < sizeof(ph))
			return NULL; /* not where linkers put it: nothing is known */
		memcpy(&ph, head + at, sizeof(ph));
		if (ph.p_type == PT_INTERP)
			return NULL;
	}
	return "it is statically linked";
}

static const char *unseen_mode(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	if (st.st_mode & S_ISUID && st.st_uid != getuid())
		return "it is setuid";
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid())
		return "it is setgid";
	return NULL;
}

/* The interpreter of a script, in place of its name; false: it is none. */
static bool interpreter(const char *head, size_t n, char *name)
{
	const char *at = head + 2, *end = head + n;
	size_t length = 0;

	if (n < 2 || head[0] != '#' || head[1] != '!')
		return false;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (at + length < end && !strchr(" \t\r\n", at[length]) && length < PATH_MAX - 1)
		length++;
	memcpy(name, at, length);
	name[length] = 0;
	return length > 0;
}

static const char *look(const char *file)
{
	char head[HEAD], name[PATH_MAX];
	const char *why = NULL;

	for (int i = 0; i < SCRIPTS; i++) {
		int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
		bool elf = n > 4 && !memcmp(head, ELFMAG, SELFMAG);

		if (elf)
			why = unseen_mode(fd);
		if (fd >= 0)
			close(fd);
		if (elf && !why)
			why = unseen_elf((unsigned char *)head, (size_t)n);
		if (n <= 0 || elf || !interpreter(head, (size_t)n, name))
			break;
		file = name;
	}
	return why;
}

const char *unseen(const char *file)
{
	int before = errno;
	const char *why = look(file);

	errno = before;
	return why;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_inet.c - addresses of the Internet as text, as plain accesses
 *
 * As in hook_string.c: only calls from instrumented code count.
 */
/*
 * intercepts: Memory
 *
 * checked inet_pton inet_ntop inet_aton inet_addr - plain reads of what is converted, plain
 *	writes of what comes out, when instrumented code calls them
 */
#include "preload/hooks/announce.h"

#include <arpa/inet.h>
#include <errno.h>

static size_t size_of(int family)
{
	return family == AF_INET    ? sizeof(struct in_addr)
	       : family == AF_INET6 ? sizeof(struct in6_addr)
				    : 0;
}

HEDDLE_HOOK int inet_pton(int family, const char *restrict text, void *restrict to)
{
	uint64_t pc = CALLER();
	struct in6_addr own;

	if (seen(pc) && size_of(family)) {
		reads_text(text, SIZE_MAX, pc);
		if (REAL(inet_pton)(family, text, &own) == 1)
			writes(to, size_of(family), pc);
	}
	return REAL(inet_pton)(family, text, to);
}

HEDDLE_HOOK const char *inet_ntop(int family, const void *restrict address, char *restrict to,
				  socklen_t n)
{
	uint64_t pc = CALLER();
	char own[INET6_ADDRSTRLEN];
	int error = errno;

	if (seen(pc) && size_of(family)) {
		reads(address, size_of(family), pc);
		if (REAL(inet_ntop)(family, address, own, sizeof(own)) && strlen(own) < n)
			writes(to, strlen(own) + 1, pc);
		errno = error;
	}
	return REAL(inet_ntop)(family, address, to, n);
}

HEDDLE_HOOK int inet_aton(const char *text, struct in_addr *to)
{
	uint64_t pc = CALLER();
	struct in_addr own;

	if (seen(pc)) {
		reads_text(text, SIZE_MAX, pc);
		if (REAL(inet_aton)(text, &own) && to)
			writes(to, sizeof(*to), pc);
	}
	return REAL(inet_aton)(text, to);
}

HEDDLE_HOOK in_addr_t inet_addr(const char *text)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_text(text, SIZE_MAX, pc);
	return REAL(inet_addr)(text);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_database.c - users, groups, hosts, services: results that the next call overwrites, as plain writes
 *
 * POSIX lets these be unsafe for threads: libc has one place for the results of a call, whoever makes it. So a call that found
 * something has written it. Those that end in _r have a place of the program's.
 */
/*
 * intercepts: Memory
 *
 * checked getpwnam getpwuid getpwent getgrnam getgrgid getgrent getspnam gethostbyname gethostbyname2 gethostbyaddr gethostent
 *	getservbyname getservbyport getservent getprotobyname getprotobynumber getprotoent getnetbyname getnetbyaddr getnetent - a plain write of the
 *	result, when instrumented code calls them; the result of one call is overwritten by the next
 * checked getpwnam_r getpwuid_r getgrnam_r getgrgid_r getspnam_r gethostbyname_r gethostbyname2_r gethostbyaddr_r getservbyname_r getservbyport_r
 *	getprotobyname_r getprotobynumber_r - plain writes of the result and of the pointer to it, when instrumented code calls them
 * internal getgrouplist getaddrinfo getnameinfo - made as they are
 */
#include "preload/hooks/announce.h"

#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <shadow.h>

#include "preload/code/modules.h"
#include "preload/facts/needs.h"
#include "preload/image/entered.h"

/* libc loads the libraries that look, on the way: that is as if the thread had called dlopen(). */
static void before_lookup(void)
{
	if (!under_engine())
		return;
	needs_fork_of_memory("looks up names, for which libc loads libraries");
	modules_load();
	entered_is_in = true;
	note_hidden_state(); /* of libc, and in files */
}

#define LOOKUP(type, name, params, args)                   \
	HEDDLE_HOOK struct type *name params               \
	{                                                  \
		uint64_t pc = CALLER();                    \
		struct type *found;                        \
                                                           \
		before_lookup();                           \
		found = REAL(name) args;                   \
		if (found && seen(pc)) {                   \
			int error = errno;                 \
                                                           \
			writes(found, sizeof(*found), pc); \
			errno = error;                     \
		}                                          \
		return found;                              \
	}
LOOKUP(passwd, getpwnam, (const char *name), (name))
LOOKUP(passwd, getpwuid, (uid_t user), (user))
LOOKUP(passwd, getpwent, (void), ())
LOOKUP(group, getgrnam, (const char *name), (name))
LOOKUP(group, getgrgid, (gid_t group), (group))
LOOKUP(group, getgrent, (void), ())
LOOKUP(spwd, getspnam, (const char *name), (name))
LOOKUP(hostent, gethostbyname, (const char *name), (name))
LOOKUP(hostent, gethostbyname2, (const char *name, int family), (name, family))
LOOKUP(hostent, gethostbyaddr, (const void *at, socklen_t n, int family), (at, n, family))
LOOKUP(hostent, gethostent, (void), ())
LOOKUP(servent, getservbyname, (const char *name, const char *protocol), (name, protocol))
LOOKUP(servent, getservbyport, (int port, const char *protocol), (port, protocol))
LOOKUP(servent, getservent, (void), ())
LOOKUP(protoent, getprotobyname, (const char *name), (name))
LOOKUP(protoent, getprotobynumber, (int number), (number))
LOOKUP(protoent, getprotoent, (void), ())
LOOKUP(netent, getnetbyname, (const char *name), (name))
LOOKUP(netent, getnetbyaddr, (uint32_t at, int family), (at, family))
LOOKUP(netent, getnetent, (void), ())

/* ---- Into memory of the program ------------------------------------------------------------------- */

/* All but the first arguments, by which is looked for, are where the result is to be. */
#define FINDS(type, found_by, own_by)       \
	uint64_t pc = CALLER();             \
	struct type *own = NULL;            \
	int result;                         \
                                            \
	before_lookup();                    \
	if (!seen(pc))                      \
		return found_by;            \
	writes(to, sizeof(*to), pc);        \
	result = own_by;                    \
	fill(found, &own, sizeof(own), pc); \
	return result;
#define KEYS(...) __VA_ARGS__
#define OF_LIBC(type, name, by, args)                                          \
	HEDDLE_HOOK int name(KEYS by, struct type *to, char *buffer, size_t n, \
			     struct type **found)                              \
	{                                                                      \
		FINDS(type, REAL(name)(KEYS args, to, buffer, n, found),       \
		      REAL(name)(KEYS args, to, buffer, n, &own))              \
	}
#define OF_HOSTS(type, name, by, args)                                          \
	HEDDLE_HOOK int name(KEYS by, struct type *to, char *buffer, size_t n,  \
			     struct type **found, int *error)                   \
	{                                                                       \
		FINDS(type, REAL(name)(KEYS args, to, buffer, n, found, error), \
		      REAL(name)(KEYS args, to, buffer, n, &own, error))        \
	}
OF_LIBC(passwd, getpwnam_r, (const char *name), (name))
OF_LIBC(passwd, getpwuid_r, (uid_t user), (user))
OF_LIBC(group, getgrnam_r, (const char *name), (name))
OF_LIBC(group, getgrgid_r, (gid_t group), (group))
OF_LIBC(spwd, getspnam_r, (const char *name), (name))
OF_LIBC(servent, getservbyname_r, (const char *name, const char *protocol), (name, protocol))
OF_LIBC(servent, getservbyport_r, (int port, const char *protocol), (port, protocol))
OF_LIBC(protoent, getprotobyname_r, (const char *name), (name))
OF_LIBC(protoent, getprotobynumber_r, (int number), (number))
OF_HOSTS(hostent, gethostbyname_r, (const char *name), (name))
OF_HOSTS(hostent, gethostbyname2_r, (const char *name, int family), (name, family))
OF_HOSTS(hostent, gethostbyaddr_r, (const void *at, socklen_t length, int family),
	 (at, length, family))

HEDDLE_HOOK int getgrouplist(const char *user, gid_t group, gid_t *groups, int *n)
{
	before_lookup();
	return REAL(getgrouplist)(user, group, groups, n);
}

HEDDLE_HOOK int getaddrinfo(const char *restrict node, const char *restrict service,
			    const struct addrinfo *restrict hints, struct addrinfo **restrict found)
{
	before_lookup();
	return REAL(getaddrinfo)(node, service, hints, found);
}

HEDDLE_HOOK int getnameinfo(const struct sockaddr *restrict at, socklen_t length,
			    char *restrict host, socklen_t host_room, char *restrict service,
			    socklen_t service_room, int flags)
{
	before_lookup();
	return REAL(getnameinfo)(at, length, host, host_room, service, service_room, flags);
}

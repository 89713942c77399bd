/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_results.c - calls that POSIX lets be unsafe for threads: readdir(), hsearch(), drand48(), getpwnam() and their like
 *
 * In X_races two threads call X without order; in X_by_turns they lock.
 *
 * case what_each_returns: ok * (libraries of libc may have a pthread_once() of their own)
 * case streams_of_their_own: ok 1
 * case two_who_look: ok 1
 * case trees_of_their_own: ok 1
 * case rand_locks: ok 1
 * case own_generators: ok 1
 * case nobody_is_found: ok * (libraries of libc may have a pthread_once() of their own)
 * case nobody_is_found_by_another_call: ok * (likewise)
 * case readdir_by_turns: ok 2
 * case hsearch_by_turns: ok 2
 * case tsearch_by_turns: ok 2
 * case drand48_by_turns: ok 2
 * case getpwuid_by_turns: ok 2
 * case readdir_races: bug data-race at RACE(readdir,
 * case readdir64_races: bug data-race at RACE(readdir64,
 * case rewinddir_races: bug data-race at rewinddir(d); // of a thread
 * case seekdir_races: bug data-race at seekdir(d, 0)
 * case telldir_races: bug data-race at RACE(telldir,
 * case an_entry_races: bug data-race at return e && e->d_name[0]
 * case after_closedir: bug use-after-free at sink = first->d_name[0]
 * case hsearch_races: bug data-race at RACE(hsearch,
 * case hsearch_key_races: bug data-race at RACE(hsearch_key,
 * case hcreate_races: bug data-race at RACE(hcreate,
 * case hdestroy_races: bug data-race at hdestroy(); // of a thread
 * case hsearch_r_races: bug data-race at RACE(hsearch_r,
 * case hsearch_r_found_races: bug data-race at RACE(hsearch_r_found,
 * case hcreate_r_races: bug data-race at RACE(hcreate_r,
 * case hdestroy_r_races: bug data-race at hdestroy_r(&table)
 * case tsearch_races: bug data-race at RACE(tsearch,
 * case tdelete_races: bug data-race at RACE(tdelete,
 * case tfind_races: bug data-race at RACE(tfind,
 * case insque_races: bug data-race at insque(&three, &two[0]); // of a thread
 * case remque_races: bug data-race at remque(&two[1])
 * case lrand48_races: bug data-race at RACE(lrand48,
 * case mrand48_races: bug data-race at RACE(mrand48,
 * case drand48_races: bug data-race at RACE(drand48,
 * case srand48_races: bug data-race at RACE(srand48,
 * case getpwnam_races: bug data-race at RACE(getpwnam,
 * case getpwuid_races: bug data-race at RACE(getpwuid,
 * case getpwent_races: bug data-race at RACE(getpwent,
 * case getgrnam_races: bug data-race at RACE(getgrnam,
 * case getgrgid_races: bug data-race at RACE(getgrgid,
 * case getgrent_races: bug data-race at RACE(getgrent,
 * case getpwnam_r_races: bug data-race at RACE(getpwnam_r,
 * case getpwuid_r_races: bug data-race at RACE(getpwuid_r,
 * case getgrnam_r_races: bug data-race at RACE(getgrnam_r,
 * case getgrgid_r_races: bug data-race at RACE(getgrgid_r,
 * case found_by_getpwuid_r_races: bug data-race at RACE(found_by_getpwuid_r,
 * case a_result_races: bug data-race at RACE(a_result,
 *
 * ways hcreate: ENOMEM
 * ways hcreate_r: ENOMEM; not ESRCH (none of this libc)
 * ways hsearch: ENOMEM; not ESRCH (none that libc looks at)
 * ways hsearch_r: ESRCH ENOMEM
 * ways tsearch: ; not ENOMEM (libc says it by NULL alone)
 * never fails: readdir readdir64 rewinddir seekdir telldir hdestroy hdestroy_r tdelete tfind insque remque getpwnam getpwuid getpwent
 *	getgrnam getgrgid getgrent getspnam gethostbyname gethostbyname2 gethostbyaddr gethostent getservbyname getservbyport getservent
 *	getprotobyname getprotobynumber getprotoent getnetbyname getnetbyaddr getnetent getgrouplist getnameinfo
 *	getpwnam_r getpwuid_r getgrnam_r getgrgid_r getspnam_r gethostbyname_r gethostbyname2_r gethostbyaddr_r getservbyname_r
 *	getservbyport_r getprotobyname_r getprotobynumber_r getaddrinfo
 *
 * case hcreate_ENOMEM: ok 1
 * case hcreate_r_ENOMEM: ok 1
 * case hsearch_ENOMEM: ok 1
 * case hsearch_r_ESRCH: ok 1
 * case hsearch_r_ENOMEM: ok 1
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <shadow.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

static DIR *dir;
static struct dirent *first;
static struct passwd *root;
static struct passwd user, *user_found;
static struct group group, *group_found;
static char room[2000];
static char key[10] = "key";
static struct hsearch_data table;
static ENTRY *found;
static void *tree;
static struct qelem two[2], three;
static _Thread_local volatile int sink;

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static ENTRY entry(const char *name)
{
	return (ENTRY){ .key = hide(name), .data = NULL };
}

/* What threads find there. */
static void prepare(void)
{
	dir = opendir("/");
	assert(dir && hcreate(10) && hcreate_r(10, &table) && tsearch("a", &tree, compare));
	insque(&two[0], NULL);
	insque(&two[1], &two[0]);
}

/* ---- What they do --------------------------------------------------------------------------------- */

static void check_directory(void)
{
	DIR *d = opendir("/");
	struct dirent *e;
	long place;

	assert(d && (e = readdir(d)) && e->d_name[0]);
	place = telldir(d);
	assert(readdir64(d));
	seekdir(d, place);
	assert(telldir(d) == place);
	rewinddir(d);
	assert(readdir(d) && closedir(d) == 0);
}

static void check_tables(void)
{
	struct hsearch_data own = { 0 };
	void *root_of = NULL;
	ENTRY *e;

	assert(hcreate_r(5, &own) && hsearch_r(entry("x"), ENTER, &e, &own) && e);
	assert(hsearch_r(entry("x"), FIND, &e, &own) && !strcmp(e->key, "x"));
	hdestroy_r(&own);
	assert(tsearch("b", &root_of, compare) && tfind("b", &root_of, compare));
	assert(!tfind("c", &root_of, compare) && tdelete("b", &root_of, compare) && !root_of);
	insque(&three, &two[0]);
	assert(two[0].q_forw == &three && two[1].q_back == &three && three.q_forw == &two[1]);
	remque(&three);
	assert(two[0].q_forw == &two[1] && two[1].q_back == &two[0]);
}

static void check_databases(void)
{
	assert(getpwuid(0) && getgrgid(0) && !strcmp(getpwnam("root")->pw_name, "root"));
	assert(getgrnam("root")->gr_gid == 0);
	setpwent();
	setgrent();
	assert(getpwent() && getgrent());
	endpwent();
	endgrent();
	sink = getspnam("none") || getservbyname("none", "tcp") || getservbyport(1, "none");
	sink = getprotobyname("none") || getprotobynumber(-1) || getnetbyname("none.invalid") ||
	       getservent() || getprotoent() || getnetent() || gethostent() ||
	       getnetbyaddr(0x7f7f7f7f, AF_INET);
	assert(gethostbyname("127.0.0.1") && gethostbyname2("127.0.0.1", AF_INET));
	sink = gethostbyaddr("\x7f\0\0\1", 4, AF_INET) != NULL;
}

static void check_others(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f };
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *list = NULL;
	struct protoent protocol, *p = NULL;
	struct servent service, *s = NULL;
	struct spwd shadow, *sp = NULL;
	struct hostent host, *h = NULL;
	char own[2000], text_of[100];
	int error = 0;

	assert(getaddrinfo("127.0.0.1", NULL, &hints, &list) == 0 && list);
	freeaddrinfo(list);
	assert(getnameinfo((struct sockaddr *)&at, sizeof(at), text_of, 100, NULL, 0,
			   NI_NUMERICHOST) == 0);
	assert(!strcmp(text_of, "127.0.0.1"));
	assert(gethostbyname_r("127.0.0.1", &host, own, sizeof(own), &h, &error) == 0 &&
	       h == &host);
	assert(gethostbyname2_r("127.0.0.1", AF_INET, &host, own, sizeof(own), &h, &error) == 0 &&
	       h);
	sink = gethostbyaddr_r("\x7f\0\0\1", 4, AF_INET, &host, own, sizeof(own), &h, &error);
	sink = getservbyname_r("none", "tcp", &service, own, sizeof(own), &s) ||
	       getservbyport_r(1, "none", &service, own, sizeof(own), &s) ||
	       getprotobyname_r("none", &protocol, own, sizeof(own), &p) ||
	       getprotobynumber_r(-1, &protocol, own, sizeof(own), &p) ||
	       getspnam_r("none", &shadow, own, sizeof(own), &sp);
	assert(!s && !p && !sp);
}

static void *check(void *arg)
{
	check_others();
	check_directory();
	check_tables();
	check_databases();
	assert(hsearch(entry("y"), ENTER) && hsearch(entry("y"), FIND) &&
	       !hsearch(entry("z"), FIND));
	srand48(1);
	assert(lrand48() >= 0 && drand48() < 1);
	sink = (int)mrand48();
	return arg;
}

static void what_each_returns(void)
{
	prepare();
	check(NULL);
	THREADS(1, check);
	hdestroy();
}

static void *reads_its_own(void *arg)
{
	DIR *d = opendir("/");

	assert(d && readdir(d) && readdir(d) && closedir(d) == 0);
	return arg;
}

static void streams_of_their_own(void)
{
	THREADS(2, reads_its_own);
}

static void *only_looks(void *arg)
{
	ENTRY *own;

	sink = tfind("a", &tree, compare) != NULL;
	sink = hsearch(entry("x"), FIND) != NULL && hsearch_r(entry("x"), FIND, &own, &table);
	return arg;
}

static void two_who_look(void)
{
	prepare();
	THREADS(2, only_looks);
}

static void *grows_its_own(void *arg)
{
	void *own = NULL;

	assert(tsearch("b", &own, compare) && tdelete("b", &own, compare));
	return arg;
}

static void trees_of_their_own(void)
{
	THREADS(2, grows_its_own);
}

static void *draws(void *arg)
{
	sink = rand() + (int)random();
	return arg;
}

static void rand_locks(void)
{
	THREADS(2, draws);
}

static void *draws_its_own(void *arg)
{
	unsigned short own[3] = { 1, 2, 3 };
	struct drand48_data data;
	unsigned seed = 1;
	long number;

	srand48_r(1, &data);
	lrand48_r(&data, &number);
	sink = (int)nrand48(own) + rand_r(&seed) + (int)number;
	return arg;
}

static void own_generators(void)
{
	THREADS(2, draws_its_own);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* libc loads further libraries, which look for the name as well. */
static void *finds_nobody(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(!getpwnam("no such user") && !getgrgid(12345678));
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *finds_nobody_else(void *arg)
{
	struct passwd own, *user;
	struct group own_group, *group;
	char buffer[1000];
	gid_t groups[10];
	int n = 10;

	pthread_mutex_lock(&mutex);
	assert(getpwnam_r("no such user", &own, buffer, sizeof(buffer), &user) == 0 && !user);
	assert(getgrgid_r(12345678, &own_group, buffer, sizeof(buffer), &group) == 0 && !group);
	sink = getgrouplist("no such user", 0, groups, &n);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void nobody_is_found_by_another_call(void)
{
	THREADS(2, finds_nobody_else);
}

static void nobody_is_found(void)
{
	THREADS(2, finds_nobody);
}

/* ---- Races, and none ------------------------------------------------------------------------------ */

#define RACE_(name, mine, others)              \
	static void *race_by_##name(void *arg) \
	{                                      \
		if (arg)                       \
			mine;                  \
		else                           \
			others;                \
		return NULL;                   \
	}                                      \
	static void name##_races(void)         \
	{                                      \
		prepare();                     \
		THREADS(2, race_by_##name);    \
	}
#define RACE(name, call, others) RACE_(name, sink = (call), sink = (others))

static int rewinds(DIR *d)
{
	rewinddir(d); // of a thread
	return 0;
}

static int seeks(DIR *d)
{
	seekdir(d, 0);
	return 0;
}

RACE(readdir, readdir(dir) != NULL, readdir(dir) != NULL)
RACE(readdir64, readdir64(dir) != NULL, telldir(dir) != 0)
RACE(rewinddir, rewinds(dir), telldir(dir) != 0)
RACE(seekdir, seeks(dir), telldir(dir) != 0)
RACE(telldir, telldir(dir) != 0, readdir(dir) != NULL)

static _Atomic(struct dirent *) handed_over;

static int hands_over(void)
{
	atomic_store_explicit(&handed_over, readdir(dir), memory_order_relaxed);
	return 0;
}

static int looks_at_it(void)
{
	struct dirent *e = atomic_load_explicit(&handed_over, memory_order_relaxed);

	return e && e->d_name[0]; /* reads what the other one read */
}

RACE(an_entry, looks_at_it(), hands_over())

IN_A_THREAD(after_closedir)
{
	prepare();
	first = readdir(dir);
	closedir(dir);
	sink = first->d_name[0];
	return arg;
}

static int destroys(void)
{
	hdestroy(); // of a thread
	return 0;
}

static int destroys_r(void)
{
	hdestroy_r(&table);
	return 0;
}

static int inserts(void)
{
	insque(&three, &two[0]); // of a thread
	return 0;
}

static int removes(void)
{
	remque(&two[1]);
	return 0;
}

RACE(hsearch, hsearch(entry("x"), ENTER) != NULL, hsearch(entry("y"), FIND) != NULL)
RACE(hsearch_key, hsearch(entry(key), FIND) != NULL, key[2] = 'z')
RACE(hcreate, hcreate(3), hsearch(entry("y"), FIND) != NULL)
RACE(hdestroy, destroys(), hcreate(7))
RACE(hsearch_r, hsearch_r(entry("x"), ENTER, &found, &table), table.filled == 7)
RACE(hsearch_r_found, hsearch_r(entry("x"), FIND, &found, &table), found != NULL)
RACE(hcreate_r, hcreate_r(3, &table), table.filled == 7)
RACE(hdestroy_r, destroys_r(), table.filled == 7)
RACE(tsearch, tsearch("b", &tree, compare) != NULL, tfind("a", &tree, compare) != NULL)
RACE(tdelete, tdelete("b", &tree, compare) != NULL, tfind("a", &tree, compare) != NULL)
RACE(tfind, tfind("b", &tree, compare) != NULL, (tree = NULL) != NULL)
RACE(insque, inserts(), two[1].q_back == NULL)
RACE(remque, removes(), two[0].q_forw == NULL)
RACE(lrand48, (int)lrand48(), (int)lrand48())
RACE(mrand48, (int)mrand48(), (int)lrand48())
RACE(drand48, drand48() < 0.5, (int)lrand48())
RACE(srand48, (srand48(2), 0), (int)lrand48())
RACE(getpwnam, getpwnam("root") != NULL, getpwnam("root") != NULL)
RACE(getpwuid, getpwuid(0) != NULL, getpwuid(0) != NULL)
RACE(getpwent, getpwent() != NULL, getpwent() != NULL)
RACE(getgrnam, getgrnam("root") != NULL, getgrnam("root") != NULL)
RACE(getgrgid, getgrgid(0) != NULL, getgrgid(0) != NULL)
RACE(getgrent, getgrent() != NULL, getgrent() != NULL)
RACE(getpwnam_r, getpwnam_r("root", &user, room, sizeof(room), &user_found), user.pw_uid != 0)
RACE(getpwuid_r, getpwuid_r(0, &user, room, sizeof(room), &user_found), user.pw_uid != 0)
RACE(getgrnam_r, getgrnam_r("root", &group, room, sizeof(room), &group_found), group.gr_gid != 0)
RACE(getgrgid_r, getgrgid_r(0, &group, room, sizeof(room), &group_found), group.gr_gid != 0)
RACE(found_by_getpwuid_r, getpwuid_r(0, &user, room, sizeof(room), &user_found), user_found != NULL)
RACE(a_result, getpwuid(0) != NULL, (root = getpwuid(0))->pw_name[0])

#define BY_TURNS(name, call)                   \
	static void *turn_of_##name(void *arg) \
	{                                      \
		pthread_mutex_lock(&mutex);    \
		sink = (call);                 \
		pthread_mutex_unlock(&mutex);  \
		return arg;                    \
	}                                      \
	static void name##_by_turns(void)      \
	{                                      \
		prepare();                     \
		THREADS(2, turn_of_##name);    \
	}
BY_TURNS(readdir, readdir(dir)->d_name[0])
BY_TURNS(hsearch, hsearch(entry("x"), ENTER) != NULL)
BY_TURNS(tsearch, tsearch("x", &tree, compare) != NULL)
BY_TURNS(drand48, drand48() < 0.5)
BY_TURNS(getpwuid, getpwuid(0)->pw_uid != 0)

/* ---- How they fail -------------------------------------------------------------------------------- */

/* One that is full. */
static struct hsearch_data *full(void)
{
	static char names[10][2];
	static struct hsearch_data small;
	ENTRY *e;

	memset(&small, 0, sizeof(small));
	assert(hcreate_r(1, &small));
	for (int i = 0; i < 9 && small.filled < small.size; i++) {
		names[i][0] = (char)('a' + i);
		hsearch_r(entry(names[i]), ENTER, &e, &small);
	}
	return &small;
}

static int full_for_all(void)
{
	static char names[10][2];

	hdestroy();
	assert(hcreate(1));
	for (int i = 0; i < 9; i++) {
		names[i][0] = (char)('a' + i);
		errno = 0;
		if (!hsearch(entry(names[i]), ENTER))
			return -1;
	}
	return 0;
}

static int none(int result)
{
	return result ? 0 : -1;
}

static void *fails_for_all(void *arg)
{
	FAILS(ENOMEM, full_for_all());
	return arg;
}

static void hsearch_ENOMEM(void)
{
	end(begin(fails_for_all, NULL));
}

static void *creates_too_much(void *arg)
{
	FAILS(ENOMEM, none(hcreate((size_t)1 << 40)));
	return arg;
}

static void hcreate_ENOMEM(void)
{
	end(begin(creates_too_much, NULL));
}

static int creates_r(size_t n)
{
	struct hsearch_data own = { 0 };

	return none(hcreate_r(n, &own));
}

EACH_FAILS(hcreate_r_ENOMEM, ENOMEM, creates_r((size_t)1 << 40))
DO_IN_THREAD(hsearch_r_ENOMEM, FAILS(ENOMEM, none(hsearch_r(entry("zz"), ENTER, &found, full()))))
DO_IN_THREAD(hsearch_r_ESRCH, FAILS(ESRCH, none(hsearch_r(entry("zz"), FIND, &found, full()))))

CASES(CASE(what_each_returns), CASE(streams_of_their_own), CASE(two_who_look),
      CASE(trees_of_their_own), CASE(rand_locks), CASE(own_generators), CASE(nobody_is_found),
      CASE(nobody_is_found_by_another_call), CASE(readdir_by_turns), CASE(hsearch_by_turns),
      CASE(tsearch_by_turns), CASE(drand48_by_turns), CASE(getpwuid_by_turns), CASE(readdir_races),
      CASE(readdir64_races), CASE(rewinddir_races), CASE(seekdir_races), CASE(telldir_races),
      CASE(an_entry_races), CASE(after_closedir), CASE(hsearch_races), CASE(hsearch_key_races),
      CASE(hcreate_races), CASE(hdestroy_races), CASE(hsearch_r_races), CASE(hsearch_r_found_races),
      CASE(hcreate_r_races), CASE(hdestroy_r_races), CASE(tsearch_races), CASE(tdelete_races),
      CASE(tfind_races), CASE(insque_races), CASE(remque_races), CASE(lrand48_races),
      CASE(mrand48_races), CASE(drand48_races), CASE(srand48_races), CASE(getpwnam_races),
      CASE(getpwuid_races), CASE(getpwent_races), CASE(getgrnam_races), CASE(getgrgid_races),
      CASE(getgrent_races), CASE(getpwnam_r_races), CASE(getpwuid_r_races), CASE(getgrnam_r_races),
      CASE(getgrgid_r_races), CASE(found_by_getpwuid_r_races), CASE(a_result_races),
      CASE(hcreate_ENOMEM), CASE(hcreate_r_ENOMEM), CASE(hsearch_ENOMEM), CASE(hsearch_r_ESRCH),
      CASE(hsearch_r_ENOMEM))

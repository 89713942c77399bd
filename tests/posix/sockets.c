/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sockets.c - calls of sockets that wait for some time: SO_RCVTIMEO and SO_SNDTIMEO
 *
 * case before_there_are_threads: ok 1
 * case nobody_sends: ok 1
 * case nobody_sends_to_readers: ok 1
 * case somebody_sends_in_time: ok 3
 * case two_wait_for_one_byte: ok * (which of them takes it, and what the other does)
 * case less_than_nothing: ok 1
 * case nothing_is_for_ever: ok 1
 * case not_of_the_other_way: ok 1
 * case duplicates_share_it: ok 1
 * case the_other_end_closes: ok 3
 * case nobody_receives: ok 1
 * case some_of_it_is_received: ok 5
 * case all_of_it_in_time: ok 1
 * case nobody_connects: ok 1
 * case nobody_connects_to_the_first_thread: ok 1
 * case inherited_by_tcp: ok 3
 * case not_inherited_at_a_path: ok 1
 * case rounds_of_receiving: ok 28
 * case a_handler_ends_it: ok * (when the signal comes)
 * case a_handler_can_end_it: bug assertion
 * case set_while_another_waits: refused SO_RCVTIMEO
 * case set_after_another_has_used_it: refused SO_RCVTIMEO
 * case set_when_all_have_used_it: ok * (which of them receives)
 * case told_as_set: ok 1
 * case errors: ok 1
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "posix/posix.h"

static int s[2], received;
static int64_t start;

static void took(int ms)
{
	assert(now() - start >= (int64_t)ms * MS);
}

static void limit(int fd, int way, int ms)
{
	struct timeval t = { ms / 1000, ms % 1000 * 1000 };

	assert(setsockopt(fd, SOL_SOCKET, way, &t, sizeof(t)) == 0);
}

static void make_pair(void)
{
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	start = now();
}

static void receives_nothing(int fd)
{
	char c;

	assert(recv(fd, &c, 1, 0) == -1 && errno == EAGAIN);
	took(SHORT_MS);
}

static void before_there_are_threads(void)
{
	char c;

	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	receives_nothing(s[0]);
	start = now();
	assert(read(s[0], &c, 1) == -1 && errno == EAGAIN);
	took(SHORT_MS);
	start = now();
	assert(recv(s[0], &c, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
	THREADS(1, nothing);
}

static void *waits_in_vain(void *arg)
{
	receives_nothing(s[0]);
	return arg;
}

static void nobody_sends(void)
{
	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	THREADS(1, waits_in_vain);
	took(SHORT_MS);
}

static void *reads_in_vain(void *arg)
{
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	assert(read(s[0], &c, 1) == -1 && errno == EAGAIN);
	took(SHORT_MS);
	assert(readv(s[0], &v, 1) == -1 && errno == EAGAIN);
	took(2 * SHORT_MS);
	assert(recvmsg(s[0], &m, 0) == -1 && errno == EAGAIN);
	took(3 * SHORT_MS);
	assert(recvfrom(s[0], &c, 1, 0, NULL, NULL) == -1 && errno == EAGAIN);
	took(4 * SHORT_MS);
	return arg;
}

static void nobody_sends_to_readers(void)
{
	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	THREADS(1, reads_in_vain);
}

static void *sends_one(void *arg)
{
	assert(send(s[1], "x", 1, MSG_NOSIGNAL) == 1);
	return arg;
}

static void somebody_sends_in_time(void)
{
	pthread_t t;
	char c;

	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, sends_one, NULL) == 0);
	if (recv(s[0], &c, 1, 0) == -1) {
		assert(errno == EAGAIN);
		took(SHORT_MS);
	}
	assert(pthread_join(t, NULL) == 0);
}

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void *receives_one(void *arg)
{
	char c;
	ssize_t got = recv(s[0], &c, 1, 0);

	assert(got == 1 || (got == -1 && errno == EAGAIN));
	pthread_mutex_lock(&guard);
	received += got == 1;
	pthread_mutex_unlock(&guard);
	return arg;
}

static void two_wait_for_one_byte(void)
{
	pthread_t t[2];
	char c;

	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, receives_one, NULL) == 0);
	sends_one(NULL);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(received <= 1);
	assert(recv(s[0], &c, 1, MSG_DONTWAIT) == 1 - received || received);
}

static void *does_not_wait(void *arg)
{
	char c;

	assert(recv(s[0], &c, 1, 0) == -1 && errno == EAGAIN);
	return arg;
}

static void less_than_nothing(void)
{
	struct timeval t = { -1, 0 };

	make_pair();
	assert(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) == 0);
	THREADS(1, does_not_wait);
}

static void *sends_late(void *arg)
{
	sleep_ms(3 * SHORT_MS);
	return sends_one(arg);
}

static void nothing_is_for_ever(void)
{
	pthread_t t;
	char c;

	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	limit(s[0], SO_RCVTIMEO, 0);
	assert(pthread_create(&t, NULL, sends_late, NULL) == 0);
	assert(recv(s[0], &c, 1, 0) == 1);
	took(3 * SHORT_MS);
	assert(pthread_join(t, NULL) == 0);
}

static void not_of_the_other_way(void)
{
	pthread_t t;
	char c;

	make_pair();
	limit(s[0], SO_SNDTIMEO, SHORT_MS);
	limit(s[1], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, sends_late, NULL) == 0);
	assert(recv(s[0], &c, 1, 0) == 1);
	assert(pthread_join(t, NULL) == 0);
}

static void duplicates_share_it(void)
{
	int another;

	make_pair();
	another = dup(s[0]);
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(another >= 0);
	close(s[0]);
	s[0] = another;
	THREADS(1, waits_in_vain);
}

static void *closes(void *arg)
{
	close(s[1]);
	return arg;
}

/* It has come to its end, or the time is over before that. */
static void the_other_end_closes(void)
{
	pthread_t t;
	ssize_t got;
	char c;

	make_pair();
	limit(s[0], SO_RCVTIMEO, 10 * SHORT_MS);
	assert(pthread_create(&t, NULL, closes, NULL) == 0);
	got = recv(s[0], &c, 1, 0);
	assert(got == 0 || (got == -1 && errno == EAGAIN));
	assert(pthread_join(t, NULL) == 0);
}

/* ---- Sending ---- */

static char bytes[4096];

static void fill(void)
{
	make_pair();
	while (send(s[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	assert(errno == EAGAIN);
	start = now();
}

static void *sends_in_vain(void *arg)
{
	assert(send(s[0], bytes, sizeof(bytes), 0) == -1 && errno == EAGAIN);
	took(SHORT_MS);
	return arg;
}

static void nobody_receives(void)
{
	fill();
	limit(s[0], SO_SNDTIMEO, SHORT_MS);
	THREADS(1, sends_in_vain);
}

static void *makes_room(void *arg)
{
	static char some[1 << 16];

	for (int i = 0; i < 2; i++)
		assert(recv(s[1], some, sizeof(some), MSG_DONTWAIT) > 0 || i);
	return arg;
}

static void some_of_it_is_received(void)
{
	pthread_t t;
	ssize_t n;

	fill();
	limit(s[0], SO_SNDTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, makes_room, NULL) == 0);
	n = send(s[0], bytes, 1, 0);
	if (n == -1) {
		assert(errno == EAGAIN);
		took(SHORT_MS);
	}
	assert(pthread_join(t, NULL) == 0);
}

static void *sends(void *arg)
{
	assert(send(s[0], bytes, sizeof(bytes), 0) == sizeof(bytes));
	return arg;
}

static void all_of_it_in_time(void)
{
	make_pair();
	limit(s[0], SO_SNDTIMEO, SHORT_MS);
	THREADS(1, sends);
}

/* ---- Accepting ---- */

static int server;
static struct sockaddr_in at = { .sin_family = AF_INET };
static socklen_t size = sizeof(at);

static void listens(void)
{
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server = socket(AF_INET, SOCK_STREAM, 0);
	assert(server >= 0 && bind(server, (struct sockaddr *)&at, size) == 0);
	limit(server, SO_RCVTIMEO, SHORT_MS);
	assert(listen(server, 5) == 0);
	assert(getsockname(server, (struct sockaddr *)&at, &size) == 0);
	start = now();
}

static void *accepts_in_vain(void *arg)
{
	assert(accept(server, NULL, NULL) == -1 && errno == EAGAIN);
	took(SHORT_MS);
	return arg;
}

static void nobody_connects(void)
{
	listens();
	THREADS(1, accepts_in_vain);
}

static void nobody_connects_to_the_first_thread(void)
{
	listens();
	accepts_in_vain(NULL);
	THREADS(1, nothing);
}

static void *connects(void *arg)
{
	s[1] = socket(AF_INET, SOCK_STREAM, 0);
	assert(connect(s[1], (struct sockaddr *)&at, size) == 0);
	return arg;
}

static void inherited_by_tcp(void)
{
	pthread_t t;

	listens();
	assert(pthread_create(&t, NULL, connects, NULL) == 0);
	s[0] = accept(server, NULL, NULL);
	if (s[0] >= 0) {
		start = now();
		receives_nothing(s[0]);
	}
	assert(pthread_join(t, NULL) == 0);
}

static struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "\0heddle-timeouts" };

static void *connects_and_sends_late(void *arg)
{
	s[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(connect(s[1], (struct sockaddr *)&path, sizeof(path)) == 0);
	return sends_late(arg);
}

static void not_inherited_at_a_path(void)
{
	pthread_t t;
	char c;

	server = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(server, (struct sockaddr *)&path, sizeof(path)) == 0);
	assert(listen(server, 5) == 0);
	limit(server, SO_SNDTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, connects_and_sends_late, NULL) == 0);
	s[0] = accept(server, NULL, NULL);
	assert(s[0] >= 0 && recv(s[0], &c, 1, 0) == 1);
	assert(pthread_join(t, NULL) == 0);
}

/* ---- And more ---- */

static void *receives_in_rounds(void *arg)
{
	char c;

	for (int i = 0; i < 3; i++) {
		start = now();
		if (recv(s[0], &c, 1, 0) == 1)
			continue;
		assert(errno == EAGAIN);
		took(SHORT_MS);
	}
	return arg;
}

static void *sends_two(void *arg)
{
	sends_one(NULL);
	return sends_one(arg);
}

static void rounds_of_receiving(void)
{
	pthread_t t;

	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, sends_two, NULL) == 0);
	receives_in_rounds(NULL);
	assert(pthread_join(t, NULL) == 0);
}

static void handler(int sig)
{
	(void)sig;
}

static void *interrupts(void *arg)
{
	assert(pthread_kill(*(pthread_t *)arg, SIGUSR1) == 0);
	return arg;
}

/* Where a time is set it is not begun again, whatever sigaction() says. */
static void a_handler_ends_it(void)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t t, self = pthread_self();
	char c;

	sigaction(SIGUSR1, &a, NULL);
	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, interrupts, &self) == 0);
	assert(recv(s[0], &c, 1, 0) == -1);
	if (errno != EINTR) {
		assert(errno == EAGAIN);
		took(SHORT_MS);
	}
	assert(pthread_join(t, NULL) == 0);
}

/* Such an execution is explored. */
static void a_handler_can_end_it(void)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t t, self = pthread_self();
	char c;

	sigaction(SIGUSR1, &a, NULL);
	make_pair();
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_create(&t, NULL, interrupts, &self) == 0);
	assert(recv(s[0], &c, 1, 0) == -1);
	assert(errno != EINTR); /* bug: a_handler_can_end_it */
	assert(pthread_join(t, NULL) == 0);
}

static void *receives(void *arg)
{
	char c;

	assert(recv(s[0], &c, 1, 0) == 1);
	return arg;
}

static void set_while_another_waits(void)
{
	pthread_t t;

	make_pair();
	assert(pthread_create(&t, NULL, receives, NULL) == 0);
	sends_one(NULL);
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_join(t, NULL) == 0);
}

static void set_after_another_has_used_it(void)
{
	pthread_t t;

	make_pair();
	sends_one(NULL);
	assert(pthread_create(&t, NULL, receives, NULL) == 0);
	THREADS(1, nothing); /* t goes first */
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	assert(pthread_join(t, NULL) == 0);
}

static void set_when_all_have_used_it(void)
{
	make_pair();
	sends_one(NULL);
	sends_one(NULL);
	THREADS(2, receives);
	limit(s[0], SO_RCVTIMEO, SHORT_MS);
	start = now();
	THREADS(1, waits_in_vain);
}

static void *asks(void *arg)
{
	struct timeval t = { 9, 9 };
	socklen_t n = sizeof(t);

	assert(getsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &t, &n) == 0);
	assert(t.tv_sec == 0 && t.tv_usec == 0 && n == sizeof(t));
	limit(s[0], SO_RCVTIMEO, 5000);
	assert(getsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, &n) == 0);
	assert(t.tv_sec == 5 && t.tv_usec == 0 && n == sizeof(t));
	return arg;
}

static void told_as_set(void)
{
	make_pair();
	limit(s[0], SO_RCVTIMEO, 3000);
	THREADS(1, asks);
}

static void *sets_in_vain(void *arg)
{
	struct timeval t = { 0, 1000000 };

	assert(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) == -1 && errno == EDOM);
	t.tv_usec = 1;
	assert(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, 3) == -1 && errno == EINVAL);
	assert(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, (void *)8, sizeof(t)) == -1 &&
	       errno == EFAULT);
	assert(setsockopt(-1, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) == -1 && errno == EBADF);
	return arg;
}

static void errors(void)
{
	make_pair();
	THREADS(1, sets_in_vain);
}

CASES(CASE(before_there_are_threads), CASE(nobody_sends), CASE(nobody_sends_to_readers),
      CASE(somebody_sends_in_time), CASE(two_wait_for_one_byte), CASE(less_than_nothing),
      CASE(nothing_is_for_ever), CASE(not_of_the_other_way), CASE(duplicates_share_it),
      CASE(the_other_end_closes), CASE(nobody_receives), CASE(some_of_it_is_received),
      CASE(all_of_it_in_time), CASE(nobody_connects), CASE(nobody_connects_to_the_first_thread),
      CASE(inherited_by_tcp), CASE(not_inherited_at_a_path), CASE(rounds_of_receiving),
      CASE(a_handler_ends_it), CASE(a_handler_can_end_it), CASE(set_while_another_waits),
      CASE(set_after_another_has_used_it), CASE(set_when_all_have_used_it), CASE(told_as_set),
      CASE(errors))

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_timeout.c - SO_RCVTIMEO and SO_SNDTIMEO (see socket_timeout.h)
 *
 * What the kernel keeps is not put back for the next execution, so what was set is kept here, for each end of a
 * socket that has a channel: what it takes from, or adds to. The kernel parses and rounds it, at a
 * socket of our own.
 *
 * To set one is no operation. So it counts for a call that comes behind it in po and rf, as the time does
 * (elapsed.c), and where the two are in no order the program is refused. Who has used an end before is kept
 * as the last one, while each knows of the one before.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/time.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/code/imports.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/socket.h"
#include "preload/hooks/io/socket_timeout.h"
#include "preload/hooks/world/time.h"

enum {
	MOST_SET = 512,
	US_PER_S = 1000000,
	CHANNELS_IN_ALL = CHANNELS + 2 * CHANNEL_ADDRESSES
};

/* When a thread was at a point of its own: how many of its events were done. Before there are threads: everybody knows. */
struct moment {
	uint32_t from;
	uint16_t tid;
	bool told; /* to all */
};

/* All that were set in this execution, and before it; the last one of an end counts. */
static HEDDLE_IMAGE_SELDOM struct timeout_setting {
	int64_t us;
	struct moment when;
	uint16_t channel;
	bool adds, void_;
} settings[MOST_SET] = { { .us = 0 } };
static HEDDLE_IMAGE_SELDOM uint32_t nsettings = 0;

/* Who has used each end last. */
static HEDDLE_IMAGE_SELDOM struct use {
	struct moment when;
	bool any, in_no_order;
} uses[CHANNELS_IN_ALL][2] = { 0 };

static heddle_noreturn void refuse_in_no_order(void)
{
	refuse("the program sets SO_RCVTIMEO or SO_SNDTIMEO of a socket that another thread may use "
	       "meanwhile: set it before that thread knows of the socket",
	       NULL);
}

static struct moment this_moment(void)
{
	if (!under_engine())
		return (struct moment){ .told = true };
	return (struct moment){ .tid = (uint16_t)current->tid,
				.from = engine_done(engine, current->tid) };
}

/* Does the calling thread know what the other one did then? */
static bool is_known(struct moment when)
{
	return when.told || when.tid == current->tid ||
	       when.from < engine_porf(engine, current->tid)[when.tid];
}

/* Does it know all that others have done? */
static bool knows_all(void)
{
	const uint32_t *events = engine_porf(engine, current->tid);
	uint32_t n = engine_threads(engine);

	for (uint32_t t = 0; t < n; t++)
		if (t != current->tid && events[t] < engine_done(engine, t))
			return false;
	return true;
}

static bool may_set(const struct use *u)
{
	return !under_engine() || !u->any || (u->in_no_order ? knows_all() : is_known(u->when));
}

static const struct timeout_setting *setting_of(const struct channel *c, bool adds)
{
	for (uint32_t i = nsettings; i--;)
		if (settings[i].channel == c - channels && settings[i].adds == adds &&
		    !settings[i].void_)
			return &settings[i];
	return NULL;
}

/* ---- Using ---------------------------------------------------------------------------------------- */

static bool may_be_set(void)
{
	static int may = -1;
	KEPT(may);

	if (may < 0)
		may = program_imports("setsockopt");
	return may;
}

int64_t socket_waits_us(const struct channel *c, bool adds)
{
	struct use *u = &uses[c - channels][adds];
	const struct timeout_setting *s;

	/* Who connects is not who listens. */
	if (!may_be_set() || c->event || (c->listens && adds))
		return WAITS_FOR_EVER;
	s = setting_of(c, adds);
	if (!current->probing) {
		u->in_no_order = u->in_no_order || (u->any && !is_known(u->when));
		u->when = this_moment();
		u->any = true;
		if (s && !is_known(s->when))
			refuse_in_no_order();
	}
	return s ? s->us : WAITS_FOR_EVER;
}

static void put(const struct channel *c, bool adds, int64_t us, struct moment when)
{
	if (nsettings == MOST_SET)
		refuse("the program sets more than 512 time-outs of sockets in one execution: make it smaller",
		       NULL);
	settings[nsettings++] = (struct timeout_setting){
		.us = us, .when = when, .channel = (uint16_t)(c - channels), .adds = adds
	};
}

void socket_forget_timeouts(const struct channel *c)
{
	for (uint32_t i = 0; i < nsettings; i++)
		settings[i].void_ |= settings[i].channel == c - channels;
	for (int adds = 0; adds < 2; adds++)
		uses[c - channels][adds] = (struct use){ .any = false };
}

/* ---- Setting -------------------------------------------------------------------------------------- */

/* As recv() and the like wait, of which the option is; at the queue of who listens both are kept for those it accepts. */
static const struct channel *end_of(int fd, bool adds)
{
	return adds && !channel_listens(fd) ? channel_added_by(fd) : channel_taken_by(fd);
}

static bool has_end(int fd)
{
	return channel_is_socket(fd) || channel_listens(fd);
}

void socket_gets_timeouts(int fd)
{
	const struct socket *s = socket_of(fd);

	for (int adds = 0; s && adds < 2; adds++)
		if (s->waits_us[adds] != WAITS_FOR_EVER)
			put(end_of(fd, adds), adds, s->waits_us[adds], this_moment());
}

void socket_inherits_timeouts(int listener, int fd)
{
	for (int adds = 0; adds < 2; adds++) {
		const struct timeout_setting *s = setting_of(channel_taken_by(listener), adds);

		if (s)
			put(end_of(fd, adds), adds, s->us, s->when);
	}
}

static bool is_of_sending(int name)
{
	return name == SO_SNDTIMEO || name == SO_SNDTIMEO_NEW;
}

/* What the kernel makes of it; its answer to setsockopt(). */
static int as_kernel_does(int name, const void *value, socklen_t size, int64_t *us)
{
	int fd = (int)sys3(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status = REAL(setsockopt)(fd, SOL_SOCKET, name, value, size), error = errno;
	struct timeval t = { 0, 0 };
	socklen_t length = sizeof(t);

	if (!status && ((const struct timeval *)value)->tv_sec < 0)
		*us = WAITS_NOT_AT_ALL;
	else if (!status && !REAL(getsockopt)(fd, SOL_SOCKET, name, &t, &length))
		*us = t.tv_sec >= INT64_MAX / US_PER_S - 1
			      ? WAITS_FOR_EVER
			      : (int64_t)t.tv_sec * US_PER_S + t.tv_usec;
	sys_close(fd);
	errno = error;
	return status;
}

int socket_set_timeout(int fd, int name, const void *value, socklen_t size)
{
	bool adds = is_of_sending(name);
	struct socket *s = socket_of(fd);
	const struct use *u;
	int64_t us = WAITS_FOR_EVER;
	int status;

	if (!s || !(has_end(fd) || socket_option(fd, SO_TYPE) == SOCK_STREAM))
		return REAL(setsockopt)(fd, SOL_SOCKET, name, value, size);
	status = as_kernel_does(name, value, size, &us);
	/* Before there are threads, and for what leads outside, the kernel waits. */
	if (!status && (!under_engine() || !has_end(fd)))
		status = REAL(setsockopt)(fd, SOL_SOCKET, name, value, size);
	if (status)
		return status;
	s->waits_us[adds] = us;
	if (!has_end(fd))
		return 0;
	u = &uses[end_of(fd, adds) - channels][adds];
	if (!may_set(u))
		refuse_in_no_order();
	put(end_of(fd, adds), adds, us, this_moment());
	return 0;
}

/* The kernel says it as it keeps it, or why it cannot. */
int socket_get_timeout(int fd, int name, void *value, socklen_t *size)
{
	bool adds = is_of_sending(name);
	const struct timeout_setting *s = has_end(fd) ? setting_of(end_of(fd, adds), adds) : NULL;
	struct timeval t = { 0, 0 };
	int own, status, error;

	if (!under_engine() || !has_end(fd))
		return REAL(getsockopt)(fd, SOL_SOCKET, name, value, size);
	if (s && !is_known(s->when))
		refuse_in_no_order();
	if (s && s->us > 0)
		t = (struct timeval){ s->us / US_PER_S, s->us % US_PER_S };
	own = (int)sys3(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	REAL(setsockopt)(own, SOL_SOCKET, name, &t, sizeof(t));
	status = REAL(getsockopt)(own, SOL_SOCKET, name, value, size);
	error = errno;
	sys_close(own);
	errno = error;
	return status;
}

/* ---- Before there are threads ---------------------------------------------------------------------- */

uint64_t socket_ends_ns(int fd)
{
	const struct socket *s = socket_of(fd);
	int64_t us = s ? s->waits_us[0] : WAITS_FOR_EVER;

	if (us == WAITS_FOR_EVER)
		return TIME_FOR_EVER;
	return us < 0 ? time_own_ns() : time_own_ns() + (uint64_t)us * 1000;
}

ssize_t socket_waited_alone(int fd, ssize_t result, int flags, bool adds)
{
	struct timeval t = { 0, 0 };
	socklen_t size = sizeof(t);

	if (result != -1 || errno != EAGAIN || !shared || under_engine() ||
	    (flags & MSG_DONTWAIT) || (sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK))
		return result;
	if (!REAL(getsockopt)(fd, SOL_SOCKET, adds ? SO_SNDTIMEO : SO_RCVTIMEO, &t, &size))
		time_waited(&(struct timespec){ t.tv_sec, t.tv_usec * 1000 }, false,
			    CLOCK_MONOTONIC);
	errno = EAGAIN;
	return -1;
}

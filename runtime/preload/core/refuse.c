/* SPDX-License-Identifier: BSD-2-Clause */
/* refuse.c - see refuse.h */
#include "preload/core/refuse.h"

#include <signal.h>
#include <stdarg.h>

#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"

static struct children *family; /* of a child */
KEPT(family);

void refuse_by(struct children *f)
{
	family = f;
}

static void put(char text[SHARED_TEXT], const char *piece, va_list ap)
{
	struct text t = text_in(text, SHARED_TEXT);

	for (; piece; piece = va_arg(ap, const char *))
		text_str(&t, piece);
}

/* In a child that runs alone. */
static heddle_noreturn void tell_family(enum phase phase, const char *piece, va_list ap)
{
	if (phase == PHASE_REFUSED && family && !atomic_exchange(&family->refuses, 1)) {
		put(family->text, piece, ap);
		/* release: partner is the controller's acquire */
		atomic_store_explicit(&family->refused, 1, memory_order_release);
		if (family->first > 0) /* else it is over */
			sys3(SYS_kill, family->first, SIGKILL, 0);
	}
	sys_exit_group(127);
}

static void tell(enum phase phase, const char *piece, va_list ap)
{
	if (!shared)
		tell_family(phase, piece, ap);
	if (progress)
		progress->over = 1; /* a parent (fork back end) does not go on */
	put(shared->text, piece, ap);
	/* release: partner is the controller's acquire */
	atomic_store_explicit(&shared->phase, phase, memory_order_release);
}

static heddle_noreturn void end_with(enum phase phase, const char *piece, va_list ap)
{
	tell(phase, piece, ap);
	sys_exit_group(phase == PHASE_INTERNAL ? 5 : 4);
}

void refuse(const char *piece, ...)
{
	va_list ap;

	lifecycle_hidden(); /* in a probe: only a difference */
	if (sole_mark && !*sole_mark)
		sole_not();
	va_start(ap, piece);
	end_with(PHASE_REFUSED, piece, ap);
}

void refuse_with(long parent, const char *piece, ...)
{
	bool there = sys3(SYS_getppid, 0, 0, 0) == parent;
	va_list ap;

	if (there)
		sys3(SYS_kill, parent, SIGSTOP, 0);
	va_start(ap, piece);
	tell(PHASE_REFUSED, piece, ap);
	if (there)
		sys3(SYS_kill, parent, SIGKILL, 0);
	sys_exit_group(4);
}

void refuse_for_room(void)
{
	refuse("there is no room for heddle's own memory: lift the limits (ulimit -v unlimited, "
	       "ulimit -d unlimited); the program may set its own",
	       NULL);
}

void nondeterminism(const char *piece, ...)
{
	va_list ap;

	va_start(ap, piece);
	end_with(PHASE_NONDET, piece, ap);
}

void internal_error(const char *piece, ...)
{
	va_list ap;

	va_start(ap, piece);
	end_with(PHASE_INTERNAL, piece, ap);
}

/* Overrides the weak one of base/must.c. */
void must_failed(const char *what, const char *file, int line)
{
	char buf[16];
	struct text t = text_in(buf, sizeof(buf));

	text_int(&t, line);
	internal_error(what, " does not hold (", file, ":", buf, ")", NULL);
}

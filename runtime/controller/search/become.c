/* SPDX-License-Identifier: BSD-2-Clause */
/* become.c - see become.h */
#include "config.h"

#include "controller/search/become.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/run/orphans.h"

extern char **environ;

void before_note(struct before *b)
{
	const char *options = getenv("HEDDLE_OPTIONS");

	sigprocmask(SIG_SETMASK, NULL, &b->mask);
	b->options = options ? strdup(options) : NULL;
}

void before_release(struct before *b)
{
	free(b->options);
	b->options = NULL;
}

int become(const struct before *b, const char *file, char *const *argv)
{
	if (b->options)
		setenv("HEDDLE_OPTIONS", b->options, 1);
	else
		unsetenv("HEDDLE_OPTIONS");
	signal(SIGXFSZ, SIG_DFL); /* ignored by main() */
	sigprocmask(SIG_SETMASK, &b->mask, NULL);
	orphans_disown();
	execve(file, argv, environ);
	return fail(127, "cannot run '%s': %s", file, strerror(errno));
}

int then_run(struct session *s, const struct before *b, int status)
{
	bool goes_on = (status == STATUS_OK || s->skipped) && s->options->then_run && !s->harness;
	int in = goes_on && s->stdin_file[0] ? open(s->stdin_file, O_RDONLY | O_CLOEXEC) : -1;

	session_release(s);
	if (!goes_on)
		return status;
	if (in >= 0)
		dup2(in, 0);
	fflush(stdout);
	return become(b, s->program.path, s->argv);
}

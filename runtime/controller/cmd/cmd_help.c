/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_help.c - `heddle help`: the manual pages as a list, or one of them, which man(1) shows
 *
 * The pages of this installation come first: they stand beside the command, in share/man, also where an
 * installation was moved and man(1) knows nothing of it.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/locate.h"
#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/options/topics.h"

static int list(void)
{
	fputs("heddle help TOPIC shows a manual page:\n\n", stdout);
	for (const struct topic *t = topics; t->name; t++)
		printf("  %-11s %s\n", t->name, t->about);
	fputs("\nheddle COMMAND --help lists the options of a command.\n", stdout);
	return STATUS_OK;
}

/* The folder of manual pages that has this page, as it is installed, or packed, with the command; false: none. */
static bool is_beside(const struct topic *t, char *folder, size_t size)
{
	static const char *const ends[] = { "", ".gz" };
	char name[64];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "man%s/%s.%s%s", t->section, t->page, t->section,
			 ends[i]);
		if (locate_manual(name, folder, size))
			continue;
		folder[strlen(folder) - strlen(name) - 1] = 0;
		return true;
	}
	return false;
}

static int show(const struct topic *t)
{
	char folder[PATH_MAX], section[8], page[32];
	char man[] = "man", from[] = "-M";
	char *beside[] = { man, from, folder, section, page, NULL };
	char *known[] = { man, section, page, NULL };
	bool is = is_beside(t, folder, sizeof(folder));

	snprintf(section, sizeof(section), "%s", t->section);
	snprintf(page, sizeof(page), "%s", t->page);
	fflush(stdout);
	execvp(man, is ? beside : known);
	return fail(STATUS_CANNOT_RUN, "cannot run man: %s; install it, or read %s(%s)%s%s",
		    strerror(errno), page, section, is ? " in " : "", is ? folder : "");
}

int cmd_help(int argc, char **argv)
{
	const struct topic *t;

	if (argc < 2)
		return list();
	if (argc > 2)
		return fail(STATUS_USAGE, "help takes one topic; heddle help lists them");
	t = topic_find(argv[1]);
	if (!t)
		return fail(STATUS_USAGE, "there is no topic '%.64s'; heddle help lists them",
			    argv[1]);
	return show(t);
}

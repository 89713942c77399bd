/* SPDX-License-Identifier: BSD-2-Clause */
/* topics.c - see topics.h */
#include "config.h"

#include "controller/options/topics.h"

#include <stddef.h>
#include <string.h>

const struct topic topics[] = {
	{ "heddle", "heddle", "1",
	  "run a program under every schedule and every value that its memory model allows" },
	{ "tutorial", "heddle-tutorial", "7",
	  "from a broken spin lock to a verified one in ten minutes" },
	{ "gallery", "heddle-gallery", "7", "ten classic bugs, and what heddle says" },
	{ "explore", "heddle-explore", "1", "visit every execution of a program once" },
	{ "test", "heddle-test", "1", "make executions of a program at random" },
	{ "run-suite", "heddle-run-suite", "1", "explore or test many programs, with one table" },
	{ "replay", "heddle-replay", "1", "run a recorded execution again, also in a debugger" },
	{ "show", "heddle-show", "1", "look at a recorded execution: text, picture or page" },
	{ "check", "heddle-check", "1",
	  "decide whether a recorded execution is consistent with a memory model" },
	{ "cc", "heddle-cc", "1", "compile programs so that heddle sees what their threads do" },
	{ "heddle.h", "heddle.h", "3", "what a test program may say to heddle" },
	{ "report", "heddle-report", "7", "how to read what heddle reports" },
	{ "models", "heddle-models", "7",
	  "what the memory models allow, and what accesses count as" },
	{ "projects", "heddle-projects", "7", "heddle in the build of a project" },
	{ "programs", "heddle-programs", "7",
	  "which programs heddle runs, and what it makes of them" },
	{ "calls", "heddle-calls", "7",
	  "what heddle explores of threads, locks, signals, files and time" },
	{ "intercepts", "heddle-intercepts", "7",
	  "what heddle does with the functions that it intercepts" },
	{ "refusals", "heddle-refusals", "7",
	  "what heddle refuses to explore, and what to do instead" },
	{ "libraries", "heddle-libraries", "7",
	  "what heddle finds in libraries and programs of Debian 12" },
	{ "formats", "heddle-formats", "5", "files that heddle reads and writes" },
	{ NULL, NULL, NULL, NULL },
};

const struct topic *topic_find(const char *name)
{
	for (const struct topic *t = topics; t->name; t++) {
		if (!strcmp(t->name, name) || !strcmp(t->page, name))
			return t;
	}
	return NULL;
}

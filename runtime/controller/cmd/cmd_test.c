/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_test.c - heddle test: many executions, chosen at random
 *
 * Without -s each session draws another seed, so that running a test again and again looks
 * further each time; the seed is printed, so that any of them can be repeated.
 */
#include "config.h"

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/search/become.h"
#include "controller/search/session.h"

int cmd_test(int argc, char **argv)
{
	struct before before;
	struct options o;
	struct session s;
	int status;

	if (!options_parse(&o, COMMAND_TEST, argc, argv, &status))
		return status;
	if (o.from_given && !o.explore_around)
		return fail(STATUS_USAGE,
			    "--from says how far to begin like a random execution: it "
			    "needs --explore-around");
	if (!o.seed_given)
		o.seed = options_random_seed();
	before_note(&before);
	status = session_prepare(&s, &o);
	if (!status)
		status = session_search(&s, ENGINE_ONLINE);
	status = then_run(&s, &before, status);
	before_release(&before);
	return status;
}

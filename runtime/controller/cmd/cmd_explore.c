/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_explore.c - heddle explore: every execution, once
 */
#include "config.h"

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/search/around.h"
#include "controller/search/become.h"
#include "controller/search/session.h"
#include "controller/trace/trace.h"

int cmd_explore(int argc, char **argv)
{
	struct trace_reader r = { .path = NULL };
	struct trace around = { .program = NULL };
	struct before before;
	struct options o;
	struct session s;
	int status;

	if (!options_parse(&o, COMMAND_EXPLORE, argc, argv, &status))
		return status;
	if (o.from_given && !o.around)
		return fail(STATUS_USAGE,
			    "--from says how far to begin like another execution: name "
			    "its trace with --around");
	if (o.estimate && (o.around || o.equivalence == EQUIV_VALUE))
		return fail(STATUS_USAGE,
			    "--estimate: how many executions there are is not estimated %s",
			    o.around ? "with --around" : "by values: use -e rf or -e mo");
	if (o.estimate && o.timeout_s <= 0 && !o.executions)
		o.timeout_s = 1;
	before_note(&before);
	status = o.around ? around_open(&s, &o, &r, &around) : 0;
	if (!status)
		status = session_prepare(&s, &o);
	if (!status && o.around)
		status = around_read(&s, &r, &around);
	if (!status)
		status = session_search(&s, ENGINE_EXPLORE);
	status = then_run(&s, &before, status);
	before_release(&before);
	trace_close(&r);
	trace_release(&around);
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_explore.c - heddle explore: every execution, once
 */
#include "config.h"

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/search/session.h"

int cmd_explore(int argc, char **argv)
{
	struct options o;
	struct session s;
	int status;

	if (!options_parse(&o, COMMAND_EXPLORE, argc, argv, &status))
		return status;
	status = session_prepare(&s, &o);
	if (!status)
		status = session_search(&s, ENGINE_EXPLORE);
	session_release(&s);
	return status;
}

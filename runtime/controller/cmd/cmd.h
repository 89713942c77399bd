/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd.h - the commands of `heddle`
 *
 * Each takes the options that follow its name (argv[0] is the name) and returns the exit
 * status of heddle.
 */
#ifndef HEDDLE_CONTROLLER_CMD_H
#define HEDDLE_CONTROLLER_CMD_H

int cmd_explore(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_run_suite(int argc, char **argv);
int cmd_help(int argc, char **argv); /* takes no options, but a topic */

#endif

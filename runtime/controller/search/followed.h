/* SPDX-License-Identifier: BSD-2-Clause */
/* followed.h - a program is explored where another one starts it */
#ifndef HEDDLE_CONTROLLER_FOLLOWED_H
#define HEDDLE_CONTROLLER_FOLLOWED_H

/*
 * argv: FOLLOW_COMMAND, the program's file, and its argv. Explores it, and then becomes it; or ends, when it
 * has a bug. Returns an exit status where neither can be.
 */
int followed_run(int argc, char **argv);

#endif

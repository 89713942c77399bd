/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - what passes between heddle and the programs that run in a program's name
 *
 * A program that is started (by make, a shell, system() ...) finds libheddle-follow.so in LD_PRELOAD and
 * a session in its environment:
 *
 *	HEDDLE_FOLLOW=/tmp/heddle-a1b2c3:4
 *
 * That is the session's folder, and the number of the program there that is explored and has started this
 * one (0: the one that the user named). In the folder are
 *
 *	heddle		a link to the command
 *	wanted		a link whose text is the option --follow
 *	options		the command and its options, each with its final 0
 *	log		what was started, one line each: FOLLOW_RECORD
 *	N.json, N.text	what heddle says of program N
 *	N.again.json	likewise, when its exit status is taken for right
 *
 * A line of the log is written at once, so those of several processes do not mix (write(2), O_APPEND).
 */
#ifndef HEDDLE_WIRE_FOLLOW_H
#define HEDDLE_WIRE_FOLLOW_H

#define FOLLOW_ENV     "HEDDLE_FOLLOW"
#define FOLLOW_LIBRARY "libheddle-follow.so"
#define FOLLOW_HEDDLE  "heddle"
#define FOLLOW_WANTED  "wanted"
#define FOLLOW_OPTIONS "options"
#define FOLLOW_LOG     "log"
#define FOLLOW_AGAIN   ".again"
/* The command that explores a program in its own place: heddle COMMAND FILE ARGV[0] ARGUMENT... */
#define FOLLOW_COMMAND "followed"

/*
 * Verb, number of the one who started it, process, its parent, number (0: none), file, and a text:
 *
 *	ran		a program that is not instrumented began
 *	threads		it created its first thread
 *	unwanted	an instrumented one began, and --follow does not ask for it
 *	unseen		one is about to begin that nothing can be loaded into; text: why
 *	begun		heddle explores one from now on; text: its name in the results
 *	ended		it has done so; text: FOLLOW_END
 */
#define FOLLOW_RECORD "%s\t%u\t%d\t%d\t%u\t%s\t%s\n"

/*
 * heddle's exit status; the program's own if it is the same in all executions, and not 0; whether the
 * report was shown to the user; whether it was interrupted.
 */
#define FOLLOW_END "%d %d %d %d"

enum {
	FOLLOW_LINE = 8192 /* bytes of one record */
};

#endif

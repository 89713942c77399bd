/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * args.h - what a compiler's command line asks for
 */
#ifndef HEDDLE_INSTRUMENT_ARGS_H
#define HEDDLE_INSTRUMENT_ARGS_H

#include <stdbool.h>

struct args {
	bool has_input;    /* a file, `-`, or a library: there is work to do */
	bool links;        /* the linker will run */
	bool is_static;    /* -static or -static-pie */
	bool is_shared;    /* -shared */
	bool is_partial;   /* -r: objects into one object */
	bool no_libraries; /* -nostdlib or -nodefaultlibs: libraries are the user's affair */
	bool is_32bit;     /* -m32, -mx32 or -m16 */
};

/*
 * Reads argv[1..argc-1] as gcc and clang do, response files (@file) included, as far as the
 * wrapper must know. Unreadable response files are left to the compiler to complain about.
 */
void args_scan(struct args *args, int argc, char *const argv[]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* proc_path.h - paths in /proc with ids that the program was told (hook_identity.c) */
#ifndef HEDDLE_PRELOAD_PROC_PATH_H
#define HEDDLE_PRELOAD_PROC_PATH_H

#pragma GCC visibility push(hidden)

struct proc_path {
	char text[256];
};

/* The path as the kernel knows it: path itself, or what is put into *room. A wild path is left to the kernel. */
const char *proc_path(const char *path, struct proc_path *room);

#pragma GCC visibility pop

#endif

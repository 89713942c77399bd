/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preinit.c - becomes libtsan_preinit.o
 *
 * gcc's driver links a file of that name into every executable made with -fsanitize=thread.
 * Ours has nothing to do.
 */
typedef int preinit_is_empty;

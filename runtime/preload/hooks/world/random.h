/* SPDX-License-Identifier: BSD-2-Clause */
/* random.h - /dev/random and its like give what hook_random.c makes */
#ifndef HEDDLE_PRELOAD_RANDOM_H
#define HEDDLE_PRELOAD_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

/* The next of the calling thread. */
uint64_t random_number(void);
/* Is that the path of one? A descriptor of one is open; is closed; is it one? */
bool random_is_device(const char *path);
void random_opened(int fd);
void random_closed(int fd);
bool random_is(int fd);
/* read() or readv() of one. */
ssize_t random_read(const struct iovec *to, int n);
/* A new descriptor of a file that holds so many random bytes as a stream may want. */
int random_file(void);

#pragma GCC visibility pop

#endif

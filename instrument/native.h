/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native.h - what the files of the native library share
 *
 * libheddle-native.so stands where the ThreadSanitizer runtime would: it gives every call
 * that `-fsanitize=thread` puts into a program the meaning of the plain operation, so that
 * the program runs by itself. Under heddle the preloaded runtime comes first in the search
 * order and takes the place of these functions; so they must be ordinary dynamic symbols
 * (no -Bsymbolic, nothing inlined into the program).
 */
#ifndef HEDDLE_INSTRUMENT_NATIVE_H
#define HEDDLE_INSTRUMENT_NATIVE_H

/* Exported. The library is compiled with -fvisibility=hidden. */
#define HEDDLE_API __attribute__((visibility("default"), used))

/* Declares and opens a function of the ABI; no header declares it. */
#define NATIVE(result, name, ...)            \
	HEDDLE_API result name(__VA_ARGS__); \
	HEDDLE_API result name(__VA_ARGS__)

#endif

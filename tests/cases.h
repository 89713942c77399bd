/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cases.h - a program that is several small ones, named by its argument
 *
 * Each file that includes this is about one family of calls, or one part of heddle. Its head lists
 * the cases with what must come out:
 *
 *	case NAME: ok N			every execution ends well, there are N of them
 *	case NAME: ok * (WHY)		their number is none of the program's, and why
 *	case NAME: bug KIND at TEXT	heddle finds a bug of that kind, at the one line with TEXT in it
 *	case NAME: bug KIND		the same at the line that ends in the comment "bug: NAME"
 *	case NAME: inconclusive TEXT	heddle cannot tell, with TEXT as the reason
 *	case NAME: refused TEXT		heddle refuses, with TEXT in its message
 *
 * Options of heddle explore may follow the name. The programs are compiled with -O1. All cases are
 * run once more where the head says
 *
 *	also OPTION: WHY		compiled with that option instead
 *	also ulimit LIMIT: WHY		in a process that has that limit
 *
 * family.sh runs them all under heddle, some also by values (cases.sh); the ok ones also natively, with status 0.
 */
#ifndef CASES_H
#define CASES_H

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct one_case {
	const char *name;
	void (*run)(void);
};

#define CASE(name)          \
	{                   \
#name, name \
	}

#define CASES(...)                                                                          \
	static const struct one_case cases[] = { __VA_ARGS__ };                             \
	int main(int argc, char **argv)                                                     \
	{                                                                                   \
		for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) { \
			if (!strcmp(cases[i].name, argv[1])) {                              \
				cases[i].run();                                             \
				return 0;                                                   \
			}                                                                   \
		}                                                                           \
		fprintf(stderr, "no such case\n");                                          \
		return 2;                                                                   \
	}

/* Runs fn in n threads at once (at most 8) and waits for them. */
#define THREADS(n, fn)                                                              \
	do {                                                                        \
		pthread_t t_[8];                                                    \
		for (long i_ = 0; i_ < (n); i_++)                                   \
			assert(pthread_create(&t_[i_], NULL, fn, (void *)i_) == 0); \
		for (long i_ = 0; i_ < (n); i_++)                                   \
			assert(pthread_join(t_[i_], NULL) == 0);                    \
	} while (0)

/* Runs these functions in a thread each, with NULL, and waits for them. */
#define RUN(...)                                                                   \
	do {                                                                       \
		void *(*const fn_[])(void *) = { __VA_ARGS__ };                    \
		pthread_t t_[sizeof(fn_) / sizeof(fn_[0])];                        \
		for (size_t i_ = 0; i_ < sizeof(fn_) / sizeof(fn_[0]); i_++)       \
			assert(pthread_create(&t_[i_], NULL, fn_[i_], NULL) == 0); \
		for (size_t i_ = 0; i_ < sizeof(fn_) / sizeof(fn_[0]); i_++)       \
			assert(pthread_join(t_[i_], NULL) == 0);                   \
	} while (0)

#endif

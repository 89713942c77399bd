/* SPDX-License-Identifier: BSD-2-Clause */
/* real.h - the functions that ours stand in front of */
#ifndef HEDDLE_PRELOAD_REAL_H
#define HEDDLE_PRELOAD_REAL_H

#include "preload/core/reset.h"

#pragma GCC visibility push(hidden)

/* The next definition of a symbol after ours; version may be NULL. Refuses when missing. */
void *real_lookup(const char *name, const char *version);
/* The same; NULL when missing, and dlerror() says so. */
void *real_find(const char *name, const char *version);
/* That of one name, or where it is missing of another one, kept in *found: libc has had some names since C23 only. */
void *real_or(void **found, const char *name, const char *otherwise);

/* libc's own dlsym() and dlvsym(). They look at whom they return to. */
typedef void *real_dlsym_t(void *handle, const char *name);
typedef void *real_dlvsym_t(void *handle, const char *name, const char *version);
real_dlsym_t *real_dlsym(void);
real_dlvsym_t *real_dlvsym(void);

/* Where the function is called otherwise in C. */
#define REAL_BY_NAME(function, name)                                            \
	({                                                                      \
		static __typeof__(&function) real_;                             \
		KEPT(real_);                                                    \
		if (unlikely(!real_))                                           \
			real_ = (__typeof__(&function))real_lookup(name, NULL); \
		real_;                                                          \
	})
#define REAL(name) REAL_VERSION(name, NULL)
#define REAL_VERSION(name, version)                                             \
	({                                                                      \
		static __typeof__(&name) real_;                                 \
		KEPT(real_);                                                    \
		if (unlikely(!real_))                                           \
			real_ = (__typeof__(&name))real_lookup(#name, version); \
		real_;                                                          \
	})

#pragma GCC visibility pop

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus.h - the corpus of rf-fuzz, from one use of heddle to the next
 *
 * A file in the output folder for each build of a program: a line that says what it is, and one for each abstract schedule
 * (wire/corpus.h), as `+WRITE:READ -WRITE:READ`, where - means never. Whatever else stands there is passed over.
 */
#ifndef HEDDLE_CONTROLLER_CORPUS_H
#define HEDDLE_CONTROLLER_CORPUS_H

#include <stdbool.h>

#include "controller/search/session.h"

/* Before the search: s->corpus is what the file has, or stays NULL where none is asked for. False: out of memory. */
bool corpus_load(struct session *s);
/* Behind it: what the search has found as well is written. 0 or an exit status, after a message. */
int corpus_store(struct session *s);

/* Adds what a worker has found that *into, which may be NULL, has not. False: out of memory. */
bool corpus_join(struct corpus **into, const struct corpus *from);

/* A run begins, and is told of it. */
void corpus_tell(const struct session *s, struct corpus *out);

#endif

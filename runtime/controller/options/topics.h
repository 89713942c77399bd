/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topics.h - the manual pages, as `heddle help` lists them and shells complete them
 *
 * A topic is the name of a page without `heddle-`. What is said of it is the line under the page's NAME, and every
 * page has a row (tests/lint/manual.test).
 */
#ifndef HEDDLE_CONTROLLER_TOPICS_H
#define HEDDLE_CONTROLLER_TOPICS_H

struct topic {
	const char *name, *page, *section, *about;
};

extern const struct topic topics[]; /* ends with a NULL name */

/* By the name of the topic or of the page; NULL: there is none. */
const struct topic *topic_find(const char *name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* markup.h - text of unknown origin in XML and HTML */
#ifndef HEDDLE_CONTROLLER_MARKUP_H
#define HEDDLE_CONTROLLER_MARKUP_H

/* What stands for a character that is markup, in text and in attributes; NULL: it stands for itself. */
const char *markup_entity(char c);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sc_keep.h - rc11: which events the order of sc events may still ask about
 */
#ifndef HEDDLE_ENGINE_ONLINE_SC_KEEP_H
#define HEDDLE_ENGINE_ONLINE_SC_KEEP_H

struct marks;

/* There are sc events: marks and lists them, when all others are; and takes out of S what is between two numbers that anybody has. (online.txt, G7) */
void sc_keep(struct marks *m);

#endif

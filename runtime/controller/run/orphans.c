/* SPDX-License-Identifier: BSD-2-Clause */
/* orphans.c - see orphans.h */
#include "config.h"

#include "controller/run/orphans.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/message.h"

enum {
	ROUNDS = 100 /* until nobody is left: who is killed may just have made another one */
};

/* A line of the system's list of processes. */
struct process {
	pid_t pid, parent;
	char state;
	unsigned long ticks;
	unsigned long flags; /* the kernel's */
	bool ours;           /* an orphan, or made by one */
	bool looked;         /* for what it has made */
};

struct list {
	struct process *at;
	size_t n, room;
};

/* The children that we had before. */
static struct list before;
static bool adopting;

/* ---- What the system knows -------------------------------------------------------------------------- */

static bool read_process(const char *name, struct process *p)
{
	char path[64], text[512], *at;
	unsigned long user, kernel;
	FILE *f;
	size_t n;

	memset(p, 0, sizeof(*p));
	p->pid = atoi(name);
	if (p->pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)p->pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	at = strrchr(text, ')'); /* behind the name, which may hold anything */
	if (!at || sscanf(at + 1, " %c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %lu %lu", &p->state,
			  &p->parent, &p->flags, &user, &kernel) != 5)
		return false;
	p->ticks = user + kernel;
	return true;
}

/* All that there are; empty when memory is short, or without /proc. */
static struct list processes(void)
{
	struct list l = { .n = 0 };
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct process p;

		if (!read_process(e->d_name, &p))
			continue;
		if (l.n == l.room) {
			struct process *grown =
				realloc(l.at, (l.room = 2 * l.room + 64) * sizeof(*grown));

			if (!grown)
				break;
			l.at = grown;
		}
		l.at[l.n++] = p;
	}
	if (d)
		closedir(d);
	return l;
}

static bool is_in(const struct list *l, pid_t pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].pid == pid)
			return true;
	return false;
}

bool has_children(pid_t of)
{
	struct list l = processes();
	bool found = false;

	for (size_t i = 0; i < l.n; i++)
		found |= l.at[i].parent == of;
	free(l.at);
	return found;
}

unsigned long ticks_of(pid_t pid)
{
	char name[24];
	struct process p;

	snprintf(name, sizeof(name), "%d", (int)pid);
	return read_process(name, &p) ? p.ticks : 0;
}

static bool is_heddle(pid_t pid)
{
	char path[64];
	struct stat own, its;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return !stat("/proc/self/exe", &own) && !stat(path, &its) && own.st_dev == its.st_dev &&
	       own.st_ino == its.st_ino;
}

/* Its command line: words with a blank between them. */
static void name_of(pid_t pid, char *out, size_t size)
{
	char path[64];
	FILE *f;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(out, 1, size - 1, f);
		fclose(f);
	}
	while (n && !out[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!out[i])
			out[i] = ' ';
	out[n] = 0;
	if (!n)
		snprintf(out, size, "?");
	text_sanitize(out, size);
}

/* ---- Ours ----------------------------------------------------------------------------------------- */

/* So it is mostly, and the kernel knows at once. */
static bool is_childless(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0;
}

void orphans_adopt(void)
{
	if (!adopting && !is_childless()) {
		struct list all = processes();

		before.n = 0;
		for (size_t i = 0; i < all.n; i++)
			if (all.at[i].parent == getpid())
				all.at[before.n++] = all.at[i];
		free(before.at);
		before.at = all.at;
	}
	adopting = true;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_disown(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static bool is_orphan(const struct process *p)
{
	return p->parent == getpid() && !is_in(&before, p->pid);
}

static void mark_children(struct list *l, pid_t of)
{
	for (size_t i = 0; i < l->n; i++)
		l->at[i].ours |= l->at[i].parent == of;
}

/* Those that orphans have made are found in as many rounds as they are deep, at most. */
static void mark(struct list *l)
{
	bool more = true;

	for (size_t i = 0; i < l->n; i++)
		l->at[i].ours = is_orphan(&l->at[i]);
	while (more) {
		more = false;
		for (size_t i = 0; i < l->n; i++) {
			if (!l->at[i].ours || l->at[i].looked)
				continue;
			mark_children(l, l->at[i].pid);
			more = l->at[i].looked = true;
		}
	}
}

/*
 * The list is none of one moment: whom a process makes while it is read may be missing, and that process be a zombie by
 * the time that it is looked at. So nobody is left when no child of ours is in the list, not even a zombie. Each
 * that there was when the reading began is in it, since only we wait for them; and where there was none, nobody
 * was left who could have made another one.
 */
bool orphans_look(struct orphans *o, void (*over)(void *ctx, pid_t pid, unsigned long flags),
		  void *ctx)
{
	struct list l = { .n = 0 };

	memset(o, 0, sizeof(*o));
	if (!is_childless())
		l = processes();
	for (size_t i = 0; i < l.n; i++) {
		if (!is_orphan(&l.at[i]))
			continue;
		o->n++;
		if (l.at[i].state != 'Z')
			continue;
		over(ctx, l.at[i].pid, l.at[i].flags);
		l.at[i].parent = waitpid(l.at[i].pid, NULL, WNOHANG) > 0 ? 0 : getpid();
	}
	mark(&l);
	for (size_t i = 0; i < l.n; i++) {
		if (!l.at[i].ours)
			continue;
		o->stamp += l.at[i].ticks + (unsigned long)l.at[i].pid * 1000003;
		o->explores |= is_heddle(l.at[i].pid);
		if (!o->first && is_orphan(&l.at[i]))
			o->first = l.at[i].pid;
	}
	free(l.at);
	if (o->first)
		name_of(o->first, o->name, sizeof(o->name));
	return o->n > 0;
}

/* One round; how many there were. The children of those that end are ours in the next one. */
static size_t end_some(void)
{
	struct list l = processes();
	size_t n = 0;

	for (size_t i = 0; i < l.n; i++) {
		if (!is_orphan(&l.at[i]))
			continue;
		kill(l.at[i].pid, SIGKILL);
		waitpid(l.at[i].pid, NULL, 0);
		n++;
	}
	free(l.at);
	return n;
}

void orphans_end(void)
{
	for (int i = 0; i < ROUNDS && !is_childless() && end_some(); i++)
		;
}

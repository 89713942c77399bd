/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_list.c - lists of robust futexes (set_robust_list(2))
 *
 * A thread keeps a list of the futexes that it has, and of one that it is about to take or to
 * leave. When it ends, words of these that still hold its id get FUTEX_OWNER_DIED, and who sleeps
 * there is woken, as by the kernel: one of them, by the shared name. Those with priority inheritance
 * are marked in the pointers; futex_pi.c gives them to the next.
 *
 * The list is the program's, and nobody's business until its thread ends; a wild pointer in it ends the
 * walk. A thread without one has that of glibc, which is left alone: heddle's own robust mutexes do
 * not need it.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <unistd.h>

#include "preload/core/context.h"
#include "preload/core/touch.h"
#include "preload/hooks/futex/futex.h"
#include "preload/hooks/world/identity.h"
#include "preload/step/perform.h"

enum {
	MOST = 2048 /* ROBUST_LIST_LIMIT of the kernel */
};

static HEDDLE_IMAGE_SELDOM struct robust_list_head *lists[HEDDLE_MAX_THREADS] = { NULL };

void futex_list_begins(uint32_t tid)
{
	if (lists[tid])
		lists[tid] = NULL;
}

long futex_set_list(struct robust_list_head *head, size_t size)
{
	struct robust_list_head **mine = &lists[self_id()];

	if (size != sizeof(*head))
		return futex_fails(EINVAL);
	futex_needs_table();
	note_plain_write((uintptr_t)mine, sizeof(*mine));
	*mine = head;
	return 0;
}

bool futex_get_list(pid_t id, struct robust_list_head **head, size_t *size)
{
	bool own = !id || id == identity_of(self_id());
	int tid = own ? (int)self_id() : identity_thread(id);

	if (tid < 0 || !lists[tid])
		return false;
	note_plain_write((uintptr_t)head, sizeof(*head));
	note_plain_write((uintptr_t)size, sizeof(*size));
	*head = lists[tid];
	*size = sizeof(**head);
	return true;
}

/* An entry; its lowest bit says that it has priority inheritance. */
static bool follow(struct robust_list *const *at, uint64_t *entry)
{
	if (!memory_readable(at, sizeof(*at)))
		return false;
	*entry = (uintptr_t)*at;
	return true;
}

static struct robust_list *without_mark(uint64_t entry)
{
	return (struct robust_list *)(entry & ~1ul);
}

/* As handle_futex_death() of the kernel; false: there is no such word. */
static bool abandon(uint64_t entry, long offset, bool pending)
{
	uint32_t *word = (uint32_t *)((entry & ~1ul) + (uint64_t)offset);
	uint64_t shared_name = futex_name(word, 0);
	bool inherits = entry & 1;
	uint32_t seen;

	if ((uintptr_t)word % sizeof(*word) || !memory_writable(word, sizeof(*word)))
		return false;
	seen = futex_load(word, 0);
	do {
		if (pending && !inherits && !(seen & FUTEX_TID_MASK)) {
			futex_rouse_on(shared_name, 1, FUTEX_BITSET_MATCH_ANY, 0);
			return true;
		}
		if ((seen & FUTEX_TID_MASK) != (uint32_t)identity_of(self_id()))
			return true;
	} while (!futex_swap(word, &seen, (seen & FUTEX_WAITERS) | FUTEX_OWNER_DIED, 0));
	if (!inherits && seen & FUTEX_WAITERS)
		futex_rouse_on(shared_name, 1, FUTEX_BITSET_MATCH_ANY, 0);
	return true;
}

bool futex_list_is_used(void)
{
	const struct robust_list_head *head = lists[self_id()];

	return head && memory_readable(head, sizeof(*head)) &&
	       (without_mark((uintptr_t)head->list.next) != &head->list || head->list_op_pending);
}

/* As exit_robust_list(). */
void futex_list_ends(void)
{
	struct robust_list_head *head = lists[self_id()];
	uint64_t entry, next, pending;

	if (!futex_list_is_used())
		return;
	entry = (uintptr_t)head->list.next;
	pending = (uintptr_t)head->list_op_pending;
	for (int left = MOST; left && without_mark(entry) != &head->list; left--, entry = next) {
		bool more = follow(&without_mark(entry)->next, &next);

		if (without_mark(entry) != without_mark(pending) &&
		    !abandon(entry, head->futex_offset, false))
			return;
		if (!more)
			return;
	}
	if (without_mark(pending))
		abandon(pending, head->futex_offset, true);
}

# SPDX-License-Identifier: BSD-2-Clause
"""Is there a data race in a dumped execution? Happens-before, worked out anew for each model from what threads did and read.

What heddle-formats(5) says of executions, and runtime/engine/model/models.txt ("Data races") of models, is all that is used here. The
program names its plain accesses itself: right before each its thread stores to an element of `mark`; before one of free() to `freed`. Behind
a store to `failed` a thread, and who knows of it, does nothing that counts.
"""

AS_ORDERED, BY_READING, BY_LIBRARY = range(3)
HB = {"rc11": AS_ORDERED, "rc20": AS_ORDERED, "relaxed": BY_LIBRARY, "sc": BY_READING, "tso": BY_READING, "sra": BY_READING, "ra": BY_READING, "wra": BY_READING}


class Event:
    """A line of a dumped execution: what kind, where, how ordered, and which write it reads from."""

    def __init__(self, words, before):
        self.kind, self.where, self.order = words[0], words[1] if len(words) > 2 else "", words[1 if words[0] == "f" else 2]
        self.source = None
        if self.kind in "ru" and words[-1] != "init":
            self.source = tuple(int(number) for number in words[-1].split("."))
        self.freed = ":freed+" in before
        self.plain = self.freed or ":mark+" in before
        self.acquires = not self.plain and self.order in ("acq", "acq_rel", "sc")
        self.releases = not self.plain and self.order in ("rel", "acq_rel", "sc")
        self.library = self.order == "sync"


def threads_of(lines):
    threads, before = {}, ""
    for words in (line.split() for line in lines):
        if words[0] == "thread":
            events, before = threads.setdefault(int(words[1]), []), ""
        elif words[0] in ("r", "w", "u", "f"):
            events.append(Event(words, before))
            before = events[-1].where
    return threads


def without_failed(threads):
    """What comes before failed checks: of each thread the first events, none of which comes behind one by program order and reads-from."""
    until = {t: next((i for i, event in enumerate(events) if ":failed+" in event.where), len(events)) for t, events in threads.items()}
    again = True
    while again:
        again = False
        for t, events in threads.items():
            for i, event in enumerate(events[:until[t]]):
                if event.source and event.source[1] >= until[event.source[0]]:
                    until[t], again = i, True
                    break
    return {t: events[:until[t]] for t, events in threads.items()}


def join(clock, other):
    for t, n in other.items():
        clock[t] = max(clock.get(t, 0), n)


class Thread:
    """What happens before its next event, before its last release fence, and, behind an acquire fence, will have."""

    def __init__(self):
        self.done, self.clock, self.fenced, self.to_come, self.heads = 0, {}, {}, {}, {}

    def goes(self, t, event, c11, reads, passed, clocks):
        """passed: what each write passes on to those that acquire it. A read-modify-write hands on what it read; in C11 a write does what those of its thread there did."""
        source = event.source
        handed = passed[source] if source else {}
        if event.library:
            if event.reads_library:
                join(self.clock, clocks[source] if source else {})
        elif reads == BY_READING:
            if source and not event.plain and source in passed["atomic"]:
                join(self.clock, clocks[source])
        elif reads == AS_ORDERED:
            join(self.clock if event.acquires else self.to_come, {} if event.plain else handed)
            if event.kind == "f" and event.acquires:
                join(self.clock, self.to_come)
        self.clock[t] = self.done + 1
        if event.kind == "f" and event.releases:
            self.fenced = dict(self.clock)
        if event.kind in "wu":
            self.writes(t, event, c11, handed, passed)
        self.done += 1
        return dict(self.clock)

    def writes(self, t, event, c11, handed, passed):
        on = {}
        if not event.plain:
            passed["atomic"].add((t, self.done))
            on = dict(self.clock if event.releases else self.fenced)
            if c11:
                join(on, self.heads.get(event.where, {}))
                self.heads[event.where] = dict(on)
            if event.kind == "u":
                join(on, handed)
        passed[t, self.done] = on


def clocks_of(threads, model, tries):
    """For each event how many of each thread happen before it, itself included. tries: the locations of locks, where a read that is no more is a try in vain."""
    clocks, passed, state = {}, {"atomic": set()}, {t: Thread() for t in threads}
    for events in threads.values():
        for event in events:
            event.reads_library = event.library and not (event.kind == "r" and any(name in event.where for name in tries))
    while any(state[t].done < len(threads[t]) for t in threads):
        for t, events in threads.items():
            while state[t].done < len(events):
                event = events[state[t].done]
                if event.source and event.source not in clocks:
                    break
                at = t, state[t].done
                clocks[at] = state[t].goes(t, event, model == "rc11", HB[model], passed, clocks)
    return clocks


def has_race(threads, model, tries):
    """Two accesses of one variable race, or one is behind a free() of it."""
    threads = without_failed(threads)
    clocks = clocks_of(threads, model, tries)
    places = {}
    for t, events in threads.items():
        for i, event in enumerate(events):
            if event.kind != "f":
                places.setdefault(event.where, []).append((t, i, event))
    for accesses in places.values():
        if any(event.plain for _, _, event in accesses) and any_races(accesses, clocks):
            return True
    return False


def any_races(accesses, clocks):
    for n, (t, i, a) in enumerate(accesses):
        for u, k, b in accesses[:n]:
            behind_b, behind_a = clocks[t, i].get(u, 0) > k, clocks[u, k].get(t, 0) > i
            if a.freed and behind_a or b.freed and behind_b:
                return True
            if t != u and (a.plain or b.plain) and (a.kind != "r" or b.kind != "r") and not behind_a and not behind_b:
                return True
    return False

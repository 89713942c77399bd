#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reference exploration by values: RVF-SMC (CAV 2021, Algorithm 2), under any model of the oracle.

  values.py [--most N] FILE.json MODEL[,MODEL...]    compares with what FILE expects: the programs with at most
                                                     N vectors of values

Two executions are the same here when each read returns the same value. The engine has no such exploration. The
paper proves it for sc; under the other models the same search finds every vector on the litmus files.

A node is what each thread's reads returned (`read`), and for each of these reads the writes that it may have
observed (`good`). is_feasible() takes the place of the paper's VerifySC: is there, for these events, a choice of
reads-from within `good` that the model allows? It is brute force.
"""
import sys

from explore import acyclic, arguments, compare, run_thread, union
from litmus_oracle import Graph

sys.setrecursionlimit(100000)


class Ancestor:
    """A read on the way to a node, and whether a write turned up behind it that it might observe."""

    def __init__(self, read, loc, signalled):
        self.read, self.loc, self.signalled = read, loc, signalled


class ValueExplorer:
    """A read is named (thread, how many of its thread come before it), a write (thread, index) or ('i', location)."""

    def __init__(self, prog, model):
        self.prog, self.model, self.code = prog, model, prog['threads']
        self.leaves, self.known = [], {}

    def run(self):
        self.visit([[] for _ in self.code], {}, {}, [])
        return self

    def replay(self, read):
        """The events of each thread, and the read that each needs next, or None."""
        events, needs = [], []
        for code, values in zip(self.code, read):
            done, comes_to, _ = run_thread(code, values)
            events.append(done)
            needs.append(comes_to[1] if comes_to and comes_to[0] == 'need' else None)
        return events, needs

    # --- is there an execution? --------------------------------------------------------------

    def is_feasible(self, read, good):
        key = tuple(map(tuple, read)), tuple(sorted(good.items()))
        if key not in self.known:
            events, _ = self.replay(read)
            reads = [(t, i) for t, done in enumerate(events) for i, e in enumerate(done) if e[0] in 'RU']
            self.known[key] = self.can_choose(events, reads, good, {})
        return self.known[key]

    def can_choose(self, events, reads, good, source):
        """Is there a choice for the reads that have no source yet?"""
        if len(source) == len(reads):
            return self.is_allowed(events, source)
        t, i = reads[len(source)]
        rank = sum(name[0] == t for name in source)
        is_rmw = events[t][i][0] == 'U'
        taken = {w for (u, j), w in source.items() if events[u][j][0] == 'U'}
        return any(self.can_choose(events, reads, good, {**source, (t, i): w}) for w in good[t, rank]
                   if w != (t, i) and not (is_rmw and w in taken))

    def is_allowed(self, events, source):
        g = Graph(self.prog, [[e + (source[t, i],) if e[0] in 'RU' else e for i, e in enumerate(done)]
                              for t, done in enumerate(events)])
        return acyclic(union(g.po, g.rf)) and g.consistent(self.model)

    # --- the search --------------------------------------------------------------------------

    def writes(self, events, read, loc, met):
        """The writes that the read may observe, by value; without those that it has met before."""
        by_value = {}
        for t, done in enumerate(events):
            for i, e in enumerate(done):
                if e[0] in 'WU' and e[1] == loc and not (read in met and i < met[read][t]):
                    by_value.setdefault(e[3] if e[0] == 'W' else e[4], []).append((t, i))
        if read not in met:
            by_value.setdefault(self.prog['init'][loc], []).append(('i', loc))
        return by_value

    @staticmethod
    def signal(ancestors, before, events, needs):
        """Tells the reads on the way that another thread has a write, or may have one, that they have not met."""
        for t, done in enumerate(events):
            locs = {e[1] for e in done[len(before[t]):] if e[0] in 'WU'}
            if needs[t] and needs[t][0] != 'R':
                locs.add(needs[t][2])
            for a in ancestors:
                if a.loc in locs and a.read[0] != t:
                    a.signalled = True

    def visit(self, read, good, met, ancestors):
        """met: of a read that was put off, how many events each thread had when it was here last."""
        events, needs = self.replay(read)
        name = {t: (t, len(read[t])) for t, op in enumerate(needs) if op}
        if not name:
            self.leaves.append(tuple(map(tuple, read)))
            return
        met, go_on = dict(met), True
        for t in sorted(name, key=lambda t: name[t] in met):
            if not go_on:
                break
            if name[t] not in met:
                go_on = False
            loc = needs[t][2]
            for value, writes in sorted(self.writes(events, name[t], loc, met).items()):
                more = [values + [value] if u == t else values for u, values in enumerate(read)]
                narrowed = {**good, name[t]: frozenset(writes)}
                if not self.is_feasible(more, narrowed):
                    continue
                this = Ancestor(name[t], loc, go_on)
                self.signal(ancestors + [this], events, *self.replay(more))
                self.visit(more, narrowed, met, ancestors + [this])
                go_on = go_on or this.signalled
            met[name[t]] = [len(done) for done in events]


def explore(prog, model):
    x = ValueExplorer(prog, model).run()
    return len(set(x.leaves)), 0


if __name__ == '__main__':
    sys.exit(compare(arguments(), explore, {'ASSERT', 'ASSUME', 'na'}, lambda e: e['values']))

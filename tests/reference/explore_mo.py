#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reference exploration by reads-from and modification order: TruSt (POPL 2022) as published.

  explore_mo.py [--most N] FILE.json MODEL[,MODEL...]    compares with what FILE expects: the programs with at
                                                         most N executions

What runtime/engine/explore_mo.c adds. Beside explore.py: a new write branches over its places in the
modification order (an exclusive write stands right behind the write that its read observed), and what is
maximal is what is last in it, among previous(e). `mo` holds the names of the writes of each location, without the
initial one.
"""
import sys

from explore import Event, Explorer, acyclic, arguments, compare, union


def only(mo, names):
    return {loc: [w for w in writes if w in names] for loc, writes in mo.items()}


class OrderExplorer(Explorer):
    def run(self):
        self.visit([], {}, {loc: [] for loc in self.prog['init']})
        return self

    def consistent_by(self, names, rf, mo):
        g, merged = self.graph(names, rf, self.replay(names, rf)[0])
        orders = [[g.place['i', loc]] + [g.place[merged[w]] for w in mo[loc] if w in names] for loc in g.locs]
        return (acyclic(union(g.po, g.rf)) and all(g.follows_sources(writes) for writes in orders) and
                g.consistent_with(self.model, g.relation_of(orders)))

    def is_maximal_by(self, order, rf, mo, events, e, write, prefix):
        at = {name: i for i, name in enumerate(order)}
        previous = {name for name in order if (at[name] <= at[e] or name in prefix) and name != write}
        if any(r != e and r in rf and rf[r][0] != 'i' and rf[r] not in previous for r in previous):
            return False
        loc = events[e].loc
        if events[e].kind == 'W':
            return (not any(rf.get(r) == e and at[r] < at[e] for r in previous) and
                    self.last(mo, loc, previous) == e)
        return events[e].kind != 'R' or self.last(mo, loc, previous - {e}) == rf[e]

    @staticmethod
    def last(mo, loc, names):
        return next((w for w in reversed(mo[loc]) if w in names), ('i', loc))

    def visit(self, order, rf, mo):
        names = set(order)
        events, then = self.replay(names, rf)
        t = self.next_thread(then)
        if t is None:
            orders = tuple((loc, tuple(writes)) for loc, writes in sorted(mo.items()))
            self.count((frozenset(names), tuple(sorted(rf.items())), orders))
            return
        e = t, sum(name[0] == t for name in names)
        if not isinstance(then[t], Event):
            loc = then[t][1][2]
            for write in [('i', loc)] + mo[loc]:
                if self.consistent_by(names | {e}, {**rf, e: write}, mo):
                    self.visit(order + [e], {**rf, e: write}, mo)
        elif then[t].kind == 'F':
            self.visit(order + [e], rf, mo)
        else:
            self.visit_places(order + [e], rf, mo, e)
            self.visit_back(order + [e], rf, mo, e)

    def visit_places(self, order, rf, mo, write):
        """Every place of the write that the model allows."""
        names = set(order)
        e = self.replay(names, rf)[0][write]
        others = only(mo, names - {write})
        writes = others[e.loc]
        places = range(len(writes) + 1)
        if e.exclusive:
            source = rf[write[0], write[1] - 1]
            places = [0 if source[0] == 'i' else writes.index(source) + 1]
        for i in places:
            placed = {**others, e.loc: writes[:i] + [write] + writes[i:]}
            if self.consistent_by(names, rf, placed):
                self.visit(order, rf, placed)

    def visit_back(self, order, rf, mo, write):
        events, _ = self.replay(set(order), rf)
        prefix = self.prefix(rf, write)
        for i, read in enumerate(order):
            if events[read].kind != 'R' or events[read].loc != events[write].loc or read in prefix:
                continue
            deleted = [name for name in order[i + 1:] if name not in prefix and name != write]
            if all(self.is_maximal_by(order, rf, mo, events, e, write, prefix) for e in deleted + [read]):
                keep = [name for name in order if name not in deleted]
                self.visit_places(keep, {**{r: w for r, w in rf.items() if r in keep}, read: write}, mo, write)


def explore(prog, model):
    x = OrderExplorer(prog, model).run()
    return len(x.executions), x.repeated


if __name__ == '__main__':
    sys.exit(compare(arguments(), explore, {'ASSERT', 'ASSUME', 'na'}, lambda e: e.get('mo')))

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reference exploration by reads-from: stateless, each execution once, under any model of the oracle.

  explore.py [--most N] FILE.json MODEL[,MODEL...]    compares with what FILE expects: the programs with at
                                                      most N executions
  explore.py --by-insertion FILE.json MODEL           with another canonical(), which loses executions

A slow, short statement of what runtime/engine/explore.c and revisit.c do for reads and writes, on litmus
programs (tests/conformance/README.md). Why it visits each graph, and each once: runtime/engine/explore/explore.txt, E.

Read visit() first: forward and backward revisits; then is_maximal(): when a backward revisit is the one that
must be done; and canonical(): the write that a read would be given if nothing but `previous` existed. A
read-modify-write is an exclusive read and right behind it an exclusive write. The read may observe a write that
another read-modify-write has taken, since revisiting that other one can make room.
"""
import argparse
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from litmus_oracle import Graph, acyclic, run_thread, union  # noqa: E402

sys.setrecursionlimit(100000)

# kind: R, W or F; value: what it read, or wrote
Event = collections.namedtuple('Event', 'kind loc order value exclusive')


def split(events):
    """Read-modify-writes as two events."""
    for e in events:
        if e[0] == 'U':
            yield Event('R', e[1], e[2], e[3], True)
            yield Event('W', e[1], e[2], e[4], True)
        else:
            yield Event(*e, False)


class Explorer:
    """Names are (thread, index), of initial writes ('i', location). A graph is `order`, the names of its events
    in the order of insertion, and `rf`, from the name of a read to that of the write that it observes."""

    def __init__(self, prog, model, canonical_by_name=True):
        self.prog, self.model, self.code = prog, model, prog['threads']
        self.by_name = canonical_by_name
        self.executions, self.repeated, self.wasted, self.blocked = set(), 0, 0, 0
        self.known = {}

    def run(self):
        self.visit([], {})
        return self

    # --- what the program does ---------------------------------------------------------------

    def thread(self, t, read):
        """A thread whose reads returned these values: its events, and what it comes to then."""
        events, comes_to, _ = run_thread(self.code[t], read)
        return events, comes_to

    def replay(self, names, rf):
        """The events of a graph by name, and what each thread does next: an Event, or what run_thread() says."""
        count = [0] * len(self.code)
        for t, i in names:
            count[t] = max(count[t], i + 1)
        events, then = {}, [None] * len(count)
        read = [[] for _ in count]
        todo = set(range(len(count)))
        while todo:
            for t in list(todo):
                done, comes_to = self.thread(t, read[t])
                done = list(split(done))
                events.update(((t, i), e) for i, e in enumerate(done[:count[t]]))
                if len(done) >= count[t]:
                    then[t] = done[count[t]] if len(done) > count[t] else comes_to
                    todo.remove(t)
                    continue
                source = rf[t, len(done)]
                if source[0] == 'i':
                    read[t].append(self.prog['init'][source[1]])
                elif source in events:
                    read[t].append(events[source].value)
        return events, then

    def next_thread(self, then):
        """Who goes on: the other half of a read-modify-write, else the lowest thread. A function of the graph."""
        ready = [t for t, x in enumerate(then) if isinstance(x, Event) or x and x[0] == 'need']
        halves = [t for t in ready if isinstance(then[t], Event) and then[t].exclusive]
        return (halves or ready or [None])[0]

    # --- consistency -------------------------------------------------------------------------

    def graph(self, names, rf, events):
        """The oracle's graph, in which a read-modify-write is one event; and the names of the events there."""
        threads, merged = [[] for _ in self.code], {}
        for name in sorted(names):
            t, i = name
            e = events[name]
            if e.kind == 'W' and e.exclusive:
                merged[name] = merged[t, i - 1]
                continue
            merged[name] = t, len(threads[t])
            if e.exclusive and (t, i + 1) in names:
                threads[t].append(('U', e.loc, e.order, e.value, events[t, i + 1].value, rf[name]))
            else:
                threads[t].append(e[:4] + ((rf[name],) if e.kind == 'R' else ()))
        for thread in threads:
            thread[:] = [e[:-1] + (merged.get(e[-1], e[-1]),) if e[0] in 'RU' else e for e in thread]
        return Graph(self.prog, threads), merged

    def consistent(self, names, rf):
        key = frozenset(names), tuple(sorted((r, rf[r]) for r in names if r in rf))
        if key not in self.known:
            g, _ = self.graph(names, rf, self.replay(names, rf)[0])
            self.known[key] = acyclic(union(g.po, g.rf)) and g.consistent(self.model)
        return self.known[key]

    # --- when to revisit ---------------------------------------------------------------------

    def prefix(self, rf, write):
        """All that comes before the write in po and rf."""
        before, todo = set(), [write]
        while todo:
            t, i = todo.pop()
            for name in ([(t, i - 1)] if i else []) + ([rf[t, i]] if (t, i) in rf else []):
                if name[0] != 'i' and name not in before:
                    before.add(name)
                    todo.append(name)
        return before

    def canonical(self, previous, rf, events, read):
        """The write that the read would be given if only `previous` existed: the greatest name that the model
        allows, and behind which its own write could stand. It must depend on the graph as a set: with the write
        inserted last (canonical_by_name=False) executions are lost."""
        loc = events[read].loc
        rest = [name for name in previous if name != read]
        writes = [name for name in rest if events[name].kind == 'W' and events[name].loc == loc]
        if self.by_name:
            writes.sort()
        rf = {r: w for r, w in rf.items() if r in rest}
        for write in reversed([('i', loc)] + writes):
            names = set(rest) | {read}
            rf[read] = write
            if not self.consistent(names, rf):
                continue
            if self.replay(names, rf)[0][read].exclusive:
                if not self.consistent(names | {(read[0], read[1] + 1)}, rf):
                    continue
            return write
        return None

    def is_maximal(self, order, rf, events, e, write, prefix):
        """Was e added as it would be if what was inserted after it, but for the write's prefix, did not exist?"""
        at = {name: i for i, name in enumerate(order)}
        previous = [name for name in order if (at[name] <= at[e] or name in prefix) and name != write]
        for r in previous:
            if r != e and r in rf and rf[r][0] != 'i' and rf[r] not in previous:
                return False
        if events[e].kind == 'W':
            return not any(rf.get(r) == e and at[r] < at[e] for r in previous)
        if events[e].kind == 'R':
            return ((rf[e][0] == 'i' or rf[e] in previous) and
                    self.canonical(previous, rf, events, e) == rf[e])
        return True

    # --- the exploration ---------------------------------------------------------------------

    def visit(self, order, rf):
        names = set(order)
        events, then = self.replay(names, rf)
        t = self.next_thread(then)
        if t is None:
            self.leaf(names, rf, then)
            return
        e = t, sum(name[0] == t for name in names)
        if not isinstance(then[t], Event):
            self.visit_read(order, rf, events, e, then[t][1][2])
        elif then[t].kind == 'F':
            self.visit(order + [e], rf)
        else:
            self.visit_write(order + [e], rf, e)

    def visit_read(self, order, rf, events, read, loc):
        """Forward: each write that is there and that the model allows."""
        any_allowed = False
        for write in [('i', loc)] + [name for name in order if events[name].kind == 'W' and events[name].loc == loc]:
            if self.consistent(set(order) | {read}, {**rf, read: write}):
                self.visit(order + [read], {**rf, read: write})
                any_allowed = True
        self.wasted += not any_allowed

    def visit_write(self, order, rf, write):
        """The write observed by nobody; and backward: by each earlier read of its location for which what is
        deleted was added maximally."""
        any_allowed = self.consistent(set(order), rf)
        if any_allowed:
            self.visit(order, rf)
        for keep, revisited in self.revisits(order, rf, write):
            if self.consistent(set(keep), revisited):
                self.visit(keep, revisited)
                any_allowed = True
        self.wasted += not any_allowed

    def revisits(self, order, rf, write):
        events, _ = self.replay(set(order), rf)
        prefix = self.prefix(rf, write)
        for i, read in enumerate(order):
            if events[read].kind != 'R' or events[read].loc != events[write].loc or read in prefix:
                continue
            deleted = [name for name in order[i + 1:] if name not in prefix and name != write]
            if all(self.is_maximal(order, rf, events, e, write, prefix) for e in deleted + [read]):
                keep = [name for name in order if name not in deleted]
                yield keep, {**{r: w for r, w in rf.items() if r in keep}, read: write}

    def leaf(self, names, rf, then):
        """Nothing is left to do."""
        self.count((frozenset(names), tuple(sorted(rf.items()))))
        self.blocked += any(x and x[0] == 'blocked' for x in then)

    def count(self, execution):
        self.repeated += execution in self.executions
        self.executions.add(execution)


def kinds(prog):
    """The kinds of operations, and the orders, that a program has."""
    text = json.dumps(prog['threads'])
    return {word for word in ('ASSERT', 'ASSUME', 'na') if f'"{word}"' in text}


def arguments():
    ap = argparse.ArgumentParser()
    ap.add_argument('--most', type=int, default=600)
    ap.add_argument('--by-insertion', action='store_true')
    ap.add_argument('file')
    ap.add_argument('models')
    return ap.parse_args()


def compare(args, explore, excluded, expected):
    """Runs explore(program, model) on the programs of a file that have nothing of `excluded`, and compares with
    expected(what the file says)."""
    with open(args.file) as f:
        progs = json.load(f)
    passed = failed = 0
    for p in progs:
        for model in args.models.split(','):
            want = expected(p['expect'][model])
            if kinds(p) & excluded or want is None or want > args.most:
                continue
            got, repeated = explore(p, model)
            if got == want and not repeated:
                passed += 1
            else:
                failed += 1
                print(f'FAIL {p["name"]} {model}: {got}, expected {want}; {repeated} repeated', flush=True)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


def main():
    args = arguments()

    def explore(prog, model):
        x = Explorer(prog, model, not args.by_insertion).run()
        return len(x.executions), x.repeated
    return compare(args, explore, {'ASSERT', 'na'}, lambda e: e['rf'] + e['blocked'])


if __name__ == '__main__':
    sys.exit(main())

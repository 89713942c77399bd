#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""oracle.py - what threads that access words in several sizes may read

	oracle.py HEDDLE WORDS FROM TO [MODEL...]	(FROM -7: named ones first)

makes a program of each seed, explores it with heddle (words.c does what a program says), and compares what
complete executions have read, and memory in the end, with all that is possible by the definition:

 - sc: the machine, one memory of bytes.
 - the others: executions by axioms. The writes to a word, in whatever size, are in one order. A read is
   done at one moment of it, and takes each byte from the last write to that byte before; a
   read-modify-write does so right before itself. Coherence and synchronises-with are asked about each byte.
   Of tso the machine with store buffers has all that and more: there a read may take some of its bytes from its
   own buffer, and others from memory, where the stores of those in the buffer come later. No processor does.

It shares no code with heddle, and knows nothing of parts of accesses.
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile

ACQUIRES = ('acq', 'acq_rel', 'sc')
RELEASES = ('rel', 'acq_rel', 'sc')
WORDS = (0, 8)
MODELS = ('sc', 'tso', 'sra', 'ra', 'relaxed', 'rc20', 'rc11')


class Op:
	def __init__(self, what, offset=0, size=0, order='sc', value=0, desired=0, fail='rlx'):
		self.what, self.offset, self.size, self.order = what, offset, size, order
		self.value, self.desired, self.fail = value, desired, fail
		self.bytes = range(offset, offset + size)

	def __str__(self):
		if self.what == 'F':
			return f'F:{self.order}'
		s = f'{self.what}{self.offset}:{self.size}:{self.order}:{self.value}'
		return s + (f':{self.desired}:{self.fail}' if self.what == 'C' else '')

	def written(self, read):
		"""What it stores having read that; None: nothing."""
		if self.what in 'LWF':
			return None
		if self.what == 'C':
			return self.desired if read == self.value else None
		return (self.value + (read if self.what == 'A' else 0)) % (1 << 8 * self.size)

	def reads(self):
		return self.what in 'LWAXC'

	def goes_on(self, read):
		return self.what != 'W' or read == self.value


def piece(value, op, byte):
	return value >> 8 * (byte - op.offset) & 255


# ---- Programs ------------------------------------------------------------------------------------

def random_op(rnd, number, strong):
	if rnd.random() < 0.08:
		return Op('F', order=rnd.choice(('acq', 'rel', 'acq_rel', 'sc')))
	word = 0 if rnd.random() < 0.75 else 8
	size = rnd.choice((1, 2, 2, 4, 4)) if word == 0 else 4
	offset = word + rnd.randrange(0, 4, size)
	if rnd.random() < 0.75:
		offset -= offset % 2
	offset -= offset % size
	what = rnd.choice('LLLLSSSSAXC')
	orders = {'L': ('rlx', 'acq', 'sc'), 'S': ('rlx', 'rel', 'sc')}.get(
		what, ('rlx', 'acq', 'rel', 'acq_rel', 'sc'))
	order = rnd.choice([o for o in orders if o != 'sc' or strong])
	value = sum((number * 16 + i + 1) << 8 * i for i in range(size)) if size > 1 else number
	if what == 'C':
		fail = rnd.choice(('rlx', 'acq') if order in ACQUIRES else ('rlx',))
		if order == 'sc' and rnd.random() < 0.5:
			fail = 'sc'
		return Op(what, offset, size, order, 0, value, fail)
	return Op(what, offset, size, order, value)


# Those with numbers below 0, which no random program is likely to be.
NAMED = (
	# What is stored to all, and then to a part, is no po|!=loc: so psc lets the third thread find the part as it was.
	('S0:4:sc:65537 S2:2:rel:2', 'L2:2:acq L8:4:sc', 'S8:4:sc:1 L0:2:sc'),
	# A half, as it was, and as it is.
	('S0:4:sc:65537', 'L0:4:sc S8:4:sc:1', 'L8:4:sc L2:2:sc'),
	# One thread waits for what others store by halves.
	('S0:2:rel:1', 'S2:2:rel:1', 'W0:4:acq:65537 L0:2:rlx'),
	# A lock of two halves, taken by both at once.
	('C0:4:acq:0:65536:rlx S0:2:rel:1', 'A2:2:rlx:1 L0:2:acq', 'L0:4:rlx'),
	# Who acquires one half knows, for both, what came before it was released.
	('S0:2:rlx:1 S2:2:rel:1', 'L0:4:acq'),
	# What was learned by one half is handed on by the other one.
	('S8:4:rlx:1 S2:2:rel:1', 'A0:4:acq_rel:1', 'L0:2:acq L8:4:rlx'),
	('S8:4:rlx:1 S2:2:rel:1', 'C0:4:acq_rel:65536:65537:rlx', 'L0:2:acq L8:4:rlx'),
)


def parse(text):
	what, *words = text.split(':')
	if what == 'F':
		return Op('F', order=words[0])
	value, desired, fail = (words[2:] + ['0', '0', 'rlx'])[:3] if len(words) > 4 else (
		words[2] if len(words) > 2 else '0', '0', 'rlx')
	return Op(what[0], int(what[1:]), int(words[0]), words[1], int(value), int(desired), fail)


def random_program(seed):
	if seed < 0:
		return [[parse(op) for op in thread.split()] for thread in NAMED[-1 - seed]]
	rnd = random.Random(seed)
	lengths = rnd.choice(((2, 2), (3, 2), (3, 3), (2, 2, 1), (2, 1, 2), (1, 1, 2), (2, 2, 2)))
	strong = rnd.random() < 0.4
	numbers = itertools.count(1)
	program = [[random_op(rnd, next(numbers), strong) for _ in range(n)] for n in lengths]
	if rnd.random() < 0.3:
		add_wait(rnd, program)
	return program


def add_wait(rnd, program):
	"""A thread that waits for something that others may store, all or a part of it."""
	t = rnd.randrange(len(program))
	stores = [op for u, ops in enumerate(program) if u != t for op in ops if op.what in 'SX']
	if not stores:
		return
	memory = [0] * 16
	for op in rnd.sample(stores, len(stores)):
		for b in op.bytes:
			memory[b] = piece(op.value, op, b)
	store = rnd.choice(stores)
	size = rnd.choice((1, 2, 4))
	offset = store.offset - store.offset % size
	value = sum(memory[offset + i] << 8 * i for i in range(size))
	program[t][rnd.randrange(len(program[t]))] = Op('W', offset, size, rnd.choice(('rlx', 'acq')), value)


# ---- Machines ------------------------------------------------------------------------------------

def machine(program, buffered):
	"""The final states of sc, or tso."""
	found, seen = set(), set()
	start = ((0,) * len(program), ((),) * len(program), ((),) * len(program), (0,) * 16)
	todo = [start]

	def replaced(tuples, t, new):
		return tuples[:t] + (new,) + tuples[t + 1:]

	def stored(memory, op, value):
		m = list(memory)
		for b in op.bytes:
			m[b] = piece(value, op, b)
		return tuple(m)

	def load(op, memory, buffer):
		m = list(memory)
		for o, value in buffer:
			for b in o.bytes:
				m[b] = piece(value, o, b)
		return sum(m[b] << 8 * (b - op.offset) for b in op.bytes)

	while todo:
		state = todo.pop()
		if state in seen:
			continue
		seen.add(state)
		at, read, buffers, memory = state
		if all(at[t] == len(ops) for t, ops in enumerate(program)) and not any(buffers):
			found.add((read, memory))
		for t, ops in enumerate(program):
			if buffers[t]:
				op, value = buffers[t][0]
				todo.append((at, read, replaced(buffers, t, buffers[t][1:]),
					     stored(memory, op, value)))
			if at[t] == len(ops):
				continue
			op = ops[at[t]]
			drained = not buffers[t]
			went = replaced(at, t, at[t] + 1)
			if op.what == 'F' and (drained or op.order != 'sc'):
				todo.append((went, replaced(read, t, read[t] + (0,)), buffers, memory))
			elif op.what == 'S' and buffered and op.order != 'sc':
				todo.append((went, replaced(read, t, read[t] + (0,)),
					     replaced(buffers, t, buffers[t] + ((op, op.value),)), memory))
			elif op.reads():
				v = load(op, memory, buffers[t])
				new = op.written(v)
				if (new is not None and not drained) or not op.goes_on(v):
					continue
				todo.append((went, replaced(read, t, read[t] + (v,)), buffers,
					     memory if new is None else stored(memory, op, new)))
			elif op.what == 'S' and drained:
				todo.append((went, replaced(read, t, read[t] + (0,)), buffers,
					     stored(memory, op, op.value)))
	return found


# ---- Executions ------------------------------------------------------------------------------------

class Event:
	def __init__(self, number, tid, index, op, writes):
		self.number, self.tid, self.index, self.op, self.writes = number, tid, index, op, writes
		self.is_read = op.reads()
		self.order = op.order
		if op.what == 'C' and not writes:
			self.order = op.fail
		self.bytes = frozenset(op.bytes)
		self.is_fence = op.what == 'F'


def closed(pairs, n):
	rows = [0] * n
	for a, b in pairs:
		rows[a] |= 1 << b
	for k in range(n):
		for i in range(n):
			if rows[i] >> k & 1:
				rows[i] |= rows[k]
	return rows


def cyclic(rows):
	return any(rows[i] >> i & 1 for i in range(len(rows)))


def pairs_of(rows):
	n = len(rows)
	return [(i, k) for i in range(n) for k in range(n) if rows[i] >> k & 1]


class Execution:
	"""Events, an order of the writes to each word, and the moment of each read."""

	def __init__(self, events, order, sources):
		self.events, self.order, self.sources = events, order, sources
		self.n = len(events)
		self.po = [(a.number, b.number) for a in events for b in events
			   if a.tid == b.tid and a.index < b.index]
		self.rf = {(w, r) for (r, _), w in sources.items() if w is not None}

	def values(self):
		"""What each event reads; None if that comes out of thin air, or is no such execution."""
		done, open_ = {}, set()

		def value(e):
			if e in done:
				return done[e]
			if e in open_:
				return None
			open_.add(e)
			ev, v = self.events[e], 0
			for b in ev.bytes if ev.is_read else ():
				w = self.sources[e, b]
				if w is None:
					continue
				below = value(w)
				if below is None:
					return None
				op = self.events[w].op
				v |= piece(op.written(below), op, b) << 8 * (b - ev.op.offset)
			open_.discard(e)
			if (ev.op.written(v) is not None) != ev.writes or not ev.op.goes_on(v):
				return None
			done[e] = v
			return v

		got = [value(e.number) for e in self.events]
		return None if None in got else got

	def before(self, a, b):
		"""In the order of writes; None is the initial one."""
		if b is None or a == b:
			return False
		return a is None or self.order[a] < self.order[b]

	def release_heads(self, w, byte, long):
		"""The releases (writes or fences) that a read of the byte from w synchronises with."""
		heads = set()
		while w is not None:
			ev = self.events[w]
			mine = [e for e in self.events if e.tid == ev.tid and e.index <= ev.index]
			for e in mine:
				if e.is_fence and e.order in RELEASES:
					heads.add(e.number)
				if e.writes and e.order in RELEASES and (e is ev or (long and byte in e.bytes)):
					heads.add(e.number)
				if (long and e.writes and byte in e.bytes):
					heads |= {f.number for f in mine
						  if f.is_fence and f.order in RELEASES and f.index < e.index}
			w = self.sources[w, byte] if ev.is_read else None
		return heads

	def synchronises(self, long):
		pairs = set()
		for (r, byte), w in self.sources.items():
			if w is None:
				continue
			ev = self.events[r]
			ends = {r} if ev.order in ACQUIRES else set()
			ends |= {e.number for e in self.events if e.is_fence and e.order in ACQUIRES
				 and e.tid == ev.tid and e.index > ev.index}
			pairs |= {(h, e) for h in self.release_heads(w, byte, long) for e in ends}
		return pairs

	def is_coherent(self, hb):
		for a, b in pairs_of(hb):
			x, y = self.events[a], self.events[b]
			for byte in x.bytes & y.bytes:
				first = [a] if x.writes else []
				first += [self.sources[a, byte]] if x.is_read and not x.writes else []
				last = [b] if y.writes else []
				last += [self.sources[b, byte]] if y.is_read else []
				for w in first:
					for v in last:
						if self.before(v, w):
							return False
						if w is not None and v == w and y.writes and v == b:
							return False
		# A read of what its own thread writes only later.
		return not any(hb[r] >> w & 1 for w, r in self.rf)

	def from_reads(self):
		return {(r, w.number) for (r, byte), s in self.sources.items() for w in self.events
			if w.writes and byte in w.bytes and w.number != r and self.before(s, w.number)}

	def modification(self):
		return {(a.number, b.number) for a in self.events for b in self.events
			if a.writes and b.writes and a.bytes & b.bytes and self.before(a.number, b.number)}

	def order_of_tso(self):
		ev = self.events
		drains = [e for e in ev if (e.is_fence and e.order == 'sc') or (e.is_read and e.writes)]

		def kept(a, b):
			x, y = ev[a], ev[b]
			if any(e.is_fence and e.order != 'sc' for e in (x, y)):
				return False
			if not (x.writes and not x.is_read and x.order != 'sc' and y.is_read and not y.writes):
				return True
			return any(e.tid == x.tid and x.index < e.index < y.index for e in drains)

		return ([p for p in self.po if kept(*p)] + [(w, r) for w, r in self.rf if ev[w].tid != ev[r].tid] +
			list(self.modification() | self.from_reads()))

	def psc_is_acyclic(self, hb):
		n, ev = self.n, self.events
		mo, fr = self.modification(), self.from_reads()
		eco = pairs_of(closed(list(self.rf | mo | fr), n))
		hbp = set(pairs_of(hb))
		hbq = hbp | {(i, i) for i in range(n)}
		far = {(a, b) for a, b in self.po if not ev[a].bytes & ev[b].bytes}
		scb = set(self.po) | mo | fr | {(a, b) for a, b in hbp if ev[a].bytes & ev[b].bytes}
		scb |= {(a, d) for a, b in far for b2, c in hbp if b == b2 for c2, d in far if c == c2}
		fences = {e.number for e in ev if e.is_fence and e.order == 'sc'}
		accesses = {e.number for e in ev if not e.is_fence and e.order == 'sc'}
		left = {(a, a) for a in accesses} | {(a, b) for a, b in hbq if a in fences}
		right = {(a, a) for a in accesses} | {(a, b) for a, b in hbq if b in fences}
		psc = {(a, d) for a, b in left for b2, c in scb if b == b2 for c2, d in right if c == c2}
		psc |= {(a, b) for a, b in hbp if a in fences and b in fences}
		psc |= {(a, d) for a, b in hbp if a in fences for b2, c in eco if b == b2
			for c2, d in hbp if c == c2 and d in fences}
		return not cyclic(closed(psc, n))

	def is_consistent(self, model, porf):
		if model in ('ra', 'sra'):
			hb = porf
		elif model in ('relaxed', 'tso'):
			hb = closed(self.po, self.n)
		else:
			hb = closed(list(self.po) + list(self.synchronises(model == 'rc11')), self.n)
		if cyclic(hb) or not self.is_coherent(hb):
			return False
		if model == 'sra':
			return not cyclic(closed(pairs_of(hb) + list(self.modification()), self.n))
		if model == 'tso':
			return not cyclic(closed(self.order_of_tso(), self.n))
		return model != 'rc11' or self.psc_is_acyclic(hb)


def orders_of(events):
	"""Each order of the writes to the words, as a position for each write."""
	groups = [[e.number for e in events if e.writes and e.bytes and min(e.bytes) // 8 == w // 8]
		  for w in WORDS]
	for perms in itertools.product(*(itertools.permutations(g) for g in groups)):
		order = {}
		for perm in perms:
			order.update({w: i for i, w in enumerate(perm)})
		yield order, perms


def moments(events, order, perms):
	"""Each choice of what all reads take, byte by byte."""
	reads = [e for e in events if e.is_read]
	choices = []
	for r in reads:
		perm = perms[min(r.bytes) // 8]
		at = [order[r.number]] if r.writes else range(len(perm) + 1)
		options = set()
		for k in at:
			taken = []
			for b in sorted(r.bytes):
				past = [w for w in perm[:k] if b in events[w].bytes]
				taken.append(past[-1] if past else None)
			options.add(tuple(taken))
		choices.append([(r, o) for o in options])
	for chosen in itertools.product(*choices):
		yield {(r.number, b): w for r, o in chosen for b, w in zip(sorted(r.bytes), o)}


def executions(program):
	cas = [(t, i) for t, ops in enumerate(program) for i, op in enumerate(ops) if op.what == 'C']
	for success in itertools.product((False, True), repeat=len(cas)):
		wins = dict(zip(cas, success))
		events = []
		for t, ops in enumerate(program):
			for i, op in enumerate(ops):
				writes = wins[t, i] if op.what == 'C' else op.what in 'SAX'
				events.append(Event(len(events), t, i, op, writes))
		for order, perms in orders_of(events):
			for sources in moments(events, order, perms):
				yield Execution(events, order, sources)


def final(program, x, values):
	memory = [0] * 16
	for w in sorted((e for e in x.events if e.writes), key=lambda e: x.order[e.number]):
		for b in w.bytes:
			memory[b] = piece(w.op.written(values[w.number]), w.op, b)
	read, at = [], 0
	for ops in program:
		read.append(tuple(values[at + i] if op.reads() else 0 for i, op in enumerate(ops)))
		at += len(ops)
	return tuple(read), tuple(memory)


def by_axioms(program, models):
	found = {m: set() for m in models}
	for x in executions(program):
		porf = closed(list(x.po) + list(x.rf), x.n)
		if cyclic(porf):
			continue
		values = x.values()
		if values is None:
			continue
		state = final(program, x, values)
		for m in models:
			if state not in found[m] and x.is_consistent(m, porf):
				found[m].add(state)
	return found


def possible(program, models):
	found = {m: machine(program, False) for m in models if m == 'sc'}
	found.update(by_axioms(program, [m for m in models if m not in found]))
	if 'tso' in models:
		assert found['tso'] <= machine(program, True)
	return {m: {line_of(*state) for state in states} for m, states in found.items()}


def line_of(read, memory):
	return ' '.join(str(v) for t in read for v in t) + ' ' + ''.join(
		f'{memory[b]:02x}' for w in WORDS for b in range(w, w + 4))


# ---- heddle ------------------------------------------------------------------------------------------

def run(heddle, command, options, words, program, more=False):
	with tempfile.TemporaryDirectory() as folder:
		out = os.path.join(folder, 'out')
		r = subprocess.run(
			[heddle, *command, *options, words, *(' '.join(map(str, t)) for t in program)],
			env={**os.environ, 'EXOUT': out, **({'MORE': 'yes'} if more else {})},
			stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
		lines = set()
		if os.path.exists(out):
			with open(out) as f:
				lines = set(f.read().split('\n')) - {''}
		return r.returncode, lines, r.stdout


WAYS = ((), ('-e', 'mo'), ('-j', '2'), ('--backend=fork',))


def compare(heddle, words, seed, models):
	program = random_program(seed)
	text = ' '.join(repr(' '.join(map(str, t))) for t in program)
	right = possible(program, models)
	rnd = random.Random(seed)
	drawn = rnd.choice(models)
	bad = 0
	for m in models:
		options = rnd.choice(WAYS) if rnd.random() < 0.3 else ()
		status, lines, said = run(heddle, ['explore', '-k', '-m', m], options, words, program)
		if status == 1 and 'await that never ends' in said and 'data race' not in said:
			status = 0 # what else there is, is there as well
		lost, invented = right[m] - lines, lines - right[m]
		if m == drawn:
			# Threads that wait for ever need not do so for 10,000 operations.
			test = ['test', '-n', '20', '--max-events=400', '-m', m]
			invented |= run(heddle, test, (), words, program)[1] - right[m]
			# With more of such accesses beside, than can be judged: they are done in order.
			test = ['test', '-n', '20', '--max-events=2000', '-m', m]
			invented |= run(heddle, test, (), words, program, True)[1] - right[m]
		if invented or (lost and status == 0) or status not in (0, 3):
			bad += 1
			print(f'seed {seed}, {m} {" ".join(options)}: {text}')
			print(f'  status {status}: {said.strip()}')
			print(f'  lost {sorted(lost)}\n  invented {sorted(invented)}')
		elif status == 3:
			print(f'seed {seed}, {m}: inconclusive')
	return bad


def main(argv):
	heddle, words, first, last = argv[1], argv[2], int(argv[3]), int(argv[4])
	models = argv[5:] or MODELS
	bad = sum(compare(heddle, words, seed, models) for seed in range(first, last))
	print(f'{last - first} programs, {len(models)} models: {bad} differ')
	return bad != 0


if __name__ == '__main__':
	sys.exit(main(sys.argv))

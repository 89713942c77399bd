#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces that somebody has edited with care: each is answered, soon, and by what heddle says of it.

  hostile.py HEDDLE SEAL SEED N TRACE...

makes N traces of these: other numbers, paths, lines of other kinds, twice, in another order or not at all. SEAL gives each a
checksum that fits, so that it is what stands behind that which is tested. `heddle replay` and `heddle check` may say
what they like, but not end with another status than those of the manual, nor take long, nor write files outside of
heddle-out, nor show characters that turn text. Prints what did, and how many of each status there were; at least some of them
have to be replayed. Exit status 1 if anything was wrong.
"""
import collections
import os
import random
import re
import subprocess
import sys

SECONDS = 30
NUMBERS = ('0 1 2 3 7 63 64 255 256 257 4095 65535 65536 4194303 4194304 2147483647 2147483648 4294967295 4294967296 '
           '9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 -1 0x0 0xffffffffffffffff '
           '99999999999999999999999').split()
TURN = '\u202e'
PATHS = ['/dev/zero', '/proc/self/mem', '/proc/self/maps', '/', '/nowhere', '', 'a' * 5000, 's' + TURN + 'b']
LINES = ('set behind N|set timeouts N|set child N|set expected N|set unroll N|set window N|set spurious-cas N|'
         'fact interrupted signal:N.N|fact repeats 0:x+N|fact needs-child|fact needs-copy|fact memory-unseen|'
         'fact explored 0:x+N|fact split 0+N|stdin P|folder P|variable HOME=P|backend fork|backend split|'
         'command check|equivalence value|equivalence mo|model sc|model wra|signal N|execution N|seed N|object 0:x+N|'
         'side N read plain 4 at 1+N|N.N store.sc 0:x+0x0/4 wrote 0x1 at 0+0x1|0.N create thread N at 0+N|1.N end|'
         '0.N yield thread N choice N|0.N choose N of N|says N N 0+N P|named N heap:N.N[N]+N P|named N thread:N P|'
         'named N 0:x+N P|says N N ? \\x41').split('|')


def filled(draw, line):
    line = re.sub(r'\bN\b', lambda _: draw.choice(NUMBERS), line)
    return re.sub(r'\bP\b', lambda _: draw.choice(PATHS), line)


def change(draw, lines):
    """One change, of some kind."""
    at = draw.randrange(len(lines) - 1)
    kind = draw.randrange(8)
    words = lines[at].split(' ')
    if kind < 3:
        found = list(re.finditer(r'0x[0-9a-f]+|\d+', lines[at]))
        if found:
            one = draw.choice(found)
            lines[at] = lines[at][:one.start()] + draw.choice(NUMBERS) + lines[at][one.end():]
    elif kind == 3:
        lines.insert(at, lines[draw.randrange(len(lines) - 1)])
    elif kind == 4:
        del lines[at]
    elif kind == 5:
        lines.insert(at, filled(draw, draw.choice(LINES)))
    elif kind == 6:
        words[draw.randrange(len(words))] = draw.choice(PATHS + NUMBERS)
        lines[at] = ' '.join(words)
    else:
        other = draw.randrange(len(lines) - 1)
        lines[at], lines[other] = lines[other], lines[at]


def changed(draw, text):
    lines = text.rstrip('\n').split('\n')
    for _ in range(draw.randint(1, 3)):
        change(draw, lines)
    steps = [i for i, line in enumerate(lines) if line.startswith('steps ')]
    if steps and draw.random() < 0.8:  # or little gets behind that
        lines[steps[0]] = f'steps {max(0, len(lines) - steps[0] - 2)}'
    return '\n'.join(lines) + '\n'


def answer(heddle, command):
    """What is wrong with it, or None; and its status."""
    before = set(os.listdir('.'))
    try:
        ran = subprocess.run([heddle, command, 'made.hdt'], stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f'more than {SECONDS} s', None
    said = (ran.stdout + ran.stderr).decode(errors='replace')
    new = set(os.listdir('.')) - before - {'heddle-out'}
    if ran.returncode not in range(5):
        return f'status {ran.returncode}: {said[-300:]}', None
    if 'checksum' in said:
        return f'the checksum did not fit: {said[-300:]}', None
    if new or TURN in said:
        return f'made {new}, or shows what turns text', None
    return None, ran.returncode


def main():
    heddle, seal, seed, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    draw = random.Random(int(seed))
    PATHS.extend([os.path.abspath('pipe'), os.getcwd()])
    if not os.path.exists('pipe'):
        os.mkfifo('pipe')
    bases = []
    for name in sys.argv[5:]:
        with open(name, encoding='utf-8') as file:
            bases.append(file.read())
    statuses, wrong = collections.Counter(), 0
    for i in range(count):
        text = changed(draw, draw.choice(bases))
        sealed = subprocess.run([seal], input=text.encode(), capture_output=True, check=False)
        if sealed.returncode:
            continue
        with open('made.hdt', 'wb') as file:
            file.write(sealed.stdout)
        for command in ('replay', 'check'):
            what, status = answer(heddle, command)
            statuses[command, status] += 1
            if what:
                wrong += 1
                os.replace('made.hdt', f'wrong-{i}.hdt')
                print(f'{i}: heddle {command}: {what}')
                break
    print(dict(statuses))
    if not statuses['replay', 1] or not statuses['check', 0]:
        print('hardly any was looked at')
        wrong += 1
    sys.exit(1 if wrong else 0)


main()

# SPDX-License-Identifier: BSD-2-Clause
"""What bench/run and bench/growth share: build a program, explore it and time that, plot."""
import json
import math
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Trouble(Exception):
    """A program that cannot be measured, and why."""


class Unfinished(Exception):
    """An exploration that the time limit ended; the argument is its result."""


def machine():
    """What a figure means nothing without."""
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            name = re.search(r'model name\s*: (.*)', file.read())
    except OSError:
        name = None
    return {'cpu': name.group(1) if name else platform.machine(), 'cpus': os.cpu_count(),
            'kernel': platform.release(), 'load': os.getloadavg()[0],
            'date': time.strftime('%Y-%m-%d', time.gmtime())}


def machine_line():
    about = machine()
    return '{cpu}, {cpus} CPUs, Linux {kernel}, load {load:.1f}, {date}'.format(**about)


def build(bindir, source, defines, program):
    made = subprocess.run([os.path.join(bindir, 'heddle-cc'), '-O2', '-g', *defines,
                           '-o', program, source, '-pthread'], capture_output=True, text=True)
    if made.returncode:
        raise Trouble(f'does not build: {made.stderr.strip()}')


def explore(bindir, program, *options, timeout, limited=False):
    """One run: heddle's result, with CPU and wall seconds of the whole command, start to exit.

    `limited`: a limit in the options ends it, as it is meant to.
    """
    result = program + '.json'
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    ran = subprocess.run([os.path.join(bindir, 'heddle'), 'explore', '-q', '--progress=never',
                          f'--timeout={timeout:g}', '--json', result, '-o', program + '.out',
                          *options, '--', program],
                         capture_output=True, text=True, timeout=timeout + 60)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode not in (0, 3):
        raise Trouble(f'status {ran.returncode}: {(ran.stderr or ran.stdout).strip()[-200:]}')
    with open(result, encoding='utf-8') as file:
        got = json.load(file)
    got['cpu'] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    got['wall'] = wall
    if ran.returncode == 3 and not limited:
        if '--timeout' not in got.get('reason', ''):
            raise Trouble(got.get('reason', 'inconclusive'))
        raise Unfinished(got)
    return got


def explore_twice(bindir, program, *options, timeout):
    """Wall seconds of two explorations by one worker each, side by side."""
    programs = [program, program + '.2']
    shutil.copy(*programs)
    start = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda each: explore(bindir, each, *options, '-j', '1', timeout=timeout), programs))
    return time.monotonic() - start


def spread(values):
    """Median, least and most."""
    return {'median': statistics.median(values), 'least': min(values), 'most': max(values)}


def slope(points):
    """Least squares of log y over log x; None for less than two points."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    n = len(logs)
    if n < 2:
        return None
    mx = sum(x for x, _ in logs) / n
    my = sum(y for _, y in logs) / n
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def plot(path, size, lines):
    """An SVG of what these lines of gnuplot draw; a word instead where gnuplot is missing."""
    if not shutil.which('gnuplot'):
        print(f'no {path} without gnuplot (package gnuplot-nox)')
        return
    script = [f'set terminal svg size {size} background "white"', f"set output '{path}'", *lines]
    subprocess.run(['gnuplot'], input='\n'.join(script), text=True, check=True)


def save(path, content):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, 'w', encoding='ascii') as file:
        json.dump(content, file, indent=1)
        file.write('\n')

# SPDX-License-Identifier: BSD-2-Clause
"""GenMC beside heddle (--genmc of bench/run and bench/reports): the same program, run by it, in CPU seconds."""
import os
import re
import resource
import shutil
import subprocess

from measure import Trouble

# How it is run. As it is by default it takes threads with the same code for the same, where they are; heddle does not.
WAYS = {'default': [], 'each': ['--disable-sr']}
# Where it refuses a program, that is tried: in-place revisiting is not for all of them.
INSTEAD = ['--disable-ipr']


def path_of(name, parser):
    """Of --genmc, wherever commands are run; a name that is none ends all."""
    found = shutil.which(name)
    if not found:
        parser.error(f"--genmc: there is no program '{name}'")
    return os.path.abspath(found)


def version(binary):
    said = subprocess.run([binary, '--version'], capture_output=True, text=True).stdout
    found = re.search(r'GenMC v?([0-9.]+)', said)
    if not found:
        raise SystemExit(f"bench/run: '{binary} --version' does not say which GenMC it is: give its path to --genmc")
    return found.group(1)


def once(binary, source, defines, options, timeout):
    """CPU seconds, complete and blocked executions; None: it refuses the program. Unfinished ones raise TimeoutExpired."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([binary, '--rc11', '--disable-estimation', *options, '--', *defines, source],
                         capture_output=True, text=True, timeout=timeout, errors='replace')
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = ran.stdout + ran.stderr
    complete = re.search(r'complete executions explored: (\d+)', said)
    blocked = re.search(r'blocked executions seen: (\d+)', said)
    if not complete or 'No errors were detected' not in said:
        return None
    return {'cpu': after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            'executions': int(complete.group(1)), 'blocked': int(blocked.group(1)) if blocked else 0}


def run(binary, source, defines, way, timeout):
    """One run in that way of WAYS. Trouble: it does not verify the program."""
    for more in ([], INSTEAD):
        got = once(binary, source, defines, WAYS[way] + more, timeout)
        if got:
            return got
    raise Trouble(f'GenMC does not verify it: {binary} --rc11 -- {" ".join(defines)} {source}')


def summarise(runs):
    """Of several runs in one way; None if one did not finish."""
    if not runs or None in runs:
        return None
    return {'runs': len(runs), 'cpu_seconds': min(r['cpu'] for r in runs),
            'executions': runs[0]['executions'], 'blocked': runs[0]['blocked']}

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""page.py - what a manual page shows is what happens

  page.py run PAGE...     does what the pages show, and compares (TAP)
  page.py update PAGE...  puts what really came out into the pages
  page.py lists PAGE...   puts the options of a command, or the topics of heddle help, into the pages that have them

A comment before each .Bd -literal says what stands in it:

  .\\" file NAME      the block is the file NAME
  .\\" copy PATH      the block is the file PATH of the source, and is there by its last name
  .\\" edit NAME      lines of the file NAME that go (-), each once there, and what comes instead (+)
  .\\" session [N...] commands behind "$ ", each with its output; N: their exit statuses, 0 where none is named;
                      ?: a program that may end well or not is run, and what becomes of it is not compared
  .\\" text           none of these

A line ... in a session stands for any lines. All blocks of a page share a folder and follow each other.
Not compared: process ids, addresses, seconds. srcdir and builddir are in the environment.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ESCAPES = [("\\e", "\\"), ("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\&", "")]
LIMIT_S = 120


def plain(line):
    """A line of a page as a reader sees it."""
    out = ""
    while line:
        for escape, text in ESCAPES:
            if line.startswith(escape):
                out, line = out + text, line[len(escape):]
                break
        else:
            out, line = out + line[0], line[1:]
    return out


def roff(line):
    """A line as it is written in a page."""
    for escape, text in ESCAPES[:-1]:
        line = line.replace(text, "\0" + escape[1:])
    line = line.replace("\0", "\\")
    return "\\&" + line if line[:1] == "." else line


def normal(line):
    line = re.sub(r"pid=\d+", "pid=N", line)
    line = re.sub(r"\+0x[0-9a-f]+\b", "+0xN", line)
    line = re.sub(r"0x[0-9a-f]{12}\b", "0xN", line)
    line = re.sub(r"\b\d+(\.\d+)? s\b", "N s", line)
    return line.rstrip()


def matches(want, got):
    """Is got what want says, where a line ... of want stands for any lines?"""
    if not want:
        return not got
    if want[0] == "...":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and normal(want[0]) == normal(got[0]) and matches(want[1:], got[1:])


class Block:
    def __init__(self, kind, words, first):
        self.kind, self.words, self.first, self.lines = kind, words, first, []


def read(path):
    """The lines of a page, and its blocks."""
    lines = open(path, encoding="utf-8").read().split("\n")
    blocks, marker, inside = [], None, None
    for i, line in enumerate(lines):
        if inside is not None:
            if line == ".Ed":
                inside = None
            else:
                inside.lines.append(plain(line))
        elif line.startswith(".Bd -literal"):
            if not marker:
                sys.exit(f"{path}:{i + 1}: no comment says what stands here")
            inside = Block(marker[0], marker[1:], i + 1)
            blocks.append(inside)
            marker = None
        elif line.startswith('.\\" '):
            words = line[4:].split()
            known = words and words[0] in ("file", "copy", "edit", "session", "text")
            marker = words if known else None
        else:
            marker = None
    return lines, blocks


class Page:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.lines, self.blocks = read(path)
        self.results = []  # (is it so?, claim, why not)
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("HEDDLE_OPTIONS", "HEDDLE_CC", "HEDDLE_CXX", "LANG", "COLUMNS", "NO_COLOR",
                                    "MAKEFLAGS", "MAKELEVEL", "LC_CTYPE")}
        environment["PATH"] = os.path.join(os.environ["builddir"], "bin") + ":" + os.environ["PATH"]
        environment["LC_ALL"] = "C"
        self.environment = environment

    def say(self, good, claim, why=""):
        self.results.append((good, f"{os.path.basename(self.path)}: {claim}", why))

    def write(self, name, lines):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")

    def copy(self, block):
        """The block as it should be, which is left in the folder as well."""
        path = os.path.join(os.environ["srcdir"], block.words[0])
        shutil.copyfile(path, os.path.join(self.folder, os.path.basename(path)))
        text = open(path, encoding="utf-8").read().rstrip("\n").split("\n")
        while text and (text[0].startswith("/* SPDX") or text[0].startswith("// SPDX")):
            text = text[1:]
        self.say(text == block.lines, f"{block.words[0]} is as shown", "it is not")
        return text

    def edit(self, block):
        name = block.words[0]
        text = open(os.path.join(self.folder, name), encoding="utf-8").read().rstrip("\n").split("\n")
        good, at = True, None
        for line in block.lines:
            if line[:1] == "-":
                good = good and text.count(line[1:]) == 1
                if not good:
                    break
                at = text.index(line[1:])
                del text[at]
            elif line[:1] == "+" and at is not None:
                text.insert(at, line[1:])
                at += 1
            else:
                good = False
        self.write(name, text)
        self.say(good, f"{name} can be changed so", f"not once there: {line}")

    def command(self, command, want, status):
        """Runs it; its output."""
        ran = subprocess.Popen(["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = ran.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(ran.pid, signal.SIGKILL)  # with all that it has started
            ran.communicate()
            self.say(False, f"$ {command}", f"still running after {LIMIT_S} s")
            return want
        if status is None:
            self.say(True, f"$ {command} (either way)")
            return want
        got = output.decode("utf-8", "replace").rstrip("\n").split("\n") if output else []
        why = "" if ran.returncode == status else f"exit status {ran.returncode}, not {status}\n"
        same = matches(want, got)
        if not same:
            why += "says:\n" + "\n".join(got) + "\nand not:\n" + "\n".join(want)
        self.say(same and ran.returncode == status, f"$ {command}", why)
        return want if same or "..." in want else got

    def session(self, block):
        """The block as it should be."""
        out, command, want = [], None, []
        statuses = [None if word == "?" else int(word) for word in block.words]
        for line in block.lines + ["$ "]:
            if not line.startswith("$ "):
                want.append(line)
                continue
            if command is not None:
                gap = not want or want[-1] == ""  # a blank line between commands
                while want and want[-1] == "":
                    want.pop()
                out.append("$ " + command)
                out += self.command(command, want, statuses.pop(0) if statuses else 0)
                if gap and line != "$ " and out[-1] != "" and want:
                    out.append("")
            command, want = line[2:], []
        return out

    def do(self):
        """All blocks; the page as it should be."""
        lines, shift = list(self.lines), 0
        for block in self.blocks:
            should = block.lines
            if block.kind == "file":
                self.write(block.words[0], block.lines)
            elif block.kind == "copy":
                should = self.copy(block)
            elif block.kind == "edit":
                self.edit(block)
            elif block.kind == "session":
                should = self.session(block)
            if should != block.lines:
                first = block.first + shift
                lines[first:first + len(block.lines)] = [roff(line) for line in should]
                shift += len(should) - len(block.lines)
        return lines


def heddle(*words):
    """What heddle says to these words, in lines."""
    command = os.path.join(os.environ["builddir"], "bin", "heddle")
    return subprocess.run([command, *words], stdout=subprocess.PIPE, check=True, text=True).stdout.split("\n")


def topics(srcdir):
    """The rows of heddle(1)."""
    rows = []
    for line in heddle("help"):
        match = re.match(r"  (\S+) +(.*)", line)
        if not match or match[1] == "heddle":
            continue
        name = match[1] if "." in match[1] else "heddle-" + match[1]
        section = next((s for s in "1357" if os.path.exists(f"{srcdir}/man/{name}.{s}")), "7")
        rows += [f".It Xr {name} {section}", match[2]]
    return rows


def lists(path):
    """What stands between the comments `begin of options' and `end of options', or likewise topics."""
    lines = open(path, encoding="utf-8").read().split("\n")
    for kind in ("options", "topics"):
        begin, end = f'.\\" begin of {kind}', f'.\\" end of {kind}'
        if begin not in lines:
            continue
        command = re.sub(r"^heddle-|\.1$", "", os.path.basename(path))
        now = heddle(command, "--help-options")[:-1] if kind == "options" else topics(os.environ["srcdir"])
        lines[lines.index(begin) + 1:lines.index(end)] = now
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("run", "update", "lists"):
        sys.exit(__doc__)
    if sys.argv[1] == "lists":
        for path in sys.argv[2:]:
            lists(path)
        return 0
    count, failed = 0, 0
    for path in sys.argv[2:]:
        with tempfile.TemporaryDirectory(prefix="heddle-page.") as folder:
            page = Page(os.path.abspath(path), folder)
            lines = page.do()
        if sys.argv[1] == "update" and lines != page.lines:
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(lines))
            print(f"{path}: updated")
        for good, claim, why in page.results:
            count += 1
            failed += not good
            if sys.argv[1] == "run" or (not good and sys.argv[1] == "update"):
                print(f"{'ok' if good else 'not ok'} {count} - {claim}")
                if not good:
                    print("\n".join("# " + line for line in why.split("\n")))
    if sys.argv[1] == "run":
        print(f"1..{count}")
    return sys.argv[1] == "run" and (failed > 0 or count == 0)


sys.exit(main())

# SPDX-License-Identifier: BSD-2-Clause
"""A smaller program that still differs: statements, conditions and orders are taken away one after another, until none can be spared."""
import copy
import re

CONTROL = re.compile(r"\s*((?:if|while|WAIT|for)\s*)(?=\()")
ORDER = re.compile(r"memory_order_(?!relaxed)\w+")
OPEN, CLOSE = "({", ")}"


def until(text, at, ends):
    """The index behind the next of these characters that stands in no parentheses or braces which are opened on the way."""
    depth = 0
    while True:
        c = text[at]
        at += 1
        depth += (c in OPEN) - (c in CLOSE)
        if depth == 0 and c in ends:
            return at


def parsed_statement(text, at):
    """A statement, and where it ends: text; a list of some; or [head, statement, statement behind else, or None] in a tuple."""
    while text[at].isspace():
        at += 1
    if text[at] == "{":
        end = until(text, at, "}")
        return parsed(text[at + 1:end - 1]), end
    control = CONTROL.match(text, at)
    if not control:
        end = until(text, at, ";")
        return text[at:end], end
    end = until(text, control.end(), ")")
    head = text[at:end]
    body, end = parsed_statement(text, end)
    other = re.match(r"\s*else\b", text[end:])
    if other:
        other, end = parsed_statement(text, end + other.end())
    return (head, body, other), end


def parsed(text):
    statements, at = [], 0
    while text[at:].strip():
        statement, at = parsed_statement(text, at)
        statements.append(statement)
    return statements


def shown(statement):
    if isinstance(statement, str):
        return statement
    if isinstance(statement, list):
        return "{ " + " ".join(map(shown, statement)) + " }"
    head, body, other = statement
    return f"{head} {shown(body)}" + (f" else {shown(other)}" if other else "")


def less(statement):
    """What might stand in its place, from small to large: lists of statements."""
    yield []
    if isinstance(statement, list):
        yield statement
        for i, one in enumerate(statement):
            for instead in less(one):
                yield [statement[:i] + instead + statement[i + 1:]]
    elif isinstance(statement, tuple):
        head, body, other = statement
        yield [body]
        if other:
            yield [other]
            yield [(head, body, None)]
            for instead in less(other):
                yield [(head, body, instead)]
        for instead in less(body):
            yield [(head, instead, other)]
    else:
        for order in ORDER.finditer(statement):
            yield [statement[:order.start()] + "memory_order_relaxed" + statement[order.end():]]


def candidates(p):
    for part, lines in p.parts.items():
        for i, line in enumerate(lines):
            for instead in less(parsed(line)):
                other = copy.deepcopy(p)
                text = " ".join(shown(one) for one in (instead[0] if len(instead) == 1 and isinstance(instead[0], list) else instead))
                other.parts[part][i:i + 1] = [text] if text else []
                other.rendered()
                yield other


def smaller(p, differs):
    """p has parts, by numbers: lists of lines of C; and rendered(), which makes a program of them."""
    again = True
    while again:
        again = False
        size = sum(len(line) for lines in p.parts.values() for line in lines)
        for other in candidates(p):
            if sum(len(line) for lines in other.parts.values() for line in lines) <= size and other.parts != p.parts and differs(other):
                p, again = other, True
                break
    return p

"""Branches of `#if` that no configuration takes.

Where each branch of an `#if` asks for a symbol that nothing defines, none is code, and what stands around it may lack
its body, its value or a brace. Where the file does not parse without one, the first is read.
What others declare as a whole is declared in another configuration where an SDK or an engine defines the symbol; of the
rest it is known which types they declare.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from services.model import TYPE_KINDS, Kind
from services.syntax.parse.grammar import parse_within_reason
from services.syntax.parse.lexer import Lexed, lex
from services.syntax.records.declaration import Declaration

_TYPE = re.compile(
    rb"(?<![\w@:])(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)\s+(?!where\b)(@?[A-Za-z_\x80-\xff][\w\x80-\xff]*)"
)
_MOST_NESTED = 20
_FARTHEST = 4_000  # bytes that are looked at around an `#if`
_MOST_TRIES = 16
_BEFORE_WHOLE = b";{}]"
_GOES_ON = re.compile(rb"\s*[^\s\w@\[(}~\x80-\xff]")
"""What no declaration and no statement begins with."""
_USINGS = re.compile(rb"\b(?:extern\s+alias|(?:global\s+)?using)\b[^;{]*;")
_DIRECTIVE = re.compile(rb"#\s*(if|elif|else|endif)\b")
_COMMENT = re.compile(r"\s*//.*")
_NAMESPACE = re.compile(rb"\bnamespace\s+([\w.@\x80-\xff]+)\s*([;{])|[{}]")
_MOST_BRANCHES = 500
_DEFINED = re.compile(
    r"\b(?:NET[0-9A-Z]\w*|NET|DEBUG|RELEASE|TRACE|(?:WINDOWS|ANDROID|IOS|MACCATALYST|MACOS|TVOS|TIZEN)\w*|BROWSER|LINUX|OSX"
    r"|__\w+__|SILVERLIGHT|WINRT|MONO\w*|(?:UNITY|ENABLE|GODOT)\w*)\b"
)
"""Symbols that SDKs and engines define: what asks for one is compiled in another configuration. Of any other symbol it
is not known whether one has it."""
_PAIRS = ((b"{", b"}"), (b"(", b")"))


def lex_file(source: bytes, symbols: frozenset[str] = frozenset()) -> Lexed:
    """Lexes a file, and takes the first branch of an `#if` without one that is taken where the file parses with it
    alone."""
    lexed = lex(source, symbols)
    doubtful = _doubtful(lexed)
    if not doubtful:
        return lexed
    forced: frozenset[int] = frozenset()
    tried: set[int] = set()
    errors = _errors(lexed)
    while errors and len(tried) < _MOST_TRIES and (rest := [each for each in doubtful if each not in tried]):
        tried.add(rest[0])
        again = lex(source, symbols, forced | {rest[0]})
        left = _errors(again)
        if left < errors:
            forced, lexed, errors = forced | {rest[0]}, again, left
            doubtful = _doubtful(lexed)
    return lexed


def types_left_out(lexed: Lexed, depth: int = 0) -> tuple[str, ...]:
    """Return the names of the types that branches declare which are left out, each once."""
    found: dict[str, None] = {}
    for start, end in lexed.left_out if depth < _MOST_NESTED else ():
        if _TYPE.search(lexed.source, start, end) is None:
            continue
        branch = lex(lexed.source[start:end])
        found.update((name[1].decode("utf-8", "replace"), None) for name in _TYPE.finditer(branch.clean))
        found.update((name, None) for name in types_left_out(branch, depth + 1))
    return tuple(found)


def _doubtful(lexed: Lexed) -> list[int]:
    """Return the start of each `#if` without which the text may be incomplete: it is in the middle of an expression
    or statement, or braces lack their partners."""
    if not lexed.undecided:
        return []
    clean = lexed.clean
    balanced = clean.count(b"{") == clean.count(b"}")
    return [start for start, end in lexed.undecided if not balanced or _is_within(clean, start, end)]


def _is_within(clean: bytes, start: int, end: int) -> bool:
    before = clean[max(0, start - _FARTHEST) : start].rstrip()
    is_behind_whole = not before or before[-1] in _BEFORE_WHOLE
    return not is_behind_whole or _GOES_ON.match(clean, end, end + _FARTHEST) is not None


def _errors(lexed: Lexed) -> int:
    """How many errors the grammar finds in the whole file; none in one that it takes too long over."""
    tree = parse_within_reason(lexed.clean)
    return _count(tree.root_node) if tree is not None and tree.root_node.has_error else 0


def _count(root: Node) -> int:
    found = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found += node.type == "ERROR" or node.is_missing
        waiting += [child for child in node.children if child.has_error or child.is_missing]
    return found


class Branch(NamedTuple):
    """A branch that is left out, where declarations may be. `start`, `end`: its offsets; `around`: the declaration
    around it, -1 outside all; `namespace`: where it is in none; `condition`: its directive."""

    start: int
    end: int
    around: int
    namespace: str
    condition: str


def condition_of(lexed: Lexed, start: int) -> str:
    """The directive before a branch; of an `#else` with the `#if` that it belongs to."""
    directives = [span for span in lexed.directives if span[1] <= start]
    if not directives:
        return "#if"
    own = _said(lexed, directives[-1])
    if not own.startswith("#else"):
        return own
    depth = 0
    for span in reversed(directives[:-1]):
        found = _DIRECTIVE.match(lexed.source, *span)
        word = found[1] if found is not None else b""
        if word == b"if" and not depth:
            return f"#else of {_said(lexed, span)}"
        depth += (word == b"endif") - (word == b"if")
    return own


def _said(lexed: Lexed, span: tuple[int, int]) -> str:
    text = lexed.source[slice(*span)].decode("utf-8", "replace").strip()
    return " ".join(_COMMENT.sub("", text).split()).replace("# ", "#", 1)


def declaring(lexed: Lexed, declarations: Sequence[Declaration]) -> list[Branch]:
    """Return the branches left out that are where whole declarations may be. `declarations`: those of the file, in
    order."""
    starts = [each.start for each in declarations]
    found: list[Branch] = []
    for start, end in lexed.left_out[:_MOST_BRANCHES]:
        at = bisect_right(starts, start) - 1
        while at >= 0 and declarations[at].end <= start:
            at = declarations[at].parent
        around, condition = declarations[at] if at >= 0 else None, condition_of(lexed, start)
        if _DEFINED.search(condition) is None or not _USINGS.sub(b"", lexed.source[start:end]).strip():
            continue
        if around is not None and (around.kind not in TYPE_KINDS or around.is_program):
            continue
        is_list = around is not None and around.kind is Kind.ENUM
        if is_list or not _is_within(lexed.clean, start, end):
            found.append(Branch(start, end, at, "", condition))
    if any(each.around < 0 for each in found):
        spaces = _namespaces(lexed.clean, [each.start for each in found])
        found = [each._replace(namespace=space) for each, space in zip(found, spaces, strict=True)]
    return found


def is_whole(code: bytes, *, is_list: bool) -> bool:
    """Whether the text of a branch looks like whole declarations. `is_list`: of an enum."""
    bare = _USINGS.sub(b"", code).strip()
    if not bare or any(bare.count(opens) != bare.count(shuts) for opens, shuts in _PAIRS):
        return False
    return is_list or bare[-1:] in (b";", b"}")


def _namespaces(clean: bytes, starts: Sequence[int]) -> list[str]:
    """The namespace around each of these offsets, which ascend."""
    found: list[str] = []
    opened: list[str] = []
    of_file = ""
    for match in _NAMESPACE.finditer(clean, 0, starts[-1] if starts else 0):
        while len(found) < len(starts) and starts[len(found)] <= match.start():
            found.append(".".join(filter(None, (of_file, *opened))))
        name = b"".join((match[1] or b"").split()).decode("utf-8", "replace").replace("@", "")
        if match[2] == b";":
            of_file = name
        elif match[0] != b"}":
            opened.append(name)
        elif opened:
            opened.pop()
    rest = len(starts) - len(found)
    return found + [".".join(filter(None, (of_file, *opened)))] * rest

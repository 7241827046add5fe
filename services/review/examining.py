"""Findings about a change, and the context that a model needs of the code around it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from services.errors import CodeCortexError, WorkspaceError
from services.index.index import Index
from services.model import TYPE_KINDS
from services.model.review import Finding, Severity
from services.prompt.secrets.finding import find_secrets
from services.review.analysis.broken import BrokenCallers, changed_of
from services.review.analysis.removed import gone_of, removed_findings
from services.review.analysis.symbols import Code
from services.review.opened import ChangedFile, OpenedChange
from services.review.packing import PackPiece, finding_piece
from services.review.states import States

_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7})(?: .*)?|={7}")
_DEBRIS = (
    (re.compile(r"\bDebugger\s*\.\s*(?:Break|Launch)\s*\("), "A debugger is called.", Severity.WARNING),
    (re.compile(r"^\s*debugger\s*;"), "A debugger is called.", Severity.WARNING),
    (re.compile(r"\bconsole\.(?:log|debug)\s*\("), "Something is written to the console.", Severity.SUGGESTION),
    (re.compile(r"\b(?:Console|Debug|Trace)\s*\.\s*Write(?:Line)?\s*\("), "Something is written for a look.",
     Severity.SUGGESTION),
    (re.compile(r"(?://|/\*|#|<!--|^\s*\*).*\b(?:TODO|FIXME|HACK|XXX)\b"), "It says itself that it is not done.",
     Severity.SUGGESTION),
    (re.compile(r"\bthrow\s+new\s+NotImplementedException\b"), "It is not implemented.", Severity.WARNING),
    (re.compile(r"^\s*#\s*if\s+(?:false|0)\b"), "Code is switched off.", Severity.SUGGESTION),
    (re.compile(r"^\s*//(?!/).*(?:;|\{|\})\s*$"), "Code is commented out.", Severity.SUGGESTION),
    (re.compile(r"\[\s*(?:Fact|Theory)\s*\(.*\bSkip\s*=|^\s*\[\s*Ignore\b"), "A test is left out.", Severity.WARNING),
    (re.compile(r"^\s*#\s*pragma\s+warning\s+disable\b"), "A warning is switched off.", Severity.SUGGESTION),
)  # fmt: skip
_LEFT_OVER = (".orig", ".rej", ".bak", ".swp", "~", ".mergefile")
_LONGEST = 2_000
"""Characters of a line that are looked at."""


def texts(files: Iterable[ChangedFile]) -> Iterator[Finding]:
    """Yield findings that the changed lines alone show."""
    for file in files:
        if file.path.endswith(_LEFT_OVER) and file.change.status in ("added", "untracked"):
            text = "A file that tools leave behind is added."
            yield Finding(kind="debris", severity=Severity.WARNING, file=file.path, text=text)
        yield from _conflicts(file)
        yield from _secrets(file)
        yield from _debris(file)


def _conflicts(file: ChangedFile) -> Iterator[Finding]:
    marks = {n: line.text for n, line in file.added.items() if _CONFLICT.fullmatch(line.text[:_LONGEST])}
    # A row of = alone is a heading in many a text.
    if all(text.startswith("=") for text in marks.values()):
        return
    for number in marks:
        yield Finding(
            kind="conflict", severity=Severity.BLOCKER, file=file.path, line=number, text="A conflict marker is left.",
        )  # fmt: skip


def _secrets(file: ChangedFile) -> Iterator[Finding]:
    """Yield likely secrets on added lines; the whole file is scanned where it can be read, for context."""
    numbers = sorted(file.added)
    if file.new is not None:
        data = file.new.encode("utf-8", "surrogatepass")
    else:
        data = "\n".join(file.added[number].text for number in numbers).encode("utf-8", "surrogatepass")
    for found in find_secrets(data, file.path) if numbers else ():
        line = data.count(b"\n", 0, found.start) + 1
        line = line if file.new is not None else numbers[line - 1]
        if line in file.added:
            text = f"This looks like a secret ({found.kind}). Take it out, and give out a new one."
            yield Finding(
                kind="secret",
                severity=Severity.BLOCKER,
                file=file.path,
                line=line,
                text=text,
                code=found.kind,
            )


def _debris(file: ChangedFile) -> Iterator[Finding]:
    for number, line in file.added.items():
        text = line.text[:_LONGEST]
        for pattern, why, severity in _DEBRIS:
            if pattern.search(text):
                yield Finding(kind="debris", severity=severity, file=file.path, line=number, text=why)
                break


Lines = Callable[[str, int, int], str]
_T = TypeVar("_T")
Needed = Callable[[Sequence[str], str], Iterable[tuple[str, str]]]
"""Types that a change of others is likely to need, best first, each with what it is and its outline: (ids of the types
that change, words on the change)."""
_ORDER = {"broken": 0, "conflict": 1, "secret": 2, "api": 3, "callers": 4, "tests": 5, "debris": 6}
_MOST_LINES = 80
"""Lines of a member that stand in a pack; of a longer one the first."""


class Examiner:
    """Analyser of changes in the index of their new side: that of the workspace, or of a state checked out for it.
    Thread-safe."""

    def __init__(
        self,
        states: States,
        *,
        ready: Callable[[threading.Event | None], object],
        note: Callable[[str], str] = lambda _: "",
        needed: Needed = lambda *_: (),
    ) -> None:
        """`ready`: works out the names of the workspace's index; `note`: what was written on a type, by its id, empty
        where nothing was; `needed`: what a change is likely to need of the workspace."""
        self._needed = needed
        self._note = note
        self._states = states
        self._ready = ready

    def findings(
        self, opened: OpenedChange, *, cancel: threading.Event | None = None
    ) -> tuple[tuple[Finding, ...], str]:
        """Return the findings, the most important first, and why the code was not analysed where it could not be.
        Raises Cancelled."""
        found = list(texts(opened.analyzed))
        why = ""
        try:
            found += self._of_code(opened, cancel)
        except WorkspaceError as error:
            why = error.message
        order = list(Severity)
        found.sort(
            key=lambda each: (order.index(each.severity), _ORDER[each.kind], each.file, each.line or 0)
        )
        return tuple(found), why

    def around(self, opened: OpenedChange, *, cancel: threading.Event | None = None) -> Iterator[PackPiece]:
        """Members around the change, who uses what changed, and tests that reach it, then the outlines of what such a
        change is likely to need; nothing where the code cannot be looked up."""
        try:
            with self._code(opened, cancel) as (code, lines):
                yield from _around(code, lines, self._note)
                types = dict.fromkeys("_".join(each.split("_")[:2]) for each in code.changed())
        except WorkspaceError:
            return
        words = opened.title if opened.source.remote is not None else ""
        for title, outline in self._needed(list(types), words) if types else ():
            yield PackPiece(title, outline, "text")

    def asked(
        self, opened: OpenedChange, ask: Callable[[Code], _T], *, cancel: threading.Event | None = None
    ) -> _T:
        """Call a function with the change and the index of its new side. Raises WorkspaceError, Cancelled."""
        with self._code(opened, cancel) as (code, _):
            return ask(code)

    @contextmanager
    def _code(self, opened: OpenedChange, cancel: threading.Event | None) -> Iterator[tuple[Code, Lines]]:
        """The change in the index of its new side. Raises WorkspaceError where that is not known."""
        self._ready(cancel)
        with self._states.new(opened, cancel) as state:
            yield _looked_up(state.index, opened, cancel), state.lines

    def _of_code(self, opened: OpenedChange, cancel: threading.Event | None) -> Sequence[Finding]:
        if not any(file.is_code for file in opened.analyzed):
            return ()
        with self._code(opened, cancel) as (code, _):
            changes = code.api()
            found = list(code.api_findings(changes))
            found += code.caller_findings(changes)
            found += code.test_findings(code.matrix())
            gone, changed = gone_of(opened.analyzed), changed_of(opened.analyzed)
            if gone or changed:
                with self._states.old(opened, cancel) as before:
                    found += removed_findings(before.index, code.index, opened.analyzed, gone, cancel=cancel)
                    broken = BrokenCallers(code.index, before.index, opened.analyzed, cancel=cancel)
                    found += broken.findings(changed)
        return found


def _looked_up(index: Index, opened: OpenedChange, cancel: threading.Event | None) -> Code:
    if index.describer.names() is None:
        raise WorkspaceError("No project is known, so no name can be bound.")
    return Code(index, opened.analyzed, cancel=cancel)


def _around(code: Code, lines: Lines, note: Callable[[str], str]) -> Iterator[PackPiece]:
    changed = code.changed()
    for ref in changed.values():
        if ref.kind not in TYPE_KINDS:
            last = min(ref.end_line, ref.start_line + _MOST_LINES - 1)
            yield from _piece(
                f"{ref.path} ({ref.file}:{ref.start_line})", ref.file, (ref.start_line, last), lines
            )
    for id_ in dict.fromkeys("_".join(each.split("_")[:2]) for each in changed):
        if text := note(id_):
            yield PackPiece(f"Note on {id_}", text, "text")
    yield from finding_piece(code.caller_findings(code.api()))
    told: set[tuple[str, int]] = set()
    for reach in code.matrix():
        for caller in (
            *code.callers(reach.member.id, tests=False),
            *code.callers(reach.member.id, tests=True),
        ):
            place = (caller.path, caller.symbol.start_line)
            if caller.changed or place in told:
                continue
            told.add(place)
            kind = "Test" if code.is_test(caller.path) else "Caller"
            title = f"{kind} {caller.symbol.path} of {reach.member.path} ({caller.path}:{caller.line})"
            last = min(caller.symbol.end_line, caller.symbol.start_line + _MOST_LINES - 1)
            yield from _piece(title, caller.path, (caller.symbol.start_line, last), lines)


def _piece(title: str, file: str, span: tuple[int, int], lines: Lines) -> Iterator[PackPiece]:
    try:
        text = lines(file, *span)
    except CodeCortexError:
        return
    yield PackPiece(title, text, "csharp" if file.endswith(".cs") else "text")

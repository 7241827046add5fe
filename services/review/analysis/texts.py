"""Findings in added lines: secrets, conflict markers, what was left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from services.model.review import Finding, Severity
from services.prompt.secrets.finding import find_secrets
from services.review.analysis.change import ChangedFile

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

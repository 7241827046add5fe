"""Outlines of ABAP and CDS sources: declarations with their lines and ABAP Doc, parsed by abap-parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from services.errors import UsageError

if TYPE_CHECKING:
    from types import ModuleType

    from abap_parser.types import FileSymbols

_DOC = re.compile(r'\s*"! ?(.*)')
_TAG = re.compile(r"</?(?:p|em|strong|ul|ol|li|br|h[1-3])\b[^<>]{0,80}>|@(?=parameter|raising|exception)")
_DECLARED = re.compile(
    r"\s*(?:(?:class-)?(?:methods|data|events)\b|constants\b|types\b|class\b|interface\b|form\b)?\s*:?\s*"
    r"(?:begin\s+of\s+)?([\w/~]+)",
    re.IGNORECASE,
)
_LINES = re.compile(r'(?P<code>.*?) {2}" (?P<first>\d+)(?:-(?P<last>\d+))?')
_BEHIND = re.compile(r"(?:=>|->)")
_MOST_DOC = 8
"""Lines of a comment that an outline shows."""


class AbapMember(NamedTuple):
    """A member of a class, an interface or a program. `first`, `last`: 1-based lines of its implementation where
    there is one, else of its declaration."""

    name: str
    kind: str
    first: int
    last: int


def split_member(name: str) -> tuple[str, str]:
    """Return the object and the member of `zcl_demo=>add` or `zcl_demo->add`, the member empty for an object."""
    owner, *member = _BEHIND.split(name, maxsplit=1)
    return owner, member[0] if member else ""


def members_of(source: str) -> list[AbapMember]:
    """Return the members that a source declares or implements, in the order of their lines. Raises UsageError where
    abap-parser is not installed."""
    found: dict[str, AbapMember] = {}
    for member in _members(_parser().symbols(source)):
        found.setdefault(member.name.casefold(), member)
    return sorted(found.values(), key=lambda each: each.first)


def outline_of(source: str, *, is_cds: bool = False) -> str:
    """Return the declarations of a source, one a line with the lines it takes, with ABAP Doc before what it is about;
    empty for a source that declares nothing. Raises UsageError where abap-parser is not installed."""
    docs = list(_docs(source))
    shown: list[str] = []
    for line in _parser().text("cds" if is_cds else "symbols", source).splitlines():
        if (placed := _LINES.fullmatch(line)) and (declared := _DECLARED.match(placed["code"])):
            first, last = int(placed["first"]), int(placed["last"] or placed["first"])
            indent = line[: len(line) - len(line.lstrip())]
            name = declared[1].casefold()
            doc = next((each.lines for each in docs if each.name == name and first <= each.line <= last), ())
            shown += (f'{indent}"! {text}' for text in doc)
        shown.append(line)
    return "\n".join(shown)


def outline_of_member(outline: str, name: str) -> str:
    """Return the declaration of a member, with its comment, from the outline of its object."""
    lines = outline.splitlines()
    for at, line in enumerate(lines):
        declared = _DECLARED.match(line)
        if declared and declared[1].casefold() == name.casefold() and not line.lstrip().startswith('"'):
            first = at
            while first and lines[first - 1].lstrip().startswith('"!'):
                first -= 1
            return "\n".join(each.strip() for each in lines[first : at + 1])
    return ""


class _Doc(NamedTuple):
    """A comment, with the name that is declared behind it and the line of that."""

    name: str
    line: int
    lines: tuple[str, ...]


def _docs(source: str) -> Iterator[_Doc]:
    """Yield each ABAP Doc comment of a source that says something."""
    kept: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        if comment := _DOC.fullmatch(line):
            kept += [text] if (text := _TAG.sub("", comment[1]).strip()) else []
        elif kept and (declared := _DECLARED.match(line)):
            more = (f"… {len(kept) - _MOST_DOC} more lines",) if len(kept) > _MOST_DOC else ()
            yield _Doc(declared[1].casefold(), number, (*kept[:_MOST_DOC], *more))
            kept = []


def _members(symbols: FileSymbols) -> Iterator[AbapMember]:
    """Yield implementations first, so that they win over the declarations of the same name."""
    for owner in symbols["classes"]:
        implemented = owner.get("implementation")
        yield from _spans(implemented["methods"] if implemented else (), "method")
    for owner in (*symbols["classes"], *symbols["interfaces"]):
        yield from _spans(owner["methods"], "method")
        yield from _spans(owner["attributes"], "attribute")
        yield from _spans(owner["types"], "type")
        yield from _spans(owner["events"], "event")
    yield from _spans(symbols["forms"], "form")
    yield from _spans(symbols["function_modules"], "function")


def _spans(each: Iterable[object], kind: str) -> Iterator[AbapMember]:
    for one in each:
        assert isinstance(one, dict)
        span = one["span"]
        yield AbapMember(one["name"], kind, span["start"]["row"], span["end"]["row"])


def _parser() -> ModuleType:
    """Return abap-parser, which is an extra. Raises UsageError where it is not installed."""
    try:
        import abap_parser
    except ImportError:
        message = "Outlines of ABAP need abap-parser. Install it: pip install 'codecortex[adt]'."
        raise UsageError(message) from None
    return abap_parser

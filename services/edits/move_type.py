"""Types moved to files of their own: both files are the old one, each without what the other has."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from services.edits.check import meanings
from services.edits.values import Plan, Problem, Replacement
from services.errors import UsageError
from services.index.symbols.placed import FoundSymbol
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.index.usages.overlay import Overlay, OverlayText
from services.model import TYPE_KINDS

if TYPE_CHECKING:
    from services.edits.rename.planner import Rebuilt

OF_FILE = re.compile(
    rb"^[ \t]*(?:global\s+using\b[^;]*;|\[\s*(?:assembly|module)\s*:[^\n]*\])[ \t]*\r?\n", re.MULTILINE
)
_COMMENT = re.compile(rb"(?:^[ \t]*//[^\n]*\n)+\Z", re.MULTILINE)
Span = tuple[int, int]


class MovePlanner:
    """Plans moves of one version of the catalogue."""

    def __init__(self, texts: BoundTexts, rebuilt: Rebuilt) -> None:
        self._texts = texts
        self._rebuilt = rebuilt

    def plan(self, found: FoundSymbol) -> Plan:
        """Plan to move a type to a file of its name in the same folder. Raises UsageError."""
        entry = found.whole.entry
        text, at = self._part(found)
        folder = posixpath.dirname(text.path)
        path = posixpath.join(folder, f"{entry.name}.cs")
        outer = outermost(text)
        if "+" in entry.fqn:
            raise UsageError(
                f"{entry.name} stands inside a type: only outermost types have files of their own."
            )
        if path == text.path or len(outer) < 2:
            raise UsageError(f"{entry.name} stands in a file of its own already: {text.path}.")
        if any(each == path for _, each in self._texts.catalogue.units):
            raise UsageError(f"There is a file {path} already.")
        if text.record.declarations[at].access == "file":
            raise UsageError(f"{entry.name} is known in its file alone.")
        plan = Plan(f"Move {entry.name} to {path}", texts={text.path: text.text})
        own = whole_of(text, at)
        plan.replacements.append(Replacement(text.path, *own, "", named=False))
        others = [whole_of(text, each) for each in outer if each != at]
        made = OF_FILE.sub(b"", without(text.text, others))
        plan.made[path] = tidy(made)
        plan.problems += self._checked(plan, text, (at, path))
        return plan

    def _part(self, found: FoundSymbol) -> tuple[CompiledText, int]:
        parts = found.whole.parts
        if len(parts) > 1:
            raise UsageError(f"{found.whole.entry.name} has {len(parts)} parts. A partial type is not moved.")
        text = self._texts.text(parts[0].file)
        if text is None:
            raise UsageError("The file has changed. Refresh and ask again.")
        return text, parts[0].at

    def _checked(self, plan: Plan, text: CompiledText, place: tuple[int, str]) -> Iterator[Problem]:
        at, path = place
        overlay = self._rebuilt(
            {
                text.path: OverlayText(plan.changed_texts()[text.path], text.path),
                path: OverlayText(plan.made[path], path, like=text.path),
            }
        )
        if overlay is None:
            return
        moved = text.record.declarations[at]
        before = _all(self._texts, text, lambda start: moved.start <= start < moved.end)
        rest = _all(self._texts, text, lambda start: not moved.start <= start < moved.end)
        new = self._new(overlay, path)
        old = overlay.texts.text(overlay.files[text.file])
        for had, now in ((before, new), (rest, old)):
            has = _all(overlay.texts, now, lambda _: True) if now is not None else []
            if now is None or now.record.quality != text.record.quality or _told(had) != _told(has):
                yield Problem(text.path, moved.start, "A name would mean something else after the move.")

    def _new(self, overlay: Overlay, path: str) -> CompiledText | None:
        units = overlay.texts.catalogue.units
        file = next((file for (_, each), file in units.items() if each == path), None)
        return overlay.texts.text(file) if file is not None else None


def _told(found: Sequence[tuple[int, str, str]]) -> list[tuple[str, str]]:
    return [(word, meant) for _, word, meant in found]


def _all(texts: BoundTexts, text: CompiledText, inside: Callable[[int], bool]) -> list[tuple[int, str, str]]:
    """Return the meaning of every name in the selected parts of a file, in order. `inside`: selects offsets."""
    found: list[tuple[int, str, str]] = []
    for at in range(len(text.record.declarations)):
        whole = (0, len(text.text))
        found += [each for each in meanings(texts.facts_of(text, at), text, whole) if inside(each[0])]
    return sorted(set(found))


def outermost(text: CompiledText) -> list[int]:
    """Return the types of a file that are not nested."""
    return [
        at
        for at, each in enumerate(text.record.declarations)
        if each.parent < 0 and each.kind in TYPE_KINDS and not each.is_program
    ]


def whole_of(text: CompiledText, at: int) -> Span:
    """A declaration with its documentation, the comments right before it, and the ends of its lines."""
    declaration, source = text.record.declarations[at], text.text
    start = min(declaration.start, declaration.doc[0] or declaration.start)
    start = source.rfind(b"\n", 0, start) + 1
    comment = _COMMENT.search(source, 0, start)
    start = comment.start() if comment is not None and comment.start() > 0 else start
    end = source.find(b"\n", declaration.end)
    end = len(source) if end < 0 else end + 1
    blank = re.compile(rb"[ \t]*\r?\n").match(source, end)
    return start, blank.end() if blank is not None else end


def without(source: bytes, spans: Sequence[Span]) -> bytes:
    """A text without some stretches."""
    parts: list[bytes] = []
    at = 0
    for start, end in sorted(spans):
        parts.append(source[at:start])
        at = max(at, end)
    return b"".join([*parts, source[at:]])


def tidy(source: bytes) -> bytes:
    """A text without blank lines before what closes, and more than one in a row."""
    source = re.sub(rb"(\r?\n)(?:[ \t]*\r?\n)+([ \t]*\})", rb"\1\2", source)
    source = re.sub(rb"(\r?\n[ \t]*\r?\n)(?:[ \t]*\r?\n)+", rb"\1", source)
    return source.rstrip() + (b"\r\n" if b"\r\n" in source else b"\n")

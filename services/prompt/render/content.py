"""An item to be put in words, as every format gets it, whole or cut to what fits."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from services.model import Level
from services.prompt.secrets.masking import Secret
from services.prompt.state.items import OUTLINES, ItemKind, Rendered, Request

_UNDECODED = (
    "Bytes that could not be decoded stand as \ufffd: declare their encoding by the setting files.encoding."
)


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """`text`: what is shown of the item, at `level`; `cut`: a sentence if that is not all of it; `secrets`: those of
    all of it; `request`: what it was made for."""

    key: str
    kind: ItemKind
    level: Level
    rendered: Rendered
    text: str
    pinned: bool
    cut: str = ""
    secrets: tuple[Secret, ...] = ()
    request: Request | None = None

    @property
    def title(self) -> str:
        """The display name of the kind: `type outline`."""
        return self.kind.titles[self.level]

    @property
    def heading(self) -> str:
        """The heading: kind and location on one line, unless the text contains them."""
        if self.kind.name == "note":
            return "Note"  # its label is its beginning
        label, place = self.rendered.label, self.rendered.detail
        if self.rendered.symbol_id is not None and self.level in OUTLINES:
            level = self.title.removeprefix("type").lstrip(", ")
            more = () if level == "outline" else (level,)
            return in_one_line(" · ".join([place, *more]))  # its text begins with its declaration
        placed = self.rendered.is_source and label not in (place, place.rpartition(":")[0]) and place != ""
        return in_one_line(" · ".join([label, self.title, *([place] if placed else [])]))

    @property
    def state(self) -> str:
        """`pinned` or `recent`."""
        return "pinned" if self.pinned else "recent"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the text for its reader: sentences."""
        changed = self.rendered.state_detail if self.rendered.changed else ""
        undecoded = _UNDECODED if "\ufffd" in self.text and self.rendered.file is not None else ""
        return tuple(note for note in (changed, undecoded, self.cut) if note)


def in_one_line(text: str) -> str:
    """The text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())


LEAST_LINES = 3
"""Fewer lines than this of an item say less than its entry in the list of what is not shown."""

LEAST_TOKENS = 40
"""In less room than this no cut is tried: a heading and the sentence about the rest fill it."""

LONGEST_TOKEN = 128
"""Characters of the longest token of the shipped encodings, a run of blanks: more text than that cannot fit."""
USUAL_TOKEN = 4
"""Characters of a usual token."""


class RemainingBudget(msgspec.Struct, frozen=True):
    """Remaining budget. `chars` is None where only tokens are limited."""

    tokens: int
    chars: int | None

    def holds(self, tokens: int, chars: int) -> bool:
        """Whether something of this size fits."""
        return tokens <= self.tokens and (self.chars is None or chars <= self.chars)

    def less(self, tokens: int, chars: int) -> RemainingBudget:
        """Return the remaining budget after a piece of this size; may be negative."""
        return RemainingBudget(self.tokens - tokens, None if self.chars is None else self.chars - chars)


def cut_to(
    room: RemainingBudget, content: Content, *, tokens: int, fits: Callable[[Content], bool]
) -> Content | None:
    """The content with as many of its first lines as fit, or None if fewer than LEAST_LINES do.

    `tokens`: of the whole content; `fits`: whether a cut content fits the room."""
    if room.tokens < LEAST_TOKENS:
        return None
    total = content.text.count("\n") + (not content.text.endswith("\n"))
    lines = content.text[: (room.tokens + 1) * LONGEST_TOKEN].split("\n")[: total - 1]

    def kept(count: int) -> Content:
        text = "".join(f"{line}\n" for line in lines[:count])
        rest = tokens * (len(content.text) - len(text)) // max(1, len(content.text))
        return replace(content, text=text, cut=_sentence(content, count, total, rest))

    count = _most(len(lines), _first_guess(lines, room.tokens), lambda number: fits(kept(number)))
    return kept(count) if count >= LEAST_LINES else None


def grouped(number: int) -> str:
    """`34 567`."""
    return f"{number:,}".replace(",", " ")


def _first_guess(lines: list[str], tokens: int) -> int:
    chars = 0
    for count, line in enumerate(lines):
        chars += len(line) + 1
        if chars > tokens * USUAL_TOKEN:
            return count
    return len(lines)


def _most(limit: int, guess: int, fits: Callable[[int], bool]) -> int:
    """The greatest number up to `limit` that fits. Found outwards from a guess, since a test costs what it
    counts."""
    low, high, step = 0, limit + 1, max(1, guess // 8)
    probe = guess
    while high - low > 1:
        probe = min(max(probe, low + 1), high - 1)
        if fits(probe):
            low, following = probe, probe + step
        else:
            high, following = probe, probe - step
        bracketed = low > 0 and high <= limit
        probe = (low + high) // 2 if bracketed else following
        step *= 2
    return low


def _sentence(content: Content, kept: int, total: int, rest: int) -> str:
    lines = "1 line" if total - kept == 1 else f"{grouped(total - kept)} lines"
    size = f"{lines}, about {grouped(rest)} tokens"
    if content.rendered.is_source:
        start = content.rendered.start_line or 1
        return f"Cut: lines {start + kept}-{start + total - 1} are not shown ({size})."
    return f"Cut: the rest is not shown ({size})."

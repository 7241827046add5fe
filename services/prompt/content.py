"""One item to be put in words, as every format gets it."""

from __future__ import annotations

from dataclasses import dataclass

from services.prompt.items import ItemKind, Rendered


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """`text`: what is shown of the item; `cut`: a sentence if that is not all; `stale`: its source changed
    after it was chosen."""

    key: str
    kind: ItemKind
    rendered: Rendered
    text: str
    pinned: bool
    cut: str = ""
    stale: bool = False

    @property
    def heading(self) -> str:
        """What it is, on one line, and where, unless the text itself says that."""
        label, place = self.rendered.label, self.rendered.detail
        parts = [label, self.kind.title, *([place] if self.kind.placed and place not in ("", label) else [])]
        return in_one_line(" · ".join(parts))

    @property
    def state(self) -> str:
        """`pinned` or `recent`."""
        return "pinned" if self.pinned else "recent"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the text: sentences."""
        stale = "These lines may have moved: the file changed after they were chosen." if self.stale else ""
        return tuple(note for note in (stale, self.cut) if note)


def in_one_line(text: str) -> str:
    """The text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())

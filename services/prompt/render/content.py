"""An item to be put in words, as every format gets it."""

from __future__ import annotations

import msgspec

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

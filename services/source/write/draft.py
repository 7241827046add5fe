"""A change that is admitted, and everything that follows from it."""

from __future__ import annotations

import functools
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from services.source.journal.journal import Hashes, JournaledChange
from services.source.text.differ import Changed, Same, changed_lines, diff_of, shared_bytes
from services.source.text.ranges import Lines, shifted
from services.workspace.text import Text, decode

MakeBytes = Callable[[Text], bytes | None]
"""Makes the new bytes from a text; None where its file is to go."""


class Admitted(msgspec.Struct, frozen=True):
    """Text that may be changed, None for a file that does not exist yet, and the lines of it known to the caller."""

    text: Text | None
    known: Lines = ()


class WriteDraft(msgspec.Struct, frozen=True, dict=True):
    """Admitted change. `base`: the text it changes; `expected`: the token of the request; `new`: the new bytes, None
    where the file is to be deleted; `mine`: makes them from the text that was read; `kept`: how many bytes at the
    start and at the end of an existing text do not change, where that is known."""

    path: str
    base: Admitted
    expected: str | None
    new: bytes | None
    mine: MakeBytes | None = None
    kept: Same | None = None

    @property
    def text(self) -> Text | None:
        """Return the present text, None for a file that does not exist yet."""
        return self.base.text

    @functools.cached_property
    def same(self) -> Same:
        """How much of the old text stays at its start and at its end; nothing where there is none."""
        if self.text is None or self.new is None:
            return (0, 0)
        return self.kept or shared_bytes(self.text.data, self.new)

    @functools.cached_property
    def after(self) -> Text | None:
        """The new text; None where the file is to go."""
        if self.new is None:
            return None
        if self.text is None:
            return decode(self.new, self.path)
        # The functions that make new bytes of a text ensure that they decode as that text does (`check_kept`).
        after = replace(self.text, data=self.new)
        after.count_as(self.text, self.same)
        return after

    @property
    def diff(self) -> str:
        """Unified, from the text to the new one; empty where they are equal."""
        return diff_of(self.path, self.text, self.after, changed=self._changed if self.after else None)

    def hashes(self) -> Hashes:
        """SHA-256 in hex of the text and of the new one; None for no file."""
        return (_digest(self.text), _digest(self.after))

    @property
    def change(self) -> JournaledChange:
        """Return the change to be written."""
        return JournaledChange(
            path=self.path,
            base=self.text.data if self.text is not None else None,
            new=self.new,
            known=shifted(self.base.known, *self._changed) if self.after else (),
            hashes=self.hashes,
            same=self.same if self.after else None,
        )

    @functools.cached_property
    def _changed(self) -> Changed:
        return changed_lines(self.text, self.after or decode(b""), self.same)


def _digest(text: Text | None) -> str | None:
    return None if text is None else text.digest

"""The notes that outlines end with, in the window and in packs: those that somebody wrote, with whether they still
hold."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple
from zlib import crc32

from services.index.index import Index
from services.semantic.notes import Queued, state_of
from services.semantic.staleness import TypeFactsSource, reasons
from services.semantic.store import NoteStore, StoredNote, file_of
from services.semantic.text import Sections, head_of, sections
from services.semantic.values import NoteState
from services.workspace.state import StateFolder

_NONE = Sections("", ())


class _Known(NamedTuple):
    """Stored note on a type. `why`: reasons why it may be outdated."""

    found: StoredNote | None
    why: tuple[str, ...]
    sections: Sections


_NOTHING = _Known(None, (), _NONE)


class OutlineNotes:
    """Notes for outlines. A note is read again when its file or the index changes. Thread-safe."""

    def __init__(
        self,
        state: StateFolder,
        index: Index,
        types: TypeFactsSource,
        *,
        doc_invalidates: bool = False,
    ) -> None:
        """`types`: as they are known, without waiting until dependencies are worked out."""
        self._shared = state.shared
        self._index = index
        self._types = types
        self._doc_invalidates = doc_invalidates
        self._store = NoteStore(state)
        self._guard = threading.RLock()
        self._known: dict[str, tuple[tuple[object, ...], _Known]] = {}

    def of(self, type_id: str) -> Sections:
        """Return the note of a type in sections; empty where none is stored."""
        with self._guard:
            return self._of(type_id).sections

    def states(
        self, type_ids: Sequence[str], queued: Callable[[tuple[str, ...]], Queued | None]
    ) -> dict[str, NoteState]:
        """The states of types, as far as dependencies are known. `queued`: how far the making of a group's note is."""
        found: dict[str, NoteState] = {}
        for id_ in type_ids:
            facts = self._types.facts(id_)
            if facts is not None:
                with self._guard:
                    known = self._of(id_)
                found[id_] = state_of(known.found, known.why, queued(facts.group))
        return found

    def _of(self, type_id: str) -> _Known:
        file, stamp = self._file(type_id)
        if stamp is None:
            self._known.pop(type_id, None)
            return _NOTHING
        moment = (file, stamp, self._index.catalogue, self._index.related_at)
        known = self._known.get(type_id)
        if known is None or known[0] != moment:
            known = self._known[type_id] = (moment, self._read(type_id))
        return known[1]

    def growing(self, type_id: str) -> list[str]:
        """The note of a type with one section, with two, and so on; nothing where there is none."""
        text, begins = self.of(type_id)
        ends = [text.index(f"\n{line}\n") + 1 for line in begins[1:]]
        return [text[:end] for end in (*ends, len(text))] if text else []

    def stamp(self, type_id: str) -> str:
        """Something that differs where `of` does; empty where there is no note."""
        text = self.of(type_id).text
        return f"{crc32(text.encode()):x}" if text else ""

    def _read(self, type_id: str) -> _Known:
        found = self._store.find(type_id)
        if found is None:
            return _NOTHING
        is_known = self._index.related_at >= 0 or len(found.note.types) == 1
        why = reasons(found.note, self._types, doc_invalidates=self._doc_invalidates) if is_known else ()
        return _Known(found, why, sections(found.note.fields, head_of(found.note.provider, why)))

    def _file(self, type_id: str) -> tuple[str, tuple[int, int] | None]:
        own = file_of((type_id,))
        stamp = self._stamp_of(own)
        if stamp is not None:
            return own, stamp
        group = self._store.group_file(type_id)
        return (group, self._stamp_of(group)) if group is not None else (own, None)

    def _stamp_of(self, file: str) -> tuple[int, int] | None:
        return self._shared.stamp(file)

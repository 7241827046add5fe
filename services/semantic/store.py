"""Files of notes: one a type or group, pending notes, and former versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import msgspec

from services.decoding import decode
from services.errors import NoteInvalid, WorkspaceError
from services.semantic import GROUPS, TYPES
from services.semantic.text import read, types_named, write
from services.semantic.values import Author, Note
from services.syntax.records.hashing import group_id
from services.workspace.state import StateFolder

HISTORY = "semantic-history"
ENDING, WAITING = ".semantic.md", ".semantic.new.md"
_KEPT = 20
"""Earlier texts of a note."""

_CONFLICT = re.compile(rb"^<{7} .*?^={7}\r?$.*?^>{7} ", re.MULTILINE | re.DOTALL)

Current = Callable[[str], str | None]
"""The id that a type has now which once had this one; None where it is gone."""


class StoredNote(NamedTuple):
    """Stored note, its file, and the pending note for a person to decide about."""

    note: Note
    file: str
    waiting: Note | None = None


class NoteStore:
    """Store of the notes of a workspace. Safe for several processes: files are replaced atomically under a lock. A
    file that cannot be read counts as missing and is not touched, since it may be repaired; before a new note
    replaces it, it is set aside."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._shared = state.shared
        self._grouped: tuple[int, dict[str, str]] = (0, {})

    def find(self, type_id: str) -> StoredNote | None:
        """The note of a type: its own, else that of a group that it was in."""
        own = self._read(f"{TYPES}/{type_id}{ENDING}")
        if own is not None:
            return own
        file = self.group_file(type_id)
        return None if file is None else self._read(file)

    def group_file(self, type_id: str) -> str | None:
        """The file of a group that a type is or was in, the latest of several. Files are read again where one came,
        went or was replaced."""
        stamp = self._shared.stamp(GROUPS)
        if stamp is None:
            return None
        moment = stamp[0]
        if self._grouped[0] != moment:
            latest = sorted(self._group_files(), key=self._written_at)
            files = {id_: file for file in latest for id_ in self.types_of(file)}
            self._grouped = (moment, files)
        return self._grouped[1].get(type_id)

    def problem(self, type_id: str) -> str:
        """Why the file of a type's note cannot be read, as a sentence; empty where it can, or there is none."""
        own = f"{TYPES}/{type_id}{ENDING}"
        for file in (own, self.group_file(type_id)):
            if file is not None and isinstance(found := self._parsed(file), str):
                return f"{found} Mend it, or write the note anew."
        return ""

    def all(self) -> Iterator[StoredNote]:
        """Every note."""
        yield from filter(None, map(self._read, self._files()))

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Something for the file of each note that differs where the file does."""
        stamps = ((file, self._shared.stamp(file)) for file in self._files())
        return {file: stamp for file, stamp in stamps if stamp is not None}

    def types_of(self, file: str) -> tuple[str, ...]:
        """The ids of the types of a note's file; none of a group's that is gone."""
        if file.startswith(f"{TYPES}/"):
            return (file.removeprefix(f"{TYPES}/").removesuffix(ENDING),)
        return types_named((self._data(file) or b"").decode("utf-8", "replace"))

    def put(self, note: Note) -> StoredNote:
        """Store a note. A person's note is not overwritten by a program's, which becomes pending. Files of other
        groups with its types are removed afterwards. Raises ReadOnly, Busy."""
        with self._state.locked(GROUPS):
            file = file_of(note.type_ids)
            before = self._read(file)
            if before is not None and before.note.provider.author is Author.PERSON and _is_by_program(note):
                self._shared.write(_waiting(file), _text(note))
                return StoredNote(before.note, file, note)
            self._write(file, note, before)
            self._shared.remove(_waiting(file))
            self._remove_others(note, file)
            return StoredNote(note, file)

    def accept(self, type_id: str, *, is_accepted: bool) -> StoredNote | None:
        """Put what waits in the place of the note, or drop it; the note as it is then. Raises ReadOnly, Busy."""
        with self._state.locked(GROUPS):
            found = self.find(type_id)
            if found is not None and found.waiting is not None:
                if is_accepted:
                    self._write(found.file, found.waiting, found)
                self._shared.remove(_waiting(found.file))
        return self.find(type_id)

    def history(self, type_id: str) -> tuple[Note, ...]:
        """Return the former notes of a type, the latest first."""
        found = self.find(type_id)
        return () if found is None else tuple(_readable(self._earlier(found.file)))

    def follow(self, current: Current, holds: Callable[[Note], bool]) -> int:
        """Move the notes of types that were renamed or moved to their new ids, where anybody wrote notes on this
        machine; how many were. `holds`: whether a note is about its types as they are, and so keeps its place; what
        gives way is among the earlier ones. Raises ReadOnly, Busy."""
        moved = 0
        for file in self._files() if self._shared.is_kept or self._shared.is_team else ():
            ids = {id_: current(id_) or id_ for id_ in self.types_of(file)}
            if any(old != new for old, new in ids.items()):
                with self._state.locked(GROUPS):
                    moved += self._moved(file, ids, holds)
        return moved

    def _moved(self, file: str, ids: Mapping[str, str], holds: Callable[[Note], bool]) -> bool:
        found = self._read(file)
        if found is None:
            return False
        note = _renamed(found.note, ids)
        there = self._read(to := file_of(note.type_ids))
        if to == file or (there is not None and holds(there.note)):
            return False
        before = [] if there is None else [write(there.note), *self._earlier(to)]
        self._remove(to)
        self._put_down(to, note, [*self._earlier(file), *before])
        if found.waiting is not None:
            self._shared.write(_waiting(to), _text(_renamed(found.waiting, ids)))
        self._remove(file)
        return True

    def _write(self, file: str, note: Note, before: StoredNote | None) -> None:
        is_another = before is not None and before.note != note
        self._put_down(
            file, note, [write(before.note), *self._earlier(file)] if before and is_another else []
        )

    def _put_down(self, file: str, note: Note, earlier: Sequence[str]) -> None:
        """Write a note. `earlier`: former versions to record, where they differ from the stored ones."""
        if earlier:
            self._state.write(_history(file), msgspec.json.encode(earlier[:_KEPT]))
        if isinstance(self._parsed(file), str):
            self._shared.set_aside(file)
        self._shared.write(file, _text(note))

    def _remove_others(self, note: Note, file: str) -> None:
        """A group that has split or merged leaves no file behind whose types all have another note."""
        if len(note.types) > 1:
            for id_ in note.type_ids:
                self._remove(f"{TYPES}/{id_}{ENDING}")
        for other in list(self.groups()):
            left = set(other.note.type_ids) - set(note.type_ids)
            if other.file != file and not any(self._read(f"{TYPES}/{id_}{ENDING}") is None for id_ in left):
                self._remove(other.file)

    def _remove(self, file: str) -> None:
        for name in (file, _waiting(file)):
            self._shared.remove(name)
        self._state.remove(_history(file))

    def groups(self) -> Iterator[StoredNote]:
        """The notes that several types share."""
        for file in self._group_files():
            if (found := self._read(file)) is not None:
                yield found

    def _group_files(self) -> Iterator[str]:
        for name in self._shared.names(GROUPS):
            if name.endswith(".md") and not name.endswith(".new.md"):
                yield f"{GROUPS}/{name}"

    def _written_at(self, file: str) -> int:
        stamp = self._shared.stamp(file)
        return 0 if stamp is None else stamp[0]

    def _files(self) -> list[str]:
        own = [f"{TYPES}/{name}" for name in self._shared.names(TYPES) if name.endswith(ENDING)]
        return [*own, *self._group_files()]

    def _read(self, file: str) -> StoredNote | None:
        note = self._note(file)
        return None if note is None else StoredNote(note, file, self._note(_waiting(file)))

    def _note(self, file: str) -> Note | None:
        return found if isinstance(found := self._parsed(file), Note) else None

    def _parsed(self, file: str) -> Note | str | None:
        data = self._data(file)
        return None if data is None else _parsed(file, data)

    def _data(self, file: str) -> bytes | None:
        with suppress(WorkspaceError):
            return self._shared.read(file)
        return None

    def _earlier(self, file: str) -> list[str]:
        with suppress(OSError, ValueError):
            return decode(list[str], self._state.read(_history(file)) or b"[]")
        return []


def file_of(type_ids: tuple[str, ...]) -> str:
    """The file of the note of a type, or of a group, in the state folder."""
    return f"{TYPES}/{type_ids[0]}{ENDING}" if len(type_ids) == 1 else f"{GROUPS}/{group_id(type_ids)}.md"


def _renamed(note: Note, ids: Mapping[str, str]) -> Note:
    types = {ids.get(each.type_id, each.type_id): each for each in note.types}
    renamed = [msgspec.structs.replace(each, type_id=id_) for id_, each in sorted(types.items())]
    return msgspec.structs.replace(note, types=tuple(renamed))


@lru_cache(maxsize=32)  # that of a circle of 2 000 types takes 20 ms to take apart
def _parsed(file: str, data: bytes) -> Note | str:
    """The note in a file, or why it is none, as a sentence."""
    if (conflict := _CONFLICT.search(data)) is not None:
        line = data.count(b"\n", 0, conflict.start()) + 1
        return f"{file} has a merge conflict in line {line}."
    try:
        note = read(data.decode("utf-8"))
    except NoteInvalid as error:
        return f"{file} is no note: {error.message}"
    except UnicodeDecodeError:
        return f"{file} is no text."
    if file.startswith(f"{TYPES}/") and note.type_ids != (file.split("/")[1].partition(".")[0],):
        return f"{file} is about {', '.join(note.type_ids)}, by its head."
    return note


def _text(note: Note) -> bytes:
    return write(note, group_id=group_id(note.type_ids) if len(note.types) > 1 else None).encode()


def _waiting(file: str) -> str:
    return file.removesuffix(ENDING).removesuffix(".md") + (WAITING if file.startswith(TYPES) else ".new.md")


def _history(file: str) -> str:
    return f"{HISTORY}/{file.partition('/')[2].removesuffix(ENDING).removesuffix('.md')}.json"


def _is_by_program(note: Note) -> bool:
    return note.provider.author in (Author.MODEL, Author.STATIC)


def _readable(texts: list[str]) -> Iterator[Note]:
    for text in texts:
        with suppress(NoteInvalid):
            yield read(text)

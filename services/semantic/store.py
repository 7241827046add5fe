"""The files of notes: one a type, one a group, what waits beside a person's, and what each was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

import msgspec

from services.errors import NoteInvalid
from services.semantic.text import read, write
from services.semantic.values import Author, Note
from services.syntax.records.hashing import group_id
from services.workspace.state import StateFolder

TYPES, GROUPS, HISTORY = "types", "semantic", "semantic-history"
ENDING, WAITING = ".semantic.md", ".semantic.new.md"
_KEPT = 20
"""Earlier texts of a note."""

Current = Callable[[str], str | None]
"""The id that a type has now which once had this one; None where it is gone."""


class StoredNote(NamedTuple):
    """A note, the file it is in, and the note that waits beside it for a person to decide."""

    note: Note
    file: str
    waiting: Note | None = None


class NoteStore:
    """The notes of a workspace. Safe beside other processes: each writes whole files under one lock."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._grouped: tuple[int, dict[str, str]] = (0, {})

    def find(self, type_id: str) -> StoredNote | None:
        """The note of a type: its own, else that of a group that it was in. One that cannot be read is set aside, with
        a word, and counts as none."""
        own = self._read(f"{TYPES}/{type_id}{ENDING}")
        if own is not None:
            return own
        file = self.group_file(type_id)
        return None if file is None else self._read(file)

    def group_file(self, type_id: str) -> str | None:
        """The file of a group that a type is or was in. Files are read again where one came, went or was replaced."""
        try:
            moment = self._state.path(GROUPS).stat().st_mtime_ns
        except OSError:
            return None
        if self._grouped[0] != moment:
            files = {id_: each.file for each in self.groups() for id_ in each.note.type_ids}
            self._grouped = (moment, files)
        return self._grouped[1].get(type_id)

    def all(self) -> Iterator[StoredNote]:
        """Every note."""
        for name in self._state.names(TYPES):
            if name.endswith(ENDING) and (found := self._read(f"{TYPES}/{name}")) is not None:
                yield found
        yield from self.groups()

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Something for the file of each note that differs where the file does."""
        found: dict[str, tuple[int, int]] = {}
        for folder, ending in ((TYPES, ENDING), (GROUPS, ".md")):
            for name in self._state.names(folder):
                if name.endswith(ending):
                    with suppress(OSError):
                        stat = self._state.path(f"{folder}/{name}").stat()
                        found[f"{folder}/{name}"] = (stat.st_mtime_ns, stat.st_size)
        return found

    def types_of(self, file: str) -> tuple[str, ...]:
        """The ids of the types of a note's file; none of a group's that is gone."""
        if file.startswith(f"{TYPES}/"):
            return (file.removeprefix(f"{TYPES}/").removesuffix(ENDING),)
        found = self._read(file)
        return () if found is None else found.note.type_ids

    def put(self, note: Note) -> StoredNote:
        """Keep a note. What a person wrote is not overwritten by what a program did: that waits beside it. Files of
        other groups that its types were in go when this one is there. Raises ReadOnly, Busy."""
        with self._state.locked(GROUPS):
            file = file_of(note.type_ids)
            before = self._read(file)
            if before is not None and before.note.provider.author is Author.PERSON and _is_by_program(note):
                self._state.write(_waiting(file), _data(note))
                return StoredNote(before.note, file, note)
            self._write(file, note, before)
            self._state.remove(_waiting(file))
            self._remove_others(note, file)
            return StoredNote(note, file)

    def accept(self, type_id: str, *, is_accepted: bool) -> StoredNote | None:
        """Put what waits in the place of the note, or drop it; the note as it is then. Raises ReadOnly, Busy."""
        with self._state.locked(GROUPS):
            found = self.find(type_id)
            if found is not None and found.waiting is not None:
                if is_accepted:
                    self._write(found.file, found.waiting, found)
                self._state.remove(_waiting(found.file))
        return self.find(type_id)

    def history(self, type_id: str) -> tuple[Note, ...]:
        """What the note of a type was before, the latest first."""
        found = self.find(type_id)
        return () if found is None else tuple(_readable(self._earlier(found.file)))

    def follow(self, current: Current) -> int:
        """Move the notes of types that were renamed or moved to their new ids; how many were. Raises ReadOnly, Busy."""
        moved = 0
        for found in list(self.all()):
            ids = {id_: current(id_) or id_ for id_ in found.note.type_ids}
            if any(old != new for old, new in ids.items()):
                moved += self._moved(found, ids)
        return moved

    def _moved(self, found: StoredNote, ids: dict[str, str]) -> bool:
        types = tuple(msgspec.structs.replace(each, type_id=ids[each.type_id]) for each in found.note.types)
        note = msgspec.structs.replace(found.note, types=types)
        with self._state.locked(GROUPS):
            file = file_of(note.type_ids)
            if self._state.read(file) is not None:
                return False
            self._state.write(file, _data(note))
            self._state.write(_history(file), msgspec.json.encode(self._earlier(found.file)))
            if found.waiting is not None:
                self._state.write(_waiting(file), self._state.read(_waiting(found.file)) or b"")
            self._remove(found.file)
        return True

    def _write(self, file: str, note: Note, before: StoredNote | None) -> None:
        if before is not None and before.note != note:
            earlier = [write(before.note), *self._earlier(file)][:_KEPT]
            self._state.write(_history(file), msgspec.json.encode(earlier))
        self._state.write(file, _data(note))

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
        for name in (file, _waiting(file), _history(file)):
            self._state.remove(name)

    def groups(self) -> Iterator[StoredNote]:
        """The notes that several types share."""
        for name in self._state.names(GROUPS):
            if name.endswith(".md") and not name.endswith(".new.md"):
                found = self._read(f"{GROUPS}/{name}")
                if found is not None:
                    yield found

    def _read(self, file: str) -> StoredNote | None:
        note = self._note(file)
        return None if note is None else StoredNote(note, file, self._note(_waiting(file)))

    def _note(self, file: str) -> Note | None:
        with suppress(OSError):
            data = self._state.read(file)
            if data is None:
                return None
            try:
                return read(data.decode("utf-8"))
            except (NoteInvalid, UnicodeDecodeError, KeyError):
                self._state.quarantine(file, "A semantic note")
        return None

    def _earlier(self, file: str) -> list[str]:
        with suppress(OSError, ValueError):
            return msgspec.json.decode(self._state.read(_history(file)) or b"[]", type=list[str])
        return []


def file_of(type_ids: tuple[str, ...]) -> str:
    """The file of the note of a type, or of a group, in the state folder."""
    return f"{TYPES}/{type_ids[0]}{ENDING}" if len(type_ids) == 1 else f"{GROUPS}/{group_id(type_ids)}.md"


def _data(note: Note) -> bytes:
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

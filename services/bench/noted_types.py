"""Types with their notes: as notes see them, with hashes, circles and masked source, and the notes that outlines end
with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

import msgspec

from services.errors import CodeCortexError, SymbolNotFound
from services.index.catalog.catalogue import Catalogue
from services.index.compiled import is_home
from services.index.graph.components import components
from services.index.index import Index
from services.index.symbols.test_names import names_tests, test_names
from services.model import TypeDetail, TypeLink
from services.prompt.outline.names import type_name
from services.prompt.secrets.masking import Masker
from services.semantic.generation import PlannedNote, Weight
from services.semantic.notes import Queued, state_of
from services.semantic.store import NoteStore, StoredNote, file_of
from services.semantic.text import Sections, head_of, sections
from services.semantic.values import NoteState, TypeFacts, TypeFactsSource, reasons
from services.source.read.known_lines import withheld
from services.source.read.reader import SourceReader
from services.workspace.state import StateFolder


class NotedTypes:
    """The types of one workspace, as `services.semantic.notes.Types` has them."""

    def __init__(
        self,
        index: Index,
        reader: SourceReader,
        *,
        relate: Callable[[], object],
        masker: Callable[[], Masker],
    ) -> None:
        """`relate`: works out which types name which, where that is not known yet."""
        self._index = index
        self._reader = reader
        self._relate = relate
        self._masker = masker
        self._facts_of: tuple[Catalogue, int] | None = None
        self._facts: dict[str, TypeFacts | None] = {}
        self._circles_of: tuple[Catalogue, int] | None = None
        self._circles: dict[int, tuple[list[int], tuple[str, ...]]] = {}
        self._names_of: Catalogue | None = None
        self._names: dict[str, list[int]] = {}

    def facts(self, type_id: str) -> TypeFacts | None:
        """A type as it is now; None where it is gone."""
        self._relate()
        moment = (self._index.catalogue, self._index.related_at)
        if self._facts_of is None or self._facts_of[0] is not moment[0] or self._facts_of[1] != moment[1]:
            self._facts_of, self._facts = moment, {}
        if type_id not in self._facts:
            self._facts[type_id] = self._made(type_id)
        return self._facts[type_id]

    def _made(self, type_id: str) -> TypeFacts | None:
        at = self._index.identities.find(type_id)
        whole = None if at is None else self._index.describer.whole(at)
        if at is None or whole is None:
            return None
        graph, id_of = self._index.graph(), self._index.identities.type_id
        hashes = self._index.describer.hashes_of(whole)
        return TypeFacts(
            type_id=type_id,
            fqn=whole.entry.fqn,
            structure_hash=hashes["structure"],
            impl_hash=hashes["impl"],
            xml_doc_hash=hashes["doc"],
            dependencies=tuple(sorted(id_of(each) for each, _ in graph.depends_on(at) if each != at)),
            group=self._circle(at)[1],
        )

    def current(self, type_id: str) -> str | None:
        """The id that a type has now which once had this one."""
        at = self._index.index_of(type_id)
        return None if at is None else self._index.identities.type_id(at)

    def mask(self, text: str) -> str:
        """A text without likely secrets."""
        return self._masker().text(text)

    def detail(self, type_id: str) -> TypeDetail:
        """A type with its members and who names it, bodies too as far as they are read. Raises SymbolNotFound."""
        self._relate()
        at = self._index.identities.find(type_id)
        detail = None if at is None else self._index.detail(at, bound=False)
        if at is None or detail is None:
            raise SymbolNotFound(f"There is no type {type_id} any more.", suggestions=[])
        with self._index.lock:
            users = self._index.graph().neighbours(at)[0]
            types = self._index.catalogue.types
            rows = sorted((-count, types[user].fqn) for user, count in users.items() if user != at)
        return msgspec.structs.replace(
            detail, used_by=tuple(TypeLink(fqn=fqn, count=-count) for count, fqn in rows)
        )

    def source(self, type_id: str) -> str:
        """The source of a type's declarations, likely secrets masked; without what cannot be read any more."""
        texts: list[str] = []
        at = self._index.identities.find(type_id)
        whole = None if at is None else self._index.describer.whole(at)
        for part in () if whole is None else sorted(whole.parts, key=lambda part: part is not whole.primary):
            path, declaration = self._index.catalogue.file(part.file).path, part.declaration
            with suppress(CodeCortexError), withheld():  # nobody is shown these lines
                lines = self._reader.read(path, start=declaration.start_line, end=declaration.end_line)
                texts.append(lines.content.rstrip("\n"))
        return self._masker().text("\n\n".join(texts))

    def tests(self, type_id: str) -> Sequence[str]:
        """The full names of types that test it: by their names, else those of test projects that name it."""
        at = self._index.identities.find(type_id)
        if at is None:
            return []
        catalogue, named = self._index.catalogue, self._named()
        every = (each for name in test_names(catalogue.types[at].name) for each in named.get(name, ()))
        found = [each for each in every if is_home(catalogue, each)]
        if not found:
            testing = {number for number, name in enumerate(catalogue.projects) if names_tests(name)}
            users = (each for each, _ in self._index.graph().used_by(at))
            found = [each for each in users if catalogue.types[each].project in testing]
        return sorted({catalogue.types[each].fqn for each in found})

    def are_bodies_read(self) -> bool:
        """Whether it is known what all bodies name."""
        return not self._index.graph().has_unread

    def plan(self, type_ids: Sequence[str]) -> list[PlannedNote]:
        """The notes of types, those that depend on each other in a circle sharing one, with how much depends on them.
        Raises SymbolNotFound."""
        self._relate()
        graph, identities = self._index.graph(), self._index.identities
        references, depths = graph.references(), graph.depths()
        planned: dict[tuple[str, ...], PlannedNote] = {}
        for type_id in type_ids:
            at = identities.find(type_id)
            if at is None:
                raise SymbolNotFound(f"There is no type {type_id} any more.", suggestions=[])
            members, group = self._circle(at)
            if group not in planned:
                weights = (Weight(references.get(each, 0), depths.get(each, 0)) for each in members)
                priority = max(weight.priority for weight in weights)
                planned[group] = PlannedNote(group, self._called(members), priority)
        return list(planned.values())

    def _circle(self, at: int) -> tuple[list[int], tuple[str, ...]]:
        """The types that depend on each other in a circle with one, itself among them, and their ids, sorted: worked
        out for all of them at once, where what is indexed is another."""
        id_of = self._index.identities.type_id
        moment = (self._index.catalogue, self._index.related_at)
        if (
            self._circles_of is None
            or self._circles_of[0] is not moment[0]
            or self._circles_of[1] != moment[1]
        ):
            circles = [group for group in components(self._index.graph().forward()) if len(group) > 1]
            told = [(group, tuple(sorted(map(id_of, group)))) for group in circles]
            self._circles = {each: circle for circle in told for each in circle[0]}
            self._circles_of = moment
        return self._circles.get(at) or ([at], (id_of(at),))

    def _named(self) -> dict[str, list[int]]:
        """The types by their simple names, in each project that compiles them."""
        catalogue = self._index.catalogue
        if self._names_of is not catalogue:
            names: dict[str, list[int]] = {}
            for at, entry in catalogue.live_types():
                names.setdefault(entry.name, []).append(at)
            self._names_of, self._names = catalogue, names
        return self._names

    def _called(self, members: Sequence[int]) -> str:
        names = sorted(type_name(self._index.catalogue.types[at].fqn) for at in members)
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


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
        self._known: dict[str, tuple[tuple[object, ...], _Known]] = {}

    def of(self, type_id: str) -> Sections:
        """Return the note of a type in sections; empty where none is stored."""
        return self._of(type_id).sections

    def states(
        self, type_ids: Sequence[str], queued: Callable[[tuple[str, ...]], Queued | None]
    ) -> dict[str, NoteState]:
        """The states of types, as far as dependencies are known. `queued`: how far the making of a group's note is."""
        found: dict[str, NoteState] = {}
        for id_ in type_ids:
            facts = self._types.facts(id_)
            if facts is not None:
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

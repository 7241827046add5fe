"""Notes of a workspace: requested, written in four ways, and tied to the index (SPEC section 9)."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from services.decoding import decode
from services.errors import NoteInvalid, SymbolNotFound, UsageError
from services.model.types import TypeDetail
from services.prompt.outline.names import type_name
from services.semantic.answers import Gathered, check, prompt_for, read_answers
from services.semantic.static import static_note
from services.semantic.store import NoteStore, StoredNote
from services.semantic.text import write
from services.semantic.values import (
    Author,
    LinkedConclusion,
    Note,
    NoteAnswer,
    NoteFields,
    NoteState,
    Provider,
    TypeFacts,
    is_of,
    reasons,
)
from services.workspace.state import StateFolder

_ASKED = "semantic-asked.json"
_MOST_ASKED = 500
_LONGEST_SOURCE = 24_000
"""Characters of the source of one type in a prompt; the rest of a longer one is left out, and that is said."""
_MOST_NAMES = 20
_LONGEST_SOURCES = 240_000
"""Characters of the sources of all types of a group, each of which gets its share."""
_SHORTEST_SOURCE = 600
"""Characters below which a share says nothing: some types of a group of hundreds are only counted."""


class Types(Protocol):
    """Index and sources as notes use them."""

    def facts(self, type_id: str) -> TypeFacts | None:
        """A type; None where it is gone."""
        ...

    def current(self, type_id: str) -> str | None:
        """The id that a type has now which once had this one."""
        ...

    def mask(self, text: str) -> str:
        """A text without likely secrets."""
        ...

    def detail(self, type_id: str) -> TypeDetail:
        """A type with its members and who names it. Raises SymbolNotFound."""
        ...

    def source(self, type_id: str) -> str:
        """The source of a type's declarations, likely secrets masked."""
        ...

    def tests(self, type_id: str) -> Sequence[str]:
        """The full names of types that test it."""
        ...

    def are_bodies_read(self) -> bool:
        """Whether it is known what all bodies name."""
        ...


class Queued(NamedTuple):
    """A note that is being made: its state, the operation that makes it, and why the last attempt failed."""

    state: NoteState
    op_id: str | None = None
    last_error: str | None = None


class Notes:
    """Service for notes. Safe for threads and several processes."""

    def __init__(
        self,
        state: StateFolder,
        types: Types,
        *,
        doc_invalidates: bool = False,
        queued: Callable[[tuple[str, ...]], Queued | None] = lambda _: None,
        conclusions: Callable[[str], Iterable[LinkedConclusion]] = lambda _: (),
        today: Callable[[], str] = lambda: datetime.datetime.now(datetime.UTC).date().isoformat(),
    ) -> None:
        """Create the service. `queued`: progress of a group's note, None where nothing is queued; `conclusions`:
        about a type; `today`: ISO 8601."""
        self._state = state
        self._types = types
        self._doc_invalidates = doc_invalidates
        self._queued = queued
        self._conclusions = conclusions
        self._today = today
        self.store = NoteStore(state)

    def get(self, type_id: str) -> NoteAnswer:
        """Return the note of a type, or what is derived from the code alone. Raises SymbolNotFound."""
        facts = self._facts(type_id)
        found = self.store.find(type_id)
        why = () if found is None else self._reasons(found.note)
        queued = self._queued(facts.group)
        state = state_of(found, why, queued)
        note = self._static(type_id) if found is None else found.note
        return NoteAnswer(
            type_id=type_id,
            fqn=facts.fqn,
            state=state,
            fields=note.fields,
            provider=note.provider,
            text=write(note),
            is_static=found is None,
            reasons=why,
            group=facts.group if len(facts.group) > 1 else (),
            waiting=None if found is None or found.waiting is None else found.waiting.fields,
            last_error=None if queued is None or state is NoteState.CACHED else queued.last_error,
            op_id=None if queued is None else queued.op_id,
            unreadable=self.store.problem(type_id) or None if found is None else None,
            conclusions=tuple(self._conclusions(type_id)),
        )

    def states(self, type_ids: Sequence[str]) -> dict[str, NoteState]:
        """Return the states of many types; types without a note or request are left out."""
        notes = {id_: found for found in self.store.all() for id_ in found.note.type_ids}
        states: dict[str, NoteState] = {}
        for id_ in type_ids:
            found, facts = notes.get(id_), self._types.facts(id_)
            why = () if found is None else self._reasons(found.note)
            queued = None if facts is None else self._queued(facts.group)
            if (state := state_of(found, why, queued)) is not NoteState.NONE:
                states[id_] = state
        return states

    def put(
        self,
        type_id: str,
        fields: NoteFields,
        author: Author,
        name: str = "",
        *,
        gathered: Mapping[str, TypeFacts] | None = None,
    ) -> NoteAnswer:
        """Store a note of a type, or of its group. `gathered`: the facts when its source was read, by id; where
        they differ from the current ones, the note is stale at once. Raises NoteInvalid, SymbolNotFound,
        ReadOnly, Busy."""
        fields = self._without_secrets(check(fields))
        group = self.group(type_id)
        facts = self._followed(gathered) if gathered else self.gather(group)
        types = [facts[id_] for id_ in group if id_ in facts] or [self._facts(type_id)]
        note = Note(
            types=tuple(each.noted for each in types),
            dependencies=self._dependencies(types, facts),
            provider=Provider(author=author, name=name, date=self._today()),
            fields=fields,
        )
        self.store.put(note)
        return self.get(type_id)

    def now(self, group: Sequence[str]) -> tuple[str, ...]:
        """The types of a group that are still there, by the ids that they have now."""
        return tuple(filter(None, (self._types.current(id_) for id_ in group)))

    def _followed(self, gathered: Mapping[str, TypeFacts]) -> dict[str, TypeFacts]:
        """Facts by the ids that their types have now: a type may be renamed while its note is made."""
        ids = {id_: self._types.current(id_) or id_ for id_ in gathered}
        return {new: gathered[old]._replace(type_id=new) for old, new in ids.items()}

    def _without_secrets(self, fields: NoteFields) -> NoteFields:
        """Mask secrets, since notes are files of the repository."""
        texts = msgspec.structs.asdict(fields)
        return NoteFields(**{name: self._types.mask(text) for name, text in texts.items()})

    def accept(self, type_id: str, *, is_accepted: bool) -> NoteAnswer:
        """Put the note that waits in the place of a person's, or drop it. Raises UsageError where none waits."""
        found = self.store.find(type_id)
        if found is None or found.waiting is None:
            raise UsageError("No newer note waits beside this one.", typeId=type_id)
        self.store.accept(type_id, is_accepted=is_accepted)
        return self.get(type_id)

    def group(self, type_id: str) -> tuple[str, ...]:
        """The ids of the types that share a note with this one, itself included. Raises SymbolNotFound."""
        return self._facts(type_id).group

    def name(self, group: Sequence[str]) -> str:
        """The names of types, as people read them; of many, some."""
        more = [f"{len(group) - _MOST_NAMES} more"] if len(group) > _MOST_NAMES else []
        return ", ".join([*(type_name(self._facts(id_).fqn) for id_ in group[:_MOST_NAMES]), *more])

    def gather(self, type_ids: Sequence[str]) -> dict[str, TypeFacts]:
        """The facts of types and of what they name, as they are now."""
        facts = {id_: self._facts(id_) for id_ in type_ids}
        named = {id_ for each in facts.values() for id_ in each.dependencies} - set(facts)
        return facts | {id_: found for id_ in sorted(named) if (found := self._types.facts(id_)) is not None}

    def prompt(self, type_ids: Sequence[str]) -> str:
        """The prompt for the notes of types, each with its group; what it was made from is remembered, so that an
        answer is tied to it. Raises SymbolNotFound, ReadOnly."""
        groups = list(dict.fromkeys(map(self.group, type_ids)))
        facts = {group: self.gather(group) for group in groups}
        text = self.text_for(groups)
        self._remember({group[0]: gathered for group, gathered in facts.items()})
        return text

    def text_for(self, groups: Sequence[tuple[str, ...]]) -> str:
        """The text of the prompt for the notes of groups, of which nothing is remembered. Raises SymbolNotFound."""
        return prompt_for([self._gathered(group) for group in groups])

    def take(
        self, answer: str, type_ids: Sequence[str], author: Author, name: str = ""
    ) -> dict[str, NoteAnswer | NoteInvalid]:
        """Store the notes of an answer to `prompt`, by the id of the requested type; invalid ones are returned as
        errors. Raises NoteInvalid where the answer has none at all, SymbolNotFound, ReadOnly, Busy."""
        heads = {self.group(id_)[0]: id_ for id_ in type_ids}
        found = read_answers(answer, list(heads))
        if not found:
            raise NoteInvalid(
                "The answer names none of the types. Each part begins with a line `# Semantic: NAME ID`.",
                typeIds=list(heads),
            )
        asked = self._asked()
        taken: dict[str, NoteAnswer | NoteInvalid] = {}
        for head, fields in found.items():
            id_ = heads[head]
            gathered = asked.get(head)
            taken[id_] = (
                fields
                if isinstance(fields, NoteInvalid)
                else self.put(id_, fields, author, name, gathered=gathered)
            )
        return taken

    def follow(self) -> int:
        """Move the notes of types that were renamed or moved; how many were. Raises ReadOnly, Busy."""
        return self.store.follow(self._types.current, lambda note: is_of(note, self._types))

    def _gathered(self, group: tuple[str, ...]) -> Gathered:
        facts = self.gather(group)
        roles = {
            type_name(each.fqn): found.note.fields.role.splitlines()[0]
            for id_, each in facts.items()
            if id_ not in group and (found := self.store.find(id_)) is not None
        }
        share = min(_LONGEST_SOURCE, _LONGEST_SOURCES // len(group))
        told, rest = (
            group[: _LONGEST_SOURCES // _SHORTEST_SOURCE],
            group[_LONGEST_SOURCES // _SHORTEST_SOURCE :],
        )
        sources = [_cut(self._types.source(id_), max(share, _SHORTEST_SOURCE)) for id_ in told]
        more = [f"// … and {len(rest)} more types, whose source is left out.\n"] if rest else []
        return Gathered(self.name(group), group[0], [*sources, *more], roles, types=len(group))

    def _static(self, type_id: str) -> Note:
        facts = self._facts(type_id)
        detail, source = self._types.detail(type_id), self._types.source(type_id)
        return Note(
            types=(facts.noted,),
            dependencies={},
            provider=Provider(author=Author.STATIC),
            fields=static_note(
                detail,
                source,
                tests=self._types.tests(type_id),
                is_whole=bool(detail.used_by) or self._types.are_bodies_read(),
            ),
        )

    def _facts(self, type_id: str) -> TypeFacts:
        facts = self._types.facts(type_id)
        if facts is None:
            raise SymbolNotFound(f"There is no type {type_id} any more.", suggestions=[])
        return facts

    def _reasons(self, note: Note) -> tuple[str, ...]:
        return reasons(note, self._types, doc_invalidates=self._doc_invalidates)

    def _dependencies(self, types: Sequence[TypeFacts], facts: Mapping[str, TypeFacts]) -> dict[str, str]:
        own = {each.type_id for each in types}
        named = sorted({id_ for each in types for id_ in each.dependencies} - own)
        known = {id_: facts.get(id_) or self._types.facts(id_) for id_ in named}
        return {id_: each.structure_hash for id_, each in known.items() if each is not None}

    def _asked(self) -> dict[str, dict[str, TypeFacts]]:
        try:
            return decode(dict[str, dict[str, TypeFacts]], self._state.read(_ASKED) or b"{}")
        except (OSError, ValueError):
            return {}

    def _remember(self, gathered: Mapping[str, dict[str, TypeFacts]]) -> None:
        with self._state.locked("semantic-asked"):
            kept = {head: facts for head, facts in self._asked().items() if head not in gathered} | dict(
                gathered
            )
            self._state.write(_ASKED, msgspec.json.encode(dict(list(kept.items())[-_MOST_ASKED:])))


def state_of(found: StoredNote | None, why: Sequence[str], queued: Queued | None) -> NoteState:
    """Return the state of a type's note. `why`: reasons why it may be outdated. A failed attempt does not affect a
    valid note."""
    holds = found is not None and not why
    if queued is not None and (queued.op_id is not None or not holds):
        return queued.state
    return NoteState.NONE if found is None else NoteState.CACHED if holds else NoteState.STALE


def _cut(source: str, longest: int) -> str:
    """The beginning of a long source, in whole lines."""
    if len(source) <= longest:
        return source
    kept = source[:longest].rpartition("\n")[0]
    left = source[len(kept) :].count("\n")
    return f"{kept}\n// … {left} more lines are left out.\n"

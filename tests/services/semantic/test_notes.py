"""Notes tied to hashes: staleness, groups, people's words, prompts and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import NoteInvalid, SymbolNotFound
from services.model.symbols import Access, Kind, Symbol
from services.model.types import TypeDetail
from services.prompt.secrets.masking import Masker
from services.semantic.notes import Notes
from services.semantic.text import read, shown, write
from services.semantic.values import Author, NoteAnswer, NoteFields, NoteState, TypeFacts
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

A, B, C = "T_AAAAAAAA", "T_BBBBBBBB", "T_CCCCCCCC"


def fields(role: str = "Counts.") -> NoteFields:
    return NoteFields(role=role, lifecycle="a", edge_cases="b", limitations="c", recommendations="d")


def answer(role: str = "Counts.") -> str:
    return f"ROLE: {role}\nLIFECYCLE: a\nEDGE_CASES: b\nLIMITATIONS: c\nRECOMMENDATIONS: d"


class Code:
    """A handful of types as a test has them: their facts by id, and what ids have become."""

    def __init__(self, *ids: str) -> None:
        self.types = {id_: facts_of(id_) for id_ in ids}
        self.renamed: dict[str, str] = {}

    def facts(self, type_id: str) -> TypeFacts | None:
        return self.types.get(type_id)

    def current(self, type_id: str) -> str | None:
        while type_id in self.renamed:
            type_id = self.renamed[type_id]
        return type_id if type_id in self.types else None

    def detail(self, type_id: str) -> TypeDetail:
        facts = self.types.get(type_id)
        if facts is None:
            raise SymbolNotFound("gone", suggestions=[])
        access = Access(declared="public", effective="public")
        symbol = Symbol(
            id=type_id, kind=Kind.CLASS, fqn=facts.fqn, name=facts.fqn.rpartition(".")[2], accessibility=access,
            file="A.cs", start_line=1, end_line=2, project="P", signature=f"class {facts.fqn}",
        )  # fmt: skip
        return TypeDetail(symbol=symbol, parts=(), members=())

    def source(self, type_id: str) -> str:
        return f"class {self.types[type_id].fqn} {{ }}"

    def mask(self, text: str) -> str:
        return Masker(bytes(32)).text(text)

    def tests(self, type_id: str) -> Sequence[str]:
        return ()

    def are_bodies_read(self) -> bool:
        return True

    def change(self, type_id: str, **changed: object) -> None:
        self.types[type_id] = self.types[type_id]._replace(**changed)  # pyright: ignore[reportArgumentType]

    def tie(self, *group: str) -> None:
        for id_ in group:
            self.change(id_, group=tuple(sorted(group)))


def facts_of(id_: str) -> TypeFacts:
    return TypeFacts(id_, f"My.Type{id_[2]}", "S1", "I1", "D1", (), (id_,))


@pytest.fixture
def code() -> Code:
    return Code(A, B, C)


@pytest.fixture
def notes(tmp_path: Path, code: Code) -> Notes:
    return opened(tmp_path, code)


def opened(folder: Path, code: Code, *, doc_invalidates: bool = False) -> Notes:
    state = StateFolder.open(Root.open(folder))
    return Notes(state, code, today=lambda: "2026-11-23", doc_invalidates=doc_invalidates)


def test_without_a_note_the_code_speaks_and_says_so(notes: Notes) -> None:
    found = notes.get(A)
    assert (found.state, found.is_static, found.provider.author) == (NoteState.NONE, True, Author.STATIC)
    assert found.fields.role


def test_a_note_that_holds_a_secret_is_kept_without_it(tmp_path: Path, notes: Notes) -> None:
    notes.put(A, fields('Signs in with password = "Myth!Given42".'), Author.AGENT, "helper")
    assert "Myth!Given42" not in notes.get(A).fields.role
    files = [each for each in tmp_path.rglob("*.semantic.md") if each.is_file()]
    assert files
    assert all("Myth!Given42" not in each.read_text("utf-8") for each in files)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"structure_hash": "S2"}, "My.TypeA has another structure."),
        ({"impl_hash": "I2"}, "The bodies of My.TypeA have changed."),
        ({"xml_doc_hash": "D2"}, None),
    ],
)
def test_a_note_is_stale_when_what_it_was_made_from_differs(
    notes: Notes, code: Code, changed: dict[str, str], why: str | None
) -> None:
    assert notes.put(A, fields(), Author.PERSON, "ada").state is NoteState.CACHED
    before = code.types[A]
    code.change(A, **changed)
    found = notes.get(A)
    assert found.reasons == (() if why is None else (why,))
    assert found.state is (NoteState.CACHED if why is None else NoteState.STALE)
    code.types[A] = before
    assert notes.get(A).state is NoteState.CACHED, "what was there again needs no other note"


def test_documentation_counts_where_the_settings_say_so(tmp_path: Path, code: Code) -> None:
    notes = opened(tmp_path, code, doc_invalidates=True)
    notes.put(A, fields(), Author.PERSON)
    code.change(A, xml_doc_hash="D2")
    assert notes.get(A).reasons == ("The documentation of My.TypeA has changed.",)


def test_a_note_leans_on_the_structure_of_what_its_type_names(notes: Notes, code: Code) -> None:
    code.change(A, dependencies=(B,))
    notes.put(A, fields(), Author.PERSON)
    code.change(B, impl_hash="I2")
    assert notes.get(A).state is NoteState.CACHED
    code.change(B, structure_hash="S2")
    assert notes.get(A).reasons == ("My.TypeB, which it names, has another structure.",)
    del code.types[B]
    assert notes.get(A).reasons == (f"{B}, which it names, is gone.",)


def test_a_group_has_one_note_until_it_splits(notes: Notes, code: Code) -> None:
    code.tie(A, B)
    notes.put(A, fields("Both."), Author.MODEL, "m")
    assert notes.get(B).fields.role == "Both."
    assert (notes.get(B).state, notes.get(B).group) == (NoteState.CACHED, (A, B))

    code.tie(A)
    code.tie(B)
    assert notes.get(A).state is notes.get(B).state is NoteState.STALE
    notes.put(A, fields("A alone."), Author.MODEL, "m")
    assert (notes.get(A).fields.role, notes.get(B).fields.role) == ("A alone.", "Both.")
    notes.put(B, fields("B alone."), Author.MODEL, "m")
    assert len(list(notes.store.all())) == 2, "the file of the group is gone"


def test_a_group_of_fourteen_has_one_prompt_and_one_note(tmp_path: Path) -> None:
    ids = [f"T_{chr(65 + at) * 8}" for at in range(14)]
    code = Code(*ids)
    code.tie(*ids)
    notes = opened(tmp_path, code)
    prompt = notes.prompt([ids[3]])
    assert "14 types that depend on each other in a circle: write one note on all of them." in prompt
    assert prompt.count("```csharp") == 14
    notes.take(answer("All of them."), [ids[9]], Author.MODEL, "chat")
    assert {notes.get(id_).fields.role for id_ in ids} == {"All of them."}
    assert len(list(notes.store.all())) == 1
    code.change(ids[13], impl_hash="I2")
    assert {notes.get(id_).state for id_ in ids} == {NoteState.STALE}


def test_a_group_that_grows_takes_the_place_of_its_parts(notes: Notes, code: Code) -> None:
    for id_ in (A, B, C):
        notes.put(id_, fields(id_), Author.MODEL, "m")
    code.tie(A, B, C)
    assert notes.get(A).state is NoteState.STALE
    notes.put(B, fields("All three."), Author.MODEL, "m")
    assert {notes.get(id_).fields.role for id_ in (A, B, C)} == {"All three."}
    assert len(list(notes.store.all())) == 1


def test_what_a_person_wrote_is_not_overwritten_by_a_model(notes: Notes) -> None:
    notes.put(A, fields("Mine."), Author.PERSON, "ada")
    found = notes.put(A, fields("Its."), Author.MODEL, "m")
    assert (found.fields.role, found.waiting) == ("Mine.", fields("Its."))
    assert "A newer note waits beside it" in shown(found)
    assert notes.accept(A, is_accepted=False).waiting is None
    notes.put(A, fields("Its."), Author.MODEL, "m")
    found = notes.accept(A, is_accepted=True)
    assert (found.fields.role, found.provider.author, found.waiting) == ("Its.", Author.MODEL, None)
    assert [each.fields.role for each in notes.store.history(A)] == ["Mine."]


def test_a_renamed_type_keeps_its_note(notes: Notes, code: Code) -> None:
    notes.put(A, fields("Renamed."), Author.PERSON, "ada")
    notes.put(A, fields("Renamed once."), Author.PERSON, "ada")
    code.types["T_NEWNEWNE"] = code.types.pop(A)._replace(type_id="T_NEWNEWNE", group=("T_NEWNEWNE",))
    code.renamed[A] = "T_NEWNEWNE"
    assert notes.follow() == 1
    assert notes.get("T_NEWNEWNE").fields.role == "Renamed once."
    assert [each.fields.role for each in notes.store.history("T_NEWNEWNE")] == ["Renamed."]
    assert notes.follow() == 0


CONFLICT = b"# Semantic: My.TypeA T_AAAAAAAA\n<<<<<<< HEAD\nROLE: mine\n=======\nROLE: theirs\n>>>>>>> b\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CONFLICT, "types/T_AAAAAAAA.semantic.md has a merge conflict in line 2."),
        (b"Buy milk.\n", "types/T_AAAAAAAA.semantic.md is no note: A note begins with"),
        (b"\xff\xfe\x00", "types/T_AAAAAAAA.semantic.md is no text."),
        (
            b"# Semantic: My.TypeB T_BBBBBBBB\n\n" + answer().encode(),
            "types/T_AAAAAAAA.semantic.md is about T_BBBBBBBB, by its head.",
        ),
    ],
    ids=["a merge conflict", "nonsense", "no text", "another type's"],
)
def test_a_file_that_is_no_note_stays_until_a_note_takes_its_place(
    tmp_path: Path, code: Code, text: bytes, why: str
) -> None:
    state = StateFolder.open(Root.open(tmp_path))
    notes = Notes(state, code)
    notes.put(A, fields(), Author.PERSON)
    file = f"types/{A}.semantic.md"
    state.shared.write(file, text)
    found = notes.get(A)
    assert found.is_static
    assert found.unreadable is not None
    assert found.unreadable.startswith(why)
    assert state.shared.read(file) == text, "somebody may be about to mend it"
    assert notes.put(A, fields("Anew."), Author.MODEL).fields.role == "Anew."
    assert notes.get(A).unreadable is None
    assert text in [each.read_bytes() for each in tmp_path.rglob(f"types/{A}*")]


def test_a_conflict_in_the_note_of_a_group_is_told_for_each_of_its_types(tmp_path: Path, code: Code) -> None:
    state = StateFolder.open(Root.open(tmp_path))
    notes = Notes(state, code)
    code.tie(A, B)
    notes.put(A, fields(), Author.PERSON)
    (file,) = (each.file for each in notes.store.all())
    text = (state.shared.read(file) or b"").decode()
    state.shared.write(
        file, text.replace("ROLE:\nCounts.", "<<<<<<< a\nROLE: x\n=======\nROLE: y\n>>>>>>> b").encode()
    )
    for id_ in (A, B):
        assert "merge conflict" in (notes.get(id_).unreadable or "")
    assert notes.get(C).unreadable is None


LINES = (
    *(
        "# Semantic: My.A T_A",
        "# Semantic: T_A",
        "Types: T_A,T_B",
        "Types:",
        "Names: T_A",
        "StructureHash: T_A=1",
    ),
    *(
        "ROLE:",
        "ROLE: a",
        "LIFECYCLE: b",
        "EDGE_CASES: c",
        "LIMITATIONS: d",
        "RECOMMENDATIONS: e",
        " ROLE: x",
    ),
    *("Provider: model", "Provider: who 2026-13-45", "DependencyHashes: =", "", "text"),
)


@given(text=st.text(max_size=400) | st.lists(st.sampled_from(LINES), max_size=14).map("\n".join))
def test_any_text_is_a_note_or_is_refused(text: str) -> None:
    try:
        note = read(text)
    except NoteInvalid:
        return
    assert read(write(note)) == note


def test_an_answer_is_tied_to_what_its_prompt_was_made_from(notes: Notes, code: Code) -> None:
    prompt = notes.prompt([A])
    assert "My.TypeA T_AAAAAAAA" in prompt
    assert "class My.TypeA { }" in prompt
    code.change(A, impl_hash="I2")
    taken = notes.take(answer(), [A], Author.MODEL, "chat")[A]
    assert isinstance(taken, NoteAnswer)
    assert (taken.state, taken.reasons) == (NoteState.STALE, ("The bodies of My.TypeA have changed.",))


def test_a_batch_is_answered_type_by_type(notes: Notes, code: Code) -> None:
    code.tie(B, C)
    assert notes.prompt([A, B, C]).count("# Semantic: My.") == 2
    text = f"# Semantic: My.TypeA {A}\n{answer('One.')}\n\n# Semantic: My.TypeB, My.TypeC {B}\nROLE: half\n"
    taken = notes.take(text, [A, B, C], Author.MODEL, "chat")
    assert isinstance(taken[A], NoteAnswer)
    assert [type(each) for each in taken.values()] == [NoteAnswer, NoteInvalid]
    assert notes.get(B).state is NoteState.NONE, "half a note is none"


def test_an_answer_about_other_types_is_refused(notes: Notes) -> None:
    notes.prompt([A, B])
    with pytest.raises(NoteInvalid):
        notes.take(f"# Semantic: My.Other T_ZZZZZZZZ\n{answer()}", [A, B], Author.MODEL)


class Story:
    """What happens to types that have notes; `written`: the ids of those that must have one."""

    def __init__(self, folder: Path) -> None:
        self.code = Code(A, B, C)
        self.notes = opened(folder, self.code)
        self.gone: dict[str, TypeFacts] = {}
        self.written: set[str] = set()

    def structure(self, one: str, _: str, number: int) -> None:
        self.code.change(one, structure_hash=f"S{number}")

    def impl(self, one: str, _: str, number: int) -> None:
        self.code.change(one, impl_hash=f"I{number % 3}")

    def depend(self, one: str, other: str, _: int) -> None:
        self.code.change(one, dependencies=(other,) if one != other else ())

    def tie(self, one: str, other: str, _: int) -> None:
        for each in (one, other):
            self._untie(each)
        self.code.tie(*{one, other})

    def delete(self, one: str, _: str, __: int) -> None:
        self._untie(one)
        self.gone[one] = self.code.types.pop(one)

    def come_back(self, _: str, __: str, ___: int) -> None:
        self.code.types |= self.gone
        self.gone.clear()

    def rename(self, one: str, _: str, number: int) -> None:
        self._untie(one)
        new = f"T_{number:08}"
        self.code.types[new] = self.code.types.pop(one)._replace(
            type_id=new, fqn=f"My.Type{number}", group=(new,)
        )
        self.code.renamed[one] = new
        if one in self.written:
            self.written = self.written - {one} | {new}

    def note(self, one: str, _: str, number: int) -> None:
        self.notes.put(one, fields(str(number)), Author.PERSON)
        self.written |= {*self.code.types[one].group}

    def _untie(self, one: str) -> None:
        for each in self.code.types[one].group:
            self.code.change(each, group=tuple(id_ for id_ in self.code.types[each].group if id_ != one))
        self.code.change(one, group=(one,))


STEPS = ("structure", "impl", "depend", "tie", "delete", "come_back", "note", "note", "rename")


@given(steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 2), st.integers(0, 2)), max_size=25))
def test_states_are_what_computing_them_afresh_gives(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    story = Story(folder)
    code, notes = story.code, story.notes
    for number, (what, one, other) in enumerate(steps):
        ids = sorted(code.types)
        if ids or what == "come_back":
            chosen = [ids[each % len(ids)] if ids else "" for each in (one, other)]
            getattr(story, what)(*chosen, number)
        notes.follow()
        fresh = opened(folder, code)
        for id_ in code.types:
            assert notes.get(id_) == fresh.get(id_)
            found = notes.store.find(id_)
            assert found is None or id_ in found.note.type_ids, "no note of another type"
            assert (found is not None) == (id_ in story.written), (
                "no note is lost, and none comes from nowhere"
            )
        assert notes.states(list(code.types)) == {
            id_: fresh.get(id_).state for id_ in code.types if fresh.store.find(id_) is not None
        }

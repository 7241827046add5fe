"""Files of notes: whose words stand, what waits, what was before, and what renames do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.semantic.store import NoteStore, file_of
from services.semantic.values import Author, Note, NotedType, NoteFields, Provider
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

A, B, C = "T_AAAAAAAA", "T_BBBBBBBB", "T_CCCCCCCC"


def note(*ids: str, role: str = "Counts.", author: Author = Author.MODEL) -> Note:
    types = tuple(NotedType(type_id=id_, fqn=f"N.{id_}", structure_hash="s", impl_hash="i") for id_ in ids)
    fields = NoteFields(role=role, lifecycle="a", edge_cases="b", limitations="c", recommendations="d")
    return Note(
        types=types, dependencies={}, provider=Provider(author=author, date="2026-01-02"), fields=fields
    )


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder.open(Root.open(tmp_path))


@pytest.fixture
def store(state: StateFolder) -> NoteStore:
    return NoteStore(state)


def roles(notes: tuple[Note, ...]) -> list[str]:
    return [each.fields.role for each in notes]


def test_a_note_is_found_by_each_of_its_types_and_by_no_other(store: NoteStore) -> None:
    store.put(note(A))
    store.put(note(B, C))
    found = {id_: store.find(id_) for id_ in (A, B, C, "T_DDDDDDDD")}
    assert found["T_DDDDDDDD"] is None
    assert [each.note.type_ids for each in found.values() if each] == [(A,), (B, C), (B, C)]
    assert sorted(each.note.type_ids for each in store.all()) == [(A,), (B, C)]
    assert len(store.stamps()) == 2


def test_what_another_process_wrote_is_seen(state: StateFolder, store: NoteStore) -> None:
    assert store.find(B) is None
    NoteStore(state).put(note(B, C))
    found = store.find(B)
    assert found is not None
    assert found.file == file_of((B, C))


@pytest.mark.parametrize("program", [Author.MODEL, Author.STATIC])
def test_a_person_s_words_stand_until_the_person_decides(store: NoteStore, program: Author) -> None:
    store.put(note(A, role="Mine.", author=Author.PERSON))
    put = store.put(note(A, role="Made.", author=program))
    assert (put.note.fields.role, put.waiting and put.waiting.fields.role) == ("Mine.", "Made.")
    kept = store.accept(A, is_accepted=False)
    assert kept is not None
    assert (kept.note.fields.role, kept.waiting) == ("Mine.", None)
    store.put(note(A, role="Made.", author=program))
    taken = store.accept(A, is_accepted=True)
    assert taken is not None
    assert (taken.note.fields.role, taken.waiting) == ("Made.", None)
    assert roles(store.history(A)) == ["Mine."]


@pytest.mark.parametrize("author", [Author.PERSON, Author.AGENT])
def test_what_somebody_writes_takes_the_place_of_what_waits(store: NoteStore, author: Author) -> None:
    store.put(note(A, role="Mine.", author=Author.PERSON))
    store.put(note(A, role="Made."))
    put = store.put(note(A, role="New.", author=author))
    assert (put.note.fields.role, put.waiting) == ("New.", None)
    assert store.find(A) == put


def test_there_is_nothing_to_decide_about_where_nothing_waits(store: NoteStore) -> None:
    assert store.accept(A, is_accepted=True) is None
    put = store.put(note(A))
    assert store.accept(A, is_accepted=True) == put


def test_earlier_texts_are_kept_the_latest_first_and_each_once(store: NoteStore) -> None:
    for at in range(30):
        for _ in range(2):
            store.put(note(A, role=f"Role {at}."))
    earlier = roles(store.history(A))
    assert earlier[:2] == ["Role 28.", "Role 27."]
    assert len(earlier) == 20
    assert store.history(B) == ()


def test_a_group_takes_the_place_of_the_notes_of_its_types(store: NoteStore) -> None:
    for id_ in (A, B, C):
        store.put(note(id_))
    store.put(note(A, B))
    assert sorted(each.note.type_ids for each in store.all()) == [(A, B), (C,)]


def test_a_group_that_fell_apart_stays_until_all_its_types_have_another_note(
    state: StateFolder, store: NoteStore
) -> None:
    store.put(note(A, B, C, role="All."))
    os.utime(state.shared.path(file_of((A, B, C))), ns=(0, 0))
    store.put(note(A, B, role="Two."))
    assert [(found := store.find(id_)) and found.note.fields.role for id_ in (A, C)] == ["Two.", "All."]
    store.put(note(C, role="Alone."))
    assert {each.note.fields.role for each in store.all()} >= {"Two.", "Alone."}
    assert [(found := store.find(id_)) and found.note.fields.role for id_ in (A, B, C)] == [
        "Two.",
        "Two.",
        "Alone.",
    ]


def test_a_note_follows_its_type_with_what_waits_and_what_was_before(store: NoteStore) -> None:
    store.put(note(A, role="First.", author=Author.PERSON))
    store.put(note(A, role="Second.", author=Author.PERSON))
    store.put(note(A, role="Waits."))
    assert store.follow(lambda id_: B if id_ == A else None, lambda _: False) == 1
    moved = store.find(B)
    assert moved is not None
    assert (moved.note.type_ids, moved.note.fields.role) == ((B,), "Second.")
    assert moved.waiting is not None
    assert moved.waiting.fields.role == "Waits."
    assert roles(store.history(B)) == ["First."]
    assert store.find(A) is None
    assert store.follow(lambda id_: None, lambda _: False) == 0


@pytest.mark.parametrize("holds", [True, False])
def test_a_note_in_the_way_stays_where_it_is_about_its_type_as_it_is(store: NoteStore, holds: bool) -> None:
    store.put(note(A, role="Moves."))
    store.put(note(B, role="There."))
    moved = store.follow(lambda id_: B, lambda _: holds)
    found = store.find(B)
    assert found is not None
    assert (moved, found.note.fields.role) == ((0, "There.") if holds else (1, "Moves."))
    assert roles(store.history(B)) == ([] if holds else ["There."])


CONFLICT = b"<<<<<<< ours\nROLE: a\n=======\nROLE: b\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[:20], "is no note"),
        (lambda text: b"\xff\xfe" + text, "is no text"),
        (lambda text: text + CONFLICT, "merge conflict in line"),
        (lambda text: text.replace(A.encode(), B.encode()), f"is about {B}"),
    ],
    ids=["cut", "no text", "merged", "of another type"],
)
def test_a_damaged_note_is_none_says_why_and_is_set_aside_when_there_is_a_new_one(
    tmp_path: Path, state: StateFolder, store: NoteStore, damage: object, reason: str
) -> None:
    store.put(note(A))
    file = state.shared.path(file_of((A,)))
    broken = damage(file.read_bytes())  # pyright: ignore
    file.write_bytes(broken)
    assert store.find(A) is None
    assert reason in store.problem(A)
    assert file.read_bytes() == broken
    store.put(note(A, role="New."))
    assert store.problem(A) == ""
    kept = [each for each in tmp_path.rglob("*") if each.is_file() and each.read_bytes() == broken]
    assert len(kept) == 1
    assert kept[0] != file

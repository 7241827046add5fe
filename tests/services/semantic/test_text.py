"""The text of a note's file, and what is read of answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import NoteInvalid
from services.semantic.answers import LONGEST_FIELD, read_answer, read_answers
from services.semantic.text import LABELS, normal, read, write
from services.semantic.values import Author, Note, NotedType, NoteFields, Provider

WORDS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=30)
LINES = st.one_of(
    WORDS,
    st.sampled_from([f"{label}: told" for label in LABELS.values()]),
    st.sampled_from(["", " ROLE: x", "# Semantic: A T_1"]),
)
TEXTS = st.lists(LINES, min_size=1, max_size=5).map(lambda lines: normal("\n".join(lines))).filter(bool)
HASHES = st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=8, max_size=8)
TYPES = st.builds(
    NotedType,
    type_id=HASHES.map(lambda each: f"T_{each}"),
    fqn=st.from_regex(r"[A-Z]\w{0,8}(\.[A-Z]\w{0,8}){0,2}(\+[A-Z]\w{0,8})?", fullmatch=True),
    structure_hash=HASHES,
    impl_hash=HASHES,
    xml_doc_hash=HASHES,
)
NOTES = st.builds(
    Note,
    types=st.lists(TYPES, min_size=1, max_size=4, unique_by=lambda each: each.type_id).map(tuple),
    dependencies=st.dictionaries(HASHES.map(lambda each: f"T_{each}"), HASHES, max_size=3),
    provider=st.builds(
        Provider,
        author=st.sampled_from(Author),
        name=st.sampled_from(["", "gpt x", "ada"]),
        date=st.just("2026-11-23"),
    ),
    fields=st.builds(NoteFields, **dict.fromkeys(LABELS, TEXTS)),
)
REST = "LIFECYCLE: a\nEDGE_CASES: b\nLIMITATIONS: c\nRECOMMENDATIONS: d\n"
FIELDS = NoteFields(
    role="Counts.", lifecycle="Made once.", edge_cases="None.", limitations="Slow.", recommendations="Use it."
)


@given(note=NOTES)
def test_a_note_is_read_back_as_it_was_written(note: Note) -> None:
    assert read(write(note, group_id="G_12345678" if len(note.types) > 1 else None)) == note


@given(text=st.text(max_size=300))
def test_a_file_that_is_no_note_is_refused(text: str) -> None:
    with pytest.raises(NoteInvalid):
        read(text)


SAID = (("role", "Counts."), ("lifecycle", "Made once."), ("edge_cases", "None."), ("limitations", "Slow."))
LAST = ("recommendations", "Use it.")


def told(form: str, *, title: bool = False, joint: str = "_") -> str:
    """The five fields, each in a form with its name and text."""
    named = [(name.replace("_", joint), text) for name, text in (*SAID, LAST)]
    return "\n".join(form.format(name.capitalize() if title else name.upper(), text) for name, text in named)


@pytest.mark.parametrize(
    "answer",
    [
        told("{}: {}"),
        "Here is the note.\n\n```\n" + told("{}:\n{}\n") + "\n```",
        told("## {}\n{}", title=True, joint=" "),
        told("**{}:** {}"),
        told("**{}**: {}", title=True, joint=" "),
        told("{}: |\n  {}")
        .lower()
        .replace("counts", "Counts")
        .replace("made", "Made")
        .replace("none", "None")
        .replace("slow", "Slow")
        .replace("use", "Use"),
        (
            '{"role": "Counts.", "lifecycle": "Made once.", "edgeCases": "None.", "limitations": "Slow.", '
            '"recommendations": "Use it."}'
        ),
        told("1. {}: {}", joint="-"),
    ],
    ids=["plain", "fenced", "headings", "bold", "bold names", "yaml", "json", "numbered"],
)
def test_answers_in_the_forms_that_models_use_are_read(answer: str) -> None:
    assert read_answer(answer) == FIELDS


def test_a_word_in_a_sentence_begins_no_section() -> None:
    answer = "ROLE: Counts.\nRole of it is small, limitations apply.\n" + REST
    assert read_answer(answer).role == "Counts.\nRole of it is small, limitations apply."


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("ROLE: Counts.\nLIFECYCLE: a\nEDGE_CASES: b", "LIMITATIONS and RECOMMENDATIONS"),
        ("", "ROLE"),
        ("I cannot help with that.", "ROLE"),
        (
            "ROLE:\n```csharp\n"
            + "x();\n" * 30
            + "```\nLIFECYCLE: a\nEDGE_CASES: b\nLIMITATIONS: c\nRECOMMENDATIONS: d",
            "lines of code",
        ),
        (
            f"ROLE: {'a' * (LONGEST_FIELD + 1)}\nLIFECYCLE: a\nEDGE_CASES: b\nLIMITATIONS: c\nRECOMMENDATIONS: d",
            "characters",
        ),
        ("a" * 1_000_000, "characters"),
    ],
    ids=["fields missing", "empty", "a refusal", "the code", "a long field", "a megabyte"],
)
def test_an_answer_that_is_no_note_says_what_is_wrong(answer: str, says: str) -> None:
    with pytest.raises(NoteInvalid) as raised:
        read_answer(answer)
    assert says in raised.value.message


def test_an_answer_about_several_types_is_split_by_their_ids() -> None:
    parts = (f"# Semantic: My.A T_AAAAAAAA\nROLE: A.\n{REST}", f"**My.B (T_BBBBBBBB)**\nROLE: B.\n{REST}")
    answer = "\n".join(["Sure.\n", *parts, "## T_CCCCCCCC\nROLE: C.\n"])
    found = read_answers(answer, ["T_AAAAAAAA", "T_BBBBBBBB", "T_CCCCCCCC", "T_DDDDDDDD"])
    roles = {
        id_: each.role if isinstance(each, NoteFields) else type(each).__name__ for id_, each in found.items()
    }
    assert roles == {"T_AAAAAAAA": "A.", "T_BBBBBBBB": "B.", "T_CCCCCCCC": "NoteInvalid"}

"""Tables of packages: what their maker writes is what is read, and which version a reference asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.names import packages
from services.index.names.framework import NAMESPACE, NameSource, parsed_source, source_line, type_line
from services.index.names.packages import Packages, package_line, split, version_of
from services.model import Kind

SOURCE = NameSource("n", "Some.Package", "1.2.3", "Some.Package")


def block(name: str, version: str, requires: list[str], types: list[str]) -> str:
    lines = [package_line(name, version, requires), source_line(SOURCE), f"{NAMESPACE}My.Space"]
    return "\n".join([*lines, *types])


TEXT = "\n".join(
    [
        block("Some.Package", "1.2.3", ["Other 4", "Third.Part 12"], [type_line("One", "z", "n", [])]),
        block(
            "Some.Package", "2.0.1", [], [type_line("One", "i", "n", []), type_line("Two`1", "s", "n", [])]
        ),
    ]
)


def test_a_major_version_has_types_and_requirements_of_its_own() -> None:
    known = Packages(TEXT)
    first, second = known.get("some.PACKAGE", 1), known.get("Some.Package", 2)
    assert first is not None
    assert second is not None
    assert (first.version, first.requires) == ((1, 2, 3), (("other", 4), ("third.part", 12)))
    assert (second.version, second.requires) == ((2, 0, 1), ())
    one, other = first.types.get("My.Space.One"), second.types.get("My.Space.One")
    assert one is not None
    assert other is not None
    assert (one.kind, one.modifiers, other.kind) == (Kind.CLASS, ("sealed",), Kind.INTERFACE)
    assert first.types.get("My.Space.Two`1") is None
    assert second.types.get("My.Space.Two`1") is not None


def test_what_is_not_listed_is_not_known() -> None:
    known = Packages(TEXT)
    assert known.get("Some.Package", 3) is None
    assert [known.knows(name) for name in ("SOME.package", "Other", "")] == [True, False, False]
    assert not Packages("").knows("Some.Package")


def test_a_table_written_is_the_one_that_is_read(tmp_path: Path) -> None:
    import lzma

    packages.write(tmp_path / "t.xz", TEXT + "é")
    assert lzma.decompress((tmp_path / "t.xz").read_bytes()).decode() == TEXT + "é"


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
    st.sampled_from(["{}", "[{},9)", "[ {} ]", "({}, )"]),
)
def test_a_range_asks_for_at_least_where_it_begins(parts: list[int], form: str) -> None:
    assert version_of(form.format(".".join(map(str, parts)))) == tuple(parts)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.1.*", (2, 1)),
        ("8.0.0-preview.1+abc", (8, 0, 0)),
        (" 1 ", (1,)),
        ("(,2.0]", ()),
        ("*", ()),
        ("", ()),
        ("latest", ()),
    ],
)
def test_a_version_that_is_not_whole_says_what_it_can(text: str, version: tuple[int, ...]) -> None:
    assert version_of(text) == version


@pytest.mark.parametrize(
    ("fqn", "parts"),
    [
        ("A.B.C`1", ("A.B", "C`1")),
        ("A.B.C+D", ("A.B", "C+D")),
        ("C", ("", "C")),
        ("C+D.E", ("", "C+D.E")),
    ],
)
def test_a_full_name_is_its_namespace_and_the_rest(fqn: str, parts: tuple[str, str]) -> None:
    assert split(fqn) == parts


WORDS = st.text("abcXYZ.09", min_size=1, max_size=9)


@given(st.builds(NameSource, st.sampled_from("abc"), WORDS, WORDS, WORDS | st.just("")))
def test_a_source_s_line_is_read_as_it_was(source: NameSource) -> None:
    assert parsed_source(source_line(source)) == source

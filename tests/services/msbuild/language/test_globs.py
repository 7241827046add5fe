"""Patterns mean what MSBuild means by them, against a plain statement of the rules."""

from __future__ import annotations

import time
from fnmatch import translate
from re import fullmatch

from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.language.paths import FileTable, matches_name, matches_path

NAMES = st.text(alphabet="ab.", min_size=1, max_size=8)
PATTERNS = st.text(alphabet="ab.*?", min_size=1, max_size=8)
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), max_size=12)
PATH_PATTERNS = st.lists(
    st.one_of(PATTERNS.filter(lambda p: "**" not in p), st.just("**")), min_size=1, max_size=4
)


def matches_by_definition(pattern: list[str], parts: list[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(matches_by_definition(pattern[1:], parts[at:]) for at in range(len(parts) + 1))
    return (
        bool(parts) and matches_name(pattern[0], parts[0]) and matches_by_definition(pattern[1:], parts[1:])
    )


@given(PATTERNS, NAMES)
def test_a_segment_matches_as_a_shell_pattern_does_but_star_dot_star_is_everything(pattern, name):
    expected = pattern == "*.*" or fullmatch(translate(pattern), name) is not None
    assert matches_name(pattern, name) is expected


@given(PATH_PATTERNS, st.lists(NAMES, min_size=1, max_size=5))
def test_two_stars_stand_for_any_number_of_folders(pattern, parts):
    assert matches_path(pattern, parts) is matches_by_definition(pattern, parts)


@given(PATHS, PATH_PATTERNS)
def test_a_table_finds_exactly_the_files_that_match(paths, pattern):
    if pattern[-1] == "**":
        pattern = [*pattern, "*"]
    found = set(FileTable(paths).glob("/".join(pattern)))
    assert found == {path for path in paths if matches_by_definition(pattern, path.split("/"))}


def test_case_does_not_count_and_the_spelling_on_disk_comes_back():
    table = FileTable(["Src/App/Main.cs", "Src/App/Util/Text.cs"])
    assert table.spelled(table.glob("src/APP/**/*.CS")) == ("Src/App/Main.cs", "Src/App/Util/Text.cs")
    assert table.find("src/app/main.cs") == "Src/App/Main.cs"


def test_a_folder_whose_name_goes_on_is_another_folder():
    table = FileTable(["A/x.cs", "A.Tests/x.cs", "A-b/x.cs", "AB/x.cs"])
    assert list(table.glob("A/**/*.cs")) == ["a/x.cs"]


def test_a_pattern_made_to_be_slow_is_not():
    started = time.process_time()
    assert not matches_name("a*" * 40 + "b", "a" * 200)
    assert not matches_path(["**", "a"] * 20 + ["b"], ["a"] * 200)
    assert time.process_time() - started < 30.0

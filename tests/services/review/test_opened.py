"""Names in the headings of hunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.review.opened import OpenedChange
from services.review.sources.source import GitChanges
from tests.services.source.diffs.test_changes import Repository

GAP = "".join(f"    // {n}\n" for n in range(12))
BEFORE = f"""namespace N;

class Box
{{
    int a = 1;
{GAP}
    int First(int x)
    {{
        return x;
    }}
{GAP}
    class Lid
    {{
        int Second => 2;
        int Third => 3;
        int Fourth => 4;
    }}
}}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.write("Box.cs", BEFORE)
    made.write("notes.txt", "one\n")
    made.commit("first")
    return made


def _headings(repository: Repository, path: str = "Box.cs") -> tuple[str, ...]:
    opened = OpenedChange(GitChanges(repository.changes, ""))
    change = opened.file(path)
    return opened.headings(change, opened.hunks(change))


def test_each_hunk_names_the_innermost_members_that_it_changes(repository: Repository) -> None:
    after = BEFORE.replace("a = 1", "a = 7").replace("return x;", "return x + 1;").replace("=> 3", "=> 9")
    repository.write("Box.cs", after)
    assert _headings(repository) == ("Box.a", "Box.First", "Lid.Third")


def test_more_members_than_two_are_counted(repository: Repository) -> None:
    repository.write("Box.cs", BEFORE.replace("=> 2", "=> 9").replace("=> 3", "=> 9").replace("=> 4", "=> 9"))
    assert _headings(repository) == ("Lid.Second, Lid.Third +1",)


def test_a_member_that_lost_lines_and_one_that_is_gone_are_named(repository: Repository) -> None:
    repository.write("Box.cs", BEFORE.replace("        return x;\n", ""))
    assert _headings(repository) == ("Box.First",)
    (repository.folder / "Box.cs").unlink()
    (heading,) = _headings(repository)
    assert heading.startswith("Box, Box.a +")


def test_what_is_no_code_or_does_not_parse_is_no_reason_to_fail(repository: Repository) -> None:
    repository.write("notes.txt", "two\n")
    assert _headings(repository, "notes.txt") == ()
    repository.write("Box.cs", "}}}} class ((( \n" * 40)
    assert len(_headings(repository)) == 1


def test_a_very_long_file_is_not_parsed(repository: Repository) -> None:
    repository.write("Box.cs", BEFORE + "// long\n" * 60_000)
    assert _headings(repository) == ()

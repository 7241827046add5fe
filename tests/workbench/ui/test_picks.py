"""What there is to pick from, over a real workspace with a real history, and what is compared by what was picked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench import Bench
from tests.support.review_change import git
from tests.support.workspace import indexed
from widgets.lists.pick_list import PickRow
from workbench.commands.commands import BY_ID
from workbench.commands.keymap import resolve
from workbench.commands.situation import PANES, Situation
from workbench.ui.picker import WORKING_TREE, Picked, commands, commits, files_and_symbols, filtered, scope_of

SUBJECTS = ("Plant the first tree", "Prune it", "Harvest, at last")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workspace whose every commit adds a file."""
    folder = tmp_path_factory.mktemp("orchard")
    git(folder, "init", "-q", "-b", "main")
    for number, subject in enumerate(SUBJECTS):
        (folder / f"Tree{number}.cs").write_text(f"namespace Orchard;\npublic class Tree{number} {{ }}\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", subject, "--author", "Ada Pear <ada@example.org>")
    git(folder, "tag", "v1")
    with indexed(folder, {"src/Ladder.cs": "class Ladder { int steps; }\n"}) as made:
        yield made


def values(bench: Bench, query: str = "") -> list[str]:
    return [row.value for row in commits(bench)(query)]


def test_the_working_tree_comes_first_and_then_the_commits_from_the_last_on(bench: Bench) -> None:
    rows = commits(bench)("")
    assert [row.label for row in rows] == ["Working tree", *reversed(SUBJECTS)]
    assert rows[0].value == WORKING_TREE
    assert "v1" in rows[1].detail
    assert all(row.value and row.tail.startswith(f"{row.value} 2") for row in rows[1:])


@pytest.mark.parametrize("query", ["prune", "PRUNE it", "ada prune", "it prune"])
def test_a_commit_is_found_by_words_of_its_subject_or_author_in_any_order(bench: Bench, query: str) -> None:
    assert [row.label for row in commits(bench)(query) if row.sign == " "] == ["Prune it"]


@pytest.mark.parametrize("typed", ["v1", "HEAD~1", "main..v1", " v1 "])
def test_what_is_typed_may_name_a_commit_and_is_offered_last_as_it_stands(bench: Bench, typed: str) -> None:
    assert values(bench, typed)[-1] == typed.strip()


def test_words_are_no_name_of_a_commit(bench: Bench) -> None:
    assert values(bench, "no such words") == []


@pytest.mark.parametrize(
    ("picked", "otherwise", "files"),
    [
        ((0,), False, ["Tree0.cs"]),
        ((1,), False, ["Tree1.cs"]),
        ((2, 1), False, ["Tree1.cs", "Tree2.cs"]),
        ((2, 1, 0), False, ["Tree0.cs", "Tree1.cs", "Tree2.cs"]),
        ((1,), True, ["Tree2.cs", "src/Ladder.cs"]),
        ((2,), True, ["src/Ladder.cs"]),
        ((None,), False, ["src/Ladder.cs"]),
        ((None,), True, ["src/Ladder.cs"]),
        ((None, 2), False, ["Tree2.cs", "src/Ladder.cs"]),
        ((None, 2, 1, 0), False, ["Tree0.cs", "Tree1.cs", "Tree2.cs", "src/Ladder.cs"]),
    ],
    ids=[
        "first", "one", "two", "all", "tree against one", "tree against the last", "tree", "tree otherwise",
        "tree and one", "everything",
    ],
)  # fmt: skip
def test_what_was_picked_is_what_is_compared(
    bench: Bench, picked: tuple[int | None, ...], otherwise: bool, files: list[str]
) -> None:
    ids = [commit.short for commit in reversed(bench.changes.commits(most=9))]
    scope = scope_of(Picked(tuple(WORKING_TREE if at is None else ids[at] for at in picked), otherwise))
    assert [change.path for change in bench.review.shown(scope).set.files] == files


def test_a_range_that_was_typed_stays_what_it_is_by_either_key() -> None:
    for typed in ("a..b", "a...b", "a.."):
        assert scope_of(Picked((typed,))) == scope_of(Picked((typed,), otherwise=True)) == typed


def test_without_a_repository_there_is_the_working_tree_alone(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }\n"}) as bench:
        assert values(bench) == [WORKING_TREE]


def test_files_come_first_where_a_path_is_typed_and_symbols_else(bench: Bench) -> None:
    find = files_and_symbols(bench)
    by_name, by_path = find("ladder"), find("src/lad")
    assert [row.label for row in by_name] == ["Ladder", "Ladder.cs"]
    assert by_path[0] == PickRow(
        "src/Ladder.cs", "Ladder.cs", "src", sign="/", positions=by_path[0].positions
    )
    lit = "".join(by_path[0].label[at] for at in by_path[0].positions)
    assert lit.lower() == "lad", "what matched in the folder is not lit in the name"


@pytest.mark.parametrize("typed", ["Ladder.cs:3", "src/Ladder.cs:3", "lad:3:7"])
def test_a_line_of_a_file_is_found_by_its_number(bench: Bench, typed: str) -> None:
    rows = files_and_symbols(bench)(typed)
    assert [(row.value, row.label) for row in rows] == [("src/Ladder.cs:3", "Ladder.cs:3")]


def test_a_symbol_says_what_it_is_in_and_where_it_stands(bench: Bench) -> None:
    row = next(row for row in files_and_symbols(bench)("steps") if row.label == "steps")
    assert (row.detail, row.tail, row.sign) == ("Ladder", "src/Ladder.cs:1", "F")


@given(
    st.lists(st.text(st.sampled_from("abAB "), max_size=6), max_size=6),
    st.text(st.sampled_from("abAB "), max_size=5),
)
def test_rows_are_those_that_have_every_word_in_their_order(labels: list[str], query: str) -> None:
    rows = [PickRow(str(at), label, "a detail") for at, label in enumerate(labels)]
    found = filtered(rows)(query)
    wanted = [
        row for row in rows if all(word in f"{row.label} a detail".lower() for word in query.lower().split())
    ]
    assert found == wanted


@pytest.mark.parametrize("pane", PANES)
def test_the_menu_has_what_makes_sense_now_and_first_what_the_footer_of_the_pane_names(pane: str) -> None:
    keys, situation = resolve({}), Situation(ready=True, pane=pane)
    rows = [BY_ID[row.value] for row in commands(keys, situation)]
    here = [pane in command.footer for command in rows]
    assert here == sorted(here, reverse=True)
    assert all(not command.unavailable(situation) for command in rows)
    assert "menu" not in {command.id for command in rows}
    assert len({command.id for command in rows}) == len(rows)

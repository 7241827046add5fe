"""Analyses of changes whose new side is not on disk: commits, ranges, what is staged, patches."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.concurrency.exclusion import lock
from services.model.review import Finding
from services.review.analysis import matrix
from services.semantic.values import Author, NoteFields
from tests.support.review_change import CODE, TESTS, commit, committed, git, write

NO_SUM = CODE.replace(
    """    public int Sum(int a)
    {
        return a;
    }

""",
    "",
)
VIRTUAL = CODE.replace("public int Sum(int a)", "public virtual int Sum(int a)")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        yield made


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this machine's temporary files."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def found(bench: Bench, change: str, kind: str) -> list[Finding]:
    answer = bench.review.review(change, analyze=True)
    assert answer.not_looked_up == ""
    return [each for each in answer.findings if each.kind == kind]


def go_on(bench: Bench) -> None:
    """The disk has something else: neither side of what was committed before."""
    write(bench, "// other\nnamespace N;\npublic class Shop { public int Twice(int a) => 0; }\n")
    git(bench.root, "commit", "-qam", "on")


@pytest.mark.parametrize("name", ["{id}", "{id}~1..{id}", "{id}^...{id}"])
def test_a_commit_that_is_not_checked_out_is_looked_up(bench: Bench, name: str) -> None:
    id_ = commit(bench, VIRTUAL)
    go_on(bench)
    change = name.format(id=id_)
    (left,) = found(bench, change, "callers")
    assert left.places == ("Lib/Shop.cs:10",)
    reached = [place for each in found(bench, change, "tests") for place in each.places]
    assert any("ShopTests.Sums" in place for place in reached)
    (api,) = found(bench, change, "api")
    assert "virtual" in api.text


def test_what_is_staged_is_looked_up_as_it_is_staged(bench: Bench) -> None:
    write(bench, VIRTUAL)
    git(bench.root, "add", ".")
    write(bench, "namespace N; public class Shop { public int Twice(int a) => 0; }\n")
    (left,) = found(bench, "staged", "callers")
    assert left.places == ("Lib/Shop.cs:10",)


def test_a_patch_is_looked_up_on_what_it_was_made_of(bench: Bench) -> None:
    write(bench, VIRTUAL)
    (bench.root / "a.patch").write_text(git(bench.root, "diff") + "\n")
    write(bench, CODE)
    (left,) = found(bench, "patch:a.patch", "callers")
    assert left.places == ("Lib/Shop.cs:10",)


def test_a_patch_that_fits_nothing_says_that_the_code_was_not_looked_up(bench: Bench) -> None:
    write(bench, VIRTUAL)
    text = git(bench.root, "diff") + "\n"
    go_on(bench)
    answer = bench.review.review(text, analyze=True)
    assert "Lib/Shop.cs is not known whole" in answer.not_looked_up
    assert {each.kind for each in answer.findings} <= {"secret", "debris", "conflict"}


@pytest.mark.parametrize("way", ["disk", "commit"])
def test_uses_of_what_is_gone_are_told_where_they_still_stand(bench: Bench, way: str) -> None:
    change = ""
    if way == "disk":
        write(bench, NO_SUM)
    else:
        change = commit(bench, NO_SUM)
        go_on(bench)
    (gone,) = [each for each in found(bench, change, "callers") if each.code == "removed"]
    assert (gone.severity, gone.file, gone.places) == ("blocker", "Lib/Shop.cs", ("Lib/Shop.cs:5",))
    assert gone.text == "N.Shop.Sum is gone; 1 of 1 uses of it are still there."


def test_uses_that_go_with_what_is_gone_are_no_finding(bench: Bench) -> None:
    write(bench, NO_SUM.replace("Sum(a) + Sum(a)", "2 * a"))
    assert not found(bench, "", "callers")


def test_a_type_that_is_gone_is_told_once_with_its_uses(bench: Bench) -> None:
    git(bench.root, "rm", "-q", "Lib/Shop.cs")
    bench.index.refresh()
    (gone,) = found(bench, "", "callers")
    assert (gone.symbol.count("_"), gone.line, gone.places) == (1, None, ("Lib.Tests/ShopTests.cs:6",))


def test_what_moves_to_another_part_is_not_gone(bench: Bench) -> None:
    commit(bench, CODE.replace("class Shop", "partial class Shop"))
    write(bench, NO_SUM.replace("class Shop", "partial class Shop"))
    write(bench, "namespace N;\npublic partial class Shop { public int Sum(int a) => a; }\n", "Lib/More.cs")
    assert not [each for each in found(bench, "", "callers") if each.code == "removed"]


def test_a_pack_of_a_commit_has_the_code_of_that_commit(bench: Bench) -> None:
    id_ = commit(bench, CODE.replace("return a;", "return a + 1;"))
    go_on(bench)
    text = bench.review.pack(id_, budget=4_000).text
    assert "### Caller N.Shop.Twice of N.Shop.Sum" in text
    assert "public int Twice(int a) => Sum(a) + Sum(a);" in text


def test_a_pack_has_the_notes_on_what_changes(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    assert "Note on" not in bench.review.pack("", budget=4_000).text
    fields = NoteFields(
        role="Sells.", lifecycle="One.", edge_cases="None.", limitations="Sums only.", recommendations="Ask."
    )
    found = bench.lookup.found("N.Shop")
    bench.notes.put(found.whole.id, fields, Author.PERSON, "ada")
    text = bench.review.pack("", budget=4_000).text
    assert "ROLE: Sells." in text
    assert "LIMITATIONS: Sums only." in text


def test_nothing_is_left_behind(bench: Bench) -> None:
    id_ = commit(bench, VIRTUAL)
    go_on(bench)
    before = set(Path(tempfile.gettempdir()).glob("codecortex-state-*"))
    found(bench, id_, "api")
    made = set(Path(tempfile.gettempdir()).glob("codecortex-state-*")) - before
    assert made
    assert git(bench.root, "status", "--porcelain") == ""
    bench.close()
    assert not any(each.exists() for each in made)


def test_a_commit_that_is_on_disk_is_looked_up_there(bench: Bench, scratch: Path) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;").replace("\n", "\r\n"))
    id_ = commit(bench, TESTS.replace("Twice(2)", "Twice(3)"), "Lib.Tests/ShopTests.cs")
    assert found(bench, id_, "tests")
    assert not list(scratch.iterdir())
    (bench.root / "Lib/New.cs").write_text("class New { }")  # what is on disk is no longer the commit
    bench.index.refresh()
    assert found(bench, id_, "tests")
    assert list(scratch.iterdir())


def test_what_a_killed_process_left_is_removed_and_what_is_in_use_stays(bench: Bench, scratch: Path) -> None:
    left, used, fresh = (scratch / f"codecortex-state-{name}" for name in ("left", "used", "fresh"))
    for folder in (left, used, fresh):
        (folder / "Repository").mkdir(parents=True)
        if folder != fresh:
            os.utime(folder, (1, 1))
    elsewhere = scratch / "codecortex-state-link"
    elsewhere.symlink_to(bench.root)
    id_ = commit(bench, VIRTUAL)
    go_on(bench)
    descriptor = os.open(used, os.O_RDONLY)
    try:
        assert lock(descriptor, 0)
        found(bench, id_, "api")
    finally:
        os.close(descriptor)
    assert not left.exists()
    assert used.exists()
    assert fresh.exists()
    assert (bench.root / "Lib/Shop.cs").exists()


def test_members_whose_tests_were_not_looked_for_are_not_called_untested(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;").replace("Sum(a) + Sum(a)", "Sum(a) + 2"))
    monkeypatch.setattr(matrix, "_MOST_SEARCHES", 0)
    assert sorted(each.text for each in found(bench, "", "tests")) == [
        "1 test reaches N.Shop.Twice.",
        (
            "Whether a test reaches N.Shop.Sum is not known: too much leads there. Review the change in parts to "
            "know."
        ),
    ]
    monkeypatch.setattr(matrix, "_MOST_SEARCHES", 1)
    assert [each.text for each in found(bench, "", "tests")] == [
        "1 test reaches N.Shop.Sum.",
        "1 test reaches N.Shop.Twice.",
    ]


def test_what_no_test_names_is_reached_through_what_one_names(bench: Bench) -> None:
    """The names that tests have are followed: from the test to a member, and from that to what is in its body."""
    hidden = CODE.replace("public int Twice(int a) => Sum(a)", "int Inner(int a) => Sum(a);\n\n    "
                          "public int Twice(int a) => Inner(a)")  # fmt: skip
    commit(bench, hidden)
    id_ = commit(bench, hidden.replace("return a;", "return a + 1;"))
    go_on(bench)
    (reached,) = found(bench, id_, "tests")
    assert reached.text == "1 test reaches N.Shop.Sum."


def test_a_new_file_of_tests_counts(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    tests = TESTS.replace("ShopTests", "MoreTests").replace("Twice(2)", "Sum(2)")
    id_ = commit(bench, tests, "Lib.Tests/MoreTests.cs")
    go_on(bench)
    reached = [place for each in found(bench, id_, "tests") for place in each.places]
    assert any("MoreTests.Sums" in place for place in reached)

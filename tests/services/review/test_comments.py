"""Comments changed, deleted, and made into proposals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import CodeCortexError, ProposalDecided, UsageError
from services.model import FileChange, ProposalState
from services.model.review import CommentState, HunkMark, ReviewComment, Severity
from services.operations.edits.consent import call
from services.operations.operation import by_name
from services.operations.table import OPERATIONS
from services.review.look import digest_of, progress_of
from services.source.diffs.hunks import hunks_of
from services.source.journal.actor import Owner, acting
from tests.support.review_change import CODE, committed, write
from tests.support.state import state_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        yield made


def run(bench: Bench, name: str, **given: object) -> object:
    assert OPERATIONS
    operation = by_name(name)
    assert operation is not None
    return call(bench, operation, given)


def suggested(bench: Bench, suggestion: str | None = "        return a + 3;") -> str:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    made = ReviewComment(file="Shop.cs", line=7, text="Why?", suggestion=suggestion)
    return bench.review.add("", made).taken[0].id


def test_a_suggestion_becomes_a_proposal_that_a_person_applies(bench: Bench) -> None:
    id_ = suggested(bench)
    proposal = run(bench, "ProposeSuggestion", comment=id_)
    assert proposal.id == bench.review.comment("", id_).proposal  # pyright: ignore[reportAttributeAccessIssue]
    (waiting,) = bench.proposals.listed(pending=True)
    assert "+        return a + 3;" in waiting.diff
    assert "-        return a + 1;" in waiting.diff
    again = run(bench, "ProposeSuggestion", comment=id_)
    assert again.id == waiting.id  # pyright: ignore[reportAttributeAccessIssue]
    assert not bench.writing._writer.locks().locks
    run(bench, "ApplyProposal", proposalId=waiting.id)
    assert "return a + 3;" in (bench.root / "Lib/Shop.cs").read_text()
    assert bench.proposals.get(waiting.id).state is ProposalState.APPLIED
    with pytest.raises(ProposalDecided):
        run(bench, "ApplyProposal", proposalId=waiting.id)


def test_a_suggestion_stands_where_its_lines_have_gone_to(bench: Bench) -> None:
    id_ = suggested(bench, suggestion="")
    write(bench, "// one\n// two\n" + CODE.replace("return a;", "return a + 1;"))
    run(bench, "ProposeSuggestion", comment=id_)
    (waiting,) = bench.proposals.listed(pending=True)
    assert (waiting.arguments["startLine"], waiting.arguments["endLine"]) == (9, 9)
    run(bench, "ApplyProposal", proposalId=waiting.id)
    assert "return a" not in (bench.root / "Lib/Shop.cs").read_text()


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff"])
def test_a_damaged_review_is_set_aside_with_a_word(bench: Bench, damage: bytes) -> None:
    suggested(bench)
    (file,) = [
        path for path in (state_of(bench.root) / "reviews").glob("R_*.json") if "look" not in path.name
    ]
    file.write_bytes(damage)
    assert bench.review.reviews() == ()
    assert [each for each in bench.health.notices() if each.message.startswith("A review cannot be read")]
    kept = list(file.parent.glob("*.damaged-*"))
    assert [each.read_bytes() for each in kept] == ([damage] if damage else [])
    assert suggested(bench)


def test_what_cannot_be_proposed_says_why(bench: Bench) -> None:
    id_ = suggested(bench, suggestion=None)
    with pytest.raises(UsageError, match="suggests no lines"):
        run(bench, "ProposeSuggestion", comment=id_)
    bench.review.edit("", id_, suggestion="x")
    write(bench, CODE.replace("return a;", "return 9;"))
    with pytest.raises(UsageError, match="do not stand"):
        run(bench, "ProposeSuggestion", comment=id_)
    assert not bench.proposals.listed()


def test_comments_are_changed_and_deleted(bench: Bench) -> None:
    id_ = suggested(bench)
    run(bench, "EditComment", comment=id_, text="How?", severity="blocker", category="names")
    found = bench.review.comment("", id_)
    assert (found.text, found.severity, found.category, found.suggestion, found.line) == (
        "How?", Severity.BLOCKER, "names", "        return a + 3;", 7,
    )  # fmt: skip
    with pytest.raises(UsageError, match="says something"):
        run(bench, "EditComment", comment=id_, text=" ")
    run(bench, "DeleteComment", comment=id_)
    with pytest.raises(UsageError, match="no comment"):
        bench.review.comment("", id_)


def test_an_agent_changes_its_own_comments_alone(bench: Bench) -> None:
    ours = suggested(bench)
    with acting(Owner("robot", "s1", "")):
        made = ReviewComment(file="Shop.cs", line=7, text="Mine", quoted="return a + 1;")
        theirs = bench.review.add("", made).taken[0].id
        bench.review.edit("", theirs, text="Mine too")
        for change in (lambda: bench.review.edit("", ours, text="x"), lambda: bench.review.delete("", ours)):
            with pytest.raises(UsageError, match="not yours"):
                change()
    assert bench.review.delete("", theirs).review.comments[0].id == ours


def test_a_published_comment_stays_as_it_is(bench: Bench) -> None:
    id_ = suggested(bench)
    bench.review.decide("", id_, CommentState.PUBLISHED)
    for change in (lambda: bench.review.edit("", id_, text="x"), lambda: bench.review.delete("", id_)):
        with pytest.raises(CodeCortexError, match="published"):
            change()


def test_the_next_open_hunk_is_looked_for_behind_the_cursor() -> None:
    old = [f"{number}\n" for number in range(60)]
    new = [f"{line.strip()}!\n" if at in (10, 40) else line for at, line in enumerate(old)]
    changes = [(FileChange(path=path, status="modified"), hunks_of(old, new)) for path in ("a", "b")]
    marked = [HunkMark(file="a", digest=digest_of("a", changes[0][1][1]), by="kim", at=1)]

    def following(after: tuple[str, int] | None) -> tuple[str | None, int | None]:
        progress = progress_of(changes, marked, after=after)
        assert (progress.reviewed, progress.hunks) == (1, 4)
        return progress.next_file, progress.next_line

    assert [following(each) for each in (None, ("a", 11), ("b", 11), ("b", 41))] == [
        ("a", 11), ("b", 11), ("b", 41), ("a", 11),
    ]  # fmt: skip

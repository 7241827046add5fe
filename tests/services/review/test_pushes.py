"""Comments over several pushes to one request: each is there once, moved with its lines, resolved when it is gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.model.review import Finding, ReviewComment, Severity
from services.review.agent import ReviewTask
from services.review.reviewing import Reviewing
from tests.services.review.test_agent import agent
from tests.services.review.test_reviewing import served
from tests.support.review_change import committed
from tests.support.review_servers import FakeGitHub, FakeGitLab
from tests.support.scripted_model import ScriptedModel

MISSING = "throw new NotImplementedException();"
CHANGES = {FakeGitHub: "github:octo/demo#7", FakeGitLab: "gitlab:group/demo!5"}
KINDS = pytest.mark.parametrize("make", [FakeGitHub, FakeGitLab])


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        yield made


def pushed(fake: Any, lines: list[str], head: str) -> None:
    """Another version of the request: one new file."""
    patch = f"@@ -0,0 +1,{len(lines)} @@\n" + "\n".join(f"+{line}" for line in lines)
    if isinstance(fake, FakeGitHub):
        fake.files = [{"filename": "new.cs", "status": "added", "changes": len(lines), "patch": patch}]
        fake.head = head * 40
    else:
        fake.files = [{"old_path": "new.cs", "new_path": "new.cs", "new_file": True, "diff": f"{patch}\n"}]
        fake.refs = {"base_sha": "b" * 40, "head_sha": head * 40, "start_sha": "s" * 40}


def comments_of(fake: Any) -> list[str]:
    """The texts of the comments at lines."""
    if isinstance(fake, FakeGitHub):
        return [each["body"] for review in fake.reviews for each in review["comments"]]
    return [each["body"] for each in fake.notes if "position" in each]


def reviewed(review: Reviewing, change: str, found: list[Finding]) -> None:
    """What the review agent does with what it found, the whole of it."""
    taken = review.note(change, found).taken
    review.settle(change, {each.id for each in taken})
    if review.accept(change, [each.id for each in taken]).review.comments:
        review.publish(change, "server", preview=False)


def finding(line: int, text: str = "It is not implemented.", kind: str = "debris") -> Finding:
    return Finding(kind=kind, severity=Severity.WARNING, file="new.cs", line=line, text=text)


@KINDS
def test_three_pushes_leave_each_comment_once_moved_and_resolved(bench: Bench, make: type[Any]) -> None:
    fake, change = make(), CHANGES[make]
    review = served(bench, fake)
    pushed(fake, ["class A", "{", f"  void One() {{ {MISSING} }}", "}"], "1")
    reviewed(review, change, [finding(3)])
    pushed(
        fake,
        ["// new", "class A", "{", f"  void One() {{ {MISSING} }}", f"  int Two() {{ {MISSING} }}", "}"],
        "2",
    )
    reviewed(review, change, [finding(4), finding(5)])
    assert [each.line for each in review.review(change).review.comments] == [4, 5]
    pushed(
        fake,
        ["// new", "// more", "class A", "{", "  void One() { }", f"  int Two() {{ {MISSING} }}", "}"],
        "3",
    )
    reviewed(review, change, [finding(6)])
    first, second = review.review(change).review.comments
    assert (second.line, second.outdated, second.resolved) == (6, False, False)
    assert (first.outdated, first.resolved) == (True, True)
    texts = comments_of(fake)
    assert len(texts) == len({*texts}) == 2
    assert fake.resolved == {first.id: True}
    reviewed(review, change, [finding(6)])
    assert len(comments_of(fake)) == 2
    assert fake.changed == 1, "what was resolved is not resolved again"


@KINDS
def test_what_comes_back_is_reopened_and_not_said_again(bench: Bench, make: type[Any]) -> None:
    fake, change = make(), CHANGES[make]
    review = served(bench, fake)
    here, gone = ["class A", f"  void One() {{ {MISSING} }}"], ["class A", "  void One() { }"]
    for head, lines in enumerate((here, gone, here)):
        pushed(fake, lines, str(head))
        reviewed(review, change, [finding(2)] if lines is here else [])
    (comment,) = review.review(change).review.comments
    assert (comment.outdated, comment.resolved) == (False, False)
    assert (len(comments_of(fake)), fake.resolved) == (1, {comment.id: False})


@KINDS
def test_a_finding_whose_line_was_rewritten_keeps_its_comment(bench: Bench, make: type[Any]) -> None:
    fake, change = make(), CHANGES[make]
    review = served(bench, fake)
    pushed(fake, ["class A", f"  void One() {{ {MISSING} }}"], "1")
    reviewed(review, change, [finding(2)])
    pushed(fake, ["class A", "", f"  int One() {{ {MISSING} }}"], "2")
    reviewed(review, change, [finding(3)])
    (comment,) = review.review(change).review.comments
    assert (comment.line, comment.outdated, comment.resolved) == (3, False, False)
    assert (len(comments_of(fake)), fake.resolved) == (1, {})


@KINDS
def test_other_numbers_and_other_words_of_a_model_are_no_other_comment(bench: Bench, make: type[Any]) -> None:
    fake, change = make(), CHANGES[make]
    review = served(bench, fake)
    lines = ["class A", "  int One() => 1;", "  int Two() => 2;"]
    for head, (uses, words) in enumerate(((3, "Why one?"), (5, "Is 1 right here?"))):
        pushed(fake, ["// x"] * head + lines, str(head))
        reviewed(review, change, [finding(2 + head, f"{uses} uses did not change.", "callers")])
        said = {
            "file": "new.cs",
            "line": 3 + head,
            "quotedCode": "int Two() => 2;",
            "category": "logic",
            "text": words,
        }
        taken = review.paste(change, json.dumps({"comments": [said]})).taken
        review.accept(change, [each.id for each in taken])
        review.publish(change, "server", preview=False)
    assert len(comments_of(fake)) == 2
    assert len(review.review(change).review.comments) == 2


@KINDS
def test_what_a_person_said_or_resolved_is_theirs(bench: Bench, make: type[Any]) -> None:
    fake, change = make(), CHANGES[make]
    review = served(bench, fake)
    pushed(fake, ["class A", f"  void One() {{ {MISSING} }}", "  int Two;"], "1")
    review.add(change, ReviewComment(file="new.cs", line=3, text="Why two?"))
    reviewed(review, change, [finding(2)])
    mine = next(each for each in review.review(change).review.comments if each.author_kind == "static")
    fake.resolved[mine.id] = True  # by a person, on the server
    pushed(fake, ["class A", f"  void One() {{ {MISSING} }}"], "2")
    reviewed(review, change, [finding(2)])
    assert fake.resolved == {mine.id: True}
    assert fake.changed == 0


def test_a_request_without_anything_to_say_is_done(bench: Bench) -> None:
    fake = FakeGitHub()
    pushed(fake, ["class A { }"], "1")
    made = agent(bench, served(bench, fake), ScriptedModel())
    op = made._ops().run(made.start(ReviewTask(change=CHANGES[FakeGitHub], publish=True)).op_id)
    assert (op.state.value, op.result["comments"], fake.reviews) == ("done", [], []), op.error


def test_an_analysis_that_did_not_see_all_resolves_nothing(bench: Bench) -> None:
    fake = FakeGitLab()
    review = served(bench, fake)
    change = CHANGES[FakeGitLab]
    pushed(fake, ["class A", f"  void One() {{ {MISSING} }}"], "1")
    reviewed(review, change, [finding(2)])
    taken = review.note(change, []).taken
    assert taken == ()
    review.publish(change, "server", preview=False)
    assert fake.changed == 0

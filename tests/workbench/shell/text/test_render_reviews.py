"""Changes, commits and reviews as a person at a shell reads them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from services.model.review import (
    ChangesAnswer,
    CommentsAnswer,
    CommentState,
    CommitRow,
    CommitsAnswer,
    DiffFile,
    DroppedComment,
    Finding,
    Interdiff,
    InterdiffFile,
    Publication,
    Review,
    ReviewAnswer,
    ReviewComment,
    ReviewProgress,
    Severity,
)
from widgets.format.display import is_safe
from workbench.shell.text.render import Look, render

TERMINAL, PIPE = Look(terminal=True, colour=False), Look(terminal=False, colour=False)
EVIL = "a\x1b[2J\u202e"
COMMENT = ReviewComment(id="C_1", file="A.cs", line=3, text="Why?", author="ada")


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (DiffFile(path="A.cs", status="modified", added=3, deleted=0), "modified A.cs +3 -0"),
        (
            DiffFile(path="B.cs", status="renamed", old_path="A.cs", added=0, deleted=0),
            "renamed B.cs from A.cs +0 -0",
        ),
        (DiffFile(path="x.png", status="added", binary=True), "added x.png binary"),
        (DiffFile(path="A.cs", status="modified", note="It is too long."), "modified A.cs It is too long."),
    ],
    ids=["lines", "renamed", "binary", "a reason"],
)
def test_a_file_says_what_happened_to_it(file: DiffFile, words: str) -> None:
    assert " ".join(render(file, PIPE).split()) == words


def changes(*files: DiffFile) -> ChangesAnswer:
    return ChangesAnswer(
        title="HEAD", old="a", new="b", new_side="b", signature="s", files=files, added=1200, deleted=3
    )


def test_a_change_set_is_a_title_and_its_files_or_their_diffs_where_those_were_asked_for() -> None:
    file = DiffFile(path="A.cs", status="modified", added=1, deleted=3)
    assert render(changes(file), PIPE).splitlines()[0] == "HEAD  1 file +1200 -3"
    assert len(render(changes(file, file), PIPE).splitlines()) == 3
    shown = render(changes(replace(file, diff="-a\n+b\x1b\n")), PIPE)
    assert shown.startswith("-a\n+b␛\n")
    assert "HEAD" not in shown


def test_a_commit_is_a_line_with_what_points_at_it() -> None:
    row = CommitRow(id="c" * 40, short="ccccccc", author=EVIL, at=0, subject="Prune", refs="main, v1")
    line = render(CommitsAnswer(commits=(row,)), PIPE)
    assert line.startswith("ccccccc  19")
    assert "Prune (main, v1)  a␛[2J⟨U+202E⟩\n" in line
    assert render(CommitsAnswer(commits=()), PIPE) == "There are no commits.\n"


@pytest.mark.parametrize(
    ("comment", "head"),
    [
        (COMMENT, "C_1  A.cs:3  suggestion, draft  ada"),
        (replace(COMMENT, line=None), "C_1  A.cs  suggestion, draft  ada"),
        (replace(COMMENT, file="", line=None), "C_1  on the whole  suggestion, draft  ada"),
        (
            replace(COMMENT, severity=Severity.BLOCKER, state=CommentState.ACCEPTED, outdated=True),
            "C_1  A.cs:3  blocker, accepted (its lines are gone)  ada",
        ),
        (replace(COMMENT, author="", author_kind="model"), "C_1  A.cs:3  suggestion, draft  model"),
    ],
    ids=["line", "file", "whole", "outdated", "nobody's name"],
)
def test_a_comment_says_where_it_is_and_what_became_of_it(comment: ReviewComment, head: str) -> None:
    assert render(comment, PIPE) == f"{head}\n    Why?\n"


def test_comments_that_were_dropped_are_told_with_the_reason_and_counted() -> None:
    dropped = DroppedComment(comment=replace(COMMENT, line=None), reason="It quotes no line.")
    text = render(CommentsAnswer(review="R_1", taken=(COMMENT,), dropped=(dropped,)), PIPE)
    assert "dropped  A.cs:?  Why?\n    It quotes no line.\n" in text
    assert text.endswith("1 comment taken, 1 dropped.\n")


def test_a_review_says_how_far_it_is_and_where_to_go_on() -> None:
    progress = ReviewProgress(hunks=5, reviewed=2, files=1, files_reviewed=0, next_file="A.cs", next_line=7)
    review = Review(id="R_1", change="HEAD", comments=(COMMENT,), summary="Fine.\n")
    lines = render(ReviewAnswer(review=review, progress=progress, counts={}), PIPE).splitlines()
    assert lines[:3] == ["HEAD  R_1", "2 of 5 hunks reviewed, 0 of 1 file", "next: A.cs:7"]
    assert "Fine." in lines
    done = ReviewAnswer(
        review=review, progress=replace(progress, next_file=None), counts={}, not_looked_up="No index."
    )
    assert "next:" not in render(done, PIPE)
    assert "The code was not looked up: No index." in render(done, PIPE)


def test_a_finding_names_every_place_of_it() -> None:
    found = Finding(
        kind="callers", severity=Severity.WARNING, file="A.cs", line=3, text="Two.", places=("B.cs:1", EVIL)
    )
    assert render(found, PIPE).splitlines() == [
        "warning    A.cs:3  [callers] Two.",
        "    B.cs:1",
        "    a␛[2J⟨U+202E⟩",
    ]


def test_what_changed_since_the_last_look_is_its_lines_and_nothing_where_there_was_none() -> None:
    file = InterdiffFile(path="A.cs", status="changed", lines=("+ 3 new", "  4 same"))
    assert render(Interdiff(looked_at=1, files=(file,)), PIPE) == "changed  A.cs\n  + 3 new\n    4 same\n"
    assert "all of it is new" in render(Interdiff(looked_at=0, files=(file,)), PIPE)


@pytest.mark.parametrize(
    ("publication", "said"),
    [
        (Publication(target="markdown", text="# Review"), "# Review\n"),
        (Publication(target="sarif", text="{}\n"), "{}\n"),
        (
            Publication(target="github", text="a body"),
            "a body\n\nNothing was sent: this is what --send sends.\n",
        ),
        (
            Publication(
                target="github", text="a", preview=False, published=("C_1", "C_2"), address="https://x/1"
            ),
            "2 comments published: https://x/1\n",
        ),
    ],
    ids=["markdown", "sarif", "preview", "sent"],
)
def test_a_publication_is_the_text_or_what_was_sent(publication: Publication, said: str) -> None:
    assert render(publication, PIPE) == said


@pytest.mark.parametrize("look", [TERMINAL, PIPE], ids=["terminal", "pipe"])
def test_nothing_that_others_wrote_reaches_a_terminal_as_it_is(look: Look) -> None:
    comment = ReviewComment(id="C_1", file=EVIL, line=1, text=EVIL, author=EVIL, note=EVIL)
    for result in (
        comment,
        DroppedComment(comment=comment, reason=EVIL),
        DiffFile(path=EVIL, status="renamed", old_path=EVIL, note=EVIL),
        Finding(kind="api", severity=Severity.WARNING, file=EVIL, line=1, text=EVIL, places=(EVIL,)),
        InterdiffFile(path=EVIL, status="new", lines=(EVIL,)),
        Publication(target="github", text=EVIL),
        Publication(target="github", text="", preview=False, address=EVIL),
    ):
        assert all(map(is_safe, render(result, look).split("\n")))

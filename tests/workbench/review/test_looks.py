"""What a reviewer sees. The docstring says what to look for."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from services.model.review import (
    CommentState,
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
from tests.support.album import Album
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench, StageReview
from tests.workbench.main.test_looks import Act

SAID = (
    ReviewComment(id="C_1", file="src/Tree.cs", line=12, end_line=14, severity=Severity.BLOCKER, category="null check",
                  text="[b]height[/b] may be null here, and then the tree is drawn upside down.", author="kim",
                  state=CommentState.ACCEPTED, quoted="var height = tree.Height;\nDraw(height);",
                  suggestion="Draw(tree.Height ?? 0);"),
    ReviewComment(id="C_2", file="src/Leaf.cs", line=3, text="Is \x1b[31mred\x1b[0m meant?", severity=Severity.QUESTION,
                  author="gpt-oss", author_kind="model", quoted="Colour = Red;", note="was at line 2"),
)  # fmt: skip
FOUND = (
    Finding(kind="api", severity=Severity.BLOCKER, file="src/Tree.cs", line=12, code="CP0002",
            text="Breaking (CP0002): Member 'int Orchard.Tree.Height' exists on the old side but not on the new side."),
    Finding(kind="tests", severity=Severity.WARNING, file="src/Leaf.cs", line=3,
            places=("Orchard.Tests.LeafTests.Falls",), text="No test reaches Orchard.Leaf.Fall, which changed."),
)  # fmt: skip


class Reviewed(StageReview):
    """Half of a change set was looked at, and something said of it."""

    def review(self, *_: object, **__: object) -> ReviewAnswer:
        lost = DroppedComment(
            comment=ReviewComment(text="What is this?"), reason="The code that it quotes was deleted."
        )
        return ReviewAnswer(
            review=Review(id="R_1", change="main..topic", title="main..topic", comments=SAID, dropped=(lost,)),
            progress=ReviewProgress(
                hunks=9, reviewed=5, files=4, files_reviewed=2, next_file="src/Leaf.cs", next_line=3
            ),
            counts={"blocker": 1, "warning": 0, "suggestion": 0, "praise": 0, "question": 1}, findings=FOUND,
        )  # fmt: skip

    def since(self, _: str) -> Interdiff:
        lines = ("NEW_LINE_12: + var height = tree.Height;", "WAS: - var height = 0;")
        return Interdiff(
            looked_at=1,
            files=(
                InterdiffFile(path="src/Tree.cs", status="changed", hunks_new=1, hunks_same=2, lines=lines),
            ),
        )

    def publish(self, *_: object, **__: Any) -> Publication:
        text = "# Review: main..topic\n\n1 blocker\n\n## src/Tree.cs\n\n**Blocker** · lines 12 to 14 (kim, accepted)"
        return Publication(target="markdown", text=text, pending=("C_1",), preview=True)


def _reviewed() -> StageBench:
    bench = StageBench()
    bench.review = Reviewed(bench.changes)
    return bench


def _press(*keys: str) -> Act:
    async def act(stage: Stage) -> None:
        for key in keys:
            await stage.press(key)
            await stage.rest()

    return act


STATES: dict[str, Act] = {
    "since": _press("escape", "d", "Q"),
    "comment": _press("escape", "d", "Q", "down", "down"),
    "finding": _press("escape", "d", "Q", "down", "down", "down"),
    "publish": _press("escape", "d", "Q", "P"),
    "typed": _press("escape", "d", "C"),
}


@pytest.mark.parametrize("state", STATES)
async def test_state(snapshot: SnapshotAssertion, state: str) -> None:
    """How far the review is, each row with what it is, what is under the cursor in full; brackets and escape sequences
    of comments are only text. The box to type a comment into leaves the diff in sight."""
    async with on_stage(_reviewed()) as stage:
        with Album(snapshot, ("drawn", "narrow")) as album:
            await STATES[state](stage)
            await album.take(stage)

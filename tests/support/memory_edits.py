"""Structured edits and pasted answers on the stage: fixed plans, and what was written of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from services.edits.paste.result import Landing, Unplaced
from services.errors import EditConflict, UsageError
from services.model.writes import (
    EditAnswer,
    EditPlace,
    EditPreview,
    EditRequest,
    FileChange,
    PasteAnswer,
)
from services.source.write.file_edits import FileEdit
from services.workspace.text import decode

_OLD = "".join(f"line {n} [b]\x1b[31m\n" for n in range(1, 31))
_NEW = _OLD.replace("line 4 ", "row 4 ").replace("line 20 ", "row 20 ")
TREE = FileEdit("src/Tree.cs", decode(_OLD.encode()), _NEW.encode())
MADE = FileEdit("src/Leaf.cs", None, b"class Leaf { }\n")
LOST = Unplaced(
    "A line of its context is another in the file.",
    14,
    "src/Tree.cs",
    12,
    "int Heigth",
    "int Height [b]",
    (12,),
)


class StagePasting:
    """Two files, one of them of two hunks; a piece that does not land where the answer has `lost`."""

    def __init__(self) -> None:
        self.written: list[Sequence[FileEdit]] = []

    def plan(self, text: str) -> Landing:
        if "prose" in text:
            raise UsageError("There is no edit in the answer.")
        problems = (LOST,) if "lost" in text else ()
        return Landing(
            (TREE, MADE), problems, ("src/Row.cs",), ("The fence at line 3 was taken for an example.",)
        )

    def write(self, landing: Landing, edits: Sequence[FileEdit], *, rehearse: bool = False) -> PasteAnswer:
        self.written.append(edits)
        files = [FileChange(file=edit.path, token=None, line_count=1, diff="") for edit in edits]
        return PasteAnswer(group=1, files=tuple(files))


def _place(line: int, text: str, reason: str = "", file: str = "src/Tree.cs") -> EditPlace:
    return EditPlace(file=file, line=line, column=5, reason=reason, text=text)


_DIFF = "--- a/src/Tree.cs\n+++ b/src/Tree.cs\n@@ -6,1 +6,1 @@\n-public class Tree\n+public class {}\n"
CLASH = _place(8, "int Bush;", "There is a field Bush already.")


class StageRefactoring:
    """A rename of two sure places, one to decide and one in a comment; the name Bush clashes with a place that can be
    left out."""

    def __init__(self) -> None:
        self.asked: list[EditRequest] = []
        self.written: list[EditRequest] = []

    def preview(self, request: EditRequest) -> EditPreview:
        self.asked.append(request)
        if request.text == "1":
            raise UsageError("1 is no C# identifier.")
        decided = {*request.leave, *request.change}
        diff = FileChange(file="src/Tree.cs", token=None, line_count=1, diff=_DIFF.format(request.text))
        clash = (CLASH,) if request.text == "Bush" and "src/Tree.cs:8:5" not in request.leave else ()
        doubt = _place(9, "x.Tree [b]", "It is not certain which it means.", "src/Row.cs")
        preview = EditPreview(
            title=f"Rename Tree to {request.text}",
            files=(diff,),
            places=(_place(6, "public class Tree"), _place(8, "int Bush;")),
            undecided=(doubt,),
            listed=(_place(5, "// A tree \x1b[31m", "It stands in a string or a comment."),),
            conflicts=clash,
        )
        kept = tuple(
            each for each in preview.undecided if f"{each.file}:{each.line}:{each.column}" not in decided
        )
        return msgspec.structs.replace(preview, undecided=kept)

    def apply(self, requests: Sequence[EditRequest], **given: Any) -> EditAnswer:
        if any(request.text == "Late" for request in requests):
            raise EditConflict("Nothing was written. It clashes by now.", diagnostics=[])
        self.written += requests
        return EditAnswer(
            title="Rename Tree", written=True, group=1, places=2, files=self.preview(requests[0]).files
        )

"""Application of an answer to the files of a workspace: piece by piece, file by file, merged with changes made
meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.edits.paste.code.shapes import Form, source_of
from services.edits.paste.forms.pieces import CodePiece, FilePiece, Piece, WholeChange
from services.edits.paste.forms.reading import read_answer
from services.edits.paste.lines.hunks import Misfit
from services.edits.paste.lines.matching import Tier
from services.edits.paste.merging import merged, spoilt
from services.edits.paste.placing import FileVersion, Placement, made_of, place
from services.edits.paste.result import Landing, LandingDraft, Unplaced
from services.edits.paste.targets import PasteFiles, Targets
from services.edits.paste.whole import WholeFiles
from services.errors import CodeCortexError, UsageError
from services.source.text.placeholder import placeholders_in
from services.source.write.file_edits import FileEdit
from services.workspace.text import Text, decode

NO_EDIT = (
    "There is no edit in the answer. Diffs, SEARCH/REPLACE blocks, `*** Begin Patch` and source in fences are "
    "understood."
)


def land(text: str, files: PasteFiles, secrets: Mapping[str, str] | None = None) -> Landing:
    """Apply an answer to the files. `secrets`: the text behind each mark of a masked secret. Raises UsageError where
    there is no edit in it, or it was cut off."""
    return _Landing(files).land(read_answer(unmasked(text, secrets or {})))


def unmasked(text: str, secrets: Mapping[str, str]) -> str:
    """The text with masked secrets back as themselves; one of several lines with the lines that its mark took."""
    for mark in dict.fromkeys(placeholders_in(text)):
        if (secret := secrets.get(mark)) is not None:
            if lines := secret.count("\n"):
                text = text.replace(mark + "\n" * lines, secret)
            text = text.replace(mark, secret)
    return text


class _Landing:
    def __init__(self, files: PasteFiles) -> None:
        self._files = files
        self._targets = Targets(files)
        self._outcome = LandingDraft()
        self._whole = WholeFiles(files, self._targets, self._outcome)

    def land(self, pieces: Sequence[Piece]) -> Landing:
        """All pieces."""
        outcome, groups = self._outcome, dict[str, list[Piece]]()
        for piece in self._without_examples(pieces):
            found = self._targets.find(piece)
            if isinstance(found, Unplaced):
                outcome.problems.append(found)
            else:
                groups.setdefault(found, []).append(piece)
        for path, group in groups.items():
            self._file(path, group)
        if not (outcome.edits or outcome.problems or outcome.there):
            raise UsageError(NO_EDIT)
        paths = [edit.path for edit in outcome.edits]
        for path in {path for path in paths if paths.count(path) > 1}:
            outcome.problems.append(Unplaced("The answer makes the file in two ways.", 0, path))
        return outcome.landing()

    def _without_examples(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces without source that declares nothing and names no file, where diffs state the change."""
        is_said = any(isinstance(piece, FilePiece) for piece in pieces)
        kept: list[Piece] = []
        for piece in pieces:
            if is_said and isinstance(piece, CodePiece) and _is_example(piece):
                told = f"The fence at line {piece.line} of the answer was taken for an example."
                self._outcome.notes.append(told)
            else:
                kept.append(piece)
        return kept

    def _file(self, path: str, group: list[Piece]) -> None:
        first = group[0]
        refused = next((p.refusal for p in group if isinstance(p, FilePiece) and p.refusal), "")
        if (
            reason := f"That part of the diff is refused: {refused}."
            if refused
            else self._files.refusal(path)
        ):
            self._outcome.refuse(path, Misfit(reason, first.line))
            return
        try:
            now = self._files.read(path)
            if any(isinstance(piece, FilePiece) and piece.change is not WholeChange.EDIT for piece in group):
                self._as_a_whole(path, group, now)
            elif now is None and not self._targets.versions(path):
                self._new(path, group)
            else:
                self._edit(path, group, now)
        except CodeCortexError as error:
            self._outcome.refuse(path, Misfit(error.message, first.line))

    def _as_a_whole(self, path: str, group: list[Piece], now: Text | None) -> None:
        first = group[0]
        if len(group) > 1 or not isinstance(first, FilePiece):
            reason = "One piece of the answer changes the file as a whole, and another changes it too."
            self._outcome.refuse(path, Misfit(reason, group[-1].line))
        else:
            self._whole.change(path, first, now)

    def _new(self, path: str, group: list[Piece]) -> None:
        first = group[0]
        if len(group) > 1:
            self._outcome.refuse(path, Misfit("Two pieces of the answer make the same file.", group[1].line))
        elif isinstance(first, CodePiece):
            self._whole.make(path, first.lines, first.line, None)
        else:
            self._outcome.refuse(path, Misfit("There is no such file.", first.line))

    def _edit(self, path: str, group: list[Piece], now: Text | None) -> None:
        version, placed = self._placed(path, group)
        for misfit in placed.misfits:
            self._outcome.refuse(path, misfit)
        if placed.misfits and not placed.splices:
            return
        made = made_of(placed, version)
        if made == version.text.data:
            self._unchanged(path, group, version)
        elif now is None:
            reason = "It was there when it was handed over, and is gone."
            self._outcome.refuse(path, Misfit(reason, group[0].line))
        else:
            self._take(
                path, (version.text, decode(made, path, encoding=version.text.declared), now), group[0].line
            )

    def _placed(self, path: str, group: list[Piece]) -> tuple[FileVersion, Placement]:
        """The pieces in the first version that all of them fit; where none is, in that of now."""
        tried: list[tuple[FileVersion, Placement]] = []
        for version in self._targets.versions(path):
            placed = place(group, version)
            tried.append((version, placed))
            if not placed.misfits and placed.tier <= Tier.ENDS:
                return tried[-1]
            if version.seen and any(misfit.is_ambiguous for misfit in placed.misfits):
                return tried[-1]
        fitting = [each for each in tried if not each[1].misfits]
        if not fitting and (now := self._targets.now(path)) is not None:
            placed = place(group, now, applied_too=True)
            if not placed.misfits:
                return now, placed
        return min(fitting, key=lambda each: each[1].tier) if fitting else tried[-1]

    def _unchanged(self, path: str, group: list[Piece], version: FileVersion) -> None:
        """Nothing to do: source that only shows what was handed over is no edit."""
        if version.seen and all(isinstance(piece, CodePiece) for piece in group):
            self._outcome.notes.append(f"{path} is shown as it was handed over.")
        elif path not in self._outcome.there:
            self._outcome.there.append(path)

    def _take(self, path: str, texts: tuple[Text, Text, Text], line: int) -> None:
        """The version that was handed over, what the answer makes of it, and what is there now, as one text."""
        base, mine, now = texts
        made = merged(base, mine, now, line)
        if isinstance(made, list):
            for misfit in made:
                self._outcome.refuse(path, misfit)
        elif made == now.data:
            self._outcome.there.append(path)
        elif reason := spoilt(path, now, decode(made, path, encoding=now.declared)):
            self._outcome.refuse(path, Misfit(reason, line))
        else:
            self._outcome.edits.append(FileEdit(path, now, made))


def _is_example(piece: CodePiece) -> bool:
    """Whether a fence declares nothing and names no file."""
    return not piece.hint.certain and source_of(piece.lines).form is Form.OTHER

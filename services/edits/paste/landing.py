"""Application of an answer to the files of a workspace: each changed, made, removed or renamed file, piece by piece,
merged with the current version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from services.edits.paste.elisions import is_mark
from services.edits.paste.forms.pieces import CodePiece, FilePiece, Piece, WholeChange, unprefixed
from services.edits.paste.forms.reading import read_answer
from services.edits.paste.hunks import Misfit
from services.edits.paste.matching import Tier
from services.edits.paste.placing import FileVersion, Placement, made_of, place
from services.edits.paste.result import Landing, LandingDraft, Unplaced
from services.edits.paste.shapes import Form, source_of
from services.edits.paste.targets import PasteFiles, Targets
from services.errors import CodeCortexError, UsageError
from services.source.text.differ import merge
from services.source.text.edit import bare_lines
from services.source.text.placeholder import placeholders_in
from services.source.write.file_edits import FileEdit
from services.workspace.text import Text, decode

_WORDS = (".md", ".markdown", ".txt", ".yml", ".yaml", ".rst")


def merged(base: Text, mine: Text, theirs: Text, line: int) -> bytes | list[Misfit]:
    """The bytes that have both changes of a version; where both changed the same lines, the places. `line`: of the
    answer."""
    if base.data == theirs.data:
        return mine.data
    if (base.encoding, base.bom) != (theirs.encoding, theirs.bom):
        return [Misfit("Its encoding is another now.", line)]
    both = merge(base.lines(), mine.lines(), theirs.lines())
    reason = "Somebody else changed the same lines since they were handed over."
    found = [
        Misfit(
            reason, line, (conflict.start,), *_difference(conflict.mine, conflict.theirs), is_ambiguous=True
        )
        for conflict in both.conflicts
    ]
    return found or theirs.bom + theirs.encode("".join(both.lines))


def spoilt(path: str, before: Text | None, after: Text) -> str:
    """Why a text is not to be written: it would hold marks of what is left out, or of secrets, or no longer parse;
    empty if none of that is so."""
    lines, old = bare_lines(after), [] if before is None else bare_lines(before)
    known = {line.strip() for line in old}
    marks = [line for line in lines if is_mark(line) and line.strip() not in known]
    if marks and not path.lower().endswith(_WORDS):
        return f"It would write `{marks[0].strip()}`, which stands for lines that are left out."
    there = "" if before is None else before.content
    if unknown := [mark for mark in placeholders_in(after.content) if mark not in there]:
        return f"{unknown[0]} stands for a secret that no copy is known to have masked."
    if not path.lower().endswith((".cs", ".csx")) or source_of(lines).readable:
        return ""
    return "The file would no longer parse." if before is None or source_of(old).readable else ""


def _difference(mine: Sequence[str], theirs: Sequence[str]) -> tuple[str, str]:
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            return one.rstrip("\r\n"), other.rstrip("\r\n")
    return "".join(mine[:1]).rstrip("\r\n"), "".join(theirs[:1]).rstrip("\r\n")


class WholeFiles:
    """Changes of whole files, with their results in `outcome`."""

    def __init__(self, files: PasteFiles, targets: Targets, outcome: LandingDraft) -> None:
        self._files = files
        self._targets = targets
        self._outcome = outcome

    def change(self, path: str, piece: FilePiece, now: Text | None) -> None:
        """A file made, removed or renamed by a diff. `now`: the file of that path."""
        if piece.change is WholeChange.CREATE:
            lines = [line for hunk in piece.hunks for line in hunk.new]
            is_open = bool(piece.hunks and piece.hunks[-1].open_new)
            self.make(path, lines, piece.line, now, ended=not is_open)
        elif piece.change is WholeChange.DELETE:
            self._delete(path, piece, now)
        else:
            self._rename(path, piece, now)

    def make(
        self, path: str, lines: Sequence[str], line: int, now: Text | None, *, ended: bool = True
    ) -> None:
        """A new file of these lines. `line`: of the answer; `ended`: the last line has an ending."""
        kept = list(lines)
        while kept and not kept[-1].strip():
            kept.pop()
        ending = self._ending_beside(path)
        data = (ending.join(kept) + (ending if kept and ended else "")).encode("utf-8", "surrogateescape")
        if now is not None and [*map(str.rstrip, kept)] == [*map(str.rstrip, bare_lines(now))]:
            self._outcome.there.append(path)
        elif now is not None and now.data.strip():
            reason = "There is such a file already, with another text."
            self._outcome.refuse(path, Misfit(reason, line, is_ambiguous=True))
        elif reason := spoilt(path, None, decode(data, path)):
            self._outcome.refuse(path, Misfit(reason, line))
        else:
            self._outcome.edits.append(FileEdit(path, now, data))

    def _ending_beside(self, path: str) -> str:
        """The line ending of the files of a folder, where all that were handed over have the same."""
        folder = path.rpartition("/")[0]
        seen = self._targets.seen
        beside = [each for each in seen if each.rpartition("/")[0] == folder] or seen
        endings = {
            version.text.newline for each in beside[:20] for version in self._targets.versions(each)[:1]
        }
        return "\r\n" if endings == {"\r\n"} else "\n"

    def _delete(self, path: str, piece: FilePiece, now: Text | None) -> None:
        seen = self._files.seen(path)
        if now is None and seen:
            self._outcome.there.append(path)
        elif now is None:
            self._outcome.refuse(path, Misfit("There is no such file.", piece.line))
        elif not _is_as_taken(piece, seen[0] if seen else now, now):
            reason = "It is to go, but is not what the answer takes it for."
            self._outcome.refuse(path, Misfit(reason, piece.line))
        else:
            self._outcome.edits.append(FileEdit(path, now, None))

    def _rename(self, path: str, piece: FilePiece, now: Text | None) -> None:
        to = self._new_name(path, piece)
        if isinstance(to, Unplaced):
            self._outcome.problems.append(to)
            return
        if reason := self._files.refusal(to):
            self._outcome.refuse(to, Misfit(reason, piece.line))
            return
        there, made = self._files.read(to), self._after(path, piece, now)
        if isinstance(made, list):
            for misfit in made:
                self._outcome.refuse(path, misfit)
        elif now is None and there is not None and there.data == made:
            self._outcome.there.append(to)
        elif now is None or made is None:
            self._outcome.refuse(path, Misfit("It is to be renamed, and is not there.", piece.line))
        elif there is not None:
            self._outcome.refuse(path, Misfit(f"It is to be renamed, but there is a file {to}.", piece.line))
        elif reason := spoilt(to, now, decode(made, to, encoding=now.declared)):
            self._outcome.refuse(path, Misfit(reason, piece.line))
        else:
            self._outcome.edits += [FileEdit(path, now, None), FileEdit(to, None, made)]

    def _new_name(self, path: str, piece: FilePiece) -> str | Unplaced:
        """Return the new path of a renamed file: where the old path was found below some folders, the new one gets
        them too."""
        old, new = (unprefixed(each) for each in (piece.hint.paths[0], piece.to))
        if path.endswith(f"/{old}"):
            new = path[: -len(old)] + new
        found = self._targets.new_path(new)
        return replace(found, answer_line=piece.line) if isinstance(found, Unplaced) else found

    def _after(self, path: str, piece: FilePiece, now: Text | None) -> bytes | list[Misfit] | None:
        """The text of a renamed file; None where nothing is known of it."""
        versions = self._targets.versions(path)
        if not piece.hunks or not versions:
            known = now or next((version.text for version in versions), None)
            return None if known is None else known.data
        misfits: list[Misfit] = []
        for version in versions:
            placed = place([piece], version)
            misfits = placed.misfits
            if not misfits:
                after = decode(made_of(placed, version), path, encoding=version.text.declared)
                return after.data if now is None else merged(version.text, after, now, piece.line)
        return misfits


def _is_as_taken(piece: FilePiece, known: Text, now: Text) -> bool:
    """Whether a file that is to go is what was handed over, and what the diff takes away."""
    gone = [line.rstrip() for hunk in piece.hunks for line in hunk.old]
    return known.data == now.data and (not gone or gone == [*map(str.rstrip, bare_lines(now))])


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

"""Files that an answer makes, removes or renames."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from services.edits.paste.forms.paths import unprefixed
from services.edits.paste.forms.pieces import FilePiece, WholeChange
from services.edits.paste.lines.hunks import Misfit
from services.edits.paste.merging import merged, spoilt
from services.edits.paste.placing import made_of, place
from services.edits.paste.result import LandingDraft, Unplaced
from services.edits.paste.targets import PasteFiles, Targets
from services.source.text.edit import bare_lines
from services.source.write.file_edits import FileEdit
from services.workspace.text import Text, decode


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

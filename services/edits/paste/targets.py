"""Files that pieces are for: by the path they name, by the words around them, by what fits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Protocol

from services.edits.paste.forms.pieces import (
    CodePiece,
    FilePiece,
    Piece,
    WholeChange,
    alike,
    bare_path,
    matching,
    unprefixed,
)
from services.edits.paste.placing import FileVersion, fits_in, place
from services.edits.paste.result import Unplaced
from services.edits.paste.shapes import Form, source_of
from services.errors import CodeCortexError
from services.workspace.text import Text

_MOST_READ = 4_000
"""Files of a workspace that are looked through for lines or names that nothing else tells the place of."""
_KNOWN_ENDINGS = frozenset(
    re.findall(
        r"\w+",
        "cs csx csproj props targets sln slnx json xml xaml axaml razor cshtml md yml yaml toml txt config resx js ts "
        "tsx jsx css scss html sql py ps1 sh cmd bat editorconfig gitignore proto vb fs fsproj vbproj ruleset",
    )
)


class PasteFiles(Protocol):
    """Files of a workspace, as pasting sees them."""

    def seen(self, path: str) -> Sequence[Text]:
        """Return the versions of a file that models received, latest first; nothing for one that was never handed
        over."""
        ...

    def seen_paths(self) -> Sequence[str]:
        """The files that were handed over, those of the latest copy first."""
        ...

    def read(self, path: str) -> Text | None:
        """A file as it is now, None where there is none. Raises PathRefused, NotText, WorkspaceError."""
        ...

    def refusal(self, path: str, /) -> str:
        """Why a file is not to be written by an answer; empty where it may be."""
        ...

    def paths(self) -> Sequence[str]:
        """Every file of the workspace that git does not ignore."""
        ...


class Targets:
    """Finds the file of each piece."""

    def __init__(self, files: PasteFiles) -> None:
        self._files = files
        self._versions: dict[str, list[FileVersion]] = {}

    @cached_property
    def seen(self) -> list[str]:
        """The files that models were handed."""
        return list(dict.fromkeys(self._files.seen_paths()))

    @cached_property
    def known(self) -> list[str]:
        """All files, those that models were handed first."""
        return list(dict.fromkeys([*self.seen, *self._files.paths()]))

    def versions(self, path: str) -> list[FileVersion]:
        """Return the versions of a file that models saw, latest first, then the current one; nothing where there is
        none."""
        if path not in self._versions:
            made = [FileVersion(path, text, seen=True) for text in self._files.seen(path)]
            try:
                now = self._files.read(path)
            except CodeCortexError:
                now = None
            if now is not None and all(now.data != each.text.data for each in made):
                made.append(FileVersion(path, now, seen=False))
            self._versions[path] = made
        return self._versions[path]

    def now(self, path: str) -> FileVersion | None:
        """A file as it is now; None where there is none."""
        text = self._files.read(path)
        return None if text is None else FileVersion(path, text, seen=False)

    def find(self, piece: Piece) -> str | Unplaced:
        """The path of the file that a piece is for; that of a new file too."""
        if piece.hint.certain and self._is_file_name(piece.hint.paths[0]):
            there = (path for path in piece.hint.paths if self._matching(path))
            return self._named(piece, next(there, piece.hint.paths[0]))
        mentioned = [path for hint in piece.hint.paths[:40] for path in self._matching(hint)]
        for candidates in (dict.fromkeys(mentioned), self.seen, self._others):
            found = self._fitting(piece, candidates() if callable(candidates) else candidates)
            if len(found) == 1:
                return found[0]
            if found:
                return _several(piece, found)
        return Unplaced(
            "Which file it is for is not certain: it names none, and fits none.", piece.line, is_asked=True
        )

    def new_path(self, path: str) -> str | Unplaced:
        """Return the path of a new file as written, without `a/` or `b/`."""
        wanted = bare_path(path)
        if wanted.startswith(("a/", "b/")) and not self._has_folder(wanted.split("/", maxsplit=1)[0]):
            wanted = wanted[2:]
        folder = str(PurePosixPath(wanted).parent)
        if folder == "." or self._has_folder(folder):
            return wanted
        alike_folders = self._folders_like(folder)
        if alike_folders:
            told = ", ".join(alike_folders[:3])
            return Unplaced(f"There is no folder {folder}. Is {told} meant?", 0, wanted, is_asked=True)
        return wanted

    def _named(self, piece: Piece, path: str) -> str | Unplaced:
        found = self._matching(path)
        if len(found) > 1:
            fitting = self._fitting(piece, found)
            found = fitting if len(fitting) == 1 else found
        if len(found) == 1:
            return found[0]
        if found:
            return _several(piece, found)
        if _is_outside(path):
            return Unplaced(f"{path} leads out of the workspace.", piece.line, path)
        if _creates(piece):
            made = self.new_path(path)
            return (
                made
                if isinstance(made, str)
                else Unplaced(made.message, piece.line, made.file, is_asked=True)
            )
        near = self._fitting(piece, alike(path, self.seen))
        if len(near) == 1:
            return near[0]
        close, name = alike(path, self.known), unprefixed(path)
        hint = f" There is {', '.join(close[:3])}." if close else ""
        return Unplaced(f"There is no file {name}.{hint}", piece.line, name)

    def _matching(self, path: str) -> list[str]:
        """The files that a path may mean; the one that a model was handed before others alike."""
        if _is_outside(path):
            return []
        found = matching(path, self.known)
        if len(found) > 1:
            seen = [one for one in found if one in self.seen]
            return seen if len(seen) == 1 else found
        exact = next((one for one in (bare_path(path), unprefixed(path)) if self.versions(one)), "")
        return found or ([exact] if exact else [])  # there, though git ignores it

    def _fitting(self, piece: Piece, candidates: Iterable[str]) -> list[str]:
        """The candidates that a piece fits without a doubt."""
        return [
            path for path in candidates if any(_fits(piece, version) for version in self.versions(path)[:2])
        ]

    def _others(self) -> list[str]:
        """The files that no model was handed, as many as are looked through."""
        seen = {*self.seen}
        others = [
            path for path in self.known if path not in seen and path.endswith((".cs", ".razor", ".cshtml"))
        ]
        return others if len(others) <= _MOST_READ else []

    def _is_file_name(self, path: str) -> bool:
        """Whether a path is more than a name with a dot in it, as of a member."""
        ending = path.rpartition(".")[2].lower()
        return "/" in path or "\\" in path or ending in _KNOWN_ENDINGS or bool(matching(path, self.known))

    def _has_folder(self, folder: str) -> bool:
        start = folder.rstrip("/") + "/"
        return any(path.startswith(start) for path in self.known)

    def _folders_like(self, folder: str) -> list[str]:
        """Folders that end as one does which is not there, or that it ends as, or that has the same last two names."""
        folders = {str(PurePosixPath(path).parent) for path in self.known} - {"."}
        last = folder.rsplit("/", maxsplit=1)[-1]
        return sorted(
            one
            for one in folders
            if one.endswith(f"/{folder}") or folder.endswith(f"/{one}") or one.split("/")[-1] == last
        )


def _several(piece: Piece, found: Sequence[str]) -> Unplaced:
    told = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    return Unplaced(f"It may be for {len(found)} files: {told}.", piece.line, is_asked=True)


def _is_outside(path: str) -> bool:
    bare = unprefixed(path)
    return bare.startswith(("/", "~")) or ".." in bare.split("/") or (len(bare) > 1 and bare[1] == ":")


def _creates(piece: Piece) -> bool:
    """Whether a piece is all of a new file."""
    if isinstance(piece, FilePiece):
        return piece.change is WholeChange.CREATE
    from services.edits.paste.elisions import marks_in

    if marks_in(piece.lines):
        return False
    if not piece.hint.paths[0].lower().endswith((".cs", ".csx")):
        return True
    shown = source_of(piece.lines)
    return shown.readable and shown.form in (Form.FILE, Form.TYPES)


def _fits(piece: Piece, version: FileVersion) -> bool:
    if isinstance(piece, CodePiece):
        return len(fits_in(piece, version)) == 1
    return bool(piece.hunks) and not place([piece], version).misfits

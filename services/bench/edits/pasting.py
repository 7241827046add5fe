"""Answers pasted back into the workspace: what was handed over is looked up, what lands is written as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from services.bench.edits.writing import Writing
from services.edits.paste.landing import land
from services.edits.paste.result import Landing, Unplaced
from services.errors import CodeCortexError, EditConflict, FileMissing, VersionConflict
from services.model.writes import PasteAnswer
from services.prompt.receipts import HandedTexts, Receipts
from services.source.atomic.target import WriteTarget
from services.source.journal.actor import actor
from services.source.read.token import EMPTY, digest_of, parse_token, token_from
from services.source.text.placeholder import START
from services.source.write.file_edits import FileEdit
from services.workspace.files.root import Root
from services.workspace.scan.hidden import is_hidden
from services.workspace.scan.scan import batches
from services.workspace.source_kinds import is_generated
from services.workspace.state import StateFolder
from services.workspace.text import Text, decode

if TYPE_CHECKING:
    from services.model.writes import LocksAnswer
    from services.prompt.secrets.masking import Masker

_MOST_TOLD = 20
_NOTHING = "Nothing was written."


class PasteServices(msgspec.Struct, frozen=True):
    """Services that pasting uses. `masker`: that of the copies; `locks`: those that hold."""

    state: StateFolder
    masker: Callable[[], Masker]
    locks: Callable[[], LocksAnswer]


class Pasting:
    """Pasted answers of one workspace. Thread-safe."""

    def __init__(self, root: Root, writing: Writing, services: PasteServices) -> None:
        self._root = root
        self._writing = writing
        self._services = services

    def plan(self, text: str) -> Landing:
        """Return the changes that an answer makes to the current files, without writing. Raises UsageError where it
        contains no edit."""
        files = _Workspace(self._root, self._services)
        return land(text, files, files.secrets() if START in text else {})

    def paste(
        self, text: str, *, tokens: Mapping[str, str] | None = None, rehearse: bool = False
    ) -> PasteAnswer:
        """Write what an answer makes of the files, or nothing. `tokens`: of the files as a preview found them;
        `rehearse`: what would be written, without writing.

        Raises EditConflict where a piece does not land, UsageError, VersionConflict, and as Writing.write_edits."""
        landing = self.plan(text)
        if landing.problems:
            raise conflict_of(landing.problems)
        for path, token in (tokens or {}).items():
            _require_same(path, token, landing)
        return self.write(landing, landing.edits, rehearse=rehearse)

    def write(self, landing: Landing, edits: Sequence[FileEdit], *, rehearse: bool = False) -> PasteAnswer:
        """Write edits of a plan, all or none. Raises as Writing.write_edits."""
        done = self._writing.write_edits(edits, rehearse=rehearse)
        return PasteAnswer(
            group=done.group,
            files=done.files,
            already=landing.there,
            notes=landing.notes,
            tokens={edit.path: _token(edit) for edit in edits},
        )


def conflict_of(problems: Sequence[Unplaced]) -> EditConflict:
    """The refusal of an answer of which not all lands."""
    told = "".join(f"\n  {problem.sentence}" for problem in problems[:_MOST_TOLD])
    more = f"\n  and {len(problems) - _MOST_TOLD} more" if len(problems) > _MOST_TOLD else ""
    count = (
        "One piece of the answer does" if len(problems) == 1 else f"{len(problems)} pieces of the answer do"
    )
    return EditConflict(
        f"{_NOTHING} {count} not land:{told}{more}",
        diagnostics=[
            {
                "file": problem.file,
                "line": problem.line,
                "message": problem.message,
                "severity": "error",
                "answerLine": problem.answer_line,
                "wanted": problem.wanted,
                "found": problem.found,
                "places": list(problem.places),
            }
            for problem in problems
        ],
    )


def _token(edit: FileEdit) -> str:
    return EMPTY if edit.before is None else token_from(digest_of(edit.before.data), 0)


def _require_same(path: str, token: str, landing: Landing) -> None:
    """Raises VersionConflict where a file is no longer what a preview found."""
    edit = next((each for each in landing.edits if each.path == path), None)
    now = EMPTY if edit is None or edit.before is None else digest_of(edit.before.data)
    wanted = token if token == EMPTY else parse_token(token).digest
    if edit is None or now != wanted:
        raise VersionConflict(
            f"{_NOTHING} {path} is no longer what the preview showed. Look at it again.",
            object=path,
            expectedToken=token,
            currentToken=None if edit is None else _token(edit),
        )


class _Workspace:
    """Snapshot of the workspace's files for `services.edits.paste.targets.PasteFiles`."""

    def __init__(self, root: Root, services: PasteServices) -> None:
        self._root = root
        self._services = services
        self._texts = HandedTexts(services.state)
        self._read: dict[str, list[Text]] = {}

    @cached_property
    def _handed(self) -> dict[str, list[str]]:
        """The hashes of what was handed over, by path, latest first."""
        found: dict[str, list[str]] = {}
        for receipt in Receipts(self._services.state).list():
            for path, hash_ in receipt.files.items():
                hashes = found.setdefault(path, [])
                if hash_ not in hashes:
                    hashes.append(hash_)
        return found

    def seen(self, path: str) -> Sequence[Text]:
        """Return the copied versions of a file, latest first."""
        if path not in self._read:
            kept = (self._texts.read(hash_) for hash_ in self._handed.get(path, ()))
            self._read[path] = [
                text for data in kept if data is not None and (text := self._text(path, data))
            ]
        return self._read[path]

    def seen_paths(self) -> Sequence[str]:
        """The files that were handed over."""
        return list(self._handed)

    def read(self, path: str) -> Text | None:
        """A file as it is. Raises PathRefused, NotText, WorkspaceError."""
        try:
            with WriteTarget.open(self._root, path) as target:
                data = target.read()[0]
        except FileMissing:
            return None
        return None if data is None else decode(data, path, encoding=self._root.encoding)

    def refusal(self, path: str, /) -> str:
        """Why a file is not to be written by an answer."""
        try:
            path = self._root.normalise(path)
            if is_hidden(self._root, path):
                return "It is ignored by git, or leads out of the workspace: answers are not written there."
            text = self.read(path)
            if text is not None:
                with WriteTarget.hold(self._root, path) as target:
                    target.writable()
        except CodeCortexError as error:
            return error.message
        if is_generated(path, "" if text is None else text.content[:_HEAD]):
            return "It was written by a tool, which would overwrite the edit. Edit what it is made from."
        owner = str(actor())
        locked = (lock for lock in self._services.locks().locks if path in lock.files and lock.owner != owner)
        holder = next(locked, None)
        return "" if holder is None else f"It is locked by {holder.owner}."

    @cached_property
    def _paths(self) -> list[str]:
        names = [name for batch in batches(self._root) for name in batch]
        return [name.decode() for name in names if _is_utf8(name)]

    def paths(self) -> Sequence[str]:
        """Every file that git does not ignore."""
        return self._paths

    def secrets(self) -> dict[str, str]:
        """Return the secrets behind masked placeholders, among those copied and still present; ambiguous ones are
        left out."""
        masker, found = self._services.masker(), dict[str, set[str]]()
        for path in self.seen_paths():
            texts = [*self.seen(path)]
            try:
                now = self.read(path)
            except CodeCortexError:
                now = None
            for text in (*texts, *([] if now is None else [now])):
                data = text.content.encode("utf-8", "surrogatepass")
                for start, end, mark in masker.pieces(data, path):
                    found.setdefault(mark, set()).add(data[start:end].decode("utf-8", "surrogatepass"))
        return {mark: next(iter(secrets)) for mark, secrets in found.items() if len(secrets) == 1}

    def _text(self, path: str, data: bytes) -> Text | None:
        try:
            return decode(data, path, encoding=self._root.encoding)
        except CodeCortexError:
            return None


_HEAD = 4_000


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True

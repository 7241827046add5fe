"""Structured edits by the names people write: planned on the index, checked, written as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from services.bench.edits.writing import Writing
from services.bench.queries.lookup import Lookup, resolved
from services.edits.decisions import Decisions
from services.edits.places import NamedPlace, line_at, offset_of, parse_place, place_of
from services.edits.values import Place, Plan, Problem
from services.errors import Busy, CodeCortexError, EditConflict, UsageError, VersionConflict
from services.index.build.worker import as_utf8
from services.model import Resolved
from services.model.writes import EditAnswer, EditPlace
from services.settings import EditSettings
from services.source.read.reader import parse_location
from services.source.write.file_edits import FileEdit
from services.workspace.files.root import Root
from services.workspace.generated import is_generated
from services.workspace.scan.sweep import glob_filter
from services.workspace.text import Text, decode

if TYPE_CHECKING:
    from services.index.index import Index
    from services.index.usages.bound_texts import BoundTexts

_NOTHING = "Nothing was written."
_MOST_TOLD = 3


class Refactoring:
    """The structured edits of one workspace. `refresh`: brings the index up to date with the disk."""

    def __init__(
        self,
        root: Root,
        index: Index,
        lookup: Lookup,
        writing: Writing,
        *,
        settings: EditSettings,
        refresh: Callable[[], object],
    ) -> None:
        self._root = root
        self._index = index
        self._lookup = lookup
        self._writing = writing
        self._settings = settings
        self._refresh = refresh

    def rename(
        self, name: str, new: str, decisions: Decisions | None = None, *, rehearse: bool = False
    ) -> EditAnswer:
        """Give a symbol another name, everywhere. `name`: a symbol path, or the place of a name; `rehearse`: what would
        be written, without writing.

        Raises EditConflict where not all of it is certain, UsageError, SymbolNotFound, AmbiguousSymbol, and as
        Writing.write_edits."""
        from services.edits.rename.planner import RenamePlanner

        def planner(texts: BoundTexts) -> RenamePlanner:
            return RenamePlanner(texts, self._index.with_texts)

        place = parse_place(name)
        if place is not None and place.column:
            path = self._root.normalise(place.file)
            offset = offset_of(self._text(path)[1], place)
            plan = self._planned(lambda texts: planner(texts).at(path, offset, new))
            return self._answer(plan, decisions or Decisions(), None, rehearse=rehearse)
        found = self._lookup.sure(name)
        plan = self._planned(lambda texts: planner(texts).of(self._lookup.sure(name), new))
        return self._answer(plan, decisions or Decisions(), resolved(found), rehearse=rehearse)

    def extract(self, place: str, name: str, *, rehearse: bool = False) -> EditAnswer:
        """Make a method of the statements in lines of a file, `FILE:FIRST-LAST`. Raises as `rename`."""
        from services.edits.extract.planner import ExtractPlanner

        where = parse_location(place)
        if where.start is None:
            raise UsageError("Name the lines of the statements: path/File.cs:120-131.")
        path = self._root.normalise(where.path)
        text = self._text(path)[1]
        first = offset_of(text, NamedPlace(path, where.start, 0))
        end = text.find(b"\n", offset_of(text, NamedPlace(path, where.end or where.start, 0)))
        stretch = first, end if end >= 0 else len(text)

        def plan(texts: BoundTexts) -> Plan:
            return ExtractPlanner(texts, self._index.with_texts).plan(path, stretch, name)[0]

        return self._answer(self._planned(plan), Decisions(), None, rehearse=rehearse)

    def extract_interface(
        self, name: str, new: str, members: Sequence[str] = (), *, rehearse: bool = False
    ) -> EditAnswer:
        """Make an interface of public members of a type, all or those named. Raises as `rename`."""
        from services.edits.extract.interface import InterfacePlanner

        found = self._lookup.sure(name)

        def plan(texts: BoundTexts) -> Plan:
            return InterfacePlanner(texts, self._index.with_texts).plan(self._lookup.sure(name), new, members)

        return self._answer(self._planned(plan), Decisions(), resolved(found), rehearse=rehearse)

    def move(self, name: str, *, rehearse: bool = False) -> EditAnswer:
        """Move an outermost type to a file of its name. Raises as `rename`."""
        from services.edits.move_type import MovePlanner

        found = self._lookup.sure(name)
        if found.member is not None:
            raise UsageError("A type is moved, not a member.")

        def plan(texts: BoundTexts) -> Plan:
            return MovePlanner(texts, self._index.with_texts).plan(self._lookup.sure(name))

        return self._answer(self._planned(plan), Decisions(), resolved(found), rehearse=rehearse)

    def change_signature(
        self, name: str, parameters: str, decisions: Decisions | None = None, *, rehearse: bool = False
    ) -> EditAnswer:
        """Give a method another parameter list, and its calls. Raises as `rename`."""
        from services.edits.signature import SignaturePlanner

        found = self._lookup.sure(name)

        def plan(texts: BoundTexts) -> Plan:
            return SignaturePlanner(texts, self._index.with_texts).plan(self._lookup.sure(name), parameters)

        return self._answer(self._planned(plan), decisions or Decisions(), resolved(found), rehearse=rehearse)

    def _planned(self, make: Callable[[BoundTexts], Plan]) -> Plan:
        """A plan on files as they are: where one has changed since it was indexed, that is brought up to date first.
        Raises VersionConflict where one changes again meanwhile."""
        stale: set[str] = set()
        for _ in range(2):
            texts = self._index.bound_texts()
            if texts is None:
                raise Busy("The projects are not read yet. Ask again once the index is ready.")
            plan = make(texts)
            stale = texts.stale
            if not stale:
                return plan
            self._refresh()
        raise VersionConflict(f"{_NOTHING} {min(stale)} has changed meanwhile. Ask again.", object=min(stale))

    def _answer(
        self, plan: Plan, decisions: Decisions, told: Resolved | None, *, rehearse: bool
    ) -> EditAnswer:
        self._leave_ignored(plan)
        decisions.apply(plan)
        self._require_certain(plan, rehearse=rehearse)
        edits = self._edits(plan)
        done = self._writing.write_edits(edits, rehearse=rehearse)
        if not rehearse and done.files:
            self._refresh()
        return EditAnswer(
            title=plan.title,
            resolved=told,
            written=not rehearse and bool(done.files),
            group=done.group,
            places=len({(each.path, each.start) for each in plan.replacements if each.named}),
            files=done.files,
            moves=plan.moves,
            undecided=tuple(self._told(plan, each) for each in plan.doubtful if each.code),
            listed=tuple(self._told(plan, each) for each in plan.doubtful if not each.code),
            created=plan.created,
        )

    # What may be written

    def _leave_ignored(self, plan: Plan) -> None:
        """Places in files that the settings leave alone, or that a tool writes, are no longer changed."""
        ignored = glob_filter(self._settings.ignored) if self._settings.ignored != "none" else None
        for path in list(plan.by_path()):
            if ignored is not None and ignored(os.fsencode(path)):
                reason = "The settings (edits.ignored) leave its file alone."
            elif is_generated(path, plan.texts[path][:2_000].decode("utf-8", "replace")):
                reason = "A tool writes its file, and would write it again."
            else:
                continue
            plan.leave_file(path, reason)

    def _require_certain(self, plan: Plan, *, rehearse: bool) -> None:
        left = set(plan.left)
        problems = [each for each in plan.problems if (each.path, each.start) not in left]
        undecided = [each for each in plan.doubtful if each.code]
        if problems:
            where = self._diagnostics(plan, problems, "error")
            raise EditConflict(
                f"{_NOTHING} {plan.title}: {_sentence(where)}", diagnostics=where, title=plan.title
            )
        if undecided and not rehearse:
            where = self._diagnostics(
                plan, [Problem(each.path, each.start, each.reason) for each in undecided], "warning"
            )
            count = f"{len(where)} places are" if len(where) > 1 else "One place is"
            raise EditConflict(
                f"{_NOTHING} {plan.title}: {count} not certain. Leave each out or have it changed (`all` for all of "
                f"them). {_sentence(where)}",
                diagnostics=where,
                title=plan.title,
            )

    def _diagnostics(self, plan: Plan, problems: Sequence[Problem], severity: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for each in problems:
            text = plan.texts.get(each.path) or (self._text(each.path)[1] if each.path else b"")
            place = place_of(each.path, text, each.start)
            found.append(
                {
                    "file": each.path,
                    "line": place.line if each.path else 0,
                    "column": place.column,
                    "message": each.message,
                    "severity": severity,
                }
            )
        return found

    def _told(self, plan: Plan, place: Place) -> EditPlace:
        text = plan.texts[place.path]
        at = place_of(place.path, text, place.start)
        return EditPlace(
            file=place.path,
            line=at.line,
            column=at.column,
            reason=place.reason,
            text=line_at(text, place.start).strip(),
            code=place.code,
        )

    # Files

    def _text(self, path: str) -> tuple[Text, bytes]:
        """A file as it is, and as UTF-8, in which offsets count."""
        data = self._root.read(path)[0]
        encoding = self._root.encoding
        return decode(data, path, encoding=encoding), as_utf8(data, path, encoding)

    def _edits(self, plan: Plan) -> list[FileEdit]:
        """The files of a plan. Raises VersionConflict where one is no longer what was planned on."""
        found: list[FileEdit] = []
        changed = plan.changed_texts()
        for path in dict.fromkeys([*changed, *plan.moves]):
            before, text = self._text(path)
            if text != plan.texts[path]:
                raise VersionConflict(f"{_NOTHING} {path} has changed meanwhile. Ask again.", object=path)
            after = _encoded(before, changed.get(path, text))
            if path in plan.moves:
                found.append(FileEdit(path, before, None))
                found.append(FileEdit(plan.moves[path], None, after))
            else:
                found.append(FileEdit(path, before, after))
        found += [FileEdit(path, None, text) for path, text in plan.made.items()]
        return found


def _encoded(before: Text, after: bytes) -> bytes:
    """Convert UTF-8 to the encoding of the original file. Raises CodeCortexError for characters that it lacks."""
    if before.encoding == "utf-8":
        return after
    try:
        return before.bom + after.decode().removeprefix("\ufeff").encode(before.encoding)
    except UnicodeEncodeError as error:
        raise CodeCortexError(f"{_NOTHING} {before.encoding} cannot hold the new name.") from error


def _sentence(diagnostics: Sequence[dict[str, object]]) -> str:
    shown = [f"{each['file']}:{each['line']}: {each['message']}" for each in diagnostics[:_MOST_TOLD]]
    more = len(diagnostics) - len(shown)
    return " ".join([*shown, *([f"And {more} more."] if more else [])])

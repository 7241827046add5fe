"""Files of a workspace as the edits planned so far would leave them, so that several edits can be planned one on
another before any of them is written."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from services.bench.queries.lookup import Lookup
from services.edits.places import NamedPlace, Place, Plan, offset_of, parse_place
from services.errors import (
    AmbiguousSymbol,
    Busy,
    CodeCortexError,
    SymbolNotFound,
    UsageError,
    VersionConflict,
)
from services.index.build.worker import as_utf8
from services.index.usages.overlay import Overlay, OverlayText
from services.model.writes import EditKind, EditRequest
from services.source.read.reader import parse_location
from services.source.write.file_edits import FileEdit
from services.workspace.files.root import Root
from services.workspace.scan.scan import scan
from services.workspace.source_kinds import is_markup
from services.workspace.text import Text, decode

if TYPE_CHECKING:
    from services.index.index import Index
    from services.index.resolve.resolve import FoundSymbol
    from services.index.usages.bound_texts import BoundTexts

NOTHING = "Nothing was written."
_MOST_LISTED = 500
_LARGEST = 2_000_000


class _StagedFile(msgspec.Struct):
    """A file that edits change. `origin`: where it lies on disk, None for one that is made; `base`: the text there that
    was planned on; `text`: as the edits leave it. Texts are UTF-8."""

    origin: str | None
    base: bytes
    text: bytes


class Stage:
    """The workspace on disk, and what taken plans make of it. Of one version of the index."""

    def __init__(self, root: Root, index: Index, lookup: Lookup) -> None:
        """Raises Busy before the projects are known."""
        texts = index.bound_texts()
        if texts is None:
            raise Busy("The projects are not read yet. Ask again once the index is ready.")
        self._root = root
        self._index = index
        self._lookup = lookup
        self._texts: BoundTexts = texts
        self._overlay: Overlay | None = None
        self._pending: Plan | None = None
        self._files: dict[str, _StagedFile] = {}
        self.stale: set[str] = set()
        """Files that have changed on disk since they were indexed, as far as planning met them."""

    def plan(self, request: EditRequest) -> Plan:
        """The plan of an edit on the files as the plans taken so far leave them. Raises UsageError, SymbolNotFound,
        AmbiguousSymbol."""
        self._advance()
        made = self._plan(request)
        list_elsewhere(self._root, self._texts, made)
        self.stale |= self._texts.stale
        return made

    def take(self, plan: Plan) -> None:
        """Continue from the result of a plan."""
        self._pending = plan
        changed = plan.changed_texts()
        for path in dict.fromkeys([*changed, *plan.moves]):
            text = plan.texts[path]
            file = self._files.pop(path, None) or _StagedFile(path, text, text)
            file.text = changed.get(path, text)
            self._files[plan.moves.get(path, path)] = file
        self._files |= {path: _StagedFile(None, b"", text) for path, text in plan.made.items()}

    def edits(self) -> list[FileEdit]:
        """Return the edits to write. Raises VersionConflict where a file changed after planning."""
        found: list[FileEdit] = []
        for path, file in self._files.items():
            if file.origin is None:
                found.append(FileEdit(path, None, file.text))
                continue
            before, text = self._on_disk(file.origin)
            if text != file.base:
                raise VersionConflict(
                    f"{NOTHING} {file.origin} has changed meanwhile. Ask again.", object=file.origin
                )
            after = _encoded(before, file.text)
            if path == file.origin:
                found.append(FileEdit(path, before, after))
            else:
                found += [FileEdit(file.origin, before, None), FileEdit(path, None, after)]
        return found

    def moves(self) -> dict[str, str]:
        """New paths of files by the old ones."""
        return {
            file.origin: path
            for path, file in self._files.items()
            if file.origin is not None and file.origin != path
        }

    def text(self, path: str) -> bytes:
        """A file as it would be, in UTF-8."""
        file = self._files.get(path)
        return file.text if file is not None else self._on_disk(path)[1]

    # Planning

    def _advance(self) -> None:
        """Brings the index in memory to what the plan taken last leaves."""
        plan, self._pending = self._pending, None
        if plan is None:
            return
        plan = plan.of_csharp()
        changed = {
            path: OverlayText(text, plan.moves.get(path, path)) for path, text in plan.changed_texts().items()
        }
        for path, moved in plan.moves.items():
            changed.setdefault(path, OverlayText(plan.texts[path], moved))
        like = next(iter(changed), "")
        changed |= {path: OverlayText(text, path, like=like) for path, text in plan.made.items()}
        overlay = self._rebuilt(changed)
        if overlay is not None:
            self._overlay, self._texts = overlay, overlay.texts

    def _rebuilt(self, changed: Mapping[str, OverlayText]) -> Overlay | None:
        return self._index.with_texts(changed, over=self._overlay)

    def _plan(self, request: EditRequest) -> Plan:
        texts, name, text = self._texts, request.object, request.text
        match request.kind:
            case EditKind.RENAME:
                return self._rename(name, text)
            case EditKind.EXTRACT:
                return self._extract(name, text)
            case EditKind.INTERFACE:
                from services.edits.move_type import InterfacePlanner

                return InterfacePlanner(texts, self._rebuilt).plan(self._found(name), text, request.members)
            case EditKind.MOVE:
                from services.edits.move_type import MovePlanner

                found = self._found(name)
                if found.member is not None:
                    raise UsageError("A type is moved, not a member.")
                return MovePlanner(texts, self._rebuilt).plan(found)
            case EditKind.SIGNATURE:
                from services.edits.signature import SignaturePlanner

                return SignaturePlanner(texts, self._rebuilt).plan(self._found(name), text)

    def _rename(self, name: str, new: str) -> Plan:
        from services.edits.rename.planner import RenamePlanner

        planner = RenamePlanner(self._texts, self._rebuilt)
        place = parse_place(name)
        if place is None or not place.column:
            namespace = self._namespace(name)
            return planner.of_namespace(namespace, new) if namespace else planner.of(self._found(name), new)
        path = self._root.normalise(place.file)
        return planner.at(path, offset_of(self.text(path), place), new)

    def _namespace(self, name: str) -> str:
        """The namespace that a symbol path means, by its full name; empty where it means a symbol, or nothing."""
        if self._overlay is not None:
            return self._index.resolve_in(self._overlay, name).namespace
        return self._index.resolve(name).namespace

    def _extract(self, name: str, new: str) -> Plan:
        from services.edits.extract_planner import ExtractPlanner

        where = parse_location(name)
        if where.start is None:
            raise UsageError("Name the lines of the statements: path/File.cs:120-131.")
        path = self._root.normalise(where.path)
        text = self.text(path)
        first = offset_of(text, NamedPlace(path, where.start, 0))
        end = text.find(b"\n", offset_of(text, NamedPlace(path, where.end or where.start, 0)))
        stretch = first, end if end >= 0 else len(text)
        return ExtractPlanner(self._texts, self._rebuilt).plan(path, stretch, new)[0]

    def _found(self, name: str) -> FoundSymbol:
        """The one symbol of a name, as the plans taken so far leave it. Raises UsageError for one that another
        configuration declares."""
        found = self._sure(name)
        if condition := found.declaration.condition:
            raise UsageError(
                f"{found.declaration.name} is declared in another configuration ({condition}): what uses it is not "
                "known for certain, so that it is changed by hand."
            )
        return found

    def _sure(self, name: str) -> FoundSymbol:
        if self._overlay is None:
            return self._lookup.sure(name)
        resolution = self._index.resolve_in(self._overlay, name)
        if resolution.one is not None and not resolution.is_guess:
            return resolution.one
        if len(resolution.found) > 1:
            raise AmbiguousSymbol(
                f"{name!r} may mean {len(resolution.found)} symbols. Write more of its path."
            )
        raise SymbolNotFound(f"{name!r} not found in what the edits before it make of the files.")

    def _on_disk(self, path: str) -> tuple[Text, bytes]:
        """A file as it is, and as UTF-8, in which offsets count."""
        data = self._root.read(path)[0]
        encoding = self._root.encoding
        return decode(data, path, encoding=encoding), as_utf8(data, path, encoding)


def _encoded(before: Text, after: bytes) -> bytes:
    """Convert UTF-8 to the encoding of the original file. Raises CodeCortexError for characters that it lacks."""
    if before.encoding == "utf-8":
        return after
    try:
        return before.bom + after.decode().removeprefix("\ufeff").encode(before.encoding)
    except UnicodeEncodeError as error:
        raise CodeCortexError(f"{NOTHING} {before.encoding} cannot hold the new name.") from error


_BUILD_FILES = (".csproj", ".props", ".targets", ".projitems")


def list_elsewhere(root: Root, texts: BoundTexts, plan: Plan) -> None:
    """Lists the old name in markup and project files, for a person to decide on: they are not changed by themselves."""
    name, new = plan.renamed
    if not name:
        return
    word = re.compile(rb"(?<![\w\x80-\xff])" + re.escape(name.encode()) + rb"(?![\w\x80-\xff])")
    found = 0
    paths = {entry.path for entry in texts.catalogue.files if entry is not None and is_markup(entry.path)}
    paths |= {each.path for each in scan(root, suffixes=_BUILD_FILES).files}
    for path in sorted(paths):
        suffix = path[path.rfind(".") :].lower()
        try:
            data = root.read(path, limit=_LARGEST)[0]
        except CodeCortexError:
            continue
        text = as_utf8(data, path, root.encoding)
        for each in word.finditer(text):
            if found >= _MOST_LISTED:
                return
            found += 1
            plan.texts.setdefault(path, text)
            reason = f"It stands in a {suffix} file."
            for old in plan.moves if suffix in _BUILD_FILES else ():
                if text.startswith(posixpath.basename(old).encode(), each.start()):
                    plan.named[path, each.start()] = old
                    reason = f"It names {old}, which keeps its name unless this is changed too."
            plan.doubtful.append(Place(path, *each.span(), reason, code=False, text=new))

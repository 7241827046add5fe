"""Curating the prompt window: what people name becomes items, checked against the disk before they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from services.bench.items.embedded import chosen_hunk, chosen_note, chosen_search, hunks_of
from services.bench.items.pack_items import ScopeItems
from services.bench.items.system_items import KIND as SYSTEM_ITEM
from services.bench.items.system_items import SystemItems
from services.bench.items.window_items import WindowItems
from services.bench.window.usage import RecentUse
from services.errors import CodeCortexError, PathRefused, SymbolNotFound, UsageError
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.measures import Measures
from services.model import ContextItem, GrepAnswer, Level, Window
from services.model.source import is_adt
from services.prompt.items import KINDS, SCOPES, Chosen, ItemKey, Request, at_level
from services.prompt.render.ladder import WindowOptions
from services.prompt.render.renderer import View
from services.prompt.render.shown import Rendering
from services.prompt.state import WindowState
from services.prompt.vault import Vault
from services.prompt.window import PromptWindow
from services.source.read.reader import SourceReader, parse_location
from services.source.read.token import Version
from services.source.text.differ import diff_of
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.bench.queries.sources import Grep

_ABOUT_TYPES = ("pack", "semantic", *SCOPES)
_WITHOUT_LINES = (Level.SIGNATURE, Level.OUTLINE)


class WindowServices(msgspec.Struct, frozen=True, kw_only=True):
    """Services of a workspace behind the window. `find` leads a path to its one symbol and raises SymbolNotFound,
    AmbiguousSymbol; `refresh` brings the index up to date with the disk, `relate` works out which types name which."""

    root: Root
    state: StateFolder
    vault: Vault
    index: Index
    reader: SourceReader
    grep: Callable[[Grep, str | None], GrepAnswer]
    content: WindowItems
    usage: RecentUse
    measures: Measures
    find: Callable[[str], FoundSymbol]
    refresh: Callable[[], object]
    relate: Callable[[], object]


class Curation:
    """The prompt window by what people write: symbol paths, files, ranges, keys. Thread-safe."""

    def __init__(self, ground: WindowServices, *, options: WindowOptions, systems: SystemItems) -> None:
        self._services = ground
        self._systems = systems
        self.scopes = ScopeItems(ground.index, ground.content)
        ground.content.add_kind(
            SYSTEM_ITEM, version=systems.version, renderer=systems.render, files=systems.files
        )
        self._window = PromptWindow(
            ground.state, ground.content, options=options, vault=ground.vault, shared=ground.state.shared
        )

    @property
    def content(self) -> WindowItems:
        """Renderers of the items; other kinds of item are registered there."""
        return self._services.content

    @property
    def unchecked(self) -> PromptWindow:
        """The window by keys, which nothing has checked against the disk."""
        return self._window

    def rendering(self, form: str = "md", *, view: View | None = None) -> Rendering:
        """The window and what it shows of each item, after every file it is made from was looked at again; as `view`
        has it."""
        self._verify()
        measures = self._services.measures
        with measures.timed("prompt.render.ms"):
            made = self._window.rendering(form, view=view)
        window = made.window
        measures.add("prompt.budget.usage.ratio", window.tokens / window.budget if window.budget else 0.0)
        return made

    def render(self, *, format: str = "md") -> Window:  # noqa: A002
        """The window as it is, after every file it is made from was looked at again."""
        return self.rendering(format).window

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it, pinned or recent."""
        return not self._window.requests()

    def pin(
        self,
        path: str,
        *,
        level: str | None = None,
        members: Sequence[str] = (),
        force: bool = False,
    ) -> Window:
        """Pin a symbol, a file or a range. `members`: those of a type whose bodies to show, or that its outline lists,
        named within it or by id.

        Raises SymbolNotFound, AmbiguousSymbol, LineOutOfRange, BudgetExceeded, and UsageError for a level that it does
        not have."""
        return self._checked().pin_all((self._chosen(path, level, members),), force=force)

    def pin_offered(
        self, items: Iterable[ContextItem], *, level: str | None = None, force: bool = False
    ) -> Window:
        """Pin all of these as they are offered, or at another level, or none. Raises as `pin`."""
        chosen = [
            self._chosen(item.symbol.id, level or str(item.level), () if level else item.members)
            for item in items
        ]
        return self._checked().pin_all(chosen, force=force)

    def pin_note(self, text: str, *, force: bool = False) -> Window:
        """Pin words for the model to read. Raises UsageError for none, BudgetExceeded."""
        if not text.strip():
            raise UsageError("A note needs words.")
        return self._checked().pin_all((chosen_note(text),), force=force)

    def pin_search(
        self,
        grep: Grep,
        path: str | None = None,
        *,
        force: bool = False,
    ) -> Window:
        """Search and pin what is found. Raises as Sources.grep, UsageError where nothing is found, BudgetExceeded."""
        return self.pin_found(self._services.grep(grep, path), context=grep.context, force=force)

    def pin_found(self, answer: GrepAnswer, *, context: int = 0, force: bool = False) -> Window:
        """Pin what a search has found. Raises UsageError where that is nothing, BudgetExceeded."""
        if not answer.matches:
            raise UsageError(f"Nothing matches {answer.pattern!r}; there is nothing to pin.")
        chosen = chosen_search(answer, lead=self._services.content.anchors.lead, context=context)
        return self._checked().pin_all((chosen,), force=force)

    def pin_hunk(self, file: str, diff: str, *, force: bool = False) -> Window:
        """Pin one hunk of a file's diff, from its `@@` line on. Raises UsageError for another text,
        BudgetExceeded."""
        try:
            path = self._services.root.normalise(file)
            chosen = chosen_hunk(path, diff, lead=self._services.content.anchors.lead(path))
        except ValueError as error:
            raise UsageError(f"This is no hunk of a diff: {error}.") from error
        return self._checked().pin_all((chosen,), force=force)

    def pin_changes(self, path: str, *, force: bool = False) -> Window:
        """Pin the hunks in which a file, or lines of it, differ from git's HEAD. Raises UsageError where none do,
        WorkspaceError, BudgetExceeded."""
        place = parse_location(path)
        file = self._services.root.normalise(place.path)
        if not self._services.reader.is_file(file):
            raise UsageError(
                f"There is no file {place.path!r}: changes are pinned of a file, or of lines of one."
            )
        before, after = (
            self._services.reader.content(file, version)[1] for version in (Version.HEAD, Version.WORKING)
        )
        first, last = place.start or 1, place.end or after.line_count
        lead = self._services.content.anchors.lead(file)
        found = [
            chosen_hunk(file, text, lead=lead)
            for start, end, text in hunks_of(diff_of(file, before, after))
            if start <= last and first <= end
        ]
        if not found:
            raise UsageError(f"{path} is as it is in git's HEAD; there is nothing to pin.")
        return self._checked().pin_all(found, force=force)

    def set_level(self, path: str, level: str, *, members: Sequence[str] = (), force: bool = False) -> Window:
        """Show an item of the window at another level from now on. Raises UsageError if it is not in the window or has
        no such level, SymbolNotFound, AmbiguousSymbol, BudgetExceeded."""
        key = self._present(path)
        ids = self._members(key, members)
        return self._checked().set_level(key, KINDS[key.kind].level(level), members=ids, force=force)

    def around(self, path: str) -> tuple[tuple[str, int], ...]:
        """The namespaces, folder and projects of a symbol or a file, by their keys, the innermost first,
        each with its number of types. Raises SymbolNotFound, AmbiguousSymbol."""
        key = self._key(path)
        if key.is_symbol:
            whole = self._services.find(path).whole
            found = [(whole.index, file) for file in self._services.content.files_of_symbol(whole.id)]
        else:
            files = self._services.content.files_of_all([Request(key=key, level=KINDS[key.kind].usual)])
            found = [(at, file) for file in sorted(files) for at in self._services.index.files.types_in(file)]
        return tuple(
            (str(key), count) for at, file in found[:1] for key, count in self.scopes.around(at, file)
        )

    def cost_at(self, path: str, level: str) -> int:
        """Tokens that an item of the window would take at another level; 0 where nothing is shown of it then. Raises as
        `set_level`."""
        key = self._present(path)
        wanted = KINDS[key.kind].level(level)
        request = next((each for each in self._window.requests() if each.key == key), None)
        asked = at_level(request, wanted) if request is not None else Request(key=key, level=wanted)
        return self._checked().costs([asked])[0] or 0

    def costs(self, ids: Sequence[str], *, level: str = "") -> dict[str, int]:
        """Return the tokens that types and members would take if they were pinned, at their usual level or another, by
        id; ids that lead nowhere are left out. Raises UsageError for a level that there is not."""
        keys = [ItemKey.of_symbol(id_) for id_ in ids]
        kinds = [KINDS[key.kind] for key in keys]
        levels = [kind.level(level) if level else kind.usual for kind in kinds]
        found = self._window.costs([Request(key=key, level=at) for key, at in zip(keys, levels, strict=True)])
        return {id_: tokens for id_, tokens in zip(ids, found, strict=True) if tokens is not None}

    def move(self, path: str, *, before: str | None = None, after: str | None = None) -> Window:
        """Move a pinned item right before or after another. Raises UsageError if either is not pinned, or unless one
        place is named; SymbolNotFound, AmbiguousSymbol."""
        beside = before if before is not None else after
        if beside is None or (before is not None and after is not None):
            raise UsageError("Name one item: the one before which, or the one after which, it should stand.")
        return self._checked().move(
            self._present(path), beside=self._present(beside), after=after is not None
        )

    def unpin(self, path: str) -> Window:
        """Make a pinned item a recent one. Raises UsageError if it is not pinned."""
        return self._checked().unpin(self._present(path))

    def pin_recent(self, *, force: bool = False) -> Window:
        """Pin all that is recent, or nothing. Raises UsageError where nothing is, BudgetExceeded."""
        if not self._window.state().recent:
            raise UsageError("Nothing is recent: there is nothing to take in.")
        return self._checked().pin_recent(force=force)

    def clear_recent(self) -> Window:
        """Take all that is recent out of the window."""
        return self._checked().clear_recent()

    def dismiss(self, path: str) -> Window:
        """Take an item out of the window. Raises UsageError if it is not in it."""
        return self._checked().dismiss(self._present(path))

    def restore(self, state: WindowState) -> Window:
        """Put other items in the place of all there are, as they are now. Raises ReadOnly."""
        self._window.restore(state)
        return self.render()

    def visit(self, path: str) -> None:
        """Count a symbol as used now: it rises in searches and enters the window's recent part."""
        key = self._key(path)
        if key.is_symbol:
            self._services.usage.visit(key.target)
            self._services.index.remember(self._services.usage.weights())
        self._window.visit(key)

    def shows_lines_of(self, files: Iterable[str]) -> bool:
        """Whether an item that shows source, not outlines alone, is made from one of these files."""
        shown = [each for each in self._window.requests() if each.level not in _WITHOUT_LINES]
        return bool(shown) and not self._services.content.files_of_all(shown).isdisjoint(files)

    def read_systems_again(self) -> None:
        """Read pinned objects of SAP systems again, so that the window has them as they are there. Those of a system
        that does not answer say so in the window."""
        changed = self._systems.refreshed(self._window.requests())
        if changed:
            self._window.pin_all(changed, force=True)

    def _chosen(self, path: str, level: str | None, members: Sequence[str]) -> Chosen:
        if is_adt(path):
            return self._systems.chosen(path, level)
        key = self._key(path)
        if key.kind in SCOPES:
            self.scopes.require(key)
        ids = self._members(key, members)
        if level is None and ids:
            level = Level.BODIES
        known = self._window.state().find(str(key))
        if known is None and (place := parse_location(key.target)).start is not None and key.kind == "range":
            self._services.reader.bounds(place.path, start=place.start, end=place.end)
        return Chosen(
            key=key,
            level=None if level is None else KINDS[key.kind].level(level),
            members=ids,
            data=known.data if known is not None else {},
        )

    def _members(self, key: ItemKey, names: Sequence[str]) -> tuple[str, ...]:
        """The ids of members of a type. Raises UsageError where the item is no type, SymbolNotFound,
        AmbiguousSymbol."""
        if names and key.kind != "type":
            raise UsageError(f"{key} is no type: it has no members to choose of.", key=str(key))
        ids = [id_ for name in names for id_ in self._member(key.target, name)]
        return tuple(dict.fromkeys(ids))

    def _member(self, type_id: str, name: str) -> list[str]:
        """A member by its id, or all overloads of a name."""
        whole = self._services.find(type_id).whole
        declared = [member for member in whole.members if not member.implicit]
        found = [member.id for member in declared if name in (member.id, member.declaration.name)]
        if not found:
            from difflib import get_close_matches

            close = get_close_matches(name, {member.declaration.name for member in declared})
            hint = f" Did you mean {', '.join(close)}?" if close else ""
            raise SymbolNotFound(f"{whole.entry.name} has no member {name!r}.{hint}", suggestions=close)
        return found

    def _checked(self) -> PromptWindow:
        """The window, after every file it is made from was looked at again."""
        self._verify()
        return self._window

    def _verify(self) -> None:
        """Refreshes the index where a file of the window is not as it was indexed: nothing stale is rendered."""
        requests = self._window.requests()
        if not requests:
            return
        if self._services.index.files.are_stale(self._services.content.files_of_all(requests)):
            self._services.refresh()
        if any(request.key.is_symbol or request.key.kind in _ABOUT_TYPES for request in requests):
            self._services.relate()

    def _key(self, path: str) -> ItemKey:
        """The window key of what people write: a key itself, a symbol, a file or a range of one, a namespace, a
        folder."""
        if path.partition(":")[0] in KINDS and ":" in path:
            return ItemKey.parse(path)
        try:
            return self._in_file(path) or ItemKey.of_symbol(self._services.find(path).id)
        except (PathRefused, SymbolNotFound):
            if (scope := self._scope(path)) is None:
                raise
            return scope

    def _in_file(self, path: str) -> ItemKey | None:
        """A file or a range of one; None for what is written otherwise. Raises PathRefused."""
        place = parse_location(path)
        if not self._services.reader.is_file(place.path):
            return None
        file = self._services.root.normalise(place.path)
        if self._services.index.is_stale(file):
            self._services.refresh()
        if place.start is not None and place.end is not None:
            return ItemKey("range", f"{file}:{place.start}-{place.end}")
        return ItemKey("file", file)

    def _scope(self, path: str) -> ItemKey | None:
        """The namespace or folder of a name, if there is one that has types."""
        if namespace := self._services.index.resolve(path).namespace:
            return ItemKey("namespace", namespace)
        folder = ItemKey.parse(f"folder:{path}") if path else None
        return folder if folder is not None and self.scopes.types_of(folder) else None

    def _present(self, path: str) -> ItemKey:
        """The key of an item of the window: also of one whose source is gone, by its key or the label it had."""
        state = self._window.state()
        entries = (*state.pinned, *state.recent)
        if any(entry.key == path for entry in entries):
            kind, _, target = path.partition(":")
            return ItemKey(kind, target)
        if is_adt(path):
            return self._systems.among(path, [entry.key for entry in entries])
        try:
            return self._key(path)
        except CodeCortexError:
            labelled = [entry.key for entry in entries if entry.label == path]
            if len(labelled) != 1:
                raise
            kind, _, target = labelled[0].partition(":")
            return ItemKey(kind, target)

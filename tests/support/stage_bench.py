"""Scripted workspace services: fixed values, gates that delay work, faults on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from services.bench.queries.sources import Grep
from services.errors import BudgetExceeded, Cancelled, PatternInvalid, ReadOnly, SymbolNotFound
from services.model import (
    ChangeSet,
    Commit,
    Definition,
    DiffLine,
    Direction,
    Draft,
    ExportAnswer,
    FileChange,
    FileHit,
    FolderEntry,
    GraphAnswer,
    GrepAnswer,
    GrepFile,
    GrepMatch,
    Hunk,
    ItemFlag,
    Kind,
    Notice,
    Omitted,
    OutlineAnswer,
    Progress,
    Project,
    Proposal,
    Relative,
    ResolveAnswer,
    Resolved,
    SearchAnswer,
    SearchHit,
    SourceRange,
    Span,
    Status,
    SymbolRef,
    TypeChange,
    Usage,
    UsagesAnswer,
    Window,
    WindowItem,
)
from services.review.opened import OpenedChange
from services.review.sources.source import GitChanges
from services.settings import Settings
from services.source.diffs.listing import DiffScope
from services.source.grep_search import GrepTotals
from tests.support.eventually import LIMIT
from tests.support.memory_advice import MemoryContext
from tests.support.memory_edits import StagePasting, StageRefactoring
from tests.support.memory_writing import MemoryWriting
from tests.support.stage_window import (
    StageAdvice,
    StageCopying,
    StageModels,
    StagePacks,
    StagePresets,
    StageUndo,
)

SOURCE = "\n".join(
    [
        "using System;",
        "",
        "namespace Orchard;",
        "",
        "/// <summary>A tree. \x1b[31mRed\x1b[0m is only text.</summary>",
        "public class Tree",
        "{",
        "\tpublic int Height { get; }",
        '\tpublic string Name => "[bold]pear";',
        "}",
        *(f"// line {n}" for n in range(11, 61)),
        "",
    ]
)
OUTLINE = """# Orchard.Tree  T_AAAAAAAA
class · src/Tree.cs:6-10

A tree. [bold] is only text.

## Public API
  + int Height { get; }
  + Row Neighbours(Species kind)
"""


def ref(id: str, kind: Kind, path: str, line: int) -> SymbolRef:  # noqa: A002
    """A symbol of src/Tree.cs."""
    container, _, label = path.rpartition(".")
    return SymbolRef(
        id=id,
        kind=kind,
        label=label,
        path=path,
        container=container,
        file="src/Tree.cs",
        start_line=line,
        end_line=line,
        project="Orchard",
        access="public",
    )


TREE = ref("T_AAAAAAAA", Kind.CLASS, "Orchard.Tree", 6)
HEIGHT = ref("T_AAAAAAAA_BBBBBB", Kind.PROPERTY, "Orchard.Tree.Height", 8)
ROW = ref("T_CCCCCCCC", Kind.INTERFACE, "Orchard.Row", 20)
SYMBOLS = (TREE, HEIGHT, ROW)


CHANGES = (
    FileChange(path="src/Tree.cs", status="modified", old_mode="100644", new_mode="100644", old_blob="a", added=1,
               deleted=1),
    FileChange(path="src/[b]Row.cs", status="untracked", new_mode="100644", added=2, deleted=0),
    FileChange(path="src/Old.cs", status="deleted", old_mode="100644", old_blob="b", added=0, deleted=1),
    FileChange(path="tree.png", status="modified", old_mode="100644", new_mode="100755", binary=True),
)  # fmt: skip
HUNKS = {
    "src/Tree.cs": (
        Hunk(old_start=6, old_count=3, new_start=6, new_count=3, lines=(
            DiffLine(text="public class Tree", old=6, new=6),
            DiffLine(text="\tpublic int Width { get; }", old=8, spans=((12, 17),)),
            DiffLine(text="\tpublic int Height { get; }", new=8, spans=((12, 18),)),
        )),
        Hunk(old_start=20, old_count=1, new_start=20, new_count=2, lines=(
            DiffLine(text="// line 20", old=20, new=20),
            DiffLine(text="// \x1b[31mline 21", new=21),
        )),
    ),
    "src/[b]Row.cs": (
        Hunk(old_start=0, old_count=0, new_start=1, new_count=2, lines=(
            DiffLine(text="interface Row", new=1), DiffLine(text="{ }", new=2, ended=False))),
    ),
    "src/Old.cs": (Hunk(old_start=1, old_count=1, new_start=0, new_count=0, lines=(DiffLine(text="old", old=1),)),),
}  # fmt: skip
COMMIT = Commit(id="c" * 40, short="cccccccc", author="A. Pear", at=1_700_000_000_000, subject="Taller [bold]trees",
                refs="HEAD -> main")  # fmt: skip


class StageChanges:
    """Fixed changes; `compared`: the requested scopes; `long`: hunks in place of those of a file, `sides`: the
    contents of every file; `read_as`: context and whether white space was ignored, each time."""

    def __init__(self) -> None:
        self.compared: list[DiffScope] = []
        self.read_as: list[tuple[int, bool]] = []
        self.files: tuple[FileChange, ...] = CHANGES
        self.long: dict[str, tuple[Hunk, ...]] = {}
        self.sides = ("", "\n" * 20 + "// line 21")
        self.fault: Exception | None = None

    def read(self, scope: DiffScope | None = None, *, cancel: threading.Event | None = None) -> ChangeSet:
        scope = scope or DiffScope()
        self.compared.append(scope)
        if self.fault is not None:
            raise self.fault
        signature = f"{scope} {len(self.files)}"
        return ChangeSet(title=scope.title, old="HEAD", new=scope.new, files=self.files, signature=signature)

    def hunks(self, change: FileChange, *, context: int = 3, ignore_space: bool = False) -> tuple[Hunk, ...]:
        self.read_as.append((context, ignore_space))
        return self.long.get(change.path) or HUNKS.get(change.path, ())

    def texts(self, change: FileChange) -> tuple[str, str]:
        return self.sides

    def commits(self, *, most: int = 200, skip: int = 0) -> tuple[Commit, ...]:
        return (
            COMMIT,
            Commit(id="d" * 40, short="dddddddd", author="B. Fig", at=1_600_000_000_000, subject="Rows"),
        )


class StageHunkEdits:
    """Hunk edits with the first hunk of every file staged; `done`: the requests."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str, int]] = []
        self.staging = self
        self.staged: dict[str, str] = {}

    def files(self, _: object) -> dict[str, str]:
        return self.staged

    def states(self, change: FileChange, hunks: Sequence[Hunk]) -> tuple[str, ...]:
        return ("staged", *("" for _ in hunks[1:])) if hunks else ()

    def toggle(self, change: FileChange, hunk: Hunk | None = None) -> str:
        self.done.append(("toggle", change.path, hunk.new_start if hunk else 0))
        return "staged"

    def discard(self, change: FileChange, hunk: Hunk | None = None) -> None:
        self.done.append(("discard", change.path, hunk.new_start if hunk else 0))


class StageHierarchy:
    """Tree is called by Height, which nothing calls. `is_read`: else neither is known yet."""

    is_read = True

    def step(
        self, path: str, direction: Direction, *, cancel: threading.Event | None = None
    ) -> tuple[Relative, ...]:
        outside = Relative(name="System.Object", note="outside")
        if direction is Direction.BASES:
            return (outside,)
        called = Relative(name=HEIGHT.path, symbol=HEIGHT, count=2, file=HEIGHT.file, line=12)
        return (called,) if path == TREE.id and self.is_read else ()


class StagePictures:
    """A picture of 42 tokens."""

    def picture(self) -> GraphAnswer:
        return GraphAnswer(nodes=(), edges=(), format="mermaid", text="classDiagram\n", tokens=42)


class StagePlaces:
    """Every line from 6 to 10 is in Tree; `meaning` is what every name means."""

    def __init__(self) -> None:
        self.meaning = Definition(name="Tree", symbols=(TREE,), certain=True)
        self.asked: list[tuple[str, int, int]] = []

    def enclosing(self, file: str, line: int) -> SymbolRef | None:
        return HEIGHT if line == 8 else TREE if 6 <= line <= 10 else None

    def definition(self, file: str, line: int, column: int) -> Definition:
        self.asked.append((file, line, column))
        return self.meaning

    def folder(self, path: str = "") -> tuple[FolderEntry, ...]:
        return (FolderEntry(path="src/Tree.cs"),) if path else (FolderEntry(path="src", files=1),)

    def files(self, query: str, *, most: int = 50) -> tuple[FileHit, ...]:
        path = "src/Tree.cs"
        return (FileHit(path=path, positions=(4,)),) if query and query.lower() in path.lower() else ()


class MemoryFiles:
    """Named files in memory."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)

    def write(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def path(self, name: str) -> Path:
        return Path("/state") / name


class NothingTyped:
    """Drafts without any stored one."""

    def drafts(self) -> tuple[Draft, ...]:
        return ()


class NothingProposed:
    """Proposals without any."""

    def listed(self, *, pending: bool = False) -> tuple[Proposal, ...]:
        return ()


class StageColours:
    """Colours of line comments. `asked`: the requested lines, each time."""

    def __init__(self, lines: Sequence[str], asked: list[set[int]]) -> None:
        self._lines = lines
        self._asked = asked

    def of(
        self, lines: Iterable[int], *, cancel: threading.Event | None = None
    ) -> dict[int, tuple[Span, ...]]:
        wanted = set(lines)
        self._asked.append(wanted)
        return {line: self._spans(self._lines[line - 1]) for line in wanted if line <= len(self._lines)}

    def _spans(self, line: str) -> tuple[Span, ...]:
        return (Span(start=0, end=len(line), style="comment"),) if line.startswith("//") else ()


class StageTopics:
    """Subscribers to changes of other processes."""

    def __init__(self, callbacks: list[Callable[[frozenset[str]], None]]) -> None:
        self._callbacks = callbacks

    def subscribe(self, callback: Callable[[frozenset[str]], None]) -> Callable[[], None]:
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)


class StageReview:
    """Change sets of `StageChanges`, without a review."""

    def __init__(self, changes: StageChanges) -> None:
        self._changes = changes
        self._opened: dict[str, OpenedChange] = {}

    def open(self, change: str, *, cancel: threading.Event | None = None) -> OpenedChange:
        source = GitChanges(self._changes, change)  # pyright: ignore[reportArgumentType]
        self._opened[source.name] = opened = OpenedChange(source, cancel=cancel)
        return opened

    def shown(self, change: str) -> OpenedChange:
        return self._opened.get(change) or self.open(change)

    def standing(self, _: str) -> None:
        return None

    def prepare(self) -> None:
        """Nothing has to be loaded."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def refuse(*_: object, **__: object) -> Any:
            raise ReadOnly("Reviews are not kept here.")

        return refuse


class StageBench:
    """Plays each of its services itself.

    `symbols`: what the index holds once it is built; `gates`: work of that name waits for its event;
    `calls`: what was asked for."""

    def __init__(self, *, symbols: Sequence[SymbolRef] = SYMBOLS, kept: bool = False) -> None:
        self.root = Path("/orchard")
        self.name = "Orchard"
        self.state = MemoryFiles()
        self.symbols = tuple(symbols)
        self.indexed = kept
        self.kept = kept
        self.calls: list[str] = []
        self.coloured: list[set[int]] = []
        self.source = SOURCE
        self.gates: dict[str, threading.Event] = {}
        self.hunks: list[str] = []
        self.notes: list[str] = []
        self.patching = NothingTyped()
        self.health = self
        self.writing = self.writer = MemoryWriting(self.calls)
        self.proposals = NothingProposed()
        self.pasting, self.refactoring = StagePasting(), StageRefactoring()
        self.greps: list[Grep] = []
        self.settings = Settings()
        self.undo = StageUndo()
        self.copying = StageCopying(self.render)
        self.advice = StageAdvice(self.render)
        self.context = MemoryContext()
        self.packs = StagePacks()
        self.presets = StagePresets(self.render)
        self.models = StageModels(self.calls)
        self.changes = StageChanges()
        self.review = StageReview(self.changes)
        self.hunk_edits = StageHunkEdits()
        self.hierarchy, self.pictures = StageHierarchy(), StagePictures()
        self.level_costs: dict[str, int] = {}
        self.places = StagePlaces()
        self.pinned: list[str] = []
        self.recent: list[str] = []
        self.omitted: tuple[Omitted, ...] = ()
        self.flags: tuple[ItemFlag, ...] = ()
        self.said: tuple[Notice, ...] = ()
        self.fault: Exception | None = None
        self.budget = 1_000
        self.subscribers: list[Callable[[tuple[TypeChange, ...]], None]] = []
        self.watching = "off"
        self.is_related = True
        self.shared: list[Callable[[frozenset[str]], None]] = []
        self.facade = self.index = self.lookup = self.outlines = self.sources = self
        self.window = self.sharing = self
        self.usages = self.exports = self
        self.topics = StageTopics(self.shared)

    @property
    def undoable(self) -> str:
        """The name of the change that undo reverts."""
        return self.undo.last

    @property
    def redoable(self) -> str:
        """The name of the change that redo makes again."""
        return self.undo.next

    def hold(self, name: str) -> threading.Event:
        """Work of that name waits until the answer is set."""
        self.gates[name] = threading.Event()
        return self.gates[name]

    def load(self) -> bool:
        return self.kept

    def refresh(
        self, *, progress: Callable[[Progress], None] | None = None, cancel: threading.Event | None = None
    ) -> tuple[TypeChange, ...]:
        self.calls.append("refresh")
        if progress is not None:
            progress(Progress(phase="Reading C#", done=1_204, total=3_000, elapsed=3.0))
        gate = self.gates.get("refresh")
        while gate is not None and not gate.wait(0.01):
            if cancel is not None and cancel.is_set():
                raise Cancelled("cancelled")
        if self.fault is not None:
            raise self.fault
        self.indexed = True
        return ()

    def relate(
        self, *, progress: Callable[[Progress], None] | None = None, cancel: threading.Event | None = None
    ) -> bool:
        return False

    def read_bodies(
        self, *, progress: Callable[[Progress], None] | None = None, cancel: threading.Event | None = None
    ) -> bool:
        if progress is not None:
            progress(Progress(phase="Reading bodies", done=1, total=4))
        self._wait("bodies")
        return False

    def listen(self) -> None:
        self.calls.append("listen")

    def watch(self) -> None:
        self.calls.append("watch")

    def pause_background(self) -> None:
        """Nothing is done in the background."""

    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        self.calls.append(f"search {query}")
        self._wait(f"search {query}")
        known = self.symbols if self.indexed else ()
        found = [symbol for symbol in known if query.lower() in symbol.label.lower()]
        hits = tuple(
            SearchHit(symbol=symbol, score=1.0, positions=tuple(range(len(query))))
            for symbol in found[:limit]
        )
        return SearchAnswer(query=query, hits=hits, total=len(found), searched=len(known), elapsed_ms=3.0)

    def resolve(self, path: str) -> ResolveAnswer:
        found = [symbol for symbol in self.symbols if path in (symbol.id, symbol.path, symbol.label)]
        if len(found) != 1:
            return ResolveAnswer(query=path, candidates=tuple(found))
        return ResolveAnswer(query=path, how="exact", symbol=found[0])

    def outline(self, path: str) -> OutlineAnswer:
        symbol = self.resolve(path).symbol
        if symbol is None:
            raise SymbolNotFound(f"{path!r} not found. Search for a part of its name.", suggestions=[])
        return OutlineAnswer(
            resolved=Resolved(path=symbol.path, type_id=symbol.id[:10]),
            symbol=symbol,
            text=OUTLINE if symbol == TREE else f"# {symbol.path}\n",
            tokens=60,
        )

    def read(self, object: str, *, start: int | None = None, end: int | None = None) -> SourceRange:  # noqa: A002
        count = self.source.count("\n")
        return SourceRange(
            object=object,
            file="src/Tree.cs",
            content=self.source,
            token="1_0123456789abcdef",
            line_count=count,
            start_line=1,
            end_line=count,
        )

    def grep(
        self,
        grep: Grep,
        object: str | None = None,  # noqa: A002
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> GrepAnswer:
        self.calls.append(f"grep {grep.pattern} in {object}")
        files = list(self.grep_files(grep, GrepTotals()))
        matches = tuple(match for file in files for match in file.matches)
        return GrepAnswer(
            pattern=grep.pattern, matches=matches, match_count=len(matches), line_count=9, object=object
        )

    def grep_files(
        self,
        grep: Grep,
        tally: GrepTotals,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[GrepFile]:
        self.greps.append(grep)
        if grep.pattern == "(":
            raise PatternInvalid("The pattern '(' cannot be read: missing ).", pattern="(")
        tally.searched = 2
        lines = SOURCE.split("\n")
        wanted = grep.pattern.lower() if grep.case_insensitive else grep.pattern
        found = [
            (at, line.lower().find(wanted) if grep.case_insensitive else line.find(wanted))
            for at, line in enumerate(lines)
        ]
        matches = tuple(
            GrepMatch(
                file="src/Tree.cs",
                line_number=at + 1,
                content=lines[at],
                spans=((column, column + len(wanted)),),
                context_after=tuple(lines[at + 1 : at + 1 + grep.context]),
            )
            for at, column in found
            if column >= 0
        )
        tally.matches = len(matches)
        if matches:
            yield GrepFile(
                file="src/Tree.cs", matches=matches, match_count=len(matches), line_count=len(lines)
            )

    def find(
        self,
        path: str,
        *,
        limit: int = 200,
        found: Callable[[Sequence[Usage]], object] | None = None,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> UsagesAnswer:
        self.calls.append(f"usages {path}")
        symbol = self.resolve(path).symbol
        if symbol is None:
            raise SymbolNotFound(f"{path!r} not found.", suggestions=[])
        spots = (
            Usage(file="src/Tree.cs", line=6, column=13, end_column=17, snippet="public class Tree", grade="bound",
                  kind="type", enclosing=TREE),
            Usage(file="src/Tree.cs", line=12, column=3, end_column=7, snippet="// line 12 \x1b[2J",
                  grade="name match", kind="call", enclosing=HEIGHT),
        )  # fmt: skip
        usages = spots if symbol == TREE else ()
        if found is not None and usages:
            found(usages[:1])
        self._wait("usages")
        if cancel is not None and cancel.is_set():
            raise Cancelled("cancelled")
        return UsagesAnswer(
            resolved=Resolved(path=symbol.path, type_id=symbol.id[:10]), symbol=symbol, usages=usages,
            total=len(usages), bound=min(1, len(usages)), truncated=False, elapsed_ms=2.0,
        )  # fmt: skip

    def set_level(self, path: str, level: str) -> Window:
        self.calls.append(f"level {path} {level}")
        return self.render()

    def move(self, path: str, *, before: str | None = None, after: str | None = None) -> Window:
        self.calls.append(f"move {path} before {before} after {after}")
        self.pinned.remove(path)
        at = self.pinned.index(before) if before else self.pinned.index(after or "") + 1
        self.pinned.insert(at, path)
        return self.render()

    def colours(self, lines: Sequence[str]) -> StageColours:
        return StageColours(lines, self.coloured)

    def render(self, *, format: str = "md") -> Window:  # noqa: A002
        self.calls.append("window")
        keys = [*((key, True) for key in self.pinned), *((key, False) for key in self.recent)]
        items = tuple(self._item(key, pinned=pinned) for key, pinned in keys)
        text = "".join(f"# {item.label}\n" for item in items)
        return Window(
            text=text,
            tokens=100 * len(items),
            budget=self.models.budget or self.budget,
            pinned_tokens=100 * len(self.pinned),
            soft_budget=600,
            **self.models.counted(100 * len(items)),
            items=items,
            omitted=self.omitted,
        )

    def pin(self, path: str, *, level: str | None = None, force: bool = False) -> Window:
        if level is not None:
            self.calls.append(f"pin {path} as {level}")
        self.calls.append(f"pin {path}")
        if len(self.pinned) >= 2 and not force:
            raise BudgetExceeded(
                "Pinning this takes 100 tokens, 40 are free.", needed=100, free=40, budget=600
            )
        self.pinned.append(self._key(path))
        self.recent = [key for key in self.recent if key not in self.pinned]
        return self.render()

    def pin_recent(self, *, force: bool = False) -> Window:
        self.calls.append("pin recent")
        for key in list(self.recent):
            self.pin(key, force=force)
        return self.render()

    def cost_at(self, path: str, level: str) -> int:
        return self.level_costs.get(level, 1)

    def pin_note(self, text: str, *, force: bool = False) -> Window:
        self.notes.append(text)
        return self.pin(f"note:{text}", force=force)

    def pin_hunk(self, file: str, diff: str, *, force: bool = False) -> Window:
        self.hunks.append(diff)
        return self.pin(f"hunk:{file}:6-8", force=force)

    def write(
        self,
        *,
        outlines: bool = False,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ExportAnswer:
        gate = self.gates.get("export")
        while gate is not None and not gate.wait(0.01):
            if progress is not None:
                progress(Progress(phase="Writing outlines", done=1, total=2, unit="types", elapsed=1.0))
            if cancel is not None and cancel.is_set():
                raise Cancelled("cancelled")
        return ExportAnswer(file="/state/index.json", changed=True, projects=1, types=2, outlines=2)

    def use_settings(self, settings: Settings) -> None:
        self.calls.append("take")
        self.settings = settings

    def unpin(self, path: str) -> Window:
        self.calls.append(f"unpin {path}")
        self.pinned.remove(self._key(path))
        self.recent.insert(0, self._key(path))
        return self.render()

    def dismiss(self, path: str) -> Window:
        self.calls.append(f"dismiss {path}")
        self.pinned = [key for key in self.pinned if key != self._key(path)]
        self.recent = [key for key in self.recent if key != self._key(path)]
        return self.render()

    def visit(self, path: str) -> None:
        self.calls.append(f"visit {path}")
        key = self._key(path)
        if key not in (*self.pinned, *self.recent):
            self.recent.insert(0, key)

    def note_states(self, _: Sequence[str]) -> dict[str, str]:
        return {}

    def costs(self, ids: Sequence[str]) -> dict[str, int]:
        self.calls.append(" ".join(("costs", *ids)))
        self._wait("costs")
        # By symbol, not by question: which of them are asked for together depends on timing.
        places = {symbol.id: place for place, symbol in enumerate(self.symbols)}
        return {id_: 40 + 10 * places[id_] for id_ in ids if id_ in places}

    def status(self) -> Status:
        return Status(
            root=str(self.root),
            state="ready" if self.indexed else "partial",
            projects=(Project(name="Orchard", path="Orchard.csproj"),),
            files=1,
            types=2,
            members=1,
            quality={"exact": 1},
            branch="main",
            memory_mb=10.0,
            measures={"symbol.resolve.ms": {"count": 21, "p50": 1.5, "p95": 120.0}, "outline.gen.count": 3},
            uptime_sec=754.0,
            types_indexed=2,
            p95_resolve_ms=120.0,
            alarms=(
                Notice(
                    severity="warning", message="Symbols resolve slowly.", what_to_do="Leave folders out."
                ),
            ),
            watching=self.watching,
            notices=self.said,
        )

    def notices(self) -> tuple[Notice, ...]:
        return self.said

    def subscribe(
        self,
        callback: Callable[[tuple[TypeChange, ...]], None],
        *,
        cosmetic: bool = False,
    ) -> Callable[[], None]:
        self.subscribers.append(callback)
        return lambda: self.subscribers.remove(callback)

    def close(self) -> None:
        self.calls.append("close")

    def _wait(self, name: str) -> None:
        if name in self.gates:
            assert self.gates[name].wait(LIMIT)

    def _key(self, path: str) -> str:
        if path.startswith(("type:", "member:", "range:", "hunk:", "note:", "pack:")):
            return path
        if not path.startswith("T_"):
            return f"range:{path}"
        return f"{'member' if path.count('_') > 1 else 'type'}:{path}"

    def _item(self, key: str, *, pinned: bool) -> WindowItem:
        kind, _, target = key.partition(":")
        symbol = self.resolve(target).symbol if kind in ("type", "member") else None
        return WindowItem(
            key=key,
            kind=kind,
            label=symbol.label if symbol else target,
            detail="src/Tree.cs",
            pinned=pinned,
            tokens=100,
            flags=self.flags,
            symbol_id=symbol.id if symbol else None,
            file="src/Tree.cs",
        )

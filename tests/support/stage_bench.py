"""A bench that plays what a test has it play: fixed values, gates that hold work up, faults on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from services.errors import BudgetExceeded, Cancelled, SymbolNotFound
from services.model import (
    ItemFlag,
    Kind,
    Notice,
    Omitted,
    OutlineAnswer,
    Progress,
    Project,
    ResolveAnswer,
    Resolved,
    SearchAnswer,
    SearchHit,
    SourceRange,
    Span,
    Status,
    SymbolRef,
    TypeChange,
    Window,
    WindowItem,
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


class StageBench:
    """`symbols`: what the index holds once it is built; `gates`: work of that name waits for its event;
    `calls`: what was asked for."""

    def __init__(self, *, symbols: Sequence[SymbolRef] = SYMBOLS, kept: bool = False) -> None:
        self.root = Path("/orchard")
        self.name = "Orchard"
        self.state = MemoryFiles()
        self.symbols = tuple(symbols)
        self.indexed = kept
        self.kept = kept
        self.calls: list[str] = []
        self.gates: dict[str, threading.Event] = {}
        self.pinned: list[str] = []
        self.recent: list[str] = []
        self.omitted: tuple[Omitted, ...] = ()
        self.flags: tuple[ItemFlag, ...] = ()
        self.said: tuple[Notice, ...] = ()
        self.fault: Exception | None = None
        self.budget = 1_000
        self.subscribers: list[Callable[[tuple[TypeChange, ...]], None]] = []

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

    def watch(self) -> None:
        self.calls.append("watch")

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
        count = SOURCE.count("\n")
        return SourceRange(
            object=object,
            file="src/Tree.cs",
            content=SOURCE,
            token="1_0123456789abcdef",
            line_count=count,
            start_line=1,
            end_line=count,
        )

    def highlight(self, text: str) -> tuple[tuple[Span, ...], ...]:
        return tuple(
            (Span(start=0, end=len(line), style="comment"),) if line.startswith("//") else ()
            for line in text.split("\n")
        )

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        self.calls.append("window")
        keys = [*((key, True) for key in self.pinned), *((key, False) for key in self.recent)]
        items = tuple(self._item(key, pinned=pinned) for key, pinned in keys)
        text = "".join(f"# {item.label}\n" for item in items)
        return Window(
            text=text,
            tokens=100 * len(items),
            budget=self.budget,
            pinned_tokens=100 * len(self.pinned),
            soft_budget=600,
            model="gpt-5",
            tokenizer="o200k_base",
            items=items,
            omitted=self.omitted,
        )

    def pin(self, path: str, *, force: bool = False) -> Window:
        self.calls.append(f"pin {path}")
        if len(self.pinned) >= 2 and not force:
            raise BudgetExceeded(
                "Pinning this takes 100 tokens, 40 are free.", needed=100, free=40, budget=600
            )
        self.pinned.append(self._key(path))
        self.recent = [key for key in self.recent if key not in self.pinned]
        return self.window()

    def unpin(self, path: str) -> Window:
        self.calls.append(f"unpin {path}")
        self.pinned.remove(self._key(path))
        self.recent.insert(0, self._key(path))
        return self.window()

    def dismiss(self, path: str) -> Window:
        self.calls.append(f"dismiss {path}")
        self.pinned = [key for key in self.pinned if key != self._key(path)]
        self.recent = [key for key in self.recent if key != self._key(path)]
        return self.window()

    def visit(self, path: str) -> None:
        self.calls.append(f"visit {path}")
        key = self._key(path)
        if key not in (*self.pinned, *self.recent):
            self.recent.insert(0, key)

    def token_costs(self, ids: Sequence[str]) -> dict[str, int]:
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
            measures={},
            watching="off",
            notices=self.said,
        )

    def notices(self) -> tuple[Notice, ...]:
        return self.said

    def subscribe(self, callback: Callable[[tuple[TypeChange, ...]], None]) -> Callable[[], None]:
        self.subscribers.append(callback)
        return lambda: self.subscribers.remove(callback)

    def close(self) -> None:
        self.calls.append("close")

    def _wait(self, name: str) -> None:
        if name in self.gates:
            assert self.gates[name].wait(10)

    def _key(self, path: str) -> str:
        if path.startswith(("type:", "member:", "range:")):
            return path
        if not path.startswith("T_"):
            return f"range:{path}"
        return f"{'member' if path.count('_') > 1 else 'type'}:{path}"

    def _item(self, key: str, *, pinned: bool) -> WindowItem:
        kind, _, target = key.partition(":")
        symbol = self.resolve(target).symbol if kind != "range" else None
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

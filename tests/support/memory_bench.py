"""Workspace services over three symbols in memory, as the faces use them, without a disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from services.bench.queries.sources import Grep
from services.errors import AmbiguousSymbol, SymbolNotFound
from services.model import (
    Access,
    ExportAnswer,
    GrepAnswer,
    GrepMatch,
    Kind,
    Notice,
    OutlineAnswer,
    Progress,
    ResolveAnswer,
    Resolved,
    SearchAnswer,
    SearchHit,
    SourcePiece,
    SourceRange,
    Status,
    Structure,
    StructurePart,
    Symbol,
    SymbolRef,
    Usage,
    UsagesAnswer,
    Window,
)
from services.prompt.secrets.masking import KnownSecret, Masker
from services.settings import Settings
from tests.support.memory_advice import MemoryAdvice, MemoryContext, MemoryPacks
from tests.support.memory_copying import MemoryCopying, MemoryModels, MemoryPresets, calibration
from tests.support.memory_proposals import MemoryProposals
from tests.support.memory_relations import MemoryHierarchy, MemoryPictures
from tests.support.memory_review import MemoryChanges, MemoryReview
from tests.support.memory_writing import MemoryBatches, MemoryRefactoring, MemoryWriting

SOURCE = "class Tree\r\n{\r\n\tint \x1b[31mheight;\r\n}\r\n"


def _symbol(symbol_id: str, kind: Kind, fqn: str, line: int) -> Symbol:
    return Symbol(
        id=symbol_id,
        kind=kind,
        fqn=fqn,
        name=fqn.rpartition(".")[2],
        accessibility=Access(declared="public", effective="public"),
        file="Tree.cs",
        start_line=line,
        end_line=line,
        project="Orchard",
        signature=fqn,
    )


SYMBOLS = (
    _symbol("T_00000001", Kind.CLASS, "Orchard.Tree", 1),
    _symbol("T_00000001_AAAAAA", Kind.FIELD, "Orchard.Tree.height", 3),
    _symbol("T_00000002", Kind.CLASS, "Forest.Tree", 1),
)


class PlaceThatStays:
    """A root that nobody moves."""

    def require_in_place(self) -> None:
        pass


class MemoryBench:
    """Services answered from `SYMBOLS` and `SOURCE`, with the calls in `calls`."""

    def __init__(self, root: Path, settings: Settings, *, kept: bool = True) -> None:
        self.root = root
        self.settings = settings
        self.files = PlaceThatStays()
        self.calls: list[str] = []
        self._kept = kept
        self.index = self.facade = self.lookup = self.outlines = self.usages = self.sources = self
        self.exports = self.window = self.state = self
        self.vault = self.content = self
        self.is_temporary = False
        self.health = self
        self.refactoring = MemoryRefactoring()
        self.batches = MemoryBatches()
        self.writing = self.writer = MemoryWriting(self.calls)
        self.proposals = MemoryProposals()
        self.review = MemoryReview()
        self.changes = MemoryChanges()
        self.packs = MemoryPacks()
        self.advice = MemoryAdvice()
        self.context = MemoryContext()
        self.copying = MemoryCopying()
        self.models = MemoryModels()
        self.presets = MemoryPresets(lambda: self.render(format="md"))
        self.models.calibrate = calibration

    def masker(self) -> Masker:
        """Return the masker of likely secrets."""
        return Masker(bytes(32))

    def known_in(self, file: str) -> tuple[KnownSecret, ...]:
        """The secrets of a file: none."""
        return ()

    def reading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def load(self) -> bool:
        self.calls.append("load")
        return self._kept

    def refresh(self, *, progress: Any = None, cancel: Any = None) -> tuple[()]:
        self.calls.append("refresh")
        progress(Progress(phase="parsing", done=1, total=2))
        return ()

    def close(self) -> None:
        self.calls.append("close")

    @property
    def is_empty(self) -> bool:
        return False

    def names_file(self, name: str, version: str = "workingArea") -> bool:
        return name.endswith(".cs")

    def search(self, query: str, *, limit: int) -> SearchAnswer:
        found = [symbol for symbol in SYMBOLS if all(word in symbol.fqn for word in query.split())]
        hits = tuple(SearchHit(symbol=_ref(symbol), score=1.0) for symbol in found[:limit])
        return SearchAnswer(query=query, hits=hits, total=len(found), searched=len(SYMBOLS), elapsed_ms=0.5)

    def hint(self, path: str, suggestions: object) -> str:
        return ""

    def resolve(self, path: str) -> ResolveAnswer:
        found = [symbol for symbol in SYMBOLS if path in (symbol.id, symbol.fqn, symbol.name)]
        if len(found) == 1:
            return ResolveAnswer(query=path, how="exact", resolved=_resolved(found[0]), symbol=_ref(found[0]))
        suggestions = () if found else ("Orchard.Tree",)
        return ResolveAnswer(query=path, candidates=tuple(map(_ref, found)), suggestions=suggestions)

    def outline(self, path: str, *, ids: bool | None = None) -> OutlineAnswer:
        symbol = self._one(path)
        return OutlineAnswer(
            resolved=_resolved(symbol), symbol=_ref(symbol), text=f"# {symbol.fqn}\n\x1b[2J", tokens=7
        )

    @property
    def hierarchy(self) -> MemoryHierarchy:
        return MemoryHierarchy(lambda path: (_ref(self._one(path)), _resolved(self._one(path))))

    @property
    def pictures(self) -> MemoryPictures:
        return MemoryPictures()

    def find(self, path: str, *, limit: int = 200, grade: str = "all", **_: object) -> UsagesAnswer:
        symbol = self._one(path)
        line = "var tree = new Tree(); // \x1b[2J"
        spot = Usage(
            file="Row.cs",
            line=3,
            column=15,
            end_column=19,
            snippet=line,
            grade="bound",
            kind="new",
            enclosing=None,
        )
        return UsagesAnswer(
            resolved=_resolved(symbol),
            symbol=_ref(symbol),
            usages=(spot,)[:limit],
            total=1,
            bound=1,
            truncated=limit < 1,
            elapsed_ms=1.0,
        )

    def read(
        self,
        object: str,  # noqa: A002
        *,
        start: int | None = None,
        end: int | None = None,
        include: str | None = None,
        version: str = "workingArea",
    ) -> SourceRange:
        lines = SOURCE.splitlines(keepends=True)
        first, last = start or 1, end or len(lines)
        return SourceRange(
            object=object,
            file="Tree.cs",
            content="".join(lines[first - 1 : last]),
            token="1_0123456789abcdef",
            line_count=len(lines),
            start_line=first,
            end_line=last,
            object_type="file" if object.endswith(".cs") else "type",
            include_type=include,
            version=version,
        )

    def grep(
        self,
        grep: Grep,
        object: str | None = None,  # noqa: A002
        *,
        include: str | None = None,
        **_: object,
    ) -> GrepAnswer:
        lines = SOURCE.splitlines()
        found = [at for at, line in enumerate(lines) if grep.pattern in line][: grep.most]
        matches = tuple(
            GrepMatch(
                file="Tree.cs",
                line_number=at + 1,
                content=lines[at],
                context_before=tuple(lines[max(0, at - grep.context) : at]),
                context_after=tuple(lines[at + 1 : at + 1 + grep.context]),
                spans=((lines[at].index(grep.pattern), lines[at].index(grep.pattern) + len(grep.pattern)),),
            )
            for at in found
        )
        kind = "workspace" if object is None else "file" if object.endswith(".cs") else "class"
        return GrepAnswer(
            pattern=grep.pattern,
            matches=matches,
            match_count=len(matches),
            line_count=len(lines),
            object=object,
            object_type=kind,
            include_type=include,
            searched=1,
        )

    def structure(self, object: str) -> Structure:  # noqa: A002
        pieces = (SourcePiece(file="Tree.cs", start_line=1, end_line=4),)
        return Structure(
            object=object,
            object_type="file" if object.endswith(".cs") else "class",
            name=object,
            file="Tree.cs",
            start_line=1,
            end_line=4,
            line_count=4,
            token="1_0123456789abcdef",
            changed_at=1,
            changed_by="forester",
            includes=(StructurePart(include_type="main", pieces=pieces, line_count=4),),
            members=(_ref(SYMBOLS[1]),),
        )

    def symbols(self, **_: object) -> Iterator[Symbol]:
        return iter(SYMBOLS)

    def render(self, *, format: str) -> Window:  # noqa: A002
        return Window(
            text=f"window as {format}\n",
            tokens=12,
            budget=self.settings.window.budget,
            pinned_tokens=5,
            soft_budget=60,
            model="gpt-5",
            tokenizer="o200k_base",
        )

    def use(self, id_: str) -> None:
        self.calls.append(f"use {id_}")

    def pin(
        self, path: str, *, level: str | None = None, members: tuple[str, ...] = (), force: bool
    ) -> Window:
        self.calls.append(f"pin {self._one(path).fqn} {force}")
        return self.render(format="md")

    def unpin(self, path: str) -> Window:
        self.calls.append(f"unpin {self._one(path).fqn}")
        return self.render(format="md")

    def set_level(self, path: str, level: str, *, members: tuple[str, ...], force: bool) -> Window:
        self.calls.append(f"set_level {self._one(path).fqn} {level} {members} {force}")
        return self.render(format="md")

    def move(self, path: str, *, before: str | None, after: str | None) -> Window:
        self.calls.append(f"move {self._one(path).fqn} {before} {after}")
        return self.render(format="md")

    def dismiss(self, path: str) -> Window:
        self.calls.append(f"dismiss {self._one(path).fqn}")
        return self.render(format="md")

    def write(self, paths: Sequence[str] = (), *, outlines: bool = False, **_: object) -> ExportAnswer:
        """Return the files that would be written, and write nothing."""
        return ExportAnswer(
            file=f"{self.root}/.context/index.json",
            changed=True,
            projects=1,
            types=1,
            outlines=1 if outlines else len(paths),
        )

    def renewals(self) -> tuple[Notice, ...]:
        return ()

    def status(self) -> Status:
        return Status(
            root=str(self.root),
            state="fresh",
            projects=(),
            files=1,
            types=2,
            members=1,
            quality={"exact": 1},
            branch=None,
            memory_mb=10.0,
            measures={},
            watching="off",
        )

    def _one(self, path: str) -> Symbol:
        answer = self.resolve(path)
        if answer.candidates:
            candidates = [{"path": ref.path, "typeId": ref.id} for ref in answer.candidates]
            raise AmbiguousSymbol(f"'{path}' is several symbols", candidates=candidates)
        if answer.symbol is None:
            raise SymbolNotFound(f"'{path}' not found", suggestions=list(answer.suggestions))
        return next(symbol for symbol in SYMBOLS if symbol.id == answer.symbol.id)


def _ref(symbol: Symbol) -> SymbolRef:
    container, _, label = symbol.fqn.rpartition(".")
    shared = msgspec.structs.asdict(symbol)
    names = ("id", "kind", "file", "start_line", "end_line", "project")
    return SymbolRef(
        label=label,
        path=symbol.fqn,
        container=container,
        access="public",
        **{name: shared[name] for name in names},
    )


def _resolved(symbol: Symbol) -> Resolved:
    type_id = symbol.id[:10]
    return Resolved(path=symbol.fqn, type_id=type_id, member_id=None if symbol.id == type_id else symbol.id)

"""Classification of every place of a name: a usage, a declaration, a comment or string, or none of these.

python -m benchmarks.index.coverage FOLDER… [--names 60] [--examples 10]

For names of a repository that are chosen by their digest, every whole-word hit of `git grep` in files that hold C# is
looked up: in the usages of all symbols of that name, among their declarations, in comments, strings and inactive
branches, or as something that the workspace does not declare. The rest is printed."""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from services.bench.bench import Bench
from services.errors import CodeCortexError
from services.index.build.worker import parsed_text
from services.model import Kind
from services.settings import Settings
from services.syntax.parse.branches import lex_file
from services.syntax.parse.lexer import Lexed
from services.workspace.source_kinds import SOURCE_SUFFIXES

NAMELESS = frozenset(
    {Kind.NAMESPACE, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.OPERATOR, Kind.CONVERSION, Kind.INDEXER}
)
CLASSES = (
    "usage",
    "declaration",
    "comment, string or inactive",
    "of something else",
    "fits nothing here",
    "not told",
)
_NAMESPACES = re.compile(rb"\s*(?:@?(?:global\s+)?using\s+(?!var\b)[^=(]*;?|@?namespace\b.*|<.*xmlns.*)\s*")
_CANNOT = "cannot be bound here"


class Place(NamedTuple):
    """Place of a name: file, line from 1, and its offset in the file."""

    file: str
    line: int
    offset: int


def _simple(fqn: str) -> str:
    return re.split(r"[<(`]", re.split(r"[.+]", fqn.partition("(")[0])[-1])[0]


def chosen_names(bench: Bench, count: int) -> list[str]:
    """Names of declared symbols, by the order of their digests."""
    names = {
        _simple(each.fqn) for each in bench.index.symbols() if each.kind not in NAMELESS and not each.implicit
    }
    usable = (name for name in names if re.fullmatch(r"[A-Za-z_]\w{2,}", name))
    return sorted(usable, key=lambda name: sha256(name.encode()).digest())[:count]


class Coverage:
    """Looks up every hit of a name in one repository."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._lexed: dict[str, Lexed | None] = {}
        self._declared: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self._ids: dict[str, list[str]] = defaultdict(list)
        for each in bench.index.symbols():
            name = _simple(each.fqn)
            if not each.implicit:
                self._ids[name].append(each.id)

    def of(self, name: str) -> dict[str, list[Place]]:
        """The hits of a name by what becomes of them."""
        told: set[tuple[str, int]] = set()
        for id_ in self._ids[name]:
            told |= self._usages(id_)
        found: dict[str, list[Place]] = {each: [] for each in CLASSES}
        for place in hits(self._bench.root, name):
            found[self._class_of(place, name, told)].append(place)
        return found

    def _usages(self, id_: str) -> set[tuple[str, int]]:
        try:
            answer = self._bench.usages.find(id_, limit=100_000)
        except CodeCortexError:
            return set()
        return {(each.file, each.line) for each in answer.usages}

    def _class_of(self, place: Place, name: str, told: set[tuple[str, int]]) -> str:
        if (place.file, place.line) in told:
            return "usage"
        lexed = self._text(place.file)
        end = place.offset + len(name)
        if lexed is None or lexed.clean[place.offset : end] != name.encode():
            return "comment, string or inactive"
        return self._meaning(place)

    def _meaning(self, place: Place) -> str:
        """Return the index's meaning of the place."""
        data = (self._bench.root / place.file).read_bytes()
        begin = data.rfind(b"\n", 0, place.offset) + 1
        column = len(data[begin : place.offset].decode("utf-8", "replace"))
        try:
            answer = self._bench.places.definition(place.file, place.line, column)
        except CodeCortexError:
            return "not told"
        if any(each.file == place.file and each.start_line <= place.line for each in answer.symbols):
            return "declaration"
        if _NAMESPACES.fullmatch(data[begin : data.find(b"\n", begin)]):
            return "of something else"
        if _CANNOT in answer.reason:
            return "fits nothing here"
        if any(each.id in self._ids[answer.name] for each in answer.symbols):
            return "declaration" if self._is_part(place, answer.name) else "not told"
        return "of something else" if answer.symbols or answer.reason or answer.line else "not told"

    def _is_part(self, place: Place, name: str) -> bool:
        """Whether a part of a type, or a second declaration of a member, is named there."""
        index = self._bench.index.facade
        files = [at for (_, file), at in index.catalogue.units.items() if file == place.file]
        record = index.records.record(files[0]) if files else None
        return record is not None and any(
            each.name == name and each.start <= place.offset < each.end for each in record.declarations
        )

    def _text(self, path: str) -> Lexed | None:
        if path not in self._lexed:
            index = self._bench.index.facade
            files = [at for (_, file), at in index.catalogue.units.items() if file == path]
            if files:
                data = parsed_text((self._bench.root / path).read_bytes(), path)
                project = index.catalogue.file(files[0]).project
                self._lexed[path] = lex_file(data, index.defines(project, path))
            else:
                self._lexed[path] = None
        return self._lexed[path]


def hits(root: Path, name: str) -> Iterator[Place]:
    """Every whole-word hit of a name in files that hold C#."""
    globs = [f"*{suffix}" for suffix in SOURCE_SUFFIXES]
    command = ["git", "-C", str(root), "grep", "-lzwIF", name, "--", *globs]
    answer = subprocess.run(command, capture_output=True, check=False)
    word = re.compile(rb"(?<![\w\x80-\xff])" + name.encode() + rb"(?![\w\x80-\xff])")
    for path in filter(None, answer.stdout.split(b"\0")):
        file = path.decode("utf-8", "replace")
        data = (root / file).read_bytes()
        for found in word.finditer(data):
            yield Place(file, 1 + data.count(b"\n", 0, found.start()), found.start())


def measure(folder: Path, count: int, examples: int) -> Mapping[str, int]:
    """Return the counts of one repository; print places that are not classified."""
    with Bench.open(folder, settings=Settings()) as bench:
        bench.index.refresh()
        coverage, counts = Coverage(bench), Counter[str]()
        for name in chosen_names(bench, count):
            for kind, places in coverage.of(name).items():
                counts[kind] += len(places)
                if kind in CLASSES[-2:] and examples > 0:
                    for place in places[:3]:
                        examples -= 1
                        print(f"  {kind}: {name}  {place.file}:{place.line}", flush=True)
        return counts


def main() -> None:
    """Measure repositories and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--names", type=int, default=60)
    parser.add_argument("--examples", type=int, default=10)
    chosen = parser.parse_args()
    rows: list[Sequence[object]] = []
    for folder in chosen.folders:
        print(folder.name, flush=True)
        counts = measure(folder, chosen.names, chosen.examples)
        rows.append((folder.name, sum(counts.values()), *(counts[each] for each in CLASSES)))
    print("| repository | hits | " + " | ".join(CLASSES) + " |\n|" + " --- |" * (len(CLASSES) + 2))
    for row in rows:
        print("| " + " | ".join(str(each) for each in row) + " |")


if __name__ == "__main__":
    main()

"""Readers of every kind with parallel writers, switches of branches and deletions: no error, and no mixed answer.

python -m benchmarks.robustness.readers_soak [--seconds 60] [--readers 4] [--seed 1]

Files of a small workspace say in every name, and in the line of every declaration, of which revision they are. Each is
replaced as a whole every 130 ms; a branch that changes all of them is switched to, and files are removed and come back.
Meanwhile readers ask everything that can be asked about the files that change, and lock, write, undo, propose, decide,
pin, pack and copy them (soak_acts.py). Within an answer all that comes from one file must be of one revision of it, and
where several files are asked about within one reading, of one revision of the index. Ends with 1 where anything failed
or was a mixture.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.harness.corpus import settings
from benchmarks.robustness.soak_actions import Acts
from services.errors import CodeCortexError
from services.index.catalog.catalogue import key_of
from services.operations import by_name

if TYPE_CHECKING:
    from services.bench import Bench

_EVERY = 0.13
"""Seconds between two saves."""
_LONGEST = 300.0
_FILES = 6
_MEMBERS = 8
_MARK = re.compile(r"F(\d+)R([a-p]{8})")
"""Of which file, and of which revision of it, a name is. No two revisions are a slip of the pen apart: a name that is
gone must not be taken for one that came."""
_PROJECT = '<Project Sdk="Microsoft.NET.Sdk" />'
_SHOWN = 10
_OF_SEVERAL_MOMENTS = frozenset({"ListProposals", "ListReceipts", "history"})
"""What these answer was said at several moments, of whichever revision there was then."""

Revisions = dict[int, set[str]]
"""Of each file, the revisions that something tells of."""


@dataclass(slots=True)
class Soaked:
    """Outcome of a soak. `asked`: calls by operation; `refused`: expected errors, by code; `errors`, `mixtures`: in
    words."""

    asked: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    revisions: int = 0
    errors: list[str] = field(default_factory=list[str])
    mixtures: list[str] = field(default_factory=list[str])

    @property
    def is_fine(self) -> bool:
        """Whether nothing went wrong."""
        return not self.errors and not self.mixtures

    def text(self) -> str:
        """All of it, for people."""
        asked = ", ".join(f"{count} {name}" for name, count in self.asked.most_common())
        lines = [
            f"{sum(self.asked.values())} questions ({asked}), {self.revisions} revisions of files",
            f"refused: {dict(self.refused)}",
            f"{len(self.errors)} errors, {len(self.mixtures)} answers about a mixture",
            *(f"    {each}" for each in (*self.errors[:_SHOWN], *self.mixtures[:_SHOWN])),
        ]
        return "\n".join(lines)


def mark_of(number: int, revision: int) -> str:
    """Return the mark that identifies a revision of a file."""
    letters = md5(str(revision).encode(), usedforsecurity=False).hexdigest()[:8]
    return f"F{number}R" + "".join(chr(ord("a") + int(each, 16)) for each in letters)


def source(number: int, revision: int) -> str:
    """Return the source of a revision, in which every answer contains its mark."""
    mark = mark_of(number, revision)
    members = "\n".join(
        f"    /// <summary>Text{mark}.</summary>\n    public Other{mark} M{at}{mark}(Part{mark} p) {{ return null; }}"
        for at in range(_MEMBERS - revision % 3)
    )
    return (
        "\n" * (revision % 7)
        + f"namespace Soak;\npublic class File{number} {{ public Kept{mark} Of; }}\n"
        + f"public class Kept{mark}\n{{\n{members}\n}}\npublic class Other{mark} {{ }}\npublic class Part{mark} {{ }}\n"
        + f"public partial class Shared {{ public int Field{mark}; }}\n"
    )


def _told(value: object) -> Iterator[tuple[int, str]]:
    for file, revision in _MARK.findall(str(value)):
        yield int(file), revision


def _without_gone(answer: Any) -> Any:
    """Return an answer without its vanished parts, which are of earlier revisions."""
    if isinstance(answer, dict):
        return {name: _without_gone(value) for name, value in answer.items() if name != "gone"}
    return [_without_gone(each) for each in answer] if isinstance(answer, list | tuple) else answer


def mixed(answer: Any) -> Revisions:
    """Return the files of which an answer contains more than one revision."""
    found: Revisions = {}
    for file, revision in _told(_without_gone(msgspec.to_builtins(answer))):
        found.setdefault(file, set()).add(revision)
    return {file: revisions for file, revisions in found.items() if len(revisions) > 1}


class Disk:
    """The files. `revision`: the number of the last one that was written; one thread writes at a time."""

    def __init__(self, folder: Path, choose: random.Random) -> None:
        self._folder = folder
        self._choose = choose
        self._writing = threading.Lock()
        self.revision = 0
        (folder / "Soak.csproj").write_text(_PROJECT)
        self.switch()

    def save(self) -> None:
        """Save one file."""
        with self._writing:
            self.revision += 1
            self._write(self._choose.randrange(_FILES))

    def switch(self) -> None:
        """All files, as a branch would."""
        with self._writing:
            self.revision += 1
            for number in range(_FILES):
                self._write(number)

    def remove(self) -> None:
        """Delete a file."""
        with self._writing:
            self._path(self._choose.randrange(_FILES)).unlink(missing_ok=True)

    def _write(self, number: int) -> None:
        path = self._path(number)
        other = path.with_suffix(".tmp")
        other.write_text(source(number, self.revision))
        os.replace(other, path)  # noqa: PTH105 - said as the system call it is

    def _path(self, number: int) -> Path:
        return self._folder / f"File{number}.cs"


def _questions(file: int, mark: str) -> Sequence[tuple[str, dict[str, Any]]]:
    """Return operations by name, with their arguments."""
    outer, kept = f"Soak.File{file}", f"Soak.Kept{mark}"
    return (
        ("SearchSymbols", {"query": f"KeptF{file}", "limit": 30}),
        ("SearchSymbols", {"query": f"kind:method M0F{file}", "limit": 30}),
        ("ResolveSymbol", {"path": kept}),
        ("ResolveSymbol", {"path": f"Soak.*F{file}R*"}),
        ("ResolveSymbol", {"path": f"File{file}.cs:{10}"}),
        ("GetOutline", {"path": outer}),
        ("GetOutline", {"path": kept}),
        ("GetMemberOutline", {"memberPath": f"{kept}.M0{mark}"}),
        ("FindUsages", {"path": kept}),
        ("FindUsages", {"path": "Soak.Shared"}),
        ("objectStructure", {"object": outer}),
        ("objectStructure", {"object": f"File{file}.cs"}),
        ("getObjectSourceV2", {"object": kept}),
        ("getObjectSource", {"object": f"File{file}.cs"}),
        ("grepObjectSource", {"object": outer, "pattern": "class|public"}),
        ("GetPromptWindow", {}),
        ("Suggest", {}),
        ("Export", {"paths": outer}),
        ("Status", {}),
    )


class Reader(threading.Thread):
    """Reader that calls until it is `over`, about files that change, and checks that answers are of one revision."""

    def __init__(self, bench: Bench, disk: Disk, ended: Soaked, *, over: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self._bench, self._disk, self._ended, self._over = bench, disk, ended, over
        self._choose = random.Random(seed)
        self._asking = ""

    def run(self) -> None:
        """The thread's work."""
        while not self._over.is_set() and len(self._ended.errors) < _SHOWN:
            kinds = (self._ask_operation, self._act, self._ask_together, self._ask_symbols)
            ask = self._choose.choices(kinds, (8, 4, 1, 1))[0]
            self._asking = ask.__name__
            try:
                ask()
            except CodeCortexError as error:
                self._ended.refused[f"{self._asking.split(' ')[0]}: {type(error).__name__}"] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                self._ended.errors.append(f"{self._asking}: {type(error).__name__}: {error}")

    def _ask_operation(self) -> None:
        file = self._choose.randrange(_FILES)
        name, arguments = self._choose.choice(_questions(file, self._known(file)))
        operation = by_name(name)
        if operation is None:
            raise LookupError(name)
        self._asking = f"{name} {arguments}"
        self._look(name, operation.run(self._bench, arguments))

    def _act(self) -> None:
        file = self._choose.randrange(_FILES)
        acts = Acts(self._bench, self._look, self._choose)
        act = self._choose.choice(acts.every())
        path = self._choose.choice((f"File{file}.cs", f"Soak.File{file}"))
        self._asking = f"{act.__name__} {path}"
        act(path)

    def _known(self, file: int) -> str:
        """Return the mark of a file's revision in the index, by search."""
        for hit in self._bench.index.search(f"PartF{file}R", limit=5).hits:
            for found, revision in _told(hit.symbol.label):
                if found == file:
                    return f"F{file}R{revision}"
        return mark_of(file, self._disk.revision)

    def _ask_symbols(self) -> None:
        self._look("symbols", list(self._bench.index.symbols()))

    def _ask_together(self) -> None:
        """Call several operations within one reading, which must be of one revision of the index."""
        index = self._bench.index.facade  # pyright: ignore[reportPrivateUsage]
        with self._bench.index.facade.reading():
            before = {entry.fqn for _, entry in index.catalogue.live_types()}
            told: list[object] = [self._bench.index.search("KeptF", limit=100)]
            for _, entry in list(index.catalogue.live_types()):
                at = index.catalogue.type_at[key_of(entry)]
                told.append(index.detail(at))
            told += [index.resolve(f"Soak.File{file}").how for file in range(_FILES)]
            after = {entry.fqn for _, entry in index.catalogue.live_types()}
        self._look("together", told)
        if before != after:
            self._ended.mixtures.append(f"together: {sorted(before ^ after)} came or went")
        strangers = {f"{file} {revision}" for file, revision in _told(told)} - {
            f"{file} {revision}" for file, revision in _told(before)
        }
        if strangers:
            self._ended.mixtures.append(f"together: {sorted(strangers)} are of other revisions")

    def _look(self, name: str, answer: object) -> None:
        self._ended.asked[name] += 1
        if name not in _OF_SEVERAL_MOMENTS and (found := mixed(answer)):
            self._ended.mixtures.append(f"{self._asking}: {name}: {found}")


def soak(
    folder: Path,
    *,
    seconds: float,
    readers: int = 4,
    seed: int = 1,
    enough: Callable[[Soaked], bool] = lambda _: True,
) -> Soaked:
    """Run readers and writers for so long, in an empty folder; longer where it is not `enough` by then, but not
    without end."""
    from services.bench import Bench
    from services.settings import AgentSettings

    choose, ended = random.Random(seed), Soaked()
    disk = Disk(folder, choose)
    asked_at_once = AgentSettings(patience=0)
    with Bench.open(folder, settings=msgspec.structs.replace(settings(1), agents=asked_at_once)) as bench:
        bench.index.refresh()
        for number in range(3):
            bench.window.pin(f"Soak.File{number}", level="outline")
        bench.watch()
        began, over = time.monotonic(), threading.Event()
        asking = [Reader(bench, disk, ended, over=over, seed=seed + n) for n in range(readers)]
        for reader in asking:
            reader.start()
        while (elapsed := time.monotonic() - began) < seconds or not (
            ended.errors or enough(ended) or elapsed > _LONGEST
        ):
            _write(bench, disk, choose, ended)
            ended.revisions = disk.revision
        over.set()
        for reader in asking:
            reader.join(60)
            if reader.is_alive():
                ended.errors.append("a reader did not come to its end")
    return ended


def _write(bench: Bench, disk: Disk, choose: random.Random, ended: Soaked) -> None:
    """Make one change; some are reported at once, some found by watching the disk."""
    time.sleep(_EVERY)
    try:
        choose.choices((disk.save, disk.switch, disk.remove), (8, 1, 1))[0]()
        if choose.random() < 0.5:
            with suppress(CodeCortexError):
                bench.index.refresh()
        if choose.random() < 0.2:
            bench.index.relate()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        ended.errors.append(f"writer: {type(error).__name__}: {error}")


def main() -> int:
    """0 where nothing went wrong."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--readers", type=int, default=4)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with TemporaryDirectory(prefix="codecortex-soak-") as temporary:
        ended = soak(Path(temporary), seconds=given.seconds, readers=given.readers, seed=given.seed)
    print(ended.text())
    return 0 if ended.is_fine else 1


if __name__ == "__main__":
    sys.exit(main())

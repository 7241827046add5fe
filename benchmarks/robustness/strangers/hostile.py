"""Hostile copies of `.context`: opening, searching and reading such a repository is harmless.

    python -m benchmarks.robustness.strangers.hostile [--copies 2000] [--seed 1] [--every-door 250]

A repository is made that carries all that earlier versions kept in `.context/`: databases, jobs in a queue, a write
journal, pins, chats, reviews, packs, presets, notes, and `.codecortex.toml`. In each copy every one of these files is
hostile: another field of each is a path outside, an address, a state, a number or a shape that it should not be, or the
file itself is a link, a pipe, a folder, cut or huge. A person who has a model, a review server and keys for both opens
the copy in a process of its own, is served until nothing is left to do, asks as people and models ask, and then pins,
exports and writes a note. Counted are requests, programs, opened or changed files outside, files of the repository that
differ, and operations that fall. Ends with 1 for any.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.robustness.damage import in_a_process
from benchmarks.robustness.damage_workspace import NOTE, called
from benchmarks.robustness.strangers.hostile_files import Mutation, Stranger
from benchmarks.robustness.strangers.outside import SECRET, Acts, Listener, Opened, Outside
from benchmarks.robustness.strangers.shipped import make_person, make_shipped
from services.bench import Bench
from services.errors import CodeCortexError
from services.server.serving import Serving
from services.settings import PROJECT_FILE, load
from services.workspace.files.openers import SHARED_FOLDER
from tests.support.doors import DOORS
from tests.support.snapshots import Snapshot

WITHIN = 60.0
"""Seconds that a copy has."""
_READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SearchSymbols", {"query": "A"}),
    ("GetOutline", {"path": "N.A"}),
    ("getObjectSourceV2", {"object": "N.A"}),
    ("grepObjectSource", {"pattern": "class"}),
    ("FindUsages", {"path": "N.A"}),
    ("GetSemantic", {"path": "N.A"}),
    ("GetPromptWindow", {}),
    *((name, {}) for name in (
        "Suggest", "Review", "ListPacks", "ListPresets", "ListReceipts", "ListTemplates", "ListProposals", "ListChats",
        "ListOps", "ListSecrets", "ListModels", "listLocks", "history", "Status",
    )),
)  # fmt: skip
_WRITES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Pin", {"path": "N.A"}),
    ("SavePreset", {"name": "mine"}),
    ("BuildPack", {"name": "core", "filter": "type:*"}),
    ("Export", {"paths": "N.A"}),
    ("SetSemantic", {"path": "N.A", "text": NOTE}),
    ("AddComment", {"text": "Said."}),
    ("Copy", {"task": "Explain."}),
)  # fmt: skip
_HARM = ("asked", "sent", "outside", "opened", "changed", "started", "shown", "fell")
"""Kinds of harm, none of which is to happen."""


class Visit(NamedTuple):
    """Visible acts of a process: contacted addresses, started programs, answers with content from outside, and failed
    operations."""

    sent: tuple[str, ...]
    started: tuple[str, ...]
    shown: tuple[str, ...]
    fell: tuple[str, ...]


class Harm(NamedTuple):
    """Forbidden act of a copy. `kind`: one of those that are counted."""

    kind: str
    what: str


class Trial:
    """A repository of a stranger, below a folder, and the copies of it. `listener`: where its address leads."""

    def __init__(self, folder: Path, listener: Listener, *, seed: int) -> None:
        self._folder = folder
        self._listener = listener
        self.root = make_shipped(folder / "base", listener.address)
        stranger = Stranger(Outside(folder / "known"), listener.address, seed=seed)
        shutil.rmtree(folder / "known")
        Outside(folder / "known")
        files = [path for path in sorted((self.root / SHARED_FOLDER).rglob("*")) if path.is_file()]
        files.append(self.root / PROJECT_FILE)
        self.mutations: dict[str, list[Mutation]] = {
            path.relative_to(self.root).as_posix(): stranger.mutations(path) for path in files
        }

    def hostile(self, copy: Path, number: int) -> None:
        """Make every file of a copy hostile, each in the way that is its turn."""
        for name, mutations in self.mutations.items():
            mutations[number % len(mutations)](copy / name)

    def run(self, number: int, *, doors: bool = False) -> Iterator[Harm]:
        """The harm that one copy does. `doors`: whether every way into the program is walked through."""
        case = self._folder / "case"
        case.mkdir()
        copy = case / "workspace"
        shutil.copytree(self.root, copy, symlinks=True)
        outside = Outside(case / "known")
        self.hostile(copy, number)
        person = make_person(case / "person", self._listener.address)
        before = Snapshot.of(copy, most=1 << 20)
        try:
            with Opened([outside.folder]) as opened:
                visit = in_a_process(
                    lambda: visited(copy, person, doors=doors), within=WITHIN * (1 + 9 * doors)
                )
                yield from _told(visit)
                yield from (Harm("asked", each) for each in self._listener.asked())
                yield from (Harm("opened", each) for each in opened.paths())
                yield from (Harm("outside", each) for each in outside.differences())
                yield from (
                    Harm("changed", each) for each in Snapshot.of(copy, most=1 << 20).differences(before)
                )
                opened.paths()  # those that were just compared
                yield from _told(in_a_process(lambda: wrote(copy, person), within=WITHIN))
                yield from (Harm("asked", each) for each in self._listener.asked())
                yield from (Harm("opened", each) for each in opened.paths())
                yield from (Harm("outside", each) for each in outside.differences())
                after = Snapshot.of(copy, most=1 << 20).differences(before)
                yield from (
                    Harm("changed", each) for each in after if not each.startswith(SHARED_FOLDER) and each
                )
        finally:
            shutil.rmtree(case)


def visited(root: Path, person: Mapping[str, str], *, doors: bool) -> Visit:
    """Open, serve until idle, call, and leave."""
    os.environ.update(person)
    acts, shown, fell = Acts(), list[str](), list[str]()
    if doors:
        for name, door in DOORS.items():
            try:
                door(root)
            except Exception as error:  # noqa: BLE001 - what is looked for
                fell.append(f"{name}: {type(error).__name__}: {error}")
        return Visit((), (), (), tuple(fell))  # clients of servers ask them, and start them
    rested = threading.Event()
    with Serving.open(root, load(root), at_rest=rested.set) as serving:
        rested.wait(WITHIN / 2)
        _ask(serving.bench, _READS, shown, fell)
    return Visit(tuple(acts.sent), tuple(acts.started), tuple(shown), tuple(fell))


def wrote(root: Path, person: Mapping[str, str]) -> Visit:
    """Write files into a hostile `.context/`."""
    os.environ.update(person)
    acts, shown, fell = Acts(), list[str](), list[str]()
    with Bench.open(root, settings=load(root)) as bench:
        bench.index.refresh()
        _ask(bench, _WRITES, shown, fell)
        _ask(bench, _READS, shown, fell)
    return Visit(tuple(acts.sent), tuple(acts.started), tuple(shown), tuple(fell))


def _ask(
    bench: Bench, asked: tuple[tuple[str, dict[str, Any]], ...], shown: list[str], fell: list[str]
) -> None:
    for name, arguments in asked:
        try:
            if SECRET in repr(called(bench, name, arguments)):
                shown.append(name)
        except CodeCortexError as error:
            if SECRET in repr((error.message, error.details)):
                shown.append(name)
        except Exception as error:  # noqa: BLE001 - what is looked for
            fell.append(f"{name}: {type(error).__name__}: {error}"[:300])


def _told(visit: Any) -> Iterator[Harm]:
    if not isinstance(visit, Visit):
        yield Harm("fell", str(visit))
        return
    for kind, found in visit._asdict().items():
        yield from (Harm(kind, each) for each in found)


def main() -> int:
    """0 where no copy did harm."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--copies", type=int, default=2_000)
    options.add_argument("--first", type=int, default=0, help="the number of the first copy")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--every-door", type=int, default=250, help="every so many copies, by all ways in")
    given = options.parse_args()
    counts: Counter[str] = Counter()
    begun, done = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="codecortex-hostile-") as folder, Listener() as listener:
        trial = Trial(Path(folder), listener, seed=given.seed)
        fields = sum(len(each) for each in trial.mutations.values())
        print(f"{len(trial.mutations)} files, {fields} mutations")
        for number in range(given.first, given.first + given.copies):
            for harm in trial.run(number, doors=number % given.every_door == given.every_door - 1):
                counts[harm.kind] += 1
                print(f"{number}: {harm.kind}: {harm.what}", flush=True)
            done += 1
            if done % 100 == 0:
                print(f"{done} copies, {time.monotonic() - begun:.0f} s, {dict(counts)}", flush=True)
    told = ", ".join(f"{kind} {counts[kind]}" for kind in _HARM)
    print(f"{done} copies, {done * len(trial.mutations)} hostile files: {told}")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())

"""Damaged files of the program's own: every file below `.context/`, page by page, overwritten, cut and emptied.

    python -m benchmarks.robustness.damage [--cases 600] [--seed 1] [--files 40 | --workspace FOLDER] [--only TEXT]
                                           [--json OUT]

A workspace with an index, pins, presets, packs, receipts, writes and proposals is made once. Each case damages one file
of a copy and starts two processes on it, one after the other, which call what people and models call. The first has to
answer everything, as before wherever the answer is made of source, and has to say what it did; the second has to find
nothing left to do.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.robustness.damage_workspace import (
    AGENT,
    KEPT,
    SAME,
    by_person,
    called,
    lasting,
    prepare,
    questions,
    told_of,
)
from services.bench import Bench
from services.errors import CodeCortexError
from services.settings import Settings
from services.source.journal.actor import acting

PAGE = 4_096
KINDS = ("overwritten", "zeroed", "cut", "emptied")
WITHIN = 60.0
"""Seconds that a start has for its answers."""


@dataclass(frozen=True, slots=True)
class Case:
    """`file`: below `.context/`; `kind`: of KINDS; `page`: the first that is damaged."""

    file: str
    kind: str
    page: int

    def apply(self, state: Path) -> bool:
        """Damages the file in a state folder; whether that changed it."""
        path = state / self.file
        before = path.read_bytes()
        after = self._damaged(before)
        with path.open("r+b") as file:
            file.write(after)
            file.truncate(len(after))
        return after != before

    def _damaged(self, data: bytes) -> bytes:
        first, last = self.page * PAGE, (self.page + 1) * PAGE
        length = min(last, len(data)) - first
        match self.kind:
            case "overwritten":
                noise = Random(f"{self.file}{self.page}").randbytes(length)
                return data[:first] + noise + data[last:]
            case "zeroed":
                return data[:first] + bytes(length) + data[last:]
            case "cut":
                return data[: first + length // 2]
            case _:
                return b""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a process that started on damaged files did. `fell`: operations that ended in an error nobody foresaw;
    `refused`: in one that was; `other`: whose answers are not those of before; `lost`: those of what a person
    made; `said`: what it told of damage."""

    fell: tuple[str, ...]
    refused: tuple[str, ...]
    other: tuple[str, ...]
    lost: tuple[str, ...]
    said: tuple[str, ...]


def cases(state: Path, *, most: int, seed: int) -> list[Case]:
    """Every damage to every file of a state folder; so many of them, each file at least once."""
    found = [
        Case(path.relative_to(state).as_posix(), kind, page)
        for path in sorted(state.rglob("*"))
        if path.is_file() and (size := path.stat().st_size)
        for kind in KINDS
        for page in range(1 if kind == "emptied" else -(-size // PAGE))
    ]
    Random(seed).shuffle(found)
    first = {case.file: case for case in reversed(found)}
    rest = [case for case in found if first[case.file] is not case]
    return [*first.values(), *rest][: max(most, 0)]


_NO_PINS = ("The window is empty", "Nothing is pinned")
"""What a copy says where the list of pins was lost, and is offered back."""
_DIFFERS = ("elapsedMs", "changedBy", "changed", "cached", "expiresAt", "token", "score")
"""What is not made of source alone: times, and who wrote last, which the journal of writes knows."""


def started(root: Path, asked: Sequence[tuple[str, dict[str, Any]]], before: Sequence[Any]) -> Outcome:
    """What this process does on a workspace. `before`: the answers of an undamaged one; empty: not compared."""
    fell, refused, other, lost, said = [], [], [], [], dict[str, None]()
    with Bench.open(root, settings=Settings()) as bench, acting(AGENT):
        bench.index.load()
        bench.index.refresh()
        for number, (name, arguments) in enumerate(asked):
            try:
                answer = called(bench, name, arguments)
            except CodeCortexError as error:
                refused.append(f"{name}: {error.message}")
                continue
            except Exception as error:  # noqa: BLE001 - what is looked for
                fell.append(f"{name}: {type(error).__name__}: {error}")
                continue
            said.update(dict.fromkeys(told_of(answer)))
            if before and name in SAME and lasting(answer) != lasting(before[number]):
                other.append(name)
            if before and name in KEPT and by_person(answer) != by_person(before[number]):
                lost.append(name)
        said.update(dict.fromkeys(notice.message for notice in bench.health.notices()))
    return Outcome(tuple(fell), tuple(refused), tuple(other), tuple(lost), tuple(said))


def in_a_process(act: Callable[[], Any], *, within: float = WITHIN) -> Any:
    """What `act` answers in a process of its own, in so many seconds; a text where that ended otherwise."""
    context = multiprocessing.get_context("fork")
    take, give = context.Pipe(duplex=False)

    def run() -> None:
        faulthandler.dump_traceback_later(within * 0.9)  # where it waits for what does not come
        try:
            give.send(act())
        except BaseException as error:  # noqa: BLE001 - the start itself fell
            give.send(f"{type(error).__name__}: {error}")
        # A forked child's own way out closes the queue of a pool that is still ending before its workers were told to
        # leave, and then waits for them for ever. They leave with this process.
        os._exit(0)

    child = context.Process(target=run)
    child.start()
    give.close()
    answer = "it ended without an answer"
    if take.poll(within):
        try:
            answer = take.recv()
        except EOFError:
            answer = "it ended without an answer"
    else:
        answer = f"no answer within {within:g} seconds"
        child.kill()
    child.join()
    take.close()
    return answer


class Trial:
    """A workspace, what it answers, and copies of its state to be damaged."""

    def __init__(
        self, folder: Path, *, files: int, seed: int, source: Path | None = None, within: float = WITHIN
    ) -> None:
        self._within = within
        self.root = folder / "workspace"
        self._kept = folder / "kept"
        prepare(self.root, files=files, seed=seed, source=source)
        self.asked: list[tuple[str, dict[str, Any]]] = self._questions()
        shutil.copytree(self.state, self._kept)
        self.before: list[Any] = self._answers()
        self.usual = set(self._started(()).said)
        self._again()

    @property
    def state(self) -> Path:
        """The state folder."""
        return self.root / ".context"

    def cases(self, *, most: int, seed: int) -> list[Case]:
        """The damage that there is to be done."""
        return cases(self._kept, most=most, seed=seed)

    def run(self, case: Case) -> tuple[Outcome | str, Outcome | str]:
        """The two starts after a damage; a text where one ended without an answer."""
        self._again()
        case.apply(self.state)
        return self._started(self.before), self._started(self.before)

    def _started(self, before: Sequence[Any]) -> Any:
        return in_a_process(lambda: started(self.root, self.asked, before), within=self._within)

    def verdict(self, first: Outcome | str, second: Outcome | str) -> str:
        """What is wrong; empty for what is as it should be."""
        for which, outcome in (("first", first), ("second", second)):
            if isinstance(outcome, str):
                return f"{which} start: {outcome}"
            refused = (each for each in outcome.refused if not any(text in each for text in _NO_PINS))
            for what in (*outcome.fell, *(f"{name} answers otherwise" for name in outcome.other), *refused):
                return f"{which} start: {what}"
        assert isinstance(first, Outcome)
        if first.lost and not set(first.said) - self.usual:
            return f"{', '.join(dict.fromkeys(first.lost))}: lost without a word"
        return ""

    def _questions(self) -> Any:
        with Bench.open(self.root, settings=Settings()) as bench:
            bench.index.load()
            bench.index.refresh()
            return questions(bench)

    def _answers(self) -> list[Any]:
        with Bench.open(self.root, settings=Settings()) as bench, acting(AGENT):
            bench.index.load()
            bench.index.refresh()
            return [called(bench, *each) for each in self.asked]

    def _again(self) -> None:
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(self._kept, self.state)


def main() -> None:
    """Damage, start, tell."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.robustness.damage", description=__doc__)
    options.add_argument("--cases", type=int, default=600, help="how many (600)")
    options.add_argument("--seed", type=int, default=1, help="which of all that are possible (1)")
    options.add_argument("--files", type=int, default=40, help="C# files of the workspace (40)")
    options.add_argument("--workspace", type=Path, help="a copy of this folder in the place of made files")
    options.add_argument("--within", type=float, default=WITHIN, help="seconds that a start has (60)")
    options.add_argument("--only", default="", help="cases of files whose name holds this text")
    options.add_argument("--json", type=Path, help="write every case and its outcome to this file")
    chosen = options.parse_args()
    rows: list[dict[str, Any]] = []
    # Interrupted or ended, it tells what was found up to then.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="damage-") as folder:
        trial = Trial(
            Path(folder), files=chosen.files, seed=chosen.seed, source=chosen.workspace, within=chosen.within
        )
        every = [case for case in trial.cases(most=10**6, seed=chosen.seed) if chosen.only in case.file]
        for case in every[: chosen.cases]:
            first, second = trial.run(case)
            said = [] if isinstance(first, str) else [each for each in first.said if each not in trial.usual]
            wrong = trial.verdict(first, second)
            rows.append({**asdict(case), "wrong": wrong, "said": said})
            if wrong:
                print(f"{case.file} {case.kind} {case.page}: {wrong}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1), "utf-8")
    _tell(rows)


def _tell(rows: Sequence[dict[str, Any]]) -> None:
    print("\n| damage | cases | answered, twice | said what it did |\n|---|---|---|---|")
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        good = sum(not row["wrong"] for row in mine)
        print(f"| {kind} | {len(mine)} | {good} | {sum(bool(row['said']) for row in mine)} |")
    wrong = Counter(row["file"].split("/")[0] for row in rows if row["wrong"])
    print(f"\nFiles with cases that went wrong: {dict(wrong)}")


if __name__ == "__main__":
    main()

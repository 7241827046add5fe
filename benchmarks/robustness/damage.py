"""Damaged files of the program's own: every file of a state and below `.context/`, page by page, overwritten, cut and
emptied.

    python -m benchmarks.robustness.damage [--cases 600] [--seed 1] [--files 40 | --workspace FOLDER] [--only TEXT]
                                           [--json OUT]

A workspace with an index, pins, presets, packs, receipts, writes and proposals is made once. Each case damages one file
of a copy and starts two processes on it, one after the other, which call what people and models call. The first has to
answer everything, as before wherever the answer is made of source, and has to say what it did; the second has to find
nothing left to do. Where it says nothing there has to be nothing to say, and that is looked up: every answer is that
of an undamaged start, and every file holds what an undamaged start leaves in it, or is one without which all of this is
so. Anything else counts as silent.
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
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.robustness.damage_traces import Traces, masked, traces
from benchmarks.robustness.damage_workspace import (
    AGENT,
    KEPT,
    SAME,
    TIMED,
    by_person,
    called,
    lasting,
    prepare,
    questions,
    told_of,
    unordered,
)
from services.bench import Bench
from services.errors import CodeCortexError
from services.settings import Settings
from services.source.journal.actor import acting
from services.workspace.files.openers import SHARED_FOLDER
from services.workspace.state_home import StateHome

PAGE = 4_096
KINDS = ("overwritten", "zeroed", "cut", "emptied")
WITHIN = 60.0
"""Seconds that a start has for its answers."""
_LOOKED = 0.05
"""Seconds between two looks at whether it is enough."""
_LEAVES = 2.0
"""Seconds that a process has to end in once it has answered; one that waits for workers is ended."""
WORDS = ("said", "nothing to say", "silent")
"""What a start told of a damage: what it did; nothing, as nothing was lost (looked up); nothing all the same."""


@dataclass(frozen=True, slots=True)
class Case:
    """`file`: below `private/`, the state, or `shared/`, which is `.context/`; `kind`: of KINDS; `page`: the first that
    is damaged."""

    file: str
    kind: str
    page: int

    def apply(self, state: Path) -> None:
        """Damages the file in a state folder."""
        path = state / self.file
        after = self.damaged(path.read_bytes())
        with path.open("r+b") as file:
            file.write(after)
            file.truncate(len(after))

    def damaged(self, data: bytes) -> bytes:
        """Return the damaged content of the file."""
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
    """Outcome of a process that started on damaged files. `fell`: operations that ended in an unforeseen error;
    `refused`: in a foreseen one; `other`: those with other answers than before; `lost`: those that lost a person's
    work; `said`: its messages about damage; `answers`: each in short."""

    fell: tuple[str, ...]
    refused: tuple[str, ...]
    other: tuple[str, ...]
    lost: tuple[str, ...]
    said: tuple[str, ...]
    answers: tuple[str, ...]


def cases(state: Path, *, most: int, seed: int) -> list[Case]:
    """Every damage to every file of a state folder that changes it; so many of them, each file at least once."""
    found = [case for path in sorted(state.rglob("*")) if path.is_file() for case in _of_file(state, path)]
    Random(seed).shuffle(found)
    first = {case.file: case for case in reversed(found)}
    rest = [case for case in found if first[case.file] is not case]
    return [*first.values(), *rest][: max(most, 0)]


def _of_file(state: Path, path: Path) -> Iterator[Case]:
    data = path.read_bytes()
    for kind in KINDS:
        for page in range(min(1, len(data)) if kind == "emptied" else -(-len(data) // PAGE)):
            case = Case(path.relative_to(state).as_posix(), kind, page)
            if case.damaged(data) != data:
                yield case


_NO_PINS = ("The window is empty", "Nothing is pinned")
"""What a copy says where the list of pins was lost, and is offered back."""
_DIFFERS = ("elapsedMs", "changedBy", "changed", "cached", "expiresAt", "token", "score")
"""What is not made of source alone: times, and who wrote last, which the journal of writes knows."""


def started(root: Path, asked: Sequence[tuple[str, dict[str, Any]]], before: Sequence[Any]) -> Outcome:
    """Start this process on a workspace with its state, and return the outcome. `before`: the answers of an undamaged
    one; empty: not compared."""
    fell, refused, other, lost, said = [], [], [], [], dict[str, None]()
    answers = [""] * len(asked)
    use_home(root)
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
            if name not in TIMED:
                answers[number] = masked(repr(unordered(lasting(answer))))
            if before and name in SAME and lasting(answer) != lasting(before[number]):
                other.append(name)
            if before and name in KEPT and by_person(answer) != by_person(before[number]):
                lost.append(name)
        said.update(dict.fromkeys(notice.message for notice in bench.health.notices()))
    return Outcome(tuple(fell), tuple(refused), tuple(other), tuple(lost), tuple(said), tuple(answers))


def use_home(root: Path) -> None:
    """Store state next to a workspace from now on, in this process."""
    os.environ["XDG_STATE_HOME"] = str(root.parent / "person")


def in_a_process(
    act: Callable[[], Any], *, within: float = WITHIN, is_enough: Callable[[], object] = lambda: False
) -> Any:
    """Return the answer of `act` in a process of its own, within so many seconds; a text where that ended otherwise, or
    was ended before its answer because that `is_enough`."""
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
    try:
        end = time.monotonic() + within
        while not take.poll(_LOOKED):
            if is_enough():
                child.kill()
                return "enough"
            if time.monotonic() > end:
                return f"no answer within {within:g} seconds"
        return take.recv()
    except EOFError:
        return "it ended without an answer"
    finally:
        child.join(_LEAVES)
        child.kill()
        child.join()
        take.close()


class Trial:
    """A workspace, what it answers, and copies of its state to be damaged. `state`: links to the folders of it."""

    def __init__(
        self, folder: Path, *, files: int, seed: int, source: Path | None = None, within: float = WITHIN
    ) -> None:
        self._within = within
        self.root = folder / "workspace"
        self._kept = folder / "kept"
        self.state = folder / "state"
        use_home(self.root)
        prepare(self.root, files=files, seed=seed, source=source)
        self.asked: list[tuple[str, dict[str, Any]]] = self._questions()
        private = StateHome.of_person().find_folder(self.root)
        assert private is not None
        self.state.mkdir()
        for name, place in (("private", private), ("shared", self.root / SHARED_FOLDER)):
            (self.state / name).symlink_to(place)
            shutil.copytree(place, self._kept / name)
        for path in self._kept.joinpath("private", "large").iterdir():
            os.utime(path, (0, 0))  # as after a minute: a start removes those that no row tells of
        self.before: list[Any] = self._answers()
        self._files = sorted(
            path.relative_to(self._kept).as_posix() for path in self._kept.rglob("*") if path.is_file()
        )
        self._undamaged()
        self._needless: dict[str, bool] = {}

    def cases(self, *, most: int, seed: int) -> list[Case]:
        """The damage that there is to be done."""
        return cases(self._kept, most=most, seed=seed)

    def run(self, case: Case) -> tuple[Outcome | str, Outcome | str, str]:
        """The two starts after a damage, a text where one ended without an answer; and one of WORDS, behind the last of
        which stands what differs."""
        first, left = self._first(case)
        second = self._started(self.before)
        if isinstance(first, str):
            return first, second, WORDS[2]
        if set(first.said) - self.usual:
            return first, second, WORDS[0]
        other = self._other(case, first, left)
        if other:  # some answers depend on how quick the machine is: what differs has to differ again
            again, left = self._first(case)
            other &= other if isinstance(again, str) else self._other(case, again, left)
        return first, second, f"{WORDS[2]}: {sorted(other)}" if other else WORDS[1]

    def _first(self, case: Case) -> tuple[Outcome | str, Traces]:
        """The first start after a damage, and what it left."""
        self._again()
        case.apply(self.state)
        return self._started(self.before), traces(self.state, self._left)

    def _started(self, before: Sequence[Any]) -> Any:
        return in_a_process(lambda: started(self.root, self.asked, before), within=self._within)

    def _undamaged(self) -> None:
        """Start twice on an undamaged copy: differences between these are no sign of damage."""
        starts, left = [], []
        for _ in range(2):
            self._again()
            starts.append(self._started(self.before))
            left.append(traces(self.state, self._files))
        self.usual = {each for start in starts for each in start.said}
        pairs = zip(*(start.answers for start in starts), strict=True)
        self._same = {number: one for number, (one, other) in enumerate(pairs) if one == other}
        self._left = {file: each for file, each in left[0].items() if each == left[1][file]}
        self._again()

    def _other(self, case: Case, outcome: Outcome, left: Traces) -> set[str]:
        """Operations and files whose answer or content is not that of an undamaged start."""
        other = {file for file, held in left.items() if held != self._left[file]}
        if case.file not in left:
            other.add(case.file)  # it differs each time: all that can be known is whether it is needed
        other |= self._other_answers(outcome)
        return set() if other == {case.file} and self._is_needless(case.file) else other

    def _other_answers(self, outcome: Outcome) -> set[str]:
        numbers = (number for number, answer in self._same.items() if outcome.answers[number] != answer)
        return {self.asked[number][0] for number in numbers}

    def _is_needless(self, file: str) -> bool:
        """Whether a start on a copy without a file is as one with it, and does not make it again. What differs has to
        differ twice."""
        if not self._needless.get(file):
            self._needless[file] = any(self._is_same_without(file) for _ in range(2))
        return self._needless[file]

    def _is_same_without(self, file: str) -> bool:
        self._again()
        (self.state / file).unlink()
        outcome = self._started(self.before)
        left = {**self._left, file: None}
        return (
            isinstance(outcome, Outcome)
            and not set(outcome.said) - self.usual
            and not self._other_answers(outcome)
            and traces(self.state, left) == left
        )

    def verdict(self, first: Outcome | str, second: Outcome | str) -> str:
        """Return the faults; empty where there are none."""
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
        for each in self.state.iterdir():
            place = each.readlink()
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(self._kept / each.name, place)


def main() -> None:
    """Damage, start, and print the results."""
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
    kept = tempfile.TemporaryDirectory(prefix="damage-", ignore_cleanup_errors=True)
    with suppress(KeyboardInterrupt), kept as folder:
        trial = Trial(
            Path(folder), files=chosen.files, seed=chosen.seed, source=chosen.workspace, within=chosen.within
        )
        every = [case for case in trial.cases(most=10**6, seed=chosen.seed) if chosen.only in case.file]
        for case in every[: chosen.cases]:
            first, second, told = trial.run(case)
            said = [] if isinstance(first, str) else [each for each in first.said if each not in trial.usual]
            wrong = trial.verdict(first, second)
            rows.append({**asdict(case), "wrong": wrong, "told": told, "said": said})
            if wrong or told.startswith(WORDS[2]):
                print(f"{case.file} {case.kind} {case.page}: {wrong or told}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1), "utf-8")
    _tell(rows)


def _tell(rows: Sequence[dict[str, Any]]) -> None:
    print(f"\n| damage | cases | answered, twice | {' | '.join(WORDS)} |\n|---|---|---|---|---|---|")
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        good = sum(not row["wrong"] for row in mine)
        told = Counter(row["told"].partition(":")[0] for row in mine)
        print(f"| {kind} | {len(mine)} | {good} | {' | '.join(str(told[word]) for word in WORDS)} |")
    wrong = Counter(row["file"].split("/")[0] for row in rows if row["wrong"])
    print(f"\nFiles with cases that went wrong: {dict(wrong)}")


if __name__ == "__main__":
    main()

"""How much of what a method's body names is in the context around it: completeness, aider's map, whole files.

    python -m benchmarks.prompt.coverage FOLDER [--aider PYTHON SOURCE] [--methods 30] [--budget 8000] [--seed 4]

A seeded choice of methods whose bodies name at least two workspace types. For each, within the budget:

- *ours*: the method's source pinned, `complete --add`;
- *aider*: its repository map with the method's file as chat file and every identifier of the method as mentioned, once
  as large as the budget, the whole chat file beside it for nothing, once with the chat file counted in;
- *files*: the method's file, then the files of the types it names, most often named first, cut at the budget.

A type is covered where a line that declares it is shown; *with members* where members of it are shown too. Which types
a body names is told by our own binder; *by name* is told without it: an identifier of the body, comments and strings
apart, that is the simple name of workspace types is covered where one of them is. PYTHON has what aider's map needs
(grep-ast, networkx, scipy, diskcache, pygments, tqdm, tiktoken); SOURCE is a checkout of it.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.harness.corpus import copied
from benchmarks.harness.machine import machine
from services.model import Level

if TYPE_CHECKING:
    from services.bench import Bench

_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
_DECLARES = r"\b(?:class|struct|interface|enum|record|delegate)\b[^(;{]*?\b%s\b"
_MARK = re.compile(r"^[│⋮█ ]+")
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    """A type that a body names, or all types of a name: `ids`, simple name, and (file, first, last line) of their
    parts; `count`: how often."""

    ids: tuple[str, ...]
    name: str
    parts: tuple[tuple[str, int, int], ...]
    count: int


@dataclass(frozen=True, slots=True)
class Method:
    """Method, its place, and the names in its body: `targets` as bound, `names` as spelt."""

    id: str
    file: str
    start: int
    end: int
    targets: tuple[Target, ...]
    names: tuple[Target, ...]


Seen = Callable[[Target], tuple[bool, bool]]
"""Whether a context shows a target at all, and with members."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Shares of the targets: shown at all, shown with members; of the names, shown at all; and the tokens it took."""

    shown: float
    members: float
    named: float
    tokens: int


def covered(method: Method, seen: Seen, tokens: int) -> Covered:
    """The shares of a method's targets and names."""
    found = [seen(target) for target in method.targets]
    named = [seen(target)[0] for target in method.names]
    return Covered(mean(shown for shown, _ in found), mean(its for _, its in found), mean(named), tokens)


class Texts:
    """Files and tokens of a workspace."""

    def __init__(self, folder: Path) -> None:
        from services.prompt.tokens.tokenizers import EncodingCounter, counter_for

        self._folder = folder
        self._counter = counter_for("gpt-5", EncodingCounter())

    def lines(self, file: str) -> list[str]:
        """The lines of a file, with their endings."""
        return (self._folder / file).read_text("utf-8-sig", errors="replace").splitlines(keepends=True)

    def tokens(self, text: str) -> int:
        """Its tokens."""
        return self._counter.count(text)


def methods(bench: Bench, texts: Texts, *, count: int, seed: int) -> list[Method]:
    """A seeded choice among all methods of the workspace."""
    found = sorted(
        (
            s
            for s in bench.index.symbols()
            if s.kind == "method" and not s.implicit and s.end_line - s.start_line > 2
        ),
        key=lambda symbol: symbol.id,
    )
    random.Random(seed).shuffle(found)
    chosen: list[Method] = []
    every = _by_name(bench)
    for symbol in found:
        targets = _targets(bench, symbol.file, symbol.start_line, symbol.end_line)
        if len(targets) >= 2:
            place = (symbol.file, symbol.start_line, symbol.end_line)
            chosen.append(Method(symbol.id, *place, targets, _names(texts, every, *place)))
        if len(chosen) == count:
            break
    return chosen


def _by_name(bench: Bench) -> dict[str, Target]:
    """All types of the workspace by their simple name."""
    found: dict[str, Target] = {}
    for symbol in bench.index.symbols():
        if symbol.is_type:
            old = found.get(symbol.name, Target((), symbol.name, (), 0))
            part = (symbol.file, symbol.start_line, symbol.end_line)
            found[symbol.name] = Target((*old.ids, symbol.id), symbol.name, (*old.parts, part), 0)
    return found


def _names(texts: Texts, every: Mapping[str, Target], file: str, start: int, end: int) -> tuple[Target, ...]:
    """The names of workspace types among the identifiers of lines."""
    source = _NO_CODE.sub(" ", "".join(texts.lines(file)[start - 1 : end]))
    return tuple(every[name] for name in dict.fromkeys(_IDENTIFIER.findall(source)) if name in every)


def _targets(bench: Bench, file: str, start: int, end: int) -> tuple[Target, ...]:
    index = bench.index.facade  # pyright: ignore[reportPrivateUsage]
    found: list[Target] = []
    for at, count in index.files.mentions_in(file, start, end).named.most_common():
        whole = index.describer.whole(at)
        if whole is not None:
            parts = tuple(
                (index.catalogue.file(p.file).path, p.declaration.start_line, p.declaration.end_line)
                for p in whole.parts
            )
            found.append(Target((whole.id,), whole.entry.name, parts, count))
    return tuple(found)


def ours(bench: Bench, method: Method, budget: int) -> Covered:
    """The method pinned and completed. What is shown is read off the text."""
    for item in bench.window.render().items:
        bench.window.dismiss(item.key)
    bench.window.pin(method.id, level="bodies", force=True)
    bench.advice.completeness(add=True, budget=budget)
    made = bench.window.rendering()
    outlined = {each.symbol_id for each in made.shown if each.level is not Level.SIGNATURE}
    listed = {each.symbol_id for each in made.shown}

    def seen(target: Target) -> tuple[bool, bool]:
        own = not outlined.isdisjoint(target.ids) or _within(
            target, [(method.file, method.start, method.end)]
        )
        return own or not listed.isdisjoint(target.ids), own

    return covered(method, seen, made.window.tokens)


def files(texts: Texts, method: Method, budget: int) -> Covered:
    """Whole files, the method's first, cut at the line that the budget ends in."""
    named = [part[0] for target in method.targets for part in target.parts]
    there: list[tuple[str, int, int]] = []
    room = budget
    for file in dict.fromkeys([method.file, *named]):
        lines = texts.lines(file)
        taken = _fitting(texts, f"// {file}\n", lines, room)
        there.append((file, 1, taken))
        room -= texts.tokens(f"// {file}\n" + "".join(lines[:taken]))
        if taken < len(lines):
            break

    def seen(target: Target) -> tuple[bool, bool]:
        within = _within(target, there, whole=False)
        return within, within

    return covered(method, seen, budget - room)


def _fitting(texts: Texts, head: str, lines: Sequence[str], room: int) -> int:
    """How many lines fit."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if texts.tokens(head + "".join(lines[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _within(target: Target, there: Sequence[tuple[str, int, int]], *, whole: bool = True) -> bool:
    """Whether a part of the type is in stretches of files, all of it or its first line."""
    return any(
        file == place and first <= start and (end if whole else start) <= last
        for file, start, end in target.parts
        for place, first, last in there
    )


class Aider:
    """Map of aider, requested over a pipe."""

    def __init__(
        self, process: subprocess.Popen[str], folder: Path, paths: Sequence[str], texts: Texts
    ) -> None:
        self._process = process
        self._folder = folder
        self._files = [str(folder / path) for path in paths]
        self._texts = texts

    def covered(self, method: Method, budget: int, *, beside: bool) -> Covered:
        """Return the coverage. `beside`: the chat file costs nothing; else the map has the rest of the budget."""
        chat = "".join(self._texts.lines(method.file))
        own = self._texts.tokens(chat)
        room = budget if beside else budget - own
        text = self._map(method, room) if room > 0 else ""
        there = [(method.file, 1, 1 << 30)]
        if not beside and own > budget:
            there = [(method.file, 1, _fitting(self._texts, "", self._texts.lines(method.file), budget))]

        def seen(target: Target) -> tuple[bool, bool]:
            own_file = _within(target, there, whole=False)
            mapped, with_members = _mapped(text, target)
            return own_file or mapped, own_file or with_members

        tokens = self._texts.tokens(text) + (0 if beside else min(own, budget))
        return covered(method, seen, tokens)

    def _map(self, method: Method, tokens: int) -> str:
        body = "".join(self._texts.lines(method.file)[method.start - 1 : method.end])
        asked = {
            "files": self._files,
            "chat": str(self._folder / method.file),
            "idents": sorted(set(_IDENTIFIER.findall(body))),
            "tokens": tokens,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())["map"]


def _mapped(text: str, target: Target) -> tuple[bool, bool]:
    """Whether a map shows the type's declaration under one of its files, and more lines of it."""
    declares = re.compile(_DECLARES % re.escape(target.name))
    for file in {part[0] for part in target.parts}:
        head = f"\n{file}:\n"
        at = f"\n{text}".find(head)
        if at < 0:
            continue
        block = re.split(r"\n\n(?=\S)", f"\n{text}"[at + len(head) :], maxsplit=1)[0]
        lines = [_MARK.sub("", line) for line in block.split("\n") if line.startswith("│")]
        for number, line in enumerate(lines):
            if declares.search(line):
                return True, number + 1 < len(lines)
    return False, False


@contextmanager
def aider(chosen: Sequence[str], folder: Path, paths: Sequence[str], texts: Texts) -> Iterator[Aider]:
    """aider's process."""
    python, source = chosen
    with TemporaryDirectory() as temporary:
        ranks = Path(temporary, "ranks")
        ranks.write_bytes(pickle.dumps(_ranks()))
        script = Path(__file__).with_name("aider_map.py")
        process = subprocess.Popen(
            [python, str(script), source, str(ranks), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            yield Aider(process, folder, paths, texts)
        finally:
            process.kill()
            process.wait()


def _ranks() -> tuple[str, Any]:
    from services.prompt.tokens.models import load_encoding

    encoding = load_encoding("o200k_base")
    return encoding._pat_str, encoding._mergeable_ranks  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def measured(chosen: argparse.Namespace, folder: Path, paths: Sequence[str]) -> dict[str, list[Covered]]:
    """Every way, method by method."""
    from benchmarks.harness.corpus import settings
    from services.bench import Bench

    texts = Texts(folder)
    with Bench.open(folder, settings=settings(1)) as bench:
        bench.index.load()
        bench.index.refresh()
        bench.index.relate()
        picked = methods(bench, texts, count=chosen.methods, seed=chosen.seed)
        found = {"complete": [ours(bench, each, chosen.budget) for each in picked]}
    found["whole files"] = [files(texts, each, chosen.budget) for each in picked]
    if chosen.aider:
        with aider(chosen.aider, folder, paths, texts) as process:
            for name, beside in (("aider, file beside", True), ("aider, file within", False)):
                found[name] = [process.covered(each, chosen.budget, beside=beside) for each in picked]
    named = [len(each.targets) for each in picked]
    spelt = sum(len(each.names) for each in picked)
    print(
        f"{len(picked)} methods, {sum(named)} types named, {mean(named):.1f} each; {spelt} names",
        file=sys.stderr,
    )
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--aider", nargs=2, metavar=("PYTHON", "SOURCE"))
    parser.add_argument("--methods", type=int, default=30)
    parser.add_argument("--budget", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=4)
    chosen = parser.parse_args()
    name = chosen.folder.resolve().name
    with copied(chosen.folder, name=name, workers=1, rounds=1) as corpus:
        found = measured(chosen, corpus.folder, corpus.paths)
        print(f"{name}: {corpus.scale}; {machine()}")
    print("| way | declared | with members | by name | tokens, mean |\n|---|---|---|---|---|")
    for way, its in found.items():
        shares = (f"{mean(getattr(each, of) for each in its):.1%}" for of in ("shown", "members", "named"))
        print(f"| {way} | {' | '.join(shares)} | {mean(each.tokens for each in its):,.0f} |")


if __name__ == "__main__":
    main()

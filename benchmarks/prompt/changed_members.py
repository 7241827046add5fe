"""Share of the members changed by a commit whose declarations are in the text for the changed types.

    python -m benchmarks.prompt.changed_members FOLDER... [--count 15] [--among 60] [--commits FILE] [--budget 8000]
        [--json OUT]

Each commit's parent is checked out in a clone that is gone afterwards. The types whose members it changed are pinned as
they are by default, tests left out, and the window is copied within the budget with the commit's words as the task. Of
members that the parent does not have nothing can stand there; they do not count. A member is held where its type, name
and parameters stand in the text. A signature is told *twice* where the items of two types, of which one derives from
the other, both list it; of an item without a heading of its own, where the text has it more than once. `tokens`: of
each pinned type's outline in the window, beside that of the outline files.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from benchmarks.context.commits import changes, check_out, cloned, message, ordered, parent, sampled
from benchmarks.harness.corpus import settings
from services.bench import Bench
from services.model import TYPE_KINDS, Level, Symbol, TypeDetail
from services.prompt.items import ItemKey, Request
from services.prompt.outline.outline import type_outline
from services.prompt.render.renderer import View

if TYPE_CHECKING:
    from services.index.index import Index

_MOST_TYPES = 12
_SPACES = re.compile(r"\s+")


class Commit(msgspec.Struct):
    """Commit. `held` of `members`; `types`: pinned; `twice`: repeated signatures; `outlines`: tokens of the pinned
    types as the window has them whole, `files`: as outline files have them, without hashes."""

    repository: str
    commit: str
    members: int
    held: int
    types: int
    tokens: int
    twice: list[str]
    outlines: list[int]
    files: list[int]
    missing: list[str]


def main() -> None:
    """Measure, print and store the results."""
    chosen = _options().parse_args()
    found: list[Commit] = []
    for folder in chosen.folders:
        with TemporaryDirectory(prefix="codecortex-members-") as temporary:
            clone = cloned(folder.resolve(), Path(temporary, "clone"))
            if chosen.commits:
                commits = ordered(clone, chosen.commits.read_text().split())
            else:
                commits = sampled(clone, count=chosen.count, among=chosen.among)
            found += _measured(clone, commits, folder.resolve().name, chosen.budget)
    print(table(found))
    if chosen.json:
        chosen.json.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1))


def _measured(clone: Path, commits: Sequence[str], name: str, budget: int) -> Iterator[Commit]:
    bench: Bench | None = None
    try:
        for number, commit in enumerate(commits, 1):
            before = parent(clone, commit)
            if before is None:
                continue
            check_out(clone, before)
            bench = bench or Bench.open(clone, settings=settings(2))
            bench.index.refresh()
            bench.index.relate()
            if (made := _commit(bench, clone, commit, name, budget)) is not None:
                yield made
            print(f"{name} {number}/{len(commits)}", end="\r", file=sys.stderr)
    finally:
        if bench is not None:
            bench.close()


def _commit(bench: Bench, clone: Path, commit: str, name: str, budget: int) -> Commit | None:
    index = bench.index.facade
    changed = _changed(index, bench, clone, commit)
    if not changed or len(changed) > _MOST_TYPES:
        return None
    for item in bench.window.render().items:
        bench.window.dismiss(item.key)
    for id_ in changed:
        bench.window.pin(id_, force=True)
    made = _copied(bench, message(clone, commit), budget)
    text = _SPACES.sub(" ", made[0])
    details = [detail for id_ in changed if (detail := bench.outlines.detail(id_))]
    members = [symbol for its in changed.values() for symbol in its]
    missing = [symbol for symbol in members if needle(symbol) not in text]
    asked = [Request(key=ItemKey("type", id_), level=Level.OUTLINE) for id_ in changed]
    return Commit(
        repository=name,
        commit=commit[:10],
        members=len(members),
        held=len(members) - len(missing),
        types=len(changed),
        tokens=made[1],
        twice=[each for pair in combinations(details, 2) for each in _twice(text, *pair)],
        outlines=[cost or 0 for cost in bench.window.unchecked.costs(asked)],
        files=bench.counter().count_many([type_outline(each, hashes=False) for each in details]),
        missing=[f"{symbol.accessibility.declared} {symbol.kind} {symbol.fqn}" for symbol in missing],
    )


def _copied(bench: Bench, words: str, budget: int) -> tuple[str, int]:
    """The text of the window for a task, and its tokens."""
    options = bench.models.options()
    view = View(words=words, options=replace(options, budget=replace(options.budget, tokens=budget)))
    window = bench.window.rendering("md", view=view).window
    return window.text, window.tokens


def _changed(index: Index, bench: Bench, clone: Path, commit: str) -> dict[str, list[Symbol]]:
    """The members that the commit changes, by the id of their type; tests left out."""
    spans = changes(clone, commit)
    tests = bench.context.structure().tests
    unit_of = bench.context.structure().unit_of
    catalogue, records = index.catalogue, index.records
    ids: dict[str, set[str]] = {}
    for file, entry in enumerate(catalogue.files):
        record = records.record(file) if entry and not entry.shadow and entry.path in spans else None
        if entry is None or record is None:
            continue
        for at, declaration in enumerate(record.declarations):
            lines = (declaration.start_line, declaration.end_line)
            if declaration.kind in TYPE_KINDS or not any(
                lines[0] <= last and first <= lines[1] for first, last in spans[entry.path]
            ):
                continue
            owner = catalogue.columns.owner[entry.rows[0] + at]
            ref = index.files.declared(file, at)
            if ref is None or ref.id.count("_") < 2 or unit_of.get(owner, owner) in tests:
                continue
            ids.setdefault("_".join(ref.id.split("_")[:2]), set()).add(ref.id)
    found: dict[str, list[Symbol]] = {}
    for type_, members in ids.items():
        detail = bench.outlines.detail(type_)
        found[detail.symbol.id] = [
            each for each in detail.members if each.id in members and not each.implicit
        ]
    return {type_: members for type_, members in found.items() if members}


def needle(symbol: Symbol) -> str:
    """Return the part of a declaration that a text must contain: type, name and parameters."""
    line = _SPACES.sub(" ", symbol.signature)
    at = line.find(f"{symbol.name}(") if symbol.parameters is not None else -1
    if at >= 0:
        end = _closing(line, at + len(symbol.name))
        return line[at:end]
    if symbol.return_type and (at := line.find(symbol.return_type)) >= 0:
        line = line[at:]
    return re.split(r" \{| = |;", line)[0].removeprefix("public ").strip()


def _closing(line: str, at: int) -> int:
    depth = 0
    for place in range(at, len(line)):
        depth += (line[place] in "([") - (line[place] in ")]")
        if not depth:
            return place + 1
    return len(line)


def _twice(text: str, one: TypeDetail, other: TypeDetail) -> list[str]:
    """Signatures of a type and its base that are in both of their items."""
    bases = {base.type_id for each in (one, other) for base in each.symbol.bases or ()}
    if one.symbol.id not in bases and other.symbol.id not in bases:
        return []
    ours = {needle(each) for each in one.members if each.kind != "constructor" and not each.implicit}
    theirs = {needle(each) for each in other.members if each.kind != "constructor" and not each.implicit}
    items = [_item(text, each) for each in (one, other)]
    return sorted(each for each in ours & theirs if _is_twice(each, text, items))


def _is_twice(signature: str, text: str, items: Sequence[str | None]) -> bool:
    # From the start of a name: `SetLength(` is also the end of `VectorSetLength(`.
    pattern = re.compile(rf"(?<!\w){re.escape(signature)}")
    if None in items:
        return len(pattern.findall(text)) > 1
    return all(pattern.search(item or "") for item in items)


def _item(text: str, detail: TypeDetail) -> str | None:
    """The part of a text that shows a type, whose heading names its place: a third type may declare the same. None
    where no heading, or more than one, names it."""
    parts = re.split(r"(?:^|(?<= ))## (?=\S)", text)
    heading = f"{detail.symbol.file}:{detail.symbol.start_line}-"
    found = [part for part in parts if part.startswith(heading)]
    return found[0] if len(found) == 1 else None


def table(found: Sequence[Commit]) -> str:
    """Shares and means by repository, as Markdown."""
    rows = [
        "| repository | commits | all members held | members held | tokens, mean | twice | tokens a type | as files |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in [*dict.fromkeys(each.repository for each in found), "all"]:
        its = [each for each in found if name in (each.repository, "all")]
        members, count = sum(each.members for each in its) or 1, len(its) or 1
        types = sum(each.types for each in its) or 1
        rows.append(
            f"| {name} | {len(its)} | {100 * sum(e.held == e.members for e in its) / count:.1f} % "
            f"| {100 * sum(e.held for e in its) / members:.1f} % of {members} "
            f"| {sum(e.tokens for e in its) / count:,.0f} | {sum(len(e.twice) for e in its)} "
            f"| {sum(sum(e.outlines) for e in its) / types:,.0f} | {sum(sum(e.files) for e in its) / types:,.0f} |"
        )
    return "\n".join(rows)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompt.changed_members")
    parser.add_argument("folders", type=Path, nargs="+", help="git repositories of C#")
    parser.add_argument("--count", type=int, default=15, help="commits of each")
    parser.add_argument("--among", type=int, default=60, help="newest commits they are taken from")
    parser.add_argument("--commits", type=Path, help="a file of commit hashes, instead of a sample")
    parser.add_argument("--budget", type=int, default=8_000, help="tokens of the text")
    parser.add_argument("--json", type=Path, help="where every commit goes")
    return parser


if __name__ == "__main__":
    main()

"""Accuracy of API changes, compared with the reports of the compiler and ApiCompat on the same tags.

python -m benchmarks.api_scores TRUTH ASSEMBLY=REPOSITORY:PROJECT … [--show 5]

TRUTH has one JSON object a line, as `benchmarks.api_changes` prints them. Of each list: how many of ours are in it
(precision), and how many of it are ours (recall).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.api_changes import as_lists, side
from services.review.api.compare import compared

LISTS = ("added", "removed", "changed", "breaking")


def keys(row: Mapping[str, Any], name: str) -> set[str]:
    """Return the compared keys of a list: ids; of breaking changes code and sentence."""
    if name == "breaking":
        return {" ".join(each) for each in row[name]}
    return {each if isinstance(each, str) else each[0] for each in row[name]}


def main() -> None:
    """Score every pair of tags of the libraries that are named."""
    chosen = _options().parse_args()
    places = dict(each.split("=", 1) for each in chosen.library)
    sides: dict[tuple[str, str], Any] = {}
    sums = {name: [0, 0, 0] for name in LISTS}
    for line in chosen.truth.read_text("utf-8").splitlines():
        truth = msgspec.json.decode(line)
        if truth["assembly"] not in places:
            continue
        repository, _, project = places[truth["assembly"]].rpartition(":")
        old, new = (_side(sides, Path(repository), truth[way], project) for way in ("from", "to"))
        own = as_lists(compared(old.api, new.api, name=f"{new.assembly}-{truth['to']}"))
        print(
            f"{truth['assembly']} {truth['from']}..{truth['to']}: {_scored(truth, own, sums, chosen.show)}",
            flush=True,
        )
    for name, (same, ours, theirs) in sums.items():
        print(
            f"{name}: precision {same}/{ours} = {_share(same, ours)}, recall {same}/{theirs} = {_share(same, theirs)}"
        )


def _side(sides: dict[tuple[str, str], Any], repository: Path, tag: str, project: str) -> Any:
    key = (str(repository), tag)
    if key not in sides:
        sides[key] = side(repository, tag, project)
    return sides[key]


def _scored(truth: Mapping[str, Any], own: Mapping[str, Any], sums: dict[str, list[int]], show: int) -> str:
    said = []
    for name in LISTS:
        ours, theirs = keys(own, name), keys(truth, name)
        counted = (len(ours & theirs), len(ours), len(theirs))
        sums[name] = [a + b for a, b in zip(sums[name], counted, strict=True)]
        said.append(
            f"{name} {counted[0]} of {counted[2]}"
            + (f" ({counted[1]} told)" if counted[1] != counted[0] else "")
        )
        said += [f"\n  {name} + {each}" for each in sorted(ours - theirs)[:show]]
        said += [f"\n  {name} - {each}" for each in sorted(theirs - ours)[:show]]
    return ", ".join(said)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "-"


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.api_scores", description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    options.add_argument("truth", type=Path)
    options.add_argument("library", nargs="+", metavar="ASSEMBLY=REPOSITORY:PROJECT")
    options.add_argument("--show", type=int, default=5, help="mistakes of each sort to print")
    return options


if __name__ == "__main__":
    main()

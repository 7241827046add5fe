"""Makes a corpus of pasted answers of the commits of repositories.

python -m benchmarks.paste.make OUT.jsonl.xz REPOSITORY … [--each 12] [--long 0] [--seed 1] [--others]

`--each`: cases of every form; `--long`: answers of more than 4 000 tokens besides; `--others`: forms as other tools and
models write them, instead.
"""

from __future__ import annotations

import argparse
import itertools
import lzma
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.paste import make_diffs, make_fences, make_odd, make_others
from benchmarks.paste.cases import Case
from benchmarks.paste.commits import Changed, commits

_MULTI = (9, 17, 40)
_NEVER = (30, 46)
"""Forms that must not be applied."""
_LONG = 4_000 * 4
"""Characters that 4 000 tokens of C# take at least."""


def cases(
    repositories: list[Path], *, each: int, long: int, seed: int, others: bool = False
) -> Iterator[Case]:
    """So many cases of every form, and so many long ones. `others`: of the forms of other tools."""
    rng = random.Random(seed)
    single = _turns([commits(folder, seed=seed) for folder in repositories])
    multi = _turns([commits(folder, seed=seed, files=(2, 4)) for folder in repositories])
    count: Counter[int | str] = Counter()
    wanted = {*make_others.FORMS} if others else {*range(1, 31)}
    while (left := {form for form in wanted if count[form] < each}) or count["long"] < long:
        sources = [next(single, None)] + (
            [next(multi, None)] if left & {*_MULTI} or count["long"] < long else []
        )
        if sources[0] is None:
            return
        for changed in filter(None, sources):
            # Of one commit at most one case of a form: what is odd about it counts once.
            seen: set[int] = set()
            for case in sorted(_of(changed, rng, others=others), key=lambda _: rng.random()):
                is_long = (
                    len(case.answer) > _LONG
                    and (case.form in (1, 5, 9, 10, 12, 13, 15, 17, 22) or others)
                    and count["long"] < long
                )
                if case.form in seen or not (count[case.form] < each or is_long):
                    continue
                seen.add(case.form)
                count[case.form] += 1
                count["long"] += len(case.answer) > _LONG
                case.id = f"{case.form:02}-{count[case.form]:03}"
                yield case


def _of(changed: Changed, rng: random.Random, *, others: bool) -> Iterator[Case]:
    base = {**changed.before, **changed.beside}
    is_multi = len(changed.after) > 1
    forms = make_others.FORMS if others else {**make_diffs.FORMS, **make_fences.FORMS}
    for form, make in forms.items():
        if is_multi != (form in _MULTI):
            continue
        for variant, answer in make(changed, rng):
            expect: dict[str, str | None] | None = dict(changed.after)
            if form in _NEVER:
                expect = None
            if form == 8:
                expect = {
                    changed.path: None,
                    changed.path.removesuffix(".cs") + "Renamed.cs": changed.after[changed.path],
                }
            yield Case(
                id="", form=form, variant=variant, repo=changed.repo, commit=changed.commit, why="made of a commit",
                base=base, disk=base, answer=answer if others else answer.replace("\r\n", "\n"), expect=expect,
                outcome="lands" if expect is not None else "asks",
            )  # fmt: skip
    if not is_multi and not others:
        yield from make_odd.odd_cases(changed, rng)


def _turns(sources: list[Iterator[Changed]]) -> Iterator[Changed]:
    for row in itertools.zip_longest(*sources):
        yield from filter(None, row)


def main() -> None:
    """Write the corpus."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("out", type=Path)
    options.add_argument("repositories", type=Path, nargs="+")
    options.add_argument("--each", type=int, default=12)
    options.add_argument("--long", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--others", action="store_true")
    chosen = options.parse_args()
    made = cases(
        chosen.repositories, each=chosen.each, long=chosen.long, seed=chosen.seed, others=chosen.others
    )
    with lzma.open(chosen.out, "wb") as out:
        for case in made:
            out.write(msgspec.json.encode(case) + b"\n")


if __name__ == "__main__":
    main()

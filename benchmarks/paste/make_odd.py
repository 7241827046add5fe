"""Forms that are about the file, not the answer (20, 21, 23 to 29)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from benchmarks.paste.cases import Case, bare, diff, fence, hunks, is_unique
from benchmarks.paste.commits import Changed

_PROSE = (
    "The lock is taken twice, which is why it hangs. I would look at who disposes it.\n\n```bash\ndotnet test\n```\n",
    "This looks right to me. No change is needed.\n",
)


def odd_cases(each: Changed, rng: random.Random) -> Iterator[Case]:
    """Every form that the commit allows."""
    path, before, after = each.path, each.before[each.path], each.after[each.path]
    base = {**each.before, **each.beside}
    text = diff(path, before, after)
    pasted = f"// {path}\n" + after.removeprefix("\ufeff")
    yield from _endings(each, base, text)
    yield from _went_on(each, base, text, rng)
    yield _case(each, 26, "diff", base, text, {path: after}, disk={**base, path: after})
    yield _case(each, 26, "whole", base, fence(pasted, "cs"), {path: after}, disk={**base, path: after})
    missing = path.removesuffix(".cs") + "Missing.cs"
    yield _case(each, 27, "diff", base, text.replace(path, missing), None)
    yield _case(each, 28, "words", base, rng.choice(_PROSE), None)
    shown = "\n".join(bare(before)[:12])
    yield _case(
        each,
        28,
        "quoted",
        base,
        f"Here is how `{path}` begins:\n\n{fence(shown, 'csharp')}\nIt is fine.",
        None,
    )


def _endings(each: Changed, base: dict[str, str], text: str) -> Iterator[Case]:
    path, before, after = each.path, each.before[each.path], each.after[each.path]
    old, new = (one.replace("\r\n", "\n").replace("\n", "\r\n") for one in (before, after))
    yield _case(each, 20, "diff", {**base, path: old}, text.replace("\r", ""), {path: new})
    old, new = ("\ufeff" + one.removeprefix("\ufeff").rstrip("\r\n") for one in (before, after))
    if bare(old)[-1] == bare(new)[-1]:
        yield _case(each, 21, "diff", {**base, path: old}, text, {path: new})
        block = f"// {path}\n{new.removeprefix(chr(0xFEFF))}"
        yield _case(each, 21, "search", {**base, path: old}, _searched(path, old, new), {path: new})
        del block


def _searched(path: str, old: str, new: str) -> str:
    blocks = [
        f"{path}\n<<<<<<< SEARCH\n"
        + "\n".join(h.side("-"))
        + "\n=======\n"
        + "\n".join(h.side("+"))
        + "\n>>>>>>> REPLACE\n"
        for h in hunks(old, new, 5)
        if is_unique(old, h.side("-"))
    ]
    return "\n".join(blocks) if len(blocks) == len(hunks(old, new, 5)) else diff(path, old, new)


def _went_on(each: Changed, base: dict[str, str], text: str, rng: random.Random) -> Iterator[Case]:
    path, before, after = each.path, each.before[each.path], each.after[each.path]
    if "\r" in before + after:
        return
    made = hunks(before, after, 0)
    lines, new = before.split("\n"), after.split("\n")
    first = made[0].old
    if first > 25:
        at = rng.randint(3, first - 12)
        note = "// somebody was here"
        disk = "\n".join([*lines[:at], note, *lines[at:]])
        expect = "\n".join([*new[:at], note, *new[at:]])
        yield _case(each, 23, "before", base, text, {path: expect}, disk={**base, path: disk})
    changed = [
        at
        for at, line in enumerate(lines, 1)
        if made[0].old <= at < made[0].old + made[0].counts()[0] and line.strip()
    ]
    if changed:
        at = changed[0] - 1
        disk = "\n".join([*lines[:at], lines[at] + " // theirs", *lines[at + 1 :]])
        yield _case(each, 24, "line", base, text, None, disk={**base, path: disk})
    twice = _twice(lines)
    if twice is not None:
        line = lines[twice]
        block = f"{path}\n<<<<<<< SEARCH\n{line}\n=======\n{line} // changed\n>>>>>>> REPLACE\n"
        yield _case(each, 25, "search", base, block, None)
        yield _case(
            each, 25, "diff", base, f"--- a/{path}\n+++ b/{path}\n@@ @@\n-{line}\n+{line} // changed\n", None
        )
    secret = 'private const string Password = "kX9vQ2mLp7RtZ4wB8nYc";'
    at = max(1, made[0].old - 2)
    indent = " " * 8
    old = "\n".join([*lines[:at], indent + secret, *lines[at:]])
    now = "\n".join([*new[:at], indent + secret, *new[at:]])
    mark = "[[secret:password:ABC234]]"
    yield _case(
        each, 29, "context", {**base, path: old}, diff(path, old, now).replace("kX9vQ2mLp7RtZ4wB8nYc", mark),
        {path: now}, masks={mark: "kX9vQ2mLp7RtZ4wB8nYc"},
    )  # fmt: skip


def _twice(lines: list[str]) -> int | None:
    return next(
        (at for at, line in enumerate(lines) if len(line.strip()) > 12 and lines.count(line) == 2), None
    )


def _case(
    each: Changed,
    form: int,
    variant: str,
    base: dict[str, str],
    answer: str,
    expect: Mapping[str, str] | None,
    *,
    disk: dict[str, str] | None = None,
    masks: dict[str, str] | None = None,
) -> Case:
    return Case(
        id="", form=form, variant=variant, repo=each.repo, commit=each.commit, why="made of a commit", base=base,
        disk=disk or base, answer=answer,
        expect=None if expect is None else {**expect}, outcome="lands" if expect is not None else "asks",
        masks=masks or {},
    )  # fmt: skip

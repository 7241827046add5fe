"""Forms of answers that are diffs or blocks of some kind (1 to 12, 17 to 19, 22)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from benchmarks.paste.cases import HunkLines, are_unique, body, diff, drifted, fence, hunks
from benchmarks.paste.commits import Changed

Made = tuple[str, str]
"""Variant and answer."""

_SMART = {'"': "“”", "'": "‘’"}


def right(each: Changed, _: random.Random) -> Iterator[Made]:
    """A correct diff, bare or in a fence."""
    path, before, after = _one(each)
    text = diff(path, before, after)
    yield "bare", text
    yield "fence", f"Here is the fix:\n\n{fence(text, 'diff')}\nLet me know how it goes."


def wrong_numbers(each: Changed, rng: random.Random) -> Iterator[Made]:
    """Diffs whose line numbers are off by some lines, or all 1."""
    path, before, after = _one(each)
    made = hunks(before, after)
    by = rng.choice((-40, -7, -1, 1, 3, 25, 200))
    heads = [HunkLines(max(1, h.old + by), max(1, h.new + by), h.lines).head() for h in made]
    yield f"by {by}", _named(path, body(made, heads))
    yield "all 1", fence(_named(path, body(made, [HunkLines(1, 1, h.lines).head() for h in made])), "diff")


def wrong_counts(each: Changed, rng: random.Random) -> Iterator[Made]:
    """A diff whose headers count other lines than there are."""
    path, before, after = _one(each)
    made = hunks(before, after)
    heads = []
    for hunk in made:
        old, new = hunk.counts()
        heads.append(f"@@ -{hunk.old},{max(1, old + rng.choice((-3, -1, 2, 5)))} +{hunk.new},{new + 1} @@")
    yield "counts", _named(path, body(made, heads))


def no_numbers(each: Changed, rng: random.Random) -> Iterator[Made]:
    """A diff whose headers have no line numbers."""
    path, before, after = _one(each)
    made = hunks(before, after)
    head = rng.choice(("@@ ... @@", "@@", "@@ @@", "@@ -… +… @@"))
    yield head, fence(_named(path, body(made, [head] * len(made))), "diff")


def drifting(each: Changed, rng: random.Random) -> Iterator[Made]:
    """Diffs whose context differs in whitespace: at ends, as tabs, anywhere."""
    path, before, after = _one(each)
    made = hunks(before, after)
    for way in ("ends", "tabs", "random", "inner"):
        lines = [[f" {drifted(li[1:], rng, way)}" if li[0] == " " else li for li in h.lines] for h in made]
        if any(h.lines != li for h, li in zip(made, lines, strict=True)):
            changed = [HunkLines(h.old, h.new, li) for h, li in zip(made, lines, strict=True)]
            yield way, fence(_named(path, body(changed, ["@@ @@"] * len(changed))), "diff")


def dedented(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff whose lines are all indented by one level less."""
    path, before, after = _one(each)
    made = hunks(before, after)
    if any(li[1:] and not li[1:].startswith("    ") for h in made for li in h.lines):
        return
    lines = [HunkLines(h.old, h.new, [li[0] + li[5:] for li in h.lines]) for h in made]
    yield "dedented", fence(_named(path, body(lines, ["@@ @@"] * len(lines))), "diff")


def headless(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff without headers, whose file a sentence names."""
    path, before, after = _one(each)
    text = fence(body(hunks(before, after), None), "diff")
    yield "words", f"In `{path}`, change this:\n\n{text}"
    yield "name", f"Open {path.rpartition('/')[2]} and apply:\n\n{text}\nThat is all."


def other_names(each: Changed, _: random.Random) -> Iterator[Made]:
    """Diffs that name the file by another path than it has."""
    path, before, after = _one(each)
    text = body(hunks(before, after))
    yield "no a/", f"--- {path}\n+++ {path}\n{text}"
    yield "folder before", f"--- a/{each.repo}/{path}\n+++ b/{each.repo}/{path}\n{text}"
    if path.count("/") > 1:
        short = path.partition("/")[2]
        yield "folder missing", fence(f"--- {short}\n+++ {short}\n{text}", "diff")
        yield "other folder", f"--- a/source/{short}\n+++ b/source/{short}\n{text}"


def renamed(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff that edits a file and renames it."""
    path, before, after = _one(each)
    to = path.removesuffix(".cs") + "Renamed.cs"
    head = f"diff --git a/{path} b/{to}\nsimilarity index 90%\nrename from {path}\nrename to {to}\n"
    yield "edit", f"{head}--- a/{path}\n+++ b/{to}\n{body(hunks(before, after))}"


def several(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff of several files, bare or in a fence."""
    text = "".join(diff(path, each.before[path], each.after[path]) for path in each.after)
    yield "bare", text
    yield "fence", "Two files change.\n\n" + fence(text, "diff")


def search(each: Changed, _: random.Random) -> Iterator[Made]:
    """Search and replace blocks as Aider and Cline write them."""
    path, before, after = _one(each)
    made = hunks(before, after, 2)
    if not are_unique(before, made):
        return
    blocks = [_block(h.side("-"), h.side("+")) for h in made]
    yield (
        "aider",
        f"{path}\n" + "".join(fence(f"<<<<<<< SEARCH\n{b}>>>>>>> REPLACE", "csharp") for b in blocks),
    )
    yield "bare", "".join(f"{path}\n<<<<<<< SEARCH\n{b}>>>>>>> REPLACE\n\n" for b in blocks)
    yield "cline", "".join(fence(f"{path}\n------- SEARCH\n{b}+++++++ REPLACE") for b in blocks)


def search_drifted(each: Changed, rng: random.Random) -> Iterator[Made]:
    """Search and replace blocks that differ in whitespace from the file."""
    path, before, after = _one(each)
    made = hunks(before, after, 3)
    if not are_unique(before, made):
        return
    for way in ("ends", "random", "tabs"):
        blocks = [_block([drifted(li, rng, way) for li in h.side("-")], h.side("+")) for h in made]
        yield (
            way,
            f"{path}\n" + "".join(fence(f"<<<<<<< SEARCH\n{b}>>>>>>> REPLACE", "csharp") for b in blocks),
        )


def begin_patch(each: Changed, _: random.Random) -> Iterator[Made]:
    """`*** Begin Patch`, bare or in a fence."""
    path, before, after = _one(each)
    made = hunks(before, after)
    if are_unique(before, made):
        text = body(made, ["@@"] * len(made))
        yield "bare", f"*** Begin Patch\n*** Update File: {path}\n{text}*** End Patch\n"
        yield (
            "fence",
            "Apply:\n\n" + fence(f"*** Begin Patch\n*** Update File: {path}\n{text}*** End Patch", "patch"),
        )


def nested(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff or a file within a quotation or a list."""
    path, before, after = _one(each)
    text = fence(diff(path, before, after), "diff")
    yield "quote", "As said:\n" + "".join(f"> {line}\n" for line in text.split("\n")[:-1])
    yield "list", f"1. Apply this:\n\n{_indented(text, '   ')}\n2. Build."
    whole = fence(after, "csharp")
    yield "whole in a list", f"- `{path}`\n\n{_indented(whole, '  ')}"


def smart(each: Changed, _: random.Random) -> Iterator[Made]:
    """Diffs whose context has typographic quotes, or no-break spaces."""
    path, before, after = _one(each)
    made = hunks(before, after)
    lines = [[f" {_smartened(li[1:])}" if li[0] == " " else li for li in h.lines] for h in made]
    if any(h.lines != li for h, li in zip(made, lines, strict=True)):
        changed = [HunkLines(h.old, h.new, li) for h, li in zip(made, lines, strict=True)]
        yield "context", fence(_named(path, body(changed)), "diff")
    hard = [[f" {li[1:].replace(' ', chr(0xA0))}" if li[0] == " " else li for li in h.lines] for h in made]
    yield (
        "blanks",
        fence(_named(path, body([HunkLines(h.old, h.new, li) for h, li in zip(made, hard, strict=True)]))),
    )


def pairs(each: Changed, _: random.Random) -> Iterator[Made]:
    """Two fences for each hunk: the lines before, and after."""
    path, before, after = _one(each)
    made = hunks(before, after, 4)
    if len(made) > 2 or not are_unique(before, made):
        return
    for variant, first, second in (("labels", "Before:", "After:"), ("words", "Replace this", "with this:")):
        text = f"In `{path}`:\n\n"
        for hunk in made:
            old, new = "\n".join(hunk.side("-")), "\n".join(hunk.side("+"))
            text += f"{first}\n\n{fence(old, 'csharp')}\n{second}\n\n{fence(new, 'csharp')}\n"
        yield variant, text


def _one(each: Changed) -> tuple[str, str, str]:
    return each.path, each.before[each.path], each.after[each.path]


def _named(path: str, text: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n{text}"


def _block(old: list[str], new: list[str]) -> str:
    return "".join(f"{line}\n" for line in old) + "=======\n" + "".join(f"{line}\n" for line in new)


def _indented(text: str, by: str) -> str:
    return "".join(f"{by}{line}\n" if line else "\n" for line in text.split("\n")[:-1])


def _smartened(line: str) -> str:
    for plain, (opening, closing) in _SMART.items():
        while plain in line:
            line = line.replace(plain, opening, 1).replace(plain, closing, 1)
    return line


FORMS: dict[int, Callable[[Changed, random.Random], Iterator[Made]]] = {
    1: right, 2: wrong_numbers, 3: wrong_counts, 4: no_numbers, 5: drifting, 6: headless, 7: other_names, 8: renamed,
    9: several, 10: search, 11: search_drifted, 12: begin_patch, 18: nested, 19: smart, 22: pairs,
}  # fmt: skip

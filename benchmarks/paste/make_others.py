"""Forms of answers as other tools and models write them (31 to 46)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

from benchmarks.paste.cases import HunkLines, are_unique, bare, body, diff, fence, hunks
from benchmarks.paste.commits import Changed
from benchmarks.paste.make_diffs import Made
from benchmarks.paste.make_fences import changed_member
from services.edits.paste.shapes import forgotten, source_of

_MARKS = (
    "// rest unchanged", "// rest of the code remains the same", "// ... (rest of the class unchanged)", "...",
    "// [unchanged]", "// ... keep the other members as they are ...", "/* unchanged */", "// --- snip ---",
)  # fmt: skip
_OUTER = "````"


def start_line(each: Changed, rng: random.Random) -> Iterator[Made]:
    """Search and replace blocks with a start line, right or wrong."""
    path, before, after = _one(each)
    made = hunks(before, after, 2)
    if are_unique(before, made):
        for way, by in (("right", 0), ("wrong", rng.choice((-9, 4, 30)))):
            blocks = "".join(
                f"<<<<<<< SEARCH\n:start_line:{max(1, h.old + by)}\n-------\n{_lines(h.side('-'))}=======\n"
                f"{_lines(h.side('+'))}>>>>>>> REPLACE\n\n"
                for h in made
            )
            yield way, f"{path}\n{fence(blocks)}"


def numbered(each: Changed, _: random.Random) -> Iterator[Made]:
    """Files, and search and replace blocks, with line numbers before their lines."""
    path, before, after = _one(each)
    if _is_forgetful(each, path):
        return
    lines = bare(after)
    for mark in (" | ", "\t", ": ", "→"):
        text = "\n".join(f"{at:>5}{mark}{line}" for at, line in enumerate(lines, 1))
        yield f"whole{mark}", f"`{path}`\n\n{fence(text, 'csharp')}"
    made = hunks(before, after, 2)
    if are_unique(before, made):
        blocks = "".join(
            f"<<<<<<< SEARCH\n{_numbered(h.old, h.side('-'))}=======\n{_numbered(h.new, h.side('+'))}>>>>>>> REPLACE\n"
            for h in made
        )
        yield "search", f"{path}\n{fence(blocks)}"


def dotted(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff with headers of dots, under a heading, with one side named, or in parts."""
    path, before, after = _one(each)
    made = hunks(before, after)
    text = body(made, ["@@ ... @@"] * len(made))
    yield "heading", f"### `{path}`\n\n{fence(text, 'diff')}"
    yield "one side", fence(f"+++ {path}\n{text}", "diff")
    parts = [fence(body([h], ["@@ ... @@"]), "diff") for h in made]
    yield "apart", f"Edit **{path}**:\n\n" + "\nThen further down:\n\n".join(parts)


def headed(each: Changed, _: random.Random) -> Iterator[Made]:
    """`*** Begin Patch` with the type and the member around a hunk in its head."""
    path, before, after = _one(each)
    lines, made = bare(before), hunks(before, after)
    every = [node for node in source_of(lines).all() if lines[node.first].strip()]
    heads: list[str] = []
    for hunk in made:
        around = [n for n in every if n.first < hunk.old - 1 and n.end >= hunk.old - 1 + hunk.counts()[0]]
        heads.append("\n".join(f"@@ {lines[node.first].strip()}" for node in around) or "@@")
    if are_unique(before, made):
        text = f"*** Begin Patch\n*** Update File: {path}\n{body(made, heads)}*** End Patch\n"
        yield "bare", text
        yield "call", f"apply_patch <<'EOF'\n{text}EOF\n"


def trimmed(each: Changed, _: random.Random) -> Iterator[Made]:
    """Every line without blanks at its end, and blank lines of context without their sign."""
    path, before, after = _one(each)
    made = hunks(before, after)
    if any(line[0] == " " and not line.strip() for h in made for line in h.lines):
        cut = [HunkLines(h.old, h.new, [_cut(line) for line in h.lines]) for h in made]
        yield "blank lines", fence(_named(path, body(cut, [h.head() for h in made])), "diff")


def tabs(each: Changed, _: random.Random) -> Iterator[Made]:
    """Tabs for spaces in all lines, new ones too, or spaces for tabs."""
    path, before, after = _one(each)
    made = hunks(before, after)
    there = [line for line in bare(before) if line[:1] in (" ", "\t")]
    new = [line[1:] for h in made for line in h.lines if line[0] == "+" and line[1:].strip()]
    if not there or any("\t" in line for line in (*there, *new)):
        return
    if any((len(line) - len(line.lstrip(" "))) % 4 for line in new):
        return
    changed = [HunkLines(h.old, h.new, [_tabbed(line) for line in h.lines]) for h in made]
    yield "diff", fence(_named(path, body(changed, [h.head() for h in made])), "diff")
    if are_unique(before, made):
        blocks = "".join(
            _search([_tab(x) for x in h.side("-")], [_tab(x) for x in h.side("+")]) for h in made
        )
        yield "search", f"{path}\n{blocks}"


def endings(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff or a file with CRLF for every line end."""
    path, before, after = _one(each)
    yield "diff", diff(path, before.replace("\r", ""), after.replace("\r", "")).replace("\n", "\r\n")
    if not _is_forgetful(each, path):
        text = "\n".join(bare(after))
        yield "whole", f"**{path}**\n\n{fence(text, 'csharp')}".replace("\n", "\r\n")


def rest(each: Changed, rng: random.Random) -> Iterator[Made]:
    """A type of which only the changed member is shown, the rest by words."""
    found = changed_member(each)
    path, after = each.path, bare(each.after[each.path])
    if found is None:
        return
    outer = next((n for n in source_of(after).all() if n.is_type and found[1] in n.inner), None)
    if outer is None or after[outer.end - 1].strip() != "}":
        return
    mark = rng.choice(_MARKS)
    opening = next(at for at in range(outer.first, outer.end) if "{" in after[at])
    first = after[found[1].first]
    indent = first[: len(first) - len(first.lstrip())]
    at = outer.inner.index(found[1])
    shown = [*after[outer.first : opening + 1]]
    shown += [indent + mark, ""] if at else []
    shown += after[found[1].top : found[1].end]
    shown += ["", indent + mark] if at + 1 < len(outer.inner) else []
    yield mark, f"**{path}**\n\n" + fence("\n".join([*shown, after[outer.end - 1]]), "csharp")
    yield f"{mark}, comment", fence("\n".join([f"// {path}", *shown, after[outer.end - 1]]), "csharp")


def inside(each: Changed, _: random.Random) -> Iterator[Made]:
    """A fence inside another, or of other marks."""
    path, before, after = _one(each)
    text = fence(diff(path, before, after), "diff")
    yield "diff", fence(f"# Fix\n\nApply this:\n\n{text}\nThat is all.", "markdown", _OUTER)
    yield "tildes", fence(diff(path, before, after), "diff", "~~~")
    if not _is_forgetful(each, path):
        whole = fence("\n".join(bare(after)), "csharp")
        yield "whole", fence(f"## {path}\n\n{whole}", "markdown", _OUTER)
        yield "longer", f"`{path}`:\n\n{fence(chr(10).join(bare(after)), 'csharp', _OUTER)}"


def together(each: Changed, _: random.Random) -> Iterator[Made]:
    """Several files in one fence."""
    if any(_is_forgetful(each, path) for path in each.after):
        return
    texts = {path: "\n".join(bare(after)) for path, after in each.after.items()}
    for way in ("// {}", "// File: {}", "// ===== {} =====", "/* {} */"):
        yield way, fence("\n\n".join(f"{way.format(path)}\n{text}" for path, text in texts.items()), "csharp")


def commented(each: Changed, _: random.Random) -> Iterator[Made]:
    """A whole file whose path is in a comment of its first line."""
    path, _before, after = _one(each)
    if _is_forgetful(each, path):
        return
    text = "\n".join(bare(after))
    for way in ("// File: {}", "/* {} */", "// {} (updated)", "// filepath: {}", "// <{}>", "// === {} ==="):
        yield way, fence(f"{way.format(path)}\n{text}", "csharp")


def tagged(each: Changed, _: random.Random) -> Iterator[Made]:
    """Edits in the tags of XML that tools use."""
    path, before, after = _one(each)
    made = hunks(before, after, 2)
    if not are_unique(before, made):
        return
    sides = [(_lines(h.side("-")), _lines(h.side("+"))) for h in made]
    yield (
        "edit",
        "".join(
            f"<edit>\n<path>{path}</path>\n<old>\n{old}</old>\n<new>\n{new}</new>\n</edit>\n"
            for old, new in sides
        ),
    )
    inner = "".join(f"<search>\n{old}</search>\n<replace>\n{new}</replace>\n" for old, new in sides)
    yield "file", f'Done:\n\n<file path="{path}">\n{inner}</file>\n'
    yield (
        "str_replace",
        "".join(
            f"<str_replace>\n<path>{path}</path>\n<old_str>\n{old}</old_str>\n<new_str>\n{new}</new_str>\n</str_replace>\n"
            for old, new in sides
        ),
    )
    if not _is_forgetful(each, path):
        text = _lines(bare(after))
        yield (
            "whole",
            f"<write_to_file>\n<path>{path}</path>\n<content>\n{text}</content>\n</write_to_file>\n",
        )


def listed(each: Changed, _: random.Random) -> Iterator[Made]:
    """Edits in JSON."""
    path, before, after = _one(each)
    made = hunks(before, after, 2)
    if not are_unique(before, made):
        return
    sides = [("\n".join(h.side("-")), "\n".join(h.side("+"))) for h in made]
    rows = [{"path": path, "old_string": old, "new_string": new} for old, new in sides]
    yield "list", fence(json.dumps(rows, indent=2), "json")
    edits = {"file": path, "edits": [{"search": old, "replace": new} for old, new in sides]}
    yield "edits", json.dumps(edits, ensure_ascii=False)
    calls = [{"command": "str_replace", "path": path, "old_str": old, "new_str": new} for old, new in sides]
    yield "calls", "\n".join(json.dumps(call) for call in calls)
    text = "\n".join([*bare(after), ""])
    if not _is_forgetful(each, path):
        yield "whole", fence(json.dumps({"path": path, "content": text}, indent=1), "json")


def mailed(each: Changed, _: random.Random) -> Iterator[Made]:
    """A diff as git formats it for a mail."""
    path, before, after = _one(each)
    text = diff(path, before, after)
    head = f"From {each.commit} Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
    head += f"Subject: [PATCH] Change what it does\n\nIt did not.\n---\n {path} | 2 +-\n 1 file changed\n\n"
    yield "patch", head + text + "-- \n2.39.5\n"


def unsigned(each: Changed, _: random.Random) -> Iterator[Made]:
    """Context lines without the blank before them."""
    path, before, after = _one(each)
    made = hunks(before, after)
    if are_unique(before, made) and not any(line[1:2] in ("+", "-", "@") for h in made for line in h.lines):
        bald = [HunkLines(h.old, h.new, [x[1:] if x[0] == " " else x for x in h.lines]) for h in made]
        yield "diff", fence(_named(path, body(bald, [h.head() for h in made])), "diff")


def misplaced(each: Changed, _: random.Random) -> Iterator[Made]:
    """Edits of text that occurs twice, or nowhere: nothing may be written."""
    path, before, _after = _one(each)
    lines = bare(before)
    twice = next((x for x in lines if len(x.strip()) > 12 and lines.count(x) == 2), None)
    for old in filter(None, (twice, "        var thisStandsNowhere = Frobnicate(17);")):
        new = f"{old} // changed"
        way = "twice" if old is twice else "nowhere"
        yield f"tags, {way}", f"<edit><path>{path}</path>\n<old>\n{old}\n</old>\n<new>\n{new}\n</new></edit>"
        yield f"JSON, {way}", json.dumps([{"path": path, "old_string": old, "new_string": new}])
        yield f"patch, {way}", f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"
        yield (
            f"line, {way}",
            f"{path}\n<<<<<<< SEARCH\n:start_line:1\n-------\n{old}\n=======\n{new}\n>>>>>>> REPLACE",
        )


def _one(each: Changed) -> tuple[str, str, str]:
    return each.path, each.before[each.path], each.after[each.path]


def _is_forgetful(each: Changed, path: str) -> bool:
    return bool(forgotten(source_of(bare(each.before[path])), source_of(bare(each.after[path])), ""))


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _numbered(first: int, lines: list[str]) -> str:
    return "".join(f"{at} | {line}\n" for at, line in enumerate(lines, first))


def _named(path: str, text: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n{text}"


def _search(old: list[str], new: list[str]) -> str:
    return f"<<<<<<< SEARCH\n{_lines(old)}=======\n{_lines(new)}>>>>>>> REPLACE\n\n"


def _cut(line: str) -> str:
    return line.rstrip() if line[0] == " " else line


def _tabbed(line: str) -> str:
    return line[0] + _tab(line[1:])


def _tab(line: str) -> str:
    left = line.lstrip(" ")
    return "\t" * ((len(line) - len(left)) // 4) + " " * ((len(line) - len(left)) % 4) + left


FORMS: dict[int, Callable[[Changed, random.Random], Iterator[Made]]] = {
    31: start_line, 32: numbered, 33: dotted, 34: headed, 35: trimmed, 36: tabs, 37: endings, 38: rest, 39: inside,
    40: together, 41: commented, 42: tagged, 43: listed, 44: mailed, 45: unsigned, 46: misplaced,
}  # fmt: skip

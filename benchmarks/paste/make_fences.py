"""Forms of answers that are source in fences (13 to 17, 30)."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator

from benchmarks.paste.cases import bare, fence, hunks
from benchmarks.paste.commits import Changed
from benchmarks.paste.make_diffs import Made
from services.edits.paste.shapes import CodeLines, DeclarationLines, forgotten, source_of

_MARKS = (
    "// ... existing code ...", "// ...", "// ... rest of the class ...", "// (unchanged)",
    "/* ... existing code ... */",
    "// … other members …", "// ... existing members remain the same",
)  # fmt: skip


def whole(each: Changed, _: random.Random) -> Iterator[Made]:
    """A whole file in a fence, its path in one of five places."""
    path, after = each.path, each.after[each.path].removeprefix("\ufeff")
    if forgotten(source_of(bare(each.before[path])), source_of(bare(after)), ""):
        return
    yield "title", fence(after, f'csharp title="{path}"')
    yield "colon", fence(after, f"csharp:{path}")
    yield "heading", f"### `{path}`\n\n{fence(after, 'csharp')}"
    yield "bold", f"**{path}**\n{fence(after, 'cs')}"
    yield "comment", fence(f"// {path}\n{after}", "csharp")


def several(each: Changed, _: random.Random) -> Iterator[Made]:
    """Several whole files, each under a heading."""
    if any(
        forgotten(source_of(bare(each.before[p])), source_of(bare(each.after[p])), "") for p in each.after
    ):
        return
    texts = {path: each.after[path].removeprefix("\ufeff") for path in each.after}
    yield "headings", "\n".join(f"#### {path}\n\n{fence(text, 'csharp')}" for path, text in texts.items())


def member(each: Changed, _: random.Random) -> Iterator[Made]:
    """The one member that changes, alone, without its indentation, or with its documentation."""
    found = changed_member(each)
    if found is None:
        return
    _old, new, lines = found
    text = "\n".join(lines[new.first : new.end])
    yield "as it stands", "Use this:\n\n" + fence(text, "csharp")
    if all(line.strip() or not line for line in text.split("\n")):
        yield "dedented", fence(textwrap.dedent(text), "csharp")
    yield "with docs", fence("\n".join(lines[new.top : new.end]), "csharp")


def elided_type(each: Changed, rng: random.Random) -> Iterator[Made]:
    """A type of which only the changed member is shown, the others by a comment."""
    path, after = each.path, bare(each.after[each.path])
    source = source_of(after)
    types = [node for node in source.all() if node.is_type and len(node.inner) > 2]
    found = changed_member(each)
    if found is None:
        return
    outer = next((node for node in types if found[1] in node.inner), None)
    if outer is None:
        return
    mark = rng.choice(_MARKS)
    indent = " " * (len(after[found[1].first]) - len(after[found[1].first].lstrip()))
    index = outer.inner.index(found[1])
    opening = next(at for at in range(outer.first, outer.end) if "{" in after[at])
    head = after[outer.first : opening + 1]
    shown = [*head]
    if index:
        shown += [f"{indent}{mark}", ""]
    shown += after[found[1].top : found[1].end]
    if index + 1 < len(outer.inner):
        shown += ["", f"{indent}{mark}"]
    shown.append(after[outer.end - 1])
    if after[outer.end - 1].strip() == "}":
        yield mark, f"`{path}`:\n\n" + fence("\n".join(shown), "csharp")
        yield f"{mark}, no path", fence("\n".join(shown), "csharp")


def elided_member(each: Changed, rng: random.Random) -> Iterator[Made]:
    """A member of which only the changed lines are shown, the others by comments."""
    found = changed_member(each)
    if found is None:
        return
    _, new, lines = found
    text = lines[new.first : new.end]
    opening = next((at for at, line in enumerate(text) if line.strip() == "{"), None)
    made = hunks("\n".join(bare(each.before[each.path])), "\n".join(lines), 3)
    if opening is None or len(made) != 1 or text[-1].strip() != "}":
        return
    start = made[0].new - 1 - new.first
    end = start + len(made[0].side("+"))
    if start <= opening + 1 or end >= len(text) - 1:
        return
    indent = "    " + text[-1][: len(text[-1]) - len(text[-1].lstrip())]
    mark = indent + rng.choice(_MARKS[:2])
    shown = [*text[: opening + 1], mark, *text[start:end], mark, text[-1]]
    yield mark.strip(), fence("\n".join(shown), "csharp")


def forgetful(each: Changed, rng: random.Random) -> Iterator[Made]:
    """A whole file that lacks a member without saying so."""
    path, after = each.path, bare(each.after[each.path])
    before = source_of(bare(each.before[path]))
    nodes = [
        node for node in source_of(after).all()
        if not node.is_type and node.end - node.top > 2 and any(node.key == one.key for one in before.all())
    ]  # fmt: skip
    if len(nodes) < 4:
        return
    node = rng.choice(nodes)
    text = "\n".join([*after[: node.top], *after[node.end :]])
    yield "one", f"### {path}\n\n{fence(text, 'csharp')}"


def changed_member(each: Changed) -> tuple[DeclarationLines, DeclarationLines, list[str]] | None:
    """Return the one member that a commit changes, before and after, where it changes no other line."""
    before, after = bare(each.before[each.path]), bare(each.after[each.path])
    old, new = source_of(before), source_of(after)
    for node in old.all():
        same = [one for one in new.all() if one.key == node.key and one.kind == node.kind]
        twins = [one for one in old.all() if one.key == node.key and one.kind == node.kind]
        if node.is_type or len(same) != 1 or len(twins) != 1:
            continue
        other = same[0]
        if before[: node.first] == after[: other.first] and before[node.end :] == after[other.end :]:
            return (node, other, after) if _alone(node, old) and _alone(other, new) else None
    return None


def _alone(node: DeclarationLines, source: CodeLines) -> bool:
    return not any(
        one is not node
        and one.first < node.end
        and node.first < one.end
        and not any(node is i for i in one.all())
        for one in source.all()
    )


FORMS = {13: whole, 14: member, 15: elided_type, 16: elided_member, 17: several, 30: forgetful}

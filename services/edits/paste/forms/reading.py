"""Reader of answers: it splits an answer into its pieces and ignores the text around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from services.edits.paste.elisions import is_mark
from services.edits.paste.forms.diffs import diff_pieces, looks_like_diff, signed_only
from services.edits.paste.forms.pieces import (
    MARKDOWN,
    Block,
    CodePiece,
    Fence,
    FilePiece,
    PathHint,
    Piece,
    WholeChange,
    Words,
    blocks_of,
    hint_of,
    line_path,
    of_words,
    replacing,
    unnumbered,
    unquoted,
)
from services.edits.paste.forms.structured import (
    block_pieces,
    has_blocks,
    has_patch,
    has_tags,
    listed_pieces,
    patch_pieces,
    tagged_pieces,
)
from services.errors import UsageError

MOST_CHARACTERS = 20_000_000
_MOST_PIECES = 5_000
_NO_SOURCE = frozenset(
    re.findall(
        r"\w+",
        "sh bash zsh shell console terminal powershell ps1 pwsh cmd bat text txt output log plaintext mermaid http "
        "none stdout ansi math latex",
    )
)
"""Languages of fences that hold no source, unless they say which file they are."""
_COMMAND = re.compile(
    r"\s*(?:\$ |> |PS> )?(?:dotnet|git|npm|npx|cd|curl|docker|make|msbuild|nuget|mkdir|export)\b"
)
_BEFORE = re.compile(
    r"\b(?:before|old|original(?:ly)?|current(?:ly)?|existing|from|find|search|replace|change|instead of|was)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:after|new|updated?|with|to|by|becomes?|changed|modified|fixed|corrected|instead|now|should be|into)\b",
    re.IGNORECASE,
)
_VALUES = ("", "json", "jsonc", "jsonl", "json5", "xml")
"""Languages of fences in which edits may stand as values."""
_LABEL = 12
"""Words that a line may have to be the label of a fence."""


def read_answer(text: str) -> list[Piece]:
    """The pieces of an answer, in its order. Raises UsageError for one that is too long or was cut off."""
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"The answer is longer than {MOST_CHARACTERS} characters.")
    lines = unquoted([line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")])
    pieces = _pieces(lines)
    if sum(len(piece.hunks) if isinstance(piece, FilePiece) else 1 for piece in pieces) > _MOST_PIECES:
        raise UsageError(f"The answer has more than {_MOST_PIECES} pieces. Paste it in parts.")
    return pieces


def _pieces(lines: Sequence[str]) -> list[Piece]:
    if _is_bare_diff(lines):
        return [*diff_pieces(lines, 1, PathHint())]
    if has_patch(lines) and not any("```" in line or "~~~" in line for line in _outside_patch(lines)):
        return [*patch_pieces(lines, 1)]
    return _of_blocks(blocks_of(lines))


def _is_bare_diff(lines: Sequence[str]) -> bool:
    """Whether the answer begins with a diff that is in no fence."""
    for at, line in enumerate(lines):
        if line.strip().startswith(("```", "~~~")) or has_blocks([line]):
            return False
        if line.startswith(("diff --git ", "Index: ")) or (
            looks_like_diff(lines[at : at + 2]) and line[:3] == "---"
        ):
            return True
    return False


def _outside_patch(lines: Sequence[str]) -> list[str]:
    """The lines before a patch begins."""
    begun = next((at for at, line in enumerate(lines) if line.strip().startswith("*** ")), len(lines))
    return list(lines[:begun])


def _of_blocks(blocks: Sequence[Block]) -> list[Piece]:
    pieces: list[Piece] = []
    about = "\n".join(line for block in blocks if isinstance(block, Words) for line in block.lines)
    last = PathHint()
    at = 0
    while at < len(blocks):
        block = blocks[at]
        before, after = _words(blocks, at - 1), _words(blocks, at + 1)
        if isinstance(block, Words):
            found: list[Piece] = [*_in_words(block, last)]
        elif (pair := _pair(blocks, at)) is not None:
            found = [pair]
            at += 2
        elif _is_answer(block, before):
            shifted = [replace(each, line=each.line + block.line - 1) for each in blocks_of(block.lines)]
            found = _of_blocks(shifted)
        else:
            found = [*_in_fence(block, (before, after), last, about)]
        last = next((each.hint for each in reversed(found) if each.hint.certain), last)
        pieces += found
        at += 1
        if len(pieces) > _MOST_PIECES:
            break
    return pieces


def _is_answer(fence: Fence, before: Sequence[str]) -> bool:
    """Whether a fence is itself an answer with fences, and not a text that has a file."""
    is_text = fence.language in MARKDOWN and not hint_of(fence, before)[0].certain
    return is_text and any(line.lstrip().startswith(("```", "~~~")) for line in fence.lines)


def _words(blocks: Sequence[Block], at: int) -> tuple[str, ...]:
    block = blocks[at] if 0 <= at < len(blocks) else None
    return block.lines if isinstance(block, Words) else ()


def _structured(lines: Sequence[str], line: int) -> list[Piece]:
    return tagged_pieces(lines, line) if has_tags(lines) else listed_pieces(lines, line)


def _in_words(block: Words, last: PathHint) -> Sequence[Piece]:
    if has_patch(block.lines):
        return patch_pieces(block.lines, block.line)
    if has_blocks(block.lines):
        return _searched(block.lines, block.line, PathHint(), last)
    if found := _structured(block.lines, block.line):
        return found
    if looks_like_diff(block.lines):
        start = next(at for at in range(len(block.lines)) if looks_like_diff(block.lines[at : at + 2]))
        return diff_pieces(block.lines[start:], block.line + start, of_words(block.lines[:start]))
    return []


def _in_fence(
    fence: Fence, words: tuple[Sequence[str], Sequence[str]], last: PathHint, about: str
) -> Sequence[Piece]:
    lines = fence.lines
    if has_patch(lines):
        return patch_pieces(lines, fence.line)
    hint, rest = hint_of(fence, *words)
    if has_blocks(lines):
        return _searched(lines, fence.line, hint, last)
    is_source = not hint.certain or hint.paths[0].lower().endswith(".cs")
    if fence.language in _VALUES and is_source and (found := _structured(lines, fence.line)):
        return found
    is_diff = fence.language in ("diff", "patch", "udiff")
    if looks_like_diff(lines) or (is_diff and signed_only(lines)):
        return diff_pieces(lines, fence.line, hint)
    if not any(line.strip() for line in lines) or (fence.language in _NO_SOURCE and not hint.certain):
        return []
    if (
        not fence.language
        and not hint.certain
        and _COMMAND.match(next(line for line in lines if line.strip()))
    ):
        return []
    named = lines[: len(lines) - len(rest)]
    return _by_file(
        CodePiece(hint, fence.line + len(named), tuple(unnumbered(rest)), fence.language, about, named)
    )


def _by_file(piece: CodePiece) -> list[CodePiece]:
    """The files of one fence: where it begins with a comment that names its file, another such comment, which stands
    behind a blank line and has a folder, begins the next one."""
    starts = [
        at
        for at, line in enumerate(piece.lines)
        if at and not piece.lines[at - 1].strip() and line[:1] in ("/", "#", "-") and "/" in line_path(line)
    ]
    if not piece.named or not piece.hint.certain or not starts:
        return [piece]
    parts = [
        piece,
        *(replace(piece, hint=PathHint((line_path(piece.lines[at]),), certain=True)) for at in starts),
    ]
    found: list[CodePiece] = []
    for part, start, end in zip(parts, [-1, *starts], [*starts, len(piece.lines)], strict=True):
        lines = piece.lines[start + 1 : end]
        while lines and not lines[-1].strip():
            lines = lines[:-1]
        named = piece.lines[start : start + 1] if start >= 0 else piece.named
        found.append(replace(part, line=piece.line + start + 1, lines=lines, named=named))
    return found


def _searched(lines: Sequence[str], first: int, hint: PathHint, last: PathHint) -> list[FilePiece]:
    """SEARCH/REPLACE blocks by file: each is of the file named right before it, else of the one before."""
    pieces: list[FilePiece] = []
    now, done = hint if hint.paths else last, 0
    for at, hunk in block_pieces(lines, first)[: _MOST_PIECES + 1]:
        named = next((line for line in reversed(lines[done:at]) if line.strip()), "")
        if path := line_path(named):
            now = PathHint((path,), certain=True)
        elif not pieces and not hint.paths and (mentioned := of_words(lines[done:at])).paths:
            now = mentioned
        done = at + 1
        if hunk.old or not now.certain:
            pieces.append(FilePiece(now, hunk.line, WholeChange.EDIT, (hunk,)))
        else:
            pieces.append(FilePiece(now, hunk.line, WholeChange.CREATE, (hunk,)))
    return _joined(pieces)


def _joined(pieces: Sequence[FilePiece]) -> list[FilePiece]:
    """Edits of one file one behind the other as one piece."""
    joined: list[FilePiece] = []
    for piece in pieces:
        edits = piece.change is WholeChange.EDIT
        if joined and edits and joined[-1].change is WholeChange.EDIT and joined[-1].hint == piece.hint:
            both = (*joined[-1].hunks, *piece.hunks)
            joined[-1] = FilePiece(piece.hint, joined[-1].line, WholeChange.EDIT, both)
        else:
            joined.append(piece)
    return joined


def _pair(blocks: Sequence[Block], at: int) -> FilePiece | CodePiece | None:
    """Return the code before and after a change, from two fences with such labels."""
    first, between, second = blocks[at], _words(blocks, at + 1), (blocks[at + 2 : at + 3] or [None])[0]
    if not isinstance(first, Fence) or not isinstance(second, Fence) or not between:
        return None
    if any(looks_like_diff(f.lines) or has_blocks(f.lines) or has_patch(f.lines) for f in (first, second)):
        return None
    old, new = _label(_words(blocks, at - 1), first), _label(between, second)
    if not _BEFORE.search(old) or not _AFTER.search(new) or first.language != second.language:
        return None
    hint, gone = hint_of(first, _words(blocks, at - 1))
    other, come = hint_of(second, between)
    hint = other if other.certain and not hint.certain else hint
    gone, come = _unlabelled(gone), _unlabelled(come)
    if any(map(is_mark, (*gone, *come))):
        return CodePiece(hint, second.line, come, second.language)
    return FilePiece(hint, first.line, WholeChange.EDIT, (replacing(gone, come, first.line),))


def _label(words: Sequence[str], fence: Fence) -> str:
    """Return the short label of a fence: the last line before it, or a comment at its start."""
    first = next((line for line in fence.lines if line.strip()), "")
    if first.strip().startswith("//") and re.fullmatch(
        r"\W*(?:before|after|old|new)\W*(?:code)?\W*", first, re.IGNORECASE
    ):
        return first
    last = next((line for line in reversed(words) if line.strip()), "")
    return last if len(last.split()) <= _LABEL else ""


def _unlabelled(lines: tuple[str, ...]) -> tuple[str, ...]:
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines and re.fullmatch(
        r"\s*//\W*(?:before|after|old|new)\W*(?:code)?\W*", lines[first], re.IGNORECASE
    ):
        return lines[first + 1 :]
    return lines

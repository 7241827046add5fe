"""Placement of pieces in one version of one file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec

from services.edits.paste.codes import in_place, whole_file
from services.edits.paste.declared import Fit, Pasted, Splice, fits_of
from services.edits.paste.forms.pieces import CodePiece, FilePiece, PastedHunk, Piece
from services.edits.paste.hunks import LocatedHunk, Misfit, applied, are_numbered, is_repeated, locate
from services.edits.paste.matching import IndexedLines, Tier
from services.edits.paste.shapes import CodeLines, Form, source_of
from services.source.text.edit import Edit, apply_edits, bare_lines, edits_between
from services.workspace.text import Text, decode


class FileVersion:
    """A text of a file: what a model saw of it (`seen`), or what is on the disk."""

    def __init__(self, path: str, text: Text, *, seen: bool) -> None:
        self.path = path
        self.text = text
        self.seen = seen
        self.bare = bare_lines(text)
        self.lines = IndexedLines(self.bare)

    @property
    def is_code(self) -> bool:
        """Whether it is C#."""
        return self.path.lower().endswith((".cs", ".csx"))

    @cached_property
    def source(self) -> CodeLines:
        """The declarations of the version."""
        return source_of(self.bare)


class Placement(msgspec.Struct):
    """Splices of pieces. `tier`: the loosest that was needed; `ends`: whether the last line is stated to have an
    ending, None where nothing is stated; `there`: the number of pieces already in the text."""

    splices: list[Splice] = msgspec.field(default_factory=list)
    tier: Tier = Tier.EXACT
    ends: bool | None = None
    misfits: list[Misfit] = msgspec.field(default_factory=list)

    def add(self, found: Sequence[Splice] | Misfit) -> None:
        """Add a piece."""
        if isinstance(found, Misfit):
            self.misfits.append(found)
        else:
            self.splices += found


def place(pieces: Sequence[Piece], version: FileVersion, *, applied_too: bool = False) -> Placement:
    """The pieces of one file in one version of it. `applied_too`: hunks that are applied there already have a place."""
    placed = Placement()
    for piece in pieces:
        if isinstance(piece, CodePiece):
            placed.add(_code(piece, version))
        else:
            _hunks(piece, version, placed, applied_too=applied_too)
    return _without_overlap(placed)


def made_of(placed: Placement, version: FileVersion) -> bytes:
    """The bytes of a version after the splices. Raises as apply_edits."""
    text = version.text
    edits = [edit for splice in _in_order(placed.splices) for edit in _edits(splice, version)]
    data = apply_edits(text, edits, path=version.path)
    if placed.ends is None:
        return data
    after = decode(data, version.path, encoding=text.declared)
    if not after.line_count or after.final_newline == placed.ends:
        return data
    if placed.ends:
        return data + text.encode((text.ending(1) if text.line_count else "") or "\n")
    return data[: len(data) - len(text.encode(after.ending(after.line_count)))]


def _in_order(splices: Sequence[Splice]) -> list[Splice]:
    return sorted(splices, key=lambda splice: (splice.start, splice.end))


def _edits(splice: Splice, version: FileVersion) -> list[Edit]:
    return edits_between(version.bare[splice.start : splice.end], splice.new, first=splice.start + 1)


def _without_overlap(placed: Placement) -> Placement:
    """Drop overlapping splices of two pieces as uncertain; equal ones count once."""
    kept: list[Splice] = []
    for splice in _in_order(placed.splices):
        if kept and (splice.start, splice.end, splice.new) == (kept[-1].start, kept[-1].end, kept[-1].new):
            continue
        if kept and (splice.start < kept[-1].end or _both_insert(splice, kept[-1])):
            reason = (
                f"It changes lines that another piece, at line {kept[-1].line} of the answer, changes too."
            )
            placed.misfits.append(Misfit(reason, splice.line, (splice.start + 1,)))
        else:
            kept.append(splice)
    placed.splices = kept
    return placed


def _both_insert(one: Splice, other: Splice) -> bool:
    return one.start == one.end == other.start == other.end


def _hunks(piece: FilePiece, version: FileVersion, placed: Placement, *, applied_too: bool) -> None:
    numbered = are_numbered(version.lines, piece.hunks)
    found = [locate(version.lines, hunk, numbered=numbered) for hunk in piece.hunks]
    if applied_too:
        found = [
            applied(version.lines, hunk) or each
            if isinstance(each, Misfit) and not each.is_ambiguous
            else each
            for hunk, each in zip(piece.hunks, found, strict=True)
        ]
    if len(found) > 1 and any(isinstance(each, Misfit) for each in found):
        one_by_one = _one_by_one(piece.hunks, version)
        if one_by_one is not None:
            placed.add([one_by_one])
            return
    for hunk, each in zip(piece.hunks, found, strict=True):
        if (
            isinstance(each, LocatedHunk)
            and not each.is_there
            and not version.seen
            and is_repeated(version.lines, each)
        ):
            each = Misfit("Its new lines are there already.", hunk.line, (each.start + 1,), is_ambiguous=True)
        if isinstance(each, Misfit):
            placed.misfits.append(each)
            continue
        placed.tier = max(placed.tier, each.tier)
        if not each.is_there:
            placed.splices += _trimmed(each, version)
            if hunk.open_old is not None and hunk.open_old != hunk.open_new and each.end == len(version.bare):
                placed.ends = not hunk.open_new


def _trimmed(located: LocatedHunk, version: FileVersion) -> list[Splice]:
    """Only the lines that change: contexts of two hunks may overlap."""
    old = version.bare[located.start : located.end]
    line = located.hunk.line
    return [
        Splice(edit.start - 1, edit.end, tuple(edit.content.split("\n")[:-1]), line)
        for edit in edits_between(old, located.new, first=located.start + 1)
    ]


def _one_by_one(hunks: Sequence[PastedHunk], version: FileVersion) -> Splice | None:
    """The hunks each in what the ones before it have made, as search and replace is done; None where one does not fit
    so either."""
    now = list(version.bare)
    for hunk in hunks:
        found = locate(IndexedLines(now), hunk)
        if isinstance(found, Misfit) or found.is_there or found.tier > Tier.ENDS:
            return None
        now[found.start : found.end] = found.new
    return Splice(0, len(version.bare), tuple(now), hunks[0].line)


def fits_in(piece: CodePiece, version: FileVersion) -> list[Fit]:
    """Return the places in a file that match the declarations of a fence; for a whole file, require all of the file's
    declarations."""
    shown = source_of(piece.lines)
    if shown.form is Form.OTHER or not version.is_code:
        return []
    fits = fits_of(shown, version.source)
    if shown.form is Form.FILE:
        return [fit for fit in fits if len(fit.pairs) == len(version.source.nodes)]
    return fits


def _code(piece: CodePiece, version: FileVersion) -> list[Splice] | Misfit:
    lines = piece.lines
    if piece.named and any(line in version.bare for line in piece.named if line.strip()):
        lines = (*piece.named, *piece.lines)
    shown = (
        source_of(lines) if version.is_code else CodeLines(lines, Form.FILE, (), whole=True, readable=True)
    )
    pasted = Pasted(shown, piece.line, piece.about)
    if shown.form is Form.FILE or (shown.form is Form.TYPES and _is_all(shown, version.source)):
        return whole_file(pasted, version.source, is_code=version.is_code)
    if shown.form is Form.OTHER:
        if not version.source.nodes and shown.readable and piece.hint.certain:
            return whole_file(pasted, version.source, is_code=False)
        return Misfit(
            "Where these lines belong is not certain: they declare nothing that the file has.", piece.line
        )
    fits = fits_of(shown, version.source)
    if len(fits) == 1:
        return in_place(pasted, version.source, fits[0])
    names = ", ".join(dict.fromkeys(f"`{node.name}`" for node in shown.nodes))
    if fits:
        places = tuple(fit.pairs[0][1].first + 1 for fit in fits)
        return Misfit(f"{names} may be in {len(fits)} places.", piece.line, places, is_ambiguous=True)
    return Misfit(
        f"{names}: the file has nothing of that name and form that is certain to be meant.", piece.line
    )


def _is_all(shown: CodeLines, base: CodeLines) -> bool:
    return (
        not base.whole and bool(base.nodes) and {n.name for n in base.nodes} == {n.name for n in shown.nodes}
    )

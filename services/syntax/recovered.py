"""The declarations of a text that does not parse: each is tried alone, so that one that is broken costs no other.

Braces are made to balance first (layout.py), then the text is cut into segments (segments.py). A segment that the
grammar refuses is cut where its lines begin anew, read without its initializer, mended by one token, or left blank.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from tree_sitter import Tree

from services.syntax.layout import Splice, Spliced, missing_braces
from services.syntax.parse.rewrites import rewritten, without_initializers
from services.syntax.parse.skeleton import Skeleton, blanked, compact, without_arrow_bodies
from services.syntax.segments import GENERIC, LONGEST, Segment, Surroundings, beginnings, segments_of

_TOKEN = re.compile(rb"@?\w+|\S")
_MOST_TOKENS = 120
_MOST_TRIES = 1_500
_MENDS = (b";", b")", b"(", b",", b" x")
_TYPE_NAME = re.compile(
    rb"(?:\b(?:public|private|protected|internal|static|sealed|abstract|partial|readonly|unsafe|new|file|ref)\s+)*"
    rb"\b(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)\s+@?[^\W\d]\w*\s*(?:%b)?" % GENERIC
)
_ENUM_MEMBER = re.compile(rb"\s*(?:\[[^\]]*\]\s*)*(@?[^\W\d]\w*)(?:[ \t]*=[^,{};\n]*[^,{};\s])?")


class Recovered(Skeleton):
    """A skeleton of a text with tokens that the file lacks; its `origin` leads to the file all the same. `is_whole`:
    whether nothing but initializers was left out."""

    back: tuple[Spliced, ...] = ()
    is_whole: bool = False

    def origin(self, offset: int) -> int:
        """The offset in the file of an `offset` in `text`."""
        at = offset + self.shifts[bisect_right(self.cuts, offset)]
        for each in self.back:
            at = each.origin(at)
        return at

    def ending(self, offset: int) -> int:
        """The offset in the file of the end of what ends at `offset` in `text`."""
        at = offset + self.shifts[bisect_right(self.cuts, offset - 1)]
        for each in self.back:
            at = each.ending(at)
        return at


def recovered(clean: bytes, parse: Callable[[bytes], Tree]) -> Recovered:
    """Recover the readable parts of a text (strings and comments blank) that does not parse. `parse`: tries a segment
    of it."""
    braces = missing_braces(clean)
    balanced = Spliced(clean, braces)
    mender = _Mender(balanced.text, parse)
    mended = mender.run()
    shape = compact(mended.text)
    is_whole = mender.is_whole and not braces
    return Recovered(shape.text, shape.full, shape.cuts, shape.shifts, (mended, balanced), is_whole)


class _Mender:
    """Tries the segments of one text."""

    def __init__(self, text: bytes, parse: Callable[[bytes], Tree]) -> None:
        self._parse = parse
        cut = segments_of(text)
        self._segments = cut.found
        self._keywords = cut.keywords
        # Of the same length as the text.
        self._seen = bytearray(rewritten(without_arrow_bodies(blanked(text, sorted(cut.bodies)))))
        self._splices: list[Splice] = []
        self._tries = 0
        self.is_whole = not cut.keywords

    def run(self) -> Spliced:
        """The text, mended; what could not be is blank."""
        for segment in self._segments:
            self._judge(segment)
        return Spliced(bytes(self._seen), [*self._keywords.values(), *self._splices])

    def _judge(self, segment: Segment) -> None:
        """Leaves a segment as it is where it parses; else cuts or mends it."""
        content = self._content(segment)
        if len(content) > LONGEST or self._parses(self._with_keyword(segment, content), segment):
            return
        if segment.around is Surroundings.ENUM:
            self._mend_enum(segment, content)
            return
        begins = beginnings(bytes(self._seen[: segment.end]), segment.start, segment.end)
        if len(begins) == 1:
            self._mend(segment, content)
            return
        self.is_whole = False
        for start, end in zip(begins, [*begins[1:], segment.end], strict=True):
            closed = segment.closed if end == segment.end else b""
            self._judge(segment._replace(start=start, end=end, closed=closed))

    def _content(self, segment: Segment) -> bytes:
        return bytes(self._seen[segment.start : segment.end])

    def _with_keyword(self, segment: Segment, content: bytes) -> bytes:
        keyword = self._keywords.get(segment.start)
        if keyword is None:
            return content
        at = keyword.at - segment.start
        return content[:at] + keyword.text + content[at:]

    def _parses(self, content: bytes, segment: Segment) -> bool:
        before, after = segment.around.value
        return not self._parse(before + content + segment.closed + after).root_node.has_error

    def _replace(self, at: int, content: bytes) -> None:
        self._seen[at : at + len(content)] = content

    # One declaration

    def _mend(self, segment: Segment, content: bytes) -> None:
        end = b"" if content.endswith(b";") else b";"
        bare = without_initializers(content + end)[: len(content)]
        if segment.start not in self._keywords:
            if self._parses(bare, segment):
                self._replace(segment.start, bare)
                return
            if self._mended_by_a_token(segment, bare):
                return
        self._blank(segment, content)

    def _mended_by_a_token(self, segment: Segment, content: bytes) -> bool:
        ends = [match.end() for match in _TOKEN.finditer(content)]
        if not 0 < len(ends) <= _MOST_TOKENS:
            return False
        for token in _MENDS:
            for at in ends[-1:] if token == b";" else reversed(ends):
                self._tries += 1
                if self._tries > _MOST_TRIES:
                    return False
                if self._parses(content[:at] + token + content[at:], segment):
                    self._replace(segment.start, content)
                    self._insert(segment.start + at, token)
                    return True
        return False

    def _insert(self, at: int, token: bytes) -> None:
        self.is_whole = False
        self._splices.append(Splice(at, 0, token))

    def _blank(self, segment: Segment, content: bytes) -> None:
        """Leaves nothing of a declaration; of the header of a type its name."""
        self.is_whole = False
        kept = _TYPE_NAME.search(content) if segment.closed else None
        if kept is None:
            self._keywords.pop(segment.start, None)
            self._replace(segment.start, b" " * len(content))
            return
        start, end = kept.span()
        self._replace(segment.start, b" " * start + content[start:end] + b" " * (len(content) - end))

    # The members of an enum

    def _mend_enum(self, segment: Segment, content: bytes) -> None:
        """Try the text between commas separately."""
        at = segment.start
        for item in content.split(b","):
            if item.strip() and not self._parses(item, segment):
                self._mend_enum_item(at, item, segment)
            at += len(item) + 1

    def _mend_enum_item(self, at: int, item: bytes, segment: Segment) -> None:
        """Several members without a comma between, or one whose value makes no sense."""
        found = list(_ENUM_MEMBER.finditer(item))
        if len(found) > 1 and found[-1].end() == len(item.rstrip()):
            for each in found[:-1]:
                self._insert(at + each.end(), b",")
        elif found and self._parses(found[0][1], segment):
            start, end = found[0].span(1)
            self._replace(at, b" " * start + item[start:end] + b" " * (len(item) - end))
        else:
            self.is_whole = False
            behind = b" " if at + len(item) < segment.end else b""
            self._replace(at, b" " * len(item) + behind)

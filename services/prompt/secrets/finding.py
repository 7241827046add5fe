"""Detection of likely secrets in a text: by form, by surrounding syntax, and by the name they are assigned to.

One pass tells which words are in a text, and one where names are that a secret may be given to; all else looks at what
is near those. Patterns of forms and shapes are RE2's, over UTF-8; the others look at no more than a few hundred
characters around a place: time is linear in the length of the text.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from hashlib import blake2b

import msgspec

from services.concurrency.lazy import expression
from services.prompt.secrets.formed import (
    KEY_WORDS,
    PHRASE_WORDS,
    formed,
    key_bytes,
    key_characters,
    private_keys,
    recovery_phrases,
    words_of_forms,
)
from services.prompt.secrets.given import given_to
from services.prompt.secrets.judging.likelihood import is_common_password, is_drawn
from services.prompt.secrets.judging.names import Likelihood, cue_of, in_tables, inserted
from services.prompt.secrets.judging.values import ValueContext, is_any_password, is_secret
from services.prompt.secrets.patterns import compiled, groups_of, words_in
from services.prompt.secrets.random_texts import bare, is_bare
from services.prompt.secrets.regions import (
    MAY_BE_KEY,
    IndicativeName,
    Region,
    RegionLines,
    regions,
    telling_names,
)
from services.prompt.secrets.shape import Shape
from services.prompt.secrets.statements import Literal, joined, literals_in, unescaped
from services.prompt.secrets.unquoted import ADDRESS, BRACED, OVER_LINES, SHAPES
from services.source.text.placeholder import PLACEHOLDER, START

_MOST_RECENT = 2048
_recent: dict[tuple[bytes, bool | None], tuple[FoundSecret, ...]] = {}
"""Where secrets are in texts that were looked through, by their digest: a grep looks through the same files again."""
_OF_TESTS = (
    r"\[(?:Fact|Theory|Test|TestMethod|TestCase|TestFixture|TestClass|InlineData|Benchmark)\b"
    r"|\bAssert\.|using (?:Xunit|NUnit)|\.Should\(\)|Microsoft\.VisualStudio\.TestTools"
)


class FoundSecret(msgspec.Struct, frozen=True, order=True):
    """A likely secret. `start`, `end`: bytes of the text as UTF-8; `kind`: of the form or shape."""

    start: int
    end: int
    kind: str


class SecretRanges:
    """Places in a text, none within another: of two that overlap the first that is offered stays."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._found: list[FoundSecret] = []

    def add(self, found: FoundSecret) -> None:
        """Take a place, unless it overlaps one that is taken."""
        at = bisect_left(self._starts, found.start)
        if at and self._found[at - 1].end > found.start:
            return
        if at < len(self._found) and self._found[at].start < found.end:
            return
        self._starts.insert(at, found.start)
        self._found.insert(at, found)

    def hold(self, found: FoundSecret) -> bool:
        """Whether a place is one of them, or within one."""
        at = bisect_right(self._starts, found.start)
        return bool(at) and self._found[at - 1].end >= found.end

    def all(self) -> tuple[FoundSecret, ...]:
        """The places in the order of the text."""
        return tuple(self._found)


def find_secrets(data: bytes, path: str = "") -> tuple[FoundSecret, ...]:
    """The likely secrets of a text in UTF-8, in its order, none within another; of two that overlap the one whose kind
    says more exactly what it is. `path`: of the file, which tells whether it is of tests, where weak passwords are
    samples; without one the text may say so itself."""
    tests = of_tests(path)
    key = (blake2b(data, digest_size=16).digest(), tests)
    if (known := _recent.get(key)) is None:
        if len(_recent) >= _MOST_RECENT:
            _recent.clear()
        known = _recent[key] = look_through(data, tests=tests)
    return known


def look_through(data: bytes, *, tests: bool | None = None) -> tuple[FoundSecret, ...]:
    """Return the secrets of a text as `find_secrets` does, cached. `tests`: whether it is of tests."""
    taken = SecretRanges()
    for found in _Search(data, tests).all():
        taken.add(found)
    secrets = tuple(found for found in taken.all() if found.kind)
    if not secrets:
        return ()
    for found in _again(data, secrets):
        taken.add(found)
    return tuple(found for found in taken.all() if found.kind)


class _Search:
    """A text that is looked through. `tests`: as of `look_through`."""

    def __init__(self, data: bytes, tests: bool | None) -> None:
        self._data = data
        self._tests = tests

    def all(self) -> Iterator[FoundSecret]:
        """Yield all findings, the most exact first; placeholders, which are not searched, come first, with no kind."""
        if START.encode() in self._data:
            yield from (FoundSecret(*match.span(), "") for match in PLACEHOLDER.finditer(self._text))
        words = words_in(self._data, _words())
        if not words.isdisjoint(KEY_WORDS):
            yield from (FoundSecret(*at, "private-key") for at in private_keys(self._text))
        if not words.isdisjoint(PHRASE_WORDS):
            yield from (FoundSecret(*at, "recovery-phrase") for at in recovery_phrases(self._data))
        yield from (FoundSecret(*each) for each in formed(self._data, words))
        if (rb"\u00" in self._data or rb"\x" in self._data) and compiled(_ESCAPED).search(self._data):
            yield from self._escaped()
        if ADDRESS.words[0] in words:
            yield from self._of_shape(ADDRESS, self._data)
        if not words.isdisjoint(OVER_LINES.words):
            yield from self._of_shape(OVER_LINES, self._data)
        yield from self._near(telling_names(self._data), words)
        yield from (FoundSecret(*at, "random-text") for at in bare(self._data, self._text))

    @cached_property
    def _text(self) -> str:
        """A character a byte: places are the same."""
        return self._data.decode("latin-1")

    @cached_property
    def _of_tests(self) -> bool:
        return compiled(_OF_TESTS).search(self._data) is not None if self._tests is None else self._tests

    def _escaped(self) -> Iterator[FoundSecret]:
        """Texts that are secrets by themselves once their escapes are read."""
        for match in compiled(_ESCAPED).finditer(self._data):
            value = unescaped(match[0][1:-1].decode("latin-1"))
            data = value.encode("latin-1", "replace")
            if (
                kind := next((kind for *_, kind in formed(data, words_in(data, words_of_forms()))), "")
            ) or is_bare(value):
                yield FoundSecret(match.start() + 1, match.end() - 1, kind or "random-text")

    def _near(self, telling: Sequence[IndicativeName], words: set[str]) -> Iterator[FoundSecret]:
        """Yield findings close to indicative names."""
        if not telling:
            return
        lines = RegionLines(self._data, telling)
        for shape in SHAPES:
            if words.isdisjoint(shape.words) or not lines.hold(shape.needs):
                continue
            for found in self._of_shape(shape, lines.data):
                start = lines.whole(found.start)
                yield FoundSecret(start, start + found.end - found.start, found.kind)
        near = list(regions(self._text, telling))
        for region in near:
            yield from self._of_literals(region)
        if "insert into" in words:
            yield from self._in_rows(inserted(self._text), "password-in-sql")
        if compiled(_TABLED).search(lines.data) is not None:
            yield from self._in_rows(in_tables(self._data, self._text), "assigned-secret")
        bytes_ = compiled(_BYTES)
        if any(bytes_.search(self._data, each.start, each.end) is not None for each in near):
            yield from (FoundSecret(*at, "key-bytes") for at in key_bytes(self._text, tests=self._of_tests))
        if compiled(_CHARACTERS).search(lines.data) is not None:
            yield from (
                FoundSecret(*at, "key-characters") for at in key_characters(self._text, tests=self._of_tests)
            )

    def _in_rows(self, cells: Iterator[tuple[int, int, Likelihood]], kind: str) -> Iterator[FoundSecret]:
        """Yield secrets in columns of tables, by the column's name."""
        for start, end, cue in cells:
            if is_secret(self._text[start:end], ValueContext(cue, tests=self._of_tests)):
                yield FoundSecret(start, end, kind)

    def _of_shape(self, shape: Shape, data: bytes) -> Iterator[FoundSecret]:
        groups = groups_of(shape.pattern)
        names = [groups[name] for name in ("n", "m") if name in groups]
        for match in compiled(shape.pattern).finditer(data):
            start, end = match.span(groups["s"])
            value = data[start:end].decode("latin-1")
            if (quoted := _QUOTED.fullmatch(value)) is not None:
                start, end, value = start + quoted.start("s"), start + quoted.end("s"), quoted["s"]
            name = next((match[at].decode("latin-1") for at in names if match.start(at) >= 0), "")
            cue = cue_of(name) if name else Likelihood.NONE
            cue = cue if cue is Likelihood.PUBLIC else max(cue, shape.cue)
            if self._is_in_shape(shape, cue, value) and not _is_shown(shape, data, start):
                yield FoundSecret(start, end, shape.kind)

    def _is_in_shape(self, shape: Shape, cue: Likelihood, value: str) -> bool:
        if shape is BRACED:
            value = value.replace("}}", "")
        if shape.any and cue is Likelihood.PASSWORD and len(value) <= _LONGEST_MADE_UP:
            return is_any_password(value)
        template = "{" in value
        return cue is not Likelihood.PUBLIC and is_secret(
            _ENTITY.sub("&", value),
            ValueContext(cue, direct=shape.weak, template=template, tests=self._of_tests),
        )

    def _of_literals(self, region: Region) -> Iterator[FoundSecret]:
        """Yield quoted texts assigned to an indicative name."""
        of_keys = region.cue <= Likelihood.KEY
        if of_keys and compiled(MAY_BE_KEY).search(self._data, region.start, region.end) is None:
            return
        least = _LEAST_OF_KEYS if of_keys else 4
        for group in joined(literals_in(self._text, region.start, region.end), self._text):
            value = group[0].value if len(group) == 1 else "".join(each.value for each in group)
            if len(value) < least or not (_may_be(value) or is_drawn(value)) or (of_keys and " " in value):
                continue
            if len(group) > 1:
                yield from self._after_a_name(group)
            if self._is_given(group, value) or (len(group) > 1 and _is_told(value)):
                yield from (
                    FoundSecret(each.start, each.end, "assigned-secret")
                    for each in group
                    if each.end > each.start
                )

    def _after_a_name(self, group: Sequence[Literal]) -> Iterator[FoundSecret]:
        """Yield what follows a text that ends with a name and an operator, as in `"Password=" + "…"`."""
        for one, other in itertools.pairwise(group):
            named = _ENDS_WITH_NAME.search(one.value)
            if named is not None and is_secret(
                other.value,
                ValueContext(cue_of(named["name"]), template=other.template, tests=self._of_tests),
            ):
                yield FoundSecret(other.start, other.end, "assigned-secret")

    def _is_given(self, group: Sequence[Literal], value: str) -> bool:
        template = any(each.template for each in group)
        # Most texts are no secret whatever they are given to, which is told sooner than what that is.
        if not is_secret(value, ValueContext(Likelihood.PASSWORD, template=template, tests=self._of_tests)):
            return False
        given = given_to(self._text, group[0].opens, group[-1].end)
        place = ValueContext(given.cue, direct=given.direct, template=template, tests=self._of_tests)
        if is_secret(value, place):
            return True
        return (
            given.cue > Likelihood.PUBLIC and not self._of_tests and self._is_beside_password(group[0], value)
        )

    def _is_beside_password(self, literal: Literal, value: str) -> bool:
        """Whether it is spelled as passwords alone are, on a line about one."""
        if _SPELLED_AS_PASSWORD.match(value) is None and not is_common_password(value):
            return False
        start = self._text.rfind("\n", 0, literal.start) + 1
        end = self._text.find("\n", literal.end)
        around = (self._text[start : literal.start], self._text[literal.end : end if end >= 0 else None])
        return any(_ABOUT_PASSWORD.search(part) is not None for part in around)


def _is_told(value: str) -> bool:
    """Whether a text that was put together is a secret by itself."""
    data = value.encode("latin-1", "replace")
    forms = formed(data, words_in(data, words_of_forms()))
    return is_bare(value) or any(end - start == len(data) for start, end, _ in forms)


def _is_shown(shape: Shape, data: bytes, start: int) -> bool:
    """Whether the text before a value marks it as public."""
    return (
        bool(shape.shown) and compiled(shape.shown).search(data[max(0, start - _BEFORE) : start]) is not None
    )


_BEFORE = 200
_ENTITY = expression(r"&(?:amp|lt|gt|quot|apos|#[0-9]+);")
_QUOTED = expression(r"(?P<q>\"\"|\\\"|[\"'])(?P<s>.+)(?P=q)", re.DOTALL)
_SPELLED_AS_PASSWORD = expression(
    r"[A-Za-z]*[A-Za-z][0134579][a-z]+[A-Za-z0-9]*[!@#$%&*?]*[0-9]*\Z|[A-Za-z]{4,24}[0-9]{1,4}[!@#$%&*?]+\Z"
    r"|[A-Za-z]{3,24}[!@#$%&*]+[0-9]{1,4}[!?]*\Z|[A-Z][a-z]+[!@#$%&*][A-Z][a-z]+[0-9]{1,4}\Z"
)
"""A digit for a letter within a word, or a word with digits and signs: in millions of lines about passwords no other
text is."""
_ABOUT_PASSWORD = expression(
    r"(?i)pass(?:wor[dt]|wd|phrase|code)|pwd|kennwort|basic_?auth|credential|(?:User|Account)\("
    r"|\"(?:admin|root|sa)\", \"\Z"
)
_ENDS_WITH_NAME = expression(r"(?P<name>[\w.-]+)(?: ?[=:] ?[\"']?| )\Z")
_LEAST_OF_KEYS = 16
_LONGEST_MADE_UP = 200
_MAY_BE = expression(
    r"[0-9!@#$%^&*?~+=|]|\A[A-Za-z]{16}|[a-z][A-Z][A-Za-z]*[a-z][A-Z]|\A[A-Za-z]{4,12}\Z|[A-Z]{5}| \w+ \w+ "
    r"|\A[a-z]+ [a-z]+ [a-z]+\Z|[a-z]-\w+-\w+-|[a-z]_[a-z]+_\w*(?:secret|key|passw)"
)


def _may_be(value: str) -> bool:
    """Whether a text needs a closer look: most are words, or sentences."""
    return value.count(" ") <= 12 and _MAY_BE.search(value) is not None


_SHORTEST_AGAIN = 8
_FEW = 64
_MIXED = expression(rb"[0-9].*[^0-9]|[^0-9].*[0-9]", re.DOTALL)
_TOKEN = r"[\w+/.~!@#$%^*?-]{8,}={0,2}"


def _again(data: bytes, secrets: Sequence[FoundSecret]) -> Iterator[FoundSecret]:
    """Yield further occurrences of secrets, in contexts that are inconclusive."""
    kinds = {data[each.start : each.end]: each.kind for each in secrets}
    kinds = {value: kind for value, kind in kinds.items() if _is_own(value)}
    if len(kinds) > _FEW:
        spans = (match.span() for match in compiled(_TOKEN).finditer(data))
        yield from (
            FoundSecret(start, end, kind) for start, end in spans if (kind := kinds.get(data[start:end]))
        )
        return
    for value, kind in kinds.items():
        at = data.find(value)
        while at >= 0:
            end = at + len(value)
            if not (_is_word(data[at - 1 : at]) or _is_word(data[end : end + 1])):
                yield FoundSecret(at, end, kind)
            at = data.find(value, end)


def _is_own(value: bytes) -> bool:
    """Whether a value is likely to be the same secret wherever it occurs."""
    return len(value) >= _SHORTEST_AGAIN and b"\n" not in value and _MIXED.search(value) is not None


def _is_word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_"


_ESCAPED = r"\"(?:[^\"\\\n]|\\.)*\\(?:u00|x)(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])(?:[^\"\\\n]|\\.)*\""
"""A text with a letter or digit that is written by its number."""
_BYTES = r"(?:(?:\(s?byte\)\s*)?-?(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3})\s*,\s*){7}"
_CHARACTERS = r"(?:'(?:\\[^\n]|[^'\\\n])'\s*,\s*){7}"
_TABLED = r"(?m)^[ \t>]*\|[^|\n]*\||--[ ]?\|"
"""A line of a table, or what is below the heading of one of Markdown."""


@cache
def _words() -> tuple[str, ...]:
    rows = (
        words_of_forms(),
        *(shape.words for shape in (ADDRESS, OVER_LINES, *SHAPES)),
        ("insert into",),
        KEY_WORDS,
        PHRASE_WORDS,
    )
    return tuple(dict.fromkeys(word for row in rows for word in row))


_WORD = "tests?|specs?|benchmarks?|mocks?|fixtures?|testdata"
_FOLDER = expression(rf"(?:^|[._-])(?i:{_WORD})(?:$|[._-])|(?<=[a-z0-9])(?:{_WORD.title()})(?:$|[._-])")
_OF_SAMPLE = expression(r"(?i)[._-](?:example|sample|template|dist|defaults?)(?:\.\w+)?\Z")
_FILE = expression(r"(?:Tests?|Specs?|Fixture|Mock\w*|Benchmarks?)(?:\.\w+)*\.\w+\Z")


def of_tests(path: str) -> bool | None:
    """Whether a path is of tests; None without a path."""
    if not path:
        return None
    *folders, name = path.replace("\\", "/").split("/")
    if _OF_SAMPLE.search(name) is not None:
        return True
    return any(map(_FOLDER.search, folders)) or _FILE.search(name) is not None

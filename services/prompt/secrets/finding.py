"""Where likely secrets are in a text: by form, by what they stand in, and by what they are given to.

Patterns of forms and shapes are RE2's, over the text as UTF-8; the others look at no more than a few hundred characters
around a place: time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

from services.prompt.secrets.contexts import BEFORE, Given, given_to, takes_credentials
from services.prompt.secrets.forms import FORMS, HEX
from services.prompt.secrets.judging import Place, harmless_base64, is_key, is_sample, is_secret
from services.prompt.secrets.keys import key_bytes, private_keys
from services.prompt.secrets.literals import Literal, joined, literals_in
from services.prompt.secrets.names import CUES, Cue, cue_of
from services.prompt.secrets.patterns import compiled, words_in
from services.prompt.secrets.unquoted import SHAPES, TELLING, Shape
from services.source.text.placeholder import PLACEHOLDER, START

_AFTER = 100
_MOST_RECENT = 2048
_recent: dict[tuple[bytes, bool], tuple[Found, ...]] = {}
"""Where secrets are in texts that were looked through, by their digest: a grep looks through the same files again."""
_REACH = 400
_OF_TESTS = (
    r"\[(?:Fact|Theory|Test|TestMethod|TestCase|TestFixture|TestClass|InlineData|Benchmark)\b"
    r"|\bAssert\.|using (?:Xunit|NUnit)|\.Should\(\)|Microsoft\.VisualStudio\.TestTools"
)


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A likely secret. `start`, `end`: bytes of the text as UTF-8; `kind`: of the form or shape."""

    start: int
    end: int
    kind: str


class Places:
    """Places in a text, none within another: of two that overlap the first that is offered stays."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._found: list[Found] = []

    def add(self, found: Found) -> None:
        """Take a place, unless it overlaps one that is taken."""
        at = bisect_left(self._starts, found.start)
        if at and self._found[at - 1].end > found.start:
            return
        if at < len(self._found) and self._found[at].start < found.end:
            return
        self._starts.insert(at, found.start)
        self._found.insert(at, found)

    def all(self) -> tuple[Found, ...]:
        """The places in the order of the text."""
        return tuple(self._found)


def find_secrets(data: bytes, *, tests: bool = False) -> tuple[Found, ...]:
    """The likely secrets of a text in UTF-8, in its order, none within another; of two that overlap the one whose kind
    says more exactly what it is. `tests`: the text is of tests, where weak passwords are samples; it may say so."""
    key = (blake2b(data, digest_size=16).digest(), tests)
    if (known := _recent.get(key)) is None:
        if len(_recent) >= _MOST_RECENT:
            _recent.clear()
        known = _recent[key] = look_through(data, tests=tests)
    return known


def look_through(data: bytes, *, tests: bool = False) -> tuple[Found, ...]:
    """As `find_secrets`, of a text that may have been looked through before."""
    words = words_in(data, _words())
    if compiled(HEX).search(data) is not None:
        words.add(HEX)
    text = data.decode("latin-1")  # a character a byte: places are the same
    tests = tests or compiled(_OF_TESTS).search(data) is not None
    taken = Places()
    for found in (*_masked(data), *_found(data, text, words, tests=tests)):
        taken.add(found)
    return tuple(found for found in taken.all() if found.kind)


def _masked(data: bytes) -> Iterator[Found]:
    """Placeholders, in which no secret is looked for; of no kind."""
    if START.encode() in data:
        text = data.decode("latin-1")
        yield from (Found(*match.span(), "") for match in PLACEHOLDER.finditer(text))


def _found(data: bytes, text: str, words: set[str], *, tests: bool) -> Iterator[Found]:
    if not words.isdisjoint(_KEY_WORDS):
        yield from (Found(*at, "private-key") for at in private_keys(text))
    for at in sorted({at for word in words for at in _forms_of().get(word, ())}):
        yield from _of_form(FORMS[at].kind, compiled(FORMS[at].pattern), data)
    telling = [] if words.isdisjoint(CUES) else _telling(data, text)
    for shape in SHAPES:
        if shape.words is TELLING and not telling:
            continue
        if not words.isdisjoint(shape.words):
            yield from _of_shape(shape, compiled(shape.pattern), text, data, tests=tests)
    if telling:
        yield from _of_literals(text, telling, tests=tests)
        if compiled(_BYTES).search(data) is not None:
            yield from (Found(*at, "key-bytes") for at in key_bytes(text, tests=tests))


# By form


def _of_form(kind: str, pattern: Any, data: bytes) -> Iterator[Found]:
    group = pattern.groupindex[b"s"]
    for match in pattern.finditer(data):
        start, end = match.span(group)
        if start < 0:
            start, end = match.span()
        value = data[start:end].decode("latin-1")
        if is_key(value) and _plausible(kind, value, data, start):
            yield Found(start, end, kind)


_PUBLIC_BEFORE = re.compile(
    rb"(?i)(?:hash|sha\d|integrity|digest|checksum|signature|public|cert|etag)[^\n]{0,40}\Z"
)


def _plausible(kind: str, value: str, data: bytes, start: int) -> bool:
    """Whether a form that others share is not theirs here."""
    check = _CHECKS.get(kind)
    return check is None or check(value, data, start)


def _is_aws_secret(value: str, data: bytes, start: int) -> bool:
    return (
        bool(re.search("[a-z]", value) and re.search("[A-Z]", value) and re.search("[0-9/+]", value))
        and is_secret(value, Place(Cue.KEY) if re.search("[0-9]", value) else Place(Cue.NEAR))
        and _PUBLIC_BEFORE.search(data, max(0, start - 60), start) is None
    )


def _is_storage_key(value: str, data: bytes, start: int) -> bool:
    return not harmless_base64(value) and _PUBLIC_BEFORE.search(data, max(0, start - 80), start) is None


def _is_jwt(value: str, _: bytes, __: int) -> bool:
    return harmless_base64(value.partition(".")[0].replace("-", "+").replace("_", "/"))


def _is_random(value: str, _: bytes, __: int) -> bool:
    return is_secret(value, Place(Cue.NEAR, direct=False))


_CHECKS = {
    "aws-secret-key": _is_aws_secret,
    "azure-storage-key": _is_storage_key,
    "jwt": _is_jwt,
    "jwe": _is_jwt,
    "openai-key": _is_random,
    "discord-token": _is_random,
    "hashicorp-token": _is_random,
    "statsig-key": _is_random,
    "dropbox-token": _is_random,
    "mandrill-key": _is_random,
    "facebook-token": _is_random,
    "square-token": _is_random,
    "crates-token": _is_random,
    "terraform-token": _is_random,
    "artifactory-token": _is_random,
    "cloudflare-key": _is_random,
    "fastly-key": _is_random,
    "elastic-key": _is_random,
    "nuget-key": _is_random,
}


# By what it stands in


def _of_shape(shape: Shape, pattern: Any, text: str, data: bytes, *, tests: bool) -> Iterator[Found]:
    group = pattern.groupindex[b"s"]
    names = [at for key, at in pattern.groupindex.items() if key in (b"n", b"m")]
    for match in pattern.finditer(data):
        start, end = match.span(group)
        value = text[start:end]
        if len(value) > 2 and value[0] == value[-1] == "'":
            start, end, value = start + 1, end - 1, value[1:-1]
        name = next((text[slice(*match.span(at))] for at in names if match.start(at) >= 0), "")
        cue = cue_of(name) if name else Cue.NONE
        cue = cue if cue is Cue.PUBLIC else max(cue, shape.cue)
        if _in_shape(shape, cue, value, tests=tests):
            yield Found(start, end, shape.kind)


def _in_shape(shape: Shape, cue: Cue, value: str, *, tests: bool) -> bool:
    if shape.kind in (
        "connection-string-password",
        "password-in-address",
        "password-of-user",
        "password-in-sql",
    ):
        return cue >= Cue.SECRET and _is_any_password(value)
    template = "{" in value
    return cue is not Cue.PUBLIC and is_secret(
        value, Place(cue, direct=shape.weak, template=template, tests=tests)
    )


_ANY_WORD = re.compile(
    r"(?i)(?:user|db|my|the)?_?(?:pass(?:word|wd)?|pwd|secret|token|key|value|string|true|false|null|none)\d?"
)
_HOLE = re.compile(r"[{}]|^<|^[\w.]+\)+$|^\$\(|^%.*%$|^\$\w+$|\w\[\d+\]|^[*.]+$")


def _is_any_password(value: str) -> bool:
    """A password where only a password can stand: a weak one is one all the same."""
    return not (_HOLE.search(value) or _ANY_WORD.fullmatch(value) or is_sample(value))


# By what it is given to


def _of_literals(text: str, telling: Sequence[tuple[int, int]], *, tests: bool) -> Iterator[Found]:
    for group in joined(_near(text, telling), text):
        value = group[0].value if len(group) == 1 else "".join(each.value for each in group)
        if len(value) < 4 or not _may_be(value):
            continue
        if _is_given(text, group, value, tests=tests):
            yield from (
                Found(each.start, each.end, "assigned-secret") for each in group if each.end > each.start
            )


def _telling(data: bytes, text: str) -> list[tuple[int, int]]:
    """Where names are that a secret may be given to."""
    return [
        span for match in compiled(_CUE).finditer(data) if _is_telling(text[slice(*(span := match.span()))])
    ]


def _near(text: str, telling: Sequence[tuple[int, int]]) -> Iterator[Literal]:
    """The texts in quotes of lines that are near a telling name."""
    done = 0
    for at, end in telling:
        if end + _REACH <= done:
            continue
        begin = max(done, text.rfind("\n", 0, max(0, at - _AFTER)) + 1)
        reach = _REACH if text.find("switch", end, end + BEFORE) < 0 else 4 * _REACH
        upto = text.find("\n", end + reach) + 1 or len(text)
        if upto > done:
            yield from literals_in(text, begin, upto)
            done = upto


@lru_cache(maxsize=8192)
def _is_telling(name: str) -> bool:
    return cue_of(name) > Cue.NONE or takes_credentials(name)


_MAY_BE = re.compile(
    r"[0-9!@#$%^&*?~+=|]|\A[A-Za-z]{16}|[a-z][A-Z][A-Za-z]*[a-z][A-Z]|\A[A-Za-z]{4,12}\Z|[A-Z]{5}"
)


def _may_be(value: str) -> bool:
    """Whether a text is worth a closer look: most are words, or sentences."""
    return value.count(" ") <= 8 and _MAY_BE.search(value) is not None


def _is_given(text: str, group: Sequence[Literal], value: str, *, tests: bool) -> bool:
    template = any(each.template for each in group)
    # Most texts are no secret whatever they are given to, which is told sooner than what that is.
    if not is_secret(value, Place(Cue.PASSWORD, template=template, tests=tests)):
        return False
    given: Given = given_to(text, group[0].opens, group[-1].end)
    return is_secret(value, Place(given.cue, direct=given.direct, template=template, tests=tests))


_KEY_WORDS = ("-----", "rsakeyvalue", "putty-user-key")
_BYTES = r"(?:(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3})\s*,\s*){7}"
_CUE = rf"(?i)[\w.:-]{{0,60}}(?:{'|'.join(CUES)})[\w.:-]{{0,60}}"


@cache
def _forms_of() -> dict[str, list[int]]:
    """The places of forms in their table, by word."""
    found: dict[str, list[int]] = {}
    for at, form in enumerate(FORMS):
        for word in form.words:
            found.setdefault(word, []).append(at)
    return found


@cache
def _words() -> tuple[str, ...]:
    rows = [*(form.words for form in FORMS), *(shape.words for shape in SHAPES), CUES, _KEY_WORDS]
    return tuple(dict.fromkeys(word for row in rows for word in row))

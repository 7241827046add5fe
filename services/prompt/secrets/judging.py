"""Whether a text that is given to a name is a secret: not a word, a name, a sample, an id or something public."""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from collections import Counter
from dataclasses import dataclass
from math import log2

from services.prompt.secrets.likelihood import randomness
from services.prompt.secrets.names import Cue
from services.prompt.secrets.patterns import compiled, word_list


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands. `cue`: what it is given to makes likely; `direct`: nothing else stands between; `template`:
    parts of it may be filled in; `tests`: among tests, where weak passwords are samples."""

    cue: Cue
    direct: bool = True
    template: bool = False
    tests: bool = False


_GUID = re.compile(r"[{(]?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}[)}]?")
_SAMPLE = (
    r"(?i)example|sample|dummy|placeholder|replace|redacted|your[_-]|your(?:[A-Z]|api|key|pass|secret|token)|<your|insert|todo"
    r"|fix_?me|x{4}|\*{3}|\.{3}|…|0{8}|12345678|987654321|deadbeef|foobar|not[_-]a[_-]|lorem|enter[_-]|goes[_-]?here"
    r"|change[_-]?this|change[_-]it|set[_-]in|from[_-](?:env|vault|config)|abcdefg|qwertyuiop|fake|\btbd\b"
)
_HOLE = (
    r"\$\([\w.]+\)|\$\{[^}]*\}|\$[A-Z_]{3,}$|^%\w+%$|#\{\w+\}#?|\[\[|\{\{"
    r"|^<.*>$|^!\w+$|^//|^\{[A-Za-z_][\w.:]*\}$|^\[[^\[\]]*\]$|^@\w+$|\{\d+\}"
)
_FILLED_IN = re.compile(r"\{[^{}]*\}")
_SPECIAL = re.compile(r"[!@#$%^&*?~+=|§€£]")
_NAME = re.compile(
    r"(?i)[a-z_.:\[\]/ -]*(?:pass(?:word|wd|phrase|wort)?|pwd|secret|tokens?|keys?|credentials?|auth\w*"
    r"|bearer|user(?:name)?|login)[a-z_.:\[\]/ -]*\d?"
)
_ONE_CASE = re.compile(r"[a-z]+|[A-Z]+|[A-Z]?[a-z]+(?:[-_ .][A-Za-z]?[a-z]+)*")
_PUNCTUATED = re.compile(r"[()<>;,\"'`\\]|\s{2}|[:.]$|:\s")
_COMMON = word_list(
    """
    letmein qwerty qwertz azerty monkey dragon iloveyou trustno changeme changeit swordfish sunshine
    princess football baseball welcome shadow superman batman master passw0rd p@ssword admin root
    postgres guest toor opensesame hunter secret sesame abc123 mustang starwars whatever freedom
    correcthorsebatterystaple
    """
)
_NOTHING = word_list(
    """
    none null true false string value text empty default optional required hidden undefined unknown
    user users username input test tests testing plain basic bearer digest password passwords pwd
    pass n/a
    """
)
_PUBLIC_VALUES = frozenset(
    (
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
        "d41d8cd98f00b204e9800998ecf8427e",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    )
)
"""Account keys of Azure's emulators, the same on every machine ("Use the Azurite emulator", "Develop locally using the
Azure Cosmos DB emulator"); digests of nothing; the GUID of Microsoft's documentation."""
_LEAST = {Cue.KEY: 25.0, Cue.NEAR: 14.0, Cue.SECRET: 8.0, Cue.PASSWORD: 8.0}
_SHORTEST = {Cue.KEY: 16, Cue.NEAR: 10, Cue.SECRET: 8, Cue.PASSWORD: 6}
_OF_ONE_CASE = 16.0
_SHORT = 8
_LEAST_DISTINCT = 5
_LEAST_ENTROPY = 2.2
_LONGEST = 4096
_SAMPLED = 256
_SEEN = 96


def is_secret(value: str, place: Place) -> bool:
    """Whether a text in such a place is a secret."""
    if place.cue <= Cue.NONE or len(value) < 4 or "://" in value:
        return False
    if place.template and _FILLED_IN.search(value):
        return False
    return _has_the_look(value, place) and not is_sample(value)


def _has_the_look(value: str, place: Place) -> bool:
    made_up = place.direct and not place.tests
    if _GUID.fullmatch(value):
        return made_up and place.cue >= Cue.SECRET
    return (made_up and _is_made_up(value, place.cue)) or is_random(value, place)


def is_sample(value: str) -> bool:
    """Filled in later, taken from documentation, or public whatever it is given to."""
    lowered = value[:_SAMPLED]  # in long random texts short words come about by chance
    if value in _PUBLIC_VALUES or lowered.lower() in _PUBLIC_VALUES or len(set(lowered)) < 3:
        return True
    seen = lowered.encode()
    return bool(compiled(_HOLE).search(seen) or compiled(_SAMPLE).search(seen)) or _is_sequence(lowered)


def is_key(value: str) -> bool:
    """A value of a form of its own: anything but a sample of documentation, or a word that has the form."""
    body = value[:_LONGEST]
    return (
        value not in _PUBLIC_VALUES and entropy(body) >= _LEAST_KEY_ENTROPY and not _FORM_SAMPLE.search(body)
    )


_FORM_SAMPLE = re.compile(r"(?i)example|placeholder|your[_-]|x{6}|\*{3}|\.{3}|0{10}|123456789012|abcdefghijk")
_LEAST_KEY_ENTROPY = 2.5


def is_random(value: str, place: Place) -> bool:
    """Whether it is likelier as random characters than as language, as far as its place asks for."""
    if len(value) < _SHORTEST[place.cue] or any(map(str.isspace, value)):
        return False
    bits = randomness(value.encode("latin-1", "replace"))
    least = _LEAST[place.cue] if place.direct else max(14.0, _LEAST[place.cue])
    if _ONE_CASE.fullmatch(value):
        least += _OF_ONE_CASE
    if len(value) < _SHORT and value.isalpha():
        return False
    if place.cue is Cue.KEY and not _is_mixed(value):
        return False
    return (
        bits >= least
        and len(set(value[:_SEEN])) >= _LEAST_DISTINCT
        and entropy(value[:_SEEN]) >= _LEAST_ENTROPY
    )


def _is_mixed(value: str) -> bool:
    """Digits beside letters, and more than a hash or a number of hexadecimal digits has."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and not _PUNCTUATED.search(value)


def _is_made_up(value: str, cue: Cue) -> bool:
    """A weak secret, of words, digits and signs."""
    if cue < Cue.SECRET or _NAME.fullmatch(value) or value.lower() in _NOTHING or len(value) > 64:
        return False
    digits, signs = any(map(str.isdigit, value)), bool(_SPECIAL.search(value))
    letters = any(map(str.isalpha, value))
    if cue is Cue.SECRET:
        return letters and digits and signs and not _PUNCTUATED.search(value) and " " not in value
    if _PUNCTUATED.search(value) or value.count(" ") > 5 or value.startswith(("/", "#", ".", "~/")):
        return False
    if value.lower() in _COMMON:
        return True
    if " " in value:
        return digits or signs
    return (letters or len(value) >= 6) and (digits or signs)


def entropy(text: str) -> float:
    """Shannon's, in bits a character, of the characters of the text itself."""
    total = len(text)
    return -sum(count / total * log2(count / total) for count in Counter(text).values())


def _is_sequence(value: str) -> bool:
    """Mostly characters that count up, down or repeat, as alphabets and tables do."""
    if len(value) < 8:
        return value in ("123456", "1234567", "0123456")
    steps = Counter(ord(b) - ord(a) for a, b in itertools.pairwise(value[:_SEEN]))
    return steps[1] + steps[-1] + steps[0] > 0.6 * (len(value[:_SEEN]) - 1)


def harmless_base64(value: str) -> bool:
    """Base64 of readable text."""
    try:
        data = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    shown = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in data)
    return bool(data) and shown >= 0.9 * len(data)

"""Whether something in the place of a secret is one: not a word, a sample, a GUID or the digest of something public.

Thresholds were set on the sources of jellyfin, EF Core and Newtonsoft.Json, where next to nothing is secret.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import math
import re
from collections import Counter

_GUID = re.compile(r"\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")
_SAMPLE = re.compile(
    r"example|sample|dummy|placeholder|change_?me|replace|redacted|your[_-]|my[_-]?(?:secret|pass|token)|todo|x{4}|\*{3}"
    r"|\.{3}|0{8}|1234567|abcdef(?!0)|deadbeef|foobar",
    re.IGNORECASE,
)
_FILLED_IN = re.compile(r"[{}<>]|\w\[\d+\]|\$[({A-Za-z]|%[A-Za-z_]+%|\[\[|#\{")
_PUBLIC_NAMES = re.compile(
    r"public|hash|digest|checksum|thumbprint|fingerprint|etag|sha\d|md5|regex|pattern|format|cancel",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"(?i)pass(word|wd)?\d{0,4}!?|pwd|secret|user(name)?|test|admin|guest|root|none|null|true|false|string|value"
)
_WORD = re.compile(r"[A-Za-z]{4,}")
# Account keys of Azure's emulators, the same on every machine: learn.microsoft.com, "Use the Azurite emulator" and
# "Develop locally using the Azure Cosmos DB emulator".
_PUBLIC_KEYS = frozenset(
    (
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
    )
)
_SHORT = 16
_LEAST_ENTROPY = 2.8
_LEAST_ENTROPY_OF_LONG = 3.3
_LEAST_SWITCHES = 0.3
_LEAST_KEY_ENTROPY = 2.5
_AWS_ENTROPY = 4.2


def is_key(_: str, secret: str) -> bool:
    """Of a format of its own: anything but a sample from documentation."""
    return secret not in _PUBLIC_KEYS and entropy(secret) >= _LEAST_KEY_ENTROPY and not _SAMPLE.search(secret)


def is_aws_secret(before: str, secret: str) -> bool:
    """Forty random characters of base64: not a path, a word, or a SHA-1 in hexadecimal."""
    return (
        is_key(before, secret)
        and entropy(secret) >= _AWS_ENTROPY
        and _switches(secret) >= _LEAST_SWITCHES
        and any(letter.isupper() for letter in secret)
    )


def is_jwt(_: str, secret: str) -> bool:
    """Three parts of which the first is a JSON object in base64url."""
    head = secret.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).lstrip().startswith(b"{")
    except (binascii.Error, ValueError):
        return False


def is_password_in_address(_: str, secret: str) -> bool:
    """Not filled in later, and not the word `password`."""
    return not (_FILLED_IN.search(secret) or _WEAK.fullmatch(secret) or _SAMPLE.search(secret))


def is_connection_password(before: str, secret: str) -> bool:
    """As in an address; a weak one is one all the same."""
    return is_password_in_address(before, secret)


def is_value(before: str, secret: str) -> bool:
    """A text given to a name such as `apiKey`: told from words, names and paths by how often the class of its
    characters switches, and by its entropy."""
    if (
        secret in _PUBLIC_KEYS
        or _PUBLIC_NAMES.search(before)
        or _GUID.fullmatch(secret)
        or not _is_mixed(secret)
    ):
        return False
    if _FILLED_IN.search(secret) or _SAMPLE.search(secret) or _WEAK.fullmatch(secret) or "://" in secret:
        return False
    least = _LEAST_ENTROPY if len(secret) < _SHORT else _LEAST_ENTROPY_OF_LONG
    return entropy(secret) >= least and _switches(secret) >= _LEAST_SWITCHES and not _is_words(secret)


def entropy(text: str) -> float:
    """Shannon's, in bits a character, of the characters of the text itself."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())


def _is_mixed(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


def _is_words(text: str) -> bool:
    """Whether most of it is runs of letters as long as words have."""
    return 2 * sum(len(run) for run in _WORD.findall(text)) > len(text) and len(text) < 4 * _SHORT


def _switches(text: str) -> float:
    """The share of neighbours that are of different classes: lower, upper, digit, other."""
    classes = [_class(letter) for letter in text]
    return sum(a != b for a, b in itertools.pairwise(classes)) / max(1, len(text) - 1)


def _class(letter: str) -> int:
    return 0 if letter.islower() else 1 if letter.isupper() else 2 if letter.isdigit() else 3

"""Allow list of values that are no secrets in any context: samples, placeholders, public values, and readable text
as base64."""

from __future__ import annotations

import base64
import binascii
import itertools
from collections import Counter

from services.concurrency.lazy import expression
from services.prompt.secrets.judging.likelihood import entropy
from services.prompt.secrets.patterns import compiled

_SAMPLE = (
    r"(?i)example|sample|dummy|placeholder|replace|redacted|your[_-]|your(?:[A-Z]|api|key|pass|secret|token)|<your|insert|(?:\b|_)todo"
    r"|fix_?me|x{4}|\*{3}|\.{3}|…|0{8}|\A.{0,8}12345678|987654321|deadbeef|foobar|not[_-]a[_-]|lorem|enter[_-]|goes[_-]?here"
    r"|change_?me\z|change[_-]?this|change[_-]it|set[_-]in|from[_-](?:env|vault|config)|abcdefg|qwertyuiop|(?:\b|_)fake|\btbd\b"
)
_YOURS = r"(?i)\Ayour[_ -]?(?:super|very|ultra|strong)"
"""What documentation says of a secret that many leave as it is."""
_HOLE = (
    r"\$\([\w.]+\)|\$\{[^}]*\}|^\$[A-Z_][A-Z0-9_]{2,}$|^\$[a-z]*(?i:pass|pwd|secret|token|key|cred)[A-Za-z]*$|^%\w+%$|#\{\w+\}#?|\[\[|\{\{"
    r"|^__\w+__$|^\$(?:env|global|script|using):\w+$|^<.*>$|^![A-Za-z]+$|^//|^\{[A-Za-z_][\w.:]*\}$|^\[[^\[\]]*\]$|^@\w+$|^(?:process\.env|os\.environ)\b|\{\d+\}"
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
_LONGEST = 4096
SAMPLED = 256
"""Characters of a value in which words and patterns are looked for."""
SEEN = 96
"""Characters of a value that are counted."""


def is_sample(value: str) -> bool:
    """Whether a value is a placeholder, taken from documentation, or public in any context."""
    lowered = value[:SAMPLED]  # in long random texts short words come about by chance
    if value in _PUBLIC_VALUES or lowered.lower() in _PUBLIC_VALUES or len(set(lowered)) < 3:
        return True
    seen = lowered.encode()
    seen = compiled(_YOURS).sub(b"", seen)
    return bool(compiled(_HOLE).search(seen) or compiled(_SAMPLE).search(seen)) or _is_sequence(lowered)


def is_key(value: str) -> bool:
    """A value of a form of its own: anything but a sample of documentation, or a word that has the form."""
    body = value[:_LONGEST]
    return (
        value not in _PUBLIC_VALUES and entropy(body) >= _LEAST_KEY_ENTROPY and not _FORM_SAMPLE.search(body)
    )


_FORM_SAMPLE = expression(r"(?i)example|placeholder|your[_-]|x{6}|\*{3}|\.{3}|0{10}|123456789012|abcdefghijk")
_LEAST_KEY_ENTROPY = 2.5


def _is_sequence(value: str) -> bool:
    """Mostly characters that count up, down or repeat, as alphabets and tables do."""
    if len(value) < 8:
        return value in ("123456", "1234567", "0123456")
    steps = Counter(ord(b) - ord(a) for a, b in itertools.pairwise(value[:SEEN]))
    return steps[1] + steps[-1] + steps[0] > 0.7 * (len(value[:SEEN]) - 1)


def harmless_base64(value: str) -> bool:
    """Base64 of readable text."""
    try:
        data = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    shown = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in data)
    return bool(data) and shown >= 0.9 * len(data)

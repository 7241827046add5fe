"""Detection of secrets by randomness alone: long random texts, in any context.

Words of letters and digits in source are language: of 3.7 million lines of C# some sixty hold one that a model of
language calls random, most of them bytes as base64. So what is left once hashes, ids and encoded data are taken out by
what they look like and by what is said before them is a secret.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.concurrency.lazy import expression
from services.prompt.secrets.given import given_to
from services.prompt.secrets.judging.likelihood import harmless_base64, is_sample, randomness
from services.prompt.secrets.judging.names import Likelihood, cue_of
from services.prompt.secrets.patterns import compiled

_SHORTEST, _LONGEST = 20, 100
_SHORTEST_OF_ONE_CASE = 24
_LEAST, _LEAST_OF_ONE_CASE = 40.0, 58.0
_LETTER, _ANY = "[A-Za-z+/_-]", "[A-Za-z0-9+/_-]"
_LENGTHS = "|".join(f"{_LETTER}{{{at}}}[0-9]{_ANY}{{{_SHORTEST - 1 - at},}}" for at in range(_SHORTEST))
_TOKEN = rf"(?:{_LENGTHS}|{_LETTER}{{{_SHORTEST},64}}[0-9]{_ANY}*)={{0,2}}"
"""A word of at least the shortest length with a digit: RE2 has no look-ahead, so the first digit's place is spelled."""
_WHOLE = rf"{_ANY}*={{0,2}}$"
_BEFORE, _AFTER = 120, 12
_ENCODED = expression(
    r"(?:MI[A-Z]|iVBOR|/9j/|R0lGOD|AAEAAAD|AAABAA|UEsDB|H4sI|TVqQ|Qk[0-9]|PD94|JVBER|AAAA[BC]3Nz|eyJ|[A-Za-z0-9+/_-]*([A-Za-z0-9+/])\1{3})"
)
"""Beginnings of certificates, pictures, archives, programs, public keys and JSON in base64; runs that no key has."""
_HASHED = expression(r"(?:sha|md)[0-9]{1,3}-")
_OF_HASH = expression(r"(?:[^=]{27}=|[^=]{22}==)\Z")
"""What the 16 or 20 bytes of GUIDs and old hashes look like in base64."""
_HEX_KEY = expression(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9A-F]{32}")
_MAKES_CLIENT = expression(
    r"\b[A-Z]\w*(?:Client|Sdk)\s*(?:\w+\s*=\s*new\s*)?\((?:[^();]*,)?\s*(?:new\s*[\w.]*\(\s*)?[$@]*\"\Z"
)
_HEX = expression(r"(?i)(?:0x)?[0-9a-f-]+")
_PUBLIC_FORM = expression(
    r"(?:pk|cus|price|prod|pi|ch|sub|in|evt|acct|pm|seti|cs|txn|card|src|plan|ca|phc|pub|appl|req|msg|run|thread|asst|file)_"
    r"(?:(?:live|test)_)?[A-Za-z0-9]+\Z|0[0-9A-HJKMNP-TV-Z]{25}\Z|Qm[1-9A-HJ-NP-Za-km-z]{44}\Z|baf[a-z2-7]{40,}\Z|bc1[a-z0-9]{39,59}\Z|[13][1-9A-HJ-NP-Za-km-z]{25,33}\Z|6L[a-zA-Z0-9_-]{38}\Z|(?:UA|GTM|G)-"
)
"""Names that services give to objects, ULIDs, keys of pages that everybody sees."""
_SAID_PUBLIC = expression(
    r"(?i)hash|\bsha\d|\bh1:|integrity|digest|checksum|\bcrc|signature|public|\bcert|etag|modulus|exponent|ulid|nano"
    r"|ksuid|c?uid|guid|cursor|image|photo|avatar|picture|logo\b|\bpng|icon|thumb|bookmark|expected|assert\.|actual"
    r"|base64,|base64\"?\s*[=:]|\bencoded|\bcommit|revision|argon2|bcrypt|scrypt|pbkdf2|\$2[aby]\$|\bx5[ct]|\bspki|pin-"
    r"|verification|boundary|descriptor|ssh-\w+ |ecdsa-[\w-]+ "
)
"""What is said before a text on its line that makes it public."""
_PUBLIC_NAME = expression(
    r"(?i)(?:stamp|challenge|\bstate|nonce|\bsub|blob|payload|address)[\"'\]]*\s*[=:(]+\s*[$@]*[\"']?\Z|\bk?ids?\W{1,6}\Z"
    r"|(?-i:I)ds?\W{1,6}\Z|\b(?:spotify|urn):[\w:]*:\Z|[\"'](?:x|y|n|e)\\?[\"']{1,2}\s*:\s*\\?[\"']{1,2}\Z"
)
_ADDRESS = expression(r"://[^\s\"'<>]*\Z")
_NEAR = 90
_NAMED = expression(r"(?<![\w.-])(?P<name>[\w.-]*\w)[\"']?\]?\s*(?:=>|=|:)\s*[$@]*[\"']?\Z")
_ARGUMENT = expression(r"\bnew\s+[\w.]+\((?:[^()=:]*,)?\s*[$@]*[\"']\Z")
"""An argument of a constructor, which is not what the type is called."""
_FILE = expression(r"\.[A-Za-z][A-Za-z0-9]{1,4}\b")
_ONLY = expression(r"[ \t\"+@*/#-]*")
_BASE64 = expression(
    r"(?:[A-Za-z0-9+/]{40,}"
    r"|-----BEGIN (?:[A-Z0-9]+ )*(?:CERTIFICATE|PUBLIC KEY|REQUEST|CRL|MESSAGE|SIGNATURE)-----)[^A-Za-z0-9]*\Z"
)
"""The end of a line of base64, or the head of what is public in armour: what stands alone below it is more of that."""


def is_bare(value: str) -> bool:
    """Whether a text is random by itself."""
    return (
        _SHORTEST <= len(value) <= _LONGEST and compiled(_WHOLE).match(value.encode()) and _is_random(value)
    )


def bare(data: bytes, text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of such texts. `text`: the same, a character a byte."""
    for match in compiled(_TOKEN).finditer(data):
        start, end = match.span()
        if end - start > _LONGEST:
            continue
        if _is_of_client(text, start, end) or (
            _is_random(text[start:end]) and _is_of_nobody(text, start, end)
        ):
            yield start, end


def _is_of_client(text: str, start: int, end: int) -> bool:
    """Whether it is what a client is made with, of a form that hashes have elsewhere."""
    value = text[start:end]
    return (
        (_HEX_KEY.fullmatch(value) is not None or _OF_HASH.match(value) is not None)
        and _MAKES_CLIENT.search(text[max(0, start - _BEFORE) : start]) is not None
        and randomness(value.encode()) >= _LEAST
        and not is_sample(value)
    )


def _is_random(value: str) -> bool:
    if _HEX.fullmatch(value) or _ENCODED.match(value) or _HASHED.match(value) or _PUBLIC_FORM.match(value):
        return False
    uppers, lowers = sum(map(str.isupper, value)), sum(map(str.islower, value))
    if uppers >= 2 and lowers >= 2:
        least = _LEAST
    elif len(value) >= _SHORTEST_OF_ONE_CASE and sum(map(str.isdigit, value)) >= 3:
        least = _LEAST_OF_ONE_CASE
    else:
        return False
    return randomness(value.encode()) >= least and not is_sample(value) and not harmless_base64(value)


def _is_of_nobody(text: str, start: int, end: int) -> bool:
    """Whether the surrounding text does not mark it as public, or as a part of something longer."""
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    if before[-1:].isalnum() or before[-1:] in ("\\", "%", "&") or after[:1].isalnum() or _FILE.match(after):
        return False
    if _is_said_public(before) or _goes_on(text, start):
        return False
    if (named := _NAMED.search(before)) is not None and cue_of(named["name"]) is Likelihood.PUBLIC:
        return False
    if before[-1:] in ("'", '"'):
        given = given_to(text, start - 1, end)
        return (given.cue is not Likelihood.PUBLIC or _ARGUMENT.search(before) is not None) and (
            given.cue > Likelihood.NONE or _OF_HASH.match(text[start:end]) is None
        )
    return True


def _is_said_public(before: str) -> bool:
    line = before[max(before.rfind("\n") + 1, len(before) - _NEAR) :]
    if _SAID_PUBLIC.search(line) is not None or _PUBLIC_NAME.search(before) is not None:
        return True
    return "://" in before and _ADDRESS.search(before) is not None


def _goes_on(text: str, start: int) -> bool:
    """Whether a text is alone on its line, below a line of base64."""
    at = text.rfind("\n", max(0, start - _BEFORE), start)
    if at < 0 or _ONLY.fullmatch(text, at + 1, start) is None:
        return False
    above = text[max(text.rfind("\n", 0, at) + 1, at - _BEFORE) : at]
    return _BASE64.search(above) is not None

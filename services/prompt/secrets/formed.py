"""Secrets by their form, where that is not somebody else's: those of one text, and keys that are written as several."""

from __future__ import annotations

import base64
import itertools
import re
import zlib
from collections.abc import Iterator
from functools import cache

from services.concurrency.lazy import expression
from services.prompt.secrets.forms import FORMS, SecretForm
from services.prompt.secrets.given import given_to
from services.prompt.secrets.judging.likelihood import harmless_base64, is_key, packed
from services.prompt.secrets.judging.names import Likelihood
from services.prompt.secrets.judging.values import ValueContext, is_any_password, is_secret
from services.prompt.secrets.patterns import compiled, groups_of
from services.prompt.secrets.statements import BEFORE

KEY_WORDS = ("-----", "rsakeyvalue", "putty-user-key", "ls0tls1crudj")
"""Lower-case words without which no private key is in a text."""
PHRASE_WORDS = ("mnemonic", "seed", "wallet", "phrase", "bip39", "recovery")
"""Lower-case words without which twelve words are taken for prose."""
_LONGEST = 32_768
_BREAK = r"(?:[ \t]*\"\s*[+,]?\s*[$@]*\"|\s)?"
_ENCODED = expression(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}")
"""A key in armour, as base64."""
_BEGIN = expression(
    rf"-----{_BREAK}BEGIN{_BREAK} ?(?:[A-Z0-9]+ ){{0,3}}?{_BREAK}PRIVATE{_BREAK} ?KEY(?: BLOCK)?{_BREAK}-----"
    r"|PuTTY-User-Key-File-\d|<RSAKeyValue>|-----BEGIN[^\n-]{1,20}\"\s*\+\s*\"[^\n-]{0,30}PRIVATE KEY-----"
)
_BODY = expression(r"[A-Za-z0-9+/=]{40}|(?:[A-Za-z0-9+/=]{16,39}(?:\\[nr]|[\s\"'+,@$])+){2}")
_REST = expression(
    r"(?:\\[nr]|[A-Za-z0-9+/=]|\"\s*[+,]\s*[$@]*\")*(?:\r?\n[ \t\"'+@$]*[A-Za-z0-9+/=]{16,}(?:\\[nr])*[\"' \t+,;]*)*"
)
_END = expression(rf"-----{_BREAK}END[^-]{{2,60}}-----|</RSAKeyValue>|Private-MAC: [0-9a-f]+")
_SECRET_PART = expression(r"<(?:D|P|Q|InverseQ|DP|DQ)>[A-Za-z0-9+/=]{16}")
_BYTE = r"(?:\(s?byte\)\s*)?-?(?:0x[0-9a-fA-F]{1,2}|\d{1,3})"
_BYTES = expression(
    rf"(?:\[\d{{0,5}}\]\s*|[=(,:?>]\s*)[{{\[]\s*((?:{_BYTE}\s*,\s*){{7,}}{_BYTE})\s*,?\s*[}}\]]"
)
_OTHER_NUMBERS = expression(
    r"\b(?:u?int|u?long|u?short|double|float|decimal|char|Int32)\b[^;{}\n\"]*(?:[{\[(=]\s*)+\Z"
)
_NUMBER = expression(r"0x[0-9a-fA-F]{1,2}|\d+")
_MOST_BYTES = 4096
_CHARACTER = r"'(?:\\[^\n]|[^'\\\n])'"
_CHARACTERS = expression(
    rf"(?:\[\d{{0,5}}\]\s*|[=(,:?>]\s*)[{{\[]\s*((?:{_CHARACTER}\s*,\s*){{7,}}{_CHARACTER})\s*,?\s*[}}\]]"
)
_WORDS_IN_A_ROW = r"(?:\b[a-z]{3,8}[\s\\\"'`,+@$]{1,40}){11,}[a-z]{3,8}\b"
_WORD = expression(rb"[a-z]+")
_SHORTEST_PHRASE, _LEAST_DISTINCT = 12, 8
_PHRASE_TABLE = "phrase_words.bin"
"""The 2 048 English words of BIP-39."""


def private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of private keys, from the first line to the last, or to the end of the key's lines where
    that is missing. A heading without key data is none."""
    yield from _encoded_keys(text)
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        end = _end_of_key(text, begin.end())
        body = text[begin.end() : end]
        if _BODY.search(body) is None or (begin[0].startswith("<") and _SECRET_PART.search(body) is None):
            continue
        done = end
        yield begin.start(), end


def _encoded_keys(text: str) -> Iterator[tuple[int, int]]:
    for match in _ENCODED.finditer(text):
        if b"PRIVATE KEY" in base64.b64decode(match[0][:80]):
            yield match.span()


def _end_of_key(text: str, start: int) -> int:
    begin = _BEGIN.search(text, start, start + _LONGEST)
    end = _END.search(text, start, begin.start() if begin is not None else start + _LONGEST)
    if end is not None:
        return end.end()
    rest = _REST.match(text, start, start + _LONGEST)
    return rest.end() if rest is not None else start


def key_bytes(text: str, *, tests: bool) -> Iterator[tuple[int, int]]:
    """Yield the bytes of arrays assigned to a secret name, except sequences and constant ones."""
    for match in _BYTES.finditer(text):
        if _OTHER_NUMBERS.search(text, max(0, match.start() - 120), match.start(1)) is not None:
            continue
        given = given_to(text, _before_new(text, match.start()), match.end())
        if given.cue <= Likelihood.NONE or (tests and given.cue < Likelihood.SECRET):
            continue
        if _is_random_key(match[1]):
            yield match.span(1)


def _before_new(text: str, at: int) -> int:
    """Before `new byte[]`, `stackalloc byte`, and the sign that an initializer follows."""
    before = re.search(r"(?:new|stackalloc)\s*(?:s?byte|Byte|char)?\s*\Z", text[max(0, at - 40) : at])
    at = at - len(before[0]) if before is not None else at
    return at + 1 if text[at] in "=(,:?>" else at


def _is_random_key(array: str) -> bool:
    numbers = [
        int(number, 0) if number.startswith("0x") else int(number)
        for number in _NUMBER.findall(array)[:_MOST_BYTES]
    ]
    if max(numbers) > 255 or len(set(numbers)) < max(6, len(numbers) // 4):
        return False
    steps = [b - a for a, b in itertools.pairwise(numbers)]
    return len(set(steps)) > len(steps) // 2


def key_characters(text: str, *, tests: bool) -> Iterator[tuple[int, int]]:
    """Yield the characters of arrays that spell a secret and are assigned to a secret name."""
    for match in _CHARACTERS.finditer(text):
        given = given_to(text, _before_new(text, match.start()), match.end())
        value = "".join(character[1:-1] for character in re.findall(_CHARACTER, match[1])[:_MOST_BYTES])
        spelled = given.cue is Likelihood.PASSWORD and given.direct and not tests
        if is_secret(value, ValueContext(given.cue, direct=given.direct, tests=tests)) or (
            spelled and is_any_password(value)
        ):
            yield match.span(1)


def recovery_phrases(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield runs of twelve or more BIP-39 words, in one text or in several; not in alphabetical order, as in the
    list itself, and not repetitions of a few, as in its samples."""
    for match in compiled(_WORDS_IN_A_ROW).finditer(data):
        run: list[re.Match[bytes]] = []
        for word in (*_WORD.finditer(data, *match.span()), None):
            if word is not None and word[0] in _phrase_words():
                run.append(word)
                continue
            said = [each[0] for each in run]
            if len(said) >= _SHORTEST_PHRASE and len(set(said)) >= _LEAST_DISTINCT and said != sorted(said):
                yield run[0].start(), run[-1].end()
            run = []


@cache
def _phrase_words() -> frozenset[bytes]:
    return frozenset(zlib.decompress(packed(_PHRASE_TABLE)).split())


@cache
def words_of_forms() -> tuple[str, ...]:
    """The words without which no form is in a text."""
    return tuple(dict.fromkeys(word for form in FORMS for word in form.words))


def formed(data: bytes, words: set[str]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of what has a form, of those whose words are in the text."""
    for at in sorted({at for word in words for at in _forms_of().get(word, ())}):
        yield from _of_form(FORMS[at], data)


def _of_form(form: SecretForm, data: bytes) -> Iterator[tuple[int, int, str]]:
    group = groups_of(form.pattern)["s"]
    for match in compiled(form.pattern).finditer(data):
        start, end = match.span(group)
        if start < 0:
            start, end = match.span()
        value = data[start:end].decode("latin-1")
        if (is_key(value) or form.kind.startswith("password")) and _plausible(form.kind, value, data, start):
            yield start, end, form.kind


_PUBLIC_BEFORE = expression(
    rb"(?i)(?:hash|sha\d|integrity|digest|checksum|signature|public|cert|etag|modulus)[^\n]{0,40}\Z"
)


def _plausible(kind: str, value: str, data: bytes, start: int) -> bool:
    """Whether a form that others share is not theirs here."""
    if kind in _OF_NOBODY and _is_given_to_public(data, start, start + len(value)):
        return False
    check = _CHECKS.get(kind)
    return check is None or check(value, data, start)


_OF_NOBODY = frozenset({"azure-storage-key", "deepseek-key", "client-key"})
"""Kinds whose form others have too, which what they are given to tells."""


def _is_given_to_public(data: bytes, start: int, end: int) -> bool:
    first = max(0, start - 2 * BEFORE)
    text = data[first : end + 200].decode("latin-1")
    return given_to(text, start - first - 1, end - first).cue is Likelihood.PUBLIC


def _is_aws_secret(value: str, data: bytes, start: int) -> bool:
    return (
        bool(re.search("[a-z]", value) and re.search("[A-Z]", value) and re.search("[0-9/+]", value))
        and is_secret(
            value,
            ValueContext(Likelihood.KEY) if re.search("[0-9]", value) else ValueContext(Likelihood.NEAR),
        )
        and _PUBLIC_BEFORE.search(data, max(0, start - 60), start) is None
    )


def _is_storage_key(value: str, data: bytes, start: int) -> bool:
    return not harmless_base64(value) and _PUBLIC_BEFORE.search(data, max(0, start - 80), start) is None


def _is_jwt(value: str, _: bytes, __: int) -> bool:
    return harmless_base64(value.partition(".")[0].replace("-", "+").replace("_", "/"))


def _is_random(value: str, _: bytes, __: int) -> bool:
    return is_secret(value, ValueContext(Likelihood.NEAR, direct=False))


def _is_password(value: str, _: bytes, __: int) -> bool:
    return is_any_password(value)


def _is_random_or_hex(value: str, _: bytes, __: int) -> bool:
    return is_secret(value, ValueContext(Likelihood.SECRET, direct=False))


def _is_token_of_address(value: str, data: bytes, start: int) -> bool:
    """Whether a value is the public key of a Sentry address."""
    return _is_random_or_hex(value, data, start) and b"sentry" not in data[start : start + 100]


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
    "octopus-key": _is_random,
    "gocardless-token": _is_random,
    "ionic-token": _is_random,
    "alibaba-key": _is_random,
    "flexport-key": _is_random,
    "resend-key": _is_random,
    "stytch-key": _is_random,
    "ibm-cloud-key": _is_random,
    "ifttt-key": _is_random,
    "password-in-address": _is_random,
    "password-of-directory": _is_password,
    "password-in-sql": _is_password,
    "token-in-address": _is_token_of_address,
    "secret-in-path": _is_random_or_hex,
}


@cache
def _forms_of() -> dict[str, list[int]]:
    """The places of forms in their table, by word."""
    found: dict[str, list[int]] = {}
    for at, form in enumerate(FORMS):
        for word in form.words:
            found.setdefault(word, []).append(at)
    return found

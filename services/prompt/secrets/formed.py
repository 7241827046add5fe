"""Secrets by their form, where that is not somebody else's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from services.prompt.secrets.contexts.assigned import BEFORE
from services.prompt.secrets.contexts.given import given_to
from services.prompt.secrets.forms import FORMS, SecretForm
from services.prompt.secrets.judging.names import Likelihood
from services.prompt.secrets.judging.samples import harmless_base64, is_key
from services.prompt.secrets.judging.values import ValueContext, is_any_password, is_secret
from services.prompt.secrets.patterns import compiled, expression, groups_of


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

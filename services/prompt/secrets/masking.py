"""Masking of likely secrets by placeholders that show the kind and equality of secrets, and nothing else.

Some secrets can be recognized only in the whole file: lines in the middle of a private key, a value whose name is on
the line before. Excerpts of a file are masked with these too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from services.prompt.secrets.finding import FoundSecret, SecretRanges, find_secrets
from services.source.text.placeholder import placeholder
from services.syntax.records.hashing import base32

_SHORTEST = 8
_SHORTEST_WHOLE = 4
_AROUND = " \t\r\"'+,;\\"


class KnownSecret(msgspec.Struct, frozen=True):
    """A secret of a file, whole. `kind`: of the rule that found it; `around`: the characters before and behind it,
    without which a short one, that may be a word, is not taken for it."""

    kind: str
    value: str
    around: tuple[str, str] = ("", "")

    def fragments(self) -> Iterator[str]:
        """Yield parts of it that may be alone on a line; all of it, if that is one line. A short part includes its
        surroundings."""
        if len(self.value) < _SHORTEST:
            if len(self.value) >= _SHORTEST_WHOLE and all(self.around):
                yield self.value
            return
        lines = (line.strip(_AROUND) for line in self.value.split("\n"))
        yield from (line for line in lines if len(line) >= _SHORTEST)

    def stands_in(self, data: bytes, start: int, end: int) -> bool:
        """Whether a fragment that is there is of the secret: a short one within other text is not."""
        if len(self.value) >= _SHORTEST:
            return True
        before, behind = (each.encode("utf-8", "surrogatepass") for each in self.around)
        return data.endswith(before, 0, start) and data.startswith(behind, end)


def known_in(text: str, path: str = "") -> tuple[KnownSecret, ...]:
    """The likely secrets of a whole file. `path`: its own, where it has one."""
    from services.prompt.secrets.finding import find_secrets

    data = text.encode("utf-8", "surrogatepass")
    return tuple(
        dict.fromkeys(
            KnownSecret(
                each.kind,
                data[each.start : each.end].decode("utf-8", "surrogatepass"),
                _around(data, each.start, each.end),
            )
            for each in find_secrets(data, path)
        )
    )


def _around(data: bytes, start: int, end: int) -> tuple[str, str]:
    """Characters of ASCII; nothing where there is none."""
    before, behind = data[max(0, start - 1) : start], data[end : end + 1]
    return (before.decode("ascii", "ignore"), behind.decode("ascii", "ignore"))


def those_in(text: str, known: tuple[KnownSecret, ...]) -> tuple[KnownSecret, ...]:
    """Return the secrets of which a part is in a text."""
    return tuple(each for each in known if any(fragment in text for fragment in each.fragments()))


CODE_LENGTH = 6
"""Characters of Base32 in a placeholder: of a thousand secrets, two get the same once in two thousand workspaces."""
_HASH_LENGTH = 26


class Secret(msgspec.Struct, frozen=True):
    """A likely secret in a text. `line`: 1-based line of the text where it begins; `hash`: keyed, of the secret;
    `masked`: whether a placeholder stands for it."""

    kind: str
    line: int
    hash: str
    masked: bool

    @property
    def code(self) -> str:
        """Short code for people."""
        return self.hash[:CODE_LENGTH]

    @property
    def placeholder(self) -> str:
        """Placeholder of the secret."""
        return placeholder(self.kind, self.code)


class Masked(msgspec.Struct, frozen=True):
    """A text without its secrets. `secrets`: those that were found, in its order, allowed ones included."""

    text: str
    secrets: tuple[Secret, ...] = ()


class Masker(msgspec.Struct, frozen=True):
    """Masker of secrets. `key`: the workspace's own, so that others cannot verify guesses; `allowed`: hashes or
    codes of secrets that are not masked. Two with the same fields mask alike."""

    key: bytes
    allowed: frozenset[str] = frozenset()

    def allowing(self, codes: Collection[str]) -> Masker:
        """Return a masker that lets these through as well."""
        return Masker(self.key, self.allowed | frozenset(codes)) if codes else self

    def text(self, text: str, known: Sequence[KnownSecret] = (), *, path: str = "") -> str:
        """Return the text with placeholders: all text for a model, a log or another person passes through here."""
        return self.mask(text, known, path=path).text

    def mask(self, text: str, known: Sequence[KnownSecret] = (), *, path: str = "") -> Masked:
        """Return the text with placeholders, and the secrets behind them. The number of lines is unchanged.
        `known`: secrets of the whole files that its lines are from; `path`: of the file, where there is one."""
        data = text.encode("utf-8", "surrogatepass")
        found = _with_known(data, find_secrets(data, path), known)
        if not found:
            return Masked(text)
        parts, secrets, done, line = [], [], 0, 1
        for each, whole in found:
            value = data[each.start : each.end]
            line += data.count(b"\n", done, each.start)
            secret = self._secret(each.kind, whole or value, line)
            secrets.append(secret)
            parts += [data[done : each.start], self._shown(secret, value)]
            line += value.count(b"\n")
            done = each.end
        masked = b"".join((*parts, data[done:])).decode("utf-8", "surrogatepass")
        return Masked(masked, tuple(secrets))

    def pieces(self, data: bytes, path: str = "") -> list[tuple[int, int, str]]:
        """Start, end and placeholder of what is masked in a whole file, in bytes of UTF-8."""
        found = (
            (each, self._secret(each.kind, data[each.start : each.end], 0))
            for each in find_secrets(data, path)
        )
        return [(each.start, each.end, secret.placeholder) for each, secret in found if secret.masked]

    def _secret(self, kind: str, value: bytes, line: int) -> Secret:
        import hmac

        digest = base32(hmac.digest(self.key, value, hashlib.sha256), _HASH_LENGTH)
        masked = self.allowed.isdisjoint((digest, digest[:CODE_LENGTH]))
        return Secret(kind, line, digest, masked)

    @staticmethod
    def _shown(secret: Secret, value: bytes) -> bytes:
        return secret.placeholder.encode() + b"\n" * value.count(b"\n") if secret.masked else value


def _with_known(
    data: bytes, found: Sequence[FoundSecret], known: Sequence[KnownSecret]
) -> list[tuple[FoundSecret, bytes | None]]:
    """Merge found and known secrets, each known one with its whole value; in the order of the text. A fragment of a
    known secret counts as that, even if it has another form."""
    if not known:
        return [(each, None) for each in found]
    parts, wholes = SecretRanges(), dict[FoundSecret, bytes]()
    there = {data[each.start : each.end] for each in found}
    for secret in known:
        whole = secret.value.encode("utf-8", "surrogatepass")
        if whole in there and data.count(whole) == 1:
            continue
        for fragment in dict.fromkeys(secret.fragments()):
            for start, end in _places(data, fragment.encode("utf-8", "surrogatepass")):
                if secret.stands_in(data, start, end):
                    part = FoundSecret(start, end, secret.kind)
                    parts.add(part)
                    wholes[part] = whole
    taken = SecretRanges()
    for each in (*(each for each in found if not parts.hold(each)), *parts.all()):
        taken.add(each)
    return [(each, wholes.get(each)) for each in taken.all()]


def _places(data: bytes, value: bytes) -> Iterator[tuple[int, int]]:
    at = data.find(value)
    while at >= 0:
        yield at, at + len(value)
        at = data.find(value, at + len(value))


Mask = Callable[[str, Sequence[KnownSecret]], str]
"""Makes a text fit to be handed to a model; told what is known of the files that it is lines of."""

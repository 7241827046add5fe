"""Secrets recognizable only in the whole file: lines in the middle of a private key, a value whose name is on the
line before. Excerpts of a file are masked with these too."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

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

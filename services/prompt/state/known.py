"""Secrets that only their whole file tells: lines from the middle of a private key, a value whose name is on the line
before. Whoever shows some lines of a file masks these too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_SHORTEST = 8
_AROUND = " \t\r\"'+,;\\"


@dataclass(frozen=True, slots=True)
class Known:
    """A secret of a file, whole. `kind`: of the rule that found it."""

    kind: str
    value: str

    def fragments(self) -> Iterator[str]:
        """What of it may stand alone on a line; all of it, if that is one line."""
        lines = (line.strip(_AROUND) for line in self.value.split("\n"))
        return (line for line in lines if len(line) >= _SHORTEST)


def known_in(text: str) -> tuple[Known, ...]:
    """The likely secrets of a whole file."""
    from services.prompt.secrets.finding import find_secrets

    data = text.encode("utf-8", "surrogatepass")
    return tuple(
        dict.fromkeys(
            Known(each.kind, data[each.start : each.end].decode("utf-8", "surrogatepass"))
            for each in find_secrets(data)
        )
    )


def those_in(text: str, known: tuple[Known, ...]) -> tuple[Known, ...]:
    """Those of which something is in a text."""
    return tuple(each for each in known if any(fragment in text for fragment in each.fragments()))

"""Likely secrets are masked on their way to an agent (SAFETY, Models and the network)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from services.prompt.secrets.masking import KnownSecret, Mask

if TYPE_CHECKING:
    from services.bench import Bench

_OWN = frozenset(
    {
        "LOCK_HANDLE",
        "access",
        "accessMode",
        "accessors",
        "branch",
        "code",
        "container",
        "declaringType",
        "effective",
        "encoding",
        "file",
        "files",
        "format",
        "fqn",
        "grade",
        "hash",
        "href",
        "id",
        "includeType",
        "key",
        "kind",
        "level",
        "memberId",
        "members",
        "modifiers",
        "name",
        "nextCursor",
        "object",
        "objectType",
        "path",
        "pattern",
        "placeholder",
        "project",
        "projects",
        "query",
        "rel",
        "returnType",
        "returnTypeFqn",
        "root",
        "severity",
        "state",
        "symbolId",
        "token",
        "type",
        "typeFqn",
        "typeId",
        "typeParameters",
        "version",
    }
)
"""Fields that are the program's own or names of what there is: tokens and handles among them look as secrets do. All
other text is masked, whatever answers it, so that an operation that is new is masked from its first day."""
_GIVEN = frozenset({"constant", "default", "defaultValue", "value"})
"""Those of them that hold what is given to the value's `name`."""
_REMARKS = frozenset({"doc", "docFirstLine"})
"""Those of them that hold what a comment says."""
_SHORTEST = 8
"""Characters of a text that alone may tell a secret."""
_LINES = frozenset({"content", "contextAfter", "contextBefore", "snippet"})
"""Those of them that hold lines of the value's `file`, or of its `pieces`."""

_NESTED = (dict, list, tuple)

KnownIn = Callable[[str], tuple[KnownSecret, ...]]
"""The secrets of a whole file, by its path."""


class Hiding(NamedTuple):
    """Masking of likely secrets in a text, and in JSON values."""

    text: Callable[[str], str]
    value: Callable[[Any], Any]


def hiding(bench: Bench) -> Hiding:
    """That of the secrets that a workspace has now."""
    mask = bench.vault.masker().text

    def known_in(path: str) -> tuple[KnownSecret, ...]:
        # Content is made when lines of a file are masked: most answers of a command quote none.
        return bench.content.known_in(path)

    return Hiding(mask, lambda value: masked(value, mask, known_in))


def masked(value: Any, mask: Mask, known_in: KnownIn) -> Any:
    """A JSON value, made of dicts, lists or tuples, and texts, with placeholders in what it quotes. Spans of a line are
    told as far as it is what it was: past a placeholder they would point elsewhere, and in it tell what it hides."""
    if isinstance(value, dict):
        return _fields(value, mask, known_in)
    return [masked(each, mask, known_in) for each in value] if isinstance(value, list | tuple) else value


def _fields(value: dict[str, Any], mask: Mask, known_in: KnownIn) -> dict[str, Any]:
    known = () if _LINES.isdisjoint(value) else _known(value, known_in)
    made: dict[str, Any] = {}
    for name, each in value.items():
        # Most are numbers and texts of the program's own: an answer has thousands.
        if isinstance(each, dict) or (name in _OWN and isinstance(each, _NESTED)):
            each = masked(each, mask, known_in)
        elif isinstance(each, str) and (before := _before(name, value)):
            each = mask(before + each, ()).removeprefix(before)
        elif (name not in _OWN or _is_prose(each)) and isinstance(each, (str, *_NESTED)):
            each = _quoted(each, mask, known_in, known)
        made[name] = each
    if (spans := value.get("spans")) and made.get("content") != value.get("content"):
        same = _alike(made["content"], value["content"])
        made["spans"] = [span for span in spans if span[1] <= same]
    return made


def _is_prose(value: Any) -> bool:
    """Whether what should be a name or an id is somebody's words, as the path of a note is."""
    return isinstance(value, str) and (" " in value or '"' in value)


def _before(field: str, value: dict[str, Any]) -> str:
    """Return the source text before a field's text, where it determines the meaning of that text; else nothing."""
    if field in _REMARKS:
        return "/// "
    return f"{value['name']} = " if field in _GIVEN and isinstance(value.get("name"), str) else ""


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _quoted(value: Any, mask: Mask, known_in: KnownIn, known: tuple[KnownSecret, ...]) -> Any:
    if isinstance(value, str):
        return mask(value, known) if len(value) >= _SHORTEST or known else value
    if isinstance(value, list | tuple):
        return [_quoted(each, mask, known_in, known) for each in value]
    return masked(value, mask, known_in)


def _known(value: Mapping[str, Any], known_in: KnownIn) -> tuple[KnownSecret, ...]:
    pieces = value.get("pieces")
    of = [value, *(pieces if isinstance(pieces, list | tuple) else ())]
    files = dict.fromkeys(each.get("file") for each in of if isinstance(each, dict))
    return tuple(secret for file in files if isinstance(file, str) for secret in known_in(file))

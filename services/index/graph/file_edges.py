"""Which types a file names, from which of its own."""

from __future__ import annotations

import msgspec


class FileEdges(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`inside`: (from type, to type, how often) by catalogue index; `outside`: (from type, full name, how often);
    `mentioned`: simple names that stand in type texts, bound or not, and namespaces that are not wholly known;
    `deduced`: (simple name, number of type arguments, namespace) of types of packages, as far as this file tells."""

    inside: tuple[tuple[int, int, int], ...]
    outside: tuple[tuple[int, str, int], ...]
    mentioned: tuple[str, ...]
    deduced: tuple[tuple[str, int, str], ...]

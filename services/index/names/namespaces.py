"""Namespaces by their full names."""

from __future__ import annotations

from collections.abc import Iterable


def with_outer(namespaces: Iterable[str]) -> set[str]:
    """Namespaces and all those around them; none has no name."""
    found: set[str] = set()
    for namespace in namespaces:
        while namespace and namespace not in found:
            found.add(namespace)
            namespace = namespace.rpartition(".")[0]
    return found

"""Inferred types of unlisted packages: an undeclared name, where only one namespace can contain it, comes from that
one; which is then known for the other files of the project too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

Deduction = tuple[str, int, str]
"""(simple name, number of type arguments, namespace)."""
Deduced = Mapping[tuple[int, str, int], frozenset[str]]
"""Namespaces inferred for a name, by project, simple name and number of type arguments."""

_Key = tuple[int, str, int]


class Deductions:
    """Inferred types of all files, united. `table`: as of the last publication, another object only where its content
    has changed. The same files give the same table, in any order. Not thread-safe."""

    def __init__(self) -> None:
        self._of_files: dict[int, list[tuple[_Key, str]]] = {}
        self._counts: dict[_Key, Counter[str]] = {}
        self._changed: set[_Key] = set()
        self.table: Deduced = {}

    def fork(self) -> Deductions:
        """Return a copy, to be changed while others read these."""
        other = Deductions()
        other._of_files, other._counts = self._of_files.copy(), self._counts.copy()
        other._changed, other.table = self._changed.copy(), self.table
        return other

    def add(self, file: int, project: int, told: Iterable[Deduction]) -> None:
        """Add the inferences of a file of a project."""
        kept = [((project, name, arity), namespace) for name, arity, namespace in told]
        if kept:
            self._of_files[file] = kept
        for key, namespace in kept:
            self._count(key, namespace, 1)

    def drop(self, file: int) -> None:
        """Remove the inferences of a file, if there are any."""
        for key, namespace in self._of_files.pop(file, ()):
            self._count(key, namespace, -1)

    def _count(self, key: _Key, namespace: str, more: int) -> None:
        counts = Counter(self._counts.pop(key, {}))  # a fork may have it too
        counts[namespace] += more
        if not counts[namespace]:
            del counts[namespace]
        if counts:
            self._counts[key] = counts
        self._changed.add(key)

    def by_file(self) -> dict[int, list[Deduction]]:
        """Return the inferences by file."""
        return {
            file: [(name, arity, namespace) for (_, name, arity), namespace in kept]
            for file, kept in self._of_files.items()
        }

    def publish(self) -> None:
        """Publish the table of all files' inferences."""
        now = {key: frozenset(self._counts.get(key, ())) for key in self._changed}
        self._changed.clear()
        if any(self.table.get(key, frozenset()) != namespaces for key, namespaces in now.items()):
            united = {**self.table, **now}
            self.table = {key: namespaces for key, namespaces in united.items() if namespaces}

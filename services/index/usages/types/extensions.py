"""Extension methods by name, and the namespaces that a place sees them of."""

from __future__ import annotations

from collections.abc import Sequence

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.index.framework.facts import MemberFact
from services.index.framework.members import MemberTable
from services.index.names.context import Context, Level
from services.index.usages.types.member import Candidate, Member
from services.model import Kind


class Extensions:
    """Extension methods of the workspace and of the framework. Made for one version of the catalogue."""

    def __init__(self, catalogue: Catalogue, records: Records, facts: MemberTable) -> None:
        self._catalogue = catalogue
        self._records = records
        self._facts = facts
        self._own: dict[str, list[Member]] = {}
        self._namespaces: dict[tuple[Level, ...], frozenset[str]] = {}
        self._numbers = {name: at for at, name in enumerate(catalogue.names.values)}

    def own(self, name: str, context: Context) -> list[Member]:
        """Those of the workspace whose namespace the place sees."""
        seen = self.namespaces(context)
        return [member for member in self._named(name) if self._namespace(member) in seen]

    def of_framework(self, name: str, context: Context) -> list[MemberFact]:
        """Those of the framework; where the workspace is the source of them, they are not told twice."""
        sources = {self._namespace(member) for member in self._named(name)}
        spaces = self.namespaces(context) - sources
        return [fact for space in spaces for fact in self._facts.extensions(space, name)]

    def are_of_linq(self, candidates: Sequence[Candidate], name: str) -> bool:
        """Whether all of these methods are those that `System.Linq` has for sequences."""
        linq = self._facts.extensions("System.Linq", name)
        return all(candidate.member in linq for candidate in candidates)

    def namespaces(self, context: Context) -> frozenset[str]:
        """Namespaces around a place or named by its using directives, in every reading that a directive may have."""
        known = self._namespaces.get(context.levels)
        if known is None:
            around = {level.namespace for level in context.levels} | {""}
            found = set(around)
            for level in context.levels:
                for using in level.usings:
                    if not using.alias and not using.static:
                        name = using.name.removeprefix("global::")
                        found |= {f"{outer}.{name}".lstrip(".") for outer in around}
            known = self._namespaces[context.levels] = frozenset(found)
        return known

    def _namespace(self, member: Member) -> str:
        return self._catalogue.types[member.index].fqn.partition("+")[0].rpartition(".")[0]

    def _named(self, name: str) -> list[Member]:
        known = self._own.get(name)
        if known is None:
            known = self._own[name] = list(self._find(name))
        return known

    def _find(self, name: str) -> list[Member]:
        import numpy as np

        number = self._numbers.get(name)
        if number is None:
            return []
        columns = self._catalogue.columns
        names = np.frombuffer(columns.name, np.int32)[: len(columns.dead)]
        rows = np.flatnonzero(names == number).tolist()
        found: list[Member] = []
        for row in rows:
            if columns.dead[row]:
                continue
            file, at = columns.file[row], columns.declaration[row]
            record = self._records.record(file)
            declaration = record.declarations[at] if record is not None else None
            if declaration is None or declaration.kind not in (Kind.METHOD, Kind.EXTENSION_MEMBER):
                continue
            member = Member(home_of(self._catalogue, columns.owner[row]), file, at, declaration)
            if member.is_extension or declaration.receiver is not None:
                found.append(member)
        return found

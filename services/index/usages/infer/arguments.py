"""How well an argument fits a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.index.usages.infer.overloads import Better
from services.index.usages.types.conversions import Fit
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.types import AnyType, Type, framework, substituted
from services.syntax.bodies.expressions import Argument, Lambda, Null, OfType, Operation
from services.syntax.records.declaration import ParameterRecord

if TYPE_CHECKING:
    from services.index.usages.infer.typer import Typer


class Arguments:
    """Rates the arguments of one declaration."""

    def __init__(self, typer: Typer) -> None:
        self._typer = typer
        self._tools = typer.tools
        self._members = typer.tools.members
        self.better = Better(self._compared, typer.tools.conversions)

    def fit(self, candidate: Candidate, parameter: ParameterRecord, argument: Argument) -> Fit:
        """How an argument fits a parameter of a candidate."""
        member = candidate.member
        if not isinstance(member, Member):
            return Fit.MAYBE
        wanted = self._wanted(candidate, parameter)
        value = argument.value
        if isinstance(value, Null):
            return self._tools.conversions.null(wanted)
        if isinstance(value, Lambda):
            return self._lambda_fit(value, wanted)
        found = self._typer.typed(value)
        if found is not None and found.what == "methods":
            return Fit.MAYBE
        given = found.type if found is not None and found.what == "value" else None
        literal = isinstance(value, OfType | Operation) and given == framework("System.Int32")
        fit = self._tools.conversions.fit(given, wanted, literal=literal)
        if "params" in parameter.modifier.split() and fit is not Fit.EXACT:
            single = self._tools.conversions.fit(
                given, self._tools.delegates.element(wanted), literal=literal
            )
            return min(Fit.YES, max(fit, single))
        return fit

    def _wanted(self, candidate: Candidate, parameter: ParameterRecord) -> AnyType | None:
        if not isinstance(candidate.member, Member):
            return None
        wanted = self._members.read_in(candidate.member, parameter.type)
        if candidate.holder is not None:
            wanted = substituted(wanted, self._members.assigned(candidate.holder))
        return wanted

    def _compared(self, candidate: Candidate, parameter: ParameterRecord) -> AnyType | None:
        wanted = self._wanted(candidate, parameter)
        return self._tools.delegates.element(wanted) if "params" in parameter.modifier.split() else wanted

    def _lambda_fit(self, value: Lambda, wanted: AnyType | None) -> Fit:
        signature = self._tools.delegates.signature(wanted)
        if signature is not None:
            if value.parameters not in (None, len(signature[0])) or self._gives_other(
                value, wanted, signature[1]
            ):
                return Fit.NO
            return self._result_fit(value, signature[1])
        plain = isinstance(wanted, Type) and (
            self._tools.conversions.fit(framework("System.Int32"), wanted) in (Fit.NO, Fit.EXACT)
            or wanted.fqn in ("System.String", "System.Boolean", "System.Threading.CancellationToken")
        )
        return Fit.NO if plain else Fit.MAYBE

    def _gives_other(self, value: Lambda, wanted: AnyType | None, result: AnyType | None) -> bool:
        """Whether a lambda gives a value where none is wanted, or none where one is."""
        nothing = isinstance(wanted, Type) and wanted.fqn.partition("`")[0] == "System.Action"
        if value.gives is None or (result is None and not nothing):
            return False
        if not value.is_async:
            return value.gives is nothing
        if nothing:
            return value.gives
        given = self._typer.awaited(result) is not None
        return isinstance(result, Type) and value.gives is not given

    def _result_fit(self, value: Lambda, result: AnyType | None) -> Fit:
        """How what a lambda without parameters gives fits; that of others rests on what they are given."""
        if value.parameters != 0 or value.is_async or value.result is None or result is None:
            return Fit.MAYBE
        return min(Fit.YES, self._tools.conversions.fit(self._typer.type_of(value.result), result))

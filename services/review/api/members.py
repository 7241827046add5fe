"""The members of a type as others see them: documentation ids and signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from services.index.symbols.placed import Placed
from services.model import Kind
from services.review.api.constants import Constants
from services.review.api.symbol import FOUND, TOLD, VISIBLE, ApiSymbol, Constraint, NameScope, metadata_name
from services.review.api.type_view import TypeView, joined
from services.syntax.records.declaration import Declaration, ParameterRecord

_PREFIX = {
    Kind.FIELD: "F", Kind.CONSTANT: "F", Kind.ENUM_MEMBER: "F", Kind.PROPERTY: "P", Kind.INDEXER: "P", Kind.EVENT: "E",
}  # fmt: skip
_AUTOMATIC = re.compile(rb"\{[^{};]*\bget\s*;\s*\}")
_BY_REFERENCE = ("ref", "out", "in")
_SHOWN = ("const", "static", "abstract", "virtual", "override", "sealed", "readonly", "required", "volatile")


class MemberWriter:
    """Writes a type and its members."""

    def __init__(self, view: TypeView) -> None:
        self._view = view

    def symbols(self) -> Iterator[ApiSymbol]:
        """The type, then its members."""
        yield self._view.symbol()
        for member in self._view.whole.members:
            declaration = member.declaration
            if declaration.explicit or declaration.access not in self._view.seen:
                continue
            if declaration.kind is Kind.CONSTRUCTOR and "static" in declaration.modifiers:
                continue
            yield from (
                self._accessor_methods(member)
                if _is_extension_property(declaration)
                else [self._member(member)]
            )
        if self._view.whole.entry.kind is Kind.DELEGATE:
            yield from self._delegate()
        if self._view.whole.entry.kind is Kind.ENUM:
            yield self._made("#ctor", ())

    def _member(self, member: Placed) -> ApiSymbol:
        declaration = member.declaration
        scope = self._view.scope(declaration)
        parameters = list(declaration.parameters or ())
        if declaration.receiver is not None and "static" not in declaration.modifiers:
            parameters.insert(0, declaration.receiver)
        fqns = [self._text(member, parameter.type) for parameter in parameters]
        returns = self._text(member, declaration.returns) if declaration.returns else ""
        told = self._told(declaration, parameters, fqns, scope)
        return ApiSymbol(
            id=self._member_id(declaration, parameters, fqns, returns, scope),
            kind=declaration.kind,
            signature=self._signature(member, parameters, fqns, returns, scope),
            named=self._named(declaration, told, returns, scope, told=True),
            plain=self._named(declaration, self._plain(declaration, fqns, scope), returns, scope, told=True),
            result=self._view.types.display(returns, scope, TOLD) if _returns(declaration) else "",
            returns=self._view.types.display(returns, scope, FOUND) if _returns(declaration) else "",
            owner=f"T:{self._view.id}",
            words=self._words(member),
            access=declaration.access,
            constraints=self._constraints_of(member),
            parameters=len(parameters),
            accessors=self._accessors(declaration),
            implicit=member.implicit,
            derivable=self._view.derivable,
            symbol=member.id,
            file=self._view.file(member),
            line=declaration.start_line,
        )

    def _accessor_methods(self, member: Placed) -> Iterator[ApiSymbol]:
        """Yield the accessor methods that represent a property of an extension block."""
        made = self._member(member)
        for accessor, _ in self._accessors(member.declaration):
            name = f".{member.declaration.name}"
            yield msgspec.structs.replace(
                made, id=made.id.replace(name, f".{accessor}_{name[1:]}", 1), accessors=()
            )

    def _text(self, member: Placed, text: str) -> str:
        return self._view.names.bound(member.file, member.at, member.declaration, text).fqn or text

    def _member_id(
        self,
        declaration: Declaration,
        parameters: list[ParameterRecord],
        fqns: list[str],
        returns: str,
        scope: NameScope,
    ) -> str:
        kind = declaration.kind
        name = metadata_name(declaration, len(parameters))
        arity = f"``{len(declaration.own_parameters)}" if declaration.own_parameters else ""
        types = [
            self._view.types.doc_id(fqn, scope) + ("@" if _is_by_reference(parameter) else "")
            for parameter, fqn in zip(parameters, fqns, strict=True)
        ]
        listed = f"({','.join(types)})" if types else ""
        result = f"~{self._view.types.doc_id(returns, scope)}" if kind is Kind.CONVERSION else ""
        return f"{_PREFIX.get(kind, 'M')}:{self._view.id}.{name}{arity}{listed}{result}"

    def _signature(
        self,
        member: Placed,
        parameters: list[ParameterRecord],
        fqns: list[str],
        returns: str,
        scope: NameScope,
    ) -> str:
        declaration = member.declaration
        shown = [
            joined(
                self._constants.modifier(parameter.modifier),
                self._view.types.display(fqn, scope),
                parameter.name,
                f"= {self._constants.default(member, parameter, fqn)}" if parameter.default else "",
            )
            for parameter, fqn in zip(parameters, fqns, strict=True)
        ]
        told = self._words(member) | self._made_readonly(member)
        words = [word for word in _SHOWN if word in told]
        type_text = (
            self._view.types.display(returns, scope) if declaration.kind is not Kind.CONVERSION else ""
        )
        return joined(
            *self._hidden_words(words), type_text, self._named(declaration, shown, returns, scope),
            self._braces(declaration), self._constants.of(member),
            self._view.constraints((member.file, member.at), declaration).shown(_clauses(declaration)),
        )  # fmt: skip

    def _hidden_words(self, words: list[str]) -> list[str]:
        """Return the modifiers to show for a member; the implicit ones of interface members are omitted."""
        if self._view.whole.entry.kind is Kind.INTERFACE:
            return [word for word in words if word == "const"]
        return ["const"] if "const" in words else words

    def _told(
        self, declaration: Declaration, parameters: list[ParameterRecord], fqns: list[str], scope: NameScope
    ) -> list[str]:
        """Parameters as messages have them."""
        shown = [
            joined(
                " ".join(each for each in parameter.modifier.split() if each not in ("scoped", "this")),
                self._view.types.display(fqn, scope, TOLD),
            )
            for parameter, fqn in zip(parameters, fqns, strict=True)
        ]
        return _with_this(declaration, shown)

    def _plain(self, declaration: Declaration, fqns: list[str], scope: NameScope) -> list[str]:
        """Parameters as symbols are found again by."""
        shown = [self._view.types.display(fqn, scope, FOUND) for fqn in fqns]
        return _with_this(declaration, shown)

    def _constraints_of(self, member: Placed) -> tuple[Constraint, ...]:
        declaration = member.declaration
        return self._view.constraints((member.file, member.at), declaration).of(_clauses(declaration))

    def _named(
        self,
        declaration: Declaration,
        shown: list[str],
        returns: str,
        scope: NameScope,
        *,
        told: bool = False,
    ) -> str:
        kind = declaration.kind
        owner = self._view.told if told else self._view.shown
        if kind is Kind.INDEXER:
            return f"{owner}.this[{', '.join(shown)}]"
        if kind in _PREFIX:
            return f"{owner}.{declaration.name}"
        own = declaration.own_parameters
        name = declaration.name
        if kind is Kind.CONVERSION:
            name = f"{name} {self._view.types.display(returns, scope)}"
        generic = f"<{', '.join(own)}>" if own else ""
        return f"{owner}.{name}{generic}({', '.join(shown)})"

    def _words(self, member: Placed) -> frozenset[str]:
        declaration = member.declaration
        words = set(declaration.modifiers)
        if self._view.whole.entry.kind is Kind.INTERFACE and words.isdisjoint({"static", "private"}):
            text = self._view.text(member)
            words.add("virtual" if declaration.has_code(text) else "abstract")
        if declaration.kind is Kind.CONSTANT:
            words.add("static")
        return frozenset(words)

    def _made_readonly(self, member: Placed) -> frozenset[str]:
        """The word that a getter without code has of itself in a struct, from C# 8 on."""
        declaration = member.declaration
        alone = declaration.kind is Kind.PROPERTY and [name for name, _ in declaration.accessors] == ["get"]
        if (
            not alone
            or self._view.whole.entry.kind not in (Kind.STRUCT, Kind.RECORD_STRUCT, Kind.UNION)
            or "readonly" in self._view.words
            or not self._knows_readonly
        ):
            return frozenset()
        text = self._view.text(member)
        return frozenset({"readonly"} if _AUTOMATIC.search(text, declaration.start, declaration.end) else ())

    @cached_property
    def _knows_readonly(self) -> bool:
        info = self._view.index.info(self._view.project)
        return info is not None and knows_readonly_members(info.lang_version, info.target_framework or "")

    def _accessors(self, declaration: Declaration) -> tuple[tuple[str, str], ...]:
        return tuple(
            (name, access or declaration.access)
            for name, access in declaration.accessors
            if (access or "public") in self._view.seen
        )

    def _braces(self, declaration: Declaration) -> str:
        if declaration.kind not in (Kind.PROPERTY, Kind.INDEXER):
            return ""
        shown = [
            joined(access if access != declaration.access else "", f"{name};")
            for name, access in sorted(declaration.accessors, key=lambda each: each[0] != "get")
            if (access or "public") in VISIBLE
        ]
        return f"{{ {' '.join(shown)} }}"

    @cached_property
    def _constants(self) -> Constants:
        return Constants(self._view)

    def _delegate(self) -> Iterator[ApiSymbol]:
        """Yield the members of a delegate except `Invoke`, which the compiler generates."""
        invoke = next((m for m in self._view.whole.members if m.declaration.name == "Invoke"), None)
        if invoke is None:
            return
        declaration = invoke.declaration
        scope = self._view.scope(declaration)
        parameters = list(declaration.parameters or ())
        fqns = [self._text(invoke, each.type) for each in parameters]
        types = [
            self._view.types.doc_id(fqn, scope) + ("@" if _is_by_reference(each) else "")
            for each, fqn in zip(parameters, fqns, strict=True)
        ]
        told, plain = self._told(declaration, parameters, fqns, scope), self._plain(declaration, fqns, scope)
        given = [at for at, text in enumerate(types) if text.endswith("@")]
        called, begun = self._member(invoke), "System.IAsyncResult"
        yield self._made("#ctor", ["System.Object", "System.IntPtr"])
        for name, kept, more, result, returns in (
            ("BeginInvoke", range(len(types)), ["System.AsyncCallback", "System.Object"], begun, begun),
            ("EndInvoke", given, [begun], called.result, called.returns),
        ):
            shown = ["object" if each == "System.Object" else each for each in more]
            yield msgspec.structs.replace(
                self._made(name, [*(types[at] for at in kept), *more]),
                named=f"{self._view.told}.{name}({', '.join([*(told[at] for at in kept), *shown])})",
                plain=f"{self._view.told}.{name}({', '.join([*(plain[at] for at in kept), *shown])})",
                result=result,
                returns=returns,
            )

    def _made(self, name: str, types: Sequence[str]) -> ApiSymbol:
        """A method that the compiler makes and no index has."""
        text = f"{self._view.id}.{name}({','.join(types)})"
        place = self._view.whole.primary
        return ApiSymbol(
            id=f"M:{text.removesuffix('()')}",
            kind=Kind.METHOD,
            signature=text,
            named=text,
            plain=text,
            owner=f"T:{self._view.id}",
            implicit=True,
            derivable=False,
            symbol=self._view.whole.id,
            file=self._view.file(place),
            line=place.declaration.start_line,
        )


def knows_readonly_members(language: str | None, framework: str) -> bool:
    """Whether the language version is C# 8 or later, as set by the project or implied by its framework."""
    if language:
        number = re.match(r"\d+", language)
        return number is None or int(number[0]) >= 8
    return re.match(r"net(?:\d{2,}\.|[5-9]\.|coreapp3|standard2\.1)", framework) is not None


def _is_extension_property(declaration: Declaration) -> bool:
    return declaration.kind is Kind.EXTENSION_MEMBER and bool(declaration.accessors)


def _returns(declaration: Declaration) -> bool:
    return bool(declaration.returns) and declaration.kind is not Kind.CONVERSION


def _with_this(declaration: Declaration, shown: list[str]) -> list[str]:
    """The parameters of an extension method of either sort with the word before the first; of others as they are."""
    extends = declaration.receiver is not None and "static" not in declaration.modifiers
    if declaration.parameters and "this" in declaration.parameters[0].modifier.split():
        extends = True
    return [f"this {shown[0]}", *shown[1:]] if extends and shown else shown


def _clauses(declaration: Declaration) -> str:
    """The clauses on type parameters; an override has those of what it overrides."""
    text = f"{declaration.block_constraints} {declaration.constraints}".strip()
    return "" if "override" in declaration.modifiers or declaration.explicit else text


def _is_by_reference(parameter: ParameterRecord) -> bool:
    return any(word in _BY_REFERENCE for word in parameter.modifier.split())

"""Changed parameter lists: parameters added, removed and put in another order, with every call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from services.edits.declared import Declared
from services.edits.places import Place, Plan, Problem, Replacement
from services.edits.rename.locate import Locator
from services.edits.rename.targets import MemberTarget
from services.errors import UsageError
from services.index.binding.code.functions import parameters_of
from services.index.binding.session import simple
from services.index.binding.types.symbol import Symbol
from services.index.symbols.placed import FoundSymbol
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.index.usages.overlay import OverlayText
from services.model import TYPE_KINDS, Kind
from services.syntax.bodies.node import Node

if TYPE_CHECKING:
    from services.edits.rename.planner import Rebuilt

_ADDED = re.compile(r"(?P<head>.+?\s@?[^\W\d]\w*)\s*(?P<sign>:=|=)\s*(?P<value>.+)\Z", re.DOTALL)
_NAME = re.compile(r"@?([^\W\d]\w*)\Z")
_EFFECTS = frozenset(
    {
        "invocation_expression",
        "assignment_expression",
        "await_expression",
        "object_creation_expression",
        "implicit_object_creation_expression",
        "postfix_unary_expression",
    }
)


class Wanted(msgspec.Struct, frozen=True):
    """A parameter of the new list. `old`: its place in the old one, None for an added one, which is declared as `head`;
    `given`: what calls pass for it, empty where its default (`default`) is enough."""

    name: str
    old: int | None = None
    head: str = ""
    given: str = ""
    default: str = ""


def wanted(text: str, old: Sequence[str]) -> list[Wanted]:
    """The new list as it is written: names of parameters that stay, `TYPE NAME := VALUE` for one that calls pass VALUE
    for, `TYPE NAME = VALUE` for an optional one. Raises UsageError."""
    found: list[Wanted] = []
    for each in _split(text):
        added = _ADDED.match(each)
        if added is not None:
            name = _NAME.search(added["head"])
            assert name is not None
            is_default = added["sign"] == "="
            values = ("", added["value"]) if is_default else (added["value"], "")
            found.append(Wanted(name[1], None, added["head"].strip(), *values))
        elif each.lstrip("@") in old:
            found.append(Wanted(each.lstrip("@"), old.index(each.lstrip("@"))))
        else:
            raise UsageError(
                f"{each} is no parameter. Added ones are written TYPE NAME := VALUE or TYPE NAME = DEFAULT."
            )
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"The parameter {name} is there twice.")
    return found


def _split(text: str) -> Iterator[str]:
    """The items of a list, by commas outside of brackets."""
    depth, start = 0, 0
    for at, letter in enumerate(text + ","):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth <= 0:
            item = text[start:at].strip()
            if item:
                yield item
            start = at + 1


class SignaturePlanner:
    """Plans changes of parameter lists in one version of the catalogue."""

    def __init__(self, texts: BoundTexts, rebuilt: Rebuilt) -> None:
        self._texts = texts
        self._rebuilt = rebuilt
        self._declared = Declared(texts)
        self._locator = Locator(texts, self._declared)

    def plan(self, found: FoundSymbol, parameters: str) -> Plan:
        """The plan for a method and all that override or implement it. Raises UsageError."""
        if found.member is None or found.declaration.kind is not Kind.METHOD:
            raise UsageError("The parameters of a method can be changed: name one.")
        located = self._locator.of(found)
        target = located.targets[0]
        assert isinstance(target, MemberTarget)
        old = [each.name.lstrip("@") for each in found.declaration.parameters or ()]
        new = wanted(parameters, old)
        if [each.old for each in new] == list(range(len(old))):
            raise UsageError("These are its parameters already.")
        self._require_order(target.family[0], new)
        plan = Plan(f"Change the parameters of {target.name}")
        plan.problems += located.problems
        for text in self._texts.holding([target.name]):
            plan.texts[text.path] = text.text
            self._declarations(plan, text, target, new)
            self._calls(plan, text, target, new)
        plan.problems += self._overloads(target, new)
        if not plan.problems:
            plan.problems += self._checked(plan, target.name)
        return plan

    def _overloads(self, target: MemberTarget, new: Sequence[Wanted]) -> Iterator[Problem]:
        """Overloads that have the new types of parameters already."""
        for symbol in target.family:
            member = symbol.member
            if member is None:
                continue
            own = member.declaration.parameters or ()
            types = [own[w.old].type if w.old is not None else w.head.rpartition(" ")[0] for w in new]
            world = self._texts.world_of(self._texts.catalogue.type(member.index).project)
            for other in world.workspace.symbols(member.index).get(target.name, ()):
                listed = other.member.declaration.parameters if other.member is not None else None
                if not target.has(other) and listed is not None and [p.type for p in listed] == types:
                    path = self._texts.catalogue.file(member.file).path
                    message = f"There is an overload with these parameters already: {target.name}."
                    yield Problem(path, member.declaration.start, message)

    def _require_order(self, symbol: Symbol, new: Sequence[Wanted]) -> None:
        spread = next((at for at, each in enumerate(symbol.parameters) if each.spread), None)
        if spread is not None and spread in [each.old for each in new] and new[-1].old != spread:
            raise UsageError("A params parameter stands last.")
        if symbol.is_extension and (not new or new[0].old != 0):
            raise UsageError("The first parameter of an extension method stays the first.")
        optional = False
        for each in new:
            has_default = bool(each.default) or (
                each.old is not None and symbol.parameters[each.old].optional
            )
            if optional and not has_default and each.old != spread:
                raise UsageError(f"{each.name} has no default and would stand behind one that has.")
            optional = optional or has_default

    # Declarations

    def _declarations(
        self, plan: Plan, text: CompiledText, target: MemberTarget, new: Sequence[Wanted]
    ) -> None:
        for at, each in enumerate(text.record.declarations):
            name = self._declared.name(text, at) if each.name.lstrip("@") == target.name else None
            if each.kind in TYPE_KINDS or name is None or name not in set(target.declared(text)):
                continue
            node = self._declared.node(text, at)
            listed = node.get("parameters") or node.child("parameter_list") if node is not None else None
            if node is None or listed is None:
                continue
            sources = [text.word(part.start, part.end) for part in _parameters(node, listed)]
            shown = [
                sources[w.old] if w.old is not None else w.head + (f" = {w.default}" if w.default else "")
                for w in new
            ]
            plan.replacements.append(
                Replacement(text.path, listed.start, listed.end, f"({', '.join(shown)})")
            )
            self._removed(plan, text, (at, node), new)

    def _removed(
        self, plan: Plan, text: CompiledText, place: tuple[int, Node], new: Sequence[Wanted]
    ) -> None:
        """Parameters that go must not be named any more."""
        at, _ = place
        kept = {each.old for each in new}
        names = self._declared.parameters(text, at)
        for number, (name, span) in enumerate(names.items()):
            if number in kept:
                continue
            for use in self._texts.facts_of(text, at).locals:
                if use.at == span[0] and use.start != use.at:
                    plan.problems.append(Problem(text.path, use.start, f"{name} is used there."))

    # Calls

    def _calls(self, plan: Plan, text: CompiledText, target: MemberTarget, new: Sequence[Wanted]) -> None:
        offsets = self._texts.occurrences(text, [target.name])
        for at, facts in self._texts.facts(text, offsets).items():
            hits = list(target.used(text, at, facts))
            if not hits:
                continue
            symbols = {
                f.start: f.target
                for f in facts.facts
                if isinstance(f.target, Symbol) and target.has(f.target)
            }
            node = self._declared.node(text, at) if at >= 0 else None
            places = (
                {each.start: each for each in node.walk() if each.type == "identifier"}
                if node is not None
                else {}
            )
            kinds = {f.start: f.kind for f in facts.facts}
            for hit in sorted(hits, key=lambda each: -each.start):  # calls inside of others first
                name = places.get(hit.start) or places.get(hit.start - 1)
                if hit.reason:
                    plan.doubtful.append(Place(text.path, hit.start, hit.end, hit.reason))
                elif kinds.get(hit.start) in ("cref", "nameof"):
                    continue
                elif name is None or (call := _call(name)) is None:
                    message = "It is used there without being called: what it is given to has its parameters."
                    plan.problems.append(Problem(text.path, hit.start, message))
                else:
                    self._call(plan, text, (call, symbols[hit.start], name), new)

    def _call(
        self, plan: Plan, text: CompiledText, call: tuple[Node, Symbol, Node], new: Sequence[Wanted]
    ) -> None:
        node, symbol, name = call
        listed = node.get("arguments")
        if listed is None:
            return
        skipped = int(symbol.is_extension and not self._is_static_call(text, name, symbol))
        given = _given(listed, symbol, skipped)
        if given is None:
            plan.problems.append(Problem(text.path, node.start, "Its arguments cannot be told apart."))
            return
        lost = [a for number, a in given.items() if number not in {w.old for w in new}]
        if any(part.type in _EFFECTS for arguments in lost for a in arguments for part in a.walk()):
            plan.problems.append(Problem(text.path, node.start, "An argument that goes does something."))
            return
        shown = _Arguments(text, plan).listed(
            given, symbol, [w for w in new if w.old is None or w.old >= skipped]
        )
        plan.replacements.append(Replacement(text.path, listed.start, listed.end, f"({', '.join(shown)})"))

    def _is_static_call(self, text: CompiledText, name: Node, symbol: Symbol) -> bool:
        """Whether an extension method is called as a static one: on its type, or by its name alone."""
        around = name.parent
        if around is None or around.type != "member_access_expression":
            return around is None or around.type != "member_binding_expression"
        receiver = around.get("expression") or around.named[0]
        word = text.word(receiver.start, receiver.end).rpartition(".")[2]
        owner = self._texts.catalogue.type(symbol.owner.index).name if symbol.owner.index is not None else ""
        return word == owner

    def _checked(self, plan: Plan, name: str) -> Iterator[Problem]:
        """Whether each file parses as well as before, and each call still means the method."""
        overlay = self._rebuilt(
            {path: OverlayText(text, path) for path, text in plan.changed_texts().items()}
        )
        for before, new in (overlay.files if overlay is not None else {}).items():
            assert overlay is not None
            old, text = self._texts.text(before), overlay.texts.text(new)
            if old is None or text is None or old.record.quality != text.record.quality:
                path = self._texts.catalogue.file(before).path
                yield Problem(path, 0, "After the edit the file could not be parsed as well as it is now.")
                continue
            counts = (_bound(self._texts, old, name), _bound(overlay.texts, text, name))
            for had, has in zip(*counts, strict=False):
                if had[1] != has[1]:
                    yield Problem(old.path, had[0], f"{name} would mean something else there.")
                    break


def _bound(texts: BoundTexts, text: CompiledText, name: str) -> list[tuple[int, str]]:
    """Return the meaning of each place of a name, in order, as its declaring type and certainty."""
    found: dict[int, str] = {}
    for facts in texts.facts(text, texts.occurrences(text, [name])).values():
        for fact in facts.facts:
            if (
                isinstance(fact.target, Symbol)
                and not fact.silent
                and text.word(fact.start, fact.end) == name
            ):
                found[fact.start] = f"{fact.target.owner.fqn} {fact.sure}"
        for loose in facts.loose:
            if loose.name == name:
                found.setdefault(loose.start, "")
    return sorted(found.items())


def _parameters(node: Node, listed: Node) -> list[Node]:
    """The parameters as they are written; one that is `params` has no node of its own."""
    found = parameters_of(node)
    if not found or found[-1] is not listed:
        return found
    inside = [each for each in listed.children if each.type not in ("(", ")", ",", "parameter")]
    last = Node("parameter", inside[0].start, inside[-1].end, is_named=True, parent=listed)
    return [*found[:-1], last]


def _call(name: Node) -> Node | None:
    """The call that a name is that of."""
    node, around = name, name.parent
    while around is not None and around.type in (
        "generic_name",
        "member_access_expression",
        "member_binding_expression",
        "conditional_access_expression",
    ):
        if around.named and around.named[-1].end != node.end and around.type != "generic_name":
            return None
        node, around = around, around.parent
    is_call = around is not None and around.type == "invocation_expression" and around.get("function") is node
    return around if is_call else None


def _given(listed: Node, symbol: Symbol, skipped: int) -> dict[int, list[Node]] | None:
    """The arguments by the number of their parameter."""
    names = [each.name for each in symbol.parameters]
    found: dict[int, list[Node]] = {}
    at = skipped
    for argument in [each for each in listed.named if each.type == "argument"]:
        label = argument.get("name")
        if label is not None:
            if simple(label) not in names:
                return None
            found[names.index(simple(label))] = [argument]
            at = names.index(simple(label)) + 1
            continue
        if at >= len(names):
            if not names or not symbol.parameters[-1].spread:
                return None
            found.setdefault(len(names) - 1, []).append(argument)
            continue
        found.setdefault(at, []).append(argument)
        at += not symbol.parameters[at].spread
    return found


class _Arguments:
    """Arguments of a call as they will be written. `plan`: has the calls inside of them."""

    def __init__(self, text: CompiledText, plan: Plan) -> None:
        self._text = text
        self._plan = plan

    def listed(self, given: dict[int, list[Node]], symbol: Symbol, new: Sequence[Wanted]) -> list[str]:
        """In the new order, by name behind one that is left out."""
        shown: list[str] = []
        by_name = False
        effects = sum(1 for each in given.values() for a in each if any(p.type in _EFFECTS for p in a.walk()))
        order = [each.old for each in new if each.old is not None and each.old in given]
        if effects > 1 and order != sorted(order, key=lambda number: given[number][0].start):
            return self._in_their_order(given, symbol, new)
        for each in new:
            if each.old is None:
                by_name = by_name or not each.given
                if each.given:
                    shown.append(f"{each.name}: {each.given}" if by_name else each.given)
            elif each.old not in given:
                by_name = by_name or not symbol.parameters[each.old].spread
            else:
                parts = [self._value(argument) for argument in given[each.old]]
                name = symbol.parameters[each.old].name
                shown += [f"{name}: {parts[0]}"] if by_name and len(parts) == 1 else parts
        return shown

    def _in_their_order(
        self, given: dict[int, list[Node]], symbol: Symbol, new: Sequence[Wanted]
    ) -> list[str]:
        """Return the arguments by name, in their current order of evaluation."""
        kept = [each.old for each in new if each.old is not None and each.old in given]
        kept.sort(key=lambda number: given[number][0].start)
        shown = [f"{symbol.parameters[number].name}: {self._value(given[number][0])}" for number in kept]
        return shown + [f"{each.name}: {each.given}" for each in new if each.old is None and each.given]

    def _value(self, argument: Node) -> str:
        """An argument without its name, with what the plan changes inside, which is taken out of the plan."""
        label = argument.get("name")
        start = argument.start
        if label is not None:
            start = next(each for each in argument.children if each.type == ":").end
        path, end = self._text.path, argument.end
        inside = [r for r in self._plan.replacements if r.path == path and start <= r.start and r.end <= end]
        parts, at = list[str](), start
        for each in sorted(inside):
            parts += [self._text.word(at, each.start), each.text]
            at = each.end
            self._plan.replacements.remove(each)
        return "".join([*parts, self._text.word(at, end)]).strip()

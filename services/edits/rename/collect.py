"""Places of a rename: what is replaced in every file, and what a person has to decide on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from services.edits.declared import Declared, Span
from services.edits.places import Place, Plan, Replacement
from services.edits.rename.locate import Located
from services.edits.rename.namespaces import NamespaceTarget
from services.edits.rename.targets import (
    DYNAMIC,
    UNSURE,
    Hit,
    MemberTarget,
    ParameterTarget,
    Target,
    TypeTarget,
)
from services.index.binding.types.symbol import MemberKey
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.syntax.bodies.node import Node
from services.syntax.records.words import written

_MOST_LISTED = 500
_NAME = re.compile(rb"[\w\x80-\xff]+\s*")
_NEW = re.compile(rb"\bnew\s*\Z")
# What a parenthesis is called on: no word after which an expression begins.
_CALLED = re.compile(
    rb"(?<![\w\x80-\xff])(?!(?:return|await|in|is|case|when|and|or|not|yield|throw|select|by|on|equals|where|else)\s*\Z)"
    rb"[\w\x80-\xff]+\s*\Z|(?<!=)>\s*\Z"
)
_NEAR = 4_000
_IN_ATTRIBUTE = re.compile(rb"\bname\s*=\s*[\"']\Z")
"""Before the name of a parameter in a documentation comment, which is written as it is."""
_INACTIVE = "It stands in a branch of #if that is not compiled."
_TEXT = "It stands in a string or a comment."


class Collector:
    """Collects the places of one rename in one version of the catalogue."""

    def __init__(self, texts: BoundTexts, declared: Declared, located: Located, new: str) -> None:
        self._texts = texts
        self._declared = declared
        self._located = located
        self._new = new

    def plan(self) -> Plan:
        """Every place of every file."""
        plan = Plan(f"Rename {self._located.name} to {self._new}")
        sure: set[tuple[str, int]] = set()
        doubtful: dict[tuple[str, int], Place] = {}
        listed: dict[tuple[str, int], Place] = {}
        scope = self._located.scope
        for text in self._texts.holding(self._located.words, within=scope):
            plan.texts[text.path] = text.text
            for target, hit in self._hits(text):
                if hit.reason:
                    made = self._replacement(text, target, hit)
                    decided = hit.reason != DYNAMIC
                    place = Place(text.path, made.start, hit.end, hit.reason, decided, made.text)
                    doubtful.setdefault((text.path, hit.start), place)
                elif (text.path, hit.start) not in sure:
                    sure.add((text.path, hit.start))
                    plan.replacements.append(self._replacement(text, target, hit))
            for place in (*self._in_text(text), *self._in_attributes(text)):
                listed.setdefault((text.path, place.start), place)
        unsure = {key: each for key, each in doubtful.items() if key not in sure}
        plan.doubtful = [*unsure.values()]
        plan.doubtful += [each for key, each in listed.items() if key not in sure and key not in unsure]
        plan.problems += self._located.problems
        if self._is_known_elsewhere:
            plan.renamed = self._located.name, self._new
        return plan

    def _hits(self, text: CompiledText) -> Iterator[tuple[Target, Hit]]:
        offsets = [
            each
            for each in self._texts.occurrences(text, self._located.words)
            if any(target.may_be_at(text, each) for target in self._located.targets)
        ]
        known = self._known(text)
        if known is not None:
            for target in self._located.targets:
                yield from ((target, Hit(*span)) for span in target.declared(text))
            yield from known
            return
        settled = self._texts.settled(text)
        own: set[int] = set()
        for target in self._located.targets:
            declared = [*target.declared(text)]
            yield from ((target, Hit(*span)) for span in declared)
            if isinstance(target, MemberTarget):
                own.update(start for start, _ in declared)
                yield from ((target, Hit(*span)) for span in _settled(target, text, offsets, settled))
        unknown = [each for each in offsets if each not in settled and each not in own]
        for at, facts in self._texts.facts(text, unknown).items():
            for target in self._located.targets:
                yield from ((target, hit) for hit in target.used(text, at, facts))

    def _known(self, text: CompiledText) -> list[tuple[Target, Hit]] | None:
        """Return the places of a type's name in a file from stored facts; None where the file must be bound."""
        found: list[tuple[Target, Hit]] = []
        for target in self._located.targets:
            named = self._texts.naming(text, target.index) if isinstance(target, TypeTarget) else None
            if named is None:
                return None
            found += [(target, Hit(each.start, each.end, "" if each.sure else UNSURE)) for each in named]
        return [(target, hit) for target, hit in found if text.word(hit.start, hit.end) in target.words]

    def _in_attributes(self, text: CompiledText) -> Iterator[Place]:
        """Strings around a parameter that hold its name alone, as attributes name it: `[NotNullIfNotNull("text")]`."""
        for target in self._located.targets:
            if not isinstance(target, ParameterTarget):
                continue
            for at, declaration in enumerate(text.record.declarations):
                if declaration.parameters is None or not target.declares(text, at):
                    continue
                written_as = re.compile(rb"\"(" + re.escape(target.name.encode()) + rb")\"")
                for found in written_as.finditer(text.text, declaration.start, declaration.end):
                    if not text.lexed.clean[slice(*found.span(1))].strip():
                        yield Place(text.path, *found.span(1), _TEXT, code=False, text=self._new)

    def _replacement(self, text: CompiledText, target: Target, hit: Hit) -> Replacement:
        escaped = text.text.startswith(b"@", hit.start - 1)
        start = hit.start - escaped
        new = target.rewritten(text.word(hit.start, hit.end), self._new)
        is_attribute = _IN_ATTRIBUTE.search(text.text, max(0, start - 40), start) is not None
        return Replacement(text.path, start, hit.end, new if is_attribute else written(new))

    @property
    def _is_known_elsewhere(self) -> bool:
        """Whether strings, comments and other languages may name it: it counts beyond a member."""
        known = TypeTarget | MemberTarget | NamespaceTarget
        return any(isinstance(each, known) for each in self._located.targets)

    def _in_text(self, text: CompiledText) -> Iterator[Place]:
        """Whole words in strings, comments and branches that are not compiled, of names that count beyond a member."""
        if not self._is_known_elsewhere:
            return
        word = re.compile(
            rb"(?<![\w\x80-\xff])" + re.escape(self._located.name.encode()) + rb"(?![\w\x80-\xff])"
        )
        for count, found in enumerate(word.finditer(text.text)):
            if count > _MOST_LISTED:
                return
            if text.lexed.clean[found.start() : found.end()].strip():
                continue
            reason = _TEXT if _is_text(text, found.start()) else _INACTIVE
            yield Place(text.path, *found.span(), reason, code=False, text=self._new)


def _settled(
    target: MemberTarget,
    text: CompiledText,
    offsets: Iterable[int],
    settled: Mapping[int, MemberKey | None],
) -> Iterator[Span]:
    """Yield the settled places that name a member."""
    for start in offsets:
        end = start + len(target.name.encode())
        if settled.get(start) in target.keys and text.word(start, end) == target.name:
            yield start, end


def _is_text(text: CompiledText, at: int) -> bool:
    """Whether an offset lies in a string or a comment of code that is compiled: its line is not wholly blank, or it
    begins as a comment does."""
    first = text.text.rfind(b"\n", 0, at) + 1
    last = text.text.find(b"\n", at)
    last = last if last >= 0 else len(text.text)
    shown = text.text[first:at].lstrip()
    return bool(text.lexed.clean[first:last].strip()) or shown.startswith((b"//", b"*", b"/*"))


def written_out(text: CompiledText, declared: Declared, at: int, starts: set[int]) -> Iterator[Replacement]:
    """The names to write out in declaration `at` of a file, where renamed names begin at `starts`: `new { total }` has
    a property `total`, `(total, 1)` an element. Written out, they go on to be read by the name that they have."""
    if at < 0 or not _may_be_written_out(text, at, starts):
        return
    node = declared.node(text, at)
    for each in node.walk() if node is not None else ():
        if each.type != "identifier" or each.start + each.text.startswith("@") not in starts:
            continue
        whole = _expression(each)
        around = whole.parent
        if around is None:
            continue
        name = written(each.text.lstrip("@"))
        if around.type == "anonymous_object_creation_expression" and _stands_alone(around, whole):
            yield Replacement(text.path, whole.start, whole.start, f"{name} = ", named=False)
        elif around.type == "argument" and len(around.named) == 1 and _is_read(text, around, each, starts):
            yield Replacement(text.path, whole.start, whole.start, f"{name}: ", named=False)


def _may_be_written_out(text: CompiledText, at: int, starts: set[int]) -> bool:
    """Whether a renamed name in declaration `at` ends an element of `new { … }` or of a tuple, by what stands around
    it: to parse the declaration takes as long as to bind half of it."""
    declaration = text.record.declarations[at]
    return any(
        declaration.start <= start < declaration.end and _may_be_element(text.lexed.clean, start)
        for start in starts
    )


def _may_be_element(clean: bytes, start: int) -> bool:
    name = _NAME.match(clean, start)
    if name is None:  # in a string
        return True
    if clean[name.end() : name.end() + 1] not in (b",", b"}", b")"):
        return False
    depth = 0
    for place in range(start - 1, max(-1, start - _NEAR), -1):
        depth += (clean[place] in b")]}") - (clean[place] in b"([{")
        if depth < 0 or (not depth and clean[place] in b";"):
            before = clean[max(0, place - 100) : place]
            return clean[place] not in b"[;" and (
                _NEW.search(before) is not None
                if clean[place] == ord("{")
                else _CALLED.search(before) is None
            )
    return True


def _expression(name: Node) -> Node:
    """The expression that ends with a name: `a.b` of `b`."""
    around = name.parent
    if around is not None and around.type == "member_access_expression" and around.named[-1] is name:
        return around
    return name


def _stands_alone(around: Node, whole: Node) -> bool:
    """Whether an expression is an element of `new { … }` without a name of its own."""
    at = next(i for i, each in enumerate(around.children) if each is whole)
    before = around.children[at - 1].type if at else ""
    return before in ("{", ",")


def _is_read(text: CompiledText, argument: Node, name: Node, starts: set[int]) -> bool:
    """Whether an element of a tuple may be read by its name in the file: a member access of that name that does not
    mean the symbol, whose places begin at `starts`."""
    around = argument.parent
    if around is None or around.type != "tuple_expression":
        return False
    word = re.escape(name.text.lstrip("@").encode())
    read = re.compile(rb"\.\s*@?(" + word + rb")(?![\w\x80-\xff])")
    return any(found.start(1) not in starts for found in read.finditer(text.lexed.clean))

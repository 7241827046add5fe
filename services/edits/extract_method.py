"""Method that statements become: its signature, its text, and the call that takes their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from services.edits.extract_flow import FUNCTIONS, FlowBuilder
from services.edits.extract_region import (
    Region,
    Variable,
    around,
    captured,
    refusal,
    returned,
    text_of,
    variables_of,
)
from services.edits.places import Replacement
from services.errors import EditConflict
from services.index.binding.types.types import Type
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.syntax.bodies.node import Node
from services.syntax.records.words import KEYWORDS

_TASK = re.compile(r"(?:[\w.]+\.)?(?:Value)?Task<(.*)>\Z", re.DOTALL)
_STRINGS = re.compile(rb'@\$?"|\$@"|"""')
_TYPED = ("parameter", "variable_declaration", "declaration_expression", "declaration_pattern", "foreach_statement",
          "catch_declaration", "recursive_pattern")  # fmt: skip


class Extracted(msgspec.Struct):
    """The signature of a method. `parameters`: (modifier, type, name)."""

    name: str
    modifiers: str
    returns: str
    type_parameters: list[str]
    parameters: list[tuple[str, str, str]]
    constraints: str
    call: str

    @property
    def declared(self) -> str:
        """Its head as it is written."""
        generic = f"<{', '.join(self.type_parameters)}>" if self.type_parameters else ""
        listed = ", ".join(" ".join(filter(None, each)) for each in self.parameters)
        return f"{self.modifiers} {self.returns} {self.name}{generic}({listed}){self.constraints}"


class Extraction:
    """Statements of one member that become a method."""

    def __init__(
        self, texts: BoundTexts, text: CompiledText, member: tuple[int, Node], region: Region
    ) -> None:
        self._texts = texts
        self._text = text
        self._at, self._node = member
        self._region = region
        self._declaration = text.record.declarations[self._at]
        self._facts = texts.facts_of(text, self._at)
        self._uses: dict[int, int] = {}
        self._through_header = False
        for use in self._facts.locals:
            own = use.at >= 0 and text.text.startswith(text.text[use.start : use.end], use.at)
            if own and self._declaration.start <= use.at < self._declaration.end:
                self._uses[use.start] = use.at
            elif region.holds(use.start):
                self._through_header = True
        self._names = {at: text.word(start, self._end(start)) for start, at in self._uses.items()}
        self._is_async = any(_awaits(each) for each in region.own())
        self._around = self._function()

    def _end(self, start: int) -> int:
        found = re.compile(rb"[\w\x80-\xff]+").match(self._text.text, start)
        return found.end() if found is not None else start

    def _function(self) -> Node:
        """The innermost function around the statements, else the member."""
        around = self._region.statements[0].parent
        while around is not None and around.type not in FUNCTIONS:
            around = around.parent
        return around or self._node

    def extracted(self, name: str) -> Extracted:
        """The method that the statements become."""
        region = self._region
        why = refusal(region) or self._unsafe_words()
        if why:
            raise self._refused(why)
        variables = self._variables()
        has_end = self._graph.find("exit") is not None
        returns = [each for each in region.own() if each.type == "return_statement"]
        if returns and has_end:
            raise self._refused("Some ways through it end with a return, and some go on behind it.")
        if not returns and not has_end:
            raise self._refused("Nothing after it can be reached, and it returns nothing.")
        results = [] if returns else returned(variables, is_async=self._is_async)
        why = captured(self._node, region, variables, self._uses, results) or self._disposed()
        if not why and results and any(each.type.endswith("stackalloc_expression") for each in region.own()):
            why = "It holds a stackalloc, which a method cannot give back."
        if why:
            raise self._refused(why)
        parameters = self._parameters(variables, results)
        result = self._returned_type(returns) if returns else self._result(results)
        self._variables_, self._results, self._returns = variables, results, bool(returns)
        generic = self._type_parameters([result, *(each[1] for each in parameters)])
        task = "Task" if result == "void" else f"Task<{result}>"
        made = Extracted(
            name,
            self._modifiers(),
            task if self._is_async else result,
            generic,
            parameters,
            self._constraints(generic),
            "",
        )
        made.call = self._call(made, result)
        return made

    def _refused(self, why: str) -> EditConflict:
        place = self._text.text.count(b"\n", 0, self._region.start) + 1
        diagnostics = [
            {"file": self._text.path, "line": place, "column": 1, "message": why, "severity": "error"}
        ]
        return EditConflict(f"Nothing was written. {why}", diagnostics=diagnostics)

    def _unsafe_words(self) -> str:
        for start, at in self._uses.items():
            if not self._region.holds(start) or at in self._facts.variables:
                continue
            if not self._region.holds(at) and self._is_function(at):
                return f"It calls the local function {self._names[at]}."
        for at, name in self._names.items():
            if self._region.holds(at) and self._is_function(at):
                later = any(
                    each == at and not self._region.holds(start) for start, each in self._uses.items()
                )
                if later:
                    return f"The local function {name} is called outside of it."
        return ""

    def _is_function(self, at: int) -> bool:
        return any(
            each.type == "local_function_statement" and (each.get("name") or each).start == at
            for each in self._node.walk()
        )

    def _variables(self) -> list[Variable]:
        leaving = [
            at
            for at in self._facts.variables
            if (parameter := self._parameter_at(at)) is not None
            and (parameter.has("ref") or parameter.has("out"))
        ]
        self._graph = FlowBuilder(self._uses, self._region.statements, leaving).build(self._node)
        names = {at: name for at, name in self._names.items() if not self._is_function(at)}
        parameters = {at for at in names if not self._region.holds(at) and self._parameter_at(at) is not None}
        return variables_of(self._graph, self._region, names, parameters)

    def _parameter_at(self, at: int) -> Node | None:
        for each in self._node.walk():
            name = each.get("name") if each.type == "parameter" else None
            if name is not None and name.start + name.text.startswith("@") == at:
                words = [c for c in each.children if c.type == "modifier"]
                made = Node("parameter", each.start, each.end, is_named=True, parent=None)
                made.children = [
                    *each.children,
                    *(inner for word in words for inner in word.children),
                    *words,
                ]
                made.children += [
                    Node(word.text, word.start, word.end, is_named=False, parent=None) for word in words
                ]
                return made
        return None

    def _disposed(self) -> str:
        """A `using` declaration that would be disposed of earlier than now."""
        block = self._region.statements[0].parent
        last = block.named[-1] if block is not None and block.named else None
        if last is None or last is self._region.statements[-1]:
            return ""
        for each in self._region.statements:
            if each.type == "local_declaration_statement" and each.has("using"):
                return "It holds a using declaration, which would be disposed of before the statements behind it."
        return ""

    # Signature

    def _modifiers(self) -> str:
        words = ["private"]
        is_static = "static" in self._declaration.modifiers or not self._uses_this()
        words += ["static"] if is_static else []
        words += ["readonly"] if "readonly" in self._declaration.modifiers and not is_static else []
        words += ["async"] if self._is_async else []
        is_unsafe = any(each.type == "unsafe_statement" for each in around(self._region))
        words += ["unsafe"] if is_unsafe or "unsafe" in self._declaration.modifiers else []
        return " ".join(words)

    def _uses_this(self) -> bool:
        region = self._region
        named = {each.start for each in self._facts.facts if each.kind == "nameof"}
        if self._through_header or any(region.holds(each) for each in self._facts.through_this - named):
            return True
        if any(each.type in ("this", "base", "this_expression", "base_expression") for each in region.walk()):
            return True
        clean = self._text.lexed.clean
        return any(
            region.holds(each.start) and not clean[: each.start].rstrip().endswith((b".", b"->"))
            for each in self._facts.loose
        )

    def _parameters(
        self, variables: Sequence[Variable], results: Sequence[Variable]
    ) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        for each in variables:
            way = each.way
            if each in results:
                several = len(results) > 1 and not each.inside and each.given
                way = "" if each.flows_in or way == "ref" or several else None
            if way is None or (each.inside and way == ""):
                continue
            if way and self._is_async:
                raise self._refused(f"{each.name} would be passed by reference to an async method.")
            found.append((way, self._type(each), self._spelled(each)))
        return found

    def _type(self, variable: Variable) -> str:
        """The type of a variable, as declared, else as it is inferred."""
        for node in self._node.walk():
            if node.type != "identifier" or node.start + node.text.startswith("@") != variable.at:
                continue
            around = node.parent
            while around is not None and around.type == "variable_declarator":
                around = around.parent
            declared = around.get("type") if around is not None and around.type in _TYPED else None
            if declared is not None and declared.type != "implicit_type" and self._source(declared) != "var":
                return re.sub(r"^(?:scoped|ref readonly|ref)\s+", "", self._source(declared))
        local = self._facts.variables.get(variable.at)
        text = text_of(local.type, self._shown) if local is not None else None
        if text is None:
            raise self._refused(f"The type of {variable.name} is not known.")
        return text

    def _source(self, node: Node) -> str:
        return self._text.word(node.start, node.end)

    def _shown(self, text: str, fqn: str) -> bool:
        world = self._texts.world_of(self._text.entry.project)
        context = world.workspace.names.context(self._text.file, self._at, self._declaration.own_parameters)
        read = world.reader.read(text, context)
        return isinstance(read, Type) and read.fqn == fqn

    def _spelled(self, variable: Variable) -> str:
        """The name of a variable as the source has it."""
        return f"@{variable.name}" if variable.name in KEYWORDS else variable.name

    def _result(self, results: Sequence[Variable]) -> str:
        if not results:
            return "void"
        if len(results) == 1:
            return self._type(results[0])
        return f"({', '.join(f'{self._type(each)} {self._spelled(each)}' for each in results)})"

    def _returned_type(self, returns: Sequence[Node]) -> str:
        if not any(each.named for each in returns):
            return "void"
        around = self._around
        if around.type in ("lambda_expression", "anonymous_method_expression"):
            raise self._refused("What the lambda around it returns is not written there.")
        declared = around.get("returns") or around.get("type")
        text = self._source(declared) if declared is not None else ""
        if not text:
            raise self._refused("What it returns is not written there.")
        if not _is_async(around):
            return text
        found = _TASK.match(text)
        return found[1] if found is not None else "void"

    def _type_parameters(self, written_types: Sequence[str]) -> list[str]:
        region, names = self._region, self._declaration.own_parameters
        inside = {
            self._text.word(start, self._end(start))
            for start, kind in self._facts.others.items()
            if kind == "parameter" and region.holds(start)
        }
        return [
            name
            for name in names
            if name in inside or any(re.search(rf"\b{re.escape(name)}\b", each) for each in written_types)
        ]

    def _constraints(self, generic: Sequence[str]) -> str:
        clauses = self._declaration.constraints.split("where ")[1:]
        return "".join(
            f" where {each.strip().rstrip(',')}"
            for each in clauses
            if each.partition(":")[0].strip() in generic
        )

    # Text

    def _call(self, made: Extracted, result: str) -> str:
        by_name = {self._spelled(each): each for each in self._variables_}
        arguments: list[str] = []
        for way, type_, name in made.parameters:
            is_new = way == "out" and by_name[name].inside
            arguments.append(f"out {type_} {name}" if is_new else f"{way} {name}".strip())
        generic = f"<{', '.join(made.type_parameters)}>" if made.type_parameters else ""
        call = f"{made.name}{generic}({', '.join(arguments)})"
        if self._is_async:
            call = f"await {call}{self._configured()}"
        if self._returns:
            return f"return {call};" if result != "void" else f"{call}; return;"
        return f"{self._given_to()}{call};"

    def _given_to(self) -> str:
        """Return the left side that the result of a call is assigned to."""
        results = self._results
        shown = [
            f"{self._type(each)} {self._spelled(each)}" if each.inside else self._spelled(each)
            for each in results
        ]
        if not shown:
            return ""
        return f"{shown[0]} = " if len(shown) == 1 else f"({', '.join(shown)}) = "

    def _configured(self) -> str:
        """`.ConfigureAwait(false)`, where each await of the statements has it."""
        awaits = [self._source(each) for each in self._region.own() if each.type == "await_expression"]
        configured = ".ConfigureAwait(false)"
        return configured if awaits and all(each.endswith(configured) for each in awaits) else ""

    def replacements(self, made: Extracted) -> Iterator[Replacement]:
        """The call in the place of the statements, and the method behind the member."""
        text, region = self._text, self._region
        newline = "\r\n" if b"\r\n" in text.text[:2_000] else "\n"
        before = [
            f"{self._type(each)} {self._spelled(each)};"
            for each in self._variables_
            if each.inside and each.outside and not each.flows_out
        ]
        indent = _indent(text.text, region.start)
        call = f"{newline}{indent}".join([*before, made.call])
        yield Replacement(text.path, region.start, region.end, call, named=False)
        yield Replacement(
            text.path, self._declaration.end, self._declaration.end, self._method(made, newline), named=False
        )

    def _method(self, made: Extracted, newline: str) -> str:
        text, region = self._text, self._region
        outer, inner = _indent(text.text, self._declaration.start), _indent(text.text, region.start)
        unit = "\t" if "\t" in inner else "    "
        source = text.text[region.start : region.end].decode("utf-8", "replace")
        if _STRINGS.search(text.text, region.start, region.end) is None:
            lines = source.split("\n")
            source = "\n".join(
                [
                    lines[0],
                    *(
                        outer + unit + each.removeprefix(inner) if each.strip() else each
                        for each in lines[1:]
                    ),
                ]
            )
        moved = [
            f"{outer}{unit}{self._type(each)} {self._spelled(each)};"
            for each in self._variables_
            if not each.inside and each.way is None and each.written
        ]
        last = [f"{outer}{unit}return {self._returned_value()};"] if self._results else []
        results = [
            f"{outer}{unit}{self._type(each)} {self._spelled(each)};"
            for each in self._results
            if not each.inside and each.way == "out" and not each.flows_in
        ]
        body = [*moved, *results, f"{outer}{unit}{source}", *last]
        return newline.join(["", "", f"{outer}{made.declared}", f"{outer}{{", *body, f"{outer}}}"])

    def _returned_value(self) -> str:
        names = [self._spelled(each) for each in self._results]
        return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _is_async(function: Node) -> bool:
    words = [child for child in function.children if child.type in ("modifier", "async")]
    return any(each.type == "async" or each.text == "async" or each.has("async") for each in words)


def _awaits(node: Node) -> bool:
    return node.type == "await_expression" or (
        node.type in ("foreach_statement", "using_statement", "local_declaration_statement")
        and node.has("await")
    )


def _indent(text: bytes, offset: int) -> str:
    first = text.rfind(b"\n", 0, offset) + 1
    line = text[first:offset].decode("utf-8", "replace").lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip())]

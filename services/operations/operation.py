"""Declaration of operations: a function with annotated parameters becomes a row of the table."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from services.errors import CodeCortexError, UsageError
from services.model import Progress, Resolved
from services.operations.needs import Need, Needs
from services.operations.synonyms import declared_names, synonyms_of
from services.source.write.refusal import NOTHING_WRITTEN

if TYPE_CHECKING:
    from services.bench import Bench


REQUIRED: Any = inspect.Parameter.empty


def always(_: Mapping[str, Any]) -> bool:
    """In every call."""
    return True


class Param(NamedTuple):
    """Annotation of a parameter, next to its type.

    `name`: on the wire, where it is not the function's in camelCase; `flag`, `short`: its option on the
    command line, an argument by position where there is none; two that share a flag are the two ends of
    one range (`--lines 10-20`); `least`, `most`: inclusive; `longest`: characters of a text; `words`: all that
    follow on the command line, joined by blanks; `piped`: `-` on the command line reads it from stdin; `awaited`: and
    so does a call that is given nothing; `is_text`: whether, in a call with these wire arguments, it is a
    text for people, for a file or to search for, which names no file and no symbol whatever it says; `missing`: the
    error of a call that leaves a required parameter out or empty, where it has a code of its own.
    """

    help: str
    name: str | None = None
    flag: str | None = None
    short: str | None = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    longest: int | None = None
    words: bool = False
    piped: bool = False
    awaited: bool = False
    is_text: Callable[[Mapping[str, Any]], bool] | None = None
    missing: type[CodeCortexError] | None = None


class OperationParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter as faces see it. `name`: the function's; `wire`: JSON's; `type`: not counting None."""

    name: str
    wire: str
    type: Any
    optional: bool
    default: Any
    param: Param

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED


class Work(NamedTuple):
    """Observer of a long call: `progress` is called now and then, on the working thread; setting `cancel` ends the
    call with Cancelled; `yield_slot` is entered while a person or the network is waited for, and yields whether
    that is allowed; `row` receives each result of an operation that streams. A function with such a parameter
    gets it in addition to its arguments."""

    progress: Callable[[Progress], None] | None = None
    cancel: threading.Event | None = None
    yield_slot: Callable[[], AbstractContextManager[bool]] = lambda: nullcontext(True)
    row: Callable[[Any], None] | None = None


class Faces(NamedTuple):
    """How an operation is called elsewhere: MCP tool, CLI command; None where it has no such face.

    Where operations share a command, the first is the one that runs. `rows`: the field of the result that
    `--jsonl` prints line by line.
    """

    tool: str | None
    command: str | None
    rows: str | None = None


class Right(StrEnum):
    """Right needed to call: what settings grant an agent, each right apart. `PERSON`: no agent at all."""

    READ = "read"
    PIN = "pin"
    LOCK = "lock"
    WRITE = "write"
    RUN = "run"
    PUBLISH = "publish"
    PERSON = "person"


class Effect(NamedTuple):
    """Effect of a call. `destructive`: puts something in the place of something else, or removes it, even where that
    can be undone; `idempotent`: twice is the same as once; `only_with`: the argument without which it only reads;
    `unless_with`: the argument with which it writes nothing yet, so that nobody is asked."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = True
    right: Right = Right.WRITE
    only_with: str = ""
    unless_with: str = ""

    def keeps(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call changes the state folder only: pins, packs, notes, locks."""
        return self.right in (Right.PIN, Right.LOCK) and (
            not self.only_with or bool(arguments.get(self.only_with))
        )


READS = Effect(read_only=True, right=Right.READ)
CHANGES = Effect(read_only=False, destructive=True)
CURATES = Effect(read_only=False, right=Right.PIN)
LOCKS = Effect(read_only=False, right=Right.LOCK)
GIVES_UP = Effect(read_only=False, right=Right.READ)
"""Takes back what is the caller's own: that stays possible when the right to have it is taken away."""
RUNS = Effect(read_only=False, destructive=True, idempotent=False, right=Right.RUN)
PUBLISHES = Effect(read_only=False, right=Right.PUBLISH)
"""Hands something on to others: asked for twice, it is there once."""
DECIDES = Effect(read_only=False, idempotent=False, right=Right.PERSON)


class Operation(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """Declared operation. `index`: the part of the index that it needs; `feature`: the setting that offers it to
    agents, empty where they always get it. Its annotations are read on first use: a command needs those of one
    operation among a hundred."""

    name: str
    faces: Faces
    effect: Effect
    index: Needs
    errors: tuple[type[CodeCortexError], ...]
    function: Callable[..., Any]
    feature: str = ""

    @cached_property
    def help(self) -> str:
        """The function's docstring."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.function, localns={"Bench": object}, include_extras=True)

    @cached_property
    def parameters(self) -> tuple[OperationParameter, ...]:
        """In the order of the function."""
        return _parameters(self.function, self._hints)

    @cached_property
    def arguments(self) -> type[msgspec.Struct]:
        """Return the type that wire arguments decode into."""
        return _arguments(self.name, self.parameters)

    @property
    def stream(self) -> bool:
        """Whether it yields `result`s one by one."""
        return get_origin(self._hints["return"]) is Iterator

    @property
    def result(self) -> Any:
        """The type of its answer, or of one of those that it yields."""
        answer = self._hints["return"]
        return get_args(answer)[0] if self.stream else answer

    @property
    def works(self) -> bool:
        """Whether its function takes a Work."""
        return "work" in self._hints

    @property
    def summary(self) -> str:
        """The first sentence of the help."""
        return self.help.split("\n\n")[0].replace("\n", " ")

    def texts(self, arguments: Mapping[str, Any]) -> frozenset[str]:
        """The names on the wire of what names nothing in a call with these arguments."""
        declared = ((each.wire, each.param.is_text) for each in self.parameters)
        return frozenset(wire for wire, is_text in declared if is_text is not None and is_text(arguments))

    def run(self, bench: Bench, arguments: Mapping[str, Any], work: Work | None = None) -> Any:
        """Call it with wire arguments, all queries of the index being of one revision. A type or member that the
        answer is about counts as used, unless it was guessed. Raises UsageError for invalid arguments, and the
        operation's own errors."""
        follow = {"work": work or Work()} if self.works else {}
        given = self._given(arguments)
        if self.index is not Need.WHATEVER:
            bench.files.require_in_place()
        with bench.index.facade.reading():
            answer = self.function(bench, **given, **follow)
        resolved = getattr(answer, "resolved", None)
        if isinstance(resolved, Resolved) and resolved.type_id.startswith("T_") and not resolved.is_guess:
            bench.index.use(resolved.member_id or resolved.type_id)
        return answer

    def need(self, bench: Bench, arguments: Mapping[str, Any]) -> Need:
        """Return the part of the index that a call needs. Raises UsageError for invalid arguments."""
        given = self._given(arguments)
        return self.index if isinstance(self.index, Need) else self.index(bench, given)

    @property
    def synonyms(self) -> dict[str, str]:
        """Return the synonyms of its parameters, each with the parameter's name."""
        return synonyms_of(each.wire for each in self.parameters)

    def declared(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Wire arguments under the names of the parameters, whichever of their other names were given. Raises
        UsageError where one thing is given twice, and not the same."""
        return declared_names((each.wire for each in self.parameters), arguments, self.name)

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        arguments = self.declared(arguments)
        for each in self.parameters:
            if each.required and each.param.missing is not None and not arguments.get(each.wire):
                named = f"{each.wire} ({each.param.flag} in a shell)" if each.param.flag else each.wire
                raise each.param.missing(self._begun(f"{self.name} needs {named}: {each.param.help}"))
        try:
            return msgspec.structs.asdict(msgspec.convert(arguments, self.arguments))
        except msgspec.ValidationError as error:
            raise UsageError(self._misfit(str(error))) from error

    def _misfit(self, why: str) -> str:
        choices = next((each.param.choices for each in self.parameters if f"`$.{each.wire}`" in why), ())
        known = f" It may be: {', '.join(choices)}." if choices else ""
        if "unknown field" in why:
            known = f" It takes: {', '.join(each.wire for each in self.parameters) or 'nothing'}."
        return self._begun(f"{self.name}: {why}.{known}")

    def _begun(self, message: str) -> str:
        return f"{NOTHING_WRITTEN} {message}" if self.effect.right is Right.WRITE else message


_DECLARED: dict[str, Operation] = {}
_TABLE = "services.operations.table"
_COMMANDS: Mapping[str, str] = {
    "symbols": "search resolve outline usages context hierarchy graph symbols status export",
    "semantic": "semantic semantic-accept",
    "review.reviews": (
        "tests review comment paste-comments decide-comment reviewed summarize-review interdiff pack-diff "
        "publish-review review-agent"
    ),
    "investigations": "investigate conclusion workflow ops op cancel-op pause-ops",
    "source": "read grep files structure",
    "edits.writes": "lock unlock locks renew-lock break-lock patch paste undo redo history",
    "edits.refactoring": "rename extract move-type extract-interface signature batch",
    "edits.proposals": "proposals proposal apply-proposal refuse-proposal withdraw-proposal",
    "review.changes": "changes diff numbered-diff log",
    "review.comments": "comments edit-comment delete-comment propose-suggestion",
    "review.test_tools": "test-matrix test-cases",
    "models.testing": "test-projects run-tests",
    "window": (
        "window pin unpin dismiss level move complete suggest pack packs pack-use pack-delete presets preset-save "
        "preset-load preset-delete preset-diff"
    ),
    "copying": "copy receipts templates secrets allow-secret mask-secret models calibrate",
    "systems": "adt-search adt-check adt-activate adt-inactive",
    "models.ask": "ask chats tools tool",
    "models.commands": "run",
    "models.agent": "agent",
}
"""Commands by the module that declares their operation."""


def arguments_schema(operation: Operation) -> dict[str, Any]:
    """Return an object schema with a description for every property; additional ones are not allowed."""
    (schema,), definitions = msgspec.json.schema_components([operation.arguments])
    name = schema["$ref"].rpartition("/")[2]
    top = {key: value for key, value in definitions.pop(name).items() if key != "title"}
    return top | ({"$defs": definitions} if definitions else {})


def result_schema(operation: Operation) -> dict[str, Any]:
    """The schema of the result; of one row where the operation streams."""
    return msgspec.json.schema(operation.result)


def declare(
    name: str,
    faces: Faces,
    *,
    effect: Effect = READS,
    index: Needs = Need.WHOLE,
    errors: tuple[type[CodeCortexError], ...] = (),
    feature: str = "",
) -> Callable[[Callable[..., Any]], Operation]:
    """Turn a function with annotated parameters into an operation; its docstring is the help.

    `index`: what it needs of the index; `errors`: those to expect beside UsageError and WorkspaceError; `feature`: a
    setting such as `review.tools`, where agents are offered it only if that is on.
    """

    def made(function: Callable[..., Any]) -> Operation:
        operation = Operation(
            name=name,
            faces=faces,
            effect=effect,
            index=index,
            errors=errors,
            function=function,
            feature=feature,
        )
        return _DECLARED.setdefault(name, operation)

    return made


def by_name(name: str) -> Operation | None:
    """The operation of a JSON-RPC name."""
    import_module(_TABLE)
    return _DECLARED.get(name)


def declared_operations() -> tuple[Operation, ...]:
    """Return all operations, in the order of the table."""
    return import_module(_TABLE).OPERATIONS


def by_command(name: str) -> Operation | None:
    """The operation that a CLI command runs: the first of those that share it. Only the module that declares it is
    imported."""
    for module, commands in _COMMANDS.items():
        if name in commands.split():
            import_module(f"services.operations.{module}")
            return next(each for each in _DECLARED.values() if each.faces.command == name)
    return None


def _parameters(function: Callable[..., Any], hints: Mapping[str, Any]) -> tuple[OperationParameter, ...]:
    own = [each for each in inspect.signature(function).parameters.values() if each.name != "work"][1:]
    return tuple(_parameter(parameter, hints[parameter.name]) for parameter in own)


def _parameter(parameter: inspect.Parameter, hint: Any) -> OperationParameter:
    declared, param = get_args(hint)
    kinds = get_args(declared)
    bare = [kind for kind in kinds if kind is not type(None)] if type(None) in kinds else []
    return OperationParameter(
        name=parameter.name,
        wire=param.name or _camel(parameter.name),
        type=bare[0] if bare else declared,
        optional=bool(bare),
        default=parameter.default,
        param=param,
    )


def _arguments(name: str, parameters: tuple[OperationParameter, ...]) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        f"{name}Arguments",
        [_field(parameter) for parameter in parameters],
        rename={parameter.name: parameter.wire for parameter in parameters},
        forbid_unknown_fields=True,
        kw_only=True,
    )


def _field(parameter: OperationParameter) -> tuple[str, Any] | tuple[str, Any, Any]:
    param = parameter.param
    kind: Any = parameter.type
    if param.choices:
        from typing import Literal

        kind = Literal[param.choices]
    bounds = msgspec.Meta(ge=param.least, le=param.most)
    if param.longest is not None:
        bounds = msgspec.Meta(max_length=param.longest)
    kind = Annotated[kind, bounds]
    hint = Annotated[kind | None if parameter.optional else kind, msgspec.Meta(description=param.help)]
    return (parameter.name, hint) if parameter.required else (parameter.name, hint, parameter.default)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)

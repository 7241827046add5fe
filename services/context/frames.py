"""Parser of .NET stack traces: type and member of each frame, with compiler-generated names mapped to source.

The compiler's names (Roslyn, GeneratedNames): `<Send>d__3.MoveNext` is a state machine of Send, `<>c.<Send>b__2_0` a
lambda in it, `<Send>g__Retry|2_1` a local function in it, `<Main>$` the top-level statements, `<Shop>F5A0__Line` the
`file` type Line of Shop.cs. A member that implements `IShop.Send` bears that name, with `-` for `.` in names of types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_FRAMES = 500
"""Different frames that are told of one text: of more, the first ones."""
_LONGEST = 2_000
_FRAME = re.compile(
    r"^[ \t>|]*(?:\d+[.:)]?[ \t]+)?(?:at|bei|à|en|em|in|в|a|i|op|ved|vid|w|v|konumunda|场所|在|위치:|場所)[ \t]+"
    r"(?P<name>[^\s(][^(\r\n]{0,1500}?)[ \t]*\((?P<args>[^\r\n]*)\r?$",
    re.MULTILINE,
)
_WHERE = re.compile(
    r"\)[^\r\n]*?[ \t]\S{1,8}[ \t](?P<path>[^\r\n]+?):[^\d:/\\]{1,10}[ \t]?(?P<line>\d{1,9})\.?[ \t]*$"
)
_GENERATED = re.compile(r"<+([^<>]*)>")
_GENERIC = re.compile(r"(?<=\w)<[^<>]*>")
_FILE_TYPE = re.compile(r"^<[^<>]*>F[0-9A-F]+__")
_BRACKETS = re.compile(r"<[^<>]*>|\[[^\[\]]*\w[^\[\]]*\]")
_ACCESSOR = re.compile(r"^(get|set|init|add|remove)_(.+)$")
_ARITY = re.compile(r"`\d+")
_OPERATORS = {
    "Addition": "+", "Subtraction": "-", "Multiply": "*", "Division": "/", "Modulus": "%", "BitwiseAnd": "&",
    "BitwiseOr": "|", "ExclusiveOr": "^", "LeftShift": "<<", "RightShift": ">>", "UnsignedRightShift": ">>>",
    "Equality": "==", "Inequality": "!=", "LessThan": "<", "GreaterThan": ">", "LessThanOrEqual": "<=",
    "GreaterThanOrEqual": ">=", "LogicalNot": "!", "OnesComplement": "~", "UnaryPlus": "+", "UnaryNegation": "-",
    "Increment": "++", "Decrement": "--", "True": "true", "False": "false",
}  # fmt: skip
CONSTRUCTOR, STATIC_CONSTRUCTOR, STATEMENTS = ".ctor", ".cctor", "<Main>$"


class StackFrame(NamedTuple):
    """Stack frame. `types`: the names of the enclosing types, outermost first, without generic parameters;
    `member`: its name in source, `CONSTRUCTOR`, `STATIC_CONSTRUCTOR` or `STATEMENTS`; `parameters`: their types,
    None for compiler-generated methods; `path`, `line`: location, empty and 0 where the trace has none."""

    text: str
    types: tuple[str, ...]
    member: str
    parameters: tuple[str, ...] | None
    path: str
    line: int


def frames(text: str) -> list[StackFrame]:
    """The frames of a text, each once, the innermost of a trace first."""
    found: dict[tuple[object, ...], StackFrame] = {}
    for frame in _every(text):
        found.setdefault((frame.types, frame.member, frame.parameters, frame.path, frame.line), frame)
        if len(found) >= MOST_FRAMES:
            break
    return list(found.values())


def _every(text: str) -> Iterator[StackFrame]:
    last = ""
    for match in _FRAME.finditer(text):
        if match[0] == last or len(match[0]) > _LONGEST:
            continue
        last = match[0]
        frame = _frame(match)
        if frame is not None:
            yield frame


def _frame(match: re.Match[str]) -> StackFrame | None:
    where = _WHERE.search(match["args"])
    path, line = (where["path"], int(where["line"])) if where else ("", 0)
    segments = _segments(_last_word(match["name"]))
    if len(segments) < 2:
        return None
    types, member, generated = _declared(segments)
    parameters = None if generated else tuple(map(_type_of, _parted(match["args"])))
    return StackFrame(match[0].strip(), types, member, parameters, path, line)


def _last_word(name: str) -> str:
    """Return the method name of a frame that begins with a return type (`async Task<int> Shop.Send`)."""
    depth, at = 0, len(name)
    while at > 0:
        at -= 1
        depth += {">": 1, "]": 1, "<": -1, "[": -1}.get(name[at], 0)
        if name[at] == " " and depth <= 0:
            return name[at + 1 :]
    return name


def _segments(name: str) -> list[str]:
    """Return the segments of a qualified name, without generic parameters; `.ctor` retains its dot."""
    parts, depth, part = list[str](), 0, ""
    for sign in name:
        depth += {"<": 1, "[": 1, ">": -1, "]": -1}.get(sign, 0)
        if sign in ".+" and depth <= 0:
            parts.append(part)
            part = ""
        else:
            part += sign
    parts.append(part)
    if len(parts) > 1 and parts[-2] == "" and parts[-1] in ("ctor", "cctor"):
        parts[-2:] = [f".{parts[-1]}"]
    bare = [_ARITY.sub("", _without_arguments(_FILE_TYPE.sub("", each))) for each in parts]
    return [each for each in bare if each]


def _without_arguments(part: str) -> str:
    """Return a segment without its generic arguments; compiler-generated names, which begin with `<`, are
    unchanged."""
    return _without(_GENERIC, part.partition("[")[0])


def _without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text without the matches of a pattern, nested ones included."""
    while (less := pattern.sub("", text)) != text:
        text = less
    return text


def _declared(segments: list[str]) -> tuple[tuple[str, ...], str, bool]:
    """(types, member, whether the compiler made the method) as the source has them."""
    for at, segment in enumerate(segments):
        if not segment.startswith("<"):
            continue
        if (name := _GENERATED.match(segment)) and name[1]:
            *interface, last = [name[1]] if name[1].startswith(".") else re.split("[.-]", name[1])
            member = STATEMENTS if last == "Main" and segment[name.end() :].startswith("$") else last
            return (*segments[:at], *interface), _accessed(member), segment != f"<{name[1]}>$"
        if at + 1 == len(segments):
            return tuple(segments[:at]), segment, True
        segments = [*segments[:at], *segments[at + 1 :]]
        return _declared(segments)
    return tuple(segments[:-1]), _accessed(segments[-1]), False


def _accessed(name: str) -> str:
    """Return the property, event or operator to which an accessor method belongs."""
    if accessor := _ACCESSOR.match(name):
        return "this[]" if accessor[2] == "Item" else accessor[2]
    if name.startswith("op_"):
        kind = name.removeprefix("op_").removeprefix("Checked")
        if kind in ("Implicit", "Explicit"):
            return f"{kind.lower()} operator"
        return f"operator {_OPERATORS.get(kind, kind)}"
    return name


def _parted(written: str) -> Iterator[str]:
    """The parameters up to the parenthesis that closes them, each as written."""
    depth, part = 0, ""
    for sign in written:
        depth += {"<": 1, "[": 1, "(": 1, ">": -1, "]": -1, ")": -1}.get(sign, 0)
        if depth < 0:
            break
        if sign == "," and depth <= 0:
            yield part.strip()
            part = ""
        else:
            part += sign
    if part.strip():
        yield part.strip()


def _type_of(parameter: str) -> str:
    """The simple name of a parameter's type, as `simple_type` has it."""
    words = parameter.split(" ")
    words = [word for word in words if word not in ("ref", "out", "in", "params", "this", "scoped")]
    return simple_type(words[0] if len(words) < 2 else " ".join(words[:-1]))


_KEYWORDS = {
    "boolean": "bool", "int32": "int", "int64": "long", "int16": "short", "uint32": "uint", "uint64": "ulong",
    "uint16": "ushort", "single": "float", "intptr": "nint", "uintptr": "nuint",
}  # fmt: skip
_VALUES = frozenset({*_KEYWORDS.values(), "byte", "sbyte", "char", "double", "decimal", "valuetuple"})


def simple_type(text: str) -> str:
    """The last name of a type as source or runtime write it, in lower case, so that the two can be compared:
    `System.Func`2[System.String,System.Int32]`, `Func<string, int>?` and `Func`2` are all `func`, a tuple is what
    holds its values, `valuetuple`."""
    bare = _without(_BRACKETS, _ARITY.sub("", text.strip()))
    name = re.split(r"[.+:]", re.split(r"[\[?&*(]", bare, maxsplit=1)[0])[-1].strip().lower()
    array = "[]" if re.search(r"\[,*\][?&]?$", bare) else ""
    return _KEYWORDS.get(name, name or "valuetuple" * bare.startswith("(")) + array


def runtime_types(text: str) -> frozenset[str]:
    """Return the names, as `simple_type` has them, that the runtime may print for a type in source: `?` is resolved
    for types of the language only."""
    name = simple_type(text)
    if not text.rstrip().endswith("?") or name.endswith("[]"):
        return frozenset({name})
    return frozenset({"nullable"} if name in _VALUES else {name, "nullable"})

"""Quoted texts in C# and in embedded languages, and the constructs around them: what is open before a literal, what
it is assigned to, and what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from services.concurrency.lazy import expression
from services.prompt.secrets.judging.names import LITERALS, NEAR, Likelihood, cue_of

# Every branch begins with a quote, which lets the engine pass over what is none.
_LITERAL = expression(
    r"\"\"\"\"*[ \t]*\r?\n(?P<block>[^\n\"]{4,4096})\r?\n[ \t]*\"{3,}"
    r"|\"\"\"\"*(?P<line>[^\"\n]+)\"{3,}"
    r"|\"\"\"\"*"
    r"|\"(?:(?<=@\")|(?<=@\$\"))(?P<exact>(?:[^\"\n]|\"\")*)\""
    r"|\"(?P<body>(?:[^\"\\\n]|\\.)*)\""
    r"|\"(?:[^\"\\\n]|\\.){1000,}"  # never closed: what is in it is not tried again from each quote
    r"|'(?:\\?[^'\n]|\\[ux][0-9a-fA-F]{1,8})'"
    r"|'(?P<single>(?:[^'\\\n\"<>]|''){4,512})'"
    r"|`(?P<tick>[^`\n\"'<>]{4,512})`",
)
_OF_INTERPOLATED = expression(r"\"|\{(?P<nested>[$@]*)\"|\{\{|\}\}|\\.|\{[^{}\"\n]*\}|[^{}\"\\\n]+")
"""What an interpolated text is made of, a hole that a text fills up to the quote of that."""
_JOINED = expression(
    r"(?:/\*.{0,40}?\*/|\s)*(?:\+|&|\)\s*(?:;\s*\w+\s*)?\.Append(?:Line)?\()(?:/\*.{0,40}?\*/|\s)*[$@]*\Z"
)
_LISTED = expression(r"\s*,\s*[$@]*\Z")
_CONCATENATED = expression(
    r"\b(?:Concat(?:<\w+>)?\s*\(|Join(?:<\w+>)?\s*\(\s*(?:(?:\"[^\"\w]?\"|string\.Empty|String\.Empty|'[^'\w]?')\s*,))\s*"
    r"(?:new\s*(?:string|String)?\s*\[\d*\]\s*\{|new\s+List<string>\s*(?:\(\))?\s*\{|\[)?\s*[$@]*\Z"
)
"""What opens a list of texts that are put together."""
_ESCAPE = expression(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{1,4})|(.))")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_LONGEST_GAP, _LONGEST_OPENING = 200, 80


class Literal(msgspec.Struct, frozen=True):
    """A text in quotes. `opens`: of the quote and what belongs to it; `start`, `end`: of what is between the quotes;
    `value`: that without its escapes; `template`: parts of it may be filled in."""

    opens: int
    start: int
    end: int
    value: str
    template: bool = False


def literals_in(text: str, begin: int, end: int) -> Iterator[Literal]:
    """The texts in quotes of some lines, in their order; quotes are paired within a line, but for raw texts of one line
    in three."""
    while (match := _LITERAL.search(text, begin, end)) is not None:
        begin = match.end()
        if (kind := match.lastgroup) is None:
            continue
        if (
            match[kind][-3:].rstrip("$@")[-1:] == "{"
            and (parts := _with_holes(text, match.start())) is not None
        ):
            begin = parts[-1].end + 1
            yield from parts
        else:
            yield _literal(match, kind, text)


def _with_holes(text: str, opens: int) -> list[Literal] | None:
    """The parts of an interpolated text of one line with texts in its holes, which open where it does: what is between
    such holes, and the texts that fill one; None where it is no such text."""
    before = _before_quote(text, opens)
    if "$" not in text[before:opens]:
        return None
    parts, start, at = list[Literal](), opens + 1, opens + 1
    while (sign := _OF_INTERPOLATED.match(text, at)) is not None:
        at = sign.end()
        if sign[0] == '"':
            return [*parts, Literal(before, start, at - 1, text[start : at - 1], "{" in text[start : at - 1])]
        if sign["nested"] is None:
            continue
        inner = _with_holes(text, at - 1) or _filling(text, at - 1)
        if inner is None or text[inner[-1].end + 1 : inner[-1].end + 2] != "}":
            return None
        parts.append(Literal(before, start, sign.start(), text[start : sign.start()]))
        parts += [Literal(before, each.start, each.end, each.value, each.template) for each in inner]
        start = at = inner[-1].end + 2
    return None


def _filling(text: str, opens: int) -> list[Literal] | None:
    match = _LITERAL.match(text, opens)
    return [_literal(match, match.lastgroup, text)] if match is not None and match.lastgroup else None


def _before_quote(text: str, opens: int) -> int:
    """Return the start of the prefix of a quote."""
    while opens and text[opens - 1] in "$@":
        opens -= 1
    return opens


def _literal(match: re.Match[str], kind: str, text: str) -> Literal:
    start, end = match.span(kind)
    value = match[kind]
    if kind == "block":
        inner = value.strip()
        start += value.find(inner)
        end, value = start + len(inner), inner
    elif kind == "body" and "\\" in value:
        value = unescaped(value)
    elif kind == "exact" and '""' in value:
        value = value.replace('""', '"')
    opens = _before_quote(text, match.start())
    return Literal(opens, start, end, value, "$" in text[opens : match.start()])


def joined(literals: Iterator[Literal], text: str) -> Iterator[tuple[Literal, ...]]:
    """Literals with those that are joined to them by `+`, or in a list that is put together."""
    group: list[Literal] = []
    for literal in literals:
        if group and not _is_joined(text, group, literal):
            yield tuple(group)
            group = []
        group.append(literal)
    if group:
        yield tuple(group)


def _is_joined(text: str, group: Sequence[Literal], other: Literal) -> bool:
    if other.opens == group[-1].opens:
        return True
    gap = other.opens - group[-1].end
    if not 2 <= gap <= _LONGEST_GAP:
        return False
    between = text[group[-1].end + 1 : other.opens]
    if _JOINED.match(between) is not None:
        return True
    return _LISTED.match(between) is not None and _is_listed(text, group[0].opens)


def _is_listed(text: str, opens: int) -> bool:
    return _CONCATENATED.search(text[max(0, opens - _LONGEST_OPENING) : opens]) is not None


def unescaped(value: str) -> str:
    """A text of source without its escapes, as far as they are C#'s or JSON's."""
    return _ESCAPE.sub(_character, value)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None:
        return _PLAIN_ESCAPES.get(match[4], match[4])
    number = int(code, 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"


_CALLED = expression(r"(?P<name>[\w.:]+)(?:<[\w<>, .?\[\]]*>)?\s*\Z")
_LONGEST_NAME = 140
_PARENT = expression(r"[\"'](?P<name>[\w.:-]+)[\"']\s*:\s*\Z")
_REACH = 400
_PATTERN = expression(r"\bis(?: not)?(?:\s+[\w.<>]+)?\s*\Z")
_COLLECTION = expression(
    r"\A\s*(?:(?:new\b[^{}()=]*)?[{\[](?=[^={}]*\Z)|new\b[^{}=]*\{(?=(?:\s*\[\"\"\]\s*=\s*\"\"\s*,)*\s*\[\"\"\]\s*=\s*\Z))"
)
_DEFERRED = expression(
    r"\bnew\s*(?:Lazy)?(?:<\w+\??>)?\s*\(\s*(?:\(\)|_)\s*=>|\b(?:Task|ValueTask)\.FromResult(?:<\w+\??>)?\("
    r"|\b[Ss]tring\.(?:Concat|Join)\("
)
"""What gives the same text later."""


def end_of_statement(before: str) -> int:
    """Return the end of the last statement or block; braces of a property pattern (`is { Length: > 0 }`) end none."""
    end, close = before.rfind(";") + 1, before.rfind("}")
    while close >= end:
        opens = _opening(before, close)
        if opens < 0 or _PATTERN.search(before, 0, opens) is None:
            return close + 1
        close = before.rfind("}", 0, opens)
    return end


def _opening(text: str, close: int) -> int:
    """Return the position of the matching opening brace; -1 where it is not in the text."""
    depth = 0
    for at in range(close, -1, -1):
        depth += (text[at] == "}") - (text[at] == "{")
        if not depth:
            return at
    return -1


def is_simple(rest: str) -> bool:
    """Whether nothing of an expression makes something else of a text at its end: no call is open."""
    rest = _COLLECTION.sub("", _DEFERRED.sub("", rest))
    return rest.count("(") <= rest.count(")") and rest.count("{") <= rest.count("}")


def open_call(before: str) -> tuple[str, str] | None:
    """The name of the call that is open at the end, and its arguments so far."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        sign = before[at]
        if sign == ")":
            depth += 1
        elif sign == "(":
            if depth == 0:
                called = _CALLED.search(before, max(0, at - _LONGEST_NAME), at)
                return (called["name"], before[at + 1 :]) if called is not None else None
            depth -= 1
        elif sign == "}":  # of an initializer or a body among the arguments
            depth += 1
        elif sign == "{" and depth:
            depth -= 1
        elif sign in ";{" and depth == 0:
            return None
    return None


def parent_of(text: str, opens: int) -> str:
    """Return the name of the JSON object that contains a value; empty where there is none."""
    depth = 0
    before = text[max(0, opens - _REACH) : opens]
    for at in range(len(before) - 1, -1, -1):
        if before[at] == "}":
            depth += 1
        elif before[at] == "{":
            if depth == 0:
                parent = _PARENT.search(before, 0, at)
                return parent["name"] if parent is not None else ""
            depth -= 1
    return ""


BEFORE = 400
"""Characters before a text that are looked at."""
BEFORE_ARMS = 1600
NAME = r"[\w.:-]*\w"
_CASE = expression(r"\bcase\s+[\"']?(?P<name>[\w.:-]+)[\"']?\s*:\s*\{?\s*\Z")
"""The label of what returns a text."""
_ACCESSORS = expression(r"\{\s*(?:(?:private|protected|internal)?\s*(?:get|set|init)\s*;\s*)+\}")
_ASSIGNED = expression(
    rf"(?<![\w.:-])(?P<name>{NAME})(?:\s*[\"']?\])?\s*(?:\([^()]*\)\s*)?(?:\?\?=|=>|\+=|==|=)(?![=>])"
)
_LATER = expression(r"\s*(?:async\s*)?(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\Z")
"""Between a name and a text: what returns it."""
_GIVING = expression(r"(?:Provider|Factory|Func|Getter|Accessor|Callback|Resolver|Supplier)\Z")
"""How a name ends of what returns a text when it is called."""
_RETURNED = expression(r"(?<!\w)(?P<name>\w+)\s*(?:\([^{}]*\)\s*)?\{(?:[^{}]*\{)?[^{}]*\Z")


class UseContext(msgspec.Struct, frozen=True):
    """Context of a text. `direct`: by name, with nothing between that would make something else of it."""

    cue: Likelihood
    direct: bool = True


NOTHING = UseContext(Likelihood.NONE, direct=False)


def of_switch(text: str, opens: int) -> UseContext:
    """Return the context of the value of the switch that has the text as an arm."""
    before = text[max(0, opens - BEFORE_ARMS) : opens]
    at = max(before.rfind("switch {"), before.rfind("switch\n"), before.rfind("switch\r"))
    return assigned_to(before[max(0, at - BEFORE) : at]) if at >= 0 else NOTHING


def assigned_to(before: str) -> UseContext:
    """Return the context by the name that the statement assigns to, or by the member that returns."""
    told, before = before, LITERALS.sub('""', _ACCESSORS.sub("", before))
    at = before.rfind("return")
    if at >= 0 and not (set(before[at:]) & {";", "}"}):
        if (case := _CASE.search(told[: told.rfind("return")])) is not None and (
            cue := cue_of(case["name"])
        ) is not Likelihood.NONE:
            return UseContext(cue)
        returned = _RETURNED.search(before[:at])
        return UseContext(cue_of(returned["name"])) if returned is not None else NOTHING
    statement = before[end_of_statement(before) :]
    for assigned in reversed(list(_ASSIGNED.finditer(statement))):
        rest = statement[assigned.end() :]
        cue = cue_of(
            _GIVING.sub("", assigned["name"]) if _LATER.match(rest) is not None else assigned["name"]
        )
        compared = assigned[0].endswith("==")
        if cue > Likelihood.NONE or (cue is Likelihood.PUBLIC and not compared):
            return UseContext(cue, direct=is_simple(rest))
        if not compared:
            return NOTHING  # what was assigned before is another's
    return NOTHING


_SECURED_AFTER = expression(
    r"[\"']\s*\.\s*(?:(?:Select|Aggregate)\b[^;\n]{0,40})?\w*Secure\w*String\(|[\"']\s*\.\s*(?:ToSha|Sha)(?:256|512)\(\)\s*\)"
    r"|[\"'](?:\.ToCharArray\(\))?\s*\)\s*\{?\s*[\w.]+?\.AppendChar\b"
    r"|[\"'](?:\.\w+\(\))*\.ForEach\([^;\n]{0,40}?AppendChar\b"
)
"""Calls behind a text that is a password."""
_OF_CERTIFICATE_AFTER = expression(r"[\"'](?:\.ToCharArray\(\))?\s*,\s*X509KeyStorageFlags\b")
_VERIFIED_AFTER, _VERIFYING = (
    expression(r"(?i)[\"']\s*,\s*[\w.!?]*(?:password|pwd)\w*\s*\)"),
    expression(r"(?:Verify|Check|Matches|Validate)\w*\(\s*[$@]*\Z"),
)
"""What is behind a text that is compared with the hash of a password, and before it."""
_HASH_AFTER, _HASHER = (
    expression(r"(?i)[\"']\s*,\s*[\w.!?]*(?:hash|hashed|digest)\w*\s*[,)]"),
    expression(
        r"(?i)(?:hasher|bcrypt|argon2|password)[\w.]*\.\w*(?:verify|check|matches|validate)\w*\(\s*[$@]*\Z"
    ),
)
"""The same, of what is called so by whom it is called of."""
_SPLIT_AFTER = expression(r"[\"']\s*\.Split\(")
_HASHED_AFTER = expression(
    r"(?i)[\"'][^\"'\n]{0,20}//[^\n]{0,30}?\b(?:sha-?\d|md5|crc|hash|checksum|digest|public key)"
)
"""A remark behind a text that says that it is a hash, or public."""
_KEYED_AFTER = expression(r"(?i)[\"']\s+(?:key|name)\s*=\s*[\"'](?P<name>[\w.:/ -]+)[\"']")
_COMPARED_AFTER = expression(
    rf"[\"']\)?\s*(?:==|!=)\s*(?P<name>{NAME})|[\"']\s*\.Equals\(\s*(?P<other>{NAME})|[\"']\s*,\s*(?P<third>{NAME})\s*\)"
)
_SAID_AFTER = expression(r"[\"'][^\"'\n]{0,60}?/[/*][ \t]*(?P<name>[\w ,-]{2,40})")
_DEFAULT_OF = expression(
    r"[\"']\)\]\s*(?:(?!(?:class|struct|record|interface|enum)\b)[\w<>?\[\]]+\s+){1,4}"
    r"(?P<name>\w+)\s*[{=;]"
)
_MATCHED_AFTER = expression(r"[\"']\s*(?:=>|:|\bor\b)")
_SWITCHED = expression(
    r"(?P<name>[\w.]+)\s*(?:\([^()]*\)\s*)?\)?\s*switch\s*\{|switch\s*\(\s*(?P<other>[\w.]+)"
)


def is_password_by_what_follows(text: str, end: int, before: str) -> bool:
    """Whether a call behind a text that ends at `end` takes passwords, or the hash of one that it is compared with."""
    return (
        _SECURED_AFTER.match(text, end, end + NEAR) is not None
        or _OF_CERTIFICATE_AFTER.match(text, end, end + NEAR) is not None
        or (
            _VERIFIED_AFTER.match(text, end, end + NEAR) is not None
            and _VERIFYING.search(before[-NEAR:]) is not None
        )
        or (
            _HASH_AFTER.match(text, end, end + NEAR) is not None
            and _HASHER.search(before[-NEAR:]) is not None
        )
    )


def is_said_hash(text: str, end: int) -> bool:
    """Whether a comment behind a text marks it as a hash, or public."""
    return _HASHED_AFTER.match(text, end, end + NEAR) is not None


def is_taken_apart(text: str, end: int) -> bool:
    """Whether a text is a list of words that a call behind it takes apart."""
    return _SPLIT_AFTER.match(text, end, end + NEAR) is not None


def following(text: str, opens: int, after: str) -> UseContext:
    """Return the context by what follows the text."""
    for pattern in (_COMPARED_AFTER, _KEYED_AFTER, _DEFAULT_OF):
        if (match := pattern.match(after)) is not None:
            return UseContext(cue_of(next(name for name in match.groups() if name)))
    if (said := said_after(after)).cue is not Likelihood.NONE:
        return said
    if _MATCHED_AFTER.match(after) is not None:
        if text.find("switch", max(0, opens - BEFORE_ARMS), opens) < 0:
            return NOTHING
        switched = list(_SWITCHED.finditer(text, max(0, opens - BEFORE_ARMS), opens))
        return UseContext(cue_of(switched[-1]["name"] or switched[-1]["other"])) if switched else NOTHING
    return NOTHING


def said_after(after: str) -> UseContext:
    """Return the context by a comment behind the text on its line."""
    if (match := _SAID_AFTER.match(after)) is None:
        return NOTHING
    cue = cue_of(match["name"])
    return UseContext(cue, direct=cue is Likelihood.PASSWORD)

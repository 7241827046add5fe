"""Context of a literal: a name, an argument, a header, a member that returns it."""

from __future__ import annotations

import re

import msgspec

from services.concurrency.lazy import expression
from services.prompt.secrets.judging.calls import (
    hashes_with_key,
    is_adding,
    is_compared_key,
    is_comparing,
    is_deriving,
    is_keyed,
    is_made_up_argument,
    is_of_login,
    is_of_user,
    is_signing,
    is_talking,
    keeps_secrets,
)
from services.prompt.secrets.judging.names import (
    NEAR,
    Likelihood,
    cue_of,
    cue_of_field,
    in_row,
    of_case,
    of_tuple,
)
from services.prompt.secrets.statements import (
    BEFORE,
    BEFORE_ARMS,
    NOTHING,
    UseContext,
    assigned_to,
    following,
    is_password_by_what_follows,
    is_said_hash,
    is_taken_apart,
    of_switch,
    open_call,
    parent_of,
    said_after,
)

_SIGNS = ("??=", "??", "==", "!=", "=>", "+=", ":=", "=", ":", " is", " is not")
_PAIR = expression(
    r"[\"'`](?P<name>[\w.: /@$#*=\[\]'-]{1,80})[\"'`]\s*,\s*(?:\(\s*\)\s*=>\s*)?\Z"
    r"|[\"'](?P<switch>--?[\w-]+)[\"']\s*\)\s*;?\s*[\w.]*\.Add(?:Argument)?\(\s*[$@]*\Z"
)
"""A text and what it is a pair with: a switch may be added before what belongs to it."""
_THROUGH = expression(
    r"(?<![\w.])(?:(?:[\w.]*\b(?:GetBytes|FromBase64String|FromHexString|FromHex|DecodeBase64|ToSecureString|ToBytes|AsSpan|Parse|Trim|new|\w*Secure\w*|Protect\w*|Unprotect\w*|OctetString|Decrypt\w*|Decode\w*|Deobfuscate\w*|Reverse)"
    r"|new\s*(?:[\w.]*(?:Guid|SecureString|Uri|String|string|ReadOnlySpan<char>|StringValues|Lazy<string>|StringBuilder|Secret|Option<string>))?)"
    r"\s*\(\s*)+\Z"
)
_VARIABLE = expression(r"\b(?P<name>[A-Za-z_]\w*)\s*=\s*(?:[^;=\"]*(?:=>|\?\?|\?[^;=?]*:)\s*)?\Z")
_PASSED_WITHIN = 300
_ELSE = expression(r"\?\s*(?:[$@]*\"[^\"\n]*\"|[^?:\"\n;]{1,60})\s*:\s*\Z")
_THEN = expression(r"[^?]\?\s*\Z")
_ARM = expression(r"(?:\"[^\"\n]*\"|[\w.]+|_)(?:\s+(?:when|or|and)\b[^=\n]*)?\s*=>\s*\Z")
_KEYED = expression(
    r"(?i)\b(?:key|name|id|header)[\"']?\s*[=:]\s*[\"'](?P<name>[\w.:/ -]+)[\"']"
    r"(?:\s+[\w:]+\s*=\s*[\"'][^\"'\n]*[\"'])*[\s,]+\Z"
)
_VARIABLE_OF_MODULE = expression(r"\bvariable\s+\"(?P<name>[\w-]+)\"\s*\{[^{}]*\Z")
"""A variable of Terraform whose default follows."""
_IN_LIST = expression(r"(?<=[:=])\s*\[\s*(?:\"[^\"\n]*\"\s*,\s*)*\Z")
"""What stands before a text in a list that is given to a name."""
_ALTERNATIVES = expression(r"(?<= is)\s+(?:\"[^\"\n]*\"\s+or\s+)+\Z")
"""What stands before the last text of a pattern that has several."""
_OPTION = expression(
    r"\((?:\s*'[^']'\s*,)?\s*\"--?\w?(?P<dashed>[\w-]+)\"[^()\"]*\Z|\[\w+\((?:\s*'[^']'\s*,)?\s*\"(?P<name>[\w-]+)\"[^()]*\Z"
)
"""An option of a command line whose default follows."""
_ASKED_FOR = expression(r"\(\s*[$@]*\"(?P<name>[\w .:-]{1,60})\"\s*,[^()\"]*\Z")
"""What is asked for in a call whose default follows by name."""
TYPING = (
    "SendKeys", "Fill", "Type", "PressSequentially", "SetText", "EnterText", "SetValue", "WithValue",
)  # fmt: skip
"""Calls that are given what a field or a setting is to hold, which tells more than they do."""
_TYPING = rf"(?:{'|'.join(TYPING)})(?:Async)?"
_TYPED_INTO = expression(
    r"(?:\(\s*[$@]*|=)[\"'](?P<name>[\w .:/@$#=\[\]*-]{1,60})[\"']\s*\]?[\"']?\)*\s*[)\]]?\s*[?!]?\.\s*"
    rf"(?:{_TYPING}|Set|Value|Returns|ReturnsAsync|Send|SendLine|WriteLine|Reply|Respond)\s*(?:=\s*|\(\s*)\Z"
)
"""What a field is found by that a text is typed into, or a setting whose value is told."""
_TYPED_BY = expression(rf"(?P<name>[\w.]*\w)(?:\(\))?\s*[!?]?\.\s*{_TYPING}\s*\(\s*[$@]*\Z")
"""A field that a text is typed into, by its own name."""
_OWNER = expression(r"(?P<name>\w+)\[[\"']\Z")
"""What an element is set of."""
_CHOSEN = expression(r"\b(?P<of>\w+)\s*=>\s*(?P=of)\.(?P<name>\w+)\s*,\s*[$@]*\Z")
"""A member that a value is given to, chosen by a lambda."""
_LOOKED_UP = expression(r"[\w)\]]\[\s*[$@]*\Z")
_ELEMENT = expression(r"<(?P<name>[\w.:-]+)\s+\Z")
_ADDRESS = expression(r"(?:\w+:)?//|[\w-]+(?:\.[\w-]+)+(?::\d+)?\Z")
_ADDED = expression(r"(?i)\.Add\w*\(\s*\"@?(?P<name>\w+)\"[^;\"]*\)\s*[.!?]+\Z")
_BYTES_OF = expression(r"GetBytes|From(?:Base64|Hex)|FromHex|DecodeBase64")
_TEXT_OF_KEY = expression(
    r"(?i)\b(?:hmac(?:sha)?\w*(?:\.(?:Try)?HashData)?|symmetricsecuritykey)\s*\(\s*[\w.]*GetBytes\(\s*[$@]*\Z"
)
"""Calls for whose keys somebody made a text up."""
_TYPED_AFTER = expression(
    r"\bparam\s+(?P<parameter>\w+)\s+\w+\Z|(?<!\$)(?P<name>\b[\w.]+)\s*(?:\bAs\b|(?<!:):(?!:))\s*[A-Za-z][\w.]*\??\Z"
)
"""A name whose type stands behind it, as in Visual Basic and TypeScript."""
_DECLARED_NEW = expression(
    r"(?:(?P<type>[\w.]+)(?:<[^;=]*>)?\??\s+(?P<variable>\w+)|[.{,]\s*(?P<member>\w+))\s*=\s*(?:new|(?:KeyValuePair|(?:Value)?Tuple)\.Create)\s*\Z"
)
"""What is made of a user and a password, by its type or its name."""
_NAMEOF = expression(r"\bnameof\s*\([^()\"]*?(?P<name>\w+)\s*\)")
"""The name of a member as a text."""
_VALUE_NAMES = frozenset(
    {"value", "values", "text", "content", "default", "defaultvalue", "connectionstring", "innertext"}
)


def given_to(text: str, opens: int, end: int) -> UseContext:
    """Return the context of the quoted text that opens at `opens` and ends before `end`."""
    before = _NAMEOF.sub(r'"\g<name>"', text[max(0, opens - BEFORE) : opens].rstrip("$@"))
    inner = _unwrapped(before)
    if (typed := _typed(inner[-NEAR:])) > Likelihood.KEY:
        return UseContext(typed)
    if is_password_by_what_follows(text, end, inner):
        return UseContext(Likelihood.PASSWORD)
    if is_said_hash(text, end):
        return UseContext(Likelihood.PUBLIC)
    given = _before(text, opens, inner)
    if is_taken_apart(text, end):
        return UseContext(given.cue, direct=False)  # words that are taken apart
    if given.cue is Likelihood.NONE and len(inner) < len(before):
        given = _argument(before) or given  # what is called for another type tells by itself
    if given.cue is Likelihood.KEY and (
        _BYTES_OF.search(before[len(inner) :]) is not None
        or is_compared_key(inner[-NEAR:], text[opens + 1 : end])
    ):
        return UseContext(Likelihood.SECRET, given.direct)  # a key that is bytes is none of a dictionary
    if given.cue is Likelihood.SECRET and _TEXT_OF_KEY.search(before[-NEAR:]) is not None:
        return UseContext(Likelihood.PASSWORD)
    if (
        given.cue is Likelihood.PUBLIC
        and (said := said_after(text[end : end + 100])).cue >= Likelihood.SECRET
    ):
        return said  # a call makes something public of what is none
    if given.cue is not Likelihood.NONE:
        return given
    if (cue := of_case(before, text[end : end + BEFORE_ARMS])) is not Likelihood.NONE:
        return UseContext(cue)
    after = following(text, opens, text[end : end + 100])
    return (
        after
        if after.cue is not Likelihood.NONE
        else _passed_on(before, inner, text[end : end + _PASSED_WITHIN])
    )


def _typed(near: str) -> Likelihood:
    """Return the likelihood by a field that the text is entered into, or a member that a lambda selects."""
    for pattern, cue in ((_TYPED_INTO, cue_of), (_CHOSEN, cue_of), (_TYPED_BY, cue_of_field)):
        if (match := pattern.search(near)) is not None and (found := cue(match["name"])) > Likelihood.KEY:
            return found
    return Likelihood.NONE


def _passed_on(before: str, inner: str, after: str) -> UseContext:
    """Return the context by the use of the variable that the text was interpolated into. `inner`: the text before
    it, without calls that convert it."""
    variable = _VARIABLE.search(inner)
    if variable is None:
        return NOTHING
    name = re.escape(variable["name"])
    use = re.search(
        rf"(?P<to>[\w.\]]+)\s*(?:\((?P<others>[^();\n]*,)?|:|=(?![=>])[^;\"\n=]{{0,60}}?)\s*\b{name}\b\s*[;,)+}}]",
        after,
    )
    if use is None:
        return NOTHING
    if use["others"]:
        return UseContext(Likelihood.PASSWORD) if is_made_up_argument(use["to"], use["others"]) else NOTHING
    to = use["to"].rpartition(".")[2]
    cue = Likelihood.SECRET if is_keyed(to) else max(cue_of(to), cue_of(use["to"]))
    if cue is Likelihood.KEY and _BYTES_OF.search(before[len(inner) :]) is not None:
        cue = Likelihood.SECRET
    return UseContext(cue, direct=cue is Likelihood.PASSWORD) if cue >= Likelihood.SECRET else NOTHING


def _unwrapped(before: str) -> str:
    """Without calls that only put a text into another type."""
    while before.rstrip().endswith("(") and (through := _THROUGH.search(before, max(0, len(before) - NEAR))):
        before = before[: through.start()]
    return before


def _before(text: str, opens: int, before: str) -> UseContext:
    near = before[-NEAR:]
    if _LOOKED_UP.search(near) is not None:
        return NOTHING
    if "?" in near and not near.rstrip().endswith("??"):
        branch = _ELSE.search(near) or _THEN.search(near)
        if branch is not None:
            return assigned_to(before[: len(before) - len(near) + branch.start() + 1])
    if (target := _target(near)) is not None and (named := _named(text, opens, near, target)) is not None:
        return named
    if "]" in before and (cue := in_row(before)) > Likelihood.NONE:
        return UseContext(cue)
    pair = _paired(near)
    if pair > Likelihood.NONE:
        return UseContext(pair)
    argument = _argument(before)
    if pair is Likelihood.PUBLIC and (argument is None or argument.cue <= Likelihood.NONE):
        return UseContext(pair)
    if argument is not None:
        return argument
    return assigned_to(before)


_LIST = expression(
    r"(?:\[|\bnew\s*(?:[sS]tring\s*)?\[\d*\]\s*\{|\b(?:List|HashSet|Set)<string>\s*(?:\([^()]*\))?\s*\{)\s*(?:\"[^\"\n]*\"\s*,\s*)*\Z"
)


def _paired(near: str) -> Likelihood:
    """Return the likelihood by the preceding text of a pair; elements of a list are no pairs, except for switches."""
    pair = _PAIR.search(near)
    if pair is None:
        return Likelihood.NONE
    name = pair["name"] or pair["switch"]
    if name[0] != "-" and _LIST.search(near, 0, pair.start()):
        return Likelihood.NONE
    cue = cue_of(name)
    if name.lower() in _SCHEMES:
        return max(cue, Likelihood.NEAR)
    if cue is Likelihood.NONE and name.lower() in _IN_QUERIES and _OF_QUERY.search(near, 0, pair.start()):
        return Likelihood.KEY
    return cue


_SCHEMES = frozenset({"basic", "negotiate", "digest"})
"""Schemes of authorization whose names tell less elsewhere."""
_IN_QUERIES = frozenset({"appid", "app_id", "sig", "code", "hmac", "otp", "sid"})
"""Names that secrets have in queries of addresses, and that tell nothing elsewhere."""
_OF_QUERY = expression(r"Quer\w*\(\s*\Z|Param\w*\(\s*\Z")
_CHAIN = expression(r"(?:\??\.(?:To\w+|Trim\w*|Normalize|AsSpan)\([^()]*\))+\Z")
"""Calls that make nothing else of a text that is compared."""
_ASKED = expression(r"\(\s*[$@]*[\"'](?P<name>[\w.:/-]{1,80})[?:]?[ ]?[\"'][^()\"']{0,40}\)\Z")
"""What is asked for before what stands in for it, or is compared with it."""


class _Target(msgspec.Struct, frozen=True):
    """Name to which an operator assigns. `start`: of the name in the preceding text."""

    name: str
    start: int
    sign: str


def _target(near: str) -> _Target | None:
    """The name and sign right before a text."""
    head = _ALTERNATIVES.sub("", _IN_LIST.sub("", near)).rstrip(" \t\r\n(")
    sign = next((sign for sign in _SIGNS if head.endswith(sign)), None)
    if sign is None:
        return None
    head = _CHAIN.sub("", head[: -len(sign)].rstrip(" \t\r\n!"))
    if sign in ("??", "??=", "==", "!=") and (asked := _ASKED.search(head)) is not None:
        return _Target(asked["name"], asked.start("name"), sign)
    head = head.removesuffix("]").rstrip().removesuffix("$")  # a sign of Basic for a text
    if head and head[-1] in "\"'`":
        start = head.rfind(head[-1], 0, -1) + 1
        return _Target(head[start:-1], start, sign)
    if (typed := _TYPED_AFTER.search(head)) is not None and sign == "=":
        return _Target(typed["name"] or typed["parameter"], typed.start(), sign)
    start = len(head)
    while start and (head[start - 1].isalnum() or head[start - 1] in "_.:-@"):
        start -= 1
    return _Target(head[start:], start, sign)


def _named(text: str, opens: int, near: str, target: _Target) -> UseContext | None:
    """Return the context by the name right before the text; None where that is inconclusive."""
    name = target.name
    if name.lower().lstrip(".") in _VALUE_NAMES:
        head = near[: target.start].rstrip("\"'") if name[:1] != "." else near[: target.start + 1]
        if (keyed := _KEYED.search(head) or _ADDED.search(head) or _ELEMENT.search(head)) is not None:
            return UseContext(cue_of(keyed["name"]))
        if (variable := _VARIABLE_OF_MODULE.search(head)) is not None:
            return UseContext(cue_of(variable["name"]))
        if (option := _OPTION.search(head)) is not None:
            return UseContext(cue_of(option["name"] or option["dashed"]))
        if (asked := _ASKED_FOR.search(head)) is not None:
            return UseContext(cue_of(asked["name"]))
    cue = cue_of(name)
    if target.sign == ":" and cue in (Likelihood.NONE, Likelihood.KEY) and (parent := parent_of(text, opens)):
        if _ADDRESS.match(name) is not None:
            return UseContext(cue_of(parent))  # secrets by where they are used
        joined = cue_of(f"{parent}:{name}")
        return (
            UseContext(joined)
            if joined >= Likelihood.SECRET
            else UseContext(max(cue, cue_of(parent)), direct=cue is Likelihood.KEY)
        )
    if cue is Likelihood.NONE and (owner := _OWNER.search(near[: target.start])) is not None:
        cue = max(Likelihood.NONE, cue_of(owner["name"]))
    if cue <= Likelihood.NONE and target.sign == "=>" and _ARM.search(near) is not None:
        return of_switch(text, opens)
    return UseContext(cue) if cue is not Likelihood.NONE else None


def _argument(before: str) -> UseContext | None:
    """Return the context by the call that the text is an argument of; None where that is inconclusive."""
    call = open_call(before)
    if call is None:
        part = of_tuple(before)
        return UseContext(part) if part is not None else None
    dotted, first = call[0], not call[1].strip()
    if (
        dotted in _MAKING
        and (declared := _DECLARED_NEW.search(before[: len(before) - len(call[1]) - 1])) is not None
    ):
        if not first and is_of_login(declared["variable"] or declared["member"]):
            return UseContext(Likelihood.PASSWORD)
        dotted = declared["type"] or declared["member"]
    name = dotted.rpartition(".")[2]
    holder = dotted.rpartition(".")[0]
    if not first and is_adding(name) and (held := cue_of(_HOLDER.sub("", holder))) >= Likelihood.SECRET:
        return UseContext(Likelihood.PASSWORD if keeps_secrets(holder, call[1]) else held)
    if is_comparing(name):
        other = dotted.rpartition(".")[0] if first else call[1].strip(" ,\t\r\n")
        return UseContext(cue) if (cue := cue_of(other)) is not Likelihood.NONE else None
    if is_deriving(dotted) or is_made_up_argument(dotted, call[1]):
        return UseContext(Likelihood.PASSWORD)
    cue = cue_of(name)
    if cue is Likelihood.NONE and not first and is_of_user(dotted):
        return UseContext(Likelihood.PASSWORD, direct=False)
    if is_keyed(dotted) or (first and hashes_with_key(dotted)) or (not first and is_signing(name)):
        return UseContext(max(cue, Likelihood.SECRET))
    if is_talking(name):
        return UseContext(Likelihood.PUBLIC) if cue >= Likelihood.NEAR else None
    return UseContext(cue, direct=cue is Likelihood.PASSWORD) if cue is not Likelihood.NONE else None


_MAKING = frozenset({"new", "KeyValuePair.Create", "Tuple.Create", "ValueTuple.Create"})
"""Calls that make something of what they are given, which what it is put into tells."""
_HOLDER = expression(r"(?:Store|Vault|Dictionary|Map|List|Repository|Manager)\Z")
"""How a name ends of what holds values by key."""

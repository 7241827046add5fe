"""Same-length rewrites of syntax that the grammar refuses, over text without strings and comments.

Names are never read from the rewritten words: each rewrite leaves names and types where they were.

Initialisers and expression bodies hidden, so that what the grammar refuses in them hides no declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from services.syntax.parse.headers import with_known_modifiers
from services.syntax.parse.skeleton import TYPE_HEADER

EXTENSION_NAME = b"ext"
"""The class name that an `extension` block is given: `extension(` becomes `class ext(`."""

# Bounded, so that what never closes is not read again from each beginning.
_EXTENSION = re.compile(rb"(?<![\w@.])extension(?=\s*(?:<[^(){}]{0,999}>\s*)?\()")
_RECEIVER = re.compile(
    rb"((?<=class ext)\s*(?:<[^(){}]{0,999}>\s*)?\(\s*)((?:[^(){};]|\([^(){};]{0,200}\)){1,300}?)(?=\s*\))"
)
_HAS_NAME = re.compile(rb"(?:[\w\x80-\xff]\s|[>\])?*]\s*)\s*@?[A-Za-z_\x80-\xff][\w\x80-\xff]*\Z")
_REF_PARTIAL = re.compile(rb"\bref(?=\s+partial\s+struct\b)")
_ALLOWS_REF = re.compile(rb"\ballows\s+ref\s+struct\b")
_COMPOUND_OPERATOR = re.compile(rb"\boperator(\s+(?:checked\s+)?)(\+|-|\*|/|%|&|\||\^|<<|>>>|>>)=(?=\s*\()")
_TARGETED_COLLECTION = re.compile(rb"([=>(,]\s*)\[(?=[^\[\]{};]*\]\s*[;,)])[^\[\]{};]*\]")
_WORDS = rb"\b(?:async|await|partial|required|scoped|file|field|record|with)"
# `[field: A]` is the target of an attribute.
_CONTEXTUAL_NAME = re.compile(
    _WORDS
    + rb"(?=\s*(?:[;,)=?\]]|\.(?!\.)|&&|\|\||\+\+|--|(?:[-+*/%&|^]|<<|>>>?)=))|(?<!\[)"
    + _WORDS
    + rb"(?=\s*:)|\basync(?=\s*(?:[\[+*/%|^!&<>-]|(?:is|as|switch)\b))"
)
# Called, and as the type of a variable: what is asynchronous has an arrow, a name or another type there.
_CONTEXTUAL_USE = re.compile(
    rb"\basync(?=\s*\([^(){};]{0,200}\)\s*(?:[;,.?)\]}:+\-*/%&|^<>]|[=!]=))"
    rb"|\b(?:async|await)(?=\s+@?[A-Za-z_\x80-\xff][\w\x80-\xff]*\s*=(?![=>]))"
)
# So are these, of which the grammar expects nothing else after a bracket.
_TARGET_NAME = re.compile(
    rb"(?<=\[)(\s*)(assembly|event|field|method|module|param|property|type|typevar)\b(?!\s*:(?!:))"
)
_UNSAFE_DESTRUCTOR = re.compile(rb"\bunsafe(?=\s+~\s*@?\w+\s*\(\s*\))")
_BARE_SWITCH = re.compile(rb"\bswitch\s*\{\s*\}")
_CONDITIONAL = re.compile(rb"\?(?=\.\s*[A-Za-z_@\x80-\xff]|\[)")
# What may follow a value that is accessed: `.name`, `!`, `[…]`, `(…)`.
_LINK = re.compile(rb"\s*(?:(\??\.\s*@?[\w\x80-\xff]+|!(?!=))|\??([\[(]))")
_NESTING = re.compile(rb"[()\[\]{}]")
_ASSIGNMENT = re.compile(rb"\s*(?:=(?![=>])|(?:[-+*/%&|^]|<<|>>>?|\?\?)=)")
# What a call gives by reference can be assigned to, and the grammar knows no such target.
_CALL_ASSIGNED = re.compile(rb"\)(?=" + _ASSIGNMENT.pattern + rb")")
# `a! = b`: without blanks `!=` is another operator, but not before a compound assignment or in parentheses.
_SUPPRESSED = re.compile(
    rb"(?<=[\w)\]>\x80-\xff])(\s*)!(?=\s*(?:\)\s*)*(?:[-+*/%&|^]|<<|>>>?|\?\?)=|\s*\)[\s)]*=(?![=>])|\s+=(?![=>]))"
)
_REFERENCE = re.compile(rb"\b__refvalue(\s*)\(([^()]*),(\s*)([\w.]+)(\s*)\)(?=" + _ASSIGNMENT.pattern + rb")")
_PREDEFINED = re.compile(
    rb"(?:bool|s?byte|char|u?short|u?int|u?long|nu?int|float|double|decimal|string|object)\Z"
)
_CALLEE = re.compile(rb"(?:(?<![\w\x80-\xff])([\w\x80-\xff]+)|(?<!=)>)\s*\Z")
_NO_CALLEES = frozenset(
    b"and as await by case do else equals foreach if in is lock not on or out ref return select switch throw using var"
    b" when where while yield".split()
)
# `break outer;` and `continue outer;` (C# 15) go to a label, and to a name that is none.
_LABELED = re.compile(rb"\b(break|continue)(?=\s+@?[A-Za-z_\x80-\xff][\w\x80-\xff]*\s*;)")
# A list pattern before `when`, which the grammar takes for its name, as one in parentheses.
_LISTED_WHEN = re.compile(rb"\](?=\s*when\b(?!\s*(?:=>|[,:)\]}])))")
_REST = re.compile(rb"\.\.(?=\s*[,\]])")
_MOST_LINKS = 99
_ARROW = re.compile(rb"\s*=>")
_DEREFERENCE = re.compile(rb"(?<=[=>(,])(\s*)\*(?=\s*\(\s*[\w.:]+\s*\*+\s*\))")
# Slices of list patterns, as a discard and the pattern of what is sliced: `_,` or `_ ` stands where `..` did.
_SLICE_OF = re.compile(
    rb"([\[,]\s*)\.\.(?=\s*(?:var\s|\{|[A-Za-z_][\w.]{0,99}(?:<[^<>(){}]{0,99}>)?(?:\[,*\]|\?){0,3}"
    rb"\s+[A-Za-z_]\w*\s*[,\]]))"
)
_SLICE = re.compile(rb"((?:\b(?:is|not|and|or|case)|[{,(\[:])\s*\[\s*)\.\.(?=\s*[,\]])")
# A range variable may be called so, and the grammar takes it for a discard.
_RANGE_DISCARD = re.compile(rb"(\b(?:from|join)\s+(?:[\w.]+\s+)?)_(?=\s+in\b)")
_SLICED_LIST = re.compile(rb"([\[,]\s*)\.\.(?=\s*\[)")
_BEFORE_PATTERN = re.compile(rb"\b(?:is|not|and|or|case)(?:\s+[\w.:]+(?:<[^<>;]{0,99}>)?)?\s*\Z")
_BEFORE_LIST = re.compile(rb"(?:[{,(]|\b(?:case|is|not|and|or))\s*\Z")
_BEFORE_INNER = re.compile(rb"(?:\.\.|[\[,:(])\s*\Z")
_ACCESSOR_TARGET = re.compile(rb"(?<=\[)(\s*)[gs]et\s*:(?!:)")
_NEEDLESS_END = re.compile(
    rb"(\{\s*(?:(?:private|protected|internal)\s+){0,2}(?:get|set|init);[^{}]{0,99}\})\s*;"
)
# Behind the body of a type that is in another one, or in a namespace, the grammar takes it without blanks alone.
_LOOSE_END = re.compile(rb"\}\s+;")
_SIGN = re.compile(rb"[{};]")
# Of Visual Studio's project templates; a text without strings has no other `$`.
_TEMPLATE_IF = re.compile(rb"\$if\$\s*\([^()\n]{0,200}\)|\$(?:else|endif)\$")
_TEMPLATE_WORD = re.compile(rb"\$\w{1,80}\$")
_SCOPED_PARAMS = re.compile(rb"(?<=[(,])(\s*)scoped(?=\s+params\b)")
_NATIVE_ALIAS = re.compile(rb"(\busing\s+)nu?int(?=\s*=)")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_PARAMETER_WORD = rb"(?:(?:scoped\s+)?(?:ref\s+readonly|ref|out|in)|scoped)"
# Up to the arrow, since an argument of a call is `ref x` as well.
_LAMBDA_FIRST = re.compile(rb"(?<=\()\s*(?:in|out)(?=\s+[\w@(\x80-\xff])")
"""Before the type of the first parameter, where the grammar takes the list for arguments."""
_LAMBDA_WORD = re.compile(
    rb"(?<=[(,])(\s*)"
    + _PARAMETER_WORD
    + rb"(?=\s+\w+\s*(?:,\s*(?:"
    + _PARAMETER_WORD
    + rb"\s+)?\w+\s*){0,20}\)\s*=>)"
)


def has_extension(text: bytes) -> bool:
    """Whether `text` has an extension block, which the grammar may take for a constructor of that name."""
    # Few files have the word at all, and to look for it as such takes next to nothing.
    return b"extension" in text and _EXTENSION.search(text) is not None


def _without_loose_ends(text: bytes) -> bytes:
    """The text without semicolons behind the bodies of types."""
    changed, opened, last = bytearray(text), list[bytes](), 0  # the headers of open braces
    for sign in _SIGN.finditer(text):
        if sign[0] == b"{":
            opened.append(text[last : sign.start()])
        elif sign[0] == b"}" and opened:
            header, end = opened.pop(), _LOOSE_END.match(text, sign.start())
            if end is not None and TYPE_HEADER.search(header):
                changed[end.end() - 1] = 0x20
        last = sign.end()
    return bytes(changed)


def _as_name(receiver: re.Match[bytes]) -> bytes:
    """An extension block's receiver, which is a name instead where it is a type alone."""
    type_ = receiver[2]
    return receiver[0] if _HAS_NAME.search(type_) else receiver[1] + b"x" * len(type_)


def filled_in(text: bytes) -> bytes:
    """A project template of Visual Studio with a name for each `$parameter$`; any other text as it is."""
    if b"$" not in text:
        return text
    text = _TEMPLATE_IF.sub(lambda m: b" " * len(m[0]), text)
    return _TEMPLATE_WORD.sub(lambda m: b"x" * len(m[0]), text)


def rewritten(text: bytes, *, hiding: bool = True) -> bytes:
    """`text` with every known refused construct replaced at equal length. `hiding`: also those that take names with
    them."""
    text = with_known_modifiers(text)
    text = _EXTENSION.sub(b"class " + EXTENSION_NAME, text)
    text = _RECEIVER.sub(_as_name, text)
    text = _REF_PARTIAL.sub(b"   ", text)
    text = _ALLOWS_REF.sub(lambda m: b"x" * len(m[0]), text)
    text = _COMPOUND_OPERATOR.sub(lambda m: b"operator" + m[1] + m[2] + b" ", text)
    if hiding:
        text = _TARGETED_COLLECTION.sub(lambda m: m[1] + b"x" * (len(m[0]) - len(m[1])), text)
    text = _CONTEXTUAL_NAME.sub(lambda m: b"x" * len(m[0]), text)
    text = _CONTEXTUAL_USE.sub(lambda m: b"x" * len(m[0]), text)
    text = _TARGET_NAME.sub(lambda m: m[1] + b"x" * len(m[2]), text)
    text = _UNSAFE_DESTRUCTOR.sub(b"extern", text)
    text = _BARE_SWITCH.sub(lambda m: b"switch{_=>0}".ljust(len(m[0])) if len(m[0]) > 11 else m[0], text)
    text = _CONDITIONAL.sub(lambda m: b" " if _is_assigned(text, m.end()) else m[0], text)
    if b"!" in text:
        text = _SUPPRESSED.sub(rb"\1 ", text)
    text = _REFERENCE.sub(_element_for_reference, text)
    text = _with_elements_for_assigned_calls(text)
    text = _DEREFERENCE.sub(rb"\1 ", text)
    text = _ACCESSOR_TARGET.sub(lambda m: b" " * len(m[0]), text)
    text = _NEEDLESS_END.sub(lambda m: m[1].ljust(len(m[0])), text)
    if _LOOSE_END.search(text) is not None:
        text = _without_loose_ends(text)
    text = _SCOPED_PARAMS.sub(lambda m: b" " * len(m[0]), text)
    text = _NATIVE_ALIAS.sub(lambda m: m[1] + b"x" * (len(m[0]) - len(m[1])), text)
    text = _BEYOND_ASCII.sub(_plain_letters, text)
    text = _RANGE_DISCARD.sub(rb"\1x", text)
    text = _LABELED.sub(lambda m: b"goto".ljust(len(m[0])), text)
    text = _SLICE_OF.sub(rb"\1_,", text)
    text = _SLICED_LIST.sub(lambda m: m[1] + b"_," if _is_in_pattern(text, m.start() + 1) else m[0], text)
    text = _SLICE.sub(rb"\1_ ", text)
    text = _with_parentheses_before_when(text)
    text = _LAMBDA_FIRST.sub(lambda m: b" " * len(m[0]) if _is_lambda(text, m.start()) else m[0], text)
    return _LAMBDA_WORD.sub(lambda m: b" " * len(m[0]), text)


def _is_lambda(text: bytes, at: int) -> bool:
    """Whether the parenthesis before `at` opens the parameters of a lambda: no method's, which have a name before."""
    callee = _CALLEE.search(text, max(0, at - 200), at - 1)
    if callee is not None and callee[1] not in _NO_CALLEES:
        return False
    end = _closed(text, at)
    return end is not None and _ARROW.match(text, end) is not None


def hidden(text: bytes) -> list[tuple[int, int]]:
    """Return the spans of names that `rewritten` removes."""
    return [match.span() for match in _TARGETED_COLLECTION.finditer(text)]


def _is_in_pattern(text: bytes, end: int) -> bool:
    """Whether an offset is in a list pattern rather than in a collection expression."""
    depth = 0
    for at in range(end - 1, max(-1, end - 2_000), -1):
        depth += (text[at] in b")]}") - (text[at] in b"([{")
        if depth < 0:
            depth = 0
            before = text[max(0, at - 200) : at]
            if _BEFORE_PATTERN.search(before) is not None:
                return True
            if text[at] in b"[(" and _BEFORE_INNER.search(before) is None:
                return False
    return False


def _is_assigned(text: bytes, at: int) -> bool:
    """Whether the access that begins at an offset, with all its member accesses, is assigned to."""
    for _ in range(_MOST_LINKS):
        link = _LINK.match(text, at)
        if link is None:
            break
        end = link.end() if link[1] is not None else _closed(text, link.end())
        if end is None:
            return False
        at = end
    return _ASSIGNMENT.match(text, at) is not None


def _with_elements_for_assigned_calls(text: bytes) -> bytes:
    """`F(x) = y` as `F[x] = y`, and `F() = y` as `F   = y`."""
    found = [
        (begin, m.start()) for m in _CALL_ASSIGNED.finditer(text) if (begin := _called(text, m.start())) >= 0
    ]
    if not found:
        return text
    changed = bytearray(text)
    for begin, end in found:
        is_empty = not text[begin + 1 : end].strip()
        changed[begin], changed[end] = b"  " if is_empty else b"[]"
    return bytes(changed)


def _element_for_reference(match: re.Match[bytes]) -> bytes:
    """`__refvalue(r, T)` as `xxrefvalue[r, T]`, and a keyword as a number."""
    type_ = b"0" * len(match[4]) if _PREDEFINED.match(match[4]) else match[4]
    return b"xxrefvalue%b[%b,%b%b%b]" % (match[1], match[2], match[3], type_, match[5])


def _with_parentheses_before_when(text: bytes) -> bytes:
    """`[a, _] when b` as `(a, _) when b`."""
    changed = bytearray(text)
    for match in _LISTED_WHEN.finditer(text):
        begin = _opened(text, match.start())
        if begin >= 0 and _BEFORE_LIST.search(text, max(0, begin - 200), begin) is not None:
            changed[begin : match.end()] = b"(" + _REST.sub(b"_ ", text[begin + 1 : match.end()])[:-1] + b")"
    return bytes(changed)


def _called(text: bytes, end: int) -> int:
    """Return the start of the call arguments that close at an offset; -1 where it is no call."""
    at = _opened(text, end)
    callee = _CALLEE.search(text, max(0, at - 200), at) if at >= 0 else None
    return at if callee is not None and callee[1] not in _NO_CALLEES else -1


def _opened(text: bytes, end: int) -> int:
    """The offset of the bracket that the one at `end` closes; -1 where there is none nearby."""
    depth = 0
    for at in range(end, max(-1, end - 2_000), -1):
        depth += (text[at] in b")]}") - (text[at] in b"([{")
        if not depth:
            return at
    return -1


def _closed(text: bytes, at: int) -> int | None:
    """The offset after the bracket that closes the one before `at`; None where none does in good time."""
    depth = 1
    for match in _NESTING.finditer(text, at, at + 2_000):
        depth += 1 if match[0] in b"([{" else -1
        if not depth:
            return match.end()
    return None


def _plain_letters(match: re.Match[bytes]) -> bytes:
    """Formatting characters as letters: C# allows them in names, and the grammar does not."""
    letters = match[0].decode(errors="replace")
    if not any(category(letter) == "Cf" for letter in letters):
        return match[0]
    return b"x" * len(match[0])


_TOKEN = re.compile(rb"=>|[=!<>+\-*/%&|^?]+=|=|[()\[\];,]|\{\s*\}|[{}]")
_OPEN, _CLOSE, _ENDS = frozenset({b"(", b"["}), frozenset({b")", b"]"}), frozenset({b";", b"{", b"}"})


def without_initializers(text: bytes) -> bytes:
    """`text` (bodies blank) with what follows each `=` and `=>` outside brackets replaced by one long name, so that
    its node still spans all of it. Same length; newlines in what is replaced are not kept."""
    parts: list[bytes] = []
    done = 0
    for start, end in _initializers(text):
        parts += (text[done:start], b"x" * (end - start))
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def _initializers(text: bytes) -> Iterator[tuple[int, int]]:
    """The ranges, in order. One of several declarators ends at the last comma before the next one's `=`, the last value
    of an enum at the first comma, which may have members without a value behind it."""
    depth = start = comma = first = 0
    for match in _TOKEN.finditer(text):
        token, at = match[0], match.start()
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
        elif token in _ENDS:
            stop = first if token == b"}" and first > start else at
            if start and stop > start:
                yield start, stop
            depth = start = comma = first = 0
        elif depth == 0 and token == b",":
            comma, first = at, first or at
        elif depth == 0 and token == b"=>" and not start:
            start, comma, first = match.end(), 0, 0
        elif depth == 0 and token == b"=":
            if start and comma > start:
                yield start, comma
            if not start or comma > start:
                start, comma, first = match.end(), 0, 0

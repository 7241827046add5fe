"""Notes derived from code alone: always available, and never stored (SPEC section 9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from services.concurrency.lazy import expression
from services.model.symbols import Kind, Symbol
from services.model.types import TypeDetail
from services.semantic.values import NoteFields

_MOST = 6
"""Things of one kind that are named; more are counted."""
_MOST_OFFERED = 5
_MOST_PARAMETERS = 3
_LONGEST_MARK = 100
_SAYS_NOTHING = frozenset(
    {
        "a",
        "an",
        "class",
        "defines",
        "enum",
        "for",
        "interface",
        "of",
        "record",
        "represents",
        "struct",
        "the",
        "this",
        "type",
    }
)
"""Words that add nothing to the name of a type."""
_ENDINGS = {
    "Exception": "An error that is thrown",
    "Attribute": "A mark on declarations",
    "Extensions": "Methods that extend other types",
    "Factory": "Makes objects",
    "Builder": "Builds an object step by step",
    "Options": "Settings that callers fill in",
    "Settings": "Settings that callers fill in",
    "Configuration": "Settings that callers fill in",
    "EventArgs": "What an event hands over",
    "Converter": "Converts between forms",
    "Comparer": "Compares values",
    "Repository": "Reads and keeps objects",
    "Controller": "Answers requests",
    "Middleware": "A step that requests go through",
    "Handler": "Handles what it is given",
    "Provider": "Provides something to its callers",
    "Validator": "Checks values",
}
_GUARD = expression(
    r"(?:throw new (?P<type>[\w.]+Exception)\b|(?P<helper>Argument\w*Exception)\.ThrowIf(?P<what>\w+)\()"
    r"(?P<rest>[^\n;]{0,120})"
)
_CHECKERS = ("Guard", "Ensure", "Check", "Requires", "ThrowHelper", "Throw")
_CHECKED = expression(rf"\b(?:{'|'.join(_CHECKERS)})\.(?P<what>\w+)\((?:[^()\n]*?\()?(?P<name>\w+)")
_TEST = expression(r"(?:^|[.+_])\w*Tests?(?:[.+`_]|$)")
_MARKED_AS_TEST = expression(
    r"\[\s*(?:\w+\.)*(?:Test|\w*(?:Fact|Theory|TestCase|TestCaseSource|TestMethod|TestFixture|TestClass))\s*[\](,]"
)
"""By xUnit, NUnit or MSTest, and by what projects derive of them: `[ConditionalFact]`."""
_OF_TESTS = expression(r"(?:Tests?|Specs?|Facts|Fixture|Should)\Z")
_UNFINISHED = expression(
    r"throw new (?P<type>NotImplementedException|NotSupportedException|PlatformNotSupportedException)"
)
_MARKS = ("TODO", "HACK", "FIXME", "XXX")
_TODO = expression(rf"//.*?\b(?P<mark>{'|'.join(_MARKS)})\b[:\s]*(?P<text>[^\n]*)")
_CODE = expression(r"^[\[{(<]|[;{}]$|^\w+\.\w+\(")
"""What stands behind a mark and is no sentence: code that was commented out."""
_NEVER_MADE = {
    Kind.INTERFACE: "An interface: whoever implements it says how long it lives.",
    Kind.ENUM: "A value.",
    Kind.DELEGATE: "A method that is handed over.",
}
_IF = expression(r"^[ \t]*#if[ \t]+(?P<condition>[^\n/]+)", re.MULTILINE)
_OBSOLETE = expression(r"\[Obsolete\(\s*\"(?P<why>[^\"]*)\"")
_LOCK = expression(r"\block\s*\(|\bInterlocked\.|\bSemaphoreSlim\b|\bConcurrent\w+<|\bReaderWriterLock")


def static_note(
    detail: TypeDetail, source: str, *, tests: Sequence[str] = (), is_whole: bool = True
) -> NoteFields:
    """The five fields of a type. `source`: its declarations; `tests`: types that test it; `is_whole`: whether all that
    names it is known, and not declarations alone."""
    return NoteFields(
        role=_role(detail, source),
        lifecycle=_joined(_lifecycle(detail, source)) or "Nothing in its declaration says how long it lives.",
        edge_cases=_joined([*_edge_cases(source), *_absences(detail)])
        or "No guard and no exception in its source.",
        limitations=_joined(_limitations(detail, source))
        or "Nothing in its source is marked obsolete, unfinished or conditional.",
        recommendations=_joined(_recommendations(detail, source, tests))
        or _nobody(detail, source, is_whole=is_whole),
    )


def _is_test(symbol: Symbol, source: str) -> bool:
    """Whether what runs tests makes it: by its name, or by what its methods are marked as."""
    named = symbol.name.endswith(("Test", "Tests"))
    return symbol.kind is Kind.CLASS and (named or _MARKED_AS_TEST.search(source) is not None)


def _joined(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {each}" for each in dict.fromkeys(sentences))


def _role(detail: TypeDetail, source: str) -> str:
    symbol = detail.symbol
    doc = detail.doc or ""
    bases = [base.text for base in symbol.bases or () if not base.implicit]
    of = f"It is {_with_article(', '.join(bases[:_MOST]))}." if bases else ""
    said = doc if doc.endswith((".", "!", "?")) else f"{doc}."
    if doc and not _repeats(doc, symbol):
        return f"{said} {of}".rstrip()
    why = "its documentation only repeats its name" if doc else "it has no documentation"
    lead = said if doc and symbol.name not in doc else f"{_by_name(symbol, source)}."
    parts = (lead, of, _offered(detail, source), f"(Derived from its declaration: {why}.)")
    return " ".join(filter(None, parts))


def _repeats(doc: str, symbol: Symbol) -> bool:
    """Whether documentation only repeats the name: `Class RandomComparer.`"""
    said = "".join(word for word in re.findall(r"\w+", doc.lower()) if word not in _SAYS_NOTHING)
    name = symbol.name.lower()
    return said in (name, name.removeprefix("i"), "")


def _offered(detail: TypeDetail, source: str) -> str:
    """Return the names of the first members, as a substitute for missing documentation."""
    symbol = detail.symbol
    if symbol.kind is Kind.ENUM:
        return _told("One of", [each.name for each in detail.members if each.kind is Kind.ENUM_MEMBER])
    public = [
        each
        for each in detail.members
        if not each.implicit
        and each.accessibility.effective != "private"
        and "override" not in each.modifiers
    ]
    methods = [each.name for each in public if each.kind is Kind.METHOD]
    if _is_test(symbol, source):
        return _told("It checks", methods)
    held = [each.name for each in public if each.kind in (Kind.PROPERTY, Kind.FIELD, Kind.CONSTANT)]
    return _told("It offers", methods) or _told("It holds", held)


def _told(lead: str, names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    return f"{lead} {_named(unique, most=_MOST_OFFERED)}." if unique else ""


def _with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def _by_name(symbol: Symbol, source: str) -> str:
    if _is_test(symbol, source):
        return f"Tests: {_words(_OF_TESTS.sub('', symbol.name) or symbol.name)}"
    if symbol.kind is Kind.INTERFACE and re.match(r"I[A-Z]", symbol.name):
        return f"What can be asked of a {_words(symbol.name[1:])}"
    ending = next((each for each in _ENDINGS if symbol.name.endswith(each) and symbol.name != each), None)
    if ending is None:
        return f"{_with_article(str(symbol.kind)).capitalize()} for {_words(symbol.name)}"
    return f"{_ENDINGS[ending]}: {_words(symbol.name.removesuffix(ending))}"


def _words(name: str) -> str:
    """`HttpClientPool` as `http client pool`; abbreviations stay."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts) or name


def _lifecycle(detail: TypeDetail, source: str) -> Iterator[str]:
    symbol = detail.symbol
    modifiers, members = set(symbol.modifiers), [each for each in detail.members if not each.implicit]
    yield from _made(symbol, modifiers, members, source)
    bases = {base.text.partition("<")[0].rpartition(".")[2] for base in symbol.bases or ()}
    for disposable, how in (("IDisposable", "Dispose"), ("IAsyncDisposable", "DisposeAsync")):
        if disposable in bases:
            yield f"Whoever makes it disposes of it (`{how}`)."
    if any(each.kind is Kind.DESTRUCTOR for each in members):
        yield "It has a finalizer."
    single = [
        each.name
        for each in members
        if "static" in each.modifiers and each.name in ("Instance", "Default", "Shared", "Empty")
    ]
    if single:
        yield f"`{single[0]}` is one object that all share."
    if _LOCK.search(source):
        yield "It guards its state for use from several threads."


def _made(symbol: Symbol, modifiers: set[str], members: Sequence[Symbol], source: str) -> Iterator[str]:
    constructors = [
        each for each in members if each.kind is Kind.CONSTRUCTOR and "static" not in each.modifiers
    ]
    if symbol.kind in _NEVER_MADE:
        yield _NEVER_MADE[symbol.kind]
    elif "static" in modifiers:
        has_state = any(each.kind in (Kind.FIELD, Kind.PROPERTY, Kind.EVENT) for each in members)
        yield "Static: it is never made" + (
            ", and its state lives as long as the program." if has_state else "."
        )
    elif _is_test(symbol, source) and "abstract" not in modifiers:
        yield "Made by what runs the tests."
    elif "abstract" in modifiers:
        yield "Abstract: only what derives from it is made."
    elif constructors and all(each.accessibility.effective == "private" for each in constructors):
        makers = [
            each.name
            for each in members
            if "static" in each.modifiers and each.kind is Kind.METHOD and _returns(each, symbol)
        ]
        yield "Made by itself alone" + (f", through {_named(makers)}." if makers else ".")
    elif constructors:
        calls = sorted((_called(each, symbol) for each in constructors), key=len)
        yield f"Made by {_named(calls, most=3)}."
        if all(map(_takes_services, constructors)):
            yield "All that it is made with are interfaces: a container hands them out, most likely."
    elif symbol.kind in (Kind.CLASS, Kind.STRUCT, Kind.UNION):
        yield f"Made by `new {symbol.name}()`."
    if symbol.kind in (Kind.RECORD, Kind.RECORD_STRUCT) or "readonly" in modifiers:
        yield "A value: a change makes another one."


def _called(constructor: Symbol, symbol: Symbol) -> str:
    """A constructor as it is called: `new Reader(Stream input, int size)`; of many parameters the first types."""
    parameters = constructor.parameters or ()
    if len(parameters) > _MOST_PARAMETERS:
        types = [str(each.type) for each in parameters[:_MOST_PARAMETERS]]
        return f"new {symbol.name}({', '.join(types)} and {len(parameters) - _MOST_PARAMETERS} more)"
    return f"new {symbol.name}({', '.join(f'{each.type} {each.name}' for each in parameters)})"


def _takes_services(constructor: Symbol) -> bool:
    types = [str(each.type) for each in constructor.parameters or ()]
    return len(types) > 1 and all(re.match(r"I[A-Z]", each) for each in types)


def _returns(method: Symbol, symbol: Symbol) -> bool:
    return (method.return_type or "").partition("<")[0].rstrip("?") == symbol.name


def _absences(detail: TypeDetail) -> Iterator[str]:
    """Methods whose answer may be nothing, by their results and names."""
    methods = [each for each in detail.members if each.kind is Kind.METHOD and not each.implicit]
    absent = [each.name for each in methods if re.search(r"\w[>\]]*\?>?$", each.return_type or "")]
    tries = [each.name for each in methods if re.match(r"Try[A-Z]", each.name) and each.name not in absent]
    if absent:
        yield f"May answer null: {_named(list(dict.fromkeys(absent)))}."
    if tries:
        yield f"Say whether they could, and do not throw: {_named(list(dict.fromkeys(tries)))}."


def _edge_cases(source: str) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for match in _GUARD.finditer(source):
        rest = match["rest"]
        named = re.search(r"nameof\((\w+)\)", rest) or re.match(r"\s*(\w+)\s*[,)]", rest)
        said = re.search(r"\"([^\"]{4,90})\"", rest)
        thrown = match["type"] or match["helper"]
        why = f"`{named[1]}`" if named else said[1].rstrip(".") if said else ""
        found.setdefault(thrown.rpartition(".")[2], []).append(why)
    calls = _all(_CHECKED, (f"{each}." for each in _CHECKERS), source)
    checked = [f"`{match['name']}` ({_words(match['what'])})" for match in calls]
    if checked:
        yield f"Checks {_named(list(dict.fromkeys(checked)), quoted=False)}."
    for thrown, why in sorted(found.items()):
        told = [each for each in dict.fromkeys(why) if each]
        yield f"Throws {thrown}" + (f": {_named(told, quoted=False)}." if told else ".")


def _limitations(detail: TypeDetail, source: str) -> Iterator[str]:
    if detail.symbol.id in detail.obsolete:
        why = _OBSOLETE.search(source)
        yield "Obsolete" + (f": {why['why'].rstrip('.')}." if why else ".")
    old = [each.name for each in detail.members if each.id in detail.obsolete]
    if old:
        yield f"Obsolete members: {_named(old)}."
    for thrown in sorted({match["type"] for match in _UNFINISHED.finditer(source)}):
        yield f"Some of it throws {thrown}."
    conditions = list(dict.fromkeys(match["condition"].strip() for match in _IF.finditer(source)))
    if conditions:
        yield f"Compiled by condition: {_named(conditions)}."
    marks = [each for each in _all(_TODO, _MARKS, source) if not _CODE.search(each["text"].strip())]
    for match in marks[:_MOST]:
        yield f"{match['mark']}: {_shortened(match['text'].strip())}"


def _all(pattern: re.Pattern[str], words: Iterable[str], source: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern in a source. `words`: one of them occurs in every match: searching for them
    first is a hundred times faster, and most sources contain none."""
    return pattern.finditer(source) if any(word in source for word in words) else iter(())


def _shortened(text: str) -> str:
    """A sentence, ended between two words where it is long."""
    if len(text) <= _LONGEST_MARK:
        return f"{text.rstrip('.')}."
    return f"{text[:_LONGEST_MARK].rpartition(' ')[0]} …"


def _nobody(detail: TypeDetail, source: str, *, is_whole: bool) -> str:
    if _is_test(detail.symbol, source):
        return "What runs the tests finds it by its attributes; nothing else names it."
    if not is_whole:
        return "No declaration names it. What bodies name is not known yet."
    bases = [base.text for base in detail.symbol.bases or () if re.match(r"I[A-Z]", base.text)]
    found = f" It may be found as {_with_article(bases[0])}, or by reflection." if bases else ""
    return f"Nothing in the workspace names it.{found}"


def _recommendations(detail: TypeDetail, source: str, tests: Sequence[str]) -> Iterator[str]:
    if detail.symbol.id in detail.obsolete and (why := _OBSOLETE.search(source)):
        yield f"Instead of it: {why['why'].rstrip('.')}."
    testing = set(tests)
    named_by = [link.fqn for link in detail.used_by if link.fqn not in testing]
    callers = sorted(named_by, key=lambda each: bool(_TEST.search(each)))
    if callers:
        shown = list(dict.fromkeys(map(_short, callers)))
        yield f"See how {_named(shown, most=3)} use{'s' if len(shown) == 1 else ''} it."
    if tests:
        yield f"Tested by {_named([_short(each) for each in tests], most=3)}."


def _short(fqn: str) -> str:
    """Return the short name of a type, without namespace and arity."""
    return re.sub(r"`\d+", "", fqn).rpartition(".")[2].replace("+", ".")


def _named(names: Sequence[str], *, most: int = _MOST, quoted: bool = True) -> str:
    shown = [f"`{each}`" if quoted else each for each in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")

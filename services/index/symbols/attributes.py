"""Attributes that mean something when the program runs: routes, authorization, serialization, mapping, tests.

Records keep names of attributes alone; what they are given is read from the source. What only compilers, analysers,
debuggers, editors and documentation read is left out, by name; any other attribute may be read by the program itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.concurrency.lazy import expression
from services.syntax.records.declaration import Declaration

MOST_OF_A_NAME = 2
"""Attributes of one name on a declaration before the rest are counted: routes have few, rows of test data many."""
_LONGEST = 80
_FURTHEST = 20_000
_SILENT_NAMES = """
    AllowNull AspMvcAction AspMvcController AspMvcView AssertionMethod AsyncMethodBuilder AsyncStateMachine
    BaseTypeRequired Browsable CLSCompliant CallerArgumentExpression CallerFilePath CallerLineNumber CallerMemberName
    CanBeNull CollectionAccess CollectionBuilder ComVisible CompilerFeatureRequired CompilerGenerated
    ContractAnnotation Debuggable DebuggerBrowsable DebuggerDisplay DebuggerHidden DebuggerNonUserCode
    DebuggerStepThrough DebuggerStepperBoundary DebuggerTypeProxy DebuggerVisualizer DesignerCategory
    DesignerSerializationVisibility DisallowNull DoesNotReturn DoesNotReturnIf DynamicDependency
    DynamicallyAccessedMembers EditorBrowsable EndpointDescription EndpointSummary ExcludeFromCodeCoverage Experimental
    FileExtensionContentType GeneratedCode HandleProcessCorruptedStateExceptions InstantHandle InterpolatedStringHandler
    InterpolatedStringHandlerArgument InvokerParameterName IsReadOnly ItemCanBeNull ItemNotNull LinqTunnel Localizable
    LocalizationRequired MaybeNull MaybeNullWhen MeansImplicitUse MemberNotNull MemberNotNullWhen MethodImpl
    ModuleInitializer MustDisposeResource MustUseReturnValue NeutralResourcesLanguage NoEnumeration NonVersionable
    NotNull NotNullIfNotNull NotNullWhen NotifyPropertyChangedInvocator Nullable NullableContext
    OverloadResolutionPriority
    ParamArray PathReference ProducesResponseType PublicAPI Pure RazorSection ReadOnly RegexPattern
    RequiredMember RequiresAssemblyFiles RequiresDynamicCode RequiresPreviewFeatures RequiresUnreferencedCode
    SecuritySafeCritical SecurityCritical SetsRequiredMembers SkipLocalsInit SourceTemplate StringFormatMethod
    StringSyntax StructuredMessageTemplate SuppressGCTransition SuppressMessage SuppressUnmanagedCodeSecurity
    SupportedOSPlatform SupportedOSPlatformGuard SwaggerOperation SwaggerResponse Tags TargetedPatchingOptOut
    TypeForwardedFrom UnconditionalSuppressMessage UnscopedRef UnsupportedOSPlatform UnsupportedOSPlatformGuard
    UsedImplicitly ValueProvider
    """
_SILENT = frozenset(_SILENT_NAMES.split())
_TARGET = expression(r"^(?:field|property|method|event|type|param|return|assembly|module|typevar)\s*:\s*")
_NAME = expression(r"@?[\w.:]+")
_BLANK = expression(rb"(?:\s+|//[^\n]*\n|/\*.*?\*/|#[^\n]*\n)*", re.DOTALL)
_STEP = expression(
    r'[$@]*"""(?P<raw>.*?)"""|[$]?@[$]?"(?:""|[^"])*"|[$]?"(?:\\.|[^"\\])*"|'
    r"'(?:\\.|[^'\\])+'|[\[({]|[\])}]|,|.",
    re.DOTALL,
)


def run_time_attributes(text: bytes, declaration: Declaration) -> tuple[str, ...]:
    """Attributes of a declaration as written, each on one line: `Route("playlists/{id}")`. `text`: of its file."""
    if not any(map(_means_something, declaration.attributes)):
        return ()
    found: list[str] = []
    counts: dict[str, int] = {}
    for written in written_attributes(text, declaration):
        bare = _TARGET.sub("", written)
        if written.startswith("return") or not _means_something(bare):
            continue
        name = attribute_name(bare)
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= MOST_OF_A_NAME:
            found.append(_short(written.removeprefix("method:").strip()))
    more = ((name, count - MOST_OF_A_NAME) for name, count in counts.items() if count > MOST_OF_A_NAME)
    return (*found, *(f"/* {count} more {name} */" for name, count in more))


def _means_something(attribute: str) -> bool:
    return attribute_name(attribute) not in _SILENT


def written_attributes(text: bytes, declaration: Declaration) -> Iterator[str]:
    """Yield every attribute of a declaration as it is written. `text`: of its file."""
    yield from _attributes(text, declaration.start, min(declaration.end, declaration.start + _FURTHEST))


def attribute_name(attribute: str) -> str:
    """Return `Route` of `Microsoft.AspNetCore.Mvc.RouteAttribute("x")`."""
    match = _NAME.match(attribute)
    return re.split(r"[.:]", match[0])[-1].removesuffix("Attribute") if match is not None else ""


def _short(attribute: str) -> str:
    name, bracket, _ = attribute.partition("(")
    return attribute if len(attribute) <= _LONGEST or not bracket else f"{name}(…)"


def _attributes(text: bytes, start: int, end: int) -> Iterator[str]:
    """The attributes of all sections that a declaration begins with."""
    while True:
        blank = _BLANK.match(text, start, end)
        start = blank.end() if blank is not None else start
        if text[start : start + 1] != b"[":
            return
        section = text[start + 1 : end].decode("utf-8", "replace")
        parts, length = _section(section)
        if length < 0:
            return
        target = match[0] if (match := _TARGET.match(parts[0])) is not None else ""
        yield parts[0]
        yield from (f"{target}{part}" for part in parts[1:])
        start += 1 + len(section[:length].encode())


def _section(text: str) -> tuple[list[str], int]:
    """The attributes of a section behind its `[`, and how far it reaches; -1 where nothing closes it."""
    depth, parts, now = 0, list[str](), ""
    for match in _STEP.finditer(text):
        piece = match[0]
        if piece in ("[", "(", "{"):
            depth += 1
        elif piece in ("]", ")", "}"):
            depth -= 1
        if depth < 0 or (piece == "," and not depth):
            if now.strip():
                parts.append(" ".join(now.split()))
            now = ""
            if depth < 0:
                return (parts or [""]), match.end()
            continue
        now += piece
    return [""], -1

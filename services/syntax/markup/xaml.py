"""XAML and Avalonia's: classes, named elements, handlers and bindings as C#. Text is scanned, never parsed as XML: no
entity is ever expanded.

Source: "XAML namespaces" and "Markup extensions" of the .NET documentation."""

from __future__ import annotations

import re

from services.syntax.markup.view import GeneratedMember, View, ViewWriter

_TAG = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[?!][^>]*>?|<([A-Za-z_][\w.-]*(?::[\w.-]+)?)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb"(?<![\w.:-])([\w.:-]+)\s*=\s*(?:\"([^\"]*)(?:\"|\Z)|'([^']*)(?:'|\Z))|/?>|<")
_CLR = re.compile(rb"\s*(?:clr-namespace|using):\s*([\w.]+)")
_BRACES = re.compile(rb"[{}]")
_NAME = re.compile(rb"\s*@?[A-Za-z_][\w]*\s*")
_EXTENSION = re.compile(rb"\{\s*(?:(\w+):)?(\w+)\s*")
_PATH = re.compile(rb"[\w.()\[\]:/!]+")
_BOUND = re.compile(rb"\s*(?:(\w+)\s*=\s*)?([^,{}=]+)")
_TYPES = frozenset({b"DataType", b"TargetType", b"TypeArguments", b"Type", b"TypeName"})
_OTHER_ARGUMENTS = frozenset(
    {
        b"Mode",
        b"UpdateSourceTrigger",
        b"StringFormat",
        b"FallbackValue",
        b"TargetNullValue",
        b"Source",
        b"Delay",
    }
)
_NO_CODE = frozenset(
    {b"StaticResource", b"DynamicResource", b"ThemeResource", b"Null", b"OnPlatform", b"OnIdiom"}
)


def xaml_view(source: bytes, stem: str) -> View:
    """The view of a XAML file."""
    reader = _Xaml(source)
    reader.run()
    view = reader.view
    reader.writer.finish(view)
    view.name = view.name or re.sub(r"\W", "_", stem) + "_xaml"
    return view


class _Xaml:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.writer = ViewWriter(source)
        self.view = View(b"")
        self._prefixes: set[bytes] = set()

    def run(self) -> None:
        at = 0
        while (tag := _TAG.search(self.source, at)) is not None:
            at = self._element(tag) if tag[1] else tag.end()

    def _element(self, tag: re.Match[bytes]) -> int:
        at = tag.end()
        attributes: list[re.Match[bytes]] = []
        while (found := _ATTRIBUTE.search(self.source, at)) is not None:
            if found[1] is None:
                at = found.start() if found[0] == b"<" else found.end()
                break
            attributes.append(found)
            at = found.end()
        else:
            at = len(self.source)
        for each in attributes:
            self._declare(each, tag[1])
        prefix, _, local = tag[1].rpartition(b":")
        is_own = prefix in self._prefixes
        if is_own:
            self._type(tag.end() - len(local), tag.end())
        for each in attributes:
            self._attribute(each, local, is_own=is_own)
        return at

    def _declare(self, attribute: re.Match[bytes], element: bytes) -> None:
        """Declare namespaces and the class, which are in scope in their own element."""
        name, value = attribute[1], attribute[2] if attribute[2] is not None else attribute[3]
        if name == b"x:Class" and not self.view.name:
            path = value.decode("utf-8", "replace").strip()
            self.view.namespace, _, self.view.name = path.rpartition(".")
            self.view.bases = (element.rpartition(b":")[2].decode("utf-8", "replace"),)
        elif name.startswith(b"xmlns:") and (clr := _CLR.match(value)) is not None:
            self._prefixes.add(name[len(b"xmlns:") :])
            self.view.usings.append(clr[1].decode("utf-8", "replace"))

    def _attribute(self, attribute: re.Match[bytes], element: bytes, *, is_own: bool) -> None:
        name = attribute[1]
        start, end = attribute.span(2) if attribute[2] is not None else attribute.span(3)
        value = self.source[start:end]
        local = name.rpartition(b":")[2]
        if name.startswith(b"xmlns") or name == b"x:Class":
            return
        if local == b"Name" and _NAME.fullmatch(value) and name in (b"Name", b"x:Name"):
            code = (
                f"internal {element.decode('utf-8', 'replace')} {value.decode('utf-8', 'replace').strip()};"
            )
            self.view.members.append(GeneratedMember(code, start, end))
        elif local in _TYPES and not value.startswith(b"{"):
            self._type(start, end)
        elif value.lstrip().startswith(b"{") and not value.startswith(b"{}"):
            self._extensions(start, end)
        elif _NAME.fullmatch(value):
            self.writer.name(start, end)
        if is_own and b":" not in name and b"." not in name:
            self.writer.name(*attribute.span(1))

    def _type(self, start: int, end: int) -> None:
        """A type, perhaps with a prefix, or with a member behind it."""
        start += self.source[start:end].rfind(b":") + 1
        path = _PATH.match(self.source, start, end)
        if path is not None:
            dot = self.source.find(b".", start, end)
            self.writer.type(start, path.end() if dot < 0 else dot)
            if dot >= 0:
                self.writer.name(dot + 1, path.end())

    def _extensions(self, start: int, end: int) -> None:
        """Every markup extension in a value."""
        for each in _EXTENSION.finditer(self.source, start, end):
            prefix, name = each[1] or b"", each[2].removesuffix(b"Extension")
            until = _BRACES.search(self.source, each.end(), end)
            stop = until.start() if until is not None else end
            if name in (b"Static", b"Type") and prefix == b"x":
                value = _BOUND.match(self.source, each.end(), stop)
                if value is not None:
                    self._static(*value.span(2), is_type=name == b"Type")
            elif name not in _NO_CODE:
                self._paths(each.end(), stop, is_own=name == b"Bind" and prefix == b"x")
                if prefix in self._prefixes:
                    self._type(*each.span(2))

    def _static(self, start: int, end: int, *, is_type: bool) -> None:
        start += self.source[start:end].rfind(b":") + 1
        path = _PATH.match(self.source, start, end)
        if path is not None and is_type:
            self._type(start, end)
        elif path is not None:
            self.writer.statement(start, path.end())

    def _paths(self, start: int, end: int, *, is_own: bool) -> None:
        """Copy the path of a binding; `is_own`: of the class itself."""
        for each in _BOUND.finditer(self.source, start, end):
            if each[1] in _OTHER_ARGUMENTS:
                continue
            path = _PATH.match(self.source, *each.span(2))
            if path is not None and is_own and each[1] in (None, b"Path"):
                self.writer.statement(*path.span())
            else:
                self.writer.name(*each.span(2))

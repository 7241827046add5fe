"""ASP.NET pages, controls and handlers (`.aspx` and its kin), and LINQPad queries, as C#.

Source: "ASP.NET page syntax" of the .NET Framework documentation."""

from __future__ import annotations

import re

from services.syntax.markup.view import View, ViewWriter
from services.workspace.source_kinds import QUERY_HEADER

_PART = re.compile(
    rb"<%--.*?(?:--%>|\Z)|<%@(.*?)(?:%>|\Z)|<%[=:#$]?#?(.*?)(?:%>|\Z)"
    rb"|<script\b(?=[^>]{0,400}runat\s*=\s*[\"']?server)[^>]*>(.*?)(?:</script\s*>|\Z)"
    rb"|(?:\bOn[A-Z]\w*|\b(?:Select|Insert|Update|Delete)Method|\b(?:Item|DataObject)Type(?:Name)?|\bTypeName)"
    rb"\s*=\s*[\"']([A-Za-z_][\w.]*)[\"']"
    rb"|<[A-Za-z_]\w*:([A-Za-z_]\w*)",
    re.DOTALL | re.IGNORECASE,
)
_WHOLE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<%@\s*(?:WebHandler|WebService)\b.*?%>", re.DOTALL | re.IGNORECASE)
"""What stands before a file that is C# otherwise."""
_SETTING = re.compile(rb"\b(\w+)\s*=\s*[\"']([^\"']*)[\"']")
_EXPRESSION = re.compile(rb"<%(?:[=:]#?|#:?)")
_KIND = re.compile(rb"\s*<Query\b[^>]*?\bKind\s*=\s*[\"'](\w*)")
_CSHARP = frozenset({b"Expression", b"Statements", b"Program"})
"""Kinds of queries in C#; others are in F#, Visual Basic or SQL."""
_IMPORTED = re.compile(rb"<Namespace>\s*([^<]+?)\s*</Namespace>")
_LINQPAD = (
    *("System", "System.Collections", "System.Collections.Generic", "System.Data", "System.Diagnostics"),
    *("System.IO", "System.Linq", "System.Linq.Expressions", "System.Reflection", "System.Text"),
    *("System.Text.RegularExpressions", "System.Threading", "System.Threading.Tasks", "System.Transactions"),
    *("System.Xml", "System.Xml.Linq", "System.Xml.XPath"),
)
"""Namespaces that LINQPad imports into every query."""


def page_view(source: bytes, stem: str) -> View:
    """The view of a page, a control, a master page or a handler."""
    writer, view = ViewWriter(source), View(b"")
    whole = _WHOLE.match(source)
    if whole is not None:
        writer.keep(whole.end(), len(source))
        writer.finish(view)
        return view
    for part in _PART.finditer(source):
        _take(part, writer, view)
    writer.finish(view)
    view.name = view.name or re.sub(r"\W", "_", stem)
    return view


def _take(part: re.Match[bytes], writer: ViewWriter, view: View) -> None:
    """Take one part of a page: a directive, code, a script of the server, a name in an attribute, a control."""
    directive, code, script, attribute, control = part.groups()
    if directive is not None:
        _directive(directive, view)
    elif code is not None and _EXPRESSION.match(part[0]):
        writer.statement(*part.span(2))
    elif code is not None and not part[0].startswith(b"<%$"):
        writer.keep(*part.span(2))
    elif script is not None:
        writer.keep(*part.span(3))
        view.blocks.append(part.span(3))
    elif attribute is not None:
        writer.name(*part.span(4))
    elif control is not None:
        writer.name(*part.span(5))


def _directive(text: bytes, view: View) -> None:
    given = {name.lower(): value.decode("utf-8", "replace") for name, value in _SETTING.findall(text)}
    kind = text.split(None, 1)[0].lower() if text.split() else b""
    if kind == b"import" and "Namespace" not in given and b"namespace" in given:
        view.usings.append(given[b"namespace"])
    elif kind in (b"page", b"control", b"master") and (path := given.get(b"inherits", "")):
        view.namespace, _, view.name = path.partition(",")[0].strip().rpartition(".")


def query_view(source: bytes) -> View:
    """The view of a LINQPad query: what follows its header, nothing where that is no C#."""
    writer, view = ViewWriter(source), View(b"")
    first = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    header, kind = QUERY_HEADER.match(source), _KIND.match(source, first)
    start, end = header.end() if header is not None else first, len(source)
    if kind is None or kind[1] in _CSHARP:
        is_expression = kind is not None and kind[1] == b"Expression"
        last = start + len(source[start:].rstrip()) if is_expression else end
        begin = start + len(source[start:last]) - len(source[start:last].lstrip())
        (writer.statement if is_expression else writer.keep)(begin, last)
    view.usings += [
        *_LINQPAD,
        *(each.decode("utf-8", "replace") for each in _IMPORTED.findall(source[:start])),
    ]
    writer.finish(view)
    return view

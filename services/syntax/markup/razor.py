"""Razor: components (`.razor`) and views (`.cshtml`) as C#.

Source: "Razor syntax reference" and "ASP.NET Core Razor component directives" of the ASP.NET Core documentation."""

from __future__ import annotations

import re

from services.syntax.markup.view import LITERALS, Brackets, GeneratedMember, View, ViewWriter

_DEEPEST = 30
"""Markup in code in markup that is followed."""
_STOPS = re.compile(rb"@\*.*?(?:\*@|\Z)|@|<!--.*?(?:-->|\Z)|<(/?)([A-Za-z][\w.:-]*)", re.DOTALL)
_DIRECTIVE = re.compile(
    rb"(using(?!\s*\()|namespace|inject|inherits|model|implements|typeparam|layout|attribute|page|rendermode"
    rb"|addTagHelper|removeTagHelper|tagHelperPrefix|preservewhitespace)\b[ \t]*([^\r\n]{0,1000})"
)
_BLOCK = re.compile(rb"(?:code|functions)\s*(?=\{)")
_CONTROL = re.compile(rb"(?:if|for|foreach|while|switch|lock|using|do|try|await\s+foreach)\b\s*(?=[({])")
_FOLLOWS = re.compile(
    rb"\s*(?:else\s+if\s*(?=\()|else\s*(?=\{)|catch\s*(?=[({])|finally\s*(?=\{)|while\s*(?=\())"
)
_SECTION = re.compile(rb"section\s+\w+\s*\{")
_AWAIT = re.compile(rb"await\s+")
_TAG_PART = re.compile(rb"(?<![\w:.@-])([\w:.@-]+)\s*=\s*([\"'])|[\"'>]|/>|@|<")
_INJECT = re.compile(rb"(.+?)[ \t]+(@?\w+)[ \t]*;?[ \t]*$", re.DOTALL)
_LOOKS_LIKE_CODE = re.compile(rb"\s*[A-Za-z_][\w.]*\s*(?:[(?\[+!=].*)?|.*=>.*", re.DOTALL)
_TYPE_ARGUMENT = re.compile(rb"T(?:[A-Z]\w*)?")
_STARTS_MARKUP = re.compile(rb"\s*(?=<[A-Za-z!/]|@:|<text>)")
_OF_VIEWS = re.compile(
    rb"asp-(?:for|items|action|controller|page-handler|validation-for)|(?:for|model)", re.IGNORECASE
)
_STATEMENT_PART = re.compile(LITERALS + rb"|[{};:]|\)(?=\s*<[A-Za-z])|=>|@", re.DOTALL)
"""What may stand before markup in code, or hide it."""
_TEMPLATE = re.compile(LITERALS + rb"|@(?=<[A-Za-z])", re.DOTALL)
_OPENING = re.compile(rb"[({]")
_BRACE = re.compile(rb"\s*\{")
_VOID = frozenset(b"area base br col embed hr img input link meta source track wbr".split())
_IMPORTS = frozenset({"_Imports", "_ViewImports", "_ViewStart"})


def razor_view(source: bytes, stem: str, *, is_component: bool) -> View:
    """The view of a Razor file. `stem`: its name without the suffix."""
    reader = _Razor(source, is_component=is_component)
    reader.markup(0, len(source), 0)
    view = reader.view
    reader.writer.finish(view)
    view.is_imports = stem in _IMPORTS
    view.name = "" if view.is_imports and not view.blocks else re.sub(r"\W", "_", stem)
    return view


class _Razor:
    def __init__(self, source: bytes, *, is_component: bool) -> None:
        self.source = source
        self.writer = ViewWriter(source)
        self.view = View(b"")
        self._is_component = is_component
        self._brackets = Brackets(source)

    # Markup

    def markup(self, at: int, end: int, depth: int) -> int:
        """Read markup as far as `end`."""
        while at < end and (stop := _STOPS.search(self.source, at, end)) is not None:
            at = stop.end()
            if stop[0] == b"@":
                at = max(at, self._transition(stop.start(), depth))
            elif stop[2]:
                at = self._tag(stop, depth)[0]
        return end

    def _element(self, at: int, end: int, depth: int) -> int:
        """Read one element that begins at `at`, to behind its end."""
        opened = 0
        while at < end and (stop := _STOPS.search(self.source, at, end)) is not None:
            at = stop.end()
            if stop[0] == b"@":
                at = max(at, self._transition(stop.start(), depth))
            elif stop[2]:
                at, is_closed = self._tag(stop, depth)
                opened += -1 if stop[1] else 0 if is_closed or stop[2].lower() in _VOID else 1
                if opened <= 0:
                    return at
        return end

    def _tag(self, tag: re.Match[bytes], depth: int) -> tuple[int, bool]:
        """Read a tag; where it ends, and whether it closes itself."""
        start, at = tag.span(2)
        name = tag[2]
        is_code = name[:1].isupper() and self._is_component
        if is_code and not tag[1]:
            self.writer.type(start, at)
        while (part := _TAG_PART.search(self.source, at)) is not None:
            at = part.end()
            if part[0] in (b">", b"/>", b"<"):
                return at - (part[0] == b"<"), part[0] == b"/>"
            if part[0] == b"@":
                at = max(at, self._transition(part.start(), depth))
            elif part[2]:
                at = self._attribute(part, depth, is_code=is_code)
        return len(self.source), True

    def _attribute(self, part: re.Match[bytes], depth: int, *, is_code: bool) -> int:
        """Read `name="value"`; behind it."""
        name, start = part[1], part.end()
        if self.source.startswith(b"@", start) and not self.source.startswith(b"@@", start):
            if is_code and not name.startswith(b"@"):
                self.writer.name(*part.span(1))
            start = max(start + 1, self._transition(start, depth))
        end = self.source.find(part[2], start)
        end = len(self.source) if end < 0 else end
        value = self.source[start:end]
        if name.startswith(b"@"):
            if start == part.end() and value.strip() and b":" not in name:
                self.writer.statement(start, end)
            if name.startswith(b"@bind-"):
                self.writer.name(part.start(1) + len(b"@bind-"), part.end(1))
        elif is_code and start == part.end():
            self.writer.name(*part.span(1))
            if _TYPE_ARGUMENT.fullmatch(name):
                self.writer.type(start, end)
            elif _LOOKS_LIKE_CODE.fullmatch(value):
                self.writer.name(start, end)
        elif _OF_VIEWS.fullmatch(name) and not self._is_component:
            self.writer.name(start, end)
        else:
            self._expressions(start, end, depth)
        return end + 1

    def _expressions(self, at: int, end: int, depth: int) -> None:
        """Read the expressions in a value."""
        while (at := self.source.find(b"@", at, end)) >= 0:
            at = max(at + 1, self._transition(at, depth))

    # Code

    def _transition(self, at: int, depth: int) -> int:
        """Read the transition after the `@` at `at`, and return its end."""
        source, start = self.source, at + 1
        after = source[start : start + 1]
        if after in (b"@", b"*", b"") or (source[at - 1 : at].isalnum() and at and after.isalnum()):
            return start + len(after)
        if depth > _DEEPEST:
            return start
        if after == b"{":
            return self._code_block(start, depth)
        if after == b"(":
            end = self._brackets.closing(start)
            if end > 0:
                self.writer.statement(start, end)
            return end
        if (found := _BLOCK.match(source, start)) is not None:
            return self._members(found.end(), depth)
        if _CONTROL.match(source, start) is not None:
            return self._control(start, depth)
        if (found := _SECTION.match(source, start)) is not None:
            end = self._brackets.closing(found.end() - 1)
            return self.markup(found.end(), end - 1, depth + 1) + 1 if end > 0 else found.end()
        if (found := _DIRECTIVE.match(source, start)) is not None:
            self._directive(found)
            return found.end()
        awaited = _AWAIT.match(source, start)
        end = self._brackets.implicit(awaited.end() if awaited is not None else start)
        if end > start:
            self.writer.statement(start, end)
        return end

    def _members(self, at: int, depth: int) -> int:
        end = self._brackets.closing(at)
        end = end if end > 0 else len(self.source) + 1
        self.view.blocks.append((at + 1, end - 1))
        at = start = at + 1
        while (part := _TEMPLATE.search(self.source, at, end - 1)) is not None:
            at = part.end()
            if part[0] == b"@":
                self.writer.keep(start, part.start())
                at = start = self._template(part.start(), end - 1, depth + 1)
        self.writer.keep(start, end - 1)
        return end

    def _template(self, at: int, end: int, depth: int) -> int:
        """Read markup that is a value, as in `Fragment => @<b>@Name</b>;`, and return its end."""
        self.writer.value(at)
        self.writer.keeps_names_alone = True
        end = self._element(at + 1, end, depth)
        self.writer.keeps_names_alone = False
        return end

    def _code_block(self, at: int, depth: int) -> int:
        end = self._brackets.closing(at)
        if end < 0:
            return at + 1
        self.writer.keep(at, at + 1)
        self._code(at + 1, end - 1, depth + 1)
        self.writer.keep(end - 1, end)
        return end

    def _control(self, at: int, depth: int) -> int:
        """Read a statement with its blocks and continuations: `else`, `catch`, `while`."""
        start = at
        while True:
            open_ = _OPENING.search(self.source, at)
            if open_ is None:
                return at
            at = open_.start()
            if open_[0] == b"(":
                at = self._brackets.closing(at)
                if at < 0:
                    return start
                brace = _BRACE.match(self.source, at)
                self.writer.keep(start, at)
                if brace is None:
                    return at
                at = brace.end() - 1
            else:
                self.writer.keep(start, at)
            end = self._code_block(at, depth)
            more = _FOLLOWS.match(self.source, end)
            if more is None:
                return end
            start, at = end, more.end()

    def _code(self, at: int, end: int, depth: int) -> None:
        """Copy statements without the markup between them."""
        start = at
        while at < end:
            markup = _STARTS_MARKUP.match(self.source, at, end)
            if markup is not None and markup.end() < end:
                self.writer.keep(start, markup.start())
                at = start = self._markup_in_code(markup.end(), end, depth)
                continue
            step = _STATEMENT_PART.search(self.source, at, end)
            if step is None:
                break
            at = step.end()
            if step[0] == b"@" and not self.source.startswith((b'@"', b'@$"'), step.start()):
                self.writer.keep(start, step.start())
                start = at
        if start < end:
            self.writer.keep(start, end)

    def _markup_in_code(self, at: int, end: int, depth: int) -> int:
        if self.source.startswith(b"@:", at):
            line = self.source.find(b"\n", at, end)
            line = end if line < 0 else line
            return self.markup(at + 2, line, depth)
        return self._element(at, end, depth)

    # Directives

    def _directive(self, found: re.Match[bytes]) -> None:
        name, start, end = found[1], *found.span(2)
        text = found[2].rstrip().rstrip(b";").decode("utf-8", "replace")
        end = start + len(text.encode())
        if name == b"using" and text:
            self.view.usings.append(text)
        elif name == b"namespace":
            self.view.namespace = text.strip()
        elif name == b"inject" and (parts := _INJECT.match(found[2])) is not None:
            self.writer.type(start + parts.start(1), start + parts.end(1))
            place = (start + parts.start(2), start + parts.end(2))
            type_, own = (parts[at].decode("utf-8", "replace") for at in (1, 2))
            self.view.members.append(GeneratedMember(f"private {type_} {own} {{ get; set; }}", *place))
        elif name in (b"inherits", b"implements", b"layout", b"model") and text:
            self.writer.type(start, end)
            if name in (b"inherits", b"implements"):
                self.view.bases += (text,)
            elif name == b"model":
                self.view.members.append(GeneratedMember(f"public {text} Model {{ get; }}", *found.span(1)))
        elif name == b"typeparam":
            self.view.type_parameters += (text.partition(" ")[0],)
        elif name == b"attribute":
            self.writer.name(start, end)

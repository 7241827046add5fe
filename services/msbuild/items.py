"""The second pass: items in document order, with the final values of all properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from services.msbuild.language import conditions
from services.msbuild.language.expansion import ENDLESS, ITEMS, Listed, chosen, expand, grown, specs_of
from services.msbuild.language.paths import has_wildcard, join, matches_path, parent
from services.msbuild.language.properties import ExpandedText, split_list, unescape
from services.msbuild.project_file import ProjectFile
from services.msbuild.xmltree import XmlElement

_PACKAGES = frozenset({"packagereference", "packageversion", "reference"})
WANTED = _PACKAGES | {"compile", "using", "projectreference", "internalsvisibleto", "assemblyattribute"}
MAX_ITEMS = 10_000
_NO_METADATA = frozenset({"Include", "Exclude", "Remove", "Update", "Condition"})
EFFORT = 8
"""The cost of comparing a name with a pattern, in characters of expanded text."""
_REFERENCE = re.compile(r"@\(\s*([A-Za-z_]\w*(?:-\w+)*)")


class Item(msgspec.Struct):
    """Item that is no source file: its include, its metadata by folded name, and its position."""

    spec: str
    metadata: dict[str, str]
    line: int
    here: str


class MissingFile(msgspec.Struct):
    """A Compile item that names a file the scan does not have."""

    spec: str
    line: int
    here: str


class Items(msgspec.Struct):
    """The outcome. `compile`: case-folded workspace paths; `other`: items by folded type."""

    compile: dict[str, None] = msgspec.field(default_factory=dict)
    other: dict[str, list[Item]] = msgspec.field(default_factory=dict)
    missing: list[MissingFile] = msgspec.field(default_factory=list)


def evaluate(project: ProjectFile) -> Items:
    """Run the second pass over the groups that the first one queued."""
    return _Pass(project).run()


class _Pass:
    def __init__(self, project: ProjectFile) -> None:
        self.project = project
        self.folder = parent(project.absolute)
        self.sources = project.environment.sources
        self.items = Items()
        self.wanted = _wanted(project)

    def run(self) -> Items:
        for group in self.project.groups:
            if any(
                element.name.casefold() in self.wanted for element in group.element.children
            ) and self.holds(group.element, group.here):
                for element in group.element.children:
                    self.apply(element, group.here)
        self.look_into_targets()
        return self.items

    def look_into_targets(self) -> None:
        """Targets never run: a file of the workspace that only one of them would compile is a doubt."""
        for target in self.project.targets:
            for element in (item for group in target.element.children for item in group.children):
                if element.name == "Compile" and self.adds_sources(element, target.here):
                    name = target.element.attribute("Name")
                    self.project.doubts.add(f"Compile items that the target {name} adds")

    def adds_sources(self, element: XmlElement, here: str) -> bool:
        include = expand(element.attribute("Include"), self.project.scope(here))
        specs = split_list(include.value)
        plain = [spec for spec in specs if "@(" not in spec and "%(" not in spec]
        return any(name not in self.items.compile for spec in plain for name in self.match(spec))

    def apply(self, element: XmlElement, here: str) -> None:
        kind = element.name.casefold()
        if kind not in self.wanted or not self.holds(element, here):
            return
        if include := element.attribute("Include"):
            self.include(kind, include, element, here)
        if remove := element.attribute("Remove"):
            self.remove(kind, self.fragments(remove, here))
        if (update := element.attribute("Update")) and kind != "compile":
            self.update(kind, self.fragments(update, here), element, here)

    def holds(self, element: XmlElement, here: str, item: Item | None = None) -> bool:
        """Evaluate the condition of an element. `item`: the item whose metadata it may use."""
        condition = element.attribute("Condition")
        if not condition:
            return True
        scope = self.project.scope(here)
        answer = conditions.evaluate(condition, scope, lambda text: self.operand(expand(text, scope), item))
        if answer is None:
            self.project.doubts.add(condition)
        return bool(answer)

    def operand(self, text: ExpandedText, item: Item | None) -> ExpandedText:
        value = ITEMS.sub(self.listed, text.value) if "@(" in text.value else text.value
        if item is not None and "%(" in value:
            value = self.filled(value, item)
        return (
            ExpandedText("", text.doubt or value)
            if text.doubt or "@(" in value or "%(" in value
            else ExpandedText(value)
        )

    def listed(self, match: re.Match[str]) -> str:
        return (match["separator"] or ";").join(self.transformed(match))

    def transformed(self, match: re.Match[str]) -> list[str]:
        """Expand a reference to items into specifications."""
        template, function = match["template"], match["function"]
        specs = self.of_kind(match["kind"].casefold())
        if function:
            specs = chosen(specs, function, match["arguments"], self.exists)
        length = sum(len(spec) + grown(template, metadata) for spec, metadata in specs)
        if not self.project.properties.spend(length):
            self.project.doubts.add(ENDLESS)
            return []
        return specs_of(specs, template)

    def of_kind(self, kind: str) -> Listed:
        if kind == "compile":
            root = self.project.environment.root
            return [(root.absolute(path), {}) for path in self.sources.spelled(self.items.compile)]
        return [(item.spec, item.metadata) for item in self.items.other.get(kind, ())]

    def exists(self, spec: str) -> bool:
        return self.project.environment.exists(join(self.folder, spec))

    def fragments(self, text: str, here: str) -> list[str]:
        """The parts of a list, item references replaced, unescaped."""
        parts: list[str] = []
        for part in split_list(self.project.expand(text, here)):
            match = ITEMS.fullmatch(part) if "@(" in part else None
            if match and len(parts) < MAX_ITEMS:
                parts += self.transformed(match)
            elif "@(" in part:
                self.project.doubts.add(part)
            else:
                parts.append(unescape(part))
        return parts

    def include(self, kind: str, include: str, element: XmlElement, here: str) -> None:
        excluded = self.fragments(element.attribute("Exclude"), here) if element.attribute("Exclude") else []
        specs = self.fragments(include, here)
        if kind == "compile":
            self.compile(specs, excluded, element, here)
            return
        if kind == "projectreference":
            specs = [path for spec in specs for path in self.project_files(spec)]
            excluded = [path for spec in excluded for path in self.project_files(spec)]
        items = self.items.other.setdefault(kind, [])
        dropped = {_same(spec) for spec in excluded}
        metadata = self.metadata(element, here)
        for spec in specs:
            if len(items) < MAX_ITEMS and _same(spec) not in dropped:
                items.append(Item(spec, dict(metadata), element.line, here))

    def metadata(self, element: XmlElement, here: str, item: Item | None = None) -> dict[str, str]:
        """Evaluate the metadata of an element; for an `item`, all its metadata: each definition sees the earlier
        ones."""
        values = dict(item.metadata) if item else {}
        seen = Item(item.spec, values, item.line, here) if item else None
        for name, value in element.attributes.items():
            if name not in _NO_METADATA:
                values[name.casefold()] = self.value(value, here, seen)
        for child in element.children:
            if self.holds(child, here, seen):
                values[child.name.casefold()] = self.value(child.text, here, seen).strip()
        return values

    def value(self, text: str, here: str, item: Item | None) -> str:
        value = unescape(expand(text, self.project.scope(here)).value)
        return self.filled(value, item) if item is not None and "%(" in value else value

    def compile(self, specs: list[str], excluded: list[str], element: XmlElement, here: str) -> None:
        found: dict[str, None] = {}
        for spec in specs:
            names = list(self.match(spec))
            if not names and not has_wildcard(spec):
                self.items.missing.append(MissingFile(spec, element.line, here))
            found.update(dict.fromkeys(names))
        if found and excluded:
            for name in self.excluded(tuple(excluded), found):
                found.pop(name, None)
        self.items.compile.update(found)

    def excluded(self, patterns: tuple[str, ...], found: dict[str, None]) -> Iterator[str]:
        for pattern in dict.fromkeys(patterns):
            if pattern == "**/.*/**":
                start = len(self.project.path.rpartition("/")[0])
                yield from [name for name in found if "/." in "/" + name[start:].rpartition("/")[0]]
            else:
                yield from self.match(pattern)

    def match(self, spec: str) -> Iterator[str]:
        """The case-folded workspace names that a Compile specification means, seen from the project's
        folder."""
        relative = self.project.environment.root.relative(join(self.folder, spec))
        if relative is None:
            return
        if has_wildcard(relative):
            if self.project.properties.spend(EFFORT * self.sources.effort(relative)):
                yield from (name for name in self.sources.glob(relative) if name.endswith(".cs"))
        elif found := self.sources.find(relative):
            yield found.casefold()

    def project_files(self, spec: str) -> list[str]:
        """The project files that a ProjectReference means, as virtual absolute paths; a plain name stays
        itself."""
        if not has_wildcard(spec):
            return [spec]
        environment = self.project.environment
        return [
            environment.root.absolute(path) for path in environment.project_files(join(self.folder, spec))
        ]

    def remove(self, kind: str, specs: list[str]) -> None:
        if kind == "compile":
            for spec in specs:
                for name in self.match(spec):
                    self.items.compile.pop(name, None)
            return
        items = self.items.other.get(kind, [])
        is_meant = self.matcher(specs, len(items))
        items[:] = [item for item in items if not is_meant(item.spec)]

    def update(self, kind: str, specs: list[str], element: XmlElement, here: str) -> None:
        items = self.items.other.get(kind, [])
        is_meant = self.matcher(specs, len(items))
        own = _asks_for_metadata(element)
        values = {} if own else self.metadata(element, here)
        for item in items:
            if is_meant(item.spec):
                item.metadata.update(self.metadata(element, here, item) if own else values)

    def filled(self, value: str, item: Item) -> str:
        if not self.project.properties.spend(grown(value, item.metadata) + len(item.spec)):
            self.project.doubts.add(ENDLESS)
            return ""
        return specs_of([(item.spec, item.metadata)], value)[0]

    def matcher(self, specs: list[str], count: int) -> Callable[[str], bool]:
        """Whether one of `count` items is meant by a list of names and patterns."""
        names = {_same(spec) for spec in specs}
        patterns = [name.split("/") for name in names if has_wildcard(name)]
        if not self.project.properties.spend(EFFORT * count * len(patterns)):
            patterns = []

        def is_meant(spec: str) -> bool:
            name = _same(spec)
            return name in names or any(matches_path(pattern, name.split("/")) for pattern in patterns)

        return is_meant


def _asks_for_metadata(element: XmlElement) -> bool:
    children = (f"{child.text} {child.attribute('Condition')}" for child in element.children)
    return any("%(" in text for text in (*element.attributes.values(), *children))


def _same(spec: str) -> str:
    return spec.replace("\\", "/").casefold()


def _wanted(project: ProjectFile) -> frozenset[str]:
    """The item types that matter, and those that they are made from."""
    # Targets never run: `InternalsVisibleToProject` and the like are what one makes `InternalsVisibleTo` of.
    kinds = {element.name.casefold() for group in project.groups for element in group.element.children}
    wanted = WANTED | {kind for kind in kinds if kind.startswith("internalsvisibleto")}
    mentions: dict[str, set[str]] = {}
    for group in project.groups:
        for element in group.element.children:
            texts = " ".join((group.element.attribute("Condition"), *element.attributes.values()))
            if "@(" in texts:
                named = {match[1].casefold() for match in _REFERENCE.finditer(texts)}
                mentions.setdefault(element.name.casefold(), set()).update(named)
    while added := {name for kind, named in mentions.items() if kind in wanted for name in named} - wanted:
        wanted |= added
    return frozenset(wanted)

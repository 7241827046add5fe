"""Renames of every kind of symbol in places that an expression can stand in: each pair is a file, and what is marked
in it is what the compiler would need changed. A kind is tried in every third place, a place with a third of the kinds;
the project around it has a namesake of every other kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.edits.places import place_of
from services.source.text.patch import apply_patch, parse_patch
from services.workspace.text import decode
from tests.support.workspace import indexed, project

_MARK = re.compile(r"\[\|([^|]*)\|\]")
HEAD = (
    "using System;\nusing System.Collections.Generic;\nusing System.Linq;\nusing System.Linq.Expressions;\n"
    "using System.Threading.Tasks;\nnamespace {space};\n"
)
T = "[|Total|]"
KINDS: dict[str, tuple[str, str, str, str]] = {
    # kind: (declarations, members of the class around, parameters and locals before, use)
    "field": (f"class Box {{ public int {T}; }}", "", "Box b = new();", f"b.{T}"),
    "static field": (f"class Box {{ public static int {T}; }}", "", "", f"Box.{T}"),
    "constant": (f"class Box {{ public const int {T} = 3; }}", "", "", f"Box.{T}"),
    "property": (f"class Box {{ public int {T} {{ get; set; }} }}", "", "Box b = new();", f"b.{T}"),
    "static property": (f"class Box {{ public static int {T} => 3; }}", "", "", f"Box.{T}"),
    "method": (
        f"class Box {{ public int {T}() => 3; public int Total2; }}",
        "",
        "Box b = new();",
        f"b.{T}()",
    ),
    "overload": (
        f"class Box {{ public int {T}(int n) => n; public string Total(string s) => s; }}",
        "",
        "Box b = new();",
        f"b.{T}(4)",
    ),
    "generic method": (f"class Box {{ public A {T}<A>(A n) => n; }}", "", "Box b = new();", f"b.{T}<int>(4)"),
    "inferred method": (f"class Box {{ public A {T}<A>(A n) => n; }}", "", "Box b = new();", f"b.{T}(4)"),
    "own method": ("", f"static int {T}() => 3;", "", f"{T}()"),
    "own field": ("", f"static int {T};", "", f"{T}"),
    "extension": (f"static class Ext {{ public static int {T}(this int n) => n; }}", "", "", f"4.{T}()"),
    "extension block": (
        f"static class Ext {{ extension(int n) {{ public int {T}() => n; }} }}",
        "",
        "",
        f"4.{T}()",
    ),
    "interface method": (
        f"interface IBox {{ int {T}(); }} class Box : IBox {{ public int {T}() => 3; }}",
        "",
        "IBox b = new Box();",
        f"b.{T}()",
    ),
    "explicit implementation": (
        f"interface IBox {{ int {T} {{ get; }} }} class Box : IBox {{ int IBox.{T} => 3; int Total; }}",
        "",
        "IBox b = new Box();",
        f"b.{T}",
    ),
    "override": (
        f"abstract class Base {{ public abstract int {T}(); }} class Box : Base {{ public override int {T}() => 3; }}",
        "int Total() => 3;",
        "Box b = new();",
        f"b.{T}()",
    ),
    "enum member": (f"enum Kind {{ None, {T} }}", "", "", f"(int)Kind.{T}"),
    "local": ("class Total { }", "", f"int {T} = 3;", T),
    "local function": ("class Total { }", "", f"static int {T}() => 3;", f"{T}()"),
    "positional property": (f"record Box(int {T}, int Other);", "", "Box b = new(1, 2);", f"b.{T}"),
    "static using": (f"static class Box {{ public static int {T}() => 3; }}", "", "", f"Box.{T}()"),
    "class": (f"class {T} {{ public int N; public {T}() {{ }} }}", "", "", f"new {T}().N"),
    "struct": (f"struct {T} {{ public static int N => 3; }}", "", "", f"{T}.N"),
    "generic class": (f"class {T}<A> {{ public int N; }} class Total {{ }}", "", "", f"new {T}<int>().N"),
    "nested class": (f"class Box {{ public class {T} {{ public int N; }} }}", "", "", f"new Box.{T}().N"),
    "indexer's array": (f"class Box {{ public int[] {T} = new int[3]; }}", "", "Box b = new();", f"b.{T}[1]"),
    "conditional access": (f"class Box {{ public int {T}; }}", "", "Box? b = new();", f"(b?.{T} ?? 1)"),
}
CONTEXTS: dict[str, str] = {
    "initializer": "int x = {u};",
    "argument": "Take({u});",
    "named argument": "Take(n: {u});",
    "interpolation": 'string x = $"{{{u}}} Total";',
    "interpolated format": 'string x = $"{{{u},4:N2}}";',
    "switch expression": "int x = {u} switch {{ 1 => 2, _ => {u} }};",
    "switch statement": "switch ({u}) {{ case 1: break; default: Take({u}); break; }}",
    "pattern": "bool x = {u} is > 3 and < 9;",
    "declaration pattern": "if ({u} is int q) Take(q);",
    "lambda": "Func<int> x = () => {u};",
    "lambda with a parameter": "Func<int, int> x = n => n + {u};",
    "nested lambda": "Func<Func<int>> x = () => () => {u};",
    "expression tree": "Func<int> x = () => {{ return {u}; }};",
    "query": "var x = from i in new[] {{ 1 }} where i == {u} orderby {u} select i + {u};",
    "query let": "var x = from i in new[] {{ 1 }} let j = {u} group i by j + {u};",
    "join": "var x = from i in new[] {{ 1 }} join j in new[] {{ {u} }} on i equals j select i;",
    "anonymous object": "var x = new {{ A = {u} }};",
    "tuple": "(int a, int b) x = (1, {u});",
    "named tuple": "var x = (A: {u}, B: 2);",
    "deconstruction": "var (x, y) = ({u}, 2);",
    "assigned deconstruction": "int x, y; (x, y) = (1, {u});",
    "array size": "var x = new int[{u}];",
    "array element": "var x = new[] {{ {u}, {u} }};",
    "index": "int x = new int[9][{u}];",
    "index from the end": "int x = new int[9][^{u}];",
    "range": "var x = new int[9][..{u}];",
    "cast": "long x = (long){u};",
    "minus": "int x = -{u};",
    "both sides": "int x = {u} + {u} * {u};",
    "comparison": "bool x = {u} < {u};",
    "checked": "int x = checked({u} + 1);",
    "conditional": "int x = {u} > 1 ? {u} : {u};",
    "coalescing": "int x = (int?)null ?? {u};",
    "await": "async Task<int> A() {{ await Task.Yield(); return await Task.FromResult({u}); }}",
    "yield": "IEnumerable<int> A() {{ yield return {u}; }}",
    "throw": 'if ({u} > 3) throw new Exception("Total" + {u});',
    "for": "for (int i = {u}; i < {u}; i += {u}) {{ }}",
    "foreach": "foreach (var i in new[] {{ {u} }}) Take(i);",
    "while": "while ({u} > 5) break;",
    "do": "do {{ }} while ({u} > 5);",
    "collection expression": "int[] x = [{u}, .. new[] {{ {u} }}];",
    "collection initializer": "var x = new List<int> {{ {u} }};",
    "dictionary initializer": "var x = new Dictionary<int, int> {{ [{u}] = {u} }};",
    "local function": "int A() => {u};",
    "local function with a default": "int A(int n = 1) {{ return n + {u}; }} Take(A());",
    "using statement": "using (var x = new System.IO.MemoryStream({u})) {{ }}",
    "lock": "lock (new object()) {{ Take({u}); }}",
    "try": "try {{ Take({u}); }} catch (Exception) when ({u} > 1) {{ Take({u}); }} finally {{ Take({u}); }}",
    "comment beside": "Take({u}); // Total\n",
    "verbatim": "int @class = {u};",
    "nested blocks": "{{ {{ int x = {u}; }} }}",
    "as an object": "object x = {u};",
    "null-forgiving": "int x = ({u})!;",
    "chain": "string x = ({u}).ToString().Trim();",
}


def _files() -> Iterator[tuple[str, str, str]]:
    """(kind, context, marked text)."""
    for row, (kind, (outside, members, before, use)) in enumerate(KINDS.items()):
        for column, (context, body) in enumerate(CONTEXTS.items()):
            if (row + column) % 3:
                continue
            space = re.sub(r"\W", "_", f"K_{kind}__{context}")
            told = body.format(u=use)
            yield (
                kind,
                context,
                HEAD.format(space=space)
                + f"{outside}\nclass Around\n{{\n    {members}\n    static void Take(int n) {{ }}\n"
                + f"    void Run()\n    {{\n        {before}\n        {told}\n    }}\n}}\n",
            )


ALL = list(_files())


def _name(kind: str, context: str) -> str:
    return re.sub(r"\W", "_", f"{kind}__{context}") + ".cs"


@pytest.fixture
def bench(tmp_path: Path, kind: str) -> Iterator[Bench]:
    files = {"Grid.csproj": project("<LangVersion>preview</LangVersion><Nullable>enable</Nullable>")}
    others = {each: (context, text) for each, context, text in reversed(ALL) if each != kind}
    around = [(other, *namesake) for other, namesake in others.items()]
    own = [each for each in ALL if each[0] == kind]
    files |= {_name(each, context): _MARK.sub(r"\1", text) for each, context, text in around + own}
    with indexed(tmp_path, files) as opened:
        yield opened


def _made(bench: Bench, path: str, marked: str) -> str:
    text = _MARK.sub(r"\1", marked)
    first = _MARK.search(marked)
    assert first is not None
    start = len(marked[: first.start()].encode())
    answer = bench.refactoring.rename(str(place_of(path, text.encode(), start)), "Renamed", rehearse=True)
    assert not answer.undecided
    assert [each.file for each in answer.files] == [path]
    made = apply_patch(decode(text.encode()), parse_patch(answer.diff)[0])
    assert made is not None
    return made.decode()


@pytest.mark.parametrize("kind", KINDS)
def test_every_place_changes_and_no_other(bench: Bench, kind: str) -> None:
    wrong: list[str] = []
    for own, context, marked in ALL:
        if own != kind:
            continue
        try:
            made = _made(bench, _name(kind, context), marked)
        except Exception as error:  # noqa: BLE001 - all contexts of a kind are told at once
            wrong.append(f"{context}: {error!r}")
            continue
        if made != _MARK.sub("Renamed", marked):
            wrong.append(f"{context}: {made}")
    assert not wrong, "\n".join(wrong)

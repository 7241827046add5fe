"""What `cref` attributes name: in each source, `+` before a name marks a usage of the symbol, `?` a name match."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.index.binding.crefs import crefs_in
from tests.support.workspace import indexed

_MARK = re.compile(r"[+?](?=[A-Z]|size\b)")
_TYPES = """/// <see cref="+Thing"/> <see cref="Far.Thing"/> <see cref="Use(+Thing)"/> Thing
class U { /** <see cref="+Thing.Size"/> */ void Use(+Thing t) {}
/// <see cref="List{Thing}"/> "Thing" <see cref='Use(System.Func{int, +Thing})'/>
int Two; } class Thing { public int Size; }"""
_METHODS = """/// <see cref="Do(int)"/> <see cref="+Do{X}(X, System.String)"/> <see cref="A.+Do{T}(T, string)"/>
class A { void Do(int a) {} void Do<T>(T a, string b) {} void Do<T>(string a, T b) {}
/// <see cref="Do{T}(string, T)"/><see cref="?Do"/>
void M(int a) {} }"""
_PARAMETERS = """class A { int size; /// <see cref="+size"/> <paramref name="size"/>
void M(int size) { size++; } }"""
_CONSTRUCTORS = """class A { A(int a) {} A(string a) {}
/// <see cref="+A(int)"/> <see cref="A(string)"/> <see cref="A"/> <see cref="A.+A(int)"/>
int n; }"""
_IDS = """class Base { void Run() {} } /// <see cref="M:Base.Run"/> <see cref="Base.+Run()"/>
class Sub {}"""

_NAMED_ALIKE = """enum Shade { Dark } class A { +Shade Shade; string Name;
/// <see cref="+Shade.Dark"/> <see cref="Shade"/>
/// <see cref="Name.Length"/>
void M() {} }"""


@pytest.mark.parametrize(
    ("symbol", "marked"),
    [
        ("Thing", _TYPES),
        ("A.Do<T>(T, string)", _METHODS),
        ("A.size", _PARAMETERS),
        ("A.A(int)", _CONSTRUCTORS),
        ("Base.Run()", _IDS),
        ("T:Shade", _NAMED_ALIKE),
    ],
)
def test_a_comment_names_what_its_declaration_sees(tmp_path: Path, symbol: str, marked: str) -> None:
    source = _MARK.sub("", marked)
    wanted = [(match.start() - at, match[0]) for at, match in enumerate(_MARK.finditer(marked))]
    with indexed(tmp_path, {"Case.cs": source}) as bench:
        usages = bench.usages.find(symbol).usages
    starts = [0, *(match.end() for match in re.finditer("\n", source))]
    signs = {"bound": "+", "name match": "?"}
    assert [(starts[u.line - 1] + u.column, signs[u.grade]) for u in usages] == wanted
    assert any(usage.kind == "cref" for usage in usages)


@pytest.mark.parametrize(
    "text", ["", "(", "{", "A{", "A.", "A::", "operator +(A", "A{{}}(B,,", "!:A", "ä.A", "A(((B"]
)
def test_what_is_no_name_is_read_without_a_failure(text: str) -> None:
    source = f'/// <see cref="{text}"/>'.encode()
    for cref in crefs_in(source, [(0, len(source))]):
        for start, end in cref.words():
            found = cref.reference(start)
            assert found is None or found.type or found.parts[-1].name.encode() == source[start:end]

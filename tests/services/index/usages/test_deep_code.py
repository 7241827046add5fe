"""Code that is nested deeper than anybody writes it is answered like any other."""

from __future__ import annotations

import pytest

from tests.support.workspace import indexed

DEEP = 20_000
CASES = {
    "ternaries": f"int M(bool a) => {'a ? 1 : ' * DEEP}2;",
    "parentheses": f"int M(int a) => {'(' * DEEP}a{')' * DEEP};",
    "sums": f"string M(string a) => a{' + a' * DEEP};",
    "blocks": f"void M(int a) {{ {'{ ' * DEEP}a++;{' }' * DEEP} }}",
    "else": f"void M(int a) {{ {'if (a > 0) a++; else ' * DEEP}a--; }}",
    "lambdas": f"object M(object a) => {'x => ' * DEEP}a;",
    "calls": f"T M(int a) => this{'.M(1)' * DEEP};",
    "arrays": f"int{'[]' * DEEP} M() => null;",
    "casts": f"int M(int a) => {'(int)' * DEEP}a;",
    "switches": f"int M(int a) => {'a switch { _ => ' * DEEP}1{' }' * DEEP};",
    "type arguments": f"object M() => null; class U : {'List<' * DEEP}int{'>' * DEEP} {{ }}",
    "attributes": f"{'[A(' * DEEP}1{')]' * DEEP} int M() => 1;",
}


@pytest.mark.parametrize("name", list(CASES))
def test_usages_and_outlines_of_deep_code_are_told(tmp_path, name):
    files = {"T.cs": f"class T {{ {CASES[name]} }}\n", "B.cs": "class B { object M() => new T(); }\n"}
    with indexed(tmp_path, files) as bench:
        found = bench.usages.find("T")
        assert any(each.file == "B.cs" for each in found.usages)
        bench.usages.find("T.M")

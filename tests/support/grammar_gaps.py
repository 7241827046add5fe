"""Forms of C# that the grammar refuses or reads otherwise than the language: what is done about each, with an example.

The table of `docs/GRAMMAR.md` is made of this one, and a test holds each row to its example.
"""

from __future__ import annotations

from typing import NamedTuple

_UPSTREAM = "https://github.com/tree-sitter/tree-sitter-c-sharp/issues/"


class Gap(NamedTuple):
    """Form of the language. `example`: a member of a class that has it; `module`: where it is repaired, empty where
    it is only reported; `issue`: its number in the grammar's own list, where one is known."""

    form: str
    example: str
    done: str
    module: str = ""
    issue: int = 0

    @property
    def row(self) -> tuple[str, ...]:
        """The row of the table."""
        where = f"`{self.module}`" if self.module else ""
        upstream = f"[#{self.issue}]({_UPSTREAM}{self.issue})" if self.issue else ""
        return self.form, f"`{self.example}`", self.done, where, upstream


_REWRITES = "services/syntax/parse/rewrites.py"
_POINTERS = "services/syntax/bodies/reshape.py"
_TREE = "services/syntax/bodies/tree.py"
_HEADERS = "services/syntax/parse/headers.py"
_RESHAPE = "services/syntax/bodies/reshape.py"
_PARSED = "parsed as something of the same length, read as written"
_GROUPED = "put right in the tree"
_TOLD = "told in `status`; names in it are name matches"

GAPS = (
    Gap(
        "assignment to what a pointer points to",
        "void M() { *p++ = x; *(T*)p = y; }",
        _PARSED,
        _POINTERS,
        363,
    ),
    Gap("a dereferenced cast as a value", "int M() { return *(int*)p + *(p + 1); }", _PARSED, _POINTERS, 363),
    Gap("destructor with `unsafe`", "unsafe ~C() { }", _PARSED, _REWRITES),
    Gap("`;` behind a blank and the body of a nested type", "struct A { } ;", _PARSED, _REWRITES),
    Gap("`->` behind a unary operator", "int M() => (*a->b).c;", _GROUPED, _RESHAPE),
    Gap("list pattern before `when`", "int M() => o switch { [_] when a => 1, _ => 2 };", _PARSED, _REWRITES),
    Gap("slice with a pattern", "bool M() => o is [1, .. var rest];", _PARSED, _REWRITES),
    Gap(
        "lambda parameters with modifiers",
        "void M() { F((in T x) => G(x), (ref y) => y); }",
        _PARSED,
        _REWRITES,
        211,
    ),
    Gap("assignment behind `?.`", "void M() { a?.B = 1; a?[0] += 2; }", _PARSED, _REWRITES, 392),
    Gap("operands before `?.`", "bool M() => a && b?.C == d;", _GROUPED, _RESHAPE, 172),
    Gap("assignment to a call", "void M() { F(x) = 1; }", _PARSED, _REWRITES),
    Gap(
        "`async`, `await`, `partial`, `required`, `record` as names",
        "void M() { required++; async.F(); }",
        _PARSED,
        _REWRITES,
    ),
    Gap("`field`, `type`, `method` in a collection", "int[] M() => [field];", _PARSED, _REWRITES),
    Gap("escaped quote in a format", 'string M() => $"{x:h\\"m}";', _PARSED, _TREE),
    Gap("braces that stand for themselves before a hole", 'string M() => $"{{{x}}}";', _PARSED, _TREE),
    Gap("compound assignment operator", "public void operator +=(int by) { }", _PARSED, _REWRITES, 392),
    Gap("label of `break` and `continue`", "void M() { while (a) { break outer; } }", _PARSED, _REWRITES),
    Gap("element of a variable in parentheses", "int M() => (a)[0];", _PARSED, _TREE),
    Gap("`allows ref struct`", "void M<T>() where T : allows ref struct { }", _PARSED, _REWRITES),
    Gap("modifier that is not known yet", "closed void M() { }", _PARSED, _HEADERS),
    Gap("assignment to `__refvalue`", "void M() { __refvalue(r, int) = 3; }", _PARSED, _REWRITES),
    Gap("assignment to a value with `!`", "void M() { a! = b; (a.B!) += c; }", _PARSED, _REWRITES),
    Gap("assignment to `__refvalue` of a generic type", "void M() { __refvalue(r, A<B>) = 3; }", _TOLD),
)
"""Every form that is known. Others are told as the last one is."""

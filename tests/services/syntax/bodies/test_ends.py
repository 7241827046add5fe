"""Whether the end of a function is reached, as the compiler tells it (CS0161, CS1643, CS0162)."""

from __future__ import annotations

import pytest

from services.syntax.bodies.ends import is_end_reached, returns
from services.syntax.bodies.node import Node
from services.syntax.bodies.tree import Tree
from services.syntax.parse.lexer import lex


def body(statements: str) -> Node:
    source = f"void M() {{ {statements} }}".encode()
    root = Tree(lex(source, frozenset()), 0, len(source), wrapped="member").root
    return next(node for node in root.walk() if node.type == "block")


@pytest.mark.parametrize(
    "statements",
    [
        "",
        "F();",
        "while (go) { }",
        "while (!go) { throw e; }",
        "while (false) { }",
        "while (true) { break; }",
        "while (true) { if (a) { try { break; } finally { } } }",
        "for (int i = 0; i < 3; i++) { throw e; }",
        "for (;;) { if (a) break; }",
        "do { } while (go);",
        "foreach (var a in b) { throw e; }",
        "if (a) throw e;",
        "if (a) throw e; else F();",
        "try { throw e; } catch (E) { }",
        "try { F(); } catch (E) { throw; }",
        "switch (a) { case 1: throw e; }",
        "switch (a) { case 1: throw e; default: break; }",
        "switch (a) { default: if (b) break; throw e; }",
        "throw e; Later: F();",
        "void G() { throw e; }",
        "Action g = () => { throw e; };",
        "using (a) { F(); }",
        "lock (a) while (go) { }",
    ],
)
def test_the_end_is_reached(statements: str) -> None:
    assert is_end_reached(body(statements))


@pytest.mark.parametrize(
    "statements",
    [
        "throw e;",
        "return;",
        "F(); throw e;",
        "{ { throw e; } }",
        "while (true) { }",
        "while ((true)) { F(); }",
        "while (true) { foreach (var a in b) break; }",
        "while (true) { switch (a) { case 1: break; } }",
        "while (true) { Action g = () => { while (go) break; }; }",
        "for (;;) { }",
        "for (int i = 0; ; i++) { if (a) continue; }",
        "for (; true;) { }",
        "do { } while (true);",
        "if (a) throw e; else while (true) { }",
        "if (a) throw e; else if (b) throw e; else return;",
        "try { throw e; } catch (E) { throw; }",
        "try { throw e; } finally { F(); }",
        "try { F(); } finally { throw e; }",
        "switch (a) { case 1: throw e; default: return; }",
        "switch (a) { case 1: goto default; default: throw e; }",
        "using (a) { throw e; }",
        "lock (a) { while (true) { } }",
        "unsafe { throw e; }",
        "checked { throw e; }",
        "F(); Later: goto Later;",
    ],
)
def test_the_end_is_not_reached(statements: str) -> None:
    assert not is_end_reached(body(statements))


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("return;", True),
        ("if (a) { using (b) { return; } }", True),
        ("while (true) { }", False),
        ("int G() { return 1; }", False),
        ("F(() => { return 1; }); F(delegate { return 1; });", False),
    ],
)
def test_a_return_of_an_inner_function_is_none_of_its_own(statements: str, expected: bool) -> None:
    assert returns(body(statements)) is expected

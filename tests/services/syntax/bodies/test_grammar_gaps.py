"""What is done about each form that the grammar refuses is what the table says."""

import pytest

from services.syntax.bodies.tree import Tree
from services.syntax.parse.lexer import lex
from services.syntax.parse.parsing import read_file
from tests.support.grammar_gaps import GAPS, Gap


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.form)
def test_a_form_is_read_where_the_table_says_so_and_told_where_not(gap: Gap) -> None:
    source = f"class C {{ {gap.example} int after; }}".encode()
    record = read_file(source)
    member, after = record.declarations[1], record.declarations[-1]
    tree = Tree(lex(source), member.start, member.end)
    assert after.name == "after"
    assert bool(tree.unread) is not bool(gap.module)

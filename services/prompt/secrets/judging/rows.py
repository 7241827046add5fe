"""Likelihood by the name in the same position: a column of SQL, of a table or a migration, a part of a tuple."""

from __future__ import annotations

from collections.abc import Iterator

from services.prompt.secrets.judging.names import Likelihood, cue_of
from services.prompt.secrets.patterns import compiled, expression, groups_of

NEAR = 140
LITERALS = expression(r"\"(?:[^\"\\\n]|\\.)*\"")
_ROWS = expression(
    r"\{(?P<names>(?:\s*\"[^\"\n]*\"\s*,?)+)\}\s*,\s*(?:\w+:\s*)?new\s*(?:object)?\s*\[,?\]\s*\{(?P<first>[^{}]*)\Z"
)
_CASE_OF_TEST = expression(r"[\[,]\s*(?:InlineData|TestCase|DataRow|Arguments)\((?P<first>[^()\n]*)\Z")
_METHOD = expression(
    r"\b(?:public|internal|private|static|async|void)\s[^;{}()=]*?\b\w+\((?P<parameters>[^()]*)\)"
)
_TUPLES = expression(
    r"\((?P<names>(?:\s*[\w.?]+\s+\w+\s*,?){2,8})\)(?:\??\[\]|>+)*\??\s+\w+\s*=[^;()]*(?:\((?:[^()]*)\)[\s,]*)*"
    r"\((?P<first>[^()]*)(?P<name>)\Z"
)
"""Tuples in a list whose type names their parts."""
_TUPLES_OF_NEW = expression(
    r"\bnew\s+[\w.]+<[^;{}()]*\((?P<names>(?:\s*[\w.?]+\s+\w+\s*,?){2,8})\)>+\s*(?:\([^()]*\)\s*)?\{(?:[^;()]|\([^()]*\))*"
    r"\((?P<first>[^()]*)(?P<name>)\Z"
)
"""The same, where the type is told behind `new`."""
_TUPLE = expression(r"(?:\((?P<names>[^()]+)\)|(?P<name>[\w.]+))\s*=\s*\((?P<first>[^()]*)\Z")
_INSERTED = expression(
    r"(?i)insert[ ]into\s+[\w.\[\]\"`\\]{1,80}"
    r"\s*\(\s*(?P<columns>[^()]{3,400})\)\s*"
    r"(?:\"\s*\+\s*[$@]*\"\s*)?values\s*"
)
_ROW = expression(r"\s*,?\s*\((?P<values>(?:N?'(?:[^'\n]|'')*'|[^()'])*(?:\([^()]*\)(?:[^()'])*)*)\)")
_CELL = expression(r"\s*(?:N?'(?P<text>(?:[^'\n]|'')*)'|[^,']*)\s*(?:,|\Z)")
_MOST_ROWS = 1000
_TABLE = (
    r"(?m)^[ \t>]*\|?(?P<names>[^|\n]*\|[^\n]*)\n"
    r"[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*\r?\n"
)
_TABLE_OF_STEP = r"(?m)(?:\A|^[^|\n]*\n)[ \t]*\|(?P<names>[^\n]*)\|[ \t]*\r?\n"
"""The head of a table without a rule below it, as in scenarios of tests."""
_LINE_OF_TABLE = expression(r"[ \t>]*\|?(?P<cells>[^|\n]*\|[^\n]*)(?:\n|\Z)")
_AROUND_CELL = " \t\r`*\"'"


def in_row(before: str) -> Likelihood:
    """Return the likelihood for a value in a row whose columns are listed before it, as in migrations."""
    if (row := _ROWS.search(before)) is None:
        return Likelihood.NONE
    names, at = row["names"].split(","), LITERALS.sub("", row["first"]).count(",")
    return cue_of(names[at].strip(' "\t\r\n')) if at < len(names) else Likelihood.NONE


def of_case(before: str, after: str) -> Likelihood:
    """Return the likelihood for an argument of a test case, by the parameter of the test below."""
    if (
        "[" not in before
        or (case := _CASE_OF_TEST.search(before)) is None
        or (method := _METHOD.search(after)) is None
    ):
        return Likelihood.NONE
    names, at = method["parameters"].split(","), LITERALS.sub("", case["first"]).count(",")
    return cue_of(names[at].split()[-1]) if at < len(names) and names[at].split() else Likelihood.NONE


def of_tuple(before: str) -> Likelihood | None:
    """Return the likelihood by the name in the same position of the tuple that is assigned to or of its type, or by
    the name of the whole; None outside tuples."""
    if (
        found := _TUPLES.search(before) or _TUPLES_OF_NEW.search(before) or _TUPLE.search(before[-NEAR:])
    ) is None:
        return None
    at = LITERALS.sub("", found["first"]).count(",")
    if found["name"]:
        told = Likelihood.PASSWORD if at else Likelihood.NEAR
        return told if cue_of(found["name"]) >= Likelihood.SECRET else None
    names = found["names"].split(",")
    return cue_of(names[at].split()[-1]) if at < len(names) and names[at].split() else None


def inserted(text: str) -> Iterator[tuple[int, int, Likelihood]]:
    """Yield the texts in the rows of an SQL insertion, with the likelihood of their columns."""
    for match in _INSERTED.finditer(text):
        cues = [cue_of(column.strip(' \t\r\n[]"`\\')) for column in match["columns"].split(",")]
        at = match.end()
        for _ in range(_MOST_ROWS if max(cues) >= Likelihood.SECRET else 0):
            if (row := _ROW.match(text, at)) is None:
                break
            at = row.end()
            for cell, cue in zip(_CELL.finditer(text, *row.span("values")), cues, strict=False):
                if cue >= Likelihood.SECRET and cell["text"]:
                    yield *cell.span("text"), cue


def in_tables(data: bytes, text: str) -> Iterator[tuple[int, int, Likelihood]]:
    """Yield the texts in the rows of Markdown tables and test scenarios, with the likelihood of their columns.
    `text`: the same, a character a byte."""
    for pattern in (_TABLE, _TABLE_OF_STEP):
        yield from _in_tables(pattern, data, text)


def _in_tables(pattern: str, data: bytes, text: str) -> Iterator[tuple[int, int, Likelihood]]:
    names = groups_of(pattern)["names"]
    for match in compiled(pattern).finditer(data):
        cues = [cue_of(name.strip(_AROUND_CELL)) for name in text[slice(*match.span(names))].split("|")]
        at = match.end()
        while max(cues) >= Likelihood.SECRET and (row := _LINE_OF_TABLE.match(text, at)) is not None:
            start, at = row.start("cells"), row.end()
            for cell, cue in zip(row["cells"].split("|"), cues, strict=False):
                if cue >= Likelihood.SECRET and (said := cell.strip(_AROUND_CELL)):
                    begin = start + cell.index(said)
                    yield begin, begin + len(said), cue
                start += len(cell) + 1

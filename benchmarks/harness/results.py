"""`RESULTS.md`: a topic a section, in its table a figure a column and a corpus a row, each rewritten in place."""

from __future__ import annotations

import re

import msgspec

from benchmarks.harness.figures import Section, cells

_TOPIC = re.compile(r"^## (.+)$", re.MULTILINE)
_NOTE = re.compile(r"^- \*\*(?P<corpus>.+?)\*\*: ", re.MULTILINE)
_AGAINST, _BAR = "*beside*", "*bar*"


class Topic(msgspec.Struct):
    """Topic: the prose above its table, its cells by row (a corpus) and column (a figure), and a note for each
    corpus."""

    prose: str
    rows: dict[str, dict[str, str]]
    notes: dict[str, str]

    def take(self, section: Section) -> None:
        """Put a section's figures in the row of its corpus, in place where there was one."""
        columns = {figure.what: cells(figure) for figure in section.figures}
        self.rows[section.corpus] = {what: cell.value for what, cell in columns.items()}
        for row, said in ((_AGAINST, "against"), (_BAR, "bar")):
            self.rows.setdefault(row, {}).update(
                {what: getattr(cell, said) for what, cell in columns.items()}
            )
        self.notes[section.corpus] = " ".join(section.notes)

    def text(self) -> str:
        """The topic as Markdown, without its heading."""
        columns = list(dict.fromkeys(what for row in self.rows.values() for what in row))
        heads = [name for name in (_AGAINST, _BAR) if any(self.rows.get(name, {}).values())]
        corpora = [name for name in self.rows if name not in {_AGAINST, _BAR}]
        lines = [_line(["corpus", *columns]), _line(["---"] * (len(columns) + 1))]
        lines += [
            _line([name, *(self.rows[name].get(what, "") for what in columns)]) for name in heads + corpora
        ]
        notes = [f"- **{corpus}**: {note}" for corpus, note in self.notes.items() if note]
        return "\n\n".join(part for part in (self.prose, "\n".join(lines), "\n".join(notes)) if part)


def updated(text: str, sections: list[Section], headings: dict[str, str]) -> str:
    """`text` with the sections put in. `headings`: the topic of a benchmark, by its name. Everything else stays as it
    is."""
    pieces = _TOPIC.split(text)
    topics = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    for section in sections:
        heading = headings[section.benchmark]
        topic = read_topic(topics.get(heading, ""))
        topic.take(section)
        topics[heading] = topic.text()
    parts = [pieces[0], *(f"## {heading}\n\n{topic.strip()}" for heading, topic in topics.items())]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def read_topic(text: str) -> Topic:
    """The topic that `Topic.text` writes, read back."""
    lines = text.strip("\n").split("\n")
    table = [line for line in lines if line.startswith("|")]
    notes = [line for line in lines if _NOTE.match(line)]
    prose = "\n".join(line for line in lines if line not in table and line not in notes).strip("\n")
    columns = _cells(table[0])[1:] if table else []
    rows = {name: dict(zip(columns, row, strict=True)) for name, *row in map(_cells, table[2:])}
    found = [(match["corpus"], line[match.end() :]) for line in notes if (match := _NOTE.match(line))]
    return Topic(prose, rows, dict(found))


def _line(parts: list[str]) -> str:
    return f"| {' | '.join(parts)} |"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]

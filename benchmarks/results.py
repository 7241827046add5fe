"""`RESULTS.md`: one section a corpus, in it one a benchmark, each rewritten in place."""

from __future__ import annotations

import re

from benchmarks.figures import Section

_CORPUS = re.compile(r"^## (.+)$", re.MULTILINE)
_BENCHMARK = re.compile(r"^### (.+)$", re.MULTILINE)


def updated(text: str, sections: list[Section], headings: dict[str, str]) -> str:
    """`text` with the sections put in, in place where they were before. `headings`: what a benchmark measures, by
    name; its order is that of new sections. Everything else stays as it is."""
    head, corpora = _split(text, _CORPUS)
    for section in sections:
        title, parts = _split(corpora.get(section.corpus, ""), _BENCHMARK)
        parts[headings[section.benchmark]] = f"\n{section.text()}\n"
        known = [heading for heading in headings.values() if heading in parts]
        others = [heading for heading in parts if heading not in known]
        corpora[section.corpus] = _joined(title, "###", {name: parts[name] for name in [*known, *others]})
    return _joined(head, "##", corpora)


def _split(text: str, heading: re.Pattern[str]) -> tuple[str, dict[str, str]]:
    """What stands before the first heading, and the text below each."""
    pieces = heading.split(text)
    return pieces[0], dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _joined(head: str, mark: str, parts: dict[str, str]) -> str:
    text = head.rstrip("\n") + "\n"
    for heading, part in parts.items():
        text += f"\n{mark} {heading}\n\n" + part.strip("\n") + "\n"
    return text

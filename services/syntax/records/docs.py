"""Doc comments to text: the summary as one line, tags turned into what they name."""

from __future__ import annotations

import re

from services.concurrency.lazy import expression
from services.model import Documentation
from services.syntax.parse.lexer import with_line_feeds

_MARGIN = expression(r"^[ \t]*(?:///|/\*\*+|\*(?!/))?[ \t]?", re.MULTILINE)
_SUMMARY = expression(r"<summary\s*>(.*?)(?:</summary\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_REFERENCE = expression(
    r"<(?:see|seealso|paramref|typeparamref)\b[^<>]*?\b(?:cref|name|langword|href)\s*=\s*[\"']([^\"']*)[\"'][^<>]*?"
    r"(?:/>|>([^<]*)</(?:see|seealso|paramref|typeparamref)\s*>)"
)
_INHERITED = expression(r"<inheritdoc\b(?:[^<>]*?\bcref\s*=\s*[\"']([^\"']*)[\"'])?")
_SECTION = expression(
    r"<(param|typeparam|exception|returns)\b(?:[^<>]*?\b(?:name|cref)\s*=\s*[\"']([^\"']*)[\"'])?[^<>]*(?<!/)>(.*?)</\1\s*>",
    re.DOTALL,
)
_CDATA = expression(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_TAG = expression(r"</?[A-Za-z][^<>]*>")
_BLANKS = expression(r"\s+")
# What these shorten goes on behind them: with a name, say. Behind `etc.` a sentence may end, but not before a bracket.
# `No. 5` is none of them, because no sentence begins with a digit.
_ABBREVIATIONS = (r"[Ee]\.g", "eg", r"[Ii]\.e", "ie", "[Cc]f", "vs", "approx", "Mr", "Dr", r"etc(?=\.\s\()")
_SENTENCE = expression(
    "(?<=[.!?])" + "".join(rf"(?<!\b{each}\.)" for each in _ABBREVIATIONS) + r"\s+(?=[A-Z`(])"
)
_QUALIFIER = expression(r"\b(?:\w+\.)+(?=\w)")
_LONGEST = 200


def plain_text(comment: bytes) -> str:
    """Return a doc comment (`///` lines or one `/** */`) without its margin; XML is unchanged but for CDATA sections,
    which are escaped: their content is text even where it looks like a tag."""
    lines = with_line_feeds(comment).decode("utf-8", "replace")
    text = _MARGIN.sub("", lines.removesuffix("*/")).strip()
    if "<![CDATA[" not in text:
        return text
    import html

    return _CDATA.sub(lambda section: html.escape(section[1], quote=False), text)


def summary(comment: bytes) -> str | None:
    """The summary folded to one line, or None where there is none. A comment without XML is its own summary."""
    text = plain_text(comment)
    found = _SUMMARY.search(text)
    if found is None and text.startswith("<"):
        return None
    return _folded(found[1] if found else text) or None


def first_line(comment: bytes) -> str | None:
    """The summary's first sentence, cut at 200 characters."""
    text = summary(comment)
    if text is None:
        return None
    sentence = _SENTENCE.split(text, maxsplit=1)[0]
    return sentence if len(sentence) <= _LONGEST else sentence[: _LONGEST - 1].rstrip() + "…"


def documentation(comment: bytes) -> Documentation:
    """Return the documentation of a declaration, each text folded to one line; empty parts are omitted."""
    text = plain_text(comment)
    said: dict[str, dict[str, str]] = {"param": {}, "typeparam": {}, "exception": {}, "returns": {}}
    for tag, name, content in _SECTION.findall(text):
        folded = _folded(content)
        if folded:
            said[tag].setdefault(_short(name), folded)
    return Documentation(
        summary=summary(comment),
        type_parameters=said["typeparam"],
        parameters=said["param"],
        returns=said["returns"].get(""),
        exceptions=said["exception"],
    )


def inherited_from(comment: bytes) -> str | None:
    """Return the source of an `inheritdoc` in a comment without a summary: its `cref`, or "" for the overridden or
    implemented declaration; None where there is no such element."""
    if b"<inheritdoc" not in comment or summary(comment) is not None:
        return None
    import html

    found = _INHERITED.search(plain_text(comment))
    return html.unescape(found[1] or "").strip() if found is not None else None


def _folded(xml: str) -> str:
    import html

    text = _REFERENCE.sub(_named, xml)
    text = html.unescape(_TAG.sub(" ", text))
    text = _BLANKS.sub(" ", text).strip()
    return re.sub(r" (?=[.,;:!?)](?:\s|$))", "", text)


def _named(match: re.Match[str]) -> str:
    """Return the displayed text of a reference: its own text, else the name without its namespace and its `T:`
    prefix."""
    if match[2] and match[2].strip():
        return match[2]
    return _short(match[1])


def _short(reference: str) -> str:
    """A reference without its prefix and namespace: `A.B.Reader` is `Reader`."""
    import html

    name = re.sub(r"^[A-Z]:", "", reference)
    head, bracket, rest = name.partition("(")
    if "/" in head:
        return name
    base, _, arguments = head.partition("{")
    short = ".".join(base.split(".")[-2:]) if bracket else base.split(".")[-1]
    short = re.sub(r"`+\d+", "", short) + html.escape(_generic(arguments))
    return short + (f"({rest}" if bracket and rest != ")" else "()" if bracket else "")


def _generic(arguments: str) -> str:
    """Return the text after the `{` of a reference as C# writes it, without namespaces."""
    if not arguments:
        return ""
    return "<" + _QUALIFIER.sub("", arguments).replace("{", "<").replace("}", ">")

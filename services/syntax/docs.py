"""Doc comments to text: the summary as one line, tags turned into what they name."""

from __future__ import annotations

import html
import re

_MARGIN = re.compile(r"^[ \t]*(?:///|/\*\*+|\*(?!/))?[ \t]?", re.MULTILINE)
_SUMMARY = re.compile(r"<summary\s*>(.*?)(?:</summary\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_REFERENCE = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\b[^<>]*?\b(?:cref|name|langword|href)\s*=\s*[\"']([^\"']*)[\"'][^<>]*?"
    r"(?:/>|>([^<]*)</(?:see|seealso|paramref|typeparamref)\s*>)"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BLANKS = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`(])")
_QUALIFIER = re.compile(r"\b(?:\w+\.)+(?=\w)")
_LONGEST = 200


def plain_text(comment: bytes) -> str:
    """A doc comment (`///` lines or one `/** */`) without its margin; XML as it stands."""
    text = comment.decode("utf-8", "replace")
    return _MARGIN.sub("", text.removesuffix("*/")).strip()


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


def inherits(comment: bytes) -> bool:
    """Whether the comment says `inheritdoc` and nothing of its own."""
    return b"<inheritdoc" in comment and b"<summary" not in comment


def _folded(xml: str) -> str:
    text = _REFERENCE.sub(_named, xml)
    text = html.unescape(_TAG.sub(" ", text))
    text = _BLANKS.sub(" ", text).strip()
    return re.sub(r" (?=[.,;:!?)](?:\s|$))", "", text)


def _named(match: re.Match[str]) -> str:
    """What a reference shows: its own text, else the name without its namespace and its `T:` prefix."""
    if match[2] and match[2].strip():
        return match[2]
    name = re.sub(r"^[A-Z]:", "", match[1])
    head, bracket, rest = name.partition("(")
    if "/" in head:
        return name
    base, _, arguments = head.partition("{")
    short = ".".join(base.split(".")[-2:]) if bracket else base.split(".")[-1]
    short = re.sub(r"`+\d+", "", short) + html.escape(_generic(arguments))
    return short + (f"({rest}" if bracket and rest != ")" else "()" if bracket else "")


def _generic(arguments: str) -> str:
    """What stands behind the `{` of a reference, as C# writes it, namespaces left out."""
    if not arguments:
        return ""
    return "<" + _QUALIFIER.sub("", arguments).replace("{", "<").replace("}", ">")

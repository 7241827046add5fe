"""The window as JSON: `{"items": […], "omitted": […]}`, one element a line, in camelCase."""

from __future__ import annotations

import json

from services.prompt.render.content import Content


def item(content: Content, *, first: bool) -> str:
    """An object with the item's place and text; what does not apply is left out."""
    rendered = content.rendered
    value = {
        "key": content.key,
        "kind": content.title,
        "label": rendered.label,
        "state": content.state,
        "file": rendered.file,
        "startLine": rendered.start_line,
        "endLine": rendered.end_line,
        "note": " ".join(content.notes) or None,
        "text": content.text,
    }
    return _line({name: part for name, part in value.items() if part is not None}, first=first)


def omitted(what: str, key: str | None, *, first: bool) -> str:
    """An object that says what, with a key unless it is about the rest."""
    return _line({"what": what, "key": key} if key else {"what": what}, first=first)


def _line(value: object, *, first: bool) -> str:
    return f"{'' if first else ','}{json.dumps(value, ensure_ascii=False)}\n"

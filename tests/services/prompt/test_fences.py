"""No content can break out of what stands around it, in any format: what is read back is what was put in."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from services.model import Level
from services.prompt.items import KINDS, Rendered
from services.prompt.render.content import FORMATS, Content, json_item, markdown_item, xml_item

PIECES = st.sampled_from(
    [
        "```",
        "````",
        "~~~",
        "\n",
        "## B · whole file",
        "]]>",
        "<![CDATA[",
        "</document>",
        "<",
        "&",
        '"',
        "\\",
        "}]",
        " ",
        "a",
    ]
)
CHARACTERS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"), max_size=3
)
TEXT = st.lists(PIECES | CHARACTERS, max_size=30).map("".join)


def content(text: str, label: str) -> Content:
    rendered = Rendered(label=label, text=text, version="1", language="csharp")
    return Content(
        key="file:a", kind=KINDS["file"], level=Level.WHOLE, rendered=rendered, text=text, pinned=True
    )


@given(TEXT, TEXT)
def test_markdown_gives_the_text_back_and_ends_its_fence(text: str, label: str) -> None:
    heading, blank, fence, *rest = markdown_item(content(text, label), first=True).split("\n")
    assert heading.startswith("## ")
    assert blank == ""
    run = re.fullmatch(r"(`{3,})csharp", fence)
    assert run is not None
    closes = [n for n, line in enumerate(rest) if re.fullmatch(rf" {{0,3}}`{{{len(run[1])},}}[ \t]*", line)]
    shown = "\n".join(rest[: closes[0]])
    assert shown == text.removesuffix("\n")
    assert not any(rest[closes[0] + 1 :])


@given(st.lists(st.tuples(TEXT, TEXT), max_size=3))
def test_xml_is_well_formed_and_gives_the_texts_back(items: list[tuple[str, str]]) -> None:
    form = FORMATS["xml"]
    pieces = [xml_item(content(text, label), first=n == 0) for n, (text, label) in enumerate(items)]
    root = ElementTree.fromstring(form.head + "".join(pieces) + form.tail)
    assert [each.findtext("document_content") for each in root] == [text for text, _ in items]


@given(st.lists(st.tuples(TEXT, TEXT), max_size=3))
def test_json_is_json_and_gives_the_texts_back(items: list[tuple[str, str]]) -> None:
    form = FORMATS["json"]
    pieces = [json_item(content(text, label), first=n == 0) for n, (text, label) in enumerate(items)]
    value = json.loads(form.head + "".join(pieces) + form.tail)
    assert [(each["text"], each["label"]) for each in value["items"]] == items

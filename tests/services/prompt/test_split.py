"""Parts hold what they may, say their number, keep lines and fences whole, and give the text when put together."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.prompt.receipts import split
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for

COUNTER = counter_for("gpt-5", EncodingCounter())
LINE = st.one_of(
    st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\n"), max_size=12),
    st.sampled_from(
        ["```", "```csharp", "`````", "~~~", "  ```", "    ```", "<![CDATA[a", "b]]>", "]]", "", "}"]
    ),
)
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=60), st.sampled_from(["", "\n"])
)


def parts_of(text: str, most: int, form: str = "md"):
    return split(text, most=most, count=COUNTER.count, form=form)


@given(TEXT, st.integers(60, 200), st.sampled_from(["md", "xml"]))
def test_every_part_fits_and_together_they_are_the_text(text: str, most: int, form: str) -> None:
    parts = parts_of(text, most, form)
    assert "".join(part.content for part in parts) == text
    assert all(COUNTER.count(part.text) <= most for part in parts)
    assert [(part.number, part.total) for part in parts] == [
        (number, len(parts)) for number in range(1, len(parts) + 1)
    ]
    assert all(part.content.endswith("\n") for part in parts[:-1])


@given(TEXT, st.integers(60, 120))
def test_no_fence_is_open_at_the_end_of_a_part_but_the_last(text: str, most: int) -> None:
    for part in parts_of(text, most)[:-1]:
        assert open_fence(part.text) is None


def open_fence(text: str) -> str | None:
    """The fence that is open at the end of Markdown: the rule of CommonMark, told another way."""
    fence: str | None = None
    for line in text.split("\n"):
        found = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
        if found is None:
            continue
        run, info = found.groups()
        if fence is None:
            fence = run if run[0] == "~" or "`" not in info else None
        elif run[0] == fence[0] and len(run) >= len(fence) and not info.strip():
            fence = None
    return fence


def test_a_fence_is_closed_and_opened_again() -> None:
    text = "````csharp\n" + "".join(f"int a{n};\n" for n in range(60)) + "````\nend\n"
    first, second, *_ = parts_of(text, 120)
    assert first.text.startswith(f"Part 1 of {first.total}\n\n````csharp\nint a0;\n")
    assert first.text.endswith(";\n````\n")
    assert second.text.startswith(f"Part 2 of {first.total}\n\n````csharp\nint ")


def test_a_section_of_xml_is_closed_and_opened_again() -> None:
    text = "<d><![CDATA[" + "".join(f"int a{n};\n" for n in range(60)) + "]]></d>\n"
    first, second, *_ = parts_of(text, 120, "xml")
    assert first.text.endswith(";\n]]>\n")
    assert second.text.startswith(f"Part 2 of {first.total}\n\n<![CDATA[int ")


def test_a_text_that_fits_is_one_part_without_a_number() -> None:
    (part,) = parts_of("a\nb", 100)
    assert part.text == "a\nb"


def test_a_line_that_no_part_can_hold_is_said_with_what_it_takes() -> None:
    text = "short\n" * 50 + "word " * 200 + "\n"
    with pytest.raises(UsageError, match="Line 51 alone takes") as caught:
        parts_of(text, 100)
    needed = caught.value.details["needed"]
    assert len(parts_of(text, needed)) > 1
    with pytest.raises(UsageError, match="alone takes"):
        parts_of(text, needed - 1)


def test_json_is_one_text_or_refused() -> None:
    text = json.dumps({"items": ["word " * 40] * 3}, indent=1)
    (whole,) = parts_of(text, COUNTER.count(text), "json")
    assert whole.text == text
    with pytest.raises(UsageError, match="JSON is not split") as raised:
        parts_of(text, COUNTER.count(text) - 1, "json")
    assert raised.value.details["needed"] == COUNTER.count(text)


@pytest.mark.parametrize(
    ("text", "form", "heading"),
    [
        ("## A.B · member source\n\n```csharp\n" + "int x;\n" * 90 + "```\n", "md", "A.B · member source"),
        (
            "<document>\n<source>A.B · member source</source>\n<document_content><![CDATA["
            + "int x;\n" * 90
            + "]]></document_content>\n</document>\n",
            "xml",
            "A.B · member source",
        ),
    ],
)
def test_a_part_says_what_it_continues(text: str, form: str, heading: str) -> None:
    parts = parts_of(text, 120, form)
    assert len(parts) > 1
    assert parts[0].text.startswith(f"Part 1 of {len(parts)}\n")
    for part in parts[1:]:
        assert part.text.startswith(f"Part {part.number} of {len(parts)}, continuing {heading}\n\n")


def test_a_part_that_begins_with_a_heading_continues_nothing() -> None:
    text = "".join(f"## Item {n}\n\n" + f"word{n} " * 40 + "\n\n" for n in range(4))
    for part in parts_of(text, 100):
        assert ("continuing" in part.text) is not part.content.startswith("## ")

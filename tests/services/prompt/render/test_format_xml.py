"""XML that any reader takes: the same bytes as the standard library's escaping."""

from xml.sax.saxutils import escape

from hypothesis import given
from hypothesis import strategies as st

from services.prompt.render.content import in_one_line, xml_omitted

TEXTS = st.text(st.sampled_from("a&<>\"'\n\t\r é]"), max_size=12)


@given(TEXTS)
def test_text_is_escaped_as_the_standard_library_does(text: str) -> None:
    assert xml_omitted(text, None, first=False) == f"<rest>{escape(text)}</rest>\n"
    assert xml_omitted("-", text, first=False) == f"<item>{escape(in_one_line(text))} · -</item>\n"

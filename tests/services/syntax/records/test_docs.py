"""Doc comments as one line of text."""

import pytest

from services.model import Documentation
from services.syntax.records.docs import documentation, first_line, inherited_from, plain_text, summary


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("/// <summary>Reads it.</summary>", "Reads it."),
        ("/// <summary>\n    /// Reads\n    ///  all of it.\n    /// </summary>", "Reads all of it."),
        ("/** <summary> Reads it. </summary> */", "Reads it."),
        ("/**\n * <summary>\n * Reads it.\n * </summary>\n */", "Reads it."),
        ("/// Plain words.", "Plain words."),
        ('/// <summary>See <see cref="T:A.B.Reader"/>.</summary>', "See Reader."),
        (
            '/// <summary>See <see cref="M:A.Reader.Read(System.Int32)"/>.</summary>',
            "See Reader.Read(System.Int32).",
        ),
        ('/// <summary>See <see cref="M:A.Reader.Read()"/>.</summary>', "See Reader.Read()."),
        ('/// <summary>See <see cref="List{T}"/>.</summary>', "See List<T>."),
        (
            '/// <summary>See <see cref="A.Map{System.Int32, B.List{T}}"/>.</summary>',
            "See Map<Int32, List<T>>.",
        ),
        ('/// <summary>See <see cref="T:A.List`1"/>.</summary>', "See List."),
        ('/// <summary>Or <see langword="null"/>.</summary>', "Or null."),
        ('/// <summary>The <paramref name="count"/> of it.</summary>', "The count of it."),
        ('/// <summary>At <see href="https://example.org/a">the site</see>.</summary>', "At the site."),
        ("/// <summary>A &lt;T&gt; &amp; b.</summary>", "A <T> & b."),
        (
            "/// <summary>Use <c><![CDATA[List<int> & Map<K,V>]]></c> here.</summary>",
            "Use List<int> & Map<K,V> here.",
        ),
        ("/// <summary>Ends <![CDATA[</summary> & so]]> on.</summary>", "Ends </summary> & so on."),
        ("/// <summary>Never <![CDATA[<closed>", "Never <closed>"),
        ("/// <summary>One.<para>Two.</para></summary>", "One. Two."),
        ("/// <summary>Never closed", "Never closed"),
        ("/// <summary></summary>", None),
        ("/// <returns>It.</returns>", None),
        ("/// <inheritdoc/>", None),
    ],
)
def test_a_summary_is_one_line_of_words(comment: str, text: str | None) -> None:
    assert summary(comment.encode()) == text


def test_the_first_line_is_the_first_sentence() -> None:
    assert first_line(b"/// <summary>Reads v1.2 it. Then writes.</summary>") == "Reads v1.2 it."


@pytest.mark.parametrize(
    "sentence",
    [
        "Gets or sets how missing members (e.g. JSON contains a property) are handled.",
        "E.g. List.",
        "The base, i.e. Reader, of it.",
        "Reads, cf. Writer.",
        "Tabs vs. Blanks.",
        "It takes approx. N steps.",
        "As Dr. Who asked of Mr. X.",
        "Names, numbers etc. (in this order).",
        "Line No. 5 of it.",
    ],
)
def test_an_abbreviation_ends_no_first_sentence(sentence: str) -> None:
    assert first_line(f"/// <summary>{sentence} Then more.</summary>".encode()) == sentence


@pytest.mark.parametrize("sentence", ["Names, numbers, etc.", "Uses IE.", "It begins."])
def test_what_only_looks_like_an_abbreviation_ends_it(sentence: str) -> None:
    assert first_line(f"/// <summary>{sentence} Then more.</summary>".encode()) == sentence


def test_a_first_line_is_cut_at_200_characters() -> None:
    line = first_line(b"/// <summary>" + b"word " * 100 + b"</summary>")
    assert line is not None
    assert len(line) <= 200
    assert line.endswith("…")


def test_inheritdoc_counts_where_nothing_is_said_besides() -> None:
    assert inherited_from(b'/// <inheritdoc cref="A{T}"/>') == "A{T}"
    assert (
        inherited_from(b"/// <inheritdoc path='/summary' cref='M:N.A.B(System.Int32)' />")
        == "M:N.A.B(System.Int32)"
    )
    assert inherited_from(b"/// <summary><inheritdoc/></summary>") == ""
    assert inherited_from(b"/// <inheritdoc/> <summary>Own.</summary>") is None
    assert inherited_from(b"/// <summary>Own.</summary>") is None


def test_what_is_said_of_parameters_and_results() -> None:
    comment = b"""/// <summary>Reads.</summary>
    /// <param name="at">Where, from <c>0</c>.</param>
    /// <typeparam name="T">What.</typeparam>
    /// <param name="empty"></param>
    /// <returns>The <see cref="T:N.Item"/> there.</returns>
    /// <exception cref="T:System.IO.IOException">It is gone.</exception>"""
    assert documentation(comment) == Documentation(
        summary="Reads.",
        type_parameters={"T": "What."},
        parameters={"at": "Where, from 0."},
        returns="The Item there.",
        exceptions={"IOException": "It is gone."},
    )
    assert documentation(b"/// <inheritdoc/>") == Documentation()


def test_tags_in_cdata_are_text() -> None:
    comment = b"""/// <param name="at">Of <![CDATA[Map<K, V>]]>.</param>
    /// <example><![CDATA[<param name="other">Not one.</param> <inheritdoc/>]]></example>"""
    assert documentation(comment) == Documentation(parameters={"at": "Of Map<K, V>."})
    assert inherited_from(comment) is None


def test_bytes_that_are_no_text_do_not_raise() -> None:
    assert summary(b"/// <summary>\xff\0</summary>") is not None


def test_a_margin_begins_behind_any_line_end_of_the_language() -> None:
    for end in ("\r", "\u2028"):
        assert plain_text(f"/// One{end}    /// two".encode()).split() == ["One", "two"]

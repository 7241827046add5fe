"""Doc comments as one line of text."""

import pytest

from services.syntax.docs import first_line, inherits, summary


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


def test_a_first_line_is_cut_at_200_characters() -> None:
    line = first_line(b"/// <summary>" + b"word " * 100 + b"</summary>")
    assert line is not None
    assert len(line) <= 200
    assert line.endswith("…")


def test_inheritdoc_counts_where_nothing_is_said_besides() -> None:
    assert inherits(b'/// <inheritdoc cref="A"/>')
    assert not inherits(b"/// <inheritdoc/> <summary>Own.</summary>")
    assert not inherits(b"/// <summary>Own.</summary>")


def test_bytes_that_are_no_text_do_not_raise() -> None:
    assert summary(b"/// <summary>\xff\0</summary>") is not None

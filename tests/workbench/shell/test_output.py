"""JSON on its way out, closed pipes, progress."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import ModelError
from services.model import Notice, Progress
from services.operations.models.ask import AskEvent
from widgets.format.display import is_safe
from workbench.shell import output
from workbench.shell.options import Form
from workbench.shell.output import ProgressLine, json_text, words, write_stream
from workbench.shell.text.render import Look


@given(st.text(st.characters(exclude_categories=[])))
def test_json_says_what_it_was_given_and_a_terminal_cannot_act_on_it(text: str) -> None:
    written = json_text(Notice(severity="warning", message=text))
    assert json.loads(written)["message"] == text
    assert is_safe(written)


INVISIBLE = "\u200b\u200d\u00ad\U000e0041\u202e\x1b\x9b\ufeff\u3164"


@pytest.mark.parametrize("indent", [0, 2])
def test_what_a_terminal_hides_is_escaped_in_json(indent: int) -> None:
    written = json_text({"text": f"a{INVISIBLE}b", INVISIBLE: 1}, indent=indent)
    assert is_safe(written.replace("\n", ""))
    assert json.loads(written) == {"text": f"a{INVISIBLE}b", INVISIBLE: 1}
    assert "\\udb40\\udc41" in written  # a tag, as a pair of surrogates


def test_text_for_people_is_visible_behind_a_pipe_too() -> None:
    look = Look.of(io.StringIO())
    assert not look.terminal
    source = f"\tint a; // {INVISIBLE}\r\n\tint b;\rint c;\n"
    shown = look.source(source)
    assert is_safe(shown.replace("\r\n", "").replace("\n", "").replace("\t", ""))
    assert shown.startswith("\tint a; // ⟨U+200B⟩⟨U+200D⟩⟨U+00AD⟩⟨U+E0041⟩⟨U+202E⟩␛⟨U+009B⟩")
    assert shown.endswith("\r\n\tint b;␍int c;\n")
    assert look.source("\tint d;\r\n") == "\tint d;\r\n"


def shell(*arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> bytes:
    command = [sys.executable, "-m", "workbench", "--root", str(folder), *arguments]
    given = {**os.environ, **(environment or {})}
    return subprocess.run(
        command, check=True, capture_output=True, cwd=Path(__file__).parents[3], env=given
    ).stdout


def test_only_raw_source_and_copies_pass_a_pipe_as_they_are(tmp_path: Path) -> None:
    source = f"class A {{ }} // {INVISIBLE}\r\n"
    (tmp_path / "A.cs").write_bytes(source.encode())
    assert shell("read", "A.cs", "--raw", folder=tmp_path) == source.encode()
    assert is_safe(shell("read", "A.cs", folder=tmp_path).decode().removesuffix("\r\n"))
    assert b"\x1b" not in shell("grep", "class", folder=tmp_path)
    assert json.loads(shell("read", "A.cs", "--json", folder=tmp_path))["content"] == source


def test_names_that_are_no_utf8_survive() -> None:
    written = json_text(Notice(severity="warning", message="\udcff"), indent=2)
    assert json.loads(written)["message"] == "\udcff"


def test_a_stream_that_breaks_off_leaves_the_reason_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def breaks() -> Iterator[AskEvent]:
        yield AskEvent(kind="text", text="Half of")
        yield AskEvent(kind="usage")
        raise ModelError("gone")

    with pytest.raises(ModelError):
        write_stream(breaks(), Form.TEXT)
    assert capsys.readouterr().out == "Half of\n"
    write_stream([AskEvent(kind="asking", text="1 token")], Form.TEXT)
    assert capsys.readouterr().out == "1 token\n"


def test_a_reader_that_goes_away_is_not_an_error() -> None:
    code = (
        "import sys\nfrom workbench.shell.output import quiet_pipe, write_stream\n"
        "from workbench.shell.options import Form\n"
        "with quiet_pipe(): write_stream(iter(range(10**7)), Form.JSONL)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "0\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_progress_is_said_in_words() -> None:
    assert words(Progress(phase="parsing", done=1200, total=5000)) == "parsing: 1 200 of 5 000 files, 24 %"
    assert words(Progress(phase="looking", done=7, total=None)) == "looking: 7 files"


def test_progress_writes_nothing_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "FIRST_AFTER", 0)
    stream = io.StringIO()
    with ProgressLine(stream) as progress:
        progress(Progress(phase="parsing", done=1, total=2))
    assert stream.getvalue() == ""


class Narrow(io.StringIO):
    """A terminal of so many columns; None: it does not tell."""

    def __init__(self, columns: int | None) -> None:
        super().__init__()
        self.columns = columns

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        if self.columns is None:
            raise io.UnsupportedOperation("fileno")
        return 99


def painted_rows(written: str, columns: int) -> list[str]:
    """What stands in the rows of a terminal that goes on in the next row, once all of it is written."""
    rows, row, at = [""], 0, 0
    for character in written:
        if character == "\r":
            at = 0
            continue
        if at == columns:
            row, at = row + 1, 0
            rows += [""] * (row == len(rows))
        rows[row] = rows[row][:at].ljust(at) + character + rows[row][at + 1 :]
        at += 1
    return [each.rstrip() for each in rows]


@pytest.mark.parametrize("columns", [None, 20, 35, 120], ids=["unknown", "narrow", "just too narrow", "wide"])
def test_progress_leaves_nothing_behind_on_a_terminal_of_any_width(
    columns: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "FIRST_AFTER", 0)
    monkeypatch.setattr(output, "EVERY", 0)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((columns or 0, 24)))
    stream = Narrow(columns)
    with ProgressLine(stream) as progress:
        progress(Progress(phase="parsing", done=1200, total=5000))
        shown = painted_rows(stream.getvalue(), columns or 80)
        progress(Progress(phase="parsing", done=9, total=None))
        shorter = painted_rows(stream.getvalue(), columns or 80)
    assert len(shown) == 1
    assert shown[0].startswith("parsing: 1 200 of")
    assert shown[0].endswith(", 24 %" if columns in (None, 120) else "…")
    assert shorter == ["parsing: 9 files"]
    assert painted_rows(stream.getvalue(), columns or 80) == [""]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_poorer_character_set_gets_no_escapes_for_the_programs_own_signs(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    output._spell_signs()
    print("a · b → c … ≈ 4 ● ⟳ Größe 木")
    stream.flush()
    said = written.getvalue().decode(encoding)
    assert "->" in said
    assert "..." in said
    assert "(stale)" in said
    assert "\\u2026" not in said
    assert "\\u6728" in said  # of a name nothing is lost
    assert ("Größe" in said) == (encoding == "latin-1")


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_every_locale_without_a_character_set_is_utf_8(locale: str, tmp_path: Path) -> None:
    (tmp_path / "A.cs").write_text("/// <summary>A · b → c.</summary>\npublic class Größe { }\n", "utf-8")
    found = shell("outline", "Größe", folder=tmp_path, environment={"LC_ALL": locale, "LANG": locale})
    assert "Größe" in found.decode("utf-8")
    assert b"\\" not in found
    assert b"\x1b" not in found

"""JSON on its way out, closed pipes, progress."""

from __future__ import annotations

import io
import json
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from services.model import Notice, Progress
from workbench.shell.output import ProgressLine, json_text, words


@given(st.text(st.characters(exclude_categories=[])))
def test_json_says_what_it_was_given_and_a_terminal_cannot_act_on_it(text: str) -> None:
    written = json_text(Notice(severity="warning", message=text))
    assert json.loads(written)["message"] == text
    assert not any(character in written for character in "\x1b\x7f\x85\x9b\u202e\u2028\u2066")


def test_names_that_are_no_utf8_survive() -> None:
    written = json_text(Notice(severity="warning", message="\udcff"), indent=2)
    assert json.loads(written)["message"] == "\udcff"


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


def test_progress_writes_nothing_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as progress:
        progress(Progress(phase="parsing", done=1, total=2))
    assert stream.getvalue() == ""

"""What quotes source is masked where it does not go to a terminal: a model reads pipes as often as a person."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.workspace import write_workspace
from workbench.shell.cli import run

KEY, PASSWORD, LOGIN = "Kd83jWq0ZpLm29XvTb71Rc5Y", "Copper!42xy", "Rocket!1984zz"
SOURCE = f"""namespace Shop;
public class Keys
{{
    public const string ApiKey = "{KEY}";
    public void Login(string user, string password = "{PASSWORD}") {{ }}
    public void Go() {{ Login("ops", "{LOGIN}"); }}
}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    made = write_workspace(tmp_path / "shop", {"Keys.cs": "namespace Shop;\n"})
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.test"]
        subprocess.run(["git", *who, *words], cwd=made, check=True)
    (made / "Keys.cs").write_text(SOURCE)
    return made


COMMENT = (
    "comment", f'is apiKey = "{KEY}" the right one?', "--file", "Keys.cs", "--line", "4",
    "--suggestion", f'    public const string ApiKey = "{KEY}";',
)  # fmt: skip


@pytest.mark.parametrize("form", [(), ("--json",), ("--jsonl",)], ids=["text", "json", "jsonl"])
@pytest.mark.parametrize(
    ("words", "secret"),
    [
        (("outline", "Shop.Keys"), KEY),
        (("usages", "Shop.Keys.Login"), LOGIN),
        (("diff",), KEY),
        (("read", "Keys.cs"), KEY),
        (("grep", "Login("), LOGIN),
        (COMMENT, KEY),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_secrets_do_not_go_into_a_pipe_and_a_terminal_shows_its_person_all(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    secret: str,
    form: tuple[str, ...],
) -> None:
    assert run(["--root", str(folder), *words, *form]) == 0
    out = capsys.readouterr().out
    assert "[[secret:" in out
    assert not [each for each in (KEY, PASSWORD, LOGIN) if each in out]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(["--root", str(folder), *words, *form]) == 0
    assert secret in capsys.readouterr().out


@pytest.mark.parametrize("form", ["--json", "--jsonl"])
def test_rows_of_a_stream_are_masked(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert run(["--root", str(folder), "symbols", form]) == 0
    out = capsys.readouterr().out
    assert "ApiKey" in out
    assert "[[secret:" in out
    assert not [each for each in (KEY, PASSWORD, LOGIN) if each in out]


def test_a_review_is_masked_and_says_so_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--root", str(folder), *COMMENT]) == 0
    capsys.readouterr()
    for form in ((), ("--json",)):
        assert run(["--root", str(folder), "review", *form]) == 0
        out, err = capsys.readouterr()
        assert "[[secret:" in out
        assert KEY not in out
        assert err.count("Likely secrets are masked") == (not form)


def test_the_handle_of_a_lock_can_be_kept_by_a_script(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(8):  # a random handle looks more or less like a secret
        (folder / f"F{number}.cs").write_text("")
        assert run(["--root", str(folder), "lock", f"F{number}.cs"]) == 0
        out, said = capsys.readouterr()
        assert "masked" not in said
        assert run(["--root", str(folder), "unlock", f"F{number}.cs", "--handle", out.split()[-1]]) == 0


@pytest.mark.parametrize("words", [("read", "Keys.cs"), ("diff",)])
def test_raw_is_what_can_be_written_back(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert run(["--root", str(folder), *words, "--raw"]) == 0
    out = capsys.readouterr().out
    assert KEY in out
    assert "[[secret:" not in out

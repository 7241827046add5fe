"""What the documents promise is what the program has."""

from __future__ import annotations

import re
import shlex
import stat

import click
import pytest

from services import __version__
from tests.support.documents import DOCUMENTS, ROOT, renewed
from workbench.shell.group import make_group
from workbench.shell.options import common_options


@pytest.mark.parametrize("path", DOCUMENTS)
def test_tables_are_those_the_program_declares(path: str) -> None:
    """If this fails: python -m tests.support.documents."""
    text = (ROOT / path).read_text("utf-8")
    assert text == renewed(text, DOCUMENTS[path])


def test_readme_has_two_set_up_lines_each_in_a_block_of_its_own() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert [block.count("\n") for block in blocks] == [1, 1]
    assert all(block.startswith("python3 -m venv .venv && ") for block in blocks)


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^):]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_changelog_begins_with_this_version() -> None:
    assert (
        re.findall(r"^## (\d.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0] == __version__
    )


def test_the_check_script_can_be_run() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & stat.S_IXUSR


PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
)


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_points_at_is_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = re.findall(r"`((?:services|workbench|widgets|themes|tests|benchmarks|docs|\.ci)/[\w/.]+)`", text)
    assert [path for path in named if "NAME" not in path and not (ROOT / path).exists()] == []
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^):]+)\)", text)]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
    modules = re.findall(r"python (?:-P )?-m ((?:tests|benchmarks|workbench)[\w.]*)", text)
    files = [ROOT / module.replace(".", "/") for module in modules]
    assert [
        str(file)
        for file in files
        if not file.with_suffix(".py").exists() and not (file / "__main__.py").exists()
    ] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_that_a_page_shows_is_one_of_the_program(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    spans = re.findall(r"`(?:\.venv/bin/)?codecortex ([^`\n]+)`", text)
    lines = re.findall(r"^(?:\$ |    )(?:\.venv/bin/)?codecortex (.+?)(?: \\)?$", text, re.MULTILINE)
    assert [wrong for shown in (*spans, *lines) if (wrong := _unknown(shown))] == []


def _unknown(shown: str) -> str:
    """The first word of a command line that the program does not know, with the line; empty where it knows all.
    COMMAND stands for any, as do brackets for what may be left out."""
    group = make_group()
    context = click.Context(group)
    options = {flag: each for each in (*group.params, *common_options()) for flag in each.opts}
    options["--help"] = click.Option(["--help"], is_flag=True)
    words = iter(shlex.split(re.sub(r"\[.*?\]", "", re.split(r" [|>#&] ?", shown)[0])))
    command = None
    for word in words:
        if word.startswith("-"):
            option = options.get(word.partition("=")[0])
            if not isinstance(option, click.Option):
                return f"{shown}: {word}"
            if not (option.is_flag or option.count or "=" in word):
                next(words, None)
        elif command is None and word != "COMMAND":
            command = group.get_command(context, word)
            if command is None:
                return f"{shown}: {word}"
            options |= {flag: each for each in command.params for flag in (*each.opts, *each.secondary_opts)}
    return ""


def test_every_section_of_the_contract_that_code_cites_is_in_it() -> None:
    there = set(re.findall(r"^## (\d+)\.", (ROOT / "docs" / "SPEC.md").read_text("utf-8"), re.MULTILINE))
    files = [file for name in ("services", "workbench", "widgets") for file in (ROOT / name).rglob("*.py")]
    cited = {
        number for file in files for number in re.findall(r"SPEC section (\d+)", file.read_text("utf-8"))
    }
    assert cited <= there

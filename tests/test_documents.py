"""What the documents promise is what the program has."""

from __future__ import annotations

import re
import stat

import pytest

from services import __version__
from tests.support.documents import DOCUMENTS, ROOT, renewed


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


@pytest.mark.parametrize("page", ["AGENTS.md", "TOUR.md", "GLOSSARY.md", "SPEC.md", "SAFETY.md"])
def test_what_a_page_points_at_is_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    named = re.findall(r"`((?:services|workbench|widgets|themes)/[\w/.]+)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []
    links = re.findall(r"\]\(([^):]+)\)", text)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_every_section_of_the_contract_that_code_cites_is_in_it() -> None:
    there = set(re.findall(r"^## (\d+)\.", (ROOT / "docs" / "SPEC.md").read_text("utf-8"), re.MULTILINE))
    files = [file for name in ("services", "workbench", "widgets") for file in (ROOT / name).rglob("*.py")]
    cited = {
        number for file in files for number in re.findall(r"SPEC section (\d+)", file.read_text("utf-8"))
    }
    assert cited <= there

"""Packs on disk: what is written comes back, what a person adds stays, and damage is told with the file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.errors import CodeCortexError, UsageError, WorkspaceError
from services.prompt.pack_files import PackBuild, PackFile, PackFiles, check_name
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
lists = st.lists(texts, max_size=3).map(tuple)
builds = st.builds(
    PackBuild, hash=texts, text=texts, at=st.integers(0, 2**53), tokens=st.integers(0), types=lists
)
packs = st.builds(PackFile, filter=texts, types=lists, budget=st.integers(1, 10**6), built=builds)
on_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)

WRITTEN = """\
# Ours.
filter = "type:A"  # the root
types = [
    "N.B",  # until it moves
    # "N.C" is next
]
budget = 900

[built]  # by the program
# Never by hand.
hash = "1"
text = "2"
at = 3
tokens = 4
tokenizer = "o200k_base"
types = ["T_1 outline 4 N.B"]

[owner]
name = "kim"
"""
PACK = PackFile(
    filter="type:A", types=("N.B",), budget=900,
    built=PackBuild(hash="1", text="2", at=3, tokens=4, tokenizer="o200k_base", types=("T_1 outline 4 N.B",)),
)  # fmt: skip


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder.open(Root.open(tmp_path))


@pytest.fixture
def files(state: StateFolder) -> PackFiles:
    return PackFiles(state)


@on_one_folder
@given(packs, packs, texts)
def test_what_is_written_comes_back_whatever_stood_there(
    files: PackFiles, before: PackFile, pack: PackFile, text: str
) -> None:
    for each in (before, pack):
        files.write("a", each, text)
        assert files.read("a") == each
    assert files.text("a") == text


@on_one_folder
@given(packs)
def test_writing_the_same_again_changes_no_byte(state: StateFolder, files: PackFiles, pack: PackFile) -> None:
    files.write("a", pack, "")
    once = state.shared.read("packs/a.toml")
    files.write("a", pack, "")
    assert state.shared.read("packs/a.toml") == once


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_file_that_a_person_wrote_stays_to_the_byte_where_nothing_changes(
    state: StateFolder, files: PackFiles, ending: str
) -> None:
    data = WRITTEN.replace("\n", ending).encode()
    state.shared.write("packs/a.toml", data)
    assert files.read("a") == PACK
    files.write("a", PACK, "text\n")
    assert state.shared.read("packs/a.toml") == data


def test_a_new_build_leaves_every_comment_and_field_of_a_persons(
    state: StateFolder, files: PackFiles
) -> None:
    state.shared.write("packs/a.toml", WRITTEN.encode())
    files.write(
        "a", PackFile(filter="type:Z", types=("N.B",), built=PackBuild(hash="9", types=("x", "y"))), ""
    )
    written = (state.shared.read("packs/a.toml") or b"").decode()
    for kept in (
        "# Ours.",
        "# the root",
        "# until it moves",
        '# "N.C" is next',
        "# by the program",
        "# Never by hand.",
    ):
        assert kept in written
    assert tomllib.loads(written)["owner"] == {"name": "kim"}
    assert files.read("a") == PackFile(
        filter="type:Z", types=("N.B",), built=PackBuild(hash="9", types=("x", "y"))
    )


def test_a_file_may_begin_with_a_byte_order_mark(state: StateFolder, files: PackFiles) -> None:
    state.shared.write("packs/a.toml", b"\xef\xbb\xbf" + WRITTEN.encode())
    assert files.read("a") == PACK
    files.write("a", PACK, "")
    assert files.read("a") == PACK


def test_the_fields_that_a_person_leaves_out_have_their_defaults(
    state: StateFolder, files: PackFiles
) -> None:
    state.shared.write("packs/a.toml", b'filter = "type:A"\n')
    assert files.read("a") == PackFile(filter="type:A")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n \n", id="blank"),
        pytest.param(b"filter = [", id="cut"),
        pytest.param(b"\xff\xfe", id="no UTF-8"),
        pytest.param(b"filter = 1\n", id="a filter of another type"),
        pytest.param(b"built = 1\n", id="a build of another type"),
        pytest.param(b"types = [" + b"[" * 5_000, id="nested too deep"),
    ],
)
def test_damage_is_an_error_that_names_the_file_and_the_pack_can_go(
    state: StateFolder, files: PackFiles, data: bytes
) -> None:
    state.shared.write("packs/a.toml", data)
    with pytest.raises(WorkspaceError, match=r"packs/a\.toml cannot be understood") as raised:
        files.read("a")
    assert raised.value.details["path"] == "packs/a.toml"
    assert "a" in files
    assert files.remove("a")
    assert "a" not in files


def test_only_what_can_be_a_pack_is_listed(state: StateFolder, files: PackFiles) -> None:
    for name in ("b.toml", "a.toml", "a.md", "con.toml", "not a name.toml", "c.toml.orig", "v1.2.toml"):
        state.shared.write(f"packs/{name}", b"")
    assert files.names() == ["a", "b", "v1.2"]


@given(st.text(max_size=70))
def test_a_name_is_taken_or_refused_the_same_way_everywhere(name: str) -> None:
    try:
        check_name(name)
    except CodeCortexError as error:
        assert isinstance(error, UsageError)
        assert error.details["name"] == name
    else:
        assert "/" not in name
        assert name.strip(". ") == name
        assert 1 <= len(name) <= 64


def test_a_name_that_is_none_reaches_no_file(state: StateFolder, files: PackFiles) -> None:
    state.shared.write("secret.toml", b'filter = "type:A"\n')
    for attempt in (files.read, files.text, files.remove, files.__contains__):
        with pytest.raises(UsageError):
            attempt("../secret")
    with pytest.raises(UsageError):
        files.write("../secret", PACK, "")
    assert state.shared.read("secret.toml") == b'filter = "type:A"\n'


def test_packs_are_active_until_they_are_not_or_are_gone(files: PackFiles) -> None:
    files.write("a", PACK, "")
    for name in ("a", "b", "a"):
        files.set_active(name, True)
    assert files.active() == {"a", "b"}
    files.set_active("b", False)
    files.set_active("b", False)
    assert files.active() == {"a"}
    assert files.remove("a")
    assert files.active() == frozenset()
    assert not files.remove("a")


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"["], ids=["empty", "an object", "numbers", "cut"])
def test_damage_of_the_active_ones_is_put_aside_with_a_word(
    state: StateFolder, files: PackFiles, damage: bytes
) -> None:
    state.write("packs-active.json", damage)
    assert files.active() == frozenset()
    assert ["Which packs are active" in notice.message for notice in state.notices] == [True]
    files.set_active("a", True)
    assert files.active() == {"a"}

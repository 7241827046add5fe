"""The folders of a workspace, each once, the deepest left out first."""

from __future__ import annotations

from services.prompt.templates import folder_tree

FILES = ["src/Core/A.cs", "src/Core/B.cs", "src/Core/Deep/C.cs", "test/T.cs", "Top.cs"]


def test_each_folder_stands_below_its_own_with_its_files_counted() -> None:
    assert folder_tree(FILES).split("\n") == [
        "./  1 file",
        "src/",
        "  Core/  2 files",
        "    Deep/  1 file",
        "test/  1 file",
    ]


def test_the_deepest_are_left_out_where_there_are_too_many() -> None:
    assert folder_tree(FILES, most=4).split("\n") == [
        "./  1 file",
        "src/",
        "  Core/  2 files",
        "test/  1 file",
        "… 1 more folders",
    ]


def test_files_that_are_held_are_marked_and_their_folders_stay() -> None:
    assert folder_tree(FILES, held={"src/Core/Deep/C.cs", "Top.cs"}, most=2).split("\n") == [
        "./  1 file",
        "  Top.cs *",
        "src/",
        "… 3 more folders",
    ]
    assert "      C.cs *" in folder_tree(FILES, held=["src/Core/Deep/C.cs"], most=5).split("\n")

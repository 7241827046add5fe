"""A while of `python -m benchmarks.robustness.readers_soak`; and that it would see what it looks for."""

from __future__ import annotations

from pathlib import Path

from benchmarks.robustness.readers_soak import mark_of, mixed, soak, source

_SECONDS = 12
_EVERY = {
    *("SearchSymbols", "ResolveSymbol", "GetOutline", "FindUsages", "objectStructure", "grepObjectSource"),
    *(
        "lock",
        "unLock",
        "setObjectSourceV2",
        "applyPatch",
        "undo",
        "history",
        "ListProposals",
        "Pin",
        "Unpin",
    ),
    *("GetPromptWindow", "BuildPack", "SavePreset", "Export", "Status", "symbols", "together"),
}


def test_readers_beside_writers_meet_no_error_and_no_mixture(tmp_path: Path) -> None:
    ended = soak(
        tmp_path,
        seconds=_SECONDS,
        readers=3,
        enough=lambda so_far: so_far.asked.keys() >= _EVERY and so_far.revisions > 20,
    )
    assert ended.is_fine, ended.text()
    missing = _EVERY - ended.asked.keys()
    assert not missing, "every kind of question was asked, and what changes things was done"
    assert ended.revisions > 20


def test_an_answer_about_two_revisions_of_a_file_is_a_mixture() -> None:
    assert mixed({"text": source(1, 4), "symbol": f"Kept{mark_of(2, 5)}"}) == {}
    assert set(mixed([source(1, 4), f"Kept{mark_of(1, 5)}"])) == {1}
    assert mixed({"types": [source(1, 4)], "gone": [f"Kept{mark_of(1, 3)}"]}) == {}

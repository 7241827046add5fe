"""A placeholder of a masked secret is never written into a file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import UsageError
from services.source.text.placeholder import placeholder, placeholders_in
from tests.support.writing import ME, Place

MASKED = placeholder("aws-access-key", "3F9K6X")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "w").mkdir()
    place = Place(tmp_path / "w")
    yield place
    place.close()


def test_an_edit_that_would_write_one_is_refused(place: Place) -> None:
    place.put("a.cs", b'// keys\nvar key = "real";\n')
    with pytest.raises(UsageError, match=r"^Nothing was written\. Line 2 of a\.cs would hold") as caught:
        place.edit("a.cs", 2, 2, f'var key = "{MASKED}";\n')
    assert caught.value.details == {"path": "a.cs", "line": 2, "placeholder": MASKED}
    assert place.bytes("a.cs") == b'// keys\nvar key = "real";\n'


def test_so_is_a_new_file_a_whole_file_and_a_patch(place: Place) -> None:
    with pytest.raises(UsageError, match="was masked"):
        place.edit("new.cs", 1, 0, f"{MASKED}\n", token="0_empty")
    place.put("a.cs", b"real\n")
    handle = place.lock("a.cs")
    with pytest.raises(UsageError, match="was masked"):
        place.writer.replace("a.cs", MASKED, token=None, handle=handle, owner=ME)
    diff = f"--- a/a.cs\n+++ b/a.cs\n@@ -1 +1 @@\n-real\n+{MASKED}\n"
    with pytest.raises(UsageError, match="was masked"):
        place.writer.patch(diff, {"a.cs": place.token("a.cs")}, [handle], owner=ME)
    assert not (place.folder / "new.cs").exists()
    assert place.bytes("a.cs") == b"real\n"


def test_it_is_found_in_every_encoding(place: Place) -> None:
    place.put("a.cs", codecs.BOM_UTF16_LE + "real\n".encode("utf-16-le"))
    with pytest.raises(UsageError, match="was masked"):
        place.edit("a.cs", 1, 1, f"{MASKED}\n")


def test_a_file_that_has_one_of_its_own_can_be_edited(place: Place) -> None:
    place.put("docs.cs", f"// {MASKED}\nold\n".encode())
    place.edit("docs.cs", 2, 2, "new\n")
    assert place.bytes("docs.cs") == f"// {MASKED}\nnew\n".encode()
    with pytest.raises(UsageError, match="Line 2"):
        place.edit("docs.cs", 2, 2, f"{MASKED}\n")


def test_only_whole_placeholders_count() -> None:
    assert placeholders_in(f"a {MASKED} b {MASKED}") == [MASKED, MASKED]
    assert placeholders_in("[[secret:x]] [[secret:a:lower1]] [secret:a:3F9K]") == []

import pytest

from services.errors import UsageError
from services.prompt.items import KINDS, ItemKey


@pytest.mark.parametrize(
    "text",
    [
        "type:T_7K2M9QXA",
        "member:T_7K2M9QXA_AB12CD",
        "file:src/A.cs",
        "range:src/A.cs:120-150",
        "range:a:b.cs:1-1",
    ],
)
def test_a_key_is_read_as_it_is_written(text):
    assert str(ItemKey.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "type",
        "type:",
        "hologram:7",
        "range:src/A.cs",
        "range:src/A.cs:5-4",
        "range:src/A.cs:0-4",
        "range::1-2",
    ],
)
def test_what_is_no_key_is_refused(text):
    with pytest.raises(UsageError):
        ItemKey.parse(text)


def test_a_range_names_its_lines():
    assert ItemKey("range", "src/A.cs:120-150").lines() == ("src/A.cs", 120, 150)
    with pytest.raises(UsageError, match="does not name lines"):
        ItemKey("range", "src/A.cs:3-2").lines()
    with pytest.raises(UsageError, match="does not name lines"):
        ItemKey("file", "src/A.cs").lines()


def test_every_kind_is_listed_under_its_own_name():
    assert all(name == kind.name for name, kind in KINDS.items())

"""Whether a file is one of tests, as its path tells."""

from __future__ import annotations

import re

_WORD = "tests?|specs?|benchmarks?|mocks?|fixtures?|testdata"
_FOLDER = re.compile(rf"(?:^|[._-])(?i:{_WORD})(?:$|[._-])|(?<=[a-z0-9])(?:{_WORD.title()})(?:$|[._-])")
_FILE = re.compile(r"(?:Tests?|Specs?|Fixture|Mock\w*|Benchmarks?)(?:\.\w+)*\.\w+\Z")


def of_tests(path: str) -> bool | None:
    """None where there is no path, which tells nothing."""
    if not path:
        return None
    *folders, name = path.replace("\\", "/").split("/")
    return any(map(_FOLDER.search, folders)) or _FILE.search(name) is not None

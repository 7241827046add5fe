"""Which projects, folders and types hold tests, by what it is usual to call them."""

from __future__ import annotations

import re

_TESTS = re.compile(
    r"(?:^|[._-])(?i:(?:unit|integration|functional|acceptance|smoke|e2e)?(?:tests?|specs?))(?:$|[._-])"
    r"|(?<=[a-z0-9])(?:Tests?|Specs?)(?:$|[._-])"
)


def names_tests(name: str) -> bool:
    """Whether a project or a folder of this name holds tests: `Shop.Tests`, `UnitTests`, `spec`."""
    return _TESTS.search(name) is not None


def is_among_tests(path: str) -> bool:
    """Whether a file lies in a folder that holds tests."""
    return any(map(names_tests, path.split("/")[:-1]))


def test_names(name: str) -> frozenset[str]:
    """The names of types that test one of this name."""
    return frozenset({f"{name}Test", f"{name}Tests", f"{name}_Tests", f"Test{name}"})

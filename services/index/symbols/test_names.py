"""Which projects, folders and types hold tests, by what it is usual to call them."""

from __future__ import annotations

from services.concurrency.lazy import expression

_TESTS = expression(
    r"(?:^|[._-])(?i:(?:unit|integration|functional|acceptance|smoke|e2e)?(?:tests?|specs?))(?:$|[._-])"
    r"|(?<=[a-z0-9])(?:Tests?|Specs?)(?:$|[._-])"
)

TEST_ATTRIBUTES = frozenset(
    {"Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "Scenario"}
)
"""Attributes of tests; others end in one of these names, as `SkippableFact` does."""
_MARKS = expression(rf"(?:{'|'.join(sorted(TEST_ATTRIBUTES))})$")


def marks_test(attribute: str) -> bool:
    """Whether an attribute of this name makes a test of a method."""
    return _MARKS.search(attribute.removesuffix("Attribute")) is not None


def names_tests(name: str) -> bool:
    """Whether a project or a folder of this name holds tests: `Shop.Tests`, `UnitTests`, `spec`."""
    return _TESTS.search(name) is not None


def is_among_tests(path: str) -> bool:
    """Whether a file lies in a folder that holds tests."""
    return any(map(names_tests, path.split("/")[:-1]))


def test_names(name: str) -> frozenset[str]:
    """The names of types that test one of this name."""
    return frozenset({f"{name}Test", f"{name}Tests", f"{name}_Tests", f"Test{name}"})

"""Weak passwords are samples in tests, which a path tells sooner than what the text says."""

from __future__ import annotations

import pytest

from services.prompt.secrets.finding import of_tests
from services.prompt.secrets.masking import Masker

MASKER = Masker(bytes(32))
WEAK = 'user.Password = "Summer2024!";'


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("", None),
        ("src/Shop/Login.cs", False),
        ("src/Shop/LatestPrices.cs", False),
        ("src/Contest/Entry.cs", False),
        ("tests/Login.cs", True),
        ("Shop.Tests/Login.cs", True),
        ("src/Shop.IntegrationTests/Login.cs", True),
        ("Polly.Specs/Retry.cs", True),
        ("src/Shop/LoginTests.cs", True),
        ("src\\Shop.Benchmarks\\Login.cs", True),
        (".env", False),
        ("deploy/.env.example", True),
        ("config.sample.json", True),
        ("src/Shop/Example.cs", False),
    ],
)
def test_a_path_tells_whether_a_file_is_of_tests(path, tests):
    assert of_tests(path) is tests


def test_the_path_of_a_file_decides_where_there_is_one():
    said = f"[Fact]\npublic void Logs_in() {{ {WEAK} }}"
    assert "Summer2024!" in MASKER.text(said)
    assert "Summer2024!" not in MASKER.text(said, path="src/Shop/Login.cs")
    assert "Summer2024!" in MASKER.text(WEAK, path="Shop.Tests/Login.cs")
    assert "Summer2024!" not in MASKER.text(WEAK)

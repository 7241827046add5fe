"""What holds tests is told by its name, as people name it."""

from __future__ import annotations

import pytest

from services.index.symbols.test_names import is_among_tests, names_tests


@pytest.mark.parametrize("name", [
    "Shop.Tests", "Shop.Test", "UnitTests", "Shop.UnitTests", "Shop.Tests.Unit", "EFCore.Specification.Tests",
    "Polly.Specs", "Polly.AotTest", "nunit.framework.tests", "slow-nunit-tests", "integrationtests", "test", "spec",
    "System.Windows.Forms.IntegrationTests.Common", "windows-tests", "TestShop.Tests", "Shop_Tests", "IntegrationTest",
])  # fmt: skip
def test_names_of_tests(name: str) -> None:
    assert names_tests(name)


@pytest.mark.parametrize("name", [
    "Shop", "Polly.Testing", "Polly.TestUtils", "TestConsole", "Latest", "Shop.Contest", "Shop.Inspect", "Aspects",
    "Attestation", "EFCore.Specification", "Protests", "",
])  # fmt: skip
def test_other_names(name: str) -> None:
    assert not names_tests(name)


def test_a_file_is_among_tests_by_its_folders_alone() -> None:
    assert is_among_tests("test/Polly.Core/Retry.cs")
    assert is_among_tests("src/Shop.UnitTests/Till.cs")
    assert not is_among_tests("src/Shop/Tests.cs")
    assert not is_among_tests("Tests.cs")

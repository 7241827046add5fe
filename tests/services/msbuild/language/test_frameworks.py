"""Monikers, what is highest, what fits what, and the symbols the SDK documents."""

from __future__ import annotations

import pytest

from services.msbuild.language.frameworks import highest, is_compatible, parse
from services.msbuild.outcome import framework_symbols
from tests.services.msbuild.memory import only


def symbols(moniker: str) -> frozenset[str]:
    framework = parse(moniker)
    assert framework is not None
    return framework_symbols(framework)


def test_modern_net_has_its_own_symbol_the_family_s_and_the_chains():
    found = symbols("net8.0")
    assert {"NET", "NET8_0", "NETCOREAPP", "NET5_0_OR_GREATER", "NET8_0_OR_GREATER"} <= found
    assert "NETCOREAPP3_1_OR_GREATER" in found
    assert not found & {"NET9_0_OR_GREATER", "NETFRAMEWORK", "NETSTANDARD", "NETCOREAPP3_1"}


def test_net_core_app_is_not_yet_net():
    found = symbols("netcoreapp3.1")
    assert {"NETCOREAPP", "NETCOREAPP3_1", "NETCOREAPP2_0_OR_GREATER"} <= found
    assert not found & {"NET", "NET5_0_OR_GREATER"}


def test_net_framework_versions_have_no_underscores():
    found = symbols("net472")
    assert {"NETFRAMEWORK", "NET472", "NET472_OR_GREATER", "NET462_OR_GREATER", "NET20_OR_GREATER"} <= found
    assert not found & {"NET", "NET48_OR_GREATER", "NETCOREAPP"}


def test_net_standard():
    found = symbols("netstandard2.0")
    assert {
        "NETSTANDARD",
        "NETSTANDARD2_0",
        "NETSTANDARD1_6_OR_GREATER",
        "NETSTANDARD2_0_OR_GREATER",
    } <= found
    assert "NETSTANDARD2_1_OR_GREATER" not in found


def test_a_platform_adds_its_symbols_with_the_default_version_of_windows():
    assert {"WINDOWS", "WINDOWS7_0", "WINDOWS7_0_OR_GREATER", "NET8_0"} <= symbols("net8.0-windows")
    with_version = symbols("net8.0-windows10.0.19041.0")
    assert {"WINDOWS10_0_19041_0", "WINDOWS10_0_17763_0_OR_GREATER", "WINDOWS7_0_OR_GREATER"} <= with_version
    assert "WINDOWS10_0_22000_0_OR_GREATER" not in with_version
    assert "ANDROID" in symbols("net8.0-android")


@pytest.mark.parametrize(
    ("listed", "best"),
    [
        (("net45", "netstandard2.0", "net6.0", "net8.0"), "net8.0"),
        (("net9.0", "net10.0"), "net10.0"),
        (("net481", "netcoreapp3.1"), "netcoreapp3.1"),
        (("net472", "netstandard2.0"), "netstandard2.0"),
        (("net46", "net472"), "net472"),
        (("net8.0-android", "net8.0-ios"), "net8.0-android"),
        (("nonsense", "net20"), "net20"),
        ((), None),
    ],
)
def test_the_highest_is_the_newest_net(listed, best):
    assert highest(listed) == best


@pytest.mark.parametrize(
    ("target", "library", "fits"),
    [
        ("net8.0", "net6.0", True),
        ("net6.0", "net8.0", False),
        ("net8.0", "netcoreapp3.1", True),
        ("net8.0", "netstandard2.1", True),
        ("netcoreapp2.1", "netstandard2.1", False),
        ("net472", "netstandard2.0", True),
        ("net45", "netstandard2.0", False),
        ("net472", "netstandard2.1", False),
        ("netstandard2.0", "net8.0", False),
        ("net472", "net8.0", False),
        ("net8.0-windows", "net8.0", True),
        ("net8.0", "net8.0-windows", False),
        ("net48", "net481", False),
        ("net8.0-android34.0", "net8.0-android34.0", True),
        ("net8.0-android34.0", "net8.0-android33.0", True),
        ("net8.0-android33.0", "net8.0-android34.0", False),
        ("net8.0-android34.0", "net8.0-ios17.0", False),
    ],
)
def test_which_library_a_target_can_use(target, library, fits):
    first, second = parse(target), parse(library)
    assert first is not None
    assert second is not None
    assert is_compatible(first, second) is fits


@pytest.mark.parametrize("text", ["", "net", "8.0", "net8.0-windows-x", "dotnet8", "net8.0.-", "$(X)"])
def test_what_is_no_moniker_is_none(text):
    assert parse(text) is None


@pytest.mark.parametrize(
    ("imported", "properties", "name"),
    [
        ("Xamarin/Android/Xamarin.Android.CSharp.targets", "v13.0", "monoandroid13.0"),
        ("Xamarin/Android/Xamarin.Android.CSharp.targets", "v9.0", "monoandroid90"),
        ("Xamarin/iOS/Xamarin.iOS.CSharp.targets", "", "xamarinios10"),
        ("Microsoft.CSharp.targets", "v4.7.2", "net472"),
    ],
)
def test_an_old_project_s_framework_is_named_as_nuget_does(imported: str, properties: str, name: str):
    version = f"<TargetFrameworkVersion>{properties}</TargetFrameworkVersion>" if properties else ""
    text = f"""<Project><PropertyGroup>{version}</PropertyGroup><ItemGroup><Compile Include="A.cs" /></ItemGroup>
      <Import Project="$(MSBuildExtensionsPath)/{imported}" /></Project>"""
    assert only({"A.csproj": text, "A.cs": ""}).target_framework == name


def test_mobile_frameworks_are_known_in_every_spelling():
    for moniker in ("Xamarin.iOS10", "xamarinios10", "MonoAndroid13.0", "tizen40", "uap10.0.16299"):
        assert parse(moniker) is not None, moniker
    assert "__ANDROID__" in symbols("monoandroid13.0") and "__IOS__" in symbols("net8.0-ios")
    assert "__IOS__" not in symbols("net8.0-android")

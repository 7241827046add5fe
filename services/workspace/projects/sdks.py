"""What the SDKs add around a project, as far as symbols, files and usings depend on it, written as project files.

They run through the same evaluation as the workspace's own files, at the point where the SDK's would. Sources: the
.NET documentation ("MSBuild reference for .NET SDK projects", "Implicit using directives", "Compile items") and, for
the order of things and for Arcade, the public repositories dotnet/sdk and dotnet/arcade.
"""

from __future__ import annotations

from services.workspace.projects.xmltree import Element, parse_own

_COMMON_PROPS = """
  <PropertyGroup>
    <DirectoryBuildPropsPath Condition="'$(DirectoryBuildPropsPath)' == ''"
      >$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', '$(MSBuildProjectDirectory)'))</DirectoryBuildPropsPath>
  </PropertyGroup>
  <Import Project="$(DirectoryBuildPropsPath)"
    Condition="'$(ImportDirectoryBuildProps)' != 'false' and '$(DirectoryBuildPropsPath)' != ''" />
"""

_COMMON_TARGETS = """
  <PropertyGroup>
    <AssemblyName Condition="'$(AssemblyName)' == ''">$(MSBuildProjectName)</AssemblyName>
    <RootNamespace Condition="'$(RootNamespace)' == ''">$(MSBuildProjectName.Replace(' ', '_'))</RootNamespace>
    <DirectoryBuildTargetsPath Condition="'$(DirectoryBuildTargetsPath)' == ''"
      >$([MSBuild]::GetPathOfFileAbove('Directory.Build.targets', '$(MSBuildProjectDirectory)'))</DirectoryBuildTargetsPath>
  </PropertyGroup>
  <Import Project="$(DirectoryBuildTargetsPath)"
    Condition="'$(ImportDirectoryBuildTargets)' != 'false' and '$(DirectoryBuildTargetsPath)' != ''" />
"""

_NET_PROPS = f"""<Project>
  <PropertyGroup>
    <UsingMicrosoftNETSdk>true</UsingMicrosoftNETSdk>
    <Language>C#</Language>
    <DefaultLanguageSourceExtension>.cs</DefaultLanguageSourceExtension>
  </PropertyGroup>
  {_COMMON_PROPS}
  <PropertyGroup>
    <Platform Condition="'$(Platform)' == ''">AnyCPU</Platform>
    <OutputType Condition="'$(OutputType)' == ''">Library</OutputType>
    <EnableDefaultItems Condition="'$(EnableDefaultItems)' == ''">true</EnableDefaultItems>
    <EnableDefaultCompileItems Condition="'$(EnableDefaultCompileItems)' == ''">true</EnableDefaultCompileItems>
    <DefineConstants Condition="'$(DefineConstants)' != ''">$(DefineConstants);TRACE</DefineConstants>
    <DefineConstants Condition="'$(DefineConstants)' == ''">TRACE</DefineConstants>
  </PropertyGroup>
  <ItemGroup Condition="'$(EnableDefaultItems)' == 'true' and '$(EnableDefaultCompileItems)' == 'true'">
    <Compile Include="**/*.cs" Exclude="$(DefaultItemExcludes);$(DefaultExcludesInProjectFolder);$(_BuildFolders)" />
  </ItemGroup>
  <ItemGroup Condition="'$(ImplicitUsings)' == 'true' or '$(ImplicitUsings)' == 'enable'">
    <Using Include="System;System.Collections.Generic;System.IO;System.Linq" />
    <Using Include="System.Net.Http" Condition="'$(TargetFrameworkIdentifier)' != '.NETFramework'" />
    <Using Include="System.Threading;System.Threading.Tasks" />
    <Using Include="System.Drawing;System.Windows.Forms" Condition="'$(UseWindowsForms)' == 'true'" />
    <Using Remove="System.IO;System.Net.Http" Condition="'$(UseWPF)' == 'true'" />
  </ItemGroup>
</Project>"""

_NET_TARGETS = f"""<Project>
  <PropertyGroup Condition="'$(TargetFramework)' != ''">
    <TargetFrameworkIdentifier Condition="'$(TargetFrameworkIdentifier)' == ''"
      >$([MSBuild]::GetTargetFrameworkIdentifier('$(TargetFramework)'))</TargetFrameworkIdentifier>
    <TargetFrameworkVersion Condition="'$(TargetFrameworkVersion)' == ''"
      >v$([MSBuild]::GetTargetFrameworkVersion('$(TargetFramework)', 2))</TargetFrameworkVersion>
    <TargetPlatformIdentifier Condition="'$(TargetPlatformIdentifier)' == ''"
      >$([MSBuild]::GetTargetPlatformIdentifier('$(TargetFramework)'))</TargetPlatformIdentifier>
    <TargetPlatformVersion Condition="'$(TargetPlatformVersion)' == '' and '$(TargetPlatformIdentifier)' != ''"
      >$([MSBuild]::GetTargetPlatformVersion('$(TargetFramework)', 2))</TargetPlatformVersion>
    <TargetFrameworkMoniker>$(TargetFrameworkIdentifier),Version=$(TargetFrameworkVersion)</TargetFrameworkMoniker>
    <_TargetFrameworkVersionWithoutV>$(TargetFrameworkVersion.TrimStart('vV'))</_TargetFrameworkVersionWithoutV>
  </PropertyGroup>
  <PropertyGroup>
    <BaseOutputPath Condition="'$(BaseOutputPath)' == ''">bin/</BaseOutputPath>
    <BaseIntermediateOutputPath Condition="'$(BaseIntermediateOutputPath)' == ''">obj/</BaseIntermediateOutputPath>
    <_BuildFolders>$(BaseOutputPath)/**;$(BaseIntermediateOutputPath)/**;bin/**;obj/**</_BuildFolders>
    <DefaultExcludesInProjectFolder>$(DefaultExcludesInProjectFolder);**/.*/**</DefaultExcludesInProjectFolder>
    <DefineConstants Condition="'$(DisableImplicitConfigurationDefines)' != 'true'"
      >$(DefineConstants);$(Configuration.ToUpperInvariant().Replace('-', '_').Replace('.', '_').Replace(' ', '_'))</DefineConstants>
  </PropertyGroup>
  {_COMMON_TARGETS}
</Project>"""

_WEB = """<Project>
  <PropertyGroup><UsingMicrosoftNETSdkWeb>true</UsingMicrosoftNETSdkWeb></PropertyGroup>
  <Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk" />
  <PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>
  <ItemGroup Condition="'$(ImplicitUsings)' == 'true' or '$(ImplicitUsings)' == 'enable'">
    <Using Include="System.Net.Http.Json;Microsoft.AspNetCore.Builder;Microsoft.AspNetCore.Hosting" />
    <Using Include="Microsoft.AspNetCore.Http;Microsoft.AspNetCore.Routing;Microsoft.Extensions.Configuration" />
    <Using Include="Microsoft.Extensions.DependencyInjection;Microsoft.Extensions.Hosting" />
    <Using Include="Microsoft.Extensions.Logging" />
  </ItemGroup>
</Project>"""

_WORKER = """<Project>
  <Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk" />
  <PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>
  <ItemGroup Condition="'$(ImplicitUsings)' == 'true' or '$(ImplicitUsings)' == 'enable'">
    <Using Include="Microsoft.Extensions.Configuration;Microsoft.Extensions.DependencyInjection" />
    <Using Include="Microsoft.Extensions.Hosting;Microsoft.Extensions.Logging" />
  </ItemGroup>
</Project>"""

_TESTS = """<Project>
  <Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk" />
  <PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup>
  <ItemGroup Condition="'$(ImplicitUsings)' == 'true' or '$(ImplicitUsings)' == 'enable'">
    <Using Include="Microsoft.VisualStudio.TestTools.UnitTesting" />
  </ItemGroup>
</Project>"""

_PLAIN = """<Project><Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk" /></Project>"""
_PLAIN_TARGETS = """<Project><Import Project="Sdk.targets" Sdk="Microsoft.NET.Sdk" /></Project>"""
_NO_SOURCES = """<Project>
  <PropertyGroup><EnableDefaultCompileItems>false</EnableDefaultCompileItems></PropertyGroup>
  <Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk" />
  <PropertyGroup><EnableDefaultCompileItems>false</EnableDefaultCompileItems></PropertyGroup>
</Project>"""

_ARCADE_PROPS = """<Project>
  <PropertyGroup>
    <RepoRoot Condition="'$(RepoRoot)' == ''"
      >$([MSBuild]::NormalizeDirectory('$([MSBuild]::GetDirectoryNameOfFileAbove('$(MSBuildProjectDirectory)', 'global.json'))'))</RepoRoot>
    <RepositoryEngineeringDir>$(RepoRoot)eng/</RepositoryEngineeringDir>
    <RepositoryToolsDir>$(RepoRoot).tools/</RepositoryToolsDir>
    <VersionsPropsPath>$(RepositoryEngineeringDir)Versions.props</VersionsPropsPath>
    <ArtifactsDir Condition="'$(ArtifactsDir)' == ''">$(RepoRoot)artifacts/</ArtifactsDir>
    <ArtifactsBinDir>$(ArtifactsDir)bin/</ArtifactsBinDir>
    <ArtifactsObjDir>$(ArtifactsDir)obj/</ArtifactsObjDir>
    <Platform Condition="'$(Platform)' == ''">AnyCPU</Platform>
    <BaseOutputPath Condition="'$(BaseOutputPath)' == ''">$(ArtifactsBinDir)$(MSBuildProjectName)/</BaseOutputPath>
    <BaseIntermediateOutputPath Condition="'$(BaseIntermediateOutputPath)' == ''"
      >$(ArtifactsObjDir)$(MSBuildProjectName)/</BaseIntermediateOutputPath>
    <Language Condition="'$(MSBuildProjectExtension)' == '.csproj'">C#</Language>
    <IsUnitTestProject Condition="'$(IsUnitTestProject)' == '' and ($(MSBuildProjectName.EndsWith('.UnitTests')) or
      $(MSBuildProjectName.EndsWith('.Tests')))">true</IsUnitTestProject>
    <IsIntegrationTestProject Condition="'$(IsIntegrationTestProject)' == '' and
      $(MSBuildProjectName.EndsWith('.IntegrationTests'))">true</IsIntegrationTestProject>
    <IsPerformanceTestProject Condition="'$(IsPerformanceTestProject)' == '' and
      $(MSBuildProjectName.EndsWith('.PerformanceTests'))">true</IsPerformanceTestProject>
    <IsTestProject Condition="'$(IsTestProject)' == '' and ('$(IsUnitTestProject)' == 'true' or
      '$(IsIntegrationTestProject)' == 'true' or '$(IsPerformanceTestProject)' == 'true')">true</IsTestProject>
  </PropertyGroup>
  <Import Project="$(VersionsPropsPath)" Condition="Exists('$(VersionsPropsPath)')" />
</Project>"""

_EMPTY = "<Project />"

_SDKS: dict[str, tuple[str, str]] = {
    "microsoft.net.sdk": (_NET_PROPS, _NET_TARGETS),
    "microsoft.net.sdk.web": (_WEB, _PLAIN_TARGETS),
    "microsoft.net.sdk.worker": (_WORKER, _PLAIN_TARGETS),
    "mstest.sdk": (_TESTS, _PLAIN_TARGETS),
    "microsoft.build.notargets": (_NO_SOURCES, _PLAIN_TARGETS),
    "microsoft.build.traversal": (_NO_SOURCES, _PLAIN_TARGETS),
    "microsoft.dotnet.arcade.sdk": (_ARCADE_PROPS, _EMPTY),
    "microsoft.dotnet.helix.sdk": (_EMPTY, _EMPTY),
}
_PLAIN_SDKS = frozenset(
    {
        "microsoft.net.sdk.razor",
        "microsoft.net.sdk.blazorwebassembly",
        "microsoft.net.sdk.windowsdesktop",
        "microsoft.net.sdk.functions",
        "aspire.apphost.sdk",
        "godot.net.sdk",
        "msbuild.sdk.extras",
        "uno.sdk",
    }
)
_IMPORTS = {
    "microsoft.common.props": f"<Project>{_COMMON_PROPS}</Project>",
    "microsoft.csharp.targets": f"<Project>{_COMMON_TARGETS}</Project>",
}


def sdk_file(sdk: str, name: str) -> Element | None:
    """The `Sdk.props` or `Sdk.targets` (`name`) of an SDK such as `Microsoft.NET.Sdk/8.0.1`; None for an unknown SDK."""
    folded = sdk.partition("/")[0].strip().casefold()
    pair = (_PLAIN, _PLAIN_TARGETS) if folded in _PLAIN_SDKS else _SDKS.get(folded)
    if pair is None:
        return None
    return parse_own(pair[name.casefold() == "sdk.targets"])


def toolset_file(name: str) -> Element | None:
    """What `Microsoft.Common.props` and `Microsoft.CSharp.targets` bring in, by file name; None for any other."""
    text = _IMPORTS.get(name.casefold())
    return parse_own(text) if text else None

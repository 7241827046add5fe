"""Static property functions: `$([MSBuild]::…)`, `$([System.IO.Path]::…)` and their like.

Only those that need no knowledge of the machine beyond the workspace. Source: "Property functions" of the
MSBuild reference. Each takes the environment, the folder relative paths start from, and the arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from services.msbuild.language import frameworks
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.paths import file_name, is_rooted, join, normalise, parent, with_slash
from services.msbuild.language.properties import escape, unescape
from services.msbuild.language.strings import NetFolder, NetVersion, replaced

Function = Callable[..., Any]

_UNSUPPORTED = frameworks.Framework("", "Unsupported", (0, 0))


def call(place: tuple[VirtualFiles, str], type_name: str, name: str, arguments: list[Any]) -> Any:
    """The value of `[type_name]::name(arguments)`. `place`: the environment and the absolute project folder.

    Raises KeyError for a function that is not here, and what a wrong argument raises."""
    kind = type_name.casefold()
    key = name.casefold()
    if kind == "msbuild" and key in _PLACED:
        return _PLACED[key](*place, *arguments)
    if kind in ("system.io.directoryinfo", "system.io.fileinfo") and key == "new":
        return NetFolder(join(place[1], str(arguments[0])))
    if kind in ("system.io.file", "system.io.directory"):
        return _file(place, key, arguments)
    if kind == "system.io.path" and key == "getfullpath":
        return join(place[1], str(arguments[0]))
    if kind == "system.operatingsystem":
        return _is_system(place[0], _SYSTEM_METHODS[key])
    if kind == "system.runtime.interopservices.runtimeinformation" and key == "isosplatform":
        return _is_system(place[0], str(arguments[0]))
    return _PURE[kind][key](*arguments)


def _file(place: tuple[VirtualFiles, str], key: str, arguments: list[Any]) -> Any:
    environment, folder = place
    path = join(folder, str(arguments[0]))
    if key == "exists":
        return environment.exists(path)
    if key == "getparent":
        return NetFolder.above(path)
    if key == "readalltext" and (text := environment.text(path)) is not None:
        return escape(text)
    raise KeyError(key)


def _is_system(environment: VirtualFiles, name: str) -> bool:
    """Whether the system has this name; any other name is that of another system."""
    wanted = name.casefold()
    return environment.system == {"macos": "osx"}.get(wanted, wanted)


def _normalise_path(_environment: VirtualFiles, folder: str, *parts: Any) -> str:
    return join(folder, combine(*parts))


def _path_of_file_above(environment: VirtualFiles, folder: str, name: Any, start: Any = None) -> str:
    found = environment.folder_above(join(folder, str(start) if start is not None else folder), str(name))
    return f"{found}/{name}" if found else ""


def _directory_of_file_above(environment: VirtualFiles, folder: str, start: Any, name: Any) -> str:
    return environment.folder_above(join(folder, str(start)), str(name))


def combine(*parts: Any) -> str:
    """Path.Combine: an absolute part throws away what came before it."""
    path = ""
    for part in map(str, parts):
        path = part if not path or is_rooted(part) else with_slash(path) + part
    return path


def _make_relative(base: Any, path: Any) -> str:
    source = [part for part in normalise(str(base)).split("/") if part]
    target = [part for part in normalise(str(path)).split("/") if part]
    common = 0
    while common < min(len(source), len(target)) and source[common].casefold() == target[common].casefold():
        common += 1
    return "/".join([".."] * (len(source) - common) + target[common:])


def _framework(moniker: Any) -> frameworks.Framework:
    if not str(moniker):  # evaluated before the project has set its framework
        return _UNSUPPORTED
    framework = frameworks.parse(str(moniker))
    if framework is None:
        raise ValueError(moniker)
    return framework


def _is_compatible(target: Any, candidate: Any) -> bool:
    return frameworks.is_compatible(_framework(target), _framework(candidate))


def _dotted(version: tuple[int, ...], parts: int) -> str:
    return ".".join(map(str, (*version, 0, 0, 0, 0)[: max(parts, len(version))]))


def _framework_identifier(moniker: Any) -> str:
    return (frameworks.parse(str(moniker)) or _UNSUPPORTED).identifier


def _framework_version(moniker: Any, parts: Any = 2) -> str:
    return _dotted(_framework(moniker).version, int(parts))


def _platform_version(moniker: Any, parts: Any = 2) -> str:
    return _dotted(_framework(moniker).platform_version, int(parts))


def _version(text: Any) -> tuple[int, ...]:
    """MSBuild's loose versions: a `v`, a pre-release or a build tag do not count, missing parts are 0."""
    plain = str(text).strip().lstrip("vV").partition("-")[0].partition("+")[0]
    numbers = tuple(int(part) for part in plain.split("."))
    return (*numbers, 0, 0, 0, 0)[:4]


def _compared(compare: Callable[[Any, Any], bool]) -> Function:
    return lambda first, second: compare(_version(first), _version(second))


def _calculated(calculate: Callable[[Any, Any], Any]) -> Function:
    return lambda first, second: _plain_number(calculate(_number(first), _number(second)))


def _number(text: Any) -> int | float:
    literal = str(text).strip()
    if len(literal) > 30:
        raise ValueError(literal)
    return (
        int(literal, 16)
        if literal.lower().startswith("0x")
        else float(literal)
        if "." in literal
        else int(literal)
    )


def _plain_number(number: float) -> Any:
    return int(number) if number == int(number) else str(number)


def _divided(first: Any, second: Any) -> Any:
    if not _number(second):
        raise ValueError("division by zero")
    return _plain_number(
        _number(first) / _number(second) if "." in f"{first}{second}" else _number(first) // _number(second)
    )


def _format(pattern: Any, *arguments: Any) -> str:
    text = str(pattern)
    for index, argument in enumerate(arguments):
        text = replaced(text, f"{{{index}}}", str(argument))
    if "{" in text:
        raise ValueError(text)
    return text


def _change_extension(path: Any, extension: Any) -> str:
    folder, slash, name = str(path).replace("\\", "/").rpartition("/")
    base = name.rpartition(".")[0] or name
    return folder + slash + base + (f".{str(extension).lstrip('.')}" if extension else "")


def _extension(path: Any) -> str:
    _base, dot, extension = file_name(str(path)).rpartition(".")
    return dot + extension if dot else ""


def _ensure_slash(path: Any) -> str:
    return with_slash(str(path))


_SYSTEM_METHODS = {
    f"is{name}": name for name in ("windows", "linux", "macos", "freebsd", "android", "ios", "browser")
}
_PLACED: dict[str, Function] = {
    "isosplatform": lambda environment, _folder, name: _is_system(environment, str(name)),
    "isosunixlike": lambda environment, _folder: environment.system != "windows",
    "normalizepath": _normalise_path,
    "normalizedirectory": lambda environment, folder, *parts: with_slash(
        _normalise_path(environment, folder, *parts)
    ),
    "getpathoffileabove": _path_of_file_above,
    "getdirectorynameoffileabove": _directory_of_file_above,
}

_PURE: dict[str, dict[str, Function]] = {
    "msbuild": {
        "istargetframeworkcompatible": _is_compatible,
        "gettargetframeworkidentifier": _framework_identifier,
        "gettargetframeworkversion": _framework_version,
        "gettargetplatformidentifier": lambda moniker: _framework(moniker).platform,
        "gettargetplatformversion": _platform_version,
        "ensuretrailingslash": _ensure_slash,
        "makerelative": _make_relative,
        "valueordefault": lambda value, default: str(value) or default,
        "versionequals": _compared(operator.eq),
        "versionnotequals": _compared(operator.ne),
        "versiongreaterthan": _compared(operator.gt),
        "versiongreaterthanorequals": _compared(operator.ge),
        "versionlessthan": _compared(operator.lt),
        "versionlessthanorequals": _compared(operator.le),
        "add": _calculated(operator.add),
        "subtract": _calculated(operator.sub),
        "multiply": _calculated(operator.mul),
        "divide": _divided,
        "modulo": lambda first, second: (
            int(_number(first)) % int(_number(second)) if _number(second) else int("x")
        ),
        "bitwiseand": _calculated(operator.and_),
        "bitwiseor": _calculated(operator.or_),
        "escape": lambda text: escape(str(text)),
        "unescape": lambda text: unescape(str(text)),
        "arefeaturesenabled": lambda _wave: True,
        "isrunningfromvisualstudio": lambda: False,
    },
    "system.io.path": {
        "combine": combine,
        "join": combine,
        "getdirectoryname": lambda path: parent(str(path).replace("\\", "/")),
        "getfilename": lambda path: file_name(str(path)),
        "getfilenamewithoutextension": lambda path: (
            file_name(str(path)).rpartition(".")[0] or file_name(str(path))
        ),
        "getextension": _extension,
        "hasextension": lambda path: bool(_extension(path)),
        "changeextension": _change_extension,
        "ispathrooted": lambda path: is_rooted(str(path)),
        "getrelativepath": _make_relative,
        "directoryseparatorchar": lambda: "/",
        "altdirectoryseparatorchar": lambda: "/",
        "pathseparator": lambda: ":",
        "trimendingdirectoryseparator": lambda path: str(path).rstrip("/\\"),
    },
    "system.string": {
        "copy": str,
        "new": str,
        "concat": lambda *parts: "".join(map(str, parts)),
        "join": lambda separator, *parts: str(separator).join(map(str, parts)),
        "format": _format,
        "isnullorempty": lambda text: not str(text),
        "isnullorwhitespace": lambda text: not str(text).strip(),
        "equals": lambda first, second: str(first) == str(second),
    },
    "system.version": {"parse": NetVersion.parse, "new": NetVersion.parse},
    "system.environment": {"getenvironmentvariable": lambda _name: "", "newline": lambda: "\n"},
    "system.convert": {
        "toint32": lambda text: int(str(text)),
        "tostring": str,
        "toboolean": str,
    },
    "system.int32": {"parse": lambda text: int(str(text))},
    "system.math": {
        "max": lambda first, second: max(_number(first), _number(second)),
        "min": lambda first, second: min(_number(first), _number(second)),
    },
    "system.runtime.interopservices.osplatform": {
        "windows": lambda: "WINDOWS",
        "linux": lambda: "LINUX",
        "osx": lambda: "OSX",
        "freebsd": lambda: "FREEBSD",
        "create": str,
    },
    "system.stringcomparison": {
        name.casefold(): (lambda name=name: name)
        for name in ("Ordinal", "OrdinalIgnoreCase", "InvariantCulture", "InvariantCultureIgnoreCase")
    },
    "system.stringsplitoptions": {"removeemptyentries": lambda: "RemoveEmptyEntries", "none": lambda: "None"},
}

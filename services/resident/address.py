"""Address of a workspace's resident process: a socket whose name is derived from everything that changes answers.

The name is a hash of the user and their rights, the root, the build, and the settings and variables that count. So
whoever asks finds a process that would answer as they would themselves, or none. Commands import this module before
anything else: it knows `os` and `sys` alone.
"""

from __future__ import annotations

import os
import stat
import sys
from _blake2 import blake2b

TYPE_CHECKING = False  # `typing` alone takes as long as a question
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VERSION = "2"
"""Raised whenever what is said between the two ends has another form."""

PROJECT_ENDINGS = (".sln", ".slnx", ".slnf", ".csproj")
SWITCH = "CODECORTEX_RESIDENT"
SESSION = "CODECORTEX_SESSION"
_LONGEST_PATH = 107
"""Bytes of a socket's path that the kernel takes."""
_VARIABLES = ("HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "LC_TIME", "NUGET_PACKAGES", "OS")
_PREFIXES = ("CODECORTEX_", "MCP_", "XDG_", "DOTNET_", "PYTHON")
_APART = frozenset(
    (SWITCH, SESSION, "XDG_SESSION_ID", "XDG_SESSION_TYPE", "XDG_RUNTIME_DIR", "PYTHONSAFEPATH")
)
"""Variables that differ between terminals and change no answer, or are told with each question."""
_PROGRAMS = ("git", "rg")
_PACKAGES = ("site-packages", "dist-packages")
_OWN = ("services", "widgets", "workbench")


class Address:
    """`folder`: the private folder of sockets; `name`: of this one, without its ending; `root`: the real path that was
    named, `start` the solution or project file in it, empty for none."""

    __slots__ = ("folder", "name", "root", "start")

    def __init__(self, folder: str, name: str, root: str, start: str) -> None:
        self.folder = folder
        self.name = name
        self.root = root
        self.start = start

    @property
    def path(self) -> str:
        """The workspace as a command names it: its root, or the solution or project file in it."""
        return f"{self.root.rstrip('/')}/{self.start}" if self.start else self.root

    @property
    def socket(self) -> str:
        """The path of the socket."""
        return f"{self.folder}/{self.name}.sock"

    @property
    def lock(self) -> str:
        """The path of the file whose lock a resident process holds for life."""
        return f"{self.folder}/{self.name}.lock"


def find_address(path: str, environment: Mapping[str, str]) -> Address | None:
    """Return the address for a workspace, named by its folder or by a solution or project file.

    None where there can be no resident process: on another system, without a private folder for sockets, or where the
    path leads nowhere.
    """
    folder = runtime_folder(environment)
    if folder is None or not environment.get("HOME", "").startswith("/"):
        return None
    try:
        root, start = os.path.realpath(path, strict=True), ""
        if not os.path.isdir(root):
            if not root.lower().endswith(PROJECT_ENDINGS):
                return None
            root, start = os.path.split(root)
        own = os.stat(root)
        parts = (
            *(VERSION, build_id(), root, f"{own.st_dev} {own.st_ino}", start),
            *_rights(),
            *_counting(environment),
            *(_sign(each) for each in settings_files(root, environment)),
        )
    except (OSError, ValueError):
        return None
    return Address(folder, named("", parts), root, start)


def runtime_folder(environment: Mapping[str, str]) -> str | None:
    """The folder of a person's sockets: in their runtime folder, or in /tmp where they have none of their own."""
    if sys.platform != "linux":
        return None
    given = environment.get("XDG_RUNTIME_DIR", "")
    if given.startswith("/") and is_private(given):
        return f"{given.rstrip('/')}/codecortex"
    return f"/tmp/codecortex-{os.getuid()}" if os.path.isdir("/tmp") else None  # noqa: S108 - checked by `is_private`


def is_private(folder: str) -> bool:
    """Whether a folder is this user's, no link, and closed to everybody else."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def reachable(path: str, folder: int) -> str:
    """Return a path that the kernel accepts for a socket: a long one is reached through the descriptor of its
    folder."""
    return (
        path
        if len(os.fsencode(path)) <= _LONGEST_PATH
        else f"/proc/self/fd/{folder}/{os.path.basename(path)}"
    )


def build_id() -> str:
    """A text that is another one as soon as the program, its libraries or the interpreter are."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    libraries = [each for each in sys.path if each.endswith(_PACKAGES)]
    signs = [sys.version, sys.executable, home, *map(_sign, libraries)]
    if home.endswith(_PACKAGES):
        signs.append(_sign(f"{home}/services/__init__.py"))
    else:  # a checkout, whose files are edited one by one
        signs += (sign for each in _OWN for sign in _signs(f"{home}/{each}"))
    return named("build", signs)


def named(kind: str, parts: Iterable[str]) -> str:
    """A name for texts, other ones for others."""
    said = "\0".join((kind, *parts)).encode("utf-8", "surrogateescape")
    return blake2b(said, digest_size=10).hexdigest()


def settings_files(root: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The paths of the person's settings and of the workspace's, as services/settings reads them."""
    given = environment.get("XDG_CONFIG_HOME", "")
    base = given if given.strip() else f"{environment.get('HOME', '')}/.config"
    return f"{base}/codecortex/settings.toml", f"{root}/.codecortex.toml"


def _rights() -> tuple[str, ...]:
    """The user with their groups, the mask of new files, and the view of the file system that a container has."""
    mask = _mask()
    spaces = [_space(each) for each in ("mnt", "user")]
    return (f"{os.getuid()} {os.geteuid()} {os.getegid()} {sorted(os.getgroups())} {mask}", *spaces)


def _mask() -> str:
    """The mask of new files. It is read without changing it where the system shows it: other threads make files too."""
    try:
        with open("/proc/self/status", "rb") as status:
            return next((line[6:].strip().decode() for line in status if line.startswith(b"Umask:")), "")
    except OSError:
        mask = os.umask(0o077)
        os.umask(mask)
        return f"{mask:04o}"


def _space(kind: str) -> str:
    try:
        return os.readlink(f"/proc/self/ns/{kind}")
    except OSError:
        return ""


def _counting(environment: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(environment):
        if (name in _VARIABLES or name.startswith(_PREFIXES)) and name not in _APART:
            yield f"{name}={environment[name]}"
    for entry in environment.get("PATH", os.defpath).split(os.pathsep):
        for program in _PROGRAMS:
            if entry.startswith("/") and os.access(f"{entry}/{program}", os.X_OK):
                yield f"{entry}/{program}"


def _sign(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return f"{path} -"
    return f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns}"


def _signs(folder: str) -> Iterator[str]:
    """The size and time of every module below a folder of the program."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=_name):
            if entry.name.endswith(".py"):
                found = entry.stat()
                yield f"{entry.name} {found.st_size} {found.st_mtime_ns}"
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield entry.name
                yield from _signs(entry.path)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name

"""Environment that a project file may query: which files exist, their content, and the operating system."""

from __future__ import annotations

from services.msbuild.language.globs import FileTable
from services.msbuild.language.info import ScannedFiles
from services.msbuild.language.paths import TOOLSET, VirtualRoot, file_name, join, parent
from services.msbuild.language.sdks import TOOLSET_FILES

SYSTEMS = {"win32": "windows", "cygwin": "windows", "darwin": "osx"}
MAX_READ = 1024 * 1024


class VirtualFiles:
    """The workspace as seen by conditions and functions: absolute virtual paths in, answers out."""

    __slots__ = ("_files", "_other", "_present", "_texts", "root", "sources", "system")

    def __init__(self, files: ScannedFiles, root: VirtualRoot, platform: str) -> None:
        self._files = files
        self._other = FileTable(files.project_files)
        self._present: dict[str, bool] = {}
        self._texts: dict[str, str | None] = {}
        self.sources = FileTable(files.cs_files)
        self.root = root
        self.system = SYSTEMS.get(platform, "linux")

    def locate(self, absolute: str) -> str | None:
        """The workspace path of a file as spelled on disk, or None for one outside the root. It need not
        exist."""
        relative = self.root.relative(absolute)
        if relative is None:
            return None
        return self._other.find(relative) or self.sources.find(relative) or relative

    def read(self, path: str) -> bytes | None:
        """The bytes of a workspace path, or None."""
        return self._files.read(path) if path else None

    def is_file(self, absolute: str) -> bool:
        """Whether that file exists inside the root."""
        relative = self.root.relative(absolute)
        if not relative or absolute.endswith(("/", "\\")):
            return False
        if self._other.find(relative) or self.sources.find(relative):
            return True
        if relative not in self._present:
            self._present[relative] = relative in self._texts or self._files.read(relative) is not None
        return self._present[relative]

    def exists(self, absolute: str) -> bool:
        """Whether a file or folder is there. Folders are known by the sources and project files below
        them."""
        if absolute.startswith(TOOLSET):
            return file_name(absolute).casefold() in TOOLSET_FILES
        relative = self.root.relative(absolute)
        if relative is None:
            return False
        return self.sources.is_folder(relative) or self._other.is_folder(relative) or self.is_file(absolute)

    def project_files(self, pattern: str) -> tuple[str, ...]:
        """The workspace paths of project files that an absolute pattern matches."""
        relative = self.root.relative(pattern)
        return self._other.spelled(self._other.glob(relative)) if relative else ()

    def folder_above(self, start: str, name: str) -> str:
        """The nearest folder from `start` upwards, within the root, that holds `name`; `""` where none
        does."""
        folder = join(self.root.folder, start).rstrip("/")
        while self.root.relative(folder) is not None:
            if self.is_file(join(folder, name)):
                return folder
            folder = parent(folder)
        return ""

    def text(self, absolute: str) -> str | None:
        """The text of a small file inside the root, or None."""
        relative = self.locate(absolute)
        if relative and relative not in self._texts:
            content = self.read(relative)
            is_small = content is not None and len(content) <= MAX_READ
            self._texts[relative] = content.decode("utf-8-sig", "replace") if content and is_small else None
        return self._texts[relative] if relative else None

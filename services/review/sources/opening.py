"""The source that a name means, as people write it: a commit, a range, a patch, a request or revision on a server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from services.errors import CodeCortexError, ReadOnly, RemoteError, UsageError
from services.llm.profiles import key_of
from services.review.pushing import PushTarget
from services.review.sources.source import CodeChangeSource, GitChanges, PatchChanges, RemoteRef
from services.review.store import FOLDER
from services.settings.values import ReviewSettings
from services.source.diffs.changes import ChangeSets
from services.source.journal.actor import agent
from services.source.text.edit import bare_lines
from services.syntax.records.hashing import base32, is_base32
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from services.workspace.text import decode

if TYPE_CHECKING:
    import httpx2

    from services.review.sources.github import GitHub
    from services.review.sources.gitlab import GitLab
    from services.review.sources.phabricator import Phabricator

    Server = GitHub | GitLab | Phabricator

NO_SERVER = ReviewSettings().github
PATCH = "patch:"
PASTED = "pasted:"
CLIPBOARD = "clipboard"
_ENDINGS = (".patch", ".diff")
_MOST = 20_000_000


class ChangeSources:
    """Opener of change sources. `state`: folder for pasted patches; `transport`: carries requests to servers, in
    tests."""

    def __init__(
        self,
        root: Root,
        changes: ChangeSets,
        settings: ReviewSettings,
        *,
        state: StateFolder,
        transport: httpx2.AsyncBaseTransport | None = None,
        key: Callable[[str], str] = key_of,
        clipboard: Callable[[], str] | None = None,
    ) -> None:
        self._state = state
        self._clipboard = clipboard or _system_clipboard
        self._root = root
        self._changes = changes
        self._settings = settings
        self._transport = transport
        self._key = key

    def open(self, name: str) -> CodeChangeSource:
        """The source of a name: nothing for the working tree, `staged`, a commit, `A..B`, `A...B`, `patch:FILE`, the
        text of a diff, `clipboard`, `D123`, `github:owner/name#1`, `gitlab:group/name!1`, or the address of one of
        these. Raises UsageError, WorkspaceError, RemoteError."""
        name = name.strip() if "\n" not in name else name
        if "\n" in name:
            return self.pasted(name)
        if name == CLIPBOARD:
            return self.pasted(self._copied())
        if name.startswith(PASTED):
            return self._kept(name)
        if name.startswith(PATCH) or name.endswith(_ENDINGS):
            return self._file(name.removeprefix(PATCH))
        found = self._server_of(name)
        if found is None:
            return GitChanges(self._changes, name)
        server, project, number = found
        ref, files = server.fetch(project, number)
        title = f"{_label(ref)} {ref.title}".rstrip()
        name = f"D{number}" if name.startswith("PHID-") else name
        return PatchChanges(
            files, name=name, title=title, lines=self._lines, remote=ref, committed=self._committed
        )

    def pasted(self, text: str) -> PatchChanges:
        """Return the changes of a pasted diff, stored under a name that opens it again. Raises UsageError."""
        key = base32(sha256(text.encode("utf-8", "surrogatepass")).digest(), 10)
        made = PatchChanges.of_text(text, name=f"{PASTED}{key}", title="Pasted diff", lines=self._lines)
        with suppress(ReadOnly):
            self._state.write(f"{FOLDER}/{key}.diff", text.encode("utf-8", "surrogatepass"))
        return made

    def _kept(self, name: str) -> PatchChanges:
        key = name.removeprefix(PASTED)
        data = self._state.read(f"{FOLDER}/{key}.diff") if len(key) == 10 and is_base32(key) else None
        if data is None:
            raise UsageError(f"No diff was pasted as {name}. Paste it again.")
        text = data.decode("utf-8", "surrogatepass")
        return PatchChanges.of_text(text, name=name, title="Pasted diff", lines=self._lines)

    def _copied(self) -> str:
        """The text of the clipboard. Raises UsageError."""
        if agent() is not None:
            raise UsageError("The clipboard is the person's. Pass the text of the diff instead.")
        text = self._clipboard()
        if not text.strip():
            raise UsageError("The clipboard is empty, or no text. Copy a diff, or save it and name the file.")
        return text

    @property
    def folder(self) -> Path:
        """The root of the workspace."""
        return self._root.path

    def project(self, name: str) -> tuple[GitHub | GitLab, str]:
        """The server of a project and its name there: `github:owner/name`, `gitlab:group/name`. Raises UsageError,
        RemoteError."""
        kind, _, project = name.partition(":")
        if kind not in ("github", "gitlab") or not project.strip("/"):
            raise UsageError(f"{name!r} is no project. Write github:owner/name or gitlab:group/name.")
        return self._made(kind), project  # pyright: ignore[reportReturnType] - of these kinds alone

    def pushing(self, name: str) -> PushTarget:
        """Return the address and header for pushes to a project (`github:owner/name`, `gitlab:group/name`): of the
        server of the settings, whatever the repository's own configuration says. Raises as `project`."""
        self.project(name)
        kind, _, project = name.partition(":")
        parts = urlsplit(self._address(kind))
        host = parts.netloc.removeprefix("api.") if kind == "github" else parts.netloc
        path = "" if kind == "github" else parts.path.rstrip("/")
        user = "x-access-token" if kind == "github" else "oauth2"
        token = self._key(str(getattr(self._settings, f"{kind}_token")))
        secret = b64encode(f"{user}:{token}".encode()).decode()
        return PushTarget(f"{parts.scheme}://{host}{path}/{project}.git", f"Authorization: Basic {secret}")

    def server(self, ref: RemoteRef) -> Server:
        """Return the client for the server of a request or revision. Raises RemoteError where none is configured."""
        return self._made(ref.kind)

    def _file(self, path: str) -> PatchChanges:
        data, _ = self._root.read(path, limit=_MOST)
        text = decode(data, encoding=self._root.encoding).content
        return PatchChanges.of_text(text, name=f"{PATCH}{path}", title=f"Patch {path}", lines=self._lines)

    def _lines(self, path: str) -> list[str] | None:
        try:
            data, _ = self._root.read(path, limit=_MOST)
            text = decode(data, encoding=self._root.encoding)
        except (CodeCortexError, OSError):
            return None
        return bare_lines(text)

    def _committed(self, commit: str, path: str) -> list[str] | None:
        with suppress(CodeCortexError):
            text = decode(self._changes.committed(commit, path), encoding=self._root.encoding)
            return bare_lines(text)
        return None

    def _server_of(self, name: str) -> tuple[Server, str, int] | None:
        from services.review.sources.github import GitHub
        from services.review.sources.gitlab import GitLab
        from services.review.sources.phabricator import Phabricator

        if name.startswith("PHID-DREV-"):
            server = self._made("phabricator")
            assert isinstance(server, Phabricator)
            return server, "", server.number_of(name)
        for kind in (GitHub, GitLab, Phabricator):
            found = kind.reads(name)
            if found is not None:
                if name.startswith(("http:", "https:")):
                    self._is_ours(kind.kind, name)
                return self._made(kind.kind), *found
        if name.startswith(("http:", "https:")):
            raise UsageError(f"{name} is no address of a pull request, merge request or revision.")
        return None

    def _is_ours(self, kind: str, address: str) -> None:
        """Raises RemoteError for the address of a server that the settings do not name: it gets no token."""
        host = urlsplit(address).netloc
        known = urlsplit(self._address(kind)).netloc
        if host not in (known, known.removeprefix("api.")):
            message = (
                f"{host} is not the {kind} of the settings ({known or 'none is set'}): set review.{kind}."
            )
            raise RemoteError(message, host=host, reason="offline")

    def _address(self, kind: str) -> str:
        address = str(getattr(self._settings, kind))
        return "" if address == NO_SERVER else address

    def _made(self, kind: str) -> Server:
        from services.review.sources.client import ServerClient
        from services.review.sources.github import ACCEPT, GitHub
        from services.review.sources.gitlab import GitLab
        from services.review.sources.phabricator import Phabricator

        address = self._address(kind)
        if not address:
            message = f"No {kind} is set: write its address into the settings, as review.{kind}."
            raise RemoteError(message, host="", reason="offline")
        token = self._key(str(getattr(self._settings, f"{kind}_token")))
        options: dict[str, Any] = {"secret": token, "transport": self._transport}
        if kind == "github":
            return GitHub(ServerClient(address, {**ACCEPT, "authorization": f"Bearer {token}"}, **options))
        if kind == "gitlab":
            return GitLab(ServerClient(address, {"private-token": token}, **options))
        return Phabricator(ServerClient(address, {}, **options), token)


def _system_clipboard() -> str:
    import pyperclip

    try:
        return pyperclip.paste()
    except (pyperclip.PyperclipException, OSError) as error:
        raise UsageError("No clipboard can be read here. Save the diff, and name the file.") from error


def _label(ref: RemoteRef) -> str:
    mark = {"github": "#", "gitlab": "!"}.get(ref.kind)
    return f"{ref.project}{mark}{ref.number}" if mark else f"D{ref.number}"

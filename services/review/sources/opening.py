"""The source that a name means, as people write it: a commit, a range, a patch, a request or revision on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from services.errors import CodeCortexError, RemoteError, UsageError
from services.llm.keys import key_of
from services.review.sources.git_changes import GitChanges
from services.review.sources.patch_changes import PatchChanges
from services.review.sources.source import CodeChangeSource, RemoteRef
from services.settings.values import ReviewSettings
from services.source.diffs.changes import Changes
from services.workspace.files.root import Root
from services.workspace.text import decode

if TYPE_CHECKING:
    import httpx2

    from services.review.remote.github import GitHub
    from services.review.remote.gitlab import GitLab
    from services.review.remote.phabricator import Phabricator

    Server = GitHub | GitLab | Phabricator

NO_SERVER = ReviewSettings().github
PATCH = "patch:"
_ENDINGS = (".patch", ".diff")
_MOST = 20_000_000


class Sources:
    """Opens sources. `transport`: what carries requests to servers, in tests; `wait`: between tries."""

    def __init__(
        self,
        root: Root,
        changes: Changes,
        settings: ReviewSettings,
        *,
        transport: httpx2.BaseTransport | None = None,
        key: Callable[[str], str] = key_of,
    ) -> None:
        self._root = root
        self._changes = changes
        self._settings = settings
        self._transport = transport
        self._key = key

    def open(self, name: str) -> CodeChangeSource:
        """The source of a name: nothing for the working tree, `staged`, a commit, `A..B`, `A...B`, `patch:FILE`, the
        text of a diff, `D123`, `github:owner/name#1`, `gitlab:group/name!1`, or the address of one of these. Raises
        UsageError, WorkspaceError, RemoteError."""
        name = name.strip() if "\n" not in name else name
        if "\n" in name:
            return self.pasted(name)
        if name.startswith(PATCH) or name.endswith(_ENDINGS):
            return self._file(name.removeprefix(PATCH))
        found = self._server_of(name)
        if found is None:
            return GitChanges(self._changes, name)
        server, project, number = found
        ref, files = server.fetch(project, number)
        title = f"{_label(ref)} {ref.title}".rstrip()
        return PatchChanges(files, name=name, title=title, lines=self._lines, remote=ref)

    def pasted(self, text: str) -> PatchChanges:
        """The text of a diff. Raises UsageError."""
        return PatchChanges.of_text(text, name="pasted", title="Pasted diff", lines=self._lines)

    def server(self, ref: RemoteRef) -> Server:
        """What speaks to the server of a request or revision. Raises RemoteError where none is set."""
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
        return [line.removesuffix("\n").removesuffix("\r") for line in text.lines()]

    def _server_of(self, name: str) -> tuple[Server, str, int] | None:
        from services.review.remote.github import GitHub
        from services.review.remote.gitlab import GitLab
        from services.review.remote.phabricator import Phabricator

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
        from services.review.remote.client import Client
        from services.review.remote.github import ACCEPT, GitHub
        from services.review.remote.gitlab import GitLab
        from services.review.remote.phabricator import Phabricator

        address = self._address(kind)
        if not address:
            message = f"No {kind} is set: write its address into the settings, as review.{kind}."
            raise RemoteError(message, host="", reason="offline")
        token = self._key(str(getattr(self._settings, f"{kind}_token")))
        options: dict[str, Any] = {"secret": token, "transport": self._transport}
        if kind == "github":
            return GitHub(Client(address, {**ACCEPT, "authorization": f"Bearer {token}"}, **options))
        if kind == "gitlab":
            return GitLab(Client(address, {"private-token": token}, **options))
        return Phabricator(Client(address, {}, **options), token)


def _label(ref: RemoteRef) -> str:
    mark = {"github": "#", "gitlab": "!"}.get(ref.kind)
    return f"{ref.project}{mark}{ref.number}" if mark else f"D{ref.number}"

"""Sessions of MCP over HTTP, so many at most: whoever left without a word makes room for who comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from mcp.server.streamable_http import StreamableHTTPServerTransport


class Sessions(StreamableHTTPSessionManager):
    """The SDK's, but for what happens when there are as many as may be: the session that has been idle longest ends.
    Its client, should it still be there, is answered that there is no such session and begins another, as the protocol
    has it. Sessions with a request under way, or a stream open, stay."""

    def _admit_session(self, requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        if self.max_sessions is not None and len(self._server_instances) >= self.max_sessions:
            self._end_oldest()
        return super()._admit_session(requestor)

    def _end_oldest(self) -> None:
        # A deadline is set when the last request of a session ends, and is infinite while there is one.
        idle = {
            id_: scope
            for id_, transport in self._server_instances.items()
            if (scope := transport.idle_scope) is not None and scope.deadline < float("inf")
        }
        if idle:
            oldest = min(idle, key=lambda id_: idle[id_].deadline)
            del self._server_instances[oldest]
            self._session_owners.pop(oldest, None)
            idle[oldest].cancel()

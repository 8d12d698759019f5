"""The choice of the link for a transport."""

from __future__ import annotations

from ._address import ServerAddress
from ._link import Link, LinkOwner
from ._options import Options, Transport
from ._poll_link import PollLink
from ._stream_link import StreamLink
from ._websocket_link import WebSocketLink


def new_link(
    transport: Transport, owner: LinkOwner, address: ServerAddress, options: Options, token: str | None
) -> Link:
    """Returns a link that is not open yet."""
    match transport:
        case Transport.WEBSOCKET:
            return WebSocketLink(
                owner,
                address,
                options.encoding.codec(),
                token,
                options.timeouts.ping_ms,
                options.compression,
                options.client_name,
            )
        case Transport.HTTP_STREAM:
            return StreamLink(owner, address, token, options.timeouts)
        case Transport.LONG_POLL:
            return PollLink(owner, address, token, options.timeouts)

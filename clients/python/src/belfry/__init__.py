"""A client of the Belfry publish/subscribe server, for asyncio.

:mod:`belfry.blocking` has the same names without await.
"""

from ._address import Server
from ._backoff import ReconnectPolicy
from ._client import Client, Subscription, Watch, connect
from ._decode import json, text
from ._errors import BelfryError, ClosedError, NoReplyError, PublishError, PublishOutcome, RefusedError, SubscribeError
from ._model import Gap, Item, Message, MessageType, Position, Recovery
from ._options import Bounds, Encoding, Timeouts, TokenReason, Transport
from ._status import (
    CallbackFailed,
    Closed,
    CommandFailed,
    Connected,
    Connecting,
    Disconnected,
    GapFound,
    Paused,
    PublishUnknown,
    ReconnectAsked,
    Refused,
    Resumed,
    Stale,
    Status,
    Subscribed,
    SubscribedByServer,
    SubscribeRefused,
    TokenFailed,
    TokenToExpire,
    Unsubscribed,
)

__version__ = "0.1.0"

__all__ = [
    "BelfryError",
    "Bounds",
    "CallbackFailed",
    "Client",
    "Closed",
    "ClosedError",
    "CommandFailed",
    "Connected",
    "Connecting",
    "Disconnected",
    "Encoding",
    "Gap",
    "GapFound",
    "Item",
    "Message",
    "MessageType",
    "NoReplyError",
    "Paused",
    "Position",
    "PublishError",
    "PublishOutcome",
    "PublishUnknown",
    "ReconnectAsked",
    "ReconnectPolicy",
    "Recovery",
    "Refused",
    "RefusedError",
    "Resumed",
    "Server",
    "Stale",
    "Status",
    "SubscribeError",
    "SubscribeRefused",
    "Subscribed",
    "SubscribedByServer",
    "Subscription",
    "Timeouts",
    "TokenFailed",
    "TokenReason",
    "TokenToExpire",
    "Transport",
    "Unsubscribed",
    "Watch",
    "connect",
    "json",
    "text",
]

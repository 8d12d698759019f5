"""The bounded buffer between the engine and the program.

Owner of ``put``: the engine's thread. Owner of ``take``: the program's thread. Each counter has one writer, and a
deque's append and popleft are atomic, so no lock is needed.
"""

from __future__ import annotations

from collections import deque
from typing import Generic

from ._model import Item, T

_ITEM_OVERHEAD_BYTES = 400


class ItemBuffer(Generic[T]):
    """Items that wait for the program. The bound is soft: the engine stops the flow when it is reached."""

    __slots__ = ("_added_bytes", "_bytes_max", "_count_max", "_items", "_taken_bytes")

    def __init__(self, count_max: int, bytes_max: int) -> None:
        self._items: deque[tuple[Item[T], int]] = deque()
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._added_bytes = 0
        self._taken_bytes = 0

    def put(self, item: Item[T], data_bytes: int) -> None:
        size = data_bytes + _ITEM_OVERHEAD_BYTES
        self._added_bytes += size
        self._items.append((item, size))

    def take(self) -> Item[T]:
        """Returns the oldest item; raises IndexError if there is none."""
        item, size = self._items.popleft()
        self._taken_bytes += size
        return item

    def __len__(self) -> int:
        return len(self._items)

    @property
    def is_full(self) -> bool:
        return len(self._items) >= self._count_max or self._added_bytes - self._taken_bytes >= self._bytes_max

    @property
    def is_half_empty(self) -> bool:
        return (
            len(self._items) * 2 <= self._count_max and (self._added_bytes - self._taken_bytes) * 2 <= self._bytes_max
        )

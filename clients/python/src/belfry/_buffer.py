"""The bounded buffer between the engine and the program.

Owner of ``put``: the engine's thread. Owner of ``take``: the program's thread. Each counter has one writer, and a
deque's append and popleft are atomic, so no lock is needed.
"""

from __future__ import annotations

import contextlib
from collections import deque
from typing import Generic

from ._model import Item, T

_ITEM_OVERHEAD_BYTES = 400


class ItemBuffer(Generic[T]):
    """Items that wait for the program. The bound is soft: the engine stops the flow when it is reached."""

    __slots__ = ("_added_bytes", "_bytes_max", "_count_max", "_items", "_marks", "_taken_bytes", "position")

    def __init__(self, count_max: int, bytes_max: int) -> None:
        self._items: deque[tuple[Item[T], int]] = deque()
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._added_bytes = 0
        self._taken_bytes = 0
        self._marks: deque[tuple[int, str | None]] = deque()
        """Positions of a pattern, each with the bytes added before it; at most one per item."""
        self.position: str | None = None
        """The position of a pattern whose preceding items were taken, and after which the program asked for another."""

    def put(self, item: Item[T], data_bytes: int) -> None:
        size = data_bytes + _ITEM_OVERHEAD_BYTES
        self._added_bytes += size
        self._items.append((item, size))

    def mark(self, position: str | None) -> None:
        """Sets the position, once the program has taken the items before it."""
        if not self._added_bytes:
            self.position = position
            return
        with contextlib.suppress(IndexError):
            # The program may take the mark meanwhile.
            if self._marks[-1][0] == self._added_bytes:
                self._marks[-1] = self._added_bytes, position
                return
        self._marks.append((self._added_bytes, position))

    def take(self) -> Item[T]:
        """Returns the oldest item; raises IndexError if there is none."""
        while self._marks and self._marks[0][0] <= self._taken_bytes:
            self.position = self._marks.popleft()[1]
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

"""The life cycle of tokens: at most one question to the program at any time. Owner: the engine."""

from __future__ import annotations

from collections.abc import Callable

from ._options import TokenReason, checked_token

TokenResult = Callable[[str | None, Exception | None], None]


class Tokens:
    """Answers with the fixed token, or asks the callback and shares its answer between all who wait for it."""

    def __init__(self, fixed: str | None, ask: Callable[[TokenReason], None] | None) -> None:
        self._fixed = fixed
        self._ask = ask
        self._waiting: list[TokenResult] = []
        self._refused = False

    @property
    def renewable(self) -> bool:
        return self._ask is not None

    def refused(self) -> None:
        """Records that the server refused the last token, which becomes the reason of the next question."""
        self._refused = True

    def request(self, reason: TokenReason, result: TokenResult) -> None:
        """Calls ``result`` with a token, now or later."""
        if self._ask is None:
            result(self._fixed, None)
            return
        self._waiting.append(result)
        if len(self._waiting) == 1:
            asked = TokenReason.REFUSED if self._refused else reason
            self._refused = False
            self._ask(asked)

    def answered(self, token: object, error: Exception | None) -> None:
        """Handles the callback's answer or exception."""
        checked: str | None = None
        if error is None:
            try:
                checked = checked_token(token)
            except ValueError as invalid:
                error = invalid
        waiting, self._waiting = self._waiting, []
        for result in waiting:
            result(checked, error)

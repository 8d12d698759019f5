"""Functions for the option ``decode`` of ``subscribe``."""

from __future__ import annotations

import json as _json
from typing import Any


def json(data: bytes) -> Any:
    """Returns the value of JSON data."""
    return _json.loads(data)


def text(data: bytes) -> str:
    """Returns UTF-8 data as text."""
    return data.decode()

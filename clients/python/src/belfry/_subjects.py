"""The rules of subjects and patterns, as in docs/protocol.md. Pure functions."""

from __future__ import annotations

import re

from ._inboxes import is_inbox

SUBJECT_BYTES_MAX = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def problem(subject: str, *, pattern_allowed: bool) -> str | None:
    """Returns the rule that a subject or pattern breaks, or None if it is valid.

    Patterns are allowed in subscriptions, which may also name a subject of the server, but no pattern within those.
    An inbox is a subject of both.
    """
    try:
        length = len(subject.encode())
    except UnicodeEncodeError:
        return "a subject must be UTF-8"
    if length == 0:
        return "a subject must not be empty"
    if length > SUBJECT_BYTES_MAX:
        return "a subject must have at most 255 bytes"
    if not subject.startswith("/"):
        return "a subject must begin with '/'"
    if _CONTROL.search(subject):
        return "a subject must not have control characters"
    if is_inbox(subject):
        return None
    of_server = pattern_allowed and subject.startswith("/$")
    return _segments_problem(subject[1:].split("/"), pattern_allowed and not of_server, of_server)


def _segments_problem(segments: list[str], pattern_allowed: bool, reserved_allowed: bool) -> str | None:
    for index, segment in enumerate(segments):
        if not segment:
            return "a subject must not have an empty segment or end with '/'"
        if segment.startswith("$") and not reserved_allowed:
            return "segments that begin with '$' are reserved"
        if "*" in segment:
            found = _wildcard_problem(segment, index == len(segments) - 1, pattern_allowed)
            if found:
                return found
    return None


def _wildcard_problem(segment: str, last: bool, pattern_allowed: bool) -> str | None:
    if not pattern_allowed:
        return "a pattern is not allowed here, only a plain subject"
    if segment not in ("*", "**"):
        return "'*' and '**' must be whole segments"
    return "'**' must be the last segment" if segment == "**" and not last else None


def is_pattern(subject: str) -> bool:
    """Whether a valid subject or pattern is a pattern."""
    return "*" in subject


def overlap(one: str, other: str) -> bool:
    """Whether one subject may match both; each is a valid subject or pattern."""
    first = one.split("/")
    second = other.split("/")
    for segments in zip(first, second, strict=False):
        if "**" in segments:
            return True
        if "*" not in segments and segments[0] != segments[1]:
            return False
    return len(first) == len(second)


def matches(pattern: str, subject: str) -> bool:
    """Whether a valid pattern matches a valid plain subject. Wildcards never match segments that begin with '$'."""
    wanted = pattern.split("/")
    found = subject.split("/")
    rest = wanted[-1] == "**"
    if len(found) < len(wanted) or (len(found) > len(wanted) and not rest):
        return False
    for index, segment in enumerate(found):
        if index < len(wanted) - rest and wanted[index] != "*":
            if wanted[index] != segment:
                return False
        elif segment.startswith("$"):
            return False
    return True

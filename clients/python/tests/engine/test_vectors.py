from __future__ import annotations

import contextlib
import json
import random
import unittest
from pathlib import Path
from typing import Any

from belfry import _subjects
from belfry._binary import BinaryCodec
from belfry._codec import Codec, PublishCommand, SessionRequest, SubscribeCommand
from belfry._events import (
    ConnectedEvent,
    ErrorEvent,
    EventError,
    GapEvent,
    InterestEvent,
    MessageEvent,
    PongEvent,
    PositionEvent,
    PublishedEvent,
    ReconnectEvent,
    ServerEvent,
    StaleEvent,
    SubscribedEvent,
    TokenToExpireEvent,
    UnsubscribedEvent,
    UnwatchedEvent,
)
from belfry._headers import checked_headers
from belfry._json import JsonCodec
from belfry._model import MessageType, Position
from belfry._settings import ttl_ms

VECTORS = Path(__file__).parents[4] / "protocol/src/test/resources/vectors"


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text())
    return found


def commands() -> list[dict[str, Any]]:
    """The commands without those that this client never sends."""
    return [vector for vector in vectors("commands") if "at" not in vector["fields"]]


def encoded(codec: Codec, fields: dict[str, Any]) -> bytes:
    id = fields.get("id")
    match fields["op"]:
        case "connect":
            session = session_of(fields)
            return codec.connect(fields.get("token"), id, fields.get("ping"), session, fields.get("client"))
        case "subscribe":
            at = fields.get("from")
            of_pattern = at is not None and ":" not in at
            after, pattern_from = (None, at) if of_pattern or at is None else (Position.parse(at), None)
            subjects = tuple(fields["subjects"])
            history, conflate = fields.get("history"), fields.get("conflate")
            delta = fields.get("delta")
            return codec.subscribe(SubscribeCommand(subjects, after, history, conflate, id, pattern_from, delta))
        case "unsubscribe":
            return codec.unsubscribe(tuple(fields["subjects"]), id)
        case "publish":
            data = bytes.fromhex(fields["hex"])
            retain = fields.get("retain", False)
            headers = fields.get("headers", {})
            ttl, origin = fields.get("ttl", 0), fields.get("origin")
            msg_id = fields.get("msgId")
            return codec.publish(PublishCommand(fields["subject"], data, retain, msg_id, id, headers, ttl, origin))
        case "ping":
            return codec.ping(id)
        case "watch":
            return codec.watch(fields["subject"], id)
        case "unwatch":
            return codec.unwatch(fields["subject"], id)
    raise AssertionError(f"no command: {fields}")


def session_of(fields: dict[str, Any]) -> SessionRequest | None:
    if "session" not in fields:
        return None
    pairs = fields.get("positions", [])
    positions = zip(pairs[::2], map(Position.parse, pairs[1::2]), strict=True)
    return SessionRequest(fields["session"], tuple(positions))


def with_id(fields: dict[str, Any], id: int) -> dict[str, Any]:
    return {**fields, "id": id} if id else fields


def present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def fields_of(event: ServerEvent) -> dict[str, Any]:  # noqa: C901 - one case per event
    match event:
        case MessageEvent():
            return present(
                op="message",
                subject=event.subject,
                **{"delta" if event.delta else "hex": event.data.hex()},
                epoch=event.epoch,
                seq=event.seq,
                prev=None if event.previous == event.seq - 1 else event.previous,
                time=event.time_ms,
                type=None if event.type is MessageType.LIVE else event.type.value,
                retained=event.retained or None,
                headers=dict(event.headers) or None,
            )
        case ConnectedEvent():
            fields = present(op="connected", session=event.session, node=event.node)
            kept = present(keep=event.keep_ms or None, resumed=event.resumed or None)
            return with_id({**fields, "ping": event.ping_ms, "maxMessage": event.max_message, **kept}, event.id)
        case SubscribedEvent():
            epoch, seq = event.at or (None, None)
            fields = present(op="subscribed", subject=event.subject, epoch=epoch, seq=seq)
            more = present(conflate=event.conflate_ms or None, at=event.pattern_at, delta=event.delta)
            return with_id({**fields, "recovery": event.recovery.value, **more}, event.id)
        case PositionEvent():
            named = {} if event.pattern is None else {"subject": event.pattern}
            return {"op": "position", **named, "at": event.at}
        case UnsubscribedEvent():
            return with_id(present(op="unsubscribed", subject=event.subject, reason=event.reason), event.id)
        case UnwatchedEvent():
            return with_id(present(op="unwatched", subject=event.subject, reason=event.reason), event.id)
        case PublishedEvent():
            return with_id({"op": "published", "epoch": event.at.epoch, "seq": event.at.seq}, event.id)
        case GapEvent():
            after = str(event.after) if event.after else None
            return {
                **present(op="gap", subject=event.subject, to=str(event.to), reason=event.reason),
                **present(**{"from": after}),
            }
        case PongEvent():
            return with_id(present(op="pong", clock=event.clock_us), event.id)
        case ErrorEvent():
            fields = present(op="error", code=event.code, subject=event.subject, after=event.after_ms or None)
            return with_id({**fields, "reason": event.reason}, event.id)
        case ReconnectEvent():
            return {"op": "reconnect", "after": event.after_ms, "reason": event.reason}
        case InterestEvent():
            op = "watched" if event.answer else "interest"
            return with_id({"op": op, "subject": event.subject, "subscribers": event.subscribers}, event.id)
        case TokenToExpireEvent():
            return {"op": "token-to-expire", "after": event.after_ms}
        case StaleEvent():
            return {"op": "stale", "stale": event.stale}


class HeadersTest(unittest.TestCase):
    def test_headers_are_encoded_and_decoded(self) -> None:
        for vector in vectors("headers"):
            fields = vector["fields"]
            with self.subTest(vector["name"]):
                if "before" not in vector:
                    self.assertEqual(json.loads(vector["json"]), json.loads(encoded(JsonCodec(), fields)))
                    self.assertEqual(vector["binary"], encoded(BinaryCodec(), fields).hex())
                    continue
                codec = BinaryCodec()
                codec.epochs = dict(enumerate(vector["epochs"]))
                self.assertIsNone(codec.decode(bytes.fromhex(vector["before"])))
                self.assertEqual(fields, fields_of(some(codec.decode(bytes.fromhex(vector["binary"])))))
                without = {name: value for name, value in fields.items() if name != "headers"}
                self.assertEqual(without, fields_of(some(codec.decode(bytes.fromhex(vector["binary"])))))
                for text in (vector["json"], *vector.get("jsonAlso", [])):
                    self.assertEqual(fields, fields_of(some(JsonCodec().decode(text))))

    def test_truncated_headers_are_refused(self) -> None:
        for vector in vectors("headers"):
            frame = bytes.fromhex(vector.get("before", ""))
            for length in range(2, len(frame)):
                with self.assertRaises(EventError):
                    BinaryCodec().decode(frame[:length])

    def test_invalid_headers_are_refused_before_the_publish(self) -> None:
        many = {str(number): "" for number in range(17)}
        for headers in ({"": "x"}, {"$user": "x"}, {"\x85": "x"}, {"é" * 33: "x"}, {"a": "v" * 65_536}, many):
            with self.assertRaises(ValueError):
                checked_headers(headers)
        self.assertEqual({"a": ""}, checked_headers({"a": ""}))

    def test_a_time_to_live_is_checked_before_the_publish(self) -> None:
        self.assertEqual([0, 0, 1, 1500], [ttl_ms(None), ttl_ms(0), ttl_ms(0.0001), ttl_ms(1.5)])
        for invalid in (-1, 366 * 24 * 3600, float("nan")):
            with self.assertRaises(ValueError):
                ttl_ms(invalid)


def some(event: ServerEvent | None) -> ServerEvent:
    assert event is not None
    return event


class VectorsTest(unittest.TestCase):
    def test_commands_are_encoded_in_json(self) -> None:
        for vector in commands():
            with self.subTest(vector["name"]):
                self.assertEqual(json.loads(vector["json"]), json.loads(encoded(JsonCodec(), vector["fields"])))

    def test_commands_are_encoded_in_binary(self) -> None:
        for vector in commands():
            with self.subTest(vector["name"]):
                self.assertEqual(vector["binary"], encoded(BinaryCodec(), vector["fields"]).hex())

    def test_events_are_decoded_from_json(self) -> None:
        for vector in vectors("events"):
            for text in [vector["json"], *vector.get("jsonAlso", ())] if "json" in vector else ():
                with self.subTest(vector["name"]):
                    event = JsonCodec().decode(text)
                    assert event is not None
                    self.assertEqual(vector["fields"], fields_of(event))

    def test_events_are_decoded_from_binary(self) -> None:
        for vector in vectors("events"):
            with self.subTest(vector["name"]):
                codec = self.codec(vector)
                event = codec.decode(bytes.fromhex(vector["binary"]))
                if vector["fields"]["op"] == "epoch":
                    fields = vector["fields"]
                    self.assertEqual(fields["epoch"], codec.epochs[fields["index"]])
                else:
                    assert event is not None
                    self.assertEqual(vector["fields"], fields_of(event))

    def codec(self, vector: dict[str, Any]) -> BinaryCodec:
        codec = BinaryCodec()
        codec.epochs = dict(enumerate(vector.get("epochs", ())))
        return codec

    def test_every_truncation_of_an_event_is_refused_or_shorter_data(self) -> None:
        for vector in vectors("events"):
            whole = bytes.fromhex(vector["binary"])
            for length in range(len(whole)):
                with self.subTest(vector["name"], length=length):
                    try:
                        event = self.codec(vector).decode(whole[:length])
                    except EventError:
                        continue
                    self.assertIsInstance(event, MessageEvent)

    def test_bytes_after_the_known_fields_are_ignored(self) -> None:
        for vector in vectors("events"):
            if vector["fields"]["op"] not in ("message", "epoch"):
                with self.subTest(vector["name"]):
                    event = self.codec(vector).decode(bytes.fromhex(vector["binary"]) + b"more")
                    assert event is not None
                    self.assertEqual(vector["fields"], fields_of(event))

    def test_unknown_events_are_ignored(self) -> None:
        self.assertIsNone(BinaryCodec().decode(b"\x7f\x00rest"))
        self.assertIsNone(JsonCodec().decode('{"op":"later","x":1}'))

    def test_no_input_raises_anything_but_a_bad_event(self) -> None:
        draw = random.Random(3)
        seeds = [bytes.fromhex(vector["binary"]) for vector in vectors("events")]
        texts = [vector["json"] for vector in vectors("events") if "json" in vector]
        for _ in range(20_000):
            frame = bytearray(draw.choice(seeds))
            for _ in range(draw.randrange(1, 4)):
                frame[draw.randrange(len(frame))] = draw.randrange(256)
            text = list(draw.choice(texts))
            text[draw.randrange(len(text))] = chr(draw.randrange(32, 300))
            for codec, data in ((BinaryCodec(), bytes(frame)), (JsonCodec(), "".join(text))):
                with contextlib.suppress(EventError):
                    codec.decode(data)

    def test_json_that_is_no_event_is_refused(self) -> None:
        for text in ("", "[]", "1", "{}", '{"op":1}', "[" * 100_000, '{"op":"message"}', '{"op":"pong","id":"x"}x'):
            with self.subTest(text[:20]), self.assertRaises(EventError):
                JsonCodec().decode(text)

    def test_subjects_are_checked_as_the_server_checks_them(self) -> None:
        for vector in vectors("subjects"):
            if "text" in vector:
                with self.subTest(vector["text"]):
                    plain = _subjects.problem(vector["text"], pattern_allowed=False)
                    pattern = _subjects.problem(vector["text"], pattern_allowed=True)
                    self.assertEqual(vector["plain"] is None, plain is None, plain)
                    self.assertEqual(vector["pattern"] is None, pattern is None, pattern)

    def test_patterns_match_as_in_the_server(self) -> None:
        for vector in vectors("matches"):
            with self.subTest(vector):
                self.assertEqual(vector["matches"], _subjects.matches(vector["pattern"], vector["subject"]))

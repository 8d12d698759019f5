#!/usr/bin/env python3
"""Replays the test vectors against a second implementation of the protocol, written from docs/protocol.md alone.

Usage: vectors-check.py FOLDER. Exit 0 when every vector holds. Standard library only; also meant to be read by who writes a client.
"""

import base64
import hashlib
import json
import re
import struct
import sys
from pathlib import Path

COMMANDS = {"connect": 1, "subscribe": 2, "unsubscribe": 3, "publish": 4, "ping": 6, "watch": 9, "unwatch": 10}
EVENTS = {
    "connected": 1, "subscribed": 2, "unsubscribed": 3, "published": 4, "gap": 5, "pong": 6, "error": 7,
    "reconnect": 8, "watched": 9, "unwatched": 10, "interest": 11, "epoch": 12, "token-to-expire": 13,
    "stale": 14, "position": 15,
}  # fmt: skip
TYPES = ["live", "snapshot", "history", "recovered"]
RECOVERIES = ["complete", "gap", "none"]
MAX = 2**53


class Bad(Exception):
    """A rejected frame; the argument is the code."""


# Subjects


KEY = "[A-Za-z0-9_-]{22,64}"
INBOX = re.compile(r"/\$inbox/[A-Za-z0-9_-]{22}")


def inbox_of(key):
    """Returns the inbox of a key, or None if the key breaks the rules."""
    if not re.fullmatch(KEY, key):
        return None
    return "/$inbox/" + base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()[:16]).decode().rstrip("=")


def tag_of(key):
    """Returns the value of the header $origin of messages that were published with this key."""
    return base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()[:12]).decode()


def follow_code(raw, pattern_allowed):
    """Returns the code with which the subject of a subscription is rejected, or None if it is valid."""
    code = subject_code(raw, pattern_allowed, True)
    text = raw.decode("utf-8", "replace")
    if code or not re.match(r"/\$inbox(/|$)", text):
        return code
    inbox, _, key = text.rpartition("/")
    return None if inbox == inbox_of(key) else "subscribe-denied"


def subject_code(raw, pattern_allowed, server_allowed=None):
    """Returns the code with which a subject is rejected, or None if it is valid. raw is bytes."""
    server_allowed = pattern_allowed if server_allowed is None else server_allowed
    if not 0 < len(raw) <= 255:
        return "bad-subject"
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return "bad-subject"
    if not text.startswith("/") or re.search("[\0-\x1f\x7f-\x9f]", text):
        return "bad-subject"
    segments = text[1:].split("/")
    # A subscription may name a subject of the server, but no pattern within the server's subjects.
    of_server = server_allowed and segments[0].startswith("$")
    if "" in segments or not of_server and any(s.startswith("$") for s in segments):
        return "bad-subject"
    if "*" not in text:
        return None
    if not pattern_allowed or of_server:
        return "wildcard-not-allowed"
    fits = all("*" not in s or s == "*" or (s == "**" and i == len(segments) - 1) for i, s in enumerate(segments))
    return None if fits else "bad-subject"


def matches(pattern, subject):
    p, s = pattern[1:].split("/"), subject[1:].split("/")
    for i, segment in enumerate(p):
        if segment == "**":
            return len(s) > i and not any(x.startswith("$") for x in s[i:])
        if i >= len(s):
            return False
        if segment != s[i] and not (segment == "*" and not s[i].startswith("$")):
            return False
    return len(p) == len(s)


# Writing


def short(text):
    raw = text.encode()
    return bytes([len(raw)]) + raw


def position(text):
    epoch, seq = text.split(":")
    return struct.pack(">QQ", int(epoch), int(seq))


def opaque(text):
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return struct.pack(">H", len(raw)) + raw


def of_pattern(f):
    return "from" in f and ":" not in f["from"]


def start(op, flags, fields):
    if "id" in fields:
        return struct.pack(">BBq", op, flags | 1, fields["id"])
    return struct.pack(">BB", op, flags)


def subjects(fields):
    return struct.pack(">H", len(fields["subjects"])) + b"".join(short(s) for s in fields["subjects"])


def header_block(headers):
    pairs = b"".join(short(n) + struct.pack(">H", len(v.encode())) + v.encode() for n, v in headers.items())
    return struct.pack(">H", len(pairs)) + pairs


def encode_command(f):
    op = f["op"]
    number = COMMANDS[op]
    if op == "connect":
        token = f.get("token", "").encode()
        ping = struct.pack(">I", f["ping"]) if "ping" in f else b""
        flags = sum(bit for bit, name in ((2, "ping"), (4, "session"), (8, "positions"), (16, "client")) if name in f)
        out = start(number, flags, f) + ping + struct.pack(">H", len(token)) + token
        out += short(f["session"]) if "session" in f else b""
        pairs = f.get("positions", [])
        out += struct.pack(">H", len(pairs) // 2) if pairs else b""
        out += b"".join(short(s) + position(p) for s, p in zip(pairs[::2], pairs[1::2], strict=True))
        return out + (short(f["client"]) if "client" in f else b"")
    if op == "subscribe":
        flags = sum(bit for bit, name in ((4, "history"), (8, "conflate")) if name in f)
        flags |= (16 if of_pattern(f) else 2) if "from" in f else 0
        flags |= 32 if "delta" in f else 0
        out = start(number, flags, f)
        out += position(f["from"]) if flags & 2 else b""
        out += struct.pack(">I", f["history"]) if "history" in f else b""
        out += struct.pack(">I", f["conflate"]) if "conflate" in f else b""
        out += opaque(f["from"]) if flags & 16 else b""
        out += short(f["delta"]) if "delta" in f else b""
        return out + subjects(f)
    if op == "unsubscribe":
        return start(number, 0, f) + subjects(f)
    if op == "publish":
        flags = (2 if f.get("retain") else 0) | (4 if "msgId" in f else 0) | (8 if "headers" in f else 0)
        flags |= (16 if "ttl" in f else 0) | (32 if "origin" in f else 0)
        out = start(number, flags, f) + short(f["subject"])
        out += short(f["msgId"]) if "msgId" in f else b""
        out += header_block(f["headers"]) if "headers" in f else b""
        out += struct.pack(">q", f["ttl"]) if "ttl" in f else b""
        out += short(f["origin"]) if "origin" in f else b""
        return out + bytes.fromhex(f["hex"])
    if op == "ping":
        return start(number, 0, f)
    return start(number, 0, f) + short(f["subject"])


def encode_message(f, epochs):
    head = 0x80 | TYPES.index(f.get("type", "live")) | (4 if f.get("retained") else 0)
    head |= 0x20 if "headers" in f else 0
    head |= 0x40 if "delta" in f else 0
    back = b""
    if "prev" in f:
        distance = f["seq"] - f["prev"]
        far = distance > 0xFFFFFFFF
        head |= 0x18 if far else 0x08
        back = distance.to_bytes(7 if far else 4, "big")
    out = bytes([head, epochs.index(f["epoch"])]) + f["seq"].to_bytes(7, "big") + f["time"].to_bytes(6, "big")
    return out + short(f["subject"]) + back + bytes.fromhex(f["delta"] if "delta" in f else f["hex"])


def encode_event(f, epochs):
    op = f["op"]
    if op == "message":
        return encode_message(f, epochs)
    number = EVENTS[op]
    if op == "connected":
        flags = (2 if "keep" in f else 0) | (4 if f.get("resumed") else 0)
        out = start(number, flags, f) + struct.pack(">II", f["ping"], f["maxMessage"])
        out += short(f["session"]) + short(f["node"])
        return out + (struct.pack(">I", f["keep"]) if "keep" in f else b"")
    if op == "subscribed":
        flags = RECOVERIES.index(f["recovery"]) << 2 | (2 if "epoch" in f else 0) | (16 if "conflate" in f else 0)
        flags |= (32 if "at" in f else 0) | (64 if "delta" in f else 0)
        out = start(number, flags, f) + short(f["subject"])
        out += struct.pack(">QQ", f["epoch"], f["seq"]) if "epoch" in f else b""
        out += struct.pack(">I", f["conflate"]) if "conflate" in f else b""
        out += opaque(f["at"]) if "at" in f else b""
        return out + (short(f["delta"]) if "delta" in f else b"")
    if op == "position":
        out = start(number, 2 if "subject" in f else 0, f)
        return out + (short(f["subject"]) if "subject" in f else b"") + opaque(f["at"])
    if op == "published":
        return start(number, 0, f) + struct.pack(">QQ", f["epoch"], f["seq"])
    if op == "gap":
        out = start(number, 2 if "from" in f else 0, f) + short(f["subject"])
        return out + (position(f["from"]) if "from" in f else b"") + position(f["to"]) + short(f["reason"])
    if op == "pong":
        return start(number, 2 if "clock" in f else 0, f) + (struct.pack(">Q", f["clock"]) if "clock" in f else b"")
    if op == "error":
        out = start(number, (2 if "subject" in f else 0) | (4 if "after" in f else 0), f) + short(f["code"])
        out += (short(f["subject"]) if "subject" in f else b"") + short(f["reason"])
        return out + (struct.pack(">I", f["after"]) if "after" in f else b"")
    if op == "reconnect":
        return start(number, 0, f) + struct.pack(">I", f["after"]) + short(f["reason"])
    if op == "token-to-expire":
        return start(number, 0, f) + struct.pack(">I", f["after"])
    if op == "stale":
        return start(number, 2 if f["stale"] else 0, f)
    if op in ("unsubscribed", "unwatched"):
        out = start(number, 2 if "reason" in f else 0, f) + short(f["subject"])
        return out + (short(f["reason"]) if "reason" in f else b"")
    if op == "epoch":
        return start(number, 0, f) + struct.pack(">BQ", f["index"], f["epoch"])
    return start(number, 2 if f.get("subscribers") else 0, f) + short(f["subject"])


# Reading


class Reader:
    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, n):
        if self.at + n > len(self.raw):
            raise Bad("bad-frame")
        self.at += n
        return self.raw[self.at - n : self.at]

    def u(self, n):
        return int.from_bytes(self.take(n), "big")

    def short(self):
        return self.take(self.u(1))

    def text(self):
        return self.short().decode()

    def position(self):
        return f"{self.u(8)}:{self.u(8)}"

    def opaque(self):
        raw = self.take(self.u(2))
        if not 0 < len(raw) <= 768:
            return ""
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    def rest(self):
        return self.take(len(self.raw) - self.at)

    def done(self):
        if self.at != len(self.raw):
            raise Bad("bad-frame")


def accepted(raw, code):
    if code:
        raise Bad(code)
    return raw.decode()


def checked(raw, pattern_allowed):
    return accepted(raw, subject_code(raw, pattern_allowed))


def followed(raw, pattern_allowed):
    return accepted(raw, follow_code(raw, pattern_allowed))


def published(raw, retain):
    if not INBOX.fullmatch(raw.decode("utf-8", "replace")):
        return checked(raw, False)
    if retain:
        raise Bad("retain-denied")
    return raw.decode()


def decode_command(raw):
    r = Reader(raw)
    number, flags = r.u(1), r.u(1)
    f = {}
    if flags & 1:
        f["id"] = int.from_bytes(r.take(8), "big", signed=True)
        if abs(f["id"]) > MAX:
            raise Bad("bad-request")
    op = {n: name for name, n in COMMANDS.items()}.get(number)
    if op is None:
        raise Bad("unknown-op")
    f["op"] = op
    known = {"connect": 0x1F, "subscribe": 0x3F, "publish": 0x3F}.get(op, 0x01)
    read_command(op, flags, r, f)
    r.done()
    if flags & ~known:
        raise Bad("bad-frame")
    check_command(op, flags, f)
    return f


def read_command(op, flags, r, f):
    if op == "connect":
        if flags & 2:
            f["ping"] = r.u(4)
        token = r.take(r.u(2))
        if token:
            f["token"] = token.decode()
        if flags & 4:
            f["session"] = r.short()
        if flags & 8:
            f["positions"] = [part for _ in range(r.u(2)) for part in (r.short(), r.position())]
        if flags & 16:
            f["client"] = r.short()
    elif op in ("subscribe", "unsubscribe"):
        if op == "subscribe" and flags & 2:
            f["from"] = r.position()
        if op == "subscribe" and flags & 4:
            f["history"] = r.u(4)
        if op == "subscribe" and flags & 8:
            f["conflate"] = r.u(4)
        if op == "subscribe" and flags & 16:
            f["pattern-from"] = r.opaque()
        if op == "subscribe" and flags & 32:
            f["delta"] = r.text()
        f["subjects"] = [r.short() for _ in range(r.u(2))]
    elif op == "publish":
        f["subject"] = r.short()
        if flags & 2:
            f["retain"] = True
        if flags & 4:
            f["msgId"] = r.short()
        if flags & 8:
            block = r.take(r.u(2))
            f |= {"headers": block} if block else {}
        if flags & 16:
            f["ttl"] = int.from_bytes(r.take(8), "big", signed=True)
        if flags & 32:
            f["origin"] = r.short()
        f["hex"] = r.rest().hex()
    elif op != "ping":
        f["subject"] = r.short()


def utf8(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Bad("bad-utf8") from None


def check_positions(f):
    pairs = f["positions"]
    if any(int(n) > MAX for p in pairs[1::2] for n in p.split(":")):
        raise Bad("bad-position")
    if not f.get("session"):
        raise Bad("bad-request")
    f["positions"] = [accepted(part, subject_code(part, False, True)) if i % 2 == 0 else part for i, part in enumerate(pairs)]


def check_pattern_from(f):
    at = f.pop("pattern-from")
    if "from" in f:
        raise Bad("bad-request")
    if not at:
        raise Bad("bad-position")
    f["from"] = at


def check_command(op, flags, f):
    if "pattern-from" in f:
        check_pattern_from(f)
    elif "from" in f and any(int(n) > MAX for n in f["from"].split(":")):
        raise Bad("bad-position")
    if f.get("ping") == 0:
        raise Bad("bad-request")
    if "session" in f:
        f["session"] = utf8(f["session"])
    if "positions" in f:
        check_positions(f)
    if "client" in f:
        f["client"] = utf8(f["client"])
        if not re.fullmatch("[A-Za-z0-9._-]{1,64}", f["client"]):
            raise Bad("bad-request")
    if f.get("history", 0) > 2**31 - 1 or f.get("conflate", 0) > 3600000:
        raise Bad("bad-request")
    if "subjects" in f:
        if not f["subjects"] or ("from" in f and len(f["subjects"]) > 1):
            raise Bad("bad-request")
        named = "history" in f or ("from" in f and not of_pattern(f))
        check = followed if op == "subscribe" else checked
        f["subjects"] = [check(s, not named) for s in f["subjects"]]
        if of_pattern(f) and "*" not in f["subjects"][0]:
            raise Bad("bad-position")
    if "subject" in f:
        publishes = op == "publish"
        f["subject"] = published(f["subject"], f.get("retain")) if publishes else checked(f["subject"], False)
    if "msgId" in f:
        if not 1 <= len(f["msgId"]) <= 64:
            raise Bad("bad-request")
        f["msgId"] = f["msgId"].decode()
    if not 0 <= f.get("ttl", 0) <= 365 * 24 * 3600 * 1000:
        raise Bad("bad-request")
    if "origin" in f:
        f["origin"] = f["origin"].decode("latin-1")
        if not re.fullmatch(KEY, f["origin"]):
            raise Bad("bad-request")
    if "headers" in f:
        f["headers"] = headers_of(f["headers"])


def headers_of(block, of_server=False):
    """Returns the headers of a block without its length; refuses what breaks their rules. A server has names with $."""
    r, headers = Reader(block), {}
    try:
        while r.at < len(block):
            name, value = r.short().decode(), r.take(r.u(2)).decode()
            first = "" if of_server else "$"
            if not re.fullmatch(f"[^{first}\0-\x1f\x7f-\x9f][^\0-\x1f\x7f-\x9f]*", name) or len(name.encode()) > 64:
                raise Bad("bad-headers")
            if name in headers or len([n for n in headers if n[0] != "$"]) == 16:
                raise Bad("bad-headers")
            headers[name] = value
    except (Bad, UnicodeDecodeError):
        raise Bad("bad-headers") from None
    return headers


def decode_message(head, r, epochs):
    f = {"op": "message", "epoch": epochs[r.u(1)], "seq": r.u(7), "time": r.u(6), "subject": r.text()}
    if head & 0x08:
        f["prev"] = f["seq"] - r.u(7 if head & 0x10 else 4)
    if head & 0x03:
        f["type"] = TYPES[head & 0x03]
    if head & 0x04:
        f["retained"] = True
    f["delta" if head & 0x40 else "hex"] = r.rest().hex()
    return f


def decode_event(raw, epochs):
    r = Reader(raw)
    number = r.u(1)
    if number & 0x80:
        return decode_message(number, r, epochs)
    flags = r.u(1)
    op = {n: name for name, n in EVENTS.items()}[number]
    f = {"op": op}
    if flags & 1:
        f["id"] = int.from_bytes(r.take(8), "big", signed=True)
    if op == "connected":
        f |= {"ping": r.u(4), "maxMessage": r.u(4), "session": r.text(), "node": r.text()}
        f |= {"keep": r.u(4)} if flags & 2 else {}
        f |= {"resumed": True} if flags & 4 else {}
    elif op == "subscribed":
        f |= {"subject": r.text(), "recovery": RECOVERIES[flags >> 2 & 3]}
        f |= {"epoch": r.u(8), "seq": r.u(8)} if flags & 2 else {}
        f |= {"conflate": r.u(4)} if flags & 16 else {}
        f |= {"at": r.opaque()} if flags & 32 else {}
        f |= {"delta": r.text()} if flags & 64 else {}
    elif op == "position":
        f |= {"subject": r.text()} if flags & 2 else {}
        f["at"] = r.opaque()
    elif op == "published":
        f |= {"epoch": r.u(8), "seq": r.u(8)}
    elif op == "gap":
        f["subject"] = r.text()
        f |= {"from": r.position()} if flags & 2 else {}
        f |= {"to": r.position(), "reason": r.text()}
    elif op == "error":
        f["code"] = r.text()
        f |= {"subject": r.text()} if flags & 2 else {}
        f["reason"] = r.text()
        f |= {"after": r.u(4)} if flags & 4 else {}
    elif op == "reconnect":
        f |= {"after": r.u(4), "reason": r.text()}
    elif op == "token-to-expire":
        f["after"] = r.u(4)
    elif op == "stale":
        f["stale"] = bool(flags & 2)
    elif op in ("unsubscribed", "unwatched"):
        f["subject"] = r.text()
        f |= {"reason": r.text()} if flags & 2 else {}
    elif op == "epoch":
        f |= {"index": r.u(1), "epoch": r.u(8)}
    elif op == "pong":
        f |= {"clock": r.u(8)} if flags & 2 else {}
    else:
        f["subject"] = r.text()
        f |= {"subscribers": bool(flags & 2)} if op in ("watched", "interest") else {}
    return f


# Deltas

DIGITS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"


def checksum(data):
    data += b"\0" * (-len(data) % 4)
    return sum(int.from_bytes(data[i : i + 4], "big") for i in range(0, len(data), 4)) % 2**32


def apply_delta(base, delta, most):
    """Returns the result, or None if the delta is malformed or does not fit the base."""
    at = 0

    def number():
        nonlocal at
        digits = re.match(rb"[0-9A-Z_a-z~]{1,6}(?![0-9A-Z_a-z~])", delta[at:])
        if not digits:
            raise Bad("number")
        at += digits.end()
        value = 0
        for digit in digits.group():
            value = value * 64 + DIGITS.index(digit)
        if value >= 2**32:
            raise Bad("number")
        return value

    def operator():
        nonlocal at
        at += 1
        return delta[at - 1 : at]

    try:
        length, result = number(), b""
        if length > most or operator() != b"\n":
            return None
        while True:
            count = number()
            op = operator()
            if op == b";":
                whole = at == len(delta) and len(result) == length
                return result if whole and count == checksum(result) else None
            if op == b"@":
                start = number()
                if operator() != b"," or start + count > len(base):
                    return None
                part = base[start : start + count]
            elif op == b":" and at + count <= len(delta):
                part = delta[at : at + count]
                at += count
            else:
                return None
            result += part
            if len(result) > length:
                return None
    except Bad:
        return None


# Vectors


def json_fields(text):
    """Returns a JSON frame in the form of a vector's fields: data as hex, subjects as a list, without empty fields."""
    f = json.loads(text)
    if f["op"] == "message" and "delta" in f:
        f["delta"] = f["delta"].encode().hex()
    if "data" in f:
        f["hex"] = f.pop("data").encode().hex()
    if "base64" in f:
        raw = f.pop("base64")
        f["hex"] = base64.b64decode(raw + "=" * (-len(raw) % 4)).hex()
    if f["op"] in ("subscribe", "unsubscribe") and "subject" in f:
        f["subjects"] = [f.pop("subject")]
    return f


def check_valid(v):
    encode, decode = (
        (encode_command, decode_command)
        if v["direction"] == "client-to-server"
        else (lambda f: encode_event(f, v.get("epochs", [])), lambda raw: decode_event(raw, v.get("epochs", [])))
    )
    fields, raw = v["fields"], bytes.fromhex(v["binary"])
    assert encode(fields).hex() == raw.hex(), f"encodes to {encode(fields).hex()}"
    assert decode(raw) == fields, f"decodes to {decode(raw)}"
    if "json" in v:
        assert json_fields(v["json"]) == fields, f"JSON says {json_fields(v['json'])}"


def check_headers(v):
    if v["direction"] == "client-to-server":
        check_valid(v)
        return
    fields, before, raw = v["fields"], bytes.fromhex(v["before"]), bytes.fromhex(v["binary"])
    assert encode_event(fields, v["epochs"]).hex() == raw.hex(), f"encodes to {encode_event(fields, v['epochs']).hex()}"
    assert (b"\x10\0" + header_block(fields["headers"])).hex() == before.hex()
    r = Reader(before)
    assert r.u(2) == 0x1000
    decoded = decode_event(raw, v["epochs"]) | {"headers": headers_of(r.take(r.u(2)), True)}
    assert raw[0] & 0x20 and decoded == fields, f"decodes to {decoded}"
    assert json_fields(v["json"]) == fields, f"JSON says {json_fields(v['json'])}"


def check_invalid(v):
    if "binary" not in v:
        return
    try:
        decoded = decode_command(bytes.fromhex(v["binary"]))
    except Bad as bad:
        assert bad.args[0] == v["code"], f"is refused with {bad.args[0]}"
    else:
        raise AssertionError(f"decodes to {decoded}")


def check_subject(v):
    raw = bytes.fromhex(v["hex"]) if "hex" in v else v["text"].encode()
    assert subject_code(raw, False) == v["plain"], f"as a subject: {subject_code(raw, False)}"
    assert subject_code(raw, True) == v["pattern"], f"as a pattern: {subject_code(raw, True)}"


def check_inbox(v):
    assert follow_code(v["follow"].encode(), True) == v["code"], f"gets {follow_code(v['follow'].encode(), True)}"
    assert "key" not in v or inbox_of(v["key"]) == v["inbox"]


def check_origin(v):
    assert tag_of(v["key"]) == v["tag"], f"the tag is {tag_of(v['key'])}"


def check_match(v):
    assert matches(v["pattern"], v["subject"]) == v["matches"]


def check_delta(v):
    base, delta, most = bytes.fromhex(v["base"]), bytes.fromhex(v["delta"]), v.get("max", 2**20)
    result = apply_delta(base, delta, most)
    assert (None if result is None else result.hex()) == v["result"], f"becomes {result}"


CHECKS = {
    "commands.json": check_valid,
    "events.json": check_valid,
    "headers.json": check_headers,
    "invalid-commands.json": check_invalid,
    "subjects.json": check_subject,
    "inboxes.json": check_inbox,
    "origins.json": check_origin,
    "matches.json": check_match,
    "deltas.json": check_delta,
}


def main(folder):
    failed = count = 0
    for file, check in CHECKS.items():
        for v in json.loads((Path(folder) / file).read_text(encoding="utf-8")):
            count += 1
            try:
                check(v)
            except Exception as e:  # noqa: BLE001 - any exception means that the vector fails
                failed += 1
                print(f"{file}: {v.get('name', v)}: {type(e).__name__} {e}")
    print(f"{count} vectors, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""The backend of the chat: logs users in, serves the page, decides for Belfry and receives its events.

Standard library only.
python3 app.py [--port 8080] [--belfry ws://127.0.0.1:8800] [--api http://127.0.0.1:8801] [--client belfry.min.js]
"""

import argparse
import base64
import contextlib
import hashlib
import hmac
import json
import os
import queue
import secrets
import threading
import time
import urllib.parse
import urllib.request
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER / "data"

PASSWORDS = {"ada": "lovelace", "bob": "builder", "cleo": "patra"}  # in place of your own login
MODERATORS = {"ada"}
ROOM = "/rooms/lobby"
TOKEN_SECONDS = 3600
LEAVE_SECONDS = 3  # a page that reloads has another session within this time
BODY_MAX = 1_000_000

parser = argparse.ArgumentParser(description="The backend of the chat.")
parser.add_argument("--port", type=int, default=8080)
parser.add_argument("--belfry", default="ws://127.0.0.1:8800", help="address of Belfry for the page")
parser.add_argument("--api", default="http://127.0.0.1:8801", help="address of the server API")
parser.add_argument("--client", default=FOLDER / "../../../clients/js/dist/belfry.min.js", help="the JavaScript client")
options = parser.parse_args()


class RefusedError(Exception):
    """A request that is answered with this status and reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


# ---- secrets: made at the first start; Belfry reads two of them ----


def secret_file(name: str, make: str) -> str:
    """Returns the content of a file that only this user can read; writes it if it is missing."""
    DATA.mkdir(mode=0o700, exist_ok=True)
    try:
        with os.fdopen(os.open(DATA / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(make + "\n")
    except FileExistsError:
        pass
    return (DATA / name).read_text().strip()


TOKEN_SECRET = secret_file("token-secret", secrets.token_hex(32)).encode()
WEBHOOK_SECRET = secret_file("webhook-secret", "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())
API_KEY = secret_file("api-keys", "app publish,read,act " + secrets.token_hex(32)).split()[-1]


# ---- tokens: JWT, HS256; only this program reads them ----


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signature(signed: str) -> str:
    return base64url(hmac.digest(TOKEN_SECRET, signed.encode(), hashlib.sha256))


def token_of(user: str) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": user, "exp": int(time.time()) + TOKEN_SECONDS})
    signed = ".".join(base64url(json.dumps(part).encode()) for part in parts)
    return signed + "." + signature(signed)


def claims_of(token: str) -> dict[str, Any]:
    """Returns the claims of a token of ours whose user may enter."""
    signed, _, given = token.rpartition(".")
    if not hmac.compare_digest(signature(signed).encode(), given.encode()):
        raise RefusedError(401, "log in first")
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(signed.split(".")[1] + "=="))
    if claims["exp"] <= time.time():
        raise RefusedError(401, "the login has expired")
    require_welcome(claims["sub"])
    return claims


# ---- moderation: in place of your own database; a file, so that a restart forgets nothing ----

RULES = DATA / "moderation.json"
ACTS = {  # the list that changes, whether the user is then in it, and the word of the notice
    "mute": ("muted", True, "muted"),
    "unmute": ("muted", False, "unmuted"),
    "ban": ("banned", True, "banned"),
    "unban": ("banned", False, "unbanned"),
}
rules: dict[str, list[str]] = json.loads(RULES.read_text()) if RULES.exists() else {"muted": [], "banned": []}
rules_lock = threading.Lock()


def require_welcome(user: str) -> None:
    if user in rules["banned"]:
        raise RefusedError(403, "a moderator has banned you")


def moderate(moderator: str, act: str, user: str) -> dict[str, list[str]]:
    """Changes the rules, and returns them; the act `list` changes nothing."""
    if moderator not in MODERATORS:
        raise RefusedError(403, "only moderators may do this")
    if act == "list":
        return rules
    if user not in PASSWORDS or user in MODERATORS:
        raise RefusedError(403, f"{user} cannot be moderated")
    name, add, word = ACTS[act]
    with rules_lock:
        rules[name] = sorted({*rules[name], user} if add else {*rules[name]} - {user})
        draft = RULES.with_suffix(".new")
        draft.write_text(json.dumps(rules))
        draft.replace(RULES)
    # The rule holds from here on, even if Belfry does not answer now.
    if act == "ban":
        api("/v1/disconnect", {"user": user, "reason": "a moderator has banned you"})
    say(f"{moderator} {word} {user}")
    return rules


# ---- requests of Belfry: signed as https://www.standardwebhooks.com/ defines ----


def verify(headers: Message, body: bytes) -> None:
    identifier, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    key = base64.b64decode(WEBHOOK_SECRET.removeprefix("whsec_"))
    right = base64.b64encode(hmac.digest(key, f"{identifier}.{seconds}.".encode() + body, hashlib.sha256))
    given = headers.get("webhook-signature", "").encode().split()
    if not any(hmac.compare_digest(b"v1," + right, each) for each in given):
        raise RefusedError(401, "wrong signature")
    if abs(time.time() - int(seconds)) > 300:
        raise RefusedError(401, "too old: the request may be a replay")


def decide(question: dict[str, Any]) -> dict[str, Any]:
    """Answers whether a client may enter, or whether a user may subscribe or publish now."""
    try:
        return decide_entry(question) if question["type"] == "connect" else decide_command(question)
    except RefusedError as refused:
        return {"allow": False, "reason": str(refused)}


def decide_entry(question: dict[str, Any]) -> dict[str, Any]:
    if "token" not in question:
        return {"allow": True}  # without any right: a page sends its token after the handshake
    claims = claims_of(question["token"])
    user = claims["sub"]
    permissions = {"all": [ROOM], "info": {"moderator": user in MODERATORS}}
    return {"allow": True, "user": user, "permissions": permissions, "until": claims["exp"]}


def decide_command(question: dict[str, Any]) -> dict[str, Any]:
    """Belfry has checked the permissions already. The answer has no `ttl`, so Belfry asks each time."""
    require_welcome(question["user"])
    if question["type"] == "publish" and question["user"] in rules["muted"]:
        raise RefusedError(403, "a moderator has muted you")
    return {"allow": question["type"] in ("subscribe", "publish")}


# ---- events: a user has left when the last session has ended and none begins soon ----

seen: dict[str, tuple[int, int]] = {}  # by node: its run, and the number of its latest event
seen_lock = threading.Lock()
latest: dict[str, str] = {}  # by user: the latest end of a session
departures: queue.SimpleQueue[tuple[float, str, str]] = queue.SimpleQueue()


def receive(batch: dict[str, Any]) -> None:
    """Handles each event once: a batch is sent again if its answer was lost."""
    node, run = batch["node"], batch["run"]
    with seen_lock:
        last_run, last = seen.get(node, (0, 0))
        for event in batch["events"]:
            if run == last_run and event["seq"] <= last:
                continue
            last_run, last = run, event.get("toSeq", event["seq"])
            if event["type"] == "session.closed" and "user" in event:
                latest[event["user"]] = f"left-{node}-{run}-{last}"
                departures.put((time.monotonic() + LEAVE_SECONDS, event["user"], latest[event["user"]]))
        seen[node] = last_run, last


def report_departures() -> None:
    while True:
        due, user, event = departures.get()
        time.sleep(max(0.0, due - time.monotonic()))
        with seen_lock:
            if latest.get(user) != event:
                continue  # another session has ended since; its turn comes later
            del latest[user]
        try:
            if not api("/v1/sessions?" + urllib.parse.urlencode({"user": user, "limit": 1}))["sessions"]:
                say(f"{user} left", event)
        except OSError as failure:
            print(f"no notice that {user} left: {failure}", flush=True)


# ---- calls of the server API ----

direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def api(path: str, body: dict[str, Any] | None = None) -> Any:
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with direct.open(urllib.request.Request(options.api + path, data, headers), timeout=5) as answer:
        return json.load(answer)


def say(text: str, event: str | None = None) -> None:
    """Publishes a notice. Only a notice has no publisher; of several with the same msgId Belfry delivers one."""
    api("/v1/publish", {"subject": ROOM, "data": text, "msgId": event or secrets.token_hex(8)})


# ---- HTTP ----

HTML, SCRIPT, STYLE = "text/html; charset=utf-8", "text/javascript; charset=utf-8", "text/css; charset=utf-8"
FILES = {
    "/": (FOLDER / "chat.html", HTML),
    "/chat.js": (FOLDER / "chat.js", SCRIPT),
    "/chat.css": (FOLDER / "chat.css", STYLE),
    "/belfry.min.js": (Path(options.client), SCRIPT),
}
POLICY = f"default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' {options.belfry}"


def answer_login(user: str) -> dict[str, Any]:
    page = {"server": options.belfry, "room": ROOM, "user": user, "moderator": user in MODERATORS}
    return {"token": token_of(user), **page}


def act(path: str, headers: Message, body: bytes) -> Any:
    if path in ("/belfry/decide", "/belfry/events"):
        verify(headers, body)
        request = json.loads(body)
        return decide(request) if path == "/belfry/decide" else receive(request)
    request = json.loads(body)
    if path == "/login":
        user, password = str(request["user"]), str(request["password"])
        if not hmac.compare_digest(PASSWORDS.get(user, "").encode(), password.encode()) or user not in PASSWORDS:
            raise RefusedError(403, "wrong name or password")
        require_welcome(user)
        return answer_login(user)
    user = claims_of(headers.get("Authorization", "").removeprefix("Bearer "))["sub"]
    if path == "/renew":
        return answer_login(user)
    if path == "/moderate":
        return moderate(user, request["act"], request.get("user", ""))
    raise RefusedError(404, "no such path")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Belfry keeps its connections
    timeout = 60
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        try:
            file, kind = FILES[self.path.partition("?")[0]]
            self.answer(200, file.read_bytes(), kind)
        except KeyError:
            self.answer(404, {"reason": "no such file"})
        except OSError as missing:
            self.answer(404, {"reason": f"{missing}: build the JavaScript client first"})

    def do_POST(self) -> None:
        try:
            self.answer(200, act(self.path, self.headers, self.body()))
        except RefusedError as refused:
            self.answer(refused.status, {"reason": str(refused)})
        except OSError as failure:
            self.answer(502, {"reason": f"Belfry does not answer: {failure}"})
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            self.answer(400, {"reason": "the request is malformed"})

    def body(self) -> bytes:
        length = int(self.headers.get("Content-Length", -1))
        if not 0 <= length <= BODY_MAX:
            self.close_connection = True
            raise RefusedError(413, "the body needs a length, and is at most 1 MB")
        return self.rfile.read(length)

    def answer(self, status: int, body: Any, kind: str = "application/json") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # Belfry opens up to twice Decide.Parallel connections at once


if __name__ == "__main__":
    threading.Thread(target=report_departures, daemon=True).start()
    with Server(("127.0.0.1", options.port), Handler) as server:
        print(f"http://localhost:{options.port}/", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()

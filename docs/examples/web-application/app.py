"""The web application: serves the page, gives out tokens and publishes. python3 app.py [PORT [BELFRY]]; standard library only."""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import make_token

PORT = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
BELFRY = sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:8800"
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chat.html")
USERS = {"alice": "wonderland", "bob": "builder"}  # in place of your own login
ROOM = "/rooms/lobby"


def token_of(name: str) -> str:
    return make_token.token(name, ["/rooms/*"], [])  # readers only: the application publishes


def name_in(bearer: str) -> str | None:
    """Returns the name in a token of ours, or None if the signature is wrong or the token has expired."""
    try:
        signed, signature = bearer.rsplit(".", 1)
        with open(make_token.SECRET_FILE, encoding="utf-8") as file:
            secret = file.readline().strip().encode()
        right = make_token.encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest())
        claims = json.loads(base64.urlsafe_b64decode(signed.split(".")[1] + "=="))
        valid = hmac.compare_digest(right, signature) and claims["exp"] > time.time()
        return claims["sub"] if valid else None
    except (ValueError, KeyError, IndexError):
        return None


def publish(name: str, text: str, msg_id: str) -> dict:
    query = urllib.parse.urlencode({"subject": ROOM, "msgId": msg_id})
    request = urllib.request.Request(
        BELFRY + "/publish?" + query,
        data=json.dumps({"from": name, "text": text}).encode(),
        headers={"Authorization": "Bearer " + make_token.token("app", [], ["/rooms/*"], 60)},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        with open(PAGE, "rb") as file:
            self.answer(200, file.read(), "text/html; charset=utf-8")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        name = name_in(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if self.path == "/login" and USERS.get(body["name"]) == body["password"]:
            self.answer(200, {"token": token_of(body["name"])})
        elif self.path == "/guest":
            self.answer(200, {"token": token_of("guest")})
        elif self.path == "/renew" and name:
            self.answer(200, {"token": token_of(name)})
        elif self.path == "/say" and name in USERS:
            try:
                self.answer(200, publish(name, body["text"], body["msgId"]))
            except urllib.error.URLError as failure:
                self.answer(502, {"reason": str(failure)})
        else:
            self.answer(403, {"reason": "log in first"})

    def answer(self, status, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    print(f"http://localhost:{PORT}/")
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()

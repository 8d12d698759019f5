"""Prints a token (JWT, HS256): python3 make_token.py NAME SUBSCRIBE_PATTERN [PUBLISH_PATTERN]. Standard library only."""
import base64
import hashlib
import hmac
import json
import sys
import time

SECRET_FILE = "chat.secret"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(name: str, subscribe: list[str], publish: list[str], seconds: int = 3600) -> str:
    with open(SECRET_FILE, encoding="utf-8") as file:
        secret = file.readline().strip().encode()
    head = {"alg": "HS256", "typ": "JWT"}
    claims = {
        "iss": "chat",
        "sub": name,
        "exp": int(time.time()) + seconds,
        "permissions": {"sub": subscribe, "pub": publish},
    }
    signed = ".".join(encode(json.dumps(part).encode()) for part in (head, claims))
    return signed + "." + encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest())


if __name__ == "__main__":
    print(token(sys.argv[1], sys.argv[2:3], sys.argv[3:]))

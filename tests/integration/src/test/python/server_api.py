"""Calls every method of belfry.api on a running server. ServerApiClientsTest starts the server and two clients."""

import os
import time
from collections.abc import Callable

from belfry.api import Api, ApiError, IncompleteError, Publish


def code(call: Callable[[], object]) -> str:
    try:
        call()
    except ApiError as refused:
        return refused.code
    raise AssertionError("the call was not refused")


def main() -> None:
    with Api(os.environ["API_URL"], os.environ["API_KEY"]) as api:
        first = api.publish("/p/1", "\u00fc", msg_id="m")
        assert first.seq == 1
        assert api.publish("/p/1", "\u00fc", msg_id="m") == first
        assert code(lambda: api.publish("p", "x")) == "bad-subject"
        outcomes = api.publish_all([Publish("/p/1", b"\xff", retain=True), Publish("/p/*", "?"), Publish("/p/2", "x")])
        assert [each.code for each in outcomes] == [None, "wildcard-not-allowed", None]
        assert [each.seq for each in api.broadcast(["/p/2", "/p/3"], "all")] == [2, 1]
        stored = api.history("/p/1", limit=1)
        assert stored["messages"][0]["data"] == "\u00fc"
        assert stored["more"]
        assert api.history("/p/1", after=f"{first.epoch}:1")["messages"][0]["base64"] == "/w=="
        subjects = []
        try:
            subjects += [each["subject"] for each in api.subjects("/p/*")]
        except IncompleteError as incomplete:
            subjects += [each["subject"] for each in api._get("/v1/subjects", {"pattern": "/p/*"})["subjects"]]
            assert (incomplete.done, incomplete.failed[0]["node"]) == (3, "gone")
        assert sorted(subjects) == ["/p/1", "/p/2", "/p/3"]
        assert done(lambda: len(api.subjects_named(["/p/2", "/none"]))) == 1
        api.publish("/p/4", "brief", ttl=0.02)
        api.broadcast(["/p/4"], "lasting", ttl=60, headers={"lang": "de"})
        time.sleep(0.1)
        left = api.history("/p/4")["messages"]
        assert [(each["data"], each["headers"]["lang"]) for each in left] == [("lasting", "de")]
        assert code(lambda: api.publish("/p/4", "x", headers={"$publisher": "eve"})) == "bad-headers"
        present = api.presence("/p/1")
        assert (present["users"], present["members"]) == (0, [])
        assert api.remove_history("/p/1").seq == 3
        assert api.history("/p/1")["messages"] == []
        names = []
        try:
            names += [each["session"] for each in api.sessions(user="ada")]
        except IncompleteError as incomplete:
            assert incomplete.failed[0]["node"] == "gone"
            names += [each["session"] for each in api._get("/v1/sessions", {"user": "ada"})["sessions"]]
        assert api.session(names[0])["subjects"][0]["subject"] == "/s"
        assert done(lambda: api.subscribe(["/s", "/by-server"], session=names[0])) == 1
        assert done(lambda: api.unsubscribe(["/s", "/t"], session=names[0])) == 1
        assert done(lambda: api.disconnect(user="ada", reason="bye")) == 1
        assert code(lambda: api.disconnect(session=names[0])) == "node-unreachable"
        until = int(time.time() * 1000) + 60_000
        assert done(lambda: api.revoke(until, jti="none")) == 0
        assert done(lambda: api.revoke(until, user="bob")) == 1
        assert api.nodes()[0]["ready"]
        assert code(lambda: api.drain("other")) == "not-found"
        with Api(os.environ["API_URL"], "wrong") as stranger:
            assert code(stranger.nodes) == "unauthorized"
    print("all calls work")


def done(call: Callable[[], int]) -> int:
    """Returns what a call did on the nodes that answered; one of the two nodes does not exist."""
    try:
        call()
    except IncompleteError as incomplete:
        return incomplete.done
    raise AssertionError("the missing node was not reported")


if __name__ == "__main__":
    main()

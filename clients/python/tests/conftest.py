from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator

import pytest

from belfry_server import BelfryServer, is_built, required


@pytest.fixture(scope="session")
def server() -> Iterator[BelfryServer]:
    """One server for all tests that only need some server: the given one, or an own one."""
    given = os.environ.get("TEST_SERVER_PORT")
    if given is not None:
        yield BelfryServer(int(given))
        return
    if shutil.which("java") is None or not is_built():
        reason = "no Belfry server: install a JDK 25 and run `mvn -q -DskipTests package` in the project's folder"
        if required():
            pytest.fail(reason)
        pytest.skip(reason)
    with BelfryServer(PubSubTightlyCoupled="true", CacheSize="200000") as running:
        yield running


@pytest.fixture
def subject() -> str:
    """A subject that no other test uses."""
    return f"/test/{uuid.uuid4().hex}"

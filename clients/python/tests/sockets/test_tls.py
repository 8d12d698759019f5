from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

import belfry
from belfry_server import BelfryServer, free_port
from test_asyncio import FAST, take, texts

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def port(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The encrypted port of a server."""
    folder: Path = tmp_path_factory.mktemp("tls")
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(folder / "certificate.pem")
    encrypted = free_port()
    settings = {
        "ListenEncrypted": f"127.0.0.1:{encrypted}",
        "Certificate": str(folder / "certificate.pem"),
        "CertificateKey": str(folder / "key.pem"),
    }
    with BelfryServer(None, **settings):
        yield encrypted


@pytest.mark.parametrize("transport", ["websocket", "http-stream", "long-poll"])
async def test_every_transport_works_encrypted(port: int, authority: trustme.CA, subject: str, transport: str) -> None:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    async with belfry.connect(f"wss://localhost:{port}", transport=transport, tls=context) as client:
        subscription = client.subscribe(subject)
        await asyncio.wait_for(subscription.ready(), 10)
        await client.publish(subject, "x" * 50_000)
        assert len(texts(await take(subscription, 1))[0]) == 50_000


async def test_a_certificate_of_an_unknown_authority_is_refused(port: int, subject: str) -> None:
    statuses: list[belfry.Status] = []
    async with belfry.connect(f"wss://localhost:{port}", on_status=statuses.append, reconnect=FAST) as client:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.ready(), 1)
    failed = [status for status in statuses if isinstance(status, belfry.Disconnected)]
    assert {status.code for status in failed} == {"tls-failed"}

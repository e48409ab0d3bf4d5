# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the credentials go: over TLS that is checked, through the user's proxy, and nowhere else."""

from __future__ import annotations

import hashlib
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trustme
from ansible_collections.edgeops.protection.plugins.module_utils._api import adapters as pools
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import MAX_CONCURRENT_CALLS
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError

from tests.fake_service import LocalService
from tests.support.connection import session_of
from tests.support.module_run import ACCOUNT, Modules

STATUS: dict[str, Any] = {"module": "tcp_protection_status", "enabled": True}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def over_tls(authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> Iterator[Modules]:
    """Modules that talk to a service whose certificate only this authority knows."""
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(variable, raising=False)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with LocalService(ssl_context=context) as service:
        service.account(ACCOUNT)
        yield Modules(service)


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


def test_a_certificate_that_nobody_vouches_for_is_explained_at_once(over_tls: Modules) -> None:
    result = over_tls.failed(**STATUS)
    assert "certificate verify failed" in result["msg"]
    assert "ca_path" in result["msg"]
    assert over_tls.service.calls == []


def test_a_bundle_makes_it_trusted(over_tls: Modules, bundle: str) -> None:
    assert over_tls.done(**STATUS, ca_path=bundle)["changed"] is True
    assert len({call.connection for call in over_tls.service.calls}) <= MAX_CONCURRENT_CALLS


@pytest.fixture
def read_beforehand(bundle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual CAs, read once for many modules; here they are this one authority."""
    monkeypatch.setattr(pools, "TRUST", [])
    monkeypatch.setattr(pools, "usual_cas", lambda: bundle)
    pools.load_trust()


@pytest.mark.usefixtures("read_beforehand")
def test_usual_cas_that_were_read_beforehand_are_not_read_again(
    over_tls: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "usual_cas", lambda: "/nowhere")
    pools.load_trust()
    assert over_tls.done(**STATUS)["changed"] is True


@pytest.mark.usefixtures("read_beforehand")
def test_another_bundle_or_none_ends_the_trust_in_the_usual_cas(
    over_tls: Modules, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = str(tmp_path / "other.pem")
    trustme.CA().cert_pem.write_to_path(other)
    assert "certificate verify failed" in over_tls.failed(**STATUS, ca_path=other)["msg"]
    assert over_tls.done(**STATUS, validate_certs=False)["changed"] is True
    assert pools.TRUST[0].verify_mode == ssl.CERT_REQUIRED
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", other)
    assert "certificate verify failed" in over_tls.failed(**STATUS)["msg"]


@pytest.mark.parametrize("variable", pools.BUNDLE_VARIABLES)
def test_the_bundle_of_the_environment_is_honoured(
    variable: str, over_tls: Modules, bundle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, bundle)
    assert over_tls.done(**STATUS)["changed"] is True


def test_without_usual_cas_to_read_beforehand_nothing_fails(
    over_tls: Modules, bundle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "TRUST", [])
    monkeypatch.setattr(pools, "usual_cas", lambda: "/nowhere")
    pools.load_trust()
    assert pools.TRUST == []
    assert over_tls.done(**STATUS, ca_path=bundle)["changed"] is True


@pytest.mark.usefixtures("read_beforehand")
def test_a_certificate_for_another_name_is_not_taken_from_those_read_beforehand(over_tls: Modules) -> None:
    assert_refused_elsewhere(over_tls)


def test_a_certificate_for_another_name_is_not_taken(over_tls: Modules, bundle: str) -> None:
    assert_refused_elsewhere(over_tls, ca_path=bundle)


def assert_refused_elsewhere(over_tls: Modules, **options: Any) -> None:
    elsewhere = over_tls.service.base_url.replace("127.0.0.1", "127.0.0.2")
    port = over_tls.service.port
    with socket.create_server(("127.0.0.2", port)) as listener, forwarding(listener, port):
        message = over_tls.failed(**STATUS, base_url=elsewhere, **options)["msg"]
    assert "certificate" in message
    assert over_tls.service.calls == []


@pytest.mark.parametrize("ambient", [False, True])
def test_the_check_can_be_switched_off_whatever_the_environment_says(
    ambient: bool, over_tls: Modules, bundle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ambient:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", bundle)
    elsewhere = LocalService(ssl_context=unknown_context())
    elsewhere.account(ACCOUNT)
    with elsewhere:
        assert Modules(elsewhere).done(**STATUS, validate_certs=False)["changed"] is True


def unknown_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context


@contextmanager
def forwarding(listener: socket.socket, port: int, requested: list[str] | None = None) -> Iterator[None]:
    """Passes on each connection, as a proxy does when the first line asks for one."""

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, dummy = listener.accept()
                service = socket.create_connection(("127.0.0.1", port))
                if requested is not None:
                    head = client.recv(65536)
                    requested.append(head.split(b"\r\n")[0].decode())
                    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                for source, target in ((client, service), (service, client)):
                    Thread(target=pump, args=(source, target), daemon=True).start()

    Thread(target=serve, daemon=True).start()
    yield


@contextmanager
def proxy(port: int) -> Iterator[tuple[str, list[str]]]:
    """A proxy on loopback: its address, and the first lines of what it was asked."""
    requested: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener, forwarding(listener, port, requested):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requested


def test_a_proxy_of_the_environment_is_used_over_tls(
    over_tls: Modules, bundle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy(over_tls.service.port) as (address, requested):
        monkeypatch.setenv("HTTPS_PROXY", address)
        assert over_tls.done(**STATUS, ca_path=bundle)["changed"] is True
    assert {line.rpartition(" ")[0] for line in requested} == {f"CONNECT 127.0.0.1:{over_tls.service.port}"}


def test_no_proxy_reads_what_goes_without_tls(
    service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy(service.port) as (address, requested):
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(variable, address)
        modules.done("protection_info", gather_subset=["status"])
    assert (requested, len(service.calls)) == ([], 1)


def test_a_proxy_that_does_not_answer_is_named(over_tls: Modules, bundle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        gone = listener.getsockname()[1]
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{gone}")
    result = over_tls.failed(**STATUS, ca_path=bundle, retries=0)
    assert "Check the proxy in the environment" in result["msg"]


def test_netrc_does_not_replace_the_credentials(
    service: LocalService, modules: Modules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    modules.done(**STATUS)
    assert {call.authorization for call in service.calls} == {"bearer"}
    assert {call.authorization_digest for call in service.calls} == {hashlib.sha256(service.token.encode()).hexdigest()}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_a_redirect_is_not_followed(status: int, method: str, service: LocalService, modules: Modules) -> None:
    with LocalService() as elsewhere:
        elsewhere.account(ACCOUNT)
        service.misbehave("redirect", method=method, location=elsewhere.base_url + "/x", status=status)
        message = modules.failed(**STATUS)["msg"]
        assert elsewhere.calls == []
    assert "redirects to 127.0.0.1" in message


@pytest.mark.parametrize("kind", ["hang", "drip"])
@pytest.mark.parametrize("secure", [True, False])
def test_the_timeout_bounds_each_request_as_a_whole(
    kind: str, secure: bool, service: LocalService, over_tls: Modules, bundle: str
) -> None:
    modules = over_tls if secure else Modules(service)
    modules.service.account(ACCOUNT)
    modules.service.misbehave(kind, method="PATCH", times=1)
    trust: dict[str, Any] = {"ca_path": bundle} if secure else {}
    result = modules.done(**STATUS, timeout=1, retries=1, **trust)
    assert result["changed"] is True
    assert [call.method for call in modules.service.calls].count("PATCH") == 2


def test_the_timeout_bounds_the_sending_of_a_request() -> None:
    received = 0

    def read_slowly() -> None:
        nonlocal received
        connection, dummy = listener.accept()
        with suppress(OSError), connection:
            while data := connection.recv(65536):
                received += len(data)
                time.sleep(0.02)

    body = {"text": "x" * 50_000_000}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=read_slowly, daemon=True).start()
        base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with (
            session_of(base_url=base_url, timeout=1, retries=0, max_wait=0) as session,
            pytest.raises(ServiceError) as caught,
        ):
            session.send(Request("PUT", "all", body=body))
        assert received < len(body["text"])
    assert "longer than timeout allows (1 s)" in caught.value.message
    assert caught.value.maybe_applied

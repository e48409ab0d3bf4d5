# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wire: connections kept alive, TLS, and an end."""

from __future__ import annotations

import datetime
import ssl
import time
from ipaddress import ip_address
from pathlib import Path

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.fake_service import LocalService

from .conftest import ACCOUNT, Client


def test_all_calls_of_a_session_share_a_connection(protection: Client, firewall: Client, service: LocalService) -> None:
    protection.result("GET", "/prefixes")
    protection.refused("POST", "/prefixes", {"prefix": "192.0.2.0/24"})
    protection("PUT", "/nothing", {"body": "x" * 100_000})
    firewall.result("DELETE", "/firewall/rules")
    assert len({call.connection for call in service.calls}) == 1


def test_sessions_have_connections_of_their_own(service: LocalService) -> None:
    for dummy in range(2):
        requests.get(service.base_url, timeout=5)
    assert len({call.connection for call in service.calls}) == 2


def test_answers_on_a_kept_connection_do_not_wait(protection: Client) -> None:
    protection.result("GET", "/tcp_protection_status")
    started = time.monotonic()
    for dummy in range(20):
        protection.result("PATCH", "/tcp_protection_status", {"enabled": True})
    assert (time.monotonic() - started) / 20 < 0.03


def test_a_chunked_body_is_read(protection: Client, service: LocalService) -> None:
    chunks = iter([b'{"prefix": "192.0.2.1", ', b'"comment": "", "enabled": true}'])
    headers = {"Content-Type": "application/json"}
    assert protection.result("POST", "/allowlist", data=chunks, headers=headers)["prefix"] == "192.0.2.1"
    assert protection.result("GET", "/allowlist")
    assert len({call.connection for call in service.calls}) == 1


def test_every_answer_has_the_date_of_the_clock_and_a_ray(protection: Client, service: LocalService) -> None:
    service.clock.set(datetime.datetime(2031, 5, 6, 7, 8, 9, tzinfo=datetime.UTC))
    first, second = protection("GET", "/prefixes"), protection("GET", "/nothing")
    assert first.headers["Date"].startswith("Tue, 06 May 2031 07:08:") and first.headers["Date"].endswith("GMT")
    assert first.headers["CF-RAY"] != second.headers["CF-RAY"]


def test_a_closed_service_answers_nobody() -> None:
    with LocalService() as service, requests.Session() as session:
        url = service.base_url
        assert session.get(url, timeout=5).status_code == 404
        service.close()
        with pytest.raises(requests.ConnectionError):
            session.get(url, timeout=5)
        assert service.base_url == url


def test_services_do_not_share_state() -> None:
    with LocalService() as one, LocalService() as other:
        one.account(ACCOUNT)
        requests.get(one.base_url, timeout=5)
        assert (len(one.accounts), len(other.accounts)) == (1, 0)
        assert (len(one.calls), len(other.calls)) == (1, 0)


def test_a_service_is_made_in_no_time() -> None:
    with LocalService():
        pass
    started = time.monotonic()
    for dummy in range(10):
        with LocalService():
            pass
    assert (time.monotonic() - started) / 10 < 0.1


def test_tls(tmp_path: Path) -> None:
    authority, context = certificate(tmp_path)
    with LocalService(ssl_context=context) as service, requests.Session() as session:
        session.trust_env = False
        session.verify = str(authority)
        assert service.base_url.startswith("https://127.0.0.1:")
        assert [session.get(service.base_url, timeout=5).status_code for dummy in range(2)] == [404, 404]
        assert len({call.connection for call in service.calls}) == 1
        service.misbehave("lost_after")
        with pytest.raises(requests.ConnectionError):
            session.get(service.base_url, timeout=5)
        with pytest.raises(requests.exceptions.SSLError):
            requests.get(service.base_url, timeout=5)


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate for localhost that is its own authority, and a server's context with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "localhost.pem"
    unlocked = serialization.NoEncryption()
    file.write_bytes(
        signed.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unlocked)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return file, context

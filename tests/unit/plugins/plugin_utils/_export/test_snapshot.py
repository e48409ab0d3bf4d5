# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT as ACCOUNT_RESOURCES
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.kept_snapshots import write_snapshot
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._files import host_folder, require_writable

from tests.support.marked import Marked

NOW = datetime(2027, 1, 29, 9, 15, 2, 310412, tzinfo=timezone.utc)
HOST_SPEC = {"edge_account_id": "a" * 32, "edge_zone_name": "one.example", "edge_api_token": "secret"}
RULES: list[dict[str, Any]] = [{"id": "1", "ref": "a", "action": "log", "expression": "true", "future": 1}]
PLURALS = [item.plural for item in ACCOUNT_RESOURCES]
ACCOUNT: dict[str, Any] = {
    "account_id": Marked("a" * 32),
    **{name: [] for name in PLURALS},
    "status": [{"enabled": None}],
    "prefixes": [{"id": "p1", "prefix": "203.0.113.x/24", "excluded": None}],
    "syn_flood_rules": [{"id": "r1", "scope": "global", "name": "global", "mode": "quantum"}],
}
VARIABLES = {
    "baseline_custom_rules": [{"ref": "a", "action": "log", "expression": "true"}],
    "baseline_prefixes": [{"prefix": "192.0.2.9/24"}],
    "baseline_rules": [],
    "baseline_purge": ["rules"],
    "baseline_timeout": 5.0,
    "baseline_custom_rules_ignore": ["x"],
}
RESULT: dict[str, Any] = {**ACCOUNT, "zone_id": "b" * 32, "custom_rules": RULES}


def test_everything_that_a_host_may_change_is_read_at_once() -> None:
    called: list[Part] = []

    def run_module(part: Part, check_mode: bool) -> dict[str, Any]:
        called.append(part)
        return RESULT

    state = read_part(host_part("lima", {**HOST_SPEC, **VARIABLES}), run_module)
    assert state.owners == {"account_id": "a" * 32, "zone_id": "b" * 32}
    assert state.objects == {**{name: ACCOUNT[name] for name in PLURALS}, "custom_rules": RULES}
    assert [type(text) for text in state.owners.values()] == [str, str]
    (part,) = called
    assert part.options.items() >= {"zone_name": "one.example", "api_token": "secret", "timeout": 5.0}.items()
    assert sorted(part.context.reading.collections) == sorted([*PLURALS, "custom_rules"])


def test_a_state_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="HTTP 403"):
        read_part(host_part("lima", HOST_SPEC), lambda part, check_mode: {"failed": True, "msg": "HTTP 403"})


def test_a_snapshot_holds_everything_as_the_service_has_it() -> None:
    part = host_part("lima", {**HOST_SPEC, **VARIABLES})
    of_the_file = {
        "allowlist": [{"prefix": "198.51.100.7"}],
        "custom_rules": [{"ref": "b"}],
    }  # of which this is the restore
    text = snapshot_text(part, read_part(part, lambda _part, _check_mode: RESULT), of_the_file)
    document = yaml.safe_load(text)
    assert document["baseline_source"] == {
        "account_id": "a" * 32,
        "zone_id": "b" * 32,
        "ignore": {"baseline_custom_rules_ignore": ["x"]},
        "named": {
            **{name: [] for name in PLURALS if not name.endswith("_rules")},
            "prefixes": [{"prefix": "192.0.2.0/24"}],
            **of_the_file,
        },
    }
    snapshot = document["baseline_snapshot"]
    assert snapshot == {**{name: ACCOUNT[name] for name in PLURALS}, "custom_rules": RULES}
    assert "secret" not in text


def test_a_directory_that_is_a_file_is_an_error_that_is_predicted(tmp_path: Path) -> None:
    (tmp_path / "snapshots").write_text("")
    folder = tmp_path / "snapshots" / "lima"
    with pytest.raises(OSError, match="snapshots") as predicted:
        require_writable(folder)
    with pytest.raises(OSError, match="snapshots") as met:
        write_snapshot(folder, "", NOW)
    assert str(predicted.value) == str(met.value)


def test_a_directory_that_nobody_may_write_into_is_predicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_writable(tmp_path / "snapshots" / "lima")
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)
    with pytest.raises(PermissionError, match="snapshots/lima"):
        require_writable(tmp_path / "snapshots" / "lima")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", ["", "..", "../lima", "/lima", "a\0b"])
def test_a_host_name_must_be_the_name_of_a_folder(host: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a name of a folder"):
        host_folder(str(tmp_path / "snapshots"), host)
    assert list(tmp_path.iterdir()) == []

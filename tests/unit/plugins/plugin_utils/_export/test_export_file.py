# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    Export,
    export_text,
    is_export,
    read_earlier_export,
    sealed,
)

TEXT = sealed(export_text(Export({"baseline_enabled": True}, ["A note."]), {"account_id": "a" * 32}))


def test_a_file_says_what_it_is_and_carries_its_checksum() -> None:
    first, seal, schema, header, note, *_rest = TEXT.splitlines()
    assert schema == "# yaml-language-server: $schema=../.protection.schema.json"
    assert (first, note) == ("---", "# A note.")
    assert seal.startswith("# sha256: ") and header.startswith("# What Cloudflare holds")
    assert is_export(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("true", "false"),
        TEXT + "# expires soon\n",
        TEXT.replace("# A note.\n", ""),
        "\n".join(line for line in TEXT.splitlines() if "checksum" not in line),
        "",
        "---",
        TEXT.replace("\n", "\r\n"),
    ],
)
def test_an_edit_is_told_and_not_overwritten(text: str, tmp_path: Path) -> None:
    path = tmp_path / "protection.yml"
    path.write_bytes(text.encode())
    with pytest.raises(ValueError, match="was edited since. Nothing was written.* export_overwrite: true"):
        read_earlier_export(path, overwrite=False)
    assert read_earlier_export(path, overwrite=True) == text

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.plugin_utils._export.export_file import OF_HOST, SHARED, VARIABLES


def test_every_option_of_the_two_tasks_has_a_variable() -> None:
    assert VARIABLES.keys() == {f"export_{name}" for name in {*OF_HOST, *SHARED}}


def test_secrets_are_kept_out_of_messages() -> None:
    assert all(VARIABLES[f"export_api_{name}"]["no_log"] for name in ("token", "key"))

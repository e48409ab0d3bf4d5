# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._protection.holes import HARMLESS


def test_a_harmless_object_has_no_reason() -> None:
    assert HARMLESS == (False, "")

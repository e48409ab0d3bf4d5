# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import file_mode


def test_a_file_mode_is_a_text_of_octal_digits() -> None:
    assert [file_mode("0600"), file_mode("644")] == [0o600, 0o644]


@pytest.mark.parametrize("digits", [0o644, 644, "u=rw", "0688", "07777", "", None])
def test_a_mode_that_yaml_reads_as_another_number_is_refused(digits: Any) -> None:
    with pytest.raises(ValueError, match="is not text of octal digits such as '0600'"):
        file_mode(digits)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A zone is the same zone alone in the inventory, beside the host of its account, and as one host with its account: the report
says the same of it, as far as nobody changes the account."""

from __future__ import annotations

import pytest

from tests.support.parity_of_a_zone import check_parity


@pytest.mark.parametrize("number", range(20))
def test_a_zone_is_the_same_alone_beside_its_account_and_as_one_host_with_it(number: int) -> None:
    check_parity(number)

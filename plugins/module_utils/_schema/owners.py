# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The owners of resources: accounts and zones, and how a task names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

# Cloudflare's codes for a path with an id that it does not know.
UNKNOWN_ID = frozenset([7000, 7003])


@dataclass(frozen=True)
class Owner:
    """A kind of owner, `title` in sentences and `one` with its article.

    A task names it by its id in `option`, or leaves that to the environment `variable`; where there
    is a `name_option`, the owner's name may stand for its id, for one call more. The products of an
    owner that is `token_only` take no e-mail address with a key.
    """

    title: str
    one: str
    option: str
    variable: str
    name_option: str = ""
    token_only: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The options that name the owner."""
        return (self.option, self.name_option) if self.name_option else (self.option,)


ACCOUNT_OWNER = Owner(
    title="account",
    one="an account",
    option="account_id",
    variable="CLOUDFLARE_ACCOUNT_ID",
    token_only=True,
)
ZONE_OWNER = Owner(
    title="zone",
    one="a zone",
    option="zone_id",
    variable="CLOUDFLARE_ZONE_ID",
    name_option="zone_name",
)
OWNERS: Mapping[str, Owner] = {owner.option: owner for owner in (ACCOUNT_OWNER, ZONE_OWNER)}
OWNER_OPTIONS = tuple(option for owner in OWNERS.values() for option in owner.options)


def others(owner: Owner) -> tuple[Owner, ...]:
    """The owners whose id a task may have given instead."""
    return tuple(other for other in OWNERS.values() if other is not owner)

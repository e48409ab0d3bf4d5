# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of an account that those of a zone hide, until the last of them is gone.

Cloudflare applies an account's overrides of HTTP DDoS rules in no zone that has overrides of its
own ("Overrides", HTTP DDoS Attack Protection).
"""

from __future__ import annotations

from .._api.client import Client
from .._coverage.overrides import weakenings
from .._errors import ProtectionError
from .._neighbours.account import account_of
from .._plan.plan import Plan
from .._schema.overrides import HIDDEN, L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, strengthens
from .._schema.resource import State
from .._text import Message, first_few

FIRST = (
    "The zone gets its first HTTP DDoS override. From then on, overrides of its account for these"
    " rules are not applied in the zone"
)


LAST = (
    "The zone loses its last HTTP DDoS override. From then on, overrides of its account for these"
    " rules are applied in the zone"
)


def read_hidden_overrides(plan: Plan, client: Client) -> State:
    """The overrides of the account that a plan with the first overrides of a zone hides, or that
    are applied once the last one is gone, or why they are not known; nothing for any other plan."""
    plural = L7_OVERRIDES.plural
    if not plan.operations or plural not in plan.before:
        return {}
    if bool(plan.before[plural]) is bool(plan.after()[plural]):
        return {}
    try:
        overrides = account_of(client).read(L7_OVERRIDES_OF_ACCOUNT)
    except ProtectionError as exc:
        return {HIDDEN: [{"overrides": [], "unknown": exc.message}]}
    return {HIDDEN: [{"overrides": overrides, "unknown": ""}]}


def hidden_overrides(plan: Plan) -> str:
    """A warning for a plan that hides overrides of an account, or has them applied, without the
    risk weakens_ddos_rules, or may do so; empty for any other."""
    for hidden in plan.before.get(HIDDEN, ()):
        existing = plan.before[L7_OVERRIDES.plural]
        moment = LAST if existing else FIRST
        if hidden["unknown"]:
            return Message(f"{moment}. Whether there are any is not known: ", hidden["unknown"])
        overrides = hidden["overrides"]
        worse = weakenings(L7_OVERRIDES_OF_ACCOUNT, existing, overrides) if existing else ()
        if overrides and not worse and (existing or not any(map(strengthens, overrides))):
            return f"{moment}: {first_few(map(L7_OVERRIDES_OF_ACCOUNT.label_of, overrides))}."
    return ""

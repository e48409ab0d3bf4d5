# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The IP Access rules that let traffic pass, as objects that no baseline names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._baseline.unmanaged import ACCESS_RULE, KINDS
from .record import Unmanaged
from .results import Prediction

OF_ZONE, OF_ACCOUNT = "the rules of the zone", "the rules of every zone of the account"


def access_rules(module: str, result: Mapping[str, Any], passed: str) -> Prediction:
    """The rules in the result of a module; `passed` names the rules that traffic passes by."""
    return Prediction(
        module=module,
        is_refused=False,
        plan_id="",
        operations=(),
        risks=(),
        pending=(),
        unmanaged=[_unmanaged(module, rule, passed) for rule in result["access_rules"]],
        rules=(),
    )


def _unmanaged(module: str, rule: Mapping[str, Any], passed: str) -> Unmanaged:
    return Unmanaged(
        module=module,
        resource=ACCESS_RULE,
        title=KINDS[ACCESS_RULE],
        key=rule["value"],
        weakens=True,
        reason=f"lets requests from this {rule['target']} pass by {passed}",
        since=rule["since"],
        accepted=None,
    )

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shared options of a task that names an account and never reaches a service, and its session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.progress import Progress
from ansible_collections.edgeops.protection.plugins.module_utils._api.session import Session
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import CONNECTION_NUMBERS, parse_settings
from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import NoBudget

CONNECTION: dict[str, Any] = {
    **{name: default for name, (_type, default, _least) in CONNECTION_NUMBERS.items()},
    "account_id": "0" * 32,
    "api_token": "a-token-of-some-length",
    "base_url": "https://192.0.2.1/client/v4",
    "validate_certs": True,
    "ca_path": None,
    "call_budget": 0,
}


def session_of(
    open_budget: Callable[[str], NoBudget] = lambda about: NoBudget(), progress: Progress | None = None, **options: Any
) -> Session:
    """A session of a task with these options."""
    return Session(parse_settings({**CONNECTION, **options}, (), {}, print), open_budget, progress)

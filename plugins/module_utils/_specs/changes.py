# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option of modules that read who changed what."""

from __future__ import annotations

from typing import Any, Mapping

from .._api.client import Client
from .._errors import OptionError
from .._neighbours.audit_log import read_changes
from .._schema.resource import OptionSpec
from .._text import Option
from .base import Options

CHANGES_HOURS = "changes_hours"
CHANGES: OptionSpec = {CHANGES_HOURS: {"type": "float", "default": 0.0}}
MOST_HOURS = 24 * 31 * 18  # so long Cloudflare keeps the log


def check_changes(options: Options) -> None:
    """Raises OptionError for hours that no log has."""
    hours = options.get(CHANGES_HOURS) or 0
    if not 0 <= hours <= MOST_HOURS:
        raise OptionError(
            Option(CHANGES_HOURS), f"{hours:g} is not from 0 to {MOST_HOURS} (18 months)"
        )


def changes_of(options: Options, client: Client) -> Mapping[str, Any]:
    """What a module returns of the audit log, if its task asks for some hours."""
    hours = options.get(CHANGES_HOURS) or 0
    return {"changes": read_changes(client, hours)} if hours else {}

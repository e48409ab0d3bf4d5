# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of the data through a module: options, wishes, read, plan, apply, result."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .carry_out import Applied, carry_out
from .client import Client
from .connection import Connection
from .declaration import Resource, State
from .errors import PlanError
from .outcome import described, diff
from .plan import Plan, make_plan
from .views import View
from .wishes import Wishes

Warn = Callable[[str], None]


def perform(
    view: View, options: Mapping[str, Any], connection: Connection, foretell: bool, warn: Warn
) -> dict[str, Any]:
    """The result of a module call; raises ProtectionError. What is wrong with the options shows before any request."""
    wishes = view.wishes(options) if view.wishes else None
    with connection.client() as client:
        state = read_state(client, view.reads(options))
        if wishes is None:
            return {"changed": False, **view.shows(options, state)}
        return bring_into_line(view, options, state, wishes, client, foretell, warn)


def read_state(client: Client, resources: Sequence[Resource]) -> State:
    """One complete listing of each collection."""
    return {resource.plural: client.read(resource) for resource in resources}


def bring_into_line(
    view: View,
    options: Mapping[str, Any],
    state: State,
    wishes: Sequence[Wishes],
    client: Client,
    foretell: bool,
    warn: Warn,
) -> dict[str, Any]:
    """The result of a module that writes; where it only foretells, the same result without the writing."""
    try:
        plan = make_plan(state, wishes)
    except PlanError as exc:
        exc.message += " Nothing was changed."
        raise

    def plan_again() -> Plan:
        return make_plan(read_state(client, view.reads(options)), wishes)

    applied = Applied(plan.operations, plan.after()) if foretell else carry_out(plan, plan_again, client, warn)
    return {
        "changed": bool(applied.operations),
        "diff": diff(applied.operations),
        "operations": described(applied.operations),
        **view.shows(options, applied.state),
    }

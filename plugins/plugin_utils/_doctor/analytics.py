# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The analytics of an account, a resource whose only object has the settings of each node."""

from __future__ import annotations

from ...module_utils._api.client import Client
from ...module_utils._api.responses import Request, error_details
from ...module_utils._errors import ServiceError
from ...module_utils._schema.resource import ACCOUNT_OPTION, Object, Permission, Resource, Single
from ...module_utils._text import Unread
from ...module_utils._traffic.queries import query, read_answer

ANALYTICS = Resource(
    name="analytics",
    plural="analytics",
    title="analytics",
    owner="",  # the query names the account
    path="graphql",
    permission=Permission("Account Analytics", "account"),
    fields=(),
    key=(),
    listing=Single(),
)


def read_settings(client: Client) -> Object:
    """The settings of each node of the analytics, by its name; raises ServiceError."""
    account_id = client.owner[ACCOUNT_OPTION]
    request = Request(
        "POST",
        ANALYTICS.path,
        body=query(account_id, (), with_settings=True),
        resource=ANALYTICS,
        about=account_id,
    )
    response = client.ask(request)
    try:
        settings = read_answer(response, ()).settings
    except Unread as exc:
        details = error_details(request, response.status)
        raise ServiceError(exc.reason, details, False) from exc
    return {name: node._asdict() for name, node in settings.items()}

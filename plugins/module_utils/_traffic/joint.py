# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One query for the watched changes of several zones that the same credentials read.

Each zone has its own part of the query and of the answer, since each change has its own beginning.
The vendor limits the zones of a query on its page "GraphQL Analytics API: Limits".
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Mapping

from .._api.client import Client
from .._api.responses import Request, Response, read_document
from .._errors import ServiceError
from .._text import Unread
from .ask import GRAPHQL_PATH, Send
from .queries import is_final, joined_query, part_of_answer
from .watched import WATCHED_NODES, WatchSample, pages_of, read_sample

MOST_ZONES = 10  # in one query


def read_samples(client: Client, since_by_zone: Mapping[str, datetime]) -> dict[str, WatchSample]:
    """The samples of the watched changes of zones, by their ids. Only the zone of the client is
    asked if the analytics refuse the joint query."""
    now = client.now or datetime.now(timezone.utc)
    joint: dict[str, Response] = {}
    if len(since_by_zone) > 1:
        joint = _joint_answers(client.ask, since_by_zone, now)
    if not joint:
        (zone_id,) = client.owner.values()
        return {zone_id: read_sample(client.ask, zone_id, since_by_zone[zone_id], now)}
    return {
        zone: read_sample(_answered(joint[zone], client.ask), zone, since, now)
        for zone, since in since_by_zone.items()
    }


def _joint_answers(
    send: Send, since_by_zone: Mapping[str, datetime], now: datetime
) -> dict[str, Response]:
    """The answer to one query for all zones, as if each had been asked alone; empty if it is
    refused."""
    pages = {zone: pages_of(since, now) for zone, since in since_by_zone.items()}
    body = joined_query(pages, with_settings=True, nodes=WATCHED_NODES)
    request = Request("POST", GRAPHQL_PATH, body=body, is_final=is_final)
    try:
        response = send(request)
        document = read_document(response.content)
    except (ServiceError, Unread):
        return {}
    answers: dict[str, Response] = {}
    for place, zone in enumerate(since_by_zone):
        part = part_of_answer(document, place)
        if part is None:
            return {}
        answers[zone] = response._replace(content=json.dumps(part).encode())
    return answers


def _answered(first: Response, send: Send) -> Send:
    """A sender whose first call has an answer already; the others are sent."""
    prepared = [first]

    def answer(request: Request) -> Response:
        return prepared.pop() if prepared else send(request)

    return answer

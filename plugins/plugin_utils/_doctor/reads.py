# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the doctor asks of an account and of a zone: one read of each resource, and some more pages.

Every request reads. That to the analytics is a POST, which queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._schema import (
    account,
    directory,
    neighbours,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.owners import OWNERS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    Permission,
    Resource,
)
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    write_timestamp,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.ask import PATH
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.nodes import (
    PERMISSION as ANALYTICS_PERMISSION,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import query

FIRST, BEHIND = "first page", "page behind the last one"
FIRST_TEN, NEXT_TEN = "first ten", "next ten"
SMALL_PAGE = 10  # objects; the least that a list of an account takes
HOURS_OF_LOG = 1
ANALYTICS = Resource(
    name="analytics",
    plural="analytics",
    title="analytics",
    plural_title="analytics",
    owner="",  # the query names the account
    path=PATH,
    permission=Permission(ANALYTICS_PERMISSION.partition(" Read")[0], "account"),
    fields=(),
    key=(),
)
OF_TOKEN = (directory.ACCOUNTS, directory.ZONES)


def declared(value: Any) -> Iterator[Resource]:
    """The resources in a value of a module, which may be one, or hold several."""
    if isinstance(value, Resource):
        yield value
    elif isinstance(value, (tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from declared(item)


def declared_resources() -> list[Resource]:
    """What the files of the schema declare of accounts and zones, each path once, and those of TCP
    protection first; without what needs another id in its path."""
    folder, package = Path(str(account.__file__)).parent, account.__name__.rpartition(".")[0]
    names = ["account", *sorted(path.stem for path in folder.glob("[a-z]*.py"))]
    by_path: dict[str, Resource] = {}
    for name in names:
        for value in vars(import_module(f"{package}.{name}")).values():
            for resource in declared(value):
                if _places(resource.path) == {resource.owner}:
                    by_path.setdefault(resource.path, resource)
    return list(by_path.values())


def _places(path: str) -> set[str]:
    return {name for _text, name, _form, _conversion in Formatter().parse(path) if name}


OF_OWNER: Mapping[str, Sequence[Resource]] = {
    owner: [
        *(resource for resource in declared_resources() if resource.owner == owner),
        *([ANALYTICS] if owner == account.OWNER else []),
    ]
    for owner in OWNERS
}


@dataclass(frozen=True)
class Read:
    """One request about a resource; `part` says which page of a list it is."""

    resource: Resource
    request: Request
    part: str = FIRST


def reads_of(owner: Mapping[str, str], now: datetime) -> list[Read]:
    """What is read first of an account or of a zone."""
    (kind,) = owner
    return [_first(resource, owner, now) for resource in OF_OWNER[kind]]


def reads_of_token() -> list[Read]:
    """What is read of the directory, whichever account or zone the token is for."""
    return [_page(resource, resource.path, 1, resource.page_size, FIRST) for resource in OF_TOKEN]


def _first(resource: Resource, owner: Mapping[str, str], now: datetime) -> Read:
    path = resource.path.format(**owner)
    if resource is ANALYTICS:
        body = query(owner[account.OWNER], (), with_settings=True)
        return Read(resource, Request("POST", path, body=body, resource=resource, is_query=True))
    if resource is neighbours.AUDIT_LOG:
        since = now - timedelta(hours=HOURS_OF_LOG)
        conditions = {"since": _utc(since), "before": _utc(now), "limit": SMALL_PAGE}
        return Read(resource, Request("GET", path, conditions, resource=resource))
    return _page(resource, path, 1, resource.page_size, FIRST)


def _utc(moment: datetime) -> str:
    return write_timestamp(moment).replace("+00:00", "Z")


def _page(resource: Resource, path: str, number: int, size: int, part: str) -> Read:
    conditions: Mapping[str, Any] = {"page": number, "per_page": size} if is_paged(resource) else {}
    return Read(resource, Request("GET", path, conditions, resource=resource), part)


def title_of(resource: Resource) -> str:
    """What a resource is called in a list of them."""
    return resource.titles if resource.key else resource.title


def is_paged(resource: Resource) -> bool:
    """Whether a list comes in pages by their number."""
    is_list = bool(resource.key and resource.page_size and not resource.list_field)
    return is_list and resource is not neighbours.AUDIT_LOG


def further_reads(
    lists: Sequence[tuple[Resource, int]], owner: Mapping[str, str]
) -> Iterator[Read]:
    """Pages that show how a list goes on, for the longest of these lists.

    `lists` are the managed lists that fit on their first page, with their lengths.
    """
    longest = max(lists, key=lambda item: item[1], default=None)
    if longest is None:
        return
    resource, length = longest
    path = resource.path.format(**owner)
    yield _page(resource, path, 2, resource.page_size, BEHIND)
    if length > SMALL_PAGE:
        yield _page(resource, path, 1, SMALL_PAGE, FIRST_TEN)
        yield _page(resource, path, 2, SMALL_PAGE, NEXT_TEN)

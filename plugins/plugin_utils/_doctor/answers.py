# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The answers of Cloudflare about a host: all resources of its account and zone, read as the
modules do, and the settings of its analytics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from ...module_utils._api.changes import read_changes
from ...module_utils._api.client import Client
from ...module_utils._api.connect import client_of_owner, connected
from ...module_utils._api.responses import Request, Response
from ...module_utils._concurrency import concurrently
from ...module_utils._errors import OptionError, ProtectionError, ServiceError
from ...module_utils._planning.zone import is_of_account
from ...module_utils._schema.neighbours import AUDIT_LOG, ZONE
from ...module_utils._schema.products import lacks_product
from ...module_utils._schema.registry import BY_NAME, READ_ONLY
from ...module_utils._schema.resource import ACCOUNT_OPTION, OWNERS, Object, Resource
from ...module_utils._text import Names, Screen, Warn, with_names
from .._baseline.variables import Part, settings_of
from .analytics import ANALYTICS, read_settings

Hear = Callable[[Request, Response], None]
RETRIES = 1  # the doctor tells what it meets, rather than waiting until it is gone
HOURS_OF_LOG = 1.0


class HostAnswer(NamedTuple):
    """The objects of a resource, or the `message` of the error that reading them raised, with
    its HTTP status and codes. The answer of the analytics has one object, the settings."""

    resource: Resource
    objects: Sequence[Object] = ()
    message: str = ""
    status: int | None = None
    codes: Sequence[int] = ()

    @property
    def about(self) -> str:
        """The title of the resource that was read."""
        return self.resource.titles if self.resource.key else self.resource.title

    @property
    def reason(self) -> str:
        """The kind of the error, without private data."""
        if not self.message:
            return ""
        if not self.status:
            return "no answer"
        codes = "".join(f" [{code}]" for code in self.codes)
        return f"HTTP {self.status}{codes}"

    @property
    def lacks_product(self) -> bool:
        """Return whether the answer says that the account does not have the product."""
        return lacks_product(self.codes)

    @property
    def only_object(self) -> Object:
        """The object of a resource that has a single one; empty if it was not read."""
        return self.objects[0] if self.objects else {}


class HostAnswers(NamedTuple):
    """All answers about a host, the number of calls, and the seconds by which Cloudflare's clock is
    ahead (None if no answer contains the time).
    """

    answers: Sequence[HostAnswer]
    calls: int
    seconds_ahead: float | None


def resources_to_read(owner: str) -> list[Resource]:
    """The resources of an account or of a zone that need no other id to be read."""
    resources = [
        resource
        for resource in (*BY_NAME.values(), *READ_ONLY)
        if resource.owner == owner and resource.path.count("{") == 1
    ]
    if owner == ACCOUNT_OPTION:
        resources.append(ANALYTICS)
    return resources


def examine_host(
    part: Part,
    warn: Warn,
    clock: Callable[[], datetime],
    screen: Screen | None = None,
    hear: Hear | None = None,
) -> HostAnswers:
    """The answers from reading the account and the zone of a host, each told to `hear`; raises
    ValueError for wrong options, before any call, and for a zone of another account.
    """
    settings_of_owners = [
        settings_of(part, name, RETRIES, warn)
        for name, owner in OWNERS.items()
        if any(part.options.get(option) for option in owner.options)
    ]
    answers: list[HostAnswer] = []
    calls, seconds_ahead = 0, None
    for settings in settings_of_owners:
        with connected(settings, warn, screen) as client:
            client.hear = hear or client.hear
            try:
                client = client_of_owner(client, settings)
            except ProtectionError as exc:  # a zone goes by an unknown name
                message = with_names(exc.message, part.names)
                answers.append(HostAnswer(ZONE, message=message))
            else:
                (owner_option,) = client.owner
                answer = partial(_host_answer, client, part.names)
                answers += concurrently(answer, resources_to_read(owner_option))
            calls += client.calls
            if client.now:
                seconds_ahead = round((client.now - clock()).total_seconds(), 1)
    _require_one_account(part, answers)
    return HostAnswers(answers, calls, seconds_ahead)


def _require_one_account(part: Part, answers: Sequence[HostAnswer]) -> None:
    """Raise ValueError if the zone that was read is of another account than that of the host."""
    account_id = part.options.get(ACCOUNT_OPTION)
    for answer in answers:
        if answer.resource is ZONE and account_id:
            try:
                is_of_account(answer.only_object, str(account_id))
            except OptionError as exc:
                raise ValueError(with_names(exc.message, part.names)) from exc


def _host_answer(client: Client, names: Names, resource: Resource) -> HostAnswer:
    try:
        objects = _read(client, resource)
    except ServiceError as exc:
        message = with_names(exc.message, names)
        return HostAnswer(resource, (), message, exc.status, exc.codes)
    return HostAnswer(resource, resource.our_objects(objects))


def _read(client: Client, resource: Resource) -> Sequence[Object]:
    """The objects of a resource; raises ServiceError."""
    if resource is AUDIT_LOG:
        return read_changes(client, HOURS_OF_LOG)
    if resource is not ANALYTICS:
        return client.read(resource)
    return [read_settings(client)]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the token may read and which products there are, as far as answers tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import (
    MAINTENANCE_MODE,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Permission
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    FIREWALL_RULES,
    QUOTAS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import NODES

from .assumptions import ONLY_WRITES
from .objects import is_managed
from .observations import Observation
from .reads import ANALYTICS, Answer, first_answers, redacted, shown_name, title_of

NO_PRODUCT = 8888
REFUSED = (401, 403)


class Finding(NamedTuple):
    """Something that is there or not; `is_there` is None if it is not known. `needed_for` names
    the resources that it is about."""

    name: str
    is_there: bool | None
    reason: str = ""
    needed_for: tuple[str, ...] = ()


def reason_of(answer: Answer) -> str:
    """Why an answer brings nothing, in Cloudflare's words as far as they hold nothing private."""
    if answer.status is None:
        return redacted(answer.problem)
    codes = "".join(f" [{code}]" for code in answer.codes)
    words = "; ".join(redacted(text) for text in answer.messages) or answer.problem
    return f"HTTP {answer.status}{codes}{words and f': {words}'}"


def permissions_of(answers: Sequence[Answer]) -> list[Finding]:
    """Each permission that reads of these resources need, and then each to write them."""
    reads: dict[str, list[Answer]] = {}
    writes: dict[str, list[Answer]] = {}
    for answer in first_answers(answers):
        permission = answer.read.resource.permission
        reads.setdefault(_described(permission, "GET"), []).append(answer)
        if is_managed(answer.read.resource):
            writes.setdefault(_described(permission, "PUT"), []).append(answer)
    return [
        *(_permission(name, items) for name, items in reads.items()),
        *(Finding(name, None, ONLY_WRITES, _titles(items)) for name, items in writes.items()),
    ]


def _described(permission: Permission, method: str) -> str:
    return replace(permission, token_only=False).describe(method)


def _titles(answers: Sequence[Answer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(title_of(answer.read.resource) for answer in answers))


def _permission(name: str, answers: Sequence[Answer]) -> Finding:
    """Granted if any read succeeds, or is refused for the product alone."""
    titles = _titles(answers)
    if any(answer.is_success for answer in answers):
        return Finding(name, True, "", titles)
    refused = [answer for answer in answers if answer.status in REFUSED]
    refused = [answer for answer in refused if NO_PRODUCT not in answer.codes]
    reason = reason_of((refused or answers)[0])
    return Finding(name, False if refused else None, reason, titles)


def products_of(answers: Sequence[Answer]) -> list[Finding]:
    """Which products an account or zone has."""
    firsts = first_answers(answers)
    of_product: dict[str, list[Answer]] = {}
    for answer in firsts:
        if answer.read.resource.product:
            of_product.setdefault(answer.read.resource.product, []).append(answer)
    findings = [_product(name, items) for name, items in of_product.items()]
    for answer in firsts:
        if answer.read.resource is ANALYTICS:
            findings += [_analytics_of(answer, node.product, node.field) for node in NODES]
        elif answer.read.resource is FIREWALL_RULES:
            findings.append(_firewall_rules(answer))
        elif answer.read.resource is ZONE:
            findings.append(_plan(answer))
    return findings


def _product(name: str, answers: Sequence[Answer]) -> Finding:
    if any(answer.is_success for answer in answers):
        return Finding(name, True)
    without = [answer for answer in answers if NO_PRODUCT in answer.codes]
    return Finding(name, False if without else None, reason_of((without or answers)[0]))


def _firewall_rules(answer: Answer) -> Finding:
    """The API of firewall rules, which Cloudflare retires zone by zone."""
    retired = answer.status == 410 or MAINTENANCE_MODE in answer.codes
    is_there = True if answer.is_success else False if retired else None
    reason = "" if answer.is_success else reason_of(answer)
    return Finding("the API of firewall rules", is_there, reason)


def _plan(answer: Answer) -> Finding:
    plan = answer.objects[0].get("plan") if answer.is_success and answer.objects else None
    name = plan.get("legacy_id") if isinstance(plan, Mapping) else None
    quota = QUOTAS.get(str(name))
    if quota:
        return Finding(f"the plan {quota.title} ({quota.rules:,} custom rules)", True)
    reason = f"it is {shown_name(name)}" if name else "the zone does not say it"
    return Finding("a known plan", None, reason if answer.is_success else reason_of(answer))


def settings_of(answer: Answer, field: str) -> Any:
    """What the analytics say of one node; None if they say nothing."""
    value: Any = answer.document
    for step in ("data", "viewer", "accounts", 0, "settings", field):
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and value else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _analytics_of(answer: Answer, product: str, field: str) -> Finding:
    name, settings = f"analytics of {product}", settings_of(answer, field)
    enabled = settings.get("enabled") if isinstance(settings, Mapping) else None
    if isinstance(enabled, bool):
        return Finding(name, enabled, "" if enabled else "the account's settings say so")
    if answer.is_success:
        return Finding(name, None, "the settings of the account do not say it")
    return Finding(name, None, reason_of(answer))


def observe_analytics(answers: Sequence[Answer]) -> Iterator[Observation]:
    """Whether the analytics say what an account may ask."""
    for answer in first_answers(answers):
        if answer.read.resource is ANALYTICS and answer.is_success:
            unknown = [node.product for node in NODES if settings_of(answer, node.field) is None]
            problem = f"no settings for {' and '.join(unknown)}" if unknown else ""
            yield Observation("analytics", ANALYTICS.titles, problem)

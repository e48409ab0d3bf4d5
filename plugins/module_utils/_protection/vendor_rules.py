# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The managed rulesets that the rules of an account or a zone execute: the rules as the vendor has
them now, and what overrides here make of them.

In an override, a rule comes before its categories, of these the last one, before the whole ruleset
("Override a managed ruleset", Ruleset Engine).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence, TypedDict

from .._concurrency import concurrently
from .._errors import ProtectionError
from .._schema.custom_rulesets import ruleset_of
from .._schema.ddos_overrides import OTHER_RULE, listed_rules
from .._schema.managed_rules import MANAGED_RULES
from .._schema.registry import DDOS_OVERRIDES
from .._schema.resource import Object, ReadCollection, Resource, State, fields_in
from .._schema.rulesets import OVERRIDES, PARAMETERS, deployed
from .override_entries import entries_by_name, entries_for, names_of_managed_rule

VENDOR_PLURALS = (MANAGED_RULES.plural, *(resource.plural for resource in DDOS_OVERRIDES))
SETTINGS = ("action", "enabled", "sensitivity")  # of a managed rule, and of overrides


class VendorRule(TypedDict):
    """A managed rule: the settings that the vendor gives it, None if the API does not say one, and
    the settings that overrides here give it in their place."""

    id: str
    name: str
    action: Any
    enabled: Any
    sensitivity: Any
    overridden: dict[str, Any]


class VendorRuleset(TypedDict):
    """A managed ruleset; `unread` is the reason why its rules are not known, None if they are."""

    id: str
    name: str
    version: str
    unread: str | None
    rules: list[VendorRule]


class _Executed(NamedTuple):
    """A managed ruleset by the resource that reads it, and the overrides of each rule that executes
    it."""

    resource: Resource
    overrides: list[Object]


def read_vendor_rulesets(read: ReadCollection, state: State) -> list[VendorRuleset]:
    """The managed rulesets that the rules of a state execute; one that cannot be read says why."""
    executed = _executed_rulesets(state)
    identities = list(executed)
    answers = concurrently(lambda identity: _answer(read, executed[identity]), identities)
    return [
        _ruleset_record(identity, answer, executed[identity].overrides)
        for identity, answer in zip(identities, answers)
    ]


def _answer(read: ReadCollection, executed: _Executed) -> Object | ProtectionError:
    try:
        return read(executed.resource)[0]
    except ProtectionError as exc:
        return exc


def _executed_rulesets(state: State) -> dict[str, _Executed]:
    """The managed rulesets that enabled rules of a state execute, by their ids."""
    executed: dict[str, _Executed] = {}
    for rule in state.get(MANAGED_RULES.plural, ()):
        identity = deployed(rule)
        if identity and rule.get("enabled") is not False:
            resource = ruleset_of(MANAGED_RULES.owner, identity)
            overrides = fields_in(fields_in(rule.get(PARAMETERS)).get(OVERRIDES))
            executed.setdefault(identity, _Executed(resource, [])).overrides.append(overrides)
    for resource in DDOS_OVERRIDES:
        for override in state.get(resource.plural, ()):
            if OTHER_RULE not in override and override.get("enabled") is not False:
                catalogue = resource.catalogue_object()
                identity = catalogue.path.rpartition("/")[2]
                executed.setdefault(identity, _Executed(catalogue, [])).overrides.append(override)
    return executed


def _ruleset_record(
    identity: str, answer: Object | ProtectionError, overrides: Sequence[Object]
) -> VendorRuleset:
    record = VendorRuleset(id=identity, name=identity, version="", unread=None, rules=[])
    if isinstance(answer, ProtectionError):
        record["unread"] = answer.message
        return record
    record["name"] = str(answer.get("name") or identity)
    record["version"] = str(answer.get("version") or "")
    try:
        record["rules"] = [_rule_record(rule, overrides) for rule in listed_rules(answer)]
    except ValueError as exc:
        record["unread"] = f"{exc}."
    return record


def _rule_record(rule: Object, overrides: Sequence[Object]) -> VendorRule:
    overridden: dict[str, Any] = {}
    for name in SETTINGS:
        values = [_setting_in(override, rule, name) for override in overrides]
        if any(value is not None for value in values):
            overridden[name] = _joined(values)
    identity = str(rule.get("id"))
    name = str(rule.get("description") or identity)
    return VendorRule(
        id=identity,
        name=name,
        action=rule.get("action"),
        enabled=rule.get("enabled"),
        sensitivity=rule.get("sensitivity_level"),
        overridden=overridden,
    )


def _joined(values: Sequence[Any]) -> Any:
    """The value that all overrides set; if they differ, a text with all of them."""
    distinct = [*dict.fromkeys(values)]
    if len(distinct) == 1:
        return distinct[0]
    return " or ".join(map(_text_of_setting, distinct))


def _text_of_setting(value: Any) -> str:
    return "the default" if value is None else str(value)


def _setting_in(override: Object, rule: Object, name: str) -> Any:
    """The value that an override gives a setting of a managed rule; None if it gives none."""
    entries = entries_for(entries_by_name(override), names_of_managed_rule(rule))
    values = [entry.get(name) for _name, entry in entries]
    return next((value for value in values if value not in (None, "")), None)

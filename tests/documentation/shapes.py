# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of every result: keys and types from the code, sentences from descriptions.yml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any, TypedDict, get_args, get_origin, get_type_hints, is_typeddict

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._api.neighbours import OnboardedPrefix, PhaseRecord
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import Pending
from ansible_collections.edgeops.protection.plugins.module_utils._protection.measured import MeasuredLimit
from ansible_collections.edgeops.protection.plugins.module_utils._protection.summary import (
    CoverageChange,
    CoverageSummary,
    NetworkAnswer,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.unmanaged import UnmanagedInResult
from ansible_collections.edgeops.protection.plugins.module_utils._result import Diff
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    COLLECTIONS,
    COMPONENTS,
    DNS_RULES,
    FILTERS,
    PREFIXES,
    RULES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rulesets import (
    CUSTOM_RULESETS,
    rules_of_ruleset,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import ANY_ITEM, LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED, RULESETS, Managed
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import ACCOUNT_OPTION, Field, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import TopRecord
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.hits import Hits

Entry = dict[str, Any]  # one key of a result as RETURN documents it
Entries = dict[str, Entry]

DESCRIPTIONS: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("descriptions.yml").read_text("utf-8"))
NAMES = {str: "str", int: "int", bool: "bool", float: "float", Any: "raw", dict: "dict"}
BY_REFERENCE = {"CoverageChange.before", "CoverageChange.after"}  # their sentence names the place of the whole shape
STORED_TYPES = {"raw": "int"}  # a priority is a number, or an empty text that clears it


class WeakerRecord(TypedDict):
    """A loss as results show it."""

    resource: str
    key: str
    certain: bool
    reason: str


def typed_entries(shape: type) -> Entries:
    """The keys of a TypedDict."""
    texts = DESCRIPTIONS["shapes"][shape.__name__]
    hints = get_type_hints(shape)
    if unknown := {name for name in texts if not name.endswith(".*")} - hints.keys():
        raise ValueError(f"descriptions.yml: {shape.__name__} has no {', '.join(sorted(unknown))}")
    return {name: _typed_entry(f"{shape.__name__}.{name}", hint, texts, name) for name, hint in hints.items()}


def _typed_entry(path: str, hint: Any, texts: Mapping[str, str], name: str) -> Entry:
    """A key of a TypedDict; a mapping from str to something with a shape is by component."""
    kinds = [item for item in get_args(hint) if item is not NoneType] if NoneType in get_args(hint) else [hint]
    origin, arguments = get_origin(kinds[0]), get_args(kinds[0])
    text: Any = texts[name]
    entry: Entry = {**text} if isinstance(text, dict) else {"description": text}
    if path in BY_REFERENCE:
        return {**entry, "type": "dict"}
    if origin is list:
        return {**entry, **_list_of(arguments[0])}
    if is_typeddict(kinds[0]):
        return {**entry, "type": "dict", "contains": typed_entries(kinds[0])}
    if origin is dict and arguments[1] is not Any:
        components = {
            kind: _typed_entry(path, arguments[1], {name: texts[f"{name}.*"].format(component=details.title)}, name)
            for kind, details in COMPONENTS.items()
        }
        return {**entry, "type": "dict", "contains": components}
    return {**entry, "type": "dict" if origin in (dict, Mapping) else NAMES[kinds[0]]}


def _list_of(item: Any) -> Entry:
    if is_typeddict(item):
        return {"type": "list", "elements": "dict", "contains": typed_entries(item)}
    return {"type": "list", "elements": NAMES[get_origin(item) or item]}


def object_entries(resources: Sequence[Resource]) -> Entries:
    """The keys of the objects of some collections: kind, id, the declared fields, and what only Cloudflare sets."""
    name_of_texts = resources[0].name if len(resources) == 1 else resources[0].plural.split("_")[-1]
    texts = DESCRIPTIONS["objects"].get(name_of_texts) or declared_texts(resources[0])
    entries: Entries = {}
    for name in (*(["kind"] if resources[0].kind else []), *(["id"] if resources[0].key else [])):
        entries[name] = {"description": texts[name], "type": "str"}
    for item in (item for resource in resources for item in resource.fields):
        entries[item.name] = _field_entry(item, texts)
    for name in (name for name in resources[0].read_only if name in texts):
        entries[name] = {"description": texts[name], "type": "int" if name.startswith("num_") else "str"}
    return entries


# What only Cloudflare sets of an object, by its name in the API.
OF_CLOUDFLARE = {
    "id": "The id that Cloudflare gives. Check mode returns none for an object that the run would create.",
    **dict.fromkeys(("created", "created_at", "created_on"), "When the {title} was created."),
    **dict.fromkeys(("modified", "modified_on", "updated_at", "last_updated"), "When the {title} was last changed."),
}


def declared_texts(resource: Resource) -> Mapping[str, str]:
    """The sentences on the fields of an object, by its declaration; it needs no others."""
    names = [name for name in ("id", *resource.read_only) if name in OF_CLOUDFLARE]
    return {
        **{name: OF_CLOUDFLARE[name].format(title=resource.title) for name in names},
        **{field.name: field.about for field in resource.fields},
    }


def _field_entry(item: Field, texts: Mapping[str, Any]) -> Entry:
    option = item.value.option
    entry: Entry = {"description": texts[item.name], "type": STORED_TYPES.get(option["type"], option["type"])}
    if "elements" in option:
        entry["elements"] = option["elements"]
    if item.fields:
        inner = texts[f"{item.name}.*"]
        entry["contains"] = {field.name: _field_entry(field, inner) for field in item.fields}
    return entry


def one(*resources: Resource) -> Entry:
    """One object."""
    return {"type": "dict", "contains": object_entries(resources)}


def many(*resources: Resource) -> Entry:
    """A list of objects."""
    return {"type": "list", "elements": "dict", "contains": object_entries(resources)}


def records(shape: type) -> Entry:
    """A list of dictionaries of one shape."""
    return {"type": "list", "elements": "dict", "contains": typed_entries(shape)}


def with_hits(rules: Entry) -> Entry:
    """Rules with their hits."""
    text = DESCRIPTIONS["objects"]["custom_rule"]["hits"]
    return {**rules, "contains": {**rules["contains"], "hits": {"description": text, **shape_of(Hits)}}}


def shape_of(shape: type) -> Entry:
    """One dictionary."""
    return {"type": "dict", "contains": typed_entries(shape)}


WHOLE_ACCOUNT: Mapping[str, Entry] = {
    "status": one(STATUS),
    **{option: many(*resources) for option, resources in COLLECTIONS.items()},
}
ITEM_OF_ANY_KIND = replace(items_of(""), fields=ANY_ITEM)
ITEMS: Entry = {"description": DESCRIPTIONS["objects"]["ip_list"]["items"], **many(ITEM_OF_ANY_KIND)}
WHOLE_LIST: Entry = {**many(LISTS), "contains": {**object_entries([LISTS]), "items": ITEMS}}
WHOLE_RULESET: Entries = {
    **{
        name: entry
        for name, entry in object_entries([CUSTOM_RULESETS["zone_id"]]).items()
        if name not in ("kind", "phase")
    },
    "rules": {
        "description": DESCRIPTIONS["objects"]["custom_ruleset"]["rules"],
        **many(rules_of_ruleset("zone_id", "")),
    },
    "deploy": {
        "description": DESCRIPTIONS["objects"]["custom_ruleset"]["deploy"],
        "type": "dict",
        "contains": {
            **{name: object_entries([CUSTOM_RULES])[name] for name in ("ref", "expression", "enabled")},
            "position": {"description": DESCRIPTIONS["objects"]["custom_ruleset"]["position"], "type": "str"},
        },
    },
}
OWNERS_OF_RULESETS: Entries = {"account_id": {"type": "str"}, "zone_id": {"type": "str"}}


def _declared_results() -> Iterator[tuple[str, Entries]]:
    """The objects that the modules of the registry return, with their owner."""
    for managed in MANAGED:
        resource = managed.resource
        if resource.name not in DESCRIPTIONS["objects"]:
            continue  # described with others, below
        objects = {managed.option: many(resource)} if resource.key else {resource.plural: one(resource)}
        yield managed.module, {resource.owner: {"type": "str"}, **objects}


RULESETS_OF_ACCOUNT = [resource for resource in RULESETS if resource.owner == ACCOUNT_OPTION]
DECLARED = dict(_declared_results())
OWN_RESULTS: Mapping[str, Mapping[str, Entry]] = {
    **DECLARED,
    "rate_limit_rules": {**DECLARED["rate_limit_rules"], "measured": records(MeasuredLimit)},
    "tcp_protection_status": {"tcp_protection_status": one(STATUS)},
    "protected_prefixes": {"prefixes": many(PREFIXES)},
    "allowlist_entry": {"entry": one(ALLOWLIST)},
    "allowlist": {"entries": many(ALLOWLIST)},
    "protection_rule": {"rule": one(*RULES)},
    "dns_protection_rule": {"rule": one(DNS_RULES)},
    "protection_filter": {"filter": one(*FILTERS)},
    "account_protection": {
        "protection": {
            "type": "dict",
            "contains": {
                name: {"description": DESCRIPTIONS["subsets"][name], **entry} for name, entry in WHOLE_ACCOUNT.items()
            },
        }
    },
    "ip_list": {"list": one(LISTS), "items": many(ITEM_OF_ANY_KIND)},
    "custom_ruleset": {**OWNERS_OF_RULESETS, "ruleset": {"type": "dict", "contains": WHOLE_RULESET}},
    "protection_info": {
        "account_id": {"type": "str"},
        **WHOLE_ACCOUNT,
        "covers": records(NetworkAnswer),
        "coverage": shape_of(CoverageSummary),
        "announced": records(OnboardedPrefix),
        "ip_lists": WHOLE_LIST,
        "packet_phases": records(PhaseRecord),
        **{resource.plural: many(resource) for resource in RULESETS_OF_ACCOUNT},
    },
    "protection_traffic_info": {"account_id": {"type": "str"}, "traffic": shape_of(TopRecord)},
    "firewall_rules_info": {"zone_id": {"type": "str"}, "rules": many(FIREWALL_RULES)},
    "custom_rules_info": {"zone_id": {"type": "str"}, "rules": with_hits(many(CUSTOM_RULES))},
}


def plain_results(managed: Managed) -> Entries:
    """What the module of a setting or a plain list returns, by its declaration."""
    resource = managed.resource
    if managed.is_list:
        name, title, objects = managed.option, resource.titles, many(resource)
    else:
        name, title, objects = resource.name, resource.title, one(resource)
    return {name: {"description": f"The {title} afterwards.", "returned": "success", **objects}}


PLAIN: Mapping[str, Managed] = {managed.module: managed for managed in MANAGED if managed.plain}
SHARED: Mapping[str, Entry] = {
    "coverage": shape_of(CoverageChange),
    "pending": shape_of(Pending),
    "unmanaged": records(UnmanagedInResult),
    "weaker": records(WeakerRecord),
    "diff": shape_of(Diff),
}


def result_entries(module: str) -> Entries:
    """The keys that a module documents itself, in the order of descriptions.yml; docs/check_mode.md has those of every module."""
    texts = DESCRIPTIONS["results"]
    if module in PLAIN and module not in texts:
        return plain_results(PLAIN[module])
    return {
        name: {**texts["*"].get(name, {}), **text, **{**SHARED, **OWN_RESULTS[module]}[name]}
        for name, text in texts[module].items()
    }

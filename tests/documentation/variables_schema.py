# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""roles/export/files/variables.schema.json, from the arguments that the roles take and their documentation.

It is of draft 7, which the language server of YAML takes. A value may be a template, and a variable null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import CONNECTION_NUMBERS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import ACCEPTANCE_FIELDS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._protection import request
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import (
    DESCRIBED_KINDS,
    EVERY,
    OF_REQUESTS,
    PACKET_OUTCOMES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COMPONENTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_NAME
from ansible_collections.edgeops.protection.plugins.module_utils._values.bounds import Bounded
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import IDENTIFIER
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.texts import CONTINENTS
from ansible_collections.edgeops.protection.plugins.modules import host
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    INVENTORY,
    INVENTORY_VARIABLES,
    OF_A_POSTURE,
    OF_HOST,
    OF_KNOWN_ZONE,
    REPORT,
    RESULT,
    SNAPSHOT,
    SNAPSHOT_KEEP,
    SOURCE,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import VARIABLES as EXPORT
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import RESTORE
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import REPORT_VARIABLES as OF_REPORT
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import CONTACTS, declared_in

from tests.documentation.risks import ALL_LIMITS

SCHEMA = Path(__file__).parents[2] / "roles" / "export" / "files" / "variables.schema.json"
Schema = dict[str, Any]
LONGEST_DESCRIPTION = 300  # characters
TEMPLATE: Schema = {"$ref": "#/definitions/template"}
DEFINITIONS: Schema = {"template": {"type": "string", "pattern": "[{][{%]"}}
TEXT: Schema = {"type": ["string", "number"]}  # as Ansible makes a text of a number
OBJECT: Schema = {"type": "object"}
PORT: Schema = {"type": "integer", "minimum": 0, "maximum": 65535}
TYPES: Mapping[str, Schema] = {
    "str": TEXT,
    "path": TEXT,
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "raw": {},
}


def variables_schema() -> str:
    """The schema as text."""
    documented = {**declared_in("baseline"), **declared_in("report"), **declared_in("export"), **_of_restore()}
    arguments = {**OF_HOST, **OF_REPORT, **EXPORT, **RESTORE}
    variables = {name: _variable(name, argument, documented) for name, argument in sorted(arguments.items())}
    for name in sorted((INVENTORY_VARIABLES - variables.keys()).union(OF_KNOWN_ZONE)):
        variables[name] = {
            "description": "The inventory plugin edgeops.protection.accounts sets it.",
            **variables.get(name, {}),
        }
    for name, text in {
        "owner": "Whom a finding of the host is for.",
        "runbook": "How to go on, such as a link.",
    }.items():
        variables[CONTACTS[name]] = {"description": f"{text} The report, its metrics and notifications say it.", **TEXT}
    variables[SOURCE] = {"description": "What an export or a snapshot is of.", **OBJECT}
    variables[SNAPSHOT] = {"description": "The state of a host, in a snapshot.", **OBJECT}
    known = [*variables, RESULT, REPORT]
    head = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Variables of edgeops.protection",
        "description": "Variables of hosts and groups. Other variables are left to others.",
        "type": ["object", "null"],
        "properties": dict(sorted(variables.items())),
        "patternProperties": {_misspelt("baseline_", known): _refused("The role baseline has no such variable.")},
        "additionalProperties": True,
        "definitions": {**DEFINITIONS, "postures_file": POSTURES_FILE},
    }
    return json.dumps(head, indent=1) + "\n"


def _of_restore() -> dict[str, dict[str, str]]:
    """The variables of the playbook restore, which has no role: documented as the options of its action."""
    options = yaml.safe_load(host.DOCUMENTATION)["options"]
    return {
        name: {"description": _as_variables(options[name.removeprefix("restore_")]["description"])} for name in RESTORE
    }


def _as_variables(description: str | Iterable[str]) -> str:
    """A description without markup; an option of the action goes by the name of its variable."""
    text = description if isinstance(description, str) else " ".join(description)
    text = re.sub(r"O\([\w.]+#module:(\w+)\)", r"baseline_\1", text)
    return re.sub(r"[CV]\(([^)]*)\)", r"\1", re.sub(r"O\((\w+)\)", r"restore_\1", text))


def _misspelt(prefix: str, known: Iterable[str]) -> str:
    """The pattern of names with a prefix that belongs to a role alone, and that the role does not have."""
    names = sorted(name.removeprefix(prefix) for name in known if name.startswith(prefix))
    return f"^{prefix}(?!(?:{'|'.join(map(re.escape, names))})$)"


def _refused(message: str) -> Schema:
    return {"not": {}, "errorMessage": message}


def _variable(name: str, argument: Mapping[str, Any], documented: Mapping[str, Any]) -> Schema:
    option = re.sub("^(baseline|export|restore|edge)_", "", name)
    ours = next((ours for ours, theirs in INVENTORY.items() if theirs == name), name)
    about = documented.get(ours, {})
    text = _bounded(about.get("description") or "")
    if ours != name:
        text = f"The default of {ours} for the host. {text}"
    return {**({"description": text} if text else {}), **_any_of([*_kinds(option, argument, about), {"type": "null"}])}


def _bounded(description: str | Iterable[str]) -> str:
    """The first sentences of a description."""
    text = " ".join((description if isinstance(description, str) else " ".join(description)).split())
    if len(text) <= LONGEST_DESCRIPTION:
        return text
    sentences = text[:LONGEST_DESCRIPTION].rpartition(". ")[0]
    return f"{sentences}." if sentences else f"{text[: LONGEST_DESCRIPTION - 3]}..."


def _any_of(kinds: Iterable[Schema]) -> Schema:
    listed = list(kinds)
    if {} in listed:
        return {}
    return listed[0] if len(listed) == 1 else {"anyOf": listed}


def _kinds(name: str, argument: Mapping[str, Any], about: Mapping[str, Any]) -> list[Schema]:
    """What a value may be; a text may be a template anyway."""
    kind = argument.get("type", "str")
    if name in DETAILS:
        return [DETAILS[name], TEMPLATE]
    if kind == "list":
        items = {**argument, "type": argument.get("elements", "raw")}
        of_items = ITEMS.get(name) or _any_of(_kinds("", items, about))
        return [{"type": "array", "items": of_items}, *_with_commas(name, items), TEMPLATE]
    if kind == "dict":
        return [_dictionary(name, argument.get("options"), about.get("options") or {}), TEMPLATE]
    if kind == "raw" and (choices := argument.get("choices")):  # true, or some of these words
        words = [choice for choice in choices if isinstance(choice, str)]
        several = {"type": "list", "elements": "str", "choices": words}
        return [{"type": "boolean"}, *_kinds("", several, about)]
    if choices := argument.get("choices"):
        return [{"enum": list(choices)}, TEMPLATE]
    if name in ("account_id", "zone_id"):
        return [{"type": "string", "pattern": f"^(?:{IDENTIFIER.pattern.replace('0-9a-f', '0-9A-Fa-f')})?$"}, TEMPLATE]
    bounds = argument.schema if isinstance(argument, Bounded) else RANGES.get(name, {})
    schema = {**TYPES[kind], **bounds}
    takes_templates = kind in ("str", "path", "raw") and "maxLength" not in schema
    return [schema] if takes_templates else [schema, TEMPLATE]


def _with_commas(name: str, items: Mapping[str, Any]) -> list[Schema]:
    """A list of texts may be a text with commas."""
    words = list(CODES) if name in ITEMS else items.get("choices")
    if not words:
        return [TEXT] if items["type"] in ("str", "path") else []
    word = "|".join(map(re.escape, words))
    return [{"type": "string", "pattern": f"^(?:{word})(?:,(?:{word}))*$"}]


def _dictionary(name: str, fields: Mapping[str, Any] | None, about: Mapping[str, Any]) -> Schema:
    """A dictionary; one without declared fields takes any."""
    if fields is None:
        return DETAILS.get(name, OBJECT)
    required = [field for field, argument in fields.items() if argument.get("required")]
    properties = {field: _field(field, argument, about.get(field) or {}) for field, argument in fields.items()}
    return {
        **OBJECT,
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
        **(EITHER if name == "" and {"request", "packet"} <= fields.keys() else {}),
    }


def _field(name: str, argument: Mapping[str, Any], about: Mapping[str, Any]) -> Schema:
    nullable = not argument.get("required") and not argument.get("choices")
    kinds = _any_of([*_kinds(name, argument, about), *([{"type": "null"}] if nullable else [])])
    text = _bounded(about.get("description") or "")
    return {**({"description": text} if text else {}), **kinds}


def _closed(properties: Mapping[str, Schema], *required: str) -> Schema:
    needed = {"required": list(required)} if required else {}
    return {**OBJECT, "properties": dict(properties), **needed, "additionalProperties": False}


def _matching(pattern: re.Pattern[str]) -> Schema:
    return _any_of([{"type": "string", "pattern": f"^(?:{pattern.pattern})$"}, TEMPLATE])


def _one_of(words: Iterable[str]) -> Schema:
    return _any_of([{"enum": list(words)}, TEMPLATE])


RANGES: Mapping[str, Schema] = {
    **{name: {"minimum": least} for name, (_kind, _default, least) in CONNECTION_NUMBERS.items()},
    **{limit.name: {"minimum": 0, "maximum": limit.highest} for limit in ALL_LIMITS},
    SNAPSHOT_KEEP.removeprefix("baseline_"): {"minimum": 1},
}
OF_REQUEST: Mapping[str, Schema] = {
    "method": _matching(request.METHOD),
    "scheme": _one_of(request.SCHEMES),
    "host": _matching(request.HOST_PATTERN),
    "path": _matching(request.URI_PATH),
    "query": _matching(request.QUERY),
    "country": _matching(request.COUNTRY),
    "continent": _one_of(CONTINENTS),
    **{name: _any_of([OBJECT, TEMPLATE]) for name in ("headers", "cookies", "fields")},
}
OF_PACKET: Mapping[str, Schema] = {
    "destination_port": _any_of([PORT, TEMPLATE]),
    "source_port": _any_of([PORT, TEMPLATE]),
    "protocol": _one_of(request.PROTOCOLS),
    "data_center": _matching(request.PLACE_CODE),
    "region": _matching(request.PLACE_CODE),
    "fields": _any_of([OBJECT, TEMPLATE]),
}
ACCEPTANCE: Mapping[str, Schema] = {
    "code": _one_of(CODES),
    "resource": _one_of(BY_NAME),
    "networks": _any_of([{"type": "array", "items": TEXT}, TEMPLATE]),
    "entries": _any_of([{"type": "array", "items": TEXT}, TEMPLATE]),
}
EITHER: Schema = {"oneOf": [{"required": [name]} for name in (*DESCRIBED_KINDS, EVERY)]}
# What the arguments leave to the code that reads them.
OF_POSTURE: Schema = {name: {"$ref": f"#/properties/baseline_{name}"} for name in OF_A_POSTURE}
CHOSEN = _closed({**dict.fromkeys(("name", "until", "reason", "since"), TEXT), **OF_POSTURE}, "until")
# Of the file of postures, which is no file of variables.
POSTURES_FILE: Schema = {**OBJECT, "additionalProperties": {"type": "array", "items": CHOSEN}}
DETAILS: Mapping[str, Schema] = {
    "postures": {**OBJECT, "additionalProperties": _closed(OF_POSTURE)},
    "posture": {"anyOf": [CHOSEN, {"type": "array", "items": CHOSEN}]},
    "request": _closed({key: OF_REQUEST.get(key, TEXT) for key in request.REQUEST_KEYS}),
    "packet": _closed({key: OF_PACKET.get(key, TEXT) for key in request.PACKET_KEYS}, "destination"),
    "expect": _any_of(
        [{"enum": [*OF_REQUESTS, *PACKET_OUTCOMES]}, _closed(dict.fromkeys(COMPONENTS, _one_of(PACKET_OUTCOMES)))]
    ),
}
ITEMS: Mapping[str, Schema] = {
    "accept_risks": _any_of(
        [
            {"enum": list(CODES)},
            _closed({name: ACCEPTANCE.get(name, TEXT) for name in ACCEPTANCE_FIELDS}, "code"),
            TEMPLATE,
        ]
    )
}

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The doctor: it makes a record of the answers about a host: permissions, products and assumptions,
the lines that a person reads, and the bundle for an issue."""

from __future__ import annotations

import json
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible.release import __version__ as ansible_version

from ...module_utils._api.session import VERSION
from ...module_utils._arguments import Arguments
from ...module_utils._plan.api_fields import undeclared
from ...module_utils._schema.custom_rules import CUSTOM_RULES
from ...module_utils._schema.neighbours import ZONE
from ...module_utils._schema.quotas import quota_of
from ...module_utils._schema.rulesets import deployed
from ...module_utils._specs.whole_state import name_of
from ...module_utils._text import first_few, plural
from ...module_utils._timestamps import CLOCK_SKEW
from ...module_utils._traffic.queries import NODES
from .._export.describe import sort_out
from .answers import ANALYTICS, HostAnswer, HostAnswers

KINDS = ["deviation", "unknown"]
DOCTOR: Arguments = {  # the variables of the playbook
    "doctor_directory": {"type": "str", "default": "doctor"},
    "doctor_fail_on": {"type": "list", "elements": "str", "choices": KINDS, "default": []},
}

WORDS = {
    "permissions": {True: "granted", False: "refused", None: "not known"},
    "products": {True: "available", False: "not available", None: "not known"},
}
FORMAT = 3
NO_PRODUCT = 8888
REFUSED = (401, 403)

Record = Mapping[str, Any]  # as the result of the action has it


class Assumption(NamedTuple):
    """Something that the collection takes for granted; see assumptions.yml."""

    name: str
    statement: str
    otherwise: str
    source: str = ""
    is_checked: bool = False


@lru_cache(maxsize=None)
def assumptions() -> Sequence[Assumption]:
    """All assumptions, in the order of the page that lists them."""
    text = Path(__file__).with_name("assumptions.yml").read_text(encoding="utf-8")
    return [Assumption(**item) for item in yaml.safe_load(text)]


class Diagnosis(NamedTuple):
    """A permission or a product, and whether answers show that it is there; None if that is not
    known."""

    name: str
    available: bool | None
    reason: str


def permissions_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """Each permission that these reads need; not known if a read is refused for the product
    alone."""
    return _diagnoses(
        [
            (item.resource.permission._replace(token_only=False).describe("GET"), item)
            for item in answers
        ],
        lambda answer: answer.status in REFUSED and NO_PRODUCT not in answer.codes,
    )


def products_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """Each product that an account or zone may have, with the plan of the zone."""
    named = [(item.resource.product, item) for item in answers if item.resource.product]
    found = _diagnoses(named, lambda answer: NO_PRODUCT in answer.codes)
    for answer in answers:
        obj = answer.objects[0] if answer.objects else {}
        if answer.resource is ZONE:
            quota = quota_of(obj)
            name = f"the plan {quota.title}" if quota else "a known plan"
            reason = answer.reason or ("" if quota else "the zone has another one")
            found.append(Diagnosis(name, True if quota else None, reason))
        for node in NODES if answer.resource is ANALYTICS else ():
            is_there = obj.get(node.name, {}).get("enabled")
            reason = answer.reason or ("" if is_there else "by the settings of the account")
            found.append(Diagnosis(f"analytics of {node.product}", is_there, reason))
    return found


def _diagnoses(
    named: Sequence[tuple[str, HostAnswer]], says_no: Callable[[HostAnswer], bool]
) -> list[Diagnosis]:
    """By name: there if any read succeeds, or else not there if any answer says no."""
    by_name: dict[str, list[HostAnswer]] = defaultdict(list)
    for name, answer in named:
        by_name[name].append(answer)
    found = []
    for name, items in by_name.items():
        without = [item for item in items if says_no(item)]
        if any(not item.message for item in items):
            found.append(Diagnosis(name, True, ""))
        else:
            reason = (without or items)[0].reason
            found.append(Diagnosis(name, False if without else None, reason))
    return found


def record_of(host: str, checked: str, examination: HostAnswers) -> Record:
    """The record of a host."""
    problems: dict[str, list[str]] = defaultdict(list)  # of each assumption that an answer shows
    for answer in examination.answers:
        if answer.objects and (answer.resource.update or answer.resource.create):
            for name, problem in _of_objects(answer):
                problems[name] += filter(None, [problem])
    if any(not answer.message for answer in examination.answers):
        problems["date"] += _clock_problems(examination.seconds_ahead)
    return {
        "host": host,
        "checked": checked,
        "calls": examination.calls,
        "permissions": [item._asdict() for item in permissions_of(examination.answers)],
        "products": [item._asdict() for item in products_of(examination.answers)],
        "answers": [
            {
                "resource": answer.about,
                "objects": None if answer.message else len(answer.objects),
                "reason": answer.message,
            }
            for answer in examination.answers
        ],
        "assumptions": [
            {
                "name": item.name,
                "holds": not problems[item.name] if item.name in problems else None,
                "reasons": problems.get(item.name, []),
            }
            for item in assumptions()
            if item.is_checked
        ],
    }


def _of_objects(answer: HostAnswer) -> Iterator[tuple[str, str]]:
    """The assumptions that objects show, each with the problem if it does not hold for some."""
    resource, is_custom = answer.resource, answer.resource.phase == CUSTOM_RULES.phase
    # A deployment of a ruleset, which the variables of the ruleset describe.
    objects = [obj for obj in answer.objects if not (is_custom and deployed(obj))]
    _described, others = sort_out(resource, objects)
    lines = (line for obj in objects for line in shape_of(undeclared(resource, obj)))
    fields = dict.fromkeys(line for line in lines if line.startswith("."))
    without = [obj for obj in objects if resource.key and not isinstance(obj.get("id"), str)]
    odd = [f"the {name_of(resource, obj)} {reason}" for obj, reason in others]
    yield "fields_known", f"{answer.about}: unknown {first_few(fields)}" if fields else ""
    yield "ids", f"{answer.about}: {len(without)} without an id" if without else ""
    yield "described", f"{answer.about}: {'; '.join(odd)}" if odd else ""


def _clock_problems(seconds_ahead: float | None) -> list[str]:
    if seconds_ahead is None:
        return ["the header Date is missing, or cannot be read"]
    is_near = abs(seconds_ahead) <= CLOCK_SKEW.total_seconds()
    return [] if is_near else [f"the clocks differ by about {abs(seconds_ahead):.0f} s"]


def failures(record: Record, kind: str) -> list[str]:
    """The reasons of a run that fails on this kind: deviation, or unknown."""
    if kind == "deviation":
        odd = [item["name"] for item in record["assumptions"] if item["holds"] is False]
        return [f"assumptions that do not hold: {', '.join(odd)}"] if odd else []
    unread = [item["resource"] for item in record["answers"] if item["objects"] is None]
    return [f"not read: {', '.join(unread)}"] if unread else []


def lines_of(record: Record) -> Iterator[str]:
    """The record for people."""
    yield f"{record['host']}: {plural(record['calls'], 'call', 'calls')}, all of them reads."
    for kind, words in WORDS.items():
        for item in record[kind]:
            reason = f" {item['reason']}." if item["reason"] else ""
            yield f"  {kind[:-1]} {item['name']}: {words[item['available']]}.{reason}"
    for answer in record["answers"]:
        if answer["objects"] is None:
            yield f"  not read: {answer['resource']}. {answer['reason']}"
    by_name = {item.name: item for item in assumptions()}
    for verdict in record["assumptions"]:
        assumption = by_name[verdict["name"]]
        if verdict["holds"] is False:
            yield f"  DOES NOT HOLD {assumption.name}: {assumption.statement}"
            yield from (f"    - {reason}" for reason in verdict["reasons"])
            yield f"    What goes wrong: {assumption.otherwise}"
    numbers = Counter(item["holds"] for item in record["assumptions"])
    yield (
        f"  assumptions that hold: {numbers[True]}; that do not: {numbers[False]};"
        f" that no answer shows: {numbers[None]}."
    )


def bundle_text(record: Record, answers: Sequence[HostAnswer]) -> str:
    """The text of the bundle: what the record says without names and values, and the shapes of the
    answers."""
    document = {
        "format": FORMAT,
        "versions": {
            "edgeops.protection": VERSION,
            "ansible-core": ansible_version,
            "python": platform.python_version(),
        },
        **{name: record[name] for name in ("checked", "calls", "permissions", "products")},
        "assumptions": {item["name"]: item["holds"] for item in record["assumptions"]},
        "answers": [
            {
                "path": answer.resource.path,
                "reason": answer.reason,
                "shape": dict(Counter(line for item in answer.objects for line in shape_of(item))),
            }
            for answer in answers
        ],
    }
    return json.dumps(document, indent=2) + "\n"


SHORT_NAME = re.compile(r"(?!.*([0-9]{4}|[0-9a-fA-F-]{12}))[A-Za-z_][A-Za-z0-9_-]{0,39}")


def shape_of(value: Any, path: str = "") -> Iterator[str]:
    """The fields of an object with their types, a text each, such as `filter.id: str`; no value is
    kept, and no name that may be one."""
    yield f"{path}: {type(value).__name__}"
    for item in value if isinstance(value, list) else ():
        yield from shape_of(item, f"{path}[]")
    for name in value if isinstance(value, Mapping) else ():
        yield from shape_of(
            value[name], f"{path}.{name if SHORT_NAME.fullmatch(name) else '(name)'}"
        )

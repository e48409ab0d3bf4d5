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
from collections.abc import Iterator, Mapping, Sequence
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
from ...module_utils._schema.resource import Object, Resource
from ...module_utils._schema.rulesets import deployed
from ...module_utils._specs.whole_state import name_of
from ...module_utils._text import first_few, plural
from ...module_utils._timestamps import CLOCK_SKEW
from ...module_utils._traffic.queries import NODES
from .._export.describe import sort_out
from .analytics import ANALYTICS
from .answers import HostAnswer, HostAnswers

FINDINGS = ["deviation", "unknown"]
DOCTOR: Arguments = {  # the variables of the playbook
    "doctor_directory": {"type": "str", "default": "doctor"},
    "doctor_fail_on": {"type": "list", "elements": "str", "choices": FINDINGS, "default": []},
    "doctor_record": {"type": "bool", "default": False},
}

WORDS = {
    "permissions": {True: "granted", False: "refused", None: "not known"},
    "products": {True: "available", False: "not available", None: "not known"},
}
BUNDLE_FORMAT = 3
REFUSING = (401, 403)

Record = Mapping[str, Any]  # as the result of the action has it


class CollectionAssumption(NamedTuple):
    """Something that this collection assumes about Cloudflare, with the consequence if it is
    `otherwise`; assumptions.yml lists them all."""

    name: str
    statement: str
    otherwise: str
    source: str = ""
    is_checked: bool = False


@lru_cache(maxsize=None)
def assumptions() -> Sequence[CollectionAssumption]:
    """All assumptions, in the order of the page that lists them."""
    text = Path(__file__).with_name("assumptions.yml").read_text(encoding="utf-8")
    return [CollectionAssumption(**fields) for fields in yaml.safe_load(text)]


class Diagnosis(NamedTuple):
    """A permission or a product, and whether the answers show that it is available; None if they
    do not show it."""

    name: str
    available: bool | None
    reason: str


def permissions_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """A diagnosis of each permission that these reads need. A permission is missing if any read
    is denied, since listing rulesets accepts the permission of any phase; it is not known if a
    read is only denied because the product is missing."""
    by_permission: dict[str, list[HostAnswer]] = defaultdict(list)
    for answer in answers:
        permission = answer.resource.permission._replace(token_only=False)
        by_permission[permission.describe("GET")].append(answer)
    return [
        _diagnosis_of_permission(name, answers_by_it)
        for name, answers_by_it in by_permission.items()
    ]


def _diagnosis_of_permission(name: str, answers: Sequence[HostAnswer]) -> Diagnosis:
    for answer in answers:
        if answer.status in REFUSING and not answer.lacks_product:
            return Diagnosis(name, False, answer.reason)
    if any(not answer.message for answer in answers):
        return Diagnosis(name, True, "")
    return Diagnosis(name, None, answers[0].reason)


def products_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """Each product that an account or zone may have, with the plan of the zone."""
    by_product: dict[str, list[HostAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.resource.product:
            by_product[answer.resource.product].append(answer)
    diagnoses = [_diagnosis_of_product(name, reads) for name, reads in by_product.items()]
    for answer in answers:
        if answer.resource is ZONE:
            diagnoses.append(_plan_of_zone(answer))
        if answer.resource is ANALYTICS:
            diagnoses += _analytics(answer)
    return diagnoses


def _plan_of_zone(answer: HostAnswer) -> Diagnosis:
    quota = quota_of(answer.only_object)
    if quota:
        return Diagnosis(f"the plan {quota.title}", True, answer.reason)
    return Diagnosis("a known plan", None, answer.reason or "the zone has another one")


def _analytics(answer: HostAnswer) -> Iterator[Diagnosis]:
    """A diagnosis of each product that has analytics, by the settings of the account."""
    for node in NODES:
        settings = answer.only_object.get(node.name, {})
        is_enabled = settings.get("enabled")
        reason = answer.reason
        if not reason and not is_enabled:
            reason = "by the settings of the account"
        yield Diagnosis(f"analytics of {node.product}", is_enabled, reason)


def _diagnosis_of_product(name: str, answers: Sequence[HostAnswer]) -> Diagnosis:
    """A diagnosis of the product: available if any read succeeds, or else missing if any answer
    says so."""
    if any(not answer.message for answer in answers):
        return Diagnosis(name, True, "")
    for answer in answers:
        if answer.lacks_product:
            return Diagnosis(name, False, answer.reason)
    return Diagnosis(name, None, answers[0].reason)


def record_of(host: str, checked: str, examination: HostAnswers) -> Record:
    """The record of a host."""
    answers = examination.answers
    permissions, products = permissions_of(answers), products_of(answers)
    return {
        "host": host,
        "checked": checked,
        "calls": examination.calls,
        "permissions": [permission._asdict() for permission in permissions],
        "products": [product._asdict() for product in products],
        "answers": [_answer_record(answer) for answer in answers],
        "assumptions": _verdicts(examination),
    }


def _answer_record(answer: HostAnswer) -> dict[str, Any]:
    return {
        "resource": answer.about,
        "objects": None if answer.message else len(answer.objects),
        "reason": answer.message,
    }


def _verdicts(examination: HostAnswers) -> list[dict[str, Any]]:
    """The verdict on each assumption that a read can check; None if no answer shows it."""
    problems: dict[str, list[str]] = defaultdict(list)  # of each assumption that an answer shows
    for answer in examination.answers:
        if answer.objects and (answer.resource.update or answer.resource.create):
            for name, problem in _problems_of_objects(answer).items():
                problems[name] += [problem] if problem else []
    if any(not answer.message for answer in examination.answers):
        problems["date"] += _clock_problems(examination.seconds_ahead)
    verdicts = []
    for assumption in assumptions():
        if assumption.is_checked:
            name = assumption.name
            holds = not problems[name] if name in problems else None
            verdict = {"name": name, "holds": holds, "reasons": problems.get(name, [])}
            verdicts.append(verdict)
    return verdicts


def _problems_of_objects(answer: HostAnswer) -> dict[str, str]:
    """The problem of each assumption that these objects can check, by the assumption; empty text if
    it holds for all of them.
    """
    resource = answer.resource
    is_custom = resource.phase == CUSTOM_RULES.phase
    # A deployment of a ruleset, which the variables of the ruleset describe.
    objects = [obj for obj in answer.objects if not (is_custom and deployed(obj))]
    problems = {
        "fields_known": _unknown_fields(resource, objects),
        "ids": _objects_without_id(resource, objects),
        "described": _not_described(resource, objects),
    }
    for name, problem in problems.items():
        problems[name] = f"{answer.about}: {problem}" if problem else ""
    return problems


def _unknown_fields(resource: Resource, objects: Sequence[Object]) -> str:
    fields: list[str] = []
    for obj in objects:
        shape = shape_of(undeclared(resource, obj))
        fields += [line for line in shape if line.startswith(".")]
    if not fields:
        return ""
    return f"unknown {first_few(dict.fromkeys(fields))}"


def _objects_without_id(resource: Resource, objects: Sequence[Object]) -> str:
    if not resource.key:
        return ""
    number = sum(not isinstance(obj.get("id"), str) for obj in objects)
    return f"{number} without an id" if number else ""


def _not_described(resource: Resource, objects: Sequence[Object]) -> str:
    _described, refused = sort_out(resource, objects)
    return "; ".join(f"the {name_of(resource, obj)} {reason}" for obj, reason in refused)


def _clock_problems(seconds_ahead: float | None) -> list[str]:
    if seconds_ahead is None:
        return ["the header Date is missing, or cannot be read"]
    is_near = abs(seconds_ahead) <= CLOCK_SKEW.total_seconds()
    return [] if is_near else [f"the clocks differ by about {abs(seconds_ahead):.0f} s"]


def failures(record: Record, kind: str) -> list[str]:
    """The reasons why the run fails, if it fails on this kind: deviation or unknown."""
    if kind == "deviation":
        beginning = "assumptions that do not hold"
        names = [verdict["name"] for verdict in record["assumptions"] if verdict["holds"] is False]
    else:
        beginning = "not read"
        names = [answer["resource"] for answer in record["answers"] if answer["objects"] is None]
    if not names:
        return []
    return [f"{beginning}: {', '.join(names)}"]


def is_as_expected(record: Record, answers: Sequence[HostAnswer]) -> bool:
    """Return whether no assumption fails, and each answer was read except for products that the
    account does not have."""
    if failures(record, "deviation"):
        return False
    return all(not answer.message or answer.lacks_product for answer in answers)


def line_of(record: Record) -> str:
    """A line on a host that is as expected, with the products that it lacks."""
    lacking = [product["name"] for product in record["products"] if product["available"] is False]
    lacks = f" Not available: {', '.join(lacking)}." if lacking else ""
    return f"{_line_of_calls(record)} All is as expected.{lacks}"


def _line_of_calls(record: Record) -> str:
    return f"{record['host']}: {plural(record['calls'], 'call', 'calls')}, all of them reads."


def lines_of(record: Record) -> Iterator[str]:
    """The lines of the record as text for people."""
    yield _line_of_calls(record)
    for kind, words in WORDS.items():
        for diagnosis in record[kind]:
            reason = f" {diagnosis['reason']}." if diagnosis["reason"] else ""
            verdict = words[diagnosis["available"]]
            yield f"  {kind[:-1]} {diagnosis['name']}: {verdict}.{reason}"
    for answer in record["answers"]:
        if answer["objects"] is None:
            yield f"  not read: {answer['resource']}. {answer['reason']}"
    yield from _lines_of_assumptions(record["assumptions"])


def _lines_of_assumptions(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    by_name = {assumption.name: assumption for assumption in assumptions()}
    for verdict in verdicts:
        assumption = by_name[verdict["name"]]
        if verdict["holds"] is False:
            yield f"  DOES NOT HOLD {assumption.name}: {assumption.statement}"
            yield from (f"    - {reason}" for reason in verdict["reasons"])
            yield f"    What goes wrong: {assumption.otherwise}"
    numbers = Counter(verdict["holds"] for verdict in verdicts)
    yield (
        f"  assumptions that hold: {numbers[True]}; that do not: {numbers[False]};"
        f" that no answer shows: {numbers[None]}."
    )


def bundle_text(record: Record, answers: Sequence[HostAnswer]) -> str:
    """The text of the bundle: the content of the record without names and values, and the shapes
    of the answers."""
    verdicts = {verdict["name"]: verdict["holds"] for verdict in record["assumptions"]}
    document = {
        "format": BUNDLE_FORMAT,
        "versions": versions(),
        **{name: record[name] for name in ("checked", "calls", "permissions", "products")},
        "assumptions": verdicts,
        "answers": [_answer_shape(answer) for answer in answers],
    }
    return json.dumps(document, indent=2) + "\n"


def versions() -> dict[str, str]:
    """The versions of the programs that read the answers."""
    return {
        "edgeops.protection": VERSION,
        "ansible-core": ansible_version,
        "python": platform.python_version(),
    }


def _answer_shape(answer: HostAnswer) -> dict[str, Any]:
    lines: Counter[str] = Counter()
    for obj in answer.objects:
        lines.update(shape_of(obj))
    return {"path": answer.resource.path, "reason": answer.reason, "shape": dict(lines)}


SHORT_NAME = re.compile(r"(?!.*([0-9]{4}|[0-9a-fA-F-]{12}))[A-Za-z_][A-Za-z0-9_-]{0,39}")


def shape_of(value: Any, path: str = "") -> Iterator[str]:
    """The fields of an object with their types, as lines such as `filter.id: str`. Values are
    left out, and so are keys that could be values, such as ids."""
    yield f"{path}: {type(value).__name__}"
    if isinstance(value, list):
        for element in value:
            yield from shape_of(element, f"{path}[]")
    if isinstance(value, Mapping):
        for name, field in value.items():
            shown_name = name if SHORT_NAME.fullmatch(name) else "(name)"
            yield from shape_of(field, f"{path}.{shown_name}")

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong with the options shows before any request, with the option's name and what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host import OPTION_NAMES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import OPTIONS

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import RULE_1
from tests.support.bad_options import MISTAKES, PREFIX, REGION
from tests.support.module_run import ZONE, Modules


@pytest.mark.parametrize(("module", "options", "text"), MISTAKES)
def test_an_option_that_is_wrong_is_named_before_any_request(
    module: str, options: dict[str, Any], text: str, service: LocalService, modules: Modules
) -> None:
    result = modules.failed(module, **options)
    result.pop("invocation", None)  # which ansible-core before 2.21 adds
    assert result == {"failed": True, "msg": text}
    assert service.calls == []


SEVERAL: list[tuple[str, dict[str, Any], list[str]]] = [
    ("allowlist", {"entries": [], "accept_risks": [{"code": "broad_allowlst"}, {"code": 5}, 7, None]},
     ["accept_risks[3]: it is null", "accept_risks[0].code: 'broad_allowlst' is none of", "accept_risks[1].code: 5 is none of",
      "accept_risks[2]: 7 is a number"]),
    ("protected_prefixes", {"account_id": "frankfurt", "timeout": 0, "prefixes": [{"prefix": "x"}, PREFIX, PREFIX, {"prefix": "y"}]},
     ["account_id: 'frankfurt' is not", "timeout: ", "prefixes[0].prefix: 'x'", "prefixes[2]: 192.0.2.0/24 is named", "prefixes[3].prefix: 'y'"]),
    ("account_protection", {"purge": ["filters"], "prefixes": [{"prefix": "x"}], "rules": [REGION, {**REGION, "name": " "}],
                            "limits": {"max_deletions_percent": 101}, "accept_risks": ["all"]},
     ["limits.max_deletions_percent: ", "accept_risks[0]: ", "purge: it takes filters", "prefixes[0].prefix: ", "rules[0].name: ", "rules[1].name: "]),
    ("custom_rules", {"rules": [{"ref": " ", "expression": " "}, {"ref": "a", "position": "top"}]},
     ["rules[1].position: ", "rules[0].ref: ", "rules[0].expression: "]),
    ("protected_prefixes", {"account_id": "x", "timeout": "long", "retries": -1, "api_token": None,
                            "prefixes": ["192.0.2.0/24", {"prefix": "x"}, PREFIX, PREFIX, {"prefx": 1}]},
     ["prefixes[0]: ", "prefixes[4].prefx: ", "timeout: ", "account_id: 'x'", "retries: ", "api_token: there are no credentials",
      "prefixes[1].prefix: 'x'", "prefixes[3]: 192.0.2.0/24 is named"]),
    ("allowlist_entry", {"prefix": ["x"], "expires": "friday", "enabled": "x", "accept_risks": ["all"]},
     ["prefix: it is a list", "enabled: ", "accept_risks[0]: ", "expires: 'friday'"]),
    ("custom_rules", {"rules": [{"ref": "a", "position": 5}, {"reff": "b"}], "ignore": ["x", {}], "expected_plan": "x",
                      "expectations": ["x", {"request": {"uri": "/"}, "expect": "eaten"}, {"expect": "blocked"}]},
     ["rules[1].reff: ", "ignore[1]: ", "expectations[0]: ", "expected_plan: ", "rules[0].position: '5'",
      "expectations[1].", "expectations[2]: "]),
    ("custom_rules", {"rules": [{"ref": "a", "description": "x", "enabled": False, "api_fields": {"description": "y", "enabled": True}}]},
     ["rules[0].description: it has another value than in rules[0].api_fields", "rules[0].enabled: it has another value than in "]),
    ("custom_ruleset", {"name": "Bots", "deploy": {"expression": "("},
                        "rules": [{"ref": ref, "expression": "ip.src in {300.1.1.1}"} for ref in "ab"]},
     ["rules[0].expression: ", "rules[1].expression: ", "deploy.expression: "]),
]  # fmt: skip


@pytest.mark.parametrize(("module", "options", "errors"), SEVERAL)
def test_all_errors_in_the_options_are_reported_at_once(
    module: str, options: dict[str, Any], errors: list[str], service: LocalService, modules: Modules
) -> None:
    message = modules.failed(module, **options)["msg"]
    assert message.startswith(f"{len(errors)} errors: (1) ")
    for number, error in enumerate(errors, 1):
        assert f"({number}) {error}" in message
    assert service.calls == []


def test_the_id_of_a_zone_is_recognised_by_the_services_answer(modules: Modules) -> None:
    message = modules.failed("protection_info", account_id=ZONE)["msg"]
    assert message.endswith("Check account_id and base_url; is account_id the id of a zone?")


def test_no_account_anywhere_is_named(modules: Modules) -> None:
    message = modules.failed("tcp_protection_status", account_id=None, enabled=True)["msg"]
    assert "account_id" in message


def test_an_odd_base_url_is_used_with_a_warning(service: LocalService, modules: Modules) -> None:
    result = modules.failed("protection_info", base_url=service.base_url.replace("v4", "v5"))
    assert "/client/v4" in str(result["warnings"])
    assert result["error"]["status"] == 404


Pair = tuple[str, dict[str, Any], list[str]]  # the module, its options, and the messages
NUMBER = re.compile(r"\b(\w+)\[(\d+)\]")
# Other names for the objects of the second mistake, so that both are not about the same ones.
OTHERS = (
    ("192.0.2.", "192.0.3."),
    (RULE_1, "2" * 32),
    *(('"ref": "a"', '"ref": "b"'), (" a)", " b)"), (": a is", ": b is")),
    *(('{"scope": "global"}', '{"scope": "region", "name": "WEUR"}'), (": global is", ": region WEUR is")),
)


def renamed(text: str) -> str:
    for old, new in OTHERS:
        text = text.replace(old, new)
    return text


def together(first: dict[str, Any], second: dict[str, Any], text: str) -> tuple[dict[str, Any], str] | None:
    """The options of two mistakes and the message of the second, whose entries stand behind those of the first; None if
    both set one option."""
    second, text = json.loads(renamed(json.dumps(second))), renamed(text)
    both, shifts = {**first, **second}, dict[str, int]()
    for name in first.keys() & second.keys():
        entries = [first[name], second[name]]
        if not all(isinstance(value, list) and value for value in entries):
            if entries[0] != entries[1]:
                return None
        else:
            both[name], shifts[name] = [*first[name], *second[name]], len(first[name])
    return both, NUMBER.sub(lambda found: f"{found[1]}[{int(found[2]) + shifts.get(found[1], 0)}]", text)


# What an option makes irrelevant, beside the mistake that it is not there.
HIDDEN = {"state": ["state", "expires"], "purge": ["purge", "position"]}


def is_undone(options: dict[str, Any], text: str, other: dict[str, Any]) -> bool:
    """Return whether an option of another mistake makes this one none."""
    more = other.keys() - {name for name, value in options.items() if value is not None}
    return any(re.search(rf"\b{word}\b", text) for name in more for word in HIDDEN.get(name, [name]))


def merged(first: Any, second: Any) -> Any:
    """Two values as one, in which each mistake stays as it is; None if they differ in something else."""
    if isinstance(first, dict) and isinstance(second, dict):
        both = {name: merged(first[name], second[name]) for name in first.keys() & second.keys()}
        return None if None in both.values() else {**first, **second, **both}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second) == 1:
        one = merged(first[0], second[0])
        return None if one is None else [one]
    return first if first == second else None


def pairs() -> Iterator[Pair]:
    """Two mistakes in one task, beside each other and in one object, as far as they can be made together."""
    for (module, first, text), (other, second, other_text) in combinations(MISTAKES, 2):
        both_texts = f"{text} {other_text}"
        if module != other or is_undone(first, text, second) or is_undone(second, other_text, first):
            continue
        if (both := together(first, second, other_text)) and not ("missing" in both_texts and "did you" in both_texts):
            yield module, both[0], [text, both[1]]
        # One entry of a list cannot be of two kinds.
        if (one := merged(first, second)) and not re.search("missing|the list has", both_texts):
            yield module, one, [text, other_text]


SAMPLED = Random(50).sample([*pairs()], 250)


@pytest.mark.parametrize(("module", "options", "texts"), SAMPLED)
def test_two_mistakes_are_told_together(
    module: str, options: dict[str, Any], texts: list[str], service: LocalService, modules: Modules
) -> None:
    message = modules.failed(module, **options)["msg"]
    assert message in [f"2 errors: (1) {one}; (2) {other}" for one, other in permutations(texts)]
    assert service.calls == []


def of_role(modules: Modules, module: str, options: dict[str, Any]) -> str:
    """The message of the role with the variables for these options of a module."""
    names = {option: f"baseline_{option}" for option in OPTIONS}
    own = {OPTION_NAMES[module].get(name, name): value for name, value in options.items()}
    return str(modules.run(HOST_MODULE, context=Context(is_role=True, names=names), **own).get("msg"))


# A role leaves out what it is not told, has no state, and lists in purge what a module purges.
OF_ROLE = [pair for pair in pairs() if pair[0] in OPTION_NAMES and not pair[1].keys() & {"state", "purge"}]
OF_ROLE = [pair for pair in OF_ROLE if "missing" not in str(pair[2])]


@pytest.mark.parametrize(("module", "options", "texts"), Random(50).sample(OF_ROLE, 100))
def test_two_mistakes_in_variables_are_told_together(
    module: str, options: dict[str, Any], texts: list[str], service: LocalService, modules: Modules
) -> None:
    message = of_role(modules, module, options)
    names = re.compile(rf"\b({'|'.join(OPTION_NAMES[module])})(?=[.:\[])")
    for text in texts:
        assert names.sub(lambda found: f"baseline_{OPTION_NAMES[module][found[1]]}", text) in message
    assert message.startswith("2 errors: ")
    assert service.calls == []

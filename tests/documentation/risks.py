# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page and fragments that follow from the declarations of the risks: options, tables, variables of the role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.account import (
    ACCOUNT_RISKS,
    LOWERS_SENSITIVITY,
    risks_of_account,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limit, Risk, limits_of
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.deletions import DELETION_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.rules import risks_of_rules
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    FILTERS,
    PREFIXES,
    RULES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import L7_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.managed_rules import MANAGED_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rate_limits import RATE_LIMIT_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.ip_lists import LIST_RISKS

from tests.documentation.pages import to_yaml
from tests.support.documents import with_table

ALL_LIMITS = limits_of(ALL_RISKS)
ROOT = Path(__file__).parents[2]
FRAGMENTS = ROOT / "plugins" / "doc_fragments" / "_risks.py"
PAGE = ROOT / "docs" / "risks.md"
RISKS_OF: Mapping[str, Sequence[Risk]] = {  # by the name of the fragment
    "DOCUMENTATION": ACCOUNT_RISKS,
    "STATUS": risks_of_account(STATUS),
    "PREFIXES": risks_of_account(PREFIXES),
    "ALLOWLIST": risks_of_account(ALLOWLIST),
    "PROTECTION_RULES": risks_of_account(*RULES),
    "PROTECTION_FILTERS": risks_of_account(*FILTERS),
    "ZONE_RULES": risks_of_rules(FIREWALL_RULES),
    "ZONE_LISTS": risks_of_rules(CUSTOM_RULES),
    "NETWORK_FIREWALL": risks_of_rules(NETWORK_FIREWALL_RULES),
    "MANAGED_RULES": risks_of_rules(MANAGED_RULES),
    "LISTS_OF_ADDRESSES": LIST_RISKS,
    "OVERRIDES": risks_of_rules(L7_OVERRIDES),
    "RATE_LIMITS": risks_of_rules(RATE_LIMIT_RULES),
    "ZONE_SETTINGS": (LOWERS_SENSITIVITY,),
    "PLAIN_SETTINGS": (),
    "PLAIN_LISTS": DELETION_RISKS,
}
WIDTH = 100  # of a line in plugins
RELEASE = "1.0.0"  # which added them all
ACCEPTED = "The risks that the task accepts{codes}. A plan with another risk fails before anything is written."
ACCEPTANCE = (
    "An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a failure prints it."
)
OF_LIMITS = ("Limits from which on a plan is a risk.",)
MARK = re.compile(r"\b([A-Z])\(([^()]*)\)")  # such as O(purge), for ansible-doc


def options(risks: Sequence[Risk]) -> dict[str, Any]:
    """The options of a module whose plans can have these risks, as ansible-doc shows them."""
    codes = ", ".join(f"V({risk.code})" for risk in risks)
    accept_risks: dict[str, Any] = {
        "description": [ACCEPTED.format(codes=f", of {codes}" if codes else ""), ACCEPTANCE],
        "version_added": RELEASE,
        "type": "list",
        "elements": "raw",
        "default": [],
    }
    limits: dict[str, dict[str, Any]] = {
        limit.name: {"description": [limit.sentences[0]], **limit.option} for limit in limits_of(risks)
    }
    of_limits = {**described(OF_LIMITS), "type": "dict", "suboptions": limits}
    return {"accept_risks": accept_risks, **({"limits": of_limits} if limits else {})}


def described(sentences: Iterable[str]) -> dict[str, Any]:
    """The facts of an option that its declaration in the code does not have."""
    return {"description": list(sentences), "version_added": RELEASE}


def with_fragments(text: str) -> str:
    """The file of the documentation fragments with those of risks brought up to date."""
    for name, risks in RISKS_OF.items():
        block = "options:\n" + "".join(option_text(*item) for item in options(risks).items())
        if f"    {name} = " not in text:
            text = f'{text}\n    {name} = r"""\n"""\n'
        text = replaced(text, rf'    {name} = r"""\n', '"""\n', block)
    return text


def option_text(name: str, facts: Mapping[str, Any], width: int = WIDTH) -> str:
    """An option as YAML, its description wrapped at the width of the plugins."""
    sentences = [wrapped(text, width) for text in facts["description"]]
    others = to_yaml({fact: value for fact, value in facts.items() if fact not in ("description", "suboptions")})
    text = f"  {name}:\n    description:\n{''.join(sentences)}{indent(others, ' ' * 4)}"
    inner = "".join(
        option_text(inner_name, inner_facts, width - 4)
        for inner_name, inner_facts in facts.get("suboptions", {}).items()
    )
    return f"{text}    suboptions:\n{indent(inner, ' ' * 4)}" if inner else text


def wrapped(text: str, width: int = WIDTH) -> str:
    """An item of a list of texts, in quotes only if YAML needs them."""
    scalar = text if yaml.safe_load(text) == text else "'" + text.replace("'", "''") + "'"
    return fill(scalar, width, initial_indent=" " * 6 + "- ", subsequent_indent=" " * 8, break_on_hyphens=False) + "\n"


def with_tables(text: str) -> str:
    """The page of the risks with its table of them, and of the defaults of their limits, brought up to date."""
    risks = sorted(ALL_RISKS, key=lambda risk: text.index(f"\n## {risk.code}\n"))
    rows = [(f"[`{risk.code}`](#{risk.code})", with_defaults(marked(would(risk)))) for risk in risks]
    return with_table(text, "| code | the plan would |", rows)


def with_defaults(text: str) -> str:
    """A text with the default behind each limit that is a number."""
    for limit in ALL_LIMITS:
        if not isinstance(limit.default, bool):
            text = text.replace(f"`limits.{limit.name}`", f"`limits.{limit.name}` ({limit.default:g})")
    return text


def would(risk: Risk) -> str:
    """The end of the sentence that begins with "The plan would", without the details, which its section on the page has."""
    return re.split(r"[:.](?: |$)", risk.sentence.removeprefix("The plan would "), maxsplit=1)[0]


def marked(text: str) -> str:
    """A text with the marks of Markdown instead of those of ansible-doc."""
    return MARK.sub(r"`\2`", text)


def with_limits(text: str) -> str:
    """The argument specification of the role baseline with the variables of the limits brought up to date."""
    limits = {limit.name: field_of(limit) for limit in ALL_LIMITS}
    variable = {**described([*OF_LIMITS, "If omitted, their defaults apply."]), "type": "dict", "options": limits}
    return replaced(
        text,
        r"(?<=      )(?=baseline_limits:)",
        "      baseline_expected_plan:",
        indented(to_yaml({"baseline_limits": variable})),
    )


def field_of(limit: Limit) -> dict[str, Any]:
    """A limit in the variable of the role."""
    return {"description": [MARK.sub(r"\2", sentence) for sentence in limit.sentences], **limit.option}


def indented(block: str) -> str:
    """A block of the role's variables behind the indentation of its first line."""
    return indent(block, " " * 6).removeprefix(" " * 6)


def replaced(text: str, start: str, end: str, block: str) -> str:
    """The text with this block between the pattern that it follows and the text that follows it."""
    match = re.search(start, text)
    if match is None:
        raise ValueError(f"{start} is not there")
    return text[: match.end()] + block + text[text.index(end, match.end()) :]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of the lists in a role's argument specification: those of the modules that take the lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COLLECTIONS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED
from ansible_collections.edgeops.protection.plugins.module_utils._specs.custom_rulesets import OF_A_RULESET

from tests.documentation.pages import compact, to_yaml
from tests.support.module_run import RULESETS

BASELINE = Path(__file__).parents[2] / "roles" / "baseline" / "meta" / "argument_specs.yml"
LISTS: Mapping[str, tuple[str, str]] = {  # variable of the role: module and option
    **{f"baseline_{option}": ("account_protection", option) for option in COLLECTIONS},
    "baseline_firewall_rules": ("firewall_rules", "rules"),
    **{f"baseline_{module}": (module, option) for module, option in RULESETS.items()},
    **{f"baseline_{managed.module}": (managed.module, managed.option) for managed in MANAGED if managed.is_list},
    "baseline_custom_rulesets": ("custom_ruleset", ""),  # whose options are the fields of one
}
MARK = re.compile(r"\b[A-Z]+\(([^()]*)\)")  # such as V(true), which argument specifications do not have


def with_lists(text: str) -> str:
    """The text of the baseline's argument specification with the fields of its lists brought up to date."""
    for variable, (module, option) in LISTS.items():
        documentation = import_module(f"ansible_collections.edgeops.protection.plugins.modules.{module}").DOCUMENTATION
        options = yaml.safe_load(documentation)["options"]
        fields = options[option]["suboptions"] if option else {name: options[name] for name in OF_A_RULESET}
        block = indent(to_yaml(_fields(fields)), " " * 10)
        found = re.search(rf"(?ms)^      {variable}:\n.*?^        options:\n(.*?)(?=^ {{0,8}}\S|\Z)", text)
        if found is None:
            raise ValueError(f"{variable} has no options")
        text = text[: found.start(1)] + block + text[found.end(1) :]
    return text


def _fields(documented: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _field(option) for name, option in documented.items()}


def _field(option: Mapping[str, Any]) -> dict[str, Any]:
    texts = option["description"]
    text = MARK.sub(r"\1", texts) if isinstance(texts, str) else [MARK.sub(r"\1", item) for item in texts]
    facts = {name: compact(value) for name, value in option.items() if name not in ("description", "suboptions")}
    nested = {"options": _fields(option["suboptions"])} if "suboptions" in option else {}
    return {"description": text, **facts, **nested}

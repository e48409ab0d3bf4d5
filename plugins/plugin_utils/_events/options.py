# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the event source, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import (
    BOUNDS,
    DEFAULT_BASE_URL,
    Settings,
    parse_settings,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    COMPONENTS,
    KINDS,
    OWNER,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.owners import OWNER_OPTIONS

CREDENTIALS = ("api_token", "api_email", "api_key")
NUMBERS: Final[Mapping[str, tuple[float, float]]] = {  # option: its default, its least value
    "interval": (60.0, 10),
    "delay": (120.0, 0),
    "min_packets_per_second": (100.0, 0),
}
OF_RULEBOOKS = ("eda_feedback_queue",)  # which ansible-rulebook may add
NAMES = (
    "accounts",
    "components",
    *NUMBERS,
    *CREDENTIALS,
    "base_url",
    *BOUNDS,
    "validate_certs",
    "ca_path",
)


@dataclass(frozen=True)
class SourceOptions:
    """Checked options; `settings` has one element for each account."""

    settings: Sequence[Settings]
    components: Sequence[str]
    interval: timedelta
    delay: timedelta
    least: float  # packets per second


def parse_source(
    arguments: Mapping[str, Any], environment: Mapping[str, str], warn: Callable[[str], None]
) -> SourceOptions:
    """The options of the source; raises ValueError with a sentence for each wrong one."""
    problems = [
        f"{name} is not an option; the options are {', '.join(NAMES)}"
        for name in arguments
        if name not in (*NAMES, *OF_RULEBOOKS)
    ]
    numbers = {
        name: _number(arguments.get(name, default)) for name, (default, _least) in NUMBERS.items()
    }
    for name, (_default, least) in NUMBERS.items():
        number = numbers[name]
        if number is None or not least <= number < float("inf"):
            problems.append(f"{name}: it must be a number of at least {least:g}")
    accounts = _texts(arguments.get("accounts"))
    components = _texts(arguments.get("components", list(KINDS)))
    if not accounts:
        problems.append("accounts: it must be a list of ids of accounts")
    if not components or set(components) - set(COMPONENTS):
        problems.append(f"components: it must be a list of some of {', '.join(COMPONENTS)}")
    settings = []
    for account_id in dict.fromkeys(accounts):
        try:
            options = _connection(arguments, account_id, environment)
            settings.append(parse_settings(options, OWNER, environment, warn))
        except (OptionError, ValueError) as exc:
            problems.append(str(exc).replace(OWNER, "accounts"))
    if problems:
        raise ValueError(". ".join(dict.fromkeys(problem.rstrip(".") for problem in problems)))
    return SourceOptions(
        settings,
        [name for name in COMPONENTS if name in components],
        timedelta(seconds=numbers["interval"] or 0),
        timedelta(seconds=numbers["delay"] or 0),
        numbers["min_packets_per_second"] or 0.0,
    )


def _connection(
    arguments: Mapping[str, Any], account_id: str, environment: Mapping[str, str]
) -> dict[str, Any]:
    """The connection options of the modules, out of the source's own."""
    base_url = environment.get("CLOUDFLARE_BASE_URL", DEFAULT_BASE_URL)
    return {
        **{name: arguments.get(name) for name in CREDENTIALS},
        "base_url": arguments.get("base_url", base_url),
        **{
            name: _of_kind(name, arguments.get(name, default))
            for name, (_type, default, _least) in BOUNDS.items()
        },
        "validate_certs": _flag(arguments.get("validate_certs", True)),
        "ca_path": arguments.get("ca_path"),
        **dict.fromkeys(OWNER_OPTIONS),
        OWNER: account_id,
    }


def _of_kind(name: str, value: Any) -> float:
    number = _number(value)
    if number is None:
        raise ValueError(f"{name}: it must be a number")
    return int(number) if BOUNDS[name][0] == "int" and number == number // 1 else number


def _number(value: Any) -> float | None:
    """A number, also as the text that a variable of a rulebook becomes; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _flag(value: Any) -> bool:
    texts = {"true": True, "yes": True, "false": False, "no": False}
    flag = value if isinstance(value, bool) else texts.get(str(value).lower())
    if flag is None:
        raise ValueError("validate_certs: it must be true or false")
    return flag


def _texts(value: Any) -> list[str]:
    """A list of texts, empty for anything else; one text is a list of one."""
    elements = [value] if isinstance(value, str) else value
    if not isinstance(elements, (list, tuple)):
        return []
    return [item for item in elements if isinstance(item, str) and item]

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A migration for its readers: each firewall rule, what becomes of it, and where requests could
meet something else."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple

from .._text import as_markdown, markdown_row
from .migrate import Migration

OLD = ("", "Firewall rule", "Description", "Action", "Priority", "State")
NEW = ("Position", "Custom rule", "Action", "Enabled")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
REGULAR_EXPRESSION = re.compile(r"\bmatches\b|~")


class Caveat(NamedTuple):
    """A sentence on custom rules as such, and which of them it concerns; all where `concerns` is
    None."""

    sentence: str
    concerns: Callable[[Mapping[str, Any]], bool] | None = None


def _by_regular_expression(rule: Mapping[str, Any]) -> bool:
    return bool(REGULAR_EXPRESSION.search(QUOTED.sub("", rule["expression"])))


DIFFERENCES = (
    Caveat(
        "Custom rules have neither priorities nor a precedence of actions. They are evaluated as"
        " they stand in the list, and the first one that matches and terminates decides."
    ),
    Caveat(
        "Other custom rules of the zone stand in the same list: one before these rules may decide"
        " in their stead, and an allow, now a skip of the remaining rules, also skips those"
        " after it."
    ),
    Caveat(
        "If Cloudflare has converted firewall rules itself, they are already among the zone's"
        " custom rules; compare before these are added, or each stands there twice."
    ),
    Caveat(
        "The ids change. A custom rule is found by its ref; whatever goes by the id of a firewall"
        " rule (searches in events, dashboards, calls of the API) has to be adapted."
    ),
    Caveat(
        "A filter that several firewall rules share becomes an expression in each of the custom"
        " rules, to be changed in each of them."
    ),
    Caveat("How many custom rules a zone may have depends on its plan."),
    Caveat(
        "A request that is blocked no longer gets the page of error 1020, but the WAF's block"
        " page.",
        lambda rule: rule["action"] == "block",
    ),
    Caveat("The action log needs an Enterprise plan.", lambda rule: rule["action"] == "log"),
    Caveat(
        "Whether an expression may use matches or ~ depends on the plan.", _by_regular_expression
    ),
)


def report(migration: Migration) -> str:
    """A Markdown page: a table of the rules, the differences rule by rule, and those that concern
    many."""
    parts: Iterable[Iterable[str]] = (
        ["# From firewall rules to custom rules"],
        [_summary(migration)],
        _rules_table(migration),
        ["## Differences rule by rule"],
        _rule_by_rule(migration.entries),
        ["## Differences that concern all"],
        _for_all(migration.rules),
    )
    return "\n".join(line for part in parts for line in (*part, ""))


def _summary(migration: Migration) -> str:
    becoming = [entry for entry in migration.entries if entry["becomes"] is not None]
    enabled = sum(rule["enabled"] for rule in migration.rules)
    left_out = len(migration.entries) - len(becoming)
    return (
        f"Firewall rules: {len(migration.entries)}, in the order of evaluation. Custom rules:"
        f" {len(migration.rules)}, of which enabled: {enabled}. Firewall rules merged into another:"
        f" {len(becoming) - len(migration.rules)}. Left out: {left_out}."
    )


def _rules_table(migration: Migration) -> Iterator[str]:
    yield markdown_row(OLD + NEW)
    yield markdown_row(["---"] * len(OLD + NEW))
    for number, entry in enumerate(migration.entries, start=1):
        new, position = ["-", "left out", "-", "-"], entry["position"]
        if position:
            new = _new_cells(migration.rules[position - 1], position)
        yield markdown_row([str(number), *_old_cells(entry), *new])


def _old_cells(entry: Mapping[str, Any]) -> list[str]:
    priority = "-" if entry["priority"] is None else str(entry["priority"])
    paused = [name.replace("_", " ") for name in ("paused", "filter_paused") if entry[name]]
    cells = [*(entry[name] for name in ("id", "description", "action")), priority]
    return [as_markdown(cell) for cell in (*cells, ", ".join(paused) or "active")]


def _new_cells(rule: Mapping[str, Any], position: int) -> list[str]:
    parameters = rule.get("action_parameters", {})
    skipped = ["remaining rules"] if "ruleset" in parameters else []
    skipped += parameters.get("products", [])
    action = rule["action"] + (": " if skipped else "") + ", ".join(skipped)
    enabled = "yes" if rule["enabled"] else "no"
    return [str(position), as_markdown(rule["ref"]), as_markdown(action), enabled]


def _rule_by_rule(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = []
    for entry in entries:
        if entry["notes"]:
            description = f" ({entry['description']})" if entry["description"] else ""
            lines.append("- " + as_markdown(entry["id"] + description))
            lines += ["  - " + as_markdown(note) for note in entry["notes"]]
    return lines or ["None: each custom rule does with every request what its firewall rule does."]


def _for_all(rules: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for sentence, concerns in DIFFERENCES:
        if concerns is None:
            yield f"- {sentence}"
            continue
        refs = [rule["ref"] for rule in rules if concerns(rule)]
        if refs:
            yield f"- {sentence} It concerns: {as_markdown(', '.join(refs))}."

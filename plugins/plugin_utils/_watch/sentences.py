# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A watched change in sentences: what it stopped, by which rule, and what was set back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._text import first_few
from ...module_utils._timestamps import to_the_minute
from ...module_utils._traffic.queries import FIREWALL, NODES
from ...module_utils._traffic.stopped import StoppedLimits, StoppedTraffic
from ...module_utils._traffic.watched import THE_ZONE
from .mark import WatchMark
from .objects import titles_by_rule, titles_of
from .set_back import Restored
from .verdict import EXCEEDED, NOT_KNOWN, RuleFigures, WatchVerdict

OF_NO_RULE = {  # by the source of the figures
    THE_ZONE: "the rules of the zone",
    **{node.name: node.product for node in (*NODES, FIREWALL)},
}
NO_SUCH_RULE = "rule {} of others"  # which the host does not describe
ALL_COUNT = "All rules count because of the change of {}."


def moment_of(mark: WatchMark) -> str:
    """The time at which the change was written."""
    return to_the_minute(mark.written)


def figures_in_words(mark: WatchMark, verdict: WatchVerdict) -> str:
    """The figures of a verdict, or why there are none, in sentences."""
    moment = moment_of(mark)
    if verdict.outcome == NOT_KNOWN:
        return f"Nobody knows what the change of {moment} stops: {verdict.unknown[0]}"
    counted = verdict.figures_of_source
    figures = [item for item in counted if item.stopped] or counted
    found = StoppedTraffic(verdict.stopped, verdict.requests, verdict.noun, when=f"since {moment}")
    predicate = found.in_words()
    if verdict.outcome == EXCEEDED:
        terms = mark.terms
        limits = StoppedLimits(terms.max_stopped_percent, terms.max_stopped_requests)
        predicate = found.beyond(limits)
    sentences = [f"{first_few(_stopping(mark, figures))} {predicate}."]
    letting = [item.watched for item in figures if item.watched.rule is None]
    if letting:
        sentences.append(ALL_COUNT.format(first_few(titles_of(letting))))
    requests: list[str] = []
    for item in figures:
        requests += map(_request, item.examples)
    if requests:
        sentences.append(f"Requests: {first_few(dict.fromkeys(requests))}.")
    return " ".join(sentences)


def _stopping(mark: WatchMark, figures: Iterable[RuleFigures]) -> list[str]:
    """The titles of what stopped traffic: of a change that lets others stop more, of these."""
    by_rule = titles_by_rule(mark.change)
    titles: dict[str, None] = {}
    for item in figures:
        if item.watched.rule is not None:
            titles.update(dict.fromkeys(titles_of([item.watched])))
            continue
        rules = [by_rule.get(rule) or NO_SUCH_RULE.format(rule) for rule in item.stopping]
        titles.update(dict.fromkeys(rules or [OF_NO_RULE[item.watched.source]]))
    return list(titles)


def _request(example: Mapping[str, Any]) -> str:
    """An example of stopped requests in words: `GET shop.example/cart (812)`."""
    words = [f"{example.get('method', '')} {example.get('host', '')}{example.get('path', '')}"]
    words += [f"from {example['country']}"] if example.get("country") else []
    return f"{' '.join(words).strip()} ({example['requests']})"


def set_back_in_words(mark: WatchMark, reason: str, restored: Restored, beginning: str) -> str:
    """The failure of a run whose change did not stay: the `reason`, and what was set back."""
    sentences = [reason]
    if restored.in_force:
        sentences.append(f"NOT set back, and still in force: {first_few(restored.in_force)}.")
    if restored.undone:
        sentences.append(f"{beginning}: {first_few(restored.undone)}.")
    sentences += restored.staying
    until = f"baseline_confirmed names it: {mark.plan_id}."
    if restored.in_force:
        sentences.append(f"Each run and report says so until {until}")
    else:
        refused = "The next run refuses the same change until the variables change, or"
        sentences.append(f"{refused} {until}")
    return " ".join(sentences)

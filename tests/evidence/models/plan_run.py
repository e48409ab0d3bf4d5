# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A random plan, run against the local service: predicted, applied as it was predicted, and applied again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import note
from hypothesis.strategies import sampled_from

from tests.evidence.models import plan_model as model
from tests.evidence.models.plan_model import Item
from tests.evidence.models.random_plans import NOW
from tests.fake_service import LocalService
from tests.support.module_run import Modules
from tests.support.service_state import comparable as comparable_result

OTHER_PLAN = "0" * 64


@dataclass
class Run:
    """The local service, the modules, and what became of the plans of a test."""

    service: LocalService
    modules: Modules
    outcomes: Counter[str]

    def begin(self) -> LocalService:
        """The service, empty, at the time of the random plans."""
        self.service.reset()
        self.service.clock.set(NOW)
        return self.service


CONSENTS = sampled_from(["code", "bound", "expired", "narrow"])


def acceptances(risks: list[Item], consent: str) -> list[Item | str]:
    """What accepts these risks: their codes, or dictionaries like those that the failure prints."""
    if consent == "code":
        return [risk["code"] for risk in risks]
    bound = [acceptance for risk in risks for acceptance in bound_to(risk)]
    return [{**acceptance, "expires": "2026-03-01T14:00:00+01:00", "reason": "a test"} for acceptance in bound]


def bound_to(risk: Item) -> list[Item]:
    """The acceptances of a risk for its networks and its objects, one for each resource of these."""
    common = {name: risk[name] for name in ("code", "networks") if risk[name]}
    entries: dict[str, list[str]] = {}
    for concerned in risk["objects"]:
        entries.setdefault(concerned["resource"], []).append(concerned["key"])
    return [{**common, "resource": resource, "entries": keys} for resource, keys in entries.items()] or [common]


def too_little(risks: list[Item], consent: str) -> list[Item]:
    """Acceptances that look like those of these risks, and accept none of them."""
    bound = [item for item in acceptances(risks, consent) if isinstance(item, dict)]
    if consent == "expired":
        return [{**item, "expires": "2026-02-28"} for item in bound]
    return [{**item, "entries": item["entries"][-1:]} for item in bound if len(keys(item.get("entries", ()))) > 1]


def keys(entries: Iterable[str]) -> set[str]:
    """What the entries of a risk name; duplicates are one, however they are written."""
    return {model.same_text(str(model.network({"prefix": entry}))).casefold() for entry in entries}


def applied(run: Run, module: str, options: Item, refused: bool, consent: str) -> Item | None:
    """Predict, apply what was predicted and nothing else, and apply again; the result, or None where the task fails.

    Every risk is accepted when it is met, after `consent`: at once, or after an acceptance that does not count.
    """
    service, modules, outcomes = run.service, run.modules, run.outcomes
    note(f"{module} {options} {service.document()}")
    service.calls.clear()
    predicted = modules.run(module, check=True, **options)
    if predicted.get("risks") and predicted.get("failed"):
        assert modules.failed(module, **options)["msg"] == predicted["msg"]
        risks = predicted["risks"]
        if consent in ("expired", "narrow"):
            unmet = modules.failed(module, check=True, **options, accept_risks=too_little(risks, consent))
            assert unmet["risks"] == risks
            outcomes["unmet"] += 1
        options = {**options, "accept_risks": acceptances(risks, consent)}
        predicted = modules.run(module, check=True, **options)
        if not refused:
            assert {risk["reason"] for risk in predicted["risks"]} == {None if consent == "code" else "a test"}
            outcomes["with_risks"] += 1
            outcomes.update(risk["code"] for risk in risks)
    assert service.writes == []
    assert bool(predicted.get("failed")) is refused, predicted
    if not refused and predicted["changed"]:
        assert modules.failed(module, **options, expected_plan=OTHER_PLAN)["plan_id"] == predicted["plan_id"]
        assert service.writes == []
        options = {**options, "expected_plan": predicted["plan_id"]}
    result = modules.run(module, **options)
    if refused:
        assert (result.get("failed"), result["msg"], service.writes) == (True, predicted["msg"], [])
        outcomes["refused"] += 1
        return None
    assert not result.get("failed"), result
    assert comparable_result(model.without(result, ["warnings"])) == comparable_result(
        model.without(predicted, ["warnings"])
    )
    assert result["changed"] is bool(service.writes)
    service.calls.clear()
    again = modules.done(module, **options)
    assert (again["changed"], again["operations"], service.writes) == (False, [], [])
    assert again["diff"] == {"before": {}, "after": {}}
    outcomes["applied" if result["changed"] else "unchanged"] += 1
    return result

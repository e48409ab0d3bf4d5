# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The custom rulesets of a zone or an account, with their rules and the rules that deploy them.

The vendor describes them in "Create a custom ruleset using the API" (WAF).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Mapping, Sequence

from .._values.kinds import TEXT, as_json, choice, mapping, ordered_list
from .custom_rules import CUSTOM_KIND, CUSTOM_PHASE, CUSTOM_RULES, ENTRY_POINTS, WAF
from .resource import (
    CONTENTS,
    DELETE,
    OWNERS,
    RULESET_PATHS,
    ZONE_OPTION,
    ByCursor,
    Field,
    InFiles,
    Key,
    Object,
    OptionSpec,
    Resource,
    Semantics,
    Single,
    State,
    Write,
    fields_in,
    id_of_new,
    without,
)
from .rulesets import REF, accept_all, deployed

EXECUTED_RULESETS = "executed_rulesets"  # in a state: the rulesets that rules execute


def ruleset_of(owner_option: str, ruleset_id: str) -> Resource:
    """The resource by which the ruleset with this id is read, with its rules; `owner_option` is the
    option of its owner, such as `zone_id`."""
    path, permission = f"{RULESET_PATHS[owner_option]}/{ruleset_id}", WAF[owner_option]
    name, title = "custom_ruleset", "custom ruleset"
    return Resource(
        name, EXECUTED_RULESETS, title, owner_option, path, permission, (), (), Single()
    )


def _other_ruleset(ruleset: Object) -> str:
    kind, phase = ruleset.get("kind"), ruleset.get("phase")
    is_ours = (kind, phase) == (CUSTOM_KIND, CUSTOM_PHASE)
    return "" if is_ours else f"is of the kind {kind} and the phase {phase}"


def rules_of_ruleset(owner_option: str, name: str) -> Resource:
    """The rules of the custom ruleset with this name."""
    rulesets = CUSTOM_RULESETS[owner_option]
    return replace(
        ENTRY_POINTS[owner_option],
        name="custom_ruleset_rule",
        plural=f"rules of {name}",
        title="rule of the ruleset",
        plural_title=f"rules of the ruleset {name}",
        path=f"{rulesets.path}/{{parent_id}}",
        quota=100,
        parent=rulesets,
        parent_name=name,
    )


def _rules_in(owner_option: str, obj: Object) -> Resource:
    return rules_of_ruleset(owner_option, CUSTOM_RULESETS[owner_option].label_of(obj))


def _whole_ruleset(owner_option: str, obj: Object, state: State) -> dict[str, Any]:
    """A ruleset with its rules and its deployment."""
    name = CUSTOM_RULESETS[owner_option].label_of(obj)
    ids = (obj.get("id"), id_of_new(name))
    rules = obj.get(CONTENTS, state.get(rules_of_ruleset(owner_option, name).plural, ()))
    deploy = _deployment_in(state[ENTRY_POINTS[owner_option].plural], ids)
    return {**without(obj, *FIXED_FIELDS), "rules": list(rules), "deploy": deploy}


def _deployment_in(
    entry_point_rules: Sequence[Object], ids: Sequence[Any]
) -> dict[str, Any] | None:
    """The options of the rule that deploys a ruleset with one of these ids; None if no rule does,
    or if several do, which no options describe."""
    position = "first"
    deployments: list[dict[str, Any]] = []
    for rule in entry_point_rules:
        if deployed(rule) in ids:
            deploy = {option: rule.get(option) for option in DEPLOYMENT_OPTIONS}
            deploy["position"] = position
            parameters = fields_in(rule.get("action_parameters"))
            deploy.update(without(parameters, "id"))  # which no option describes
            deployments.append(deploy)
        position = f"after {rule.get('ref')}"
    if len(deployments) == 1:
        return deployments[0]
    return None


def _is_deployed_nowhere(owner_option: str, obj: Object, state: State, freed: int) -> bool:
    """Return whether it is known that no rule deploys a ruleset, once so many do so no more."""
    rules = state.get(ENTRY_POINTS[owner_option].plural)
    return rules is not None and [*map(deployed, rules)].count(str(obj.get("id"))) <= freed


def _rulesets(owner_option: str) -> Resource:
    name = "custom_ruleset" if owner_option == ZONE_OPTION else "account_custom_ruleset"
    return Resource(
        name=name,
        plural=f"{name}s",
        title="custom ruleset",
        owner=owner_option,
        path=RULESET_PATHS[owner_option],
        permission=WAF[owner_option],
        fields=(
            Field("name", REF.value, required=True),
            Field("description", TEXT, default="", inert=True),
            Field("kind", choice(CUSTOM_KIND), default=CUSTOM_KIND),
            Field("phase", choice(CUSTOM_PHASE), default=CUSTOM_PHASE),
        ),
        key=("name",),
        create=Write("POST"),
        update=Write("PUT", by_id=True),
        delete=DELETE,
        listing=ByCursor(50),
        on_demand=True,
        read_only=("version", "last_updated"),
        quota=10,
        product=ENTRY_POINTS[owner_option].product,
        contents=partial(_rules_in, owner_option),
        holds_rules=True,
        is_referred_to=True,
        phase=CUSTOM_PHASE,
        semantics=Semantics(
            not_ours=_other_ruleset,
            assembled=partial(_whole_ruleset, owner_option),
            is_unused=partial(_is_deployed_nowhere, owner_option),
        ),
    )


FIXED_FIELDS = ("kind", "phase")  # fields with one value for all


CUSTOM_RULESETS: Mapping[str, Resource] = {owner: _rulesets(owner) for owner in OWNERS}


def _as_deployed(value: Any) -> str:
    """A deployment as text, without its position, but with parameters that no option describes."""
    deployment = {**dict.fromkeys(DEPLOYMENT_OPTIONS), **(value or {})}
    return as_json(without(deployment, "position"))


DEPLOYMENT_OPTIONS: OptionSpec = {  # its position is for a new one
    "ref": {"type": "str"},
    "expression": {"type": "str"},
    "enabled": {"type": "bool"},
}


_DEPLOYMENT = mapping(DEPLOYMENT_OPTIONS, accept_all)


_PARTS = (
    Field("rules", ordered_list(CUSTOM_RULES.options)),
    Field("deploy", _DEPLOYMENT._replace(normalise=_as_deployed), absent_default={}),
)


# A ruleset with its rules and its deployment as one object, as files have it.
WHOLE_RULESETS: Mapping[str, Resource] = {
    owner: replace(
        rulesets,
        fields=tuple(field for field in rulesets.fields if field.name not in FIXED_FIELDS) + _PARTS,
        listing=InFiles([rulesets, ENTRY_POINTS[owner]]),
    )
    for owner, rulesets in CUSTOM_RULESETS.items()
}


def deploying_rules(rulesets: Sequence[Object], state: State) -> list[Key]:
    """The keys of the custom rules of a zone that deploy these rulesets of it."""
    ids: set[Any] = set()
    for ruleset in rulesets:
        name = CUSTOM_RULESETS[ZONE_OPTION].label_of(ruleset)
        ids |= {ruleset.get("id"), id_of_new(name)} - {None}
    rules = state[ENTRY_POINTS[ZONE_OPTION].plural]
    return [CUSTOM_RULES.key_of(rule) for rule in rules if deployed(rule) in ids]


def whole_rulesets(state: State, owner_option: str) -> list[Object]:
    """The custom rulesets of a state that has their rules, each by the ids that rules may name."""
    resource = CUSTOM_RULESETS[owner_option]
    rulesets: list[Object] = []
    for obj in resource.our_objects_in(state):
        name = resource.label_of(obj)
        contents = rules_of_ruleset(owner_option, name)
        rules = obj.get(CONTENTS, state.get(contents.plural))
        if rules is None:
            continue
        ids = [obj.get("id")]
        if CONTENTS not in obj:
            ids.append(id_of_new(name))
        for identity in filter(None, ids):
            rulesets.append({**obj, "id": identity, "rules": rules})
    return rulesets

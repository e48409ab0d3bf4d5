# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules.

The vendor describes them in "Configure via API" (DDoS Protection, managed rulesets). An override of
an account's rules of layers 3 and 4, or of a zone's HTTP rules, is a rule that executes the managed
ruleset with other values; here it is known by what it overrides, and the sensitivity_level of the
API is the sensitivity.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import AbstractSet, Any, Callable, Mapping, NamedTuple, Sequence

from .._expressions.examination import HTTP_OVERRIDE_EXPRESSION, PACKET_OVERRIDE_EXPRESSION
from .._expressions.expression import Expression
from .._values.kinds import Value, choice, identifier, keyed, parse_filled_text
from .._vendor.rules import OF_HTTP_OVERRIDES, OF_L4_OVERRIDES, Readable
from .products import HTTP_DDOS, L4_DDOS
from .resource import (
    ACCOUNT_OPTION,
    LOG,
    RULESET_PATHS,
    ZONE_OPTION,
    Catalogue,
    Field,
    Object,
    Permission,
    Resource,
    Semantics,
    Shape,
    Values,
    fields_in,
    renaming,
    without,
)
from .rulesets import (
    DESCRIPTION,
    ENABLED,
    ENTRY_KEYS,
    EXECUTE,
    OVERRIDES,
    PARAMETERS,
    deployed,
    entry_point,
    lacking,
    named_entries,
)

OTHER_RULE = "other_rule"  # the action of a rule that is no override


DEFAULT, BLOCK, OFF = "default", "block", "eoff"


ACTIONS = (DEFAULT, BLOCK, "managed_challenge", "challenge", LOG)


DYNAMIC = "ddos_dynamic"  # Cloudflare decides; some managed rules take it in an override


READ_ONLY, ALLOWED = "read-only", "allowed_override_actions"  # of managed rules


SENSITIVITIES = (DEFAULT, "medium", "low", OFF)


RENAMED = renaming("sensitivity_level", "sensitivity")


OVERRIDE_FIELDS = ("action", "sensitivity", *ENTRY_KEYS)


OF_ANOTHER_KIND = "is a rule of another kind, which overrides no managed DDoS rules"


def _renamed(overrides: Object, rename: Callable[[Object], dict[str, Any]]) -> dict[str, Any]:
    """Overrides with renamed fields, also in the entries of their lists."""
    renamed = rename(overrides)
    for name in ENTRY_KEYS:
        entries = renamed.get(name)
        if isinstance(entries, list):
            renamed[name] = [_renamed_entry(entry, rename) for entry in entries]
    return renamed


def _renamed_entry(entry: Any, rename: Callable[[Object], dict[str, Any]]) -> Any:
    return rename(entry) if isinstance(entry, Mapping) else entry


def _reading(managed: str) -> Any:
    def read(rule: Object) -> dict[str, Any]:
        # Cloudflare sets categories of the rule itself, which are not those of an override.
        obj = without(rule, *OVERRIDE_FIELDS, PARAMETERS)
        parameters = fields_in(rule.get(PARAMETERS))
        overrides = parameters.get(OVERRIDES)
        is_of_managed = deployed(rule) == managed
        if not is_of_managed or not isinstance(overrides, Mapping):
            return {**obj, OTHER_RULE: without(rule, *obj)}
        return _with_options_on_top({**obj, PARAMETERS: without(parameters, "id")})

    return read


def _with_options_on_top(fields: Object) -> dict[str, Any]:
    """The fields of an override with each overridden setting that has an option moved to the top,
    under the name of the option."""
    parameters = fields.get(PARAMETERS)
    if not isinstance(parameters, Mapping):
        return dict(fields)
    lifted = without(fields, PARAMETERS)
    undeclared_overrides = _renamed(fields_in(parameters.get(OVERRIDES)), RENAMED.from_api)
    for name in OVERRIDE_FIELDS:
        if name in undeclared_overrides:
            lifted[name] = undeclared_overrides.pop(name)
    undeclared_parameters = without(parameters, OVERRIDES)
    if undeclared_overrides:
        undeclared_parameters[OVERRIDES] = undeclared_overrides
    if undeclared_parameters:
        lifted[PARAMETERS] = undeclared_parameters
    return lifted


def _writing(managed: str) -> Any:
    def write(obj: Object) -> dict[str, Any]:
        rule = without(obj, *OVERRIDE_FIELDS, PARAMETERS, OTHER_RULE)
        if OTHER_RULE in obj:
            return {**rule, **obj[OTHER_RULE]}
        parameters = dict(obj.get(PARAMETERS) or {})
        override_fields = {name: obj[name] for name in OVERRIDE_FIELDS if obj.get(name)}
        if override_fields.get("action") == DEFAULT:
            del override_fields["action"]
        undeclared_overrides = parameters.pop(OVERRIDES, None) or {}
        parameters["id"] = managed
        parameters[OVERRIDES] = {
            **undeclared_overrides,
            **_renamed(override_fields, RENAMED.to_api),
        }
        rule["action"] = EXECUTE
        rule[PARAMETERS] = parameters
        return rule

    return write


def _fit_override(
    override: Values, existing: Values, task_fields: AbstractSet[str]
) -> dict[str, Any]:
    """An override as Cloudflare stores it: without its position, which is not a field, without the
    default action, and without empty fields. If nothing is left of an existing one, it gets the
    default sensitivity."""
    fitted = without(override, "position")
    for name in OVERRIDE_FIELDS:
        value = fitted.get(name)
        if not value or (name == "action" and value == DEFAULT):
            fitted.pop(name, None)
    sets_something = any(name in fitted for name in (*OVERRIDE_FIELDS, PARAMETERS, OTHER_RULE))
    if existing and not sets_something and override.get("sensitivity") != "":
        fitted["sensitivity"] = DEFAULT
    return fitted


def _invalid_override(override: Values) -> str:
    """The reason why Cloudflare would refuse an override; empty if it would not."""
    missing = lacking(override, "expression")
    if missing:
        return missing
    if OTHER_RULE in override:
        set_here = [name for name in OVERRIDE_FIELDS if name in override]
        return f"{OF_ANOTHER_KIND}; it takes no {set_here[0]}" if set_here else ""
    parameters = fields_in(override.get(PARAMETERS))
    undeclared_overrides = fields_in(parameters.get(OVERRIDES))
    has_action = override.get("action", DEFAULT) != DEFAULT
    has_fields = any(override.get(name) for name in OVERRIDE_FIELDS if name != "action")
    if not has_action and not has_fields and not undeclared_overrides:
        return f"overrides nothing; set one of {', '.join(OVERRIDE_FIELDS)}"
    return ""


def listed_rules(managed: Object) -> Sequence[Object]:
    """The rules of a managed ruleset; raises ValueError for one that cannot be read."""
    rules = managed.get("rules")
    if isinstance(rules, list) and all(map(_is_readable, rules)):
        return rules
    raise ValueError("the managed ruleset lists no rules")


def _is_readable(rule: Any) -> bool:
    return isinstance(rule, Mapping) and isinstance(rule.get("categories") or [], list)


def _unknown_names(override: Object, managed: Object) -> list[str]:
    """A clause for each name in an override that the managed ruleset does not have, with the
    nearest names."""
    descriptions: dict[str, dict[str, str]] = {"category": {}, "rule": {}}
    for rule in listed_rules(managed):
        rule_id = str(rule.get("id"))
        descriptions["rule"][rule_id] = str(rule.get("description") or "")
        for category in rule.get("categories") or ():
            descriptions["category"][str(category)] = ""
    clauses = []
    for kind, name, _entry in named_entries(override):
        if name not in descriptions[kind]:
            title_of_kind = "managed rule" if kind == "rule" else kind
            clauses.append(
                f"names the {title_of_kind} {name}, which does not exist; the nearest are"
                f" {_nearest(name, descriptions[kind])}"
            )
    return clauses


def _nearest(name: str, descriptions: Mapping[str, str]) -> str:
    """The three names that are the most like this one, with their descriptions, in words."""
    if not descriptions:
        return "none"
    titles = []
    for match in get_close_matches(name, descriptions, 3, 0):
        description = descriptions[match]
        titles.append(f"{match} ({description})" if description else match)
    return ", ".join(titles)


def _rejected_actions(override: Object, managed: Object) -> list[str]:
    """A clause for each action that an override sets for managed rules of which none accepts it."""
    rules = listed_rules(managed)
    clauses = []
    action_for_all = str(override.get("action") or DEFAULT)
    if action_for_all != DEFAULT:
        clauses.append(_refused_action(action_for_all, rules, "any managed rule"))
    for kind, name, entry in named_entries(override):
        overridden = [rule for rule in rules if name in _names_of_kind(rule, kind)]
        title = f"the {kind} {name}"
        if kind == "rule" and overridden:
            title = f"the managed rule {overridden[0].get('description') or name} ({name})"
        action = str(entry.get("action") or DEFAULT)
        clauses.append(_refused_action(action, overridden, title))
    return [clause for clause in clauses if clause]


def _refused_action(action: str, overridden: Sequence[Object], title: str) -> str:
    """The reason why Cloudflare would refuse this action for the overridden rules; empty if one of
    them accepts it, or there are none."""
    if not overridden or any(_accepts(rule, action) for rule in overridden):
        return ""
    if not any(map(_accepts, overridden)):
        return f"overrides {title}, which is {READ_ONLY}"
    actions: set[str] = set()
    for rule in overridden:
        actions.update(rule.get(ALLOWED) or ())
    choices = f", which takes {', '.join(sorted(actions))}" if actions else ""
    return f"sets {action} for {title}{choices}"


def _names_of_kind(rule: Object, kind: str) -> Sequence[Any]:
    return [rule.get("id")] if kind == "rule" else rule.get("categories") or ()


def _accepts(rule: Object, action: str = DEFAULT) -> bool:
    """Return whether an override of a managed rule may set this action; the default action stands
    for an override of the sensitivity alone. Not every rule lists the actions that it accepts."""
    categories = rule.get("categories") or ()
    if READ_ONLY in categories or not rule.get(ALLOWED, True):
        return False
    if action == DEFAULT:
        return True
    if ALLOWED not in rule:
        return action != DYNAMIC
    return action in rule[ALLOWED]


def _faults(override: Object, managed: Object) -> list[str]:
    return [*_unknown_names(override, managed), *_rejected_actions(override, managed)]


def _names_anything(changes: Object) -> bool:
    return any(map(changes.get, ENTRY_KEYS)) or changes.get("action") == DYNAMIC


def _override_fields(actions: Sequence[str]) -> tuple[Field, ...]:
    """The fields of an override with the settings that it overrides."""
    levels: dict[str, Any] = {
        "action": {"type": "str", "choices": list(actions)},
        "sensitivity": {"type": "str", "choices": list(SENSITIVITIES)},
    }
    parsers = {"categories": parse_filled_text, "rules": identifier}
    keys = {name: {key: {"type": "str", "required": True}} for name, key in ENTRY_KEYS.items()}
    return (
        Field("action", choice(DEFAULT, *actions), absent_default=DEFAULT, switch=True),
        # With one, even the default, it decides for all managed rules; an empty one clears it.
        Field("sensitivity", choice(*SENSITIVITIES, ""), switch=True),
        *(
            Field(
                name,
                keyed(key, parsers[name], {**keys[name], **levels}),
                absent_default=[],
                switch=True,
            )
            for name, key in ENTRY_KEYS.items()
        ),
    )


class _Layer(NamedTuple):
    """The managed DDoS rules of some layers: the product to which overrides of them belong, the id
    of their ruleset, and what the overrides accept and read."""

    product: str
    managed: str
    permission: str
    expression: Value
    actions: Sequence[str]
    readable: Readable

    def unusual(self, override: Object) -> str:
        """A remark on fields that the expression of an override reads, and that the vendor's page
        does not list for it; empty if there are none."""
        if OTHER_RULE in override:
            return ""
        return Expression.of_object(override).doubts_of_place(self.readable)


def _overrides(name: str, title: str, owner: str, phase: str) -> Resource:
    layer = LAYERS[phase]
    path = f"{RULESET_PATHS[owner]}/{layer.managed}"
    fields = (DESCRIPTION, ENABLED, *_override_fields(layer.actions))
    return entry_point(
        name=name,
        title=title,
        owner=owner,
        phase=phase,
        product=layer.product,
        permission=Permission(layer.permission, owner.partition("_")[0]),
        quota=10,
        fields=(Field("expression", layer.expression), *fields),
        shape=Shape(_reading(layer.managed), _writing(layer.managed), _with_options_on_top),
        catalogue=Catalogue("managed DDoS ruleset", path, _names_anything, _faults),
        semantics=Semantics(
            normalise=_fit_override,
            invalid_reason=_invalid_override,
            unusual=layer.unusual,
            protects_nobody=weakens,
        ),
    )


def is_off(override: Object) -> bool:
    """Return whether an override is disabled."""
    return ENABLED.normalised(override) == "false"


def weakens(override: Object) -> bool:
    """Return whether an override lets attacks pass that the managed rules would stop, or is off."""
    return is_off(override) or any(is_weak(*level) for level in levels_of(override).values())


def levels_of(override: Object) -> dict[str, tuple[str, str]]:
    """The action and the sensitivity of an override, by what it overrides; an empty text stands for
    all rules."""
    levels = {"": _level(override, (DEFAULT, DEFAULT))}
    for kind, name, entry in named_entries(override):
        levels[f"{kind} {name}"] = _level(entry, levels[""])
    return levels


def _level(obj: Object, default: tuple[str, str]) -> tuple[str, str]:
    default_action, default_sensitivity = default
    action = str(obj.get("action") or default_action)
    sensitivity = str(obj.get("sensitivity") or default_sensitivity)
    return (action, sensitivity)


def is_weak(action: str, sensitivity: str) -> bool:
    """Return whether an action or a sensitivity stops less than a managed rule does by itself."""
    return action == LOG or sensitivity in SENSITIVITIES[1:]


LAYERS: Mapping[str, _Layer] = {  # by phase
    "ddos_l4": _Layer(
        L4_DDOS,
        "3b64149bfa6e4220bbbc2bd6db589552",
        "L4 DDoS Managed Ruleset",
        PACKET_OVERRIDE_EXPRESSION,
        (BLOCK, LOG, DYNAMIC),
        OF_L4_OVERRIDES,
    ),
    "ddos_l7": _Layer(
        HTTP_DDOS,
        "4d21379b4f9f4bb088e0729962c8b3cf",
        "HTTP DDoS Managed Ruleset",
        HTTP_OVERRIDE_EXPRESSION,
        (*ACTIONS[1:], DYNAMIC),
        OF_HTTP_OVERRIDES,
    ),
}


L4_OVERRIDES = _overrides("ddos_l4_override", "DDoS L3/4 override", ACCOUNT_OPTION, "ddos_l4")


L7_OVERRIDES = _overrides("ddos_l7_override", "HTTP DDoS override", ZONE_OPTION, "ddos_l7")


# Read only; a zone that has overrides of its own hides them.
L7_OVERRIDES_OF_ACCOUNT = _overrides(
    "ddos_l7_override_of_account", "HTTP DDoS override of the account", ACCOUNT_OPTION, "ddos_l7"
)

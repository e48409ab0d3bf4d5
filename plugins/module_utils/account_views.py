# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for an account's Advanced TCP Protection."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .account import LISTS
from .address_space import range_of
from .coverage import Coverage, answer
from .declaration import Object, Resource, State, options_of
from .errors import OptionError
from .limits import limit_options
from .resources import ACCOUNT, ALLOWLIST, FILTERS, KINDS, PREFIXES, RULES, STATUS, of_kind
from .risks import MODAL
from .view import Options, Spec, View, given, list_option
from .wishes import Wishes, check_purge, numbered, read_wishes

STATE: Spec = {"state": {"type": "str", "choices": ["present", "absent"], "default": "present"}}
PURGE: Spec = {"purge": {"type": "bool", "default": False}}
LADDER: Spec = {"ladder": {"type": "bool", "default": False}}
KIND: Spec = {"kind": {"type": "str", "choices": list(KINDS), "required": True}}
SUBSETS: Mapping[str, tuple[Resource, ...]] = {"status": (STATUS,), **LISTS}


def shown(resources: Sequence[Resource], state: State) -> list[Object]:
    """Collections as results show them; where there are several kinds of objects, each says its kind."""
    return [
        dict(item, kind=resource.kind) if resource.kind else item
        for resource in resources
        for item in state[resource.plural]
    ]


def subset(name: str, state: State) -> Any:
    """A part of an account as results show it."""
    objects = shown(SUBSETS[name], state)
    return objects[0] if name == "status" else objects


def status_view() -> View:
    """tcp_protection_status."""
    return View(
        place="account_id",
        options={**options_of(STATUS.fields, required=("enabled",)), **limit_options()},
        reads=lambda options: (STATUS,),
        wishes=lambda options: (read_wishes(STATUS, [("", given(STATUS.fields, options))]),),
        shows=lambda options, state: {"tcp_protection_status": subset("status", state)},
    )


def list_view(resource: Resource, option: str) -> View:
    """A module for a whole collection; its list option and its result have one name."""

    def wishes(options: Options) -> Sequence[Wishes]:
        absent, purge = options["state"] == "absent", options["purge"]
        if purge:
            check_purge(option, options[option], empty="empties_list" in options["accept_risks"], absent=absent)
        return (read_wishes(resource, numbered(option, options[option]), absent=absent, exact=purge),)

    return View(
        place="account_id",
        options={option: list_option(resource.fields, required=True), **STATE, **PURGE, **limit_options()},
        reads=lambda options: (resource,),
        wishes=wishes,
        shows=lambda options, state: {option: shown((resource,), state)},
    )


def entry_view(resources: tuple[Resource, ...], result: str) -> View:
    """A module for one object of a collection, or of one of several kinds of collections."""
    fields = resources[0].fields

    def chosen(options: Options) -> Resource:
        return of_kind(resources, options.get("kind"))

    def wishes(options: Options) -> Sequence[Wishes]:
        absent = options["state"] == "absent"
        return (read_wishes(chosen(options), [("", given(fields, options))], absent=absent),)

    def shows(options: Options, state: State) -> Mapping[str, Any]:
        resource = chosen(options)
        (key,) = wishes(options)[0].wanted
        return {result: next((item for item in shown((resource,), state) if resource.key_of(item) == key), None)}

    return View(
        place="account_id",
        options={
            **(KIND if len(resources) > 1 else {}),
            **options_of(fields),
            **STATE,
            **(LADDER if resources[0].plural in MODAL else {}),
            **limit_options(),
        },
        reads=lambda options: (chosen(options),),
        wishes=wishes,
        shows=shows,
        pending=lambda steps: steps[0],
    )


def account_view() -> View:
    """account_protection: everything at once; what is left out is left alone."""

    def wishes(options: Options) -> Sequence[Wishes]:
        purge = options["purge"]
        for option in purge:
            check_purge(option, options[option], empty="empties_list" in options["accept_risks"])
        return [
            read_wishes(resource, _entries(option, resource, options), exact=option in purge)
            for resource in ACCOUNT
            for option, resources in SUBSETS.items()
            if resource in resources
        ]

    return View(
        place="account_id",
        options={
            **options_of(STATUS.fields),
            "prefixes": list_option(PREFIXES.fields),
            "allowlist": list_option(ALLOWLIST.fields),
            "rules": list_option(RULES[0].fields, KIND),
            "filters": list_option(FILTERS[0].fields, KIND),
            "purge": {"type": "list", "elements": "str", "choices": list(LISTS), "default": []},
            **LADDER,
            **limit_options(),
        },
        reads=lambda options: ACCOUNT,
        wishes=wishes,
        shows=lambda options, state: {"protection": {name: subset(name, state) for name in SUBSETS}},
    )


def _entries(option: str, resource: Resource, options: Options) -> Sequence[tuple[str, Options]]:
    """What the options say of one collection of the account."""
    if resource is STATUS:
        return [] if options["enabled"] is None else [("", given(STATUS.fields, options))]
    return [
        (place, {name: value for name, value in entry.items() if name != "kind"})
        for place, entry in numbered(option, options[option] or [])
        if resource.kind is None or entry["kind"] == resource.kind
    ]


def account_info_view() -> View:
    """protection_info; to tell what is covered, it reads everything."""

    def reads(options: Options) -> Sequence[Resource]:
        for position, asked in enumerate(options["covers"] or []):
            if range_of(asked) is None:
                raise OptionError(f"covers[{position}]", f"'{asked}' is neither an address nor a network")
        chosen = SUBSETS if options["covers"] else options["gather_subset"]
        return [resource for name in SUBSETS if name in chosen for resource in SUBSETS[name]]

    def shows(options: Options, state: State) -> Mapping[str, Any]:
        result = {name: subset(name, state) for name in SUBSETS if name in options["gather_subset"]}
        if len(state) < len(ACCOUNT):
            return result
        coverage = Coverage(state)
        if options["covers"] is not None:
            result["covers"] = [answer(coverage, asked) for asked in options["covers"]]
        return dict(result, coverage=coverage.summary())

    return View(
        place="account_id",
        options={
            "gather_subset": {"type": "list", "elements": "str", "choices": list(SUBSETS), "default": list(SUBSETS)},
            "covers": {"type": "list", "elements": "str"},
        },
        reads=reads,
        shows=shows,
    )

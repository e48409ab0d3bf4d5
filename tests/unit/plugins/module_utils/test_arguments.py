# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors in options; right ones are read as ansible-core reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import env_fallback
from ansible.module_utils.parsing.convert_bool import BOOLEANS
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import (
    UNFIT,
    Argument,
    Arguments,
    read_options,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.sampled_rows import EVERY_ROW

RULES: Argument = {
    "type": "list",
    "elements": "dict",
    "options": {
        "ref": {"type": "str", "required": True},
        "action": {"type": "str", "choices": ["block", "log"]},
        "logging": {"type": "dict", "options": {"enabled": {"type": "bool", "required": True}}},
        "more": {"type": "dict"},
        "products": {"type": "list", "elements": "str"},
        "match": {"type": "dict", "options": {"asn": {"type": "int"}, "country": {"type": "str"}}},
    },
}
ARGUMENTS: Arguments = {
    "flag": {"type": "bool"},
    "number": {"type": "int"},
    "hours": {"type": "float", "default": 24.0},
    "name": {"type": "str", "choices": ["enabled", "monitoring"]},
    "folder": {"type": "path"},
    "token": {"type": "str", "no_log": True},
    "kinds": {"type": "list", "elements": "str", "choices": ["one", "two", ""]},
    "any": {"type": "list", "elements": "raw"},
    "level": {"type": "str", "choices": ["off", "low"]},
    "rules": RULES,
    "deploy": {"type": "dict", "options": {"expression": {"required": True}, "position": {"required": True}}},
}
RIGHT: dict[str, Any] = {
    "flag": "yes",
    "number": "7",
    "hours": 7,
    "name": "enabled",
    "folder": "~/report",
    "token": "secret",
    "kinds": "one,two",
    "any": [{"code": "mass_deletion"}, "one"],
    "level": False,
    "rules": [{"ref": "one", "action": "log", "logging": {"enabled": True}, "more": {"x": 1}, "products": None}],
    "deploy": {"expression": "true", "position": 1},
}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"flag": "perhaps"}, "flag: 'perhaps' is a text; write true or false"),
    ({"flag": [True]}, "flag: it is a list; write true or false"),
    ({"number": "many"}, "number: 'many' is a text; write a whole number"),
    ({"number": 1.5}, "number: 1.5 is a number; write a whole number"),
    ({"number": float("inf")}, "number: inf is a number; write a whole number"),
    ({"number": "1" * 500 + "x"}, f"number: '{'1' * 59}... (443 more characters) is a text; write a whole number"),
    ({"hours": {"a": 1}}, "hours: it is a dictionary; write a number"),
    ({"hours": "\x1b[2J"}, r"hours: '\x1b[2J' is a text; write a number"),
    ({"hours": None}, "hours: it is null; leave it out"),
    ({"name": "Enable"}, "name: 'Enable' is none of enabled, monitoring (did you mean enabled?)"),
    ({"name": 7}, "name: 7 is none of enabled, monitoring"),
    ({"name": ["enabled"]}, "name: it is a list; write one of enabled, monitoring"),
    ({"name": None}, "name: it is null; leave it out"),
    ({"folder": ["a"]}, "folder: it is a list; write a path"),
    ({"folder": True}, "folder: True is a boolean; put it in quotes"),
    ({"hours": True}, "hours: True is a boolean; write a number"),
    ({"rules": [{"ref": False}]}, "rules[0].ref: False is a boolean; put it in quotes"),
    ({"token": ["secret"]}, "token: its value is a list; write a text"),
    ({"kinds": ["one", "tow"]}, "kinds[1]: 'tow' is none of one, two (did you mean two?)"),
    ({"kinds": {"one": True}}, "kinds: it is a dictionary; write a list of one, two"),
    ({"kinds": True}, "kinds: True is a boolean; write a list of one, two"),
    ({"kinds": '["one"]'}, "kinds: '[\"one\"]' is a text that holds JSON; write a list of one, two"),
    ({"any": "['one']"}, "any: \"['one']\" is a text that holds JSON; write a list"),
    ({"any": [None]}, "any[0]: it is null; leave it out"),
    ({"level": True}, "level: True is none of off, low"),
    ({"rules": "office"}, "rules: 'office' is a text; write [{ref: office}]"),
    ({"rules": ["2001:db8::/32"]}, "rules[0]: '2001:db8::/32' is a text; write {ref: 2001:db8::/32}"),
    ({"rules": ["a, b"]}, "rules[0]: 'a, b' is a text; write {ref: ...}"),
    ({"rules": ["ref=a"]}, "rules[0]: 'ref=a' is a text of the form key=value; write {ref: ...}"),
    ({"rules": ['{"ref": "a"}']}, "rules[0]: '{\"ref\": \"a\"}' is a text that holds JSON; write {ref: ...}"),
    ({"rules": {"ref": "a"}}, "rules: it is a dictionary; write [{ref: ...}]"),
    ({"rules": [{"ref": "a"}, None]}, "rules[1]: it is null; leave it out"),
    ({"rules": [["a"]]}, "rules[0]: it is a list; write {ref: ...}"),
    ({"rules": [{"ref": "a"}, {"action": "log"}]}, "rules[1].ref: it is missing; write a text"),
    ({"rules": [{"ref": None}]}, "rules[0].ref: it is null; write a text"),
    ({"rules": [{"ref": "a", "actoin": "log"}]}, "rules[0].actoin: there is no such field (did you mean action?)"),
    ({"rules": [{"Ref": "a"}]}, "rules[0].Ref: there is no such field (did you mean ref?)"),
    ({"rules": [{"ref": "a", "zzz": 1}]}, "rules[0].zzz: there is no such field; the fields are ref, action, logging, more, products, match"),
    ({"rules": [{"ref": "a", "logging": {"enabled": "x"}}]}, "rules[0].logging.enabled: 'x' is a text; write true or false"),
    ({"rules": [{"ref": "a", "logging": "yes"}]}, "rules[0].logging: 'yes' is a text; write {enabled: yes}"),
    ({"rules": [{"ref": "a", "more": 5}]}, "rules[0].more: 5 is a number; write {key: ...}"),
    ({"rules": [{"ref": "a", "match": "64500"}]}, "rules[0].match: '64500' is a text; write {asn: 64500}"),
    ({"rules": [{"ref": {"a": 1}}]}, "rules[0].ref: it is a dictionary; write a text"),
    ({"rules": [{"ref": "a", "action": None}]}, "rules[0].action: it is null; leave it out"),
    ({"rules": [{"ref": "a", "action": "blok"}]}, "rules[0].action: 'blok' is none of block, log (did you mean block?)"),
    ({"deploy": "all"}, "deploy: 'all' is a text; write {expression: ..., position: ...}"),
    ({"rulse": []}, "rulse: there is no such option (did you mean rules?)"),
]  # fmt: skip


def errors_in(values: Mapping[str, Any], arguments: Arguments | None = None) -> list[str]:
    return [error.message for error in read_options(arguments or ARGUMENTS, values).errors]


def as_ansible_core(arguments: Arguments, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The options as ansible-core reads them; None if it refuses the values."""
    try:
        result = ArgumentSpecValidator(arguments).validate(deepcopy(values))
    except UNFIT:
        return None
    validated: dict[str, Any] = result.validated_parameters
    return None if result.error_messages else validated


def test_right_values_are_read_as_ansible_core_reads_them() -> None:
    assert errors_in(RIGHT) == []
    assert read_options(ARGUMENTS, RIGHT) == as_ansible_core(ARGUMENTS, RIGHT)
    assert read_options(ARGUMENTS, {})["hours"] == 24.0


@pytest.mark.parametrize(("values", "text"), WRONG)
def test_a_wrong_value_is_told_with_its_path_and_the_form_to_write(values: dict[str, Any], text: str) -> None:
    assert errors_in(values) == [text]


def test_a_needed_option_is_told_with_its_form() -> None:
    needed: Arguments = {"rules": {**RULES, "required": True}, "level": {"required": True, "choices": ["off", "low"]}}
    missing = ["rules: it is missing; write [{ref: ...}]", "level: it is missing; write one of off, low"]
    assert errors_in({}, needed) == missing
    assert errors_in({"rules": None, "level": "low"}, needed) == ["rules: it is null; write [{ref: ...}]"]
    misspelt = ["rulse: there is no such option (did you mean rules?)", missing[1]]
    assert errors_in({"rulse": []}, needed) == misspelt  # rules is what is meant


def test_the_environment_stands_for_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = {"type": "str", "required": True, "fallback": (env_fallback, ["OWNER"])}
    assert read_options({"owner": owner}, {}) == {"owner": None}  # its reader tells how to name one
    monkeypatch.setenv("OWNER", "ours")
    assert read_options({"owner": owner}, {}) == {"owner": "ours"}
    assert read_options({"owner": owner}, {"owner": "mine"}) == {"owner": "mine"}


def test_an_option_that_is_wrong_cannot_be_read() -> None:
    options = read_options(
        {**ARGUMENTS, "names": {"type": "list", "elements": "str"}},
        {"number": "x", "kinds": ["tow", "one"], "names": ["x", {}], "flag": True, "rules": [{"ref": "a"}, "b"]},
    )
    assert (options["flag"], options.get("name"), options.get("none", 1)) == (True, None, 1)
    for read in (options.__getitem__, options.get):
        for name in ("number", "names"):
            with pytest.raises(OptionError) as caught:
                read(name)
            assert caught.value in options.errors
    with pytest.raises(KeyError):
        options["none"]
    assert [entry and entry["ref"] for entry in options["rules"]] == ["a", None]  # wrong entries are left out


def test_the_rest_of_what_is_partly_wrong_is_read() -> None:
    arguments = {**ARGUMENTS, "purge": {"type": "bool", "default": False}}
    given = {"purge": "perhaps", "kinds": ["tow", "one"], "rules": [{"ref": "a", "products": "{}"}, {"products": []}]}
    options = read_options(arguments, given)
    assert (options["purge"], options["kinds"]) == (False, ["one"])  # its default, and the right ones
    first, second = options["rules"]
    assert (first["ref"], second["products"]) == ("a", [])
    for entry, name in ((first, "products"), (second, "ref")):
        with pytest.raises(OptionError, match=rf"rules\[.\]\.{name}: "):
            entry[name]
    assert {str(error.option.name({})) for error in options.errors} == {
        *("purge", "kinds[0]", "rules[0].products", "rules[1].ref")
    }


SCALARS = [None, True, False, 0, 7, 1.5, float("inf"), "", "7", "yes", "a,b", "a=b", "{}", "['a']", "off", "one", "x"]
WORDS = st.sampled_from(SCALARS)
ANYTHING = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS.map(str), inner, max_size=2), max_leaves=3)  # fmt: skip


def values_of(argument: Argument) -> st.SearchStrategy[Any]:
    """Values of an argument, of which some are wrong."""
    kind, choices = argument.get("type", "str"), argument.get("choices")
    right: st.SearchStrategy[Any] = st.sampled_from(choices) if choices else WORDS
    if kind == "list":
        right = st.lists(values_of({**argument, "type": argument.get("elements", "raw")}), max_size=2)
    elif kind == "dict":
        fields = argument.get("options") or {}
        right = dictionaries_of(fields) if fields else st.dictionaries(st.just("key"), WORDS)
    return st.integers(0, 9).flatmap(lambda number: right if number else ANYTHING)


def dictionaries_of(arguments: Arguments) -> st.SearchStrategy[dict[str, Any]]:
    needed = {name: values_of(item) for name, item in arguments.items() if item.get("required")}
    others = {name: values_of(item) for name, item in arguments.items() if name not in needed}
    names = st.sets(st.sampled_from([*others]), max_size=3) if others else st.just(set())
    return names.flatmap(lambda chosen: st.fixed_dictionaries({**needed, **{name: others[name] for name in chosen}}))


@pytest.mark.parametrize("module", [*MODULE_SPECS, ""])
@settings(max_examples=150 if EVERY_ROW else 15, deadline=None)
@given(data=st.data())
def test_values_without_an_error_are_read_as_ansible_core_reads_them(module: str, data: st.DataObject) -> None:
    arguments = argument_spec(MODULE_SPECS[module]) if module else ARGUMENTS
    values = data.draw(dictionaries_of(arguments))
    options = read_options(arguments, deepcopy(values))
    if not options.errors:
        if (
            isinstance(values.get("purge"), str) and arguments["purge"]["type"] == "raw"
        ):  # a text that ansible-core takes as none
            values["purge"] = options["purge"]
        assert options == as_ansible_core(arguments, values)


def test_the_only_choice_that_reads_as_a_boolean_is_off() -> None:
    """YAML makes booleans of on and off; the checker takes back the one that is a choice, as ansible-core does."""

    def choices(arguments: Arguments) -> set[Any]:
        words = (argument.get("choices") or () for argument in arguments.values() if argument.get("type") != "raw")
        own = {choice for listed in words for choice in listed}
        return own.union(*(choices(argument["options"]) for argument in arguments.values() if argument.get("options")))

    assert set().union(*(choices(argument_spec(spec)) for spec in MODULE_SPECS.values())) & BOOLEANS == {"off"}


def nested(arguments: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for argument in arguments.values():
        yield argument
        yield from nested(argument.get("options") or {})


@pytest.mark.parametrize("module", MODULE_SPECS)
def test_no_option_has_an_alias_or_is_deprecated(module: str) -> None:
    """AnsibleModule knows these, and the checker of options does not."""
    warned = {"aliases", "deprecated_aliases", "removed_in_version", "removed_at_date"}
    assert not any(warned & set(argument) for argument in nested(argument_spec(MODULE_SPECS[module])))

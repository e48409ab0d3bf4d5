# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a role against what it takes, in messages without secrets."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import Arguments
from ansible_collections.edgeops.protection.plugins.module_utils._errors import MAX_ERRORS, OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._text import Message, Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import (
    ENCODER,
    Mistakes,
    errors_of,
    origin_of_value,
    read_variables,
    require_none,
    require_valid,
    sentences,
    variables_in_error,
)

ARGUMENTS: Arguments = {
    "role_flag": {"type": "bool"},
    "role_number": {"type": "int", "default": 7},
    "role_token": {"type": "str", "no_log": True},
    "role_rules": {"type": "list", "elements": "dict", "options": {"ref": {"type": "str", "required": True}}},
}


def message(values: Mapping[str, Any]) -> str:
    with pytest.raises(ValueError, match="^") as caught:
        require_valid(ARGUMENTS, values)
    return str(caught.value)


def test_variables_that_are_null_or_others_are_not_checked() -> None:
    require_valid(ARGUMENTS, {**dict.fromkeys(ARGUMENTS), "other": 1})
    require_valid(ARGUMENTS, {"role_flag": "yes", "role_rules": [{"ref": 1}]})


def test_variables_are_read_with_their_types_and_defaults() -> None:
    values = {"role_flag": "yes", "role_number": None, "role_rules": [{"ref": 1}]}
    read = {"flag": True, "number": 7, "token": None, "rules": [{"ref": "1"}]}
    assert read_variables(ARGUMENTS, values, "role_") == read
    with pytest.raises(ValueError, match=r"^role_flga: there is no such option \(did you mean role_flag\?\)\.$"):
        read_variables(ARGUMENTS, {"role_flga": True})


def test_several_problems_are_one_message_of_bounded_length() -> None:
    text = message({"role_flag": "x", "role_rules": [{"number": index} for index in range(100)]})
    assert text.startswith(
        "201 errors: (1) role_flag: 'x' is a text; write true or false; (2) role_rules[0].number: there is no "
    )
    assert text.endswith(f"; and {201 - MAX_ERRORS} more.")
    assert len(text) < 100 * MAX_ERRORS


def test_a_message_holds_no_secret_wherever_it_was_put(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUDFLARE_API_KEY", "ambient-key")
    wrong = {"role_number": "s3cret-token", "role_flag": "ambient-key", "role_rules": [{"ref": "x", "s3cret-token": 1}]}
    text = message({"role_token": "s3cret-token", **wrong})
    assert text.startswith("3 errors: ")
    assert "s3cret-token" not in text
    assert "ambient-key" not in text


def test_a_token_that_is_too_short_hides_no_parts_of_words() -> None:
    assert (
        message({"role_token": "x", "role_number": "a box"}) == "role_number: 'a box' is a text; write a whole number."
    )


FILE = """\
role_flag: perhaps
role_rules:
  - ref: 1

  - ref:
    refs: x
role_number: true
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("role_flag",), 1),
        (("role_rules", 0, "ref"), 3),
        (("role_rules", 0, "missing"), 3),  # of the entry
        (("role_rules", 1, "ref"), 5),  # of the name, since null has no place
        (("role_rules", 1, "refs"), 6),
        (("role_rules", 7), 3),
        (("role_number", 0), 7),
    ],
)
def test_a_value_has_the_place_of_its_file(
    path: tuple[Any, ...], line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 2.19 ansible-core knows no place, and none is named."""
    (tmp_path / "lima.yml").write_text(FILE, encoding="utf-8")
    values = DataLoader().load_from_file(str(tmp_path / "lima.yml"))
    whole, relative = f"{tmp_path}/lima.yml:{line}", f"lima.yml:{line}"
    assert origin_of_value(values, Option(*path)) == (whole if ENCODER else "")
    monkeypatch.chdir(tmp_path)
    assert origin_of_value(values, Option("flag", *path[1:]), {"flag": path[0]}) == (relative if ENCODER else "")


def test_other_values_have_no_place() -> None:
    assert origin_of_value({"flag": True, "rules": [{"tags": [1]}]}, Option("flag")) == ""
    assert origin_of_value({"rules": [{"tags": [1]}]}, Option("rules", 0)) == ""
    assert origin_of_value({"rules": [1]}, Option("rules", 0), {"rules[0]": "posture.rules[1]"}) == ""


PLAYBOOK = """\
role_flga: true
role_number: many
role_token: [s3cret-token]
"""


def test_all_mistakes_in_the_variables_of_a_playbook_are_told_with_their_places(tmp_path: Path) -> None:
    """Before 2.19 ansible-core knows no place, and none is named."""
    (tmp_path / "lima.yml").write_text(PLAYBOOK, encoding="utf-8")
    variables = DataLoader().load_from_file(str(tmp_path / "lima.yml"))
    values = {"role_number": "many", "role_token": ["s3cret-token"]}  # as a task has them, without their places
    with pytest.raises(ValueError, match="^3 errors") as caught:
        read_variables(ARGUMENTS, values, "role_", variables)
    places = [f" ({tmp_path}/lima.yml:{line})" if ENCODER else "" for line in (1, 2, 3)]
    assert str(caught.value) == (
        f"3 errors: (1) role_flga: there is no such variable (did you mean role_flag?){places[0]};"
        f" (2) role_number: 'many' is a text; write a whole number{places[1]};"
        f" (3) role_token: its value is a list; write a text{places[2]}."
    )


def test_a_mistake_is_told_again_with_a_place_alone() -> None:
    """Brackets at the end of a sentence are no place."""
    flag, number = Option("role_flag"), Option("role_number")
    errors = [OptionError(flag, "wrong"), OptionError(flag, "wrong (again)"), OptionError(number, "odd")]
    mistakes = Mistakes([*errors, OptionError(number, "odd", "lima.yml:3"), OptionError(number, "odd")])
    told = ["role_flag: wrong.", "role_flag: wrong (again).", "role_number: odd (lima.yml:3)."]
    assert (sentences(mistakes.errors), mistakes.place) == (told, "lima.yml:3")


def test_a_sentence_that_begins_like_one_on_an_option_names_none() -> None:
    def fail() -> None:
        raise ValueError("role_flag: so says somebody.")

    (error,) = errors_of(fail)
    assert (error.option, error.message) == (Option(), "role_flag: so says somebody")


def test_errors_keep_their_options_without_the_secrets_of_their_texts() -> None:
    error = OptionError(Option("role_rules", 0), Message("s3cret-token is none of ", Option("role_number")))
    values = {"role_token": "s3cret-token"}
    with pytest.raises(Mistakes) as caught:
        require_none([error], ARGUMENTS, values)
    (readable,) = caught.value.errors
    assert readable.message == "role_rules[0]: ******** is none of role_number"
    assert variables_in_error(readable) == {"role_rules", "role_number"}


def test_what_does_not_fit_together_is_told_with_all_others() -> None:
    def refuse(read: Mapping[str, Any], given: Container[str]) -> Iterator[OptionError]:
        assert read["role_flag"] is None and "role_flag" in given
        yield OptionError(Option("role_number"), f"{read['role_number']} is odd")

    with pytest.raises(
        ValueError, match=r"^2 errors: \(1\) role_flag: 'x' is a text; .*; \(2\) role_number: 3 is odd\.$"
    ):
        read_variables(ARGUMENTS, {"role_flag": "x", "role_number": 3}, "role_", {}, refuse)

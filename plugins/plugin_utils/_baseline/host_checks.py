# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The mistakes in the variables of a host, all at once and before any request, and the entries of
its postures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...module_utils._arguments import Arguments
from ...module_utils._errors import OptionError
from ...module_utils._schema.resource import fields_in, without
from ...module_utils._text import Option
from .._module_options import OptionProblem, ProblemsAlone, option_problems, problems_alone
from .._variables import (
    FindErrors,
    Mistakes,
    errors_of,
    is_within,
    no_check,
    option_errors_of,
    readable_errors,
    require_none,
    variables_in_error,
    with_unread,
    wrong_variables,
)
from .host_variables import HostVariables
from .merged_host import MergedHost
from .posture import RISKS, START_OF_TIME, PostureEntries, postures_of
from .posture_file import PostureFile, posture_file
from .unmanaged import ACCEPTED, Accepted, parse_accepted
from .variables import (
    POSTURE,
    POSTURES,
    POSTURES_FILE,
    SNAPSHOT_KEEP,
    Part,
    check_keep,
    described_by,
    part_of,
    require_complete,
    stand_ins,
    wrong_source,
)
from .watch_terms import VARIABLE, watch_terms

COLLECTION = "edgeops.protection."
NEVER = "9999-12-31"  # the end of a posture that is checked before anybody takes it


class CheckedHost(HostVariables):
    """A host whose variables are checked before they are used."""

    def checked(self, arguments: Arguments, check: FindErrors = no_check) -> dict[str, Any]:
        """The variables of the host that a role accepts; raises Mistakes with all errors if one
        has a wrong form or `check` finds an error."""
        values, errors = self.read(arguments)
        wrong = errors or wrong_variables(arguments, values) or self._wrong_source(values)
        if wrong or any(check(values, values)):
            raise Mistakes(self.mistakes(arguments, {}, check))
        return values

    def mistakes(
        self, arguments: Arguments, additional: Mapping[str, Any], check: FindErrors = no_check
    ) -> list[OptionError]:
        """The mistakes in the variables that a role accepts and checks, and in `additional`
        values, as far as they show without a request."""
        stored, unread = self.read(arguments)
        values = {**stored, **additional}
        errors = with_unread(unread, wrong_variables(arguments, values))
        wrong_names = {str(error.option.path[0]) for error in errors}
        fit = without(values, *wrong_names)
        errors += [*self._wrong_source(fit), *check(fit, fit)]
        errors += errors_of(partial(require_complete, self.host, values))
        errors += self._errors_beside(wrong_names, fit, POSTURES in arguments)
        problems = self._option_problems(part_of({**stand_ins(values), **values}))
        return [
            *readable_errors(errors, arguments, values, self.variables),
            *(problem.error for problem in problems if not is_within(problem.option, unread)),
        ]

    def _wrong_source(self, values: Mapping[str, Any]) -> list[OptionError]:
        return wrong_source(self.host, values, self.groups)

    def alone(self, arguments: Arguments, additional: Mapping[str, Any]) -> ProblemsAlone:
        """The problems and doubts that what the variables describe shows by itself; a value that
        cannot be read, of which mistakes() tell, has none."""
        stored, unread = self.read(arguments)
        values = {**stored, **additional}
        part = part_of({**stand_ins(values), **values})
        module = COLLECTION + part.module
        found = problems_alone(module, part.options, part.context, self.variables)
        readable = [item for item in found.problems if not is_within(item.option, unread)]
        return found._replace(problems=readable)

    def _errors_beside(
        self, wrong_names: set[str], fit: Mapping[str, Any], takes_postures: bool
    ) -> list[OptionError]:
        """The errors in the values that have the right form, except for errors that name a
        variable in `wrong_names`: such a variable is not missing, only wrong."""
        checks = [
            lambda: check_keep(fit.get(SNAPSHOT_KEEP)),
            lambda: watch_terms(fit.get(VARIABLE)),
            lambda: parse_accepted(fit.get(ACCEPTED) or [], self.host),
        ]
        if takes_postures:
            checks.append(lambda: self._require_postures(fit, wrong_names))
        return [
            error for error in errors_of(*checks) if not wrong_names & variables_in_error(error)
        ]

    def require_right(self, arguments: Arguments) -> None:
        """Raises Mistakes if variables that a role accepts are wrong."""
        if mistakes := self.mistakes(arguments, {}):
            raise Mistakes(mistakes)

    def _option_problems(self, part: Part) -> list[OptionProblem]:
        module = COLLECTION + part.module
        return option_problems(module, part.options, part.context, self.variables)

    def _require_postures(self, values: Mapping[str, Any], wrong_names: set[str]) -> None:
        """Raises Mistakes for wrong postures of the host, also before they are in force, except
        for errors that name a variable in `wrong_names`."""
        prepared = values.get(POSTURES) or {}
        errors: list[OptionError] = []
        right = {}
        for name, posture in prepared.items():
            alone = {**values, POSTURES: {name: posture}}
            posture_errors = errors_of(partial(postures_of, alone))
            errors += posture_errors
            if not posture_errors:
                right[name] = posture
        right_values = {**values, POSTURES: right}
        wrong_postures = prepared.keys() - right.keys()

        def require_entries() -> None:
            entries = [
                (place, entry)
                for place, entry in self.entries(values)
                if fields_in(entry).get("name") not in wrong_postures
            ]
            self._require_merged(right_values, entries, wrong_names)

        checks = [require_entries]
        for path, posture in postures_of(right_values).items():
            if posture.keys() - {RISKS}:
                entry = {"name": path.path[-1], "until": NEVER}
                entries = [(path, entry)]
                checks.append(partial(self._require_merged, right_values, entries, wrong_names))
        errors += errors_of(*checks)
        require_none(errors, {}, {})

    def _require_merged(
        self, values: Mapping[str, Any], entries: PostureEntries, wrong_names: set[str]
    ) -> None:
        if not entries:
            return
        part = MergedHost(self.host, values, entries, START_OF_TIME).part()
        problems = self._option_problems(part) if described_by(part) else []
        errors = [problem.error for problem in problems if not wrong_names & problem.names]
        if errors:
            raise Mistakes(errors)

    def with_mistakes(self, exc: ValueError, arguments: Arguments) -> Mistakes:
        """An error that holds this one and all mistakes in the variables that a role accepts."""
        return Mistakes([*option_errors_of(exc), *self.mistakes(arguments, {})])

    def posture_file(self, values: Mapping[str, Any]) -> PostureFile | None:
        """The file of postures; None if the inventory is no file. Raises ValueError."""
        sources = self.value("ansible_inventory_sources") or []
        return posture_file(values.get(POSTURES_FILE), sources)

    def variable_entries(self, values: Mapping[str, Any]) -> PostureEntries:
        """The postures in the variables of the host."""
        postures = values.get(POSTURE)
        if isinstance(postures, list):
            return [(Option(POSTURE, index), entry) for index, entry in enumerate(postures)]
        if not postures:
            return []
        return [(Option(POSTURE), postures)]

    def entries(
        self, values: Mapping[str, Any], in_file: Sequence[Any] | None = None
    ) -> PostureEntries:
        """The postures of the host: those in its variables, then those `in_file` or, by default,
        in the file of postures; raises ValueError."""
        file = self.posture_file(values)
        if not file:
            return self.variable_entries(values)
        file_entries = file.entries_of(self.host) if in_file is None else in_file
        if not file_entries:
            return self.variable_entries(values)
        return [*self.variable_entries(values), *file.placed(self.host, file_entries)]

    def accepted(self) -> list[Accepted]:
        """The acceptances of the report on the host; raises ValueError."""
        return parse_accepted(self.value(ACCEPTED) or [], self.host)

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task of a role on its host: the variables that it reads, the modules that it runs, its
result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

from ansible.errors import AnsibleError
from ansible.utils.display import Display

from ...module_utils._api.settings import BASE_URL_VARIABLE, DEFAULT_BASE_URL, address_of
from ...module_utils._arguments import Arguments
from ...module_utils._errors import OptionError
from ...module_utils._schema.resource import OWNER_OPTIONS, State, fields_in, without
from ...module_utils._text import Names, Option, Screen, Warn, redact, visible
from ...module_utils._timestamps import END_OF_TIME
from .._action import ModuleCalls, failure_diff, option_problems, say
from .._variables import (
    TEMPLATE,
    UNREAD,
    FindErrors,
    Mistakes,
    data_of,
    errors_of,
    no_check,
    plain,
    read_variables,
    require_none,
    secrets_in,
    sentences,
    sentences_of,
    starts_of,
    with_unread,
    wrong_variables,
)
from .._worker import claimed_before
from .posture import (
    RISKS,
    START_OF_TIME,
    MergedHost,
    PostureEntries,
    PostureFile,
    posture_file,
    postures_of,
    read_there,
    require_risks,
)
from .results import AFTER_THE_RUN, HostRun, HostRunner, IsAccepted, lines, shown_result
from .unmanaged import ACCEPTED, Accepted, accepted_reason, parse_accepted
from .variables import (
    NOTHING_CHANGED,
    OF_HOST,
    POSTURE,
    POSTURES,
    POSTURES_FILE,
    PREFIX,
    SNAPSHOT_KEEP,
    Part,
    check_keep,
    described_by,
    one_owner,
    part_of,
    require_complete,
    stand_ins,
    without_omitted,
    wrong_names,
    wrong_source,
)

COLLECTION = "edgeops.protection."
OWNER_VARIABLES = {
    f"{prefix}{name}": name for name in OWNER_OPTIONS for prefix in ("edge_", PREFIX)
}
BASE_URLS = tuple(f"{prefix}base_url" for prefix in (PREFIX, "edge_"))  # the first one counts


class HeldTexts:
    """The texts that a task would show, until somebody shows them."""

    verbosity = property(lambda _held: Display().verbosity)

    def __init__(self) -> None:
        self._shows: list[Callable[[], None]] = []

    def display(self, text: str, **options: Any) -> None:
        """Hold a line."""
        self._shows.append(partial(Display().display, text, **options))

    def warning(self, text: str) -> None:
        """Hold a warning."""
        self._shows.append(partial(Display().warning, text))

    def show(self) -> None:
        """Show all of it."""
        for show in self._shows:
            show()


class HostTask:
    """The work of the actions of the roles on a host with the modules that they call.

    Ansible templates the options of a task one by one in each worker, which costs more than the
    work itself; these actions read the variables instead, of which few are templates.
    """

    def __init__(self, calls: ModuleCalls) -> None:
        self._calls = calls
        self._display: Display | HeldTexts = Display()
        self.host = str(calls.variables["inventory_hostname"])
        self.variables = calls.variables
        self.groups: list[str] = plain(list(calls.variables.get("group_names") or ()))

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """The variables of the host with these names, as far as it has them, without templates;
        raises Mistakes for templates that cannot be read."""
        values, errors = self.read(names)
        require_none(errors, {}, {}, self.variables)
        return values

    def options(
        self,
        arguments: Arguments,
        prefix: str,
        args: Mapping[str, Any] = MappingProxyType({}),
        check: FindErrors = no_check,
    ) -> dict[str, Any]:
        """The options of a task with these arguments, of which variables with this prefix fill the
        others; raises Mistakes, also by this check."""
        own = {f"{prefix}{name}": item for name, item in args.items()}
        values, unread = self.read(name for name in arguments if name not in own)
        filled = {name: value for name, value in {**values, **own}.items() if value != ""}
        return read_variables(arguments, filled, prefix, self.variables, check, unread)

    def read(self, names: Iterable[str]) -> tuple[dict[str, Any], list[OptionError]]:
        """The values of variables, with UNREAD for each template that cannot be read, and the
        errors in these."""
        variables = self._calls.variables
        described = {name: variables[name] for name in names if name in variables}
        known = {name: data_of(value) for name, value in described.items()}
        templates = {name: described[name] for name, value in known.items() if value is TEMPLATE}
        errors: list[OptionError] = []
        templated = self._templated(Option(), templates, errors) if templates else {}
        data = {name: value for name, value in known.items() if value is not TEMPLATE}
        return without_omitted({**data, **templated}, variables.get("omit")), errors

    def _templated(self, option: Option, value: Any, errors: list[OptionError]) -> Any:
        """A value without templates, with UNREAD for each that cannot be read, and its error."""
        try:
            return self._calls.templated(value)
        except AnsibleError as exc:
            if isinstance(value, list):
                every = enumerate(value)
                return [self._templated(option.at(step), item, errors) for step, item in every]
            if isinstance(value, Mapping):
                return {
                    name: self._templated(option.at(name), item, errors)
                    for name, item in value.items()
                }
            errors.append(OptionError(option, " ".join(str(exc).split()).rstrip(".")))
            return UNREAD

    def secrets(self, arguments: Arguments) -> list[str]:
        """The secrets of the environment, and those of the host among these variables that can be
        read; longer ones first."""
        values, _errors = self.read(
            name for name, argument in arguments.items() if argument.get("no_log")
        )
        return secrets_in(arguments, values)

    def checked(self, arguments: Arguments, check: FindErrors = no_check) -> dict[str, Any]:
        """The variables that a role takes, as far as the host has them; if one has a wrong
        form, also by this check, raises Mistakes with all that is wrong."""
        values, errors = self.read(arguments)
        wrong = errors or wrong_variables(arguments, values) or wrong_source(self.host, values)
        if wrong or any(check(values, values)):
            raise Mistakes(self.mistakes(arguments, {}, check))
        return values

    def mistakes(
        self, arguments: Arguments, beside: Mapping[str, Any], check: FindErrors = no_check
    ) -> list[str]:
        """A sentence for each mistake in the variables that a role takes and checks, and in values
        beside them, as far as no request is needed to tell it."""
        known, unread = self.read(arguments)
        values = {**known, **beside}
        errors = with_unread(unread, wrong_variables(arguments, values))
        names = {str(error.option.path[0]) for error in errors}
        fit = without(values, *names)
        errors += [*wrong_source(self.host, fit), *check(fit, fit)]
        told = self._option_problems(part_of({**stand_ins(values), **values}))
        errors += errors_of(partial(require_complete, self.host, values))
        others = errors_of(
            lambda: check_keep(fit.get(SNAPSHOT_KEEP)),
            lambda: parse_accepted(fit.get(ACCEPTED) or [], self.host),
            lambda: self._require_postures(fit) if POSTURES in arguments else None,
        )  # some of them because another value is wrong
        errors += [one for one in others if not any(name in one.message for name in names)]
        told = [text for text in told if not text.startswith(starts_of(unread))]
        return [*sentences(errors, arguments, values, self.variables), *told]

    def require_right(self, arguments: Arguments) -> None:
        """Raises Mistakes for those in the variables that a role takes."""
        if told := self.mistakes(arguments, {}):
            raise Mistakes(told)

    def _option_problems(self, part: Part) -> list[str]:
        module = COLLECTION + part.module
        return option_problems(module, part.options, part.context, self.variables)

    def _require_postures(self, values: Mapping[str, Any]) -> None:
        """Raises Mistakes for postures that the host does not take, also before they are needed."""
        known = values.get(POSTURES) or {}
        every = {name: {**values, POSTURES: {name: known[name]}} for name in known}
        errors = {name: errors_of(partial(postures_of, every[name])) for name in every}
        right = {**values, POSTURES: {name: known[name] for name in known if not errors[name]}}
        named = {path.removeprefix(f"{POSTURES}."): one for path, one in postures_of(right).items()}
        prepared = [
            [(f"{POSTURES}.{name}", {"name": name, "until": "9999-12-31"})]
            for name, one in named.items()
            if one.keys() - {RISKS}
        ]

        def require_entries() -> None:
            entries = self.entries(values)
            of_wrong = [name for name in errors if errors[name]]
            own = [one for one in entries if fields_in(one[1]).get("name") not in of_wrong]
            self._require_merged(right, own)

        others = (partial(self._require_merged, right, one) for one in prepared)
        found = [*chain.from_iterable(errors.values()), *errors_of(require_entries, *others)]
        require_none(found, {}, {})

    def _require_merged(self, values: Mapping[str, Any], entries: PostureEntries) -> None:
        if not entries:
            return
        part = MergedHost(self.host, values, entries, START_OF_TIME).part()
        problems = self._option_problems(part) if described_by(part) else ()
        if problems:
            raise Mistakes(problems)

    def with_others(self, exc: ValueError, arguments: Arguments) -> Mistakes:
        """An error with all mistakes in the variables that a role takes."""
        return Mistakes([*sentences_of(exc), *self.mistakes(arguments, {})])

    def value(self, name: str) -> Any:
        """A variable of the host without templates; None if the host does not have it."""
        return self.values([name]).get(name)

    def posture_file(self, values: Mapping[str, Any]) -> PostureFile | None:
        """The file of postures; None if the inventory is no file. Raises ValueError."""
        sources = self.value("ansible_inventory_sources") or []
        return posture_file(values.get(POSTURES_FILE), sources)

    def own_entries(self, values: Mapping[str, Any]) -> PostureEntries:
        """The postures in the variables of the host."""
        own = values.get(POSTURE)
        if isinstance(own, list):
            return [(f"{POSTURE}[{index}]", one) for index, one in enumerate(own)]
        return [(POSTURE, own)] if own else []

    def entries(
        self, values: Mapping[str, Any], in_file: Sequence[Any] | None = None
    ) -> PostureEntries:
        """The postures of the host: those of its variables, and then those of the file, or these in
        place of them; raises ValueError."""
        file = self.posture_file(values)
        if not file:
            return self.own_entries(values)
        known = file.of(self.host) if in_file is None else in_file
        return [*self.own_entries(values), *file.placed(self.host, known)]

    def merged(self, values: Mapping[str, Any]) -> MergedHost:
        """The variables of the host with those of its postures, as they hold by Cloudflare's clock;
        raises ValueError for a posture that is wrong, or of which nobody knows whether it holds."""
        require_risks(postures_of(values))
        entries = self.entries(values)
        now = self.read_there(values, entries)[0] if entries else END_OF_TIME
        known = MergedHost(self.host, values, entries, now)
        for posture in known.postures:
            self.tell(posture.sentence())
        return known

    def read_there(
        self, values: Mapping[str, Any], entries: PostureEntries, wanted: str = ""
    ) -> tuple[datetime, State]:
        """The time of Cloudflare, and a collection; raises ValueError, also for a wrong posture."""
        # Wrong ones are told before any request.
        first = MergedHost(self.host, values, entries, datetime.now(timezone.utc))
        return read_there(first.part(), self.runner().run_module, wanted)

    def runner(self, warn: Warn | None = None) -> HostRunner:
        """Runs modules on the host; `warn` gets their warnings, and by default they are shown."""
        show = self._display.warning if warn is None else warn

        def run_module(part: Part, check_mode: bool) -> dict[str, Any]:
            context = part.context._replace(host=self.host)
            return self._calls.run(
                COLLECTION + part.module, part.options, check_mode, show, context
            )

        return HostRunner(run_module)

    def screen(self, work: str) -> Screen:
        """The screen of some work on the host."""
        return self._calls.screen(work)

    def tell(self, text: str) -> None:
        """Show a sentence with the name of the host."""
        say(self._display, self._of_host(text))

    def warn(self, *texts: str) -> None:
        """Show warnings with the name of the host, since Ansible shows equal ones once."""
        for text in texts:
            self._display.warning(self._of_host(text))

    def misspelt_variables(self, told: str = "") -> list[str]:
        """A warning for each variable of the host that has no effect, and seems to be ours, unless
        it is told already."""
        errors = wrong_names(self.variables)
        secrets = self.secrets(OF_HOST) if errors else []
        texts = redact(sentences(errors, {}, {}, self.variables), secrets)
        return [self._of_host(text) for text in texts if not told or text.rstrip(".") not in told]

    def base_url(self) -> str:
        """The base URL of the API that the host names, or else of this run; empty if that cannot be
        told."""
        try:
            values = self.values(BASE_URLS)
            here = os.environ.get(BASE_URL_VARIABLE)
            urls = [*map(values.get, BASE_URLS), here, DEFAULT_BASE_URL]
            return address_of(str(next(filter(None, urls))))
        except (ValueError, OptionError):
            return ""

    def shared_owners(self, result: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
        """A sentence for each account or zone of this host that another host of this run has as
        well; a result tells the id of a zone that the host names by its domain."""
        ids = [("edge_zone_id", result["zone_id"])] if result.get("zone_id") else []
        others = {
            (name, str(value)): claimed_before(
                f"{OWNER_VARIABLES[name]}={str(value).lower()} {self.base_url()}", self.host
            )
            for name, value in {**self.values(OWNER_VARIABLES), **dict(ids)}.items()
            if value
        }
        return [
            one_owner((other, self.host), name, value)
            for (name, value), other in others.items()
            if other
        ]

    def way_back(
        self,
        values: Mapping[str, Any],
        entries: PostureEntries,
        updated: HostRun,
        names: Names = MappingProxyType({}),
    ) -> list[str]:
        """The reason why no run would take back the postures that the host is in, in a sentence
        that has these names of options."""
        if not updated.postures or updated.only_predicted or updated.failed:
            return []
        quiet = self.runner(warn=lambda _text: None)
        part = MergedHost(self.host, values, entries, END_OF_TIME).part()
        later = quiet.update(part.named(names), True)
        if not later.failed:
            return []
        message = str(later.result["msg"]).replace(NOTHING_CHANGED, "").strip()
        return [f"No run would take the posture back, since it would be refused: {message}"]

    def _of_host(self, text: str) -> str:
        return visible(f"{self.host}: {text}")

    def hold(self) -> HeldTexts:
        """Hold the texts that this task shows from now on."""
        self._display = HeldTexts()
        return self._display

    def runs_here(self) -> bool:
        """Return whether modules run on the control node."""
        return self._calls.is_local()

    def require_control_node(self) -> None:
        """Raises ValueError if credentials would leave the control node."""
        if self._calls.refusal:
            raise ValueError(self._calls.refusal)

    def result_of(self, update: Callable[[], HostRun], arguments: Arguments) -> dict[str, Any]:
        """The result of the task, which takes these variables. They may be wrong: `update` raises
        ValueError then."""
        try:
            self.require_control_node()
            updated = update()
        except ValueError as exc:
            message = str(self.with_others(exc, arguments))
            return {"failed": True, "msg": message, "warnings": self.misspelt_variables(message)}
        result = updated.result
        if updated.failed and self._calls.shows_diff:
            say(self._display, failure_diff([result]))
        if not updated.failed:
            of_result = {**result, "coverage": None} if updated.lines else result
            own = [self._of_host(line) for line in updated.lines]
            begin = AFTER_THE_RUN if updated.predicted and result.get("changed") else ""
            for line in [*lines(self.host, of_result, self._is_accepted(), begin), *own]:
                say(self._display, line)
        more = {
            "snapshot": updated.snapshot,
            "deleted_snapshots": list(updated.deleted),
            "postures": list(updated.postures),
        }
        return {
            **shown_result(result, self.misspelt_variables(), self._display.verbosity > 0),
            **{name: value for name, value in more.items() if value},
        }

    def accepted(self) -> list[Accepted]:
        """The acceptances of the report on the host; raises ValueError."""
        return parse_accepted(self.value(ACCEPTED) or [], self.host)

    def _is_accepted(self) -> IsAccepted:
        """Return whether the report accepts an object now; a wrong variable accepts none."""
        try:
            accepted = self.accepted()
        except ValueError as exc:
            self.warn(str(exc))
            accepted = []
        now = datetime.now(timezone.utc)
        return lambda item: accepted_reason(item, accepted, now) is not None
